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
