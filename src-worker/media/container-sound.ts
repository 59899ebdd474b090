/** Facts in the headers of a container other than MP3, WAV and FLAC; plain data. */
import type { FormatReason } from '../../src-contract/text/format-reasons.ts'
import type { Excerpt, SoundTrack } from './audio-facts.ts'
import type { Picture } from './cover.ts'
import type { TagEntry } from './tag-fields.ts'

/** Sound in a container, according to its headers. */
export interface ContainerSound {
  /** Named as in AudioFacts. */
  readonly codec: string
  readonly isLossy: boolean
  readonly sampleRateHz: number
  readonly channels: number
  readonly bitDepth?: number | undefined
  readonly claimedFrames?: number | undefined
  readonly excerpt?: Excerpt | undefined
  /** Size of the coded sound, bytes. */
  readonly soundBytes?: number | undefined
  readonly track?: SoundTrack | undefined
  readonly hasProvenance?: boolean
}

/** Reason that the sound of a file cannot be used. */
export interface SoundFault {
  readonly fault: FormatReason
}

/** Tags of a file in a container. */
export interface ContainerTags {
  readonly entries: readonly TagEntry[]
  readonly pictures: readonly Picture[]
  /** ID3v2 tag within the container. */
  readonly id3?: Buffer
}

export const NO_TAGS: ContainerTags = { entries: [], pictures: [] }

/** A song has some thirty tags; ffmpeg compares each with all before it: 50 000 took over a minute. */
export const MAX_TAG_ENTRIES = 4096

/** Largest tag that is read, bytes: the largest picture plus the texts. */
export const MAX_CONTAINER_TAG_BYTES = 96_000_000

/** Codecs that discard a part of the sound. */
const LOSSY: readonly string[] = ['mp3', 'aac', 'vorbis', 'opus']

/** Returns whether a codec named as in AudioFacts discards a part of the sound. */
export const isLossyCodec = (codec: string): boolean => LOSSY.includes(codec)
