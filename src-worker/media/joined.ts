/** Songs that go over into each other and are mastered as one; plain data that crosses process borders. */
import type { Edges } from '../../src-contract/edges.ts'
import type { AudioFacts } from './audio-facts.ts'

/** Lengths that are cut off the ends of a song. */
export type Trims = Pick<Edges, 'trim_start_seconds' | 'trim_end_seconds'>

/** A song that runs into another, with its trims. */
export interface JoinedSong {
  /** Absolute path. */
  readonly path: string
  /** The client's file name: display text only. */
  readonly filename: string
  /** SHA-256 of the file, lower-case hexadecimal. */
  readonly sha256: string
  readonly facts: AudioFacts
  readonly trims: Trims
}

/**
 * Neighbours of a song that run into it without a gap: all are mastered together, and each master is one song's part of the whole.
 */
export interface Joined<Song = JoinedSong> {
  readonly before: readonly Song[]
  readonly after: readonly Song[]
  /** Fades and padding of the whole. */
  readonly edges: Omit<Edges, keyof Trims>
}
