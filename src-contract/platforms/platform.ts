/** Facts about one platform; the file of each is named by its name on the wire. */
import type { CopyCodec, StreamedCodec } from '../codecs.ts'
import type { LocalizedText } from '../text/language.ts'

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

/** Settings of listeners, and players, in which a service treats a track differently. */
export const PLAYBACK_MODES = ['standard', 'loud', 'quiet', 'off', 'web_player'] as const
export type PlaybackMode = (typeof PLAYBACK_MODES)[number]

/** Foundations of what is known of playback. */
export const PLAYBACK_CONFIDENCES = [
  'published',
  'measured_by_others',
  'low_trust',
  'sources_disagree',
  'nothing_published',
] as const

/** Treatment of tracks by a service in one mode. */
export interface PlaybackModeRule {
  readonly mode: PlaybackMode
  /** Loudness that it normalises to, LUFS; null where it does not, or nothing is known. */
  readonly referenceLufs: number | null
  /** Treatment of quieter tracks: none, turned up as far as their peaks allow, or turned up with a limiter. */
  readonly up: 'never' | 'to_peak' | 'limited'
  readonly confidence: (typeof PLAYBACK_CONFIDENCES)[number]
  readonly source: string
  readonly url?: string
  /** Day on which the source was read, ISO 8601. */
  readonly read: string
}

/** Foundation of figures that engineers measured and that no service publishes. */
export const OBSERVED = {
  confidence: 'measured_by_others',
  source: 'common practice of mastering engineers',
  read: '2026-11-26',
} as const

/** Returns the rule of a service of which nothing is published. */
export function unpublishedPlayback(name: string): readonly PlaybackModeRule[] {
  return [
    {
      ...{ mode: 'standard', referenceLufs: null, up: 'never', confidence: 'nothing_published', read: '2026-11-26' },
      source: `${name}: nothing is published, searched in stored copies of public pages`,
    },
  ]
}

export interface PlatformFacts {
  /** Name on the wire, in file names and in reports. */
  readonly id: string
  /** Name as a reader sees it, by language. */
  readonly name: LocalizedText
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
  /** Its playback by setting of the listener, the usual one first. */
  readonly modes: readonly PlaybackModeRule[]
  /** Codecs that the service is known or believed to stream, the one with the highest observed overshoot first. */
  readonly codecs: readonly StreamedCodec[]
  /** Coded copies that its listeners are known or believed to get, the usual one first. */
  readonly streams: readonly CopyCodec[]
}
