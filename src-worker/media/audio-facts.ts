/** Facts of a file, found by reading and decoding it; plain data that crosses process borders. */
import type { ColorModel } from '../../src-contract/covers.ts'
import { OTHER_CONTAINER_NAMES, OTHER_CONTAINERS, type OtherContainer } from '../../src-contract/song-files.ts'

/** The three containers that are always accepted, whose names are ffmpeg's demuxers, and those of `accept=any`. */
export type AudioFormat = 'mp3' | 'wav' | 'flac' | OtherContainer

/** Media type of each container when a file is served. */
export const MEDIA_TYPES: Readonly<Record<AudioFormat, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  flac: 'audio/flac',
  ...(Object.fromEntries(OTHER_CONTAINER_NAMES.map((name) => [name, OTHER_CONTAINERS[name].mediaType])) as Record<
    OtherContainer,
    string
  >),
}

/** Part of the decoded sound that its container shows; the rest is an encoder's priming and padding. */
export interface Excerpt {
  readonly startFrame: number
  readonly frames: number
}

/** The track that is used of several tracks of sound. */
export interface SoundTrack {
  /** Position among the tracks of sound, from 0 on. */
  readonly index: number
  readonly count: number
}

/**
 * Tags of a song in its container; absent if it has none. Texts are NFC and free of control characters. Several values of one tag, such as
 * artists, are one text separated by `; `.
 */
export interface SongTags {
  readonly title?: string
  readonly artist?: string
  readonly album?: string
  readonly albumArtist?: string
  readonly composer?: string
  readonly genre?: string
  /** Year or date of release, as written in the file. */
  readonly date?: string
  /** Track number, `3` or `3/12`. */
  readonly track?: string
  readonly copyright?: string
  readonly comment?: string
  readonly isrc?: string
  /** All other text tags under their own names, such as a generator's. */
  readonly other?: Readonly<Record<string, string>>
}

/** Tags of a song that its masters cannot carry. */
export interface TagLosses {
  /** Reason that no cover was kept: an unknown kind of picture, a size beyond all covers, or a broken picture. */
  readonly cover?: 'format' | 'size' | 'broken'
  /** Pictures besides the cover, such as a back or a booklet. */
  readonly otherPictures?: number
  /** Names of tags that were cut for their length. */
  readonly cutTags?: readonly string[]
}

/** Facts of one accepted file. */
export interface AudioFacts {
  readonly format: AudioFormat
  /**
   * `mp3`, `flac`, or the sample format inside a WAV: `pcm_u8`, `pcm_s16`, `pcm_s24`, `pcm_s32`, `pcm_f32`, `pcm_f64`. Other containers
   * hold those, `pcm_s8`, `aac`, `alac`, `vorbis`, `opus` or `wavpack`.
   */
  readonly codec: string
  readonly sampleRateHz: number
  /** 1 or 2. */
  readonly channels: number
  /** Frames at `sampleRateHz`: counted in the file, not read from a header. */
  readonly frames: number
  /** The reader that counted `frames`, as named by `readerOf` in decode.ts; absent in facts stored before this was recorded. */
  readonly countedBy?: string
  /** Absent for all that is decoded. */
  readonly excerpt?: Excerpt
  /** Absent for a file with one track of sound. */
  readonly track?: SoundTrack
  /** `frames / sampleRateHz`. */
  readonly durationSeconds: number
  /** Length according to the header, if the file contains at least a second less: its end may be missing. */
  readonly claimedSeconds?: number
  /** Content of a WAV beyond the length in its headers, s, at least 1: likely sound, but not used. Absent for a normal file. */
  readonly uncountedSeconds?: number
  /** Unreadable part in the middle, s: silence of the same length in a FLAC, missing in an MP3. Absent for an undamaged file. */
  readonly damagedSeconds?: number
  /** Bits per sample of a lossless file. */
  readonly bitDepth?: number
  /** Mean bit rate of the sound of a lossy file, bit/s, without tags and pictures. */
  readonly bitRate?: number
  readonly isLossy: boolean
  readonly tags: SongTags
  readonly hasCover: boolean
  /** Colour model of the cover; absent for RGB, and in facts stored before it was recorded. */
  readonly coverColorModel?: ColorModel
  /** Absent if everything is kept. */
  readonly tagLosses?: TagLosses
  /** True if a C2PA provenance manifest is attached: mastering makes it invalid, so the report names it. */
  readonly hasProvenance: boolean
  /** Maker that the manifest names; absent without one, and in facts stored before it was read. */
  readonly claimGenerator?: string
}
