/** Facts about one platform; the file of each is named by its name on the wire. */
import type { CopyCodec, StreamedCodec } from '../codecs.ts'

/** Source of a number: published by the platform, common practice, our judgement, or the request itself. */
export const CONFIDENCES = ['published', 'common_practice', 'our_recommendation', 'requested'] as const
export type Confidence = (typeof CONFIDENCES)[number]

/** Known treatment of a track by a service on playback. */
export interface PlaybackRule {
  /** Loudness that the service normalises to, LUFS; null if it is not known to normalise. */
  readonly referenceLufs: number | null
  /** True if it also turns quiet tracks up (as far as their true peak allows). */
  readonly turnsUp: boolean
}

export interface PlatformFacts {
  /** Name on the wire, in file names and in reports. */
  readonly id: string
  /** Name as a reader sees it, by language. */
  readonly name: { readonly en: string; readonly ko: string }
  /** Further names by which people call it, in small letters. */
  readonly alsoCalled: readonly string[]
  /** Integrated loudness of a master, LUFS; `genre` for the usual release level of the genre. */
  readonly targetLufs: number | 'genre'
  readonly targetConfidence: Confidence
  /** Highest true peak of a master, dBTP. */
  readonly ceilingDbtp: number
  /** The lower ceiling for masters louder than `above` LUFS, since their lossy copies overshoot more. */
  readonly loudCeiling?: { readonly above: number; readonly ceilingDbtp: number }
  readonly ceilingConfidence: Confidence
  readonly playback: PlaybackRule
  /** Codecs that the service is known or believed to stream, the one with the highest observed overshoot first. */
  readonly codecs: readonly StreamedCodec[]
  /** Coded copies that its listeners are known or believed to get, the usual one first. */
  readonly streams: readonly CopyCodec[]
}
