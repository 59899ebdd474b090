import type { KnownLikeness } from '../../src-contract/stem-likeness.ts'
import type { StemRole } from '../../src-contract/stem-roles.ts'
import type { AudioFacts } from './audio-facts.ts'

/** A stored stem of a song. */
export interface StoredStem {
  /** Absolute path. */
  readonly path: string
  readonly filename: string
  /** Lower-case hexadecimal. */
  readonly sha256: string
  readonly facts: AudioFacts
  readonly role: StemRole
}

/** The stems of a song, in the order of their numbers, and its stereo mix if that is known. */
export interface StemParts {
  readonly stems: readonly StoredStem[]
  /** It is compared with the sum once; a mix may then restore from it what the stems lack. */
  readonly original?: { readonly file: StoredStem; readonly likeness?: KnownLikeness }
}
