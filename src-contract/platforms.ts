/**
 * Delivery targets: where each number comes from is part of the number.
 * Sources: Spotify and Apple publish theirs (support.spotify.com "Loudness normalization"; "Apple Digital Masters" brief);
 * YouTube and SoundCloud publish none, so theirs is common practice; Melon publishes nothing and is not known to normalise,
 * so its target is the level at which releases of the genre are mastered, and is labelled our recommendation.
 */
export const PLATFORMS = ['spotify', 'apple_music', 'youtube', 'melon', 'soundcloud'] as const
export type Platform = (typeof PLATFORMS)[number]

export const GENRES = ['kpop', 'edm', 'ballad', 'hiphop', 'pop', 'other'] as const
export type Genre = (typeof GENRES)[number]

export const AI_SERVICES = ['suno', 'udio', 'elevenlabs', 'other'] as const
export type AiService = (typeof AI_SERVICES)[number]

export const TIERS = ['standard', 'premium'] as const
export type Tier = (typeof TIERS)[number]

export const LOUDNESS_MODES = ['platform', 'competitive'] as const
export type LoudnessMode = (typeof LOUDNESS_MODES)[number]

/** What counts unless told otherwise (specification section 2; the loudness is an extension). */
export const DEFAULT_GENRE: Genre = 'other'
export const DEFAULT_AI_SERVICE: AiService = 'other'
export const DEFAULT_TIER: Tier = 'standard'
export const DEFAULT_LOUDNESS: LoudnessMode = 'platform'

/** How well founded a target is: the platform's own word, what the trade does, or our judgement. */
export const CONFIDENCES = ['published', 'common_practice', 'our_recommendation'] as const
export type Confidence = (typeof CONFIDENCES)[number]

/** What a service does to a track on playback, as far as is known. */
export interface PlaybackRule {
  /** Loudness to which the service normalises, LUFS; null where it is not known to normalise. */
  readonly referenceLufs: number | null
  /** Whether it also turns quiet tracks up (as far as their true peak allows). */
  readonly turnsUp: boolean
}

/** A service turns a quiet track up only so far that its true peak stays below this (support.spotify.com, "Loudness normalization"). */
const TURN_UP_CEILING_DBTP = -1

/** Returns the change in dB that a service makes to a track on playback, as far as is known; 0 where it is not known to normalise. */
export function playbackGainDb(
  { referenceLufs, turnsUp }: PlaybackRule,
  track: { readonly integratedLufs: number; readonly truePeakDbtp: number },
): number {
  if (referenceLufs === null) return 0
  const wantedDb = referenceLufs - track.integratedLufs
  if (wantedDb <= 0) return wantedDb
  return turnsUp ? Math.min(wantedDb, Math.max(0, TURN_UP_CEILING_DBTP - track.truePeakDbtp)) : 0
}

interface PlatformRow {
  readonly targetLufs: number | 'genre'
  readonly ceilingDbtp: number
  /** The lower ceiling for masters louder than `above` LUFS, whose lossy copies overshoot more. */
  readonly loudCeiling?: { readonly above: number; readonly ceilingDbtp: number }
  readonly targetConfidence: Confidence
  readonly ceilingConfidence: Confidence
  readonly playback: PlaybackRule
}

const ROWS: Record<Platform, PlatformRow> = {
  spotify: {
    targetLufs: -14,
    ceilingDbtp: -1,
    loudCeiling: { above: -14, ceilingDbtp: -2 },
    targetConfidence: 'published',
    ceilingConfidence: 'published',
    playback: { referenceLufs: -14, turnsUp: true },
  },
  apple_music: {
    targetLufs: -16,
    ceilingDbtp: -1,
    targetConfidence: 'common_practice',
    ceilingConfidence: 'published',
    playback: { referenceLufs: -16, turnsUp: true },
  },
  youtube: {
    targetLufs: -14,
    ceilingDbtp: -1,
    targetConfidence: 'common_practice',
    ceilingConfidence: 'common_practice',
    playback: { referenceLufs: -14, turnsUp: false },
  },
  melon: {
    targetLufs: 'genre',
    ceilingDbtp: -1.5,
    loudCeiling: { above: -9, ceilingDbtp: -2 },
    targetConfidence: 'our_recommendation',
    ceilingConfidence: 'our_recommendation',
    playback: { referenceLufs: null, turnsUp: false },
  },
  soundcloud: {
    targetLufs: -14,
    ceilingDbtp: -1.5,
    targetConfidence: 'common_practice',
    ceilingConfidence: 'common_practice',
    playback: { referenceLufs: -14, turnsUp: false },
  },
}

/** Level at which releases of a genre are mastered, LUFS: published analyses of chart releases, rounded down to the cautious side. */
const GENRE_LUFS: Record<Genre, number> = {
  kpop: -8.5,
  edm: -8,
  hiphop: -8.5,
  pop: -9.5,
  ballad: -11,
  other: -11,
}

/** The delivery target of one platform. */
export interface DeliveryTarget {
  readonly platform: Platform
  /** Integrated loudness to land on, LUFS. */
  readonly targetLufs: number
  /** Highest true peak of the written file, dBTP. */
  readonly ceilingDbtp: number
  readonly targetConfidence: Confidence
  readonly ceilingConfidence: Confidence
  readonly playback: PlaybackRule
}

/**
 * Returns the target of `platform` for a song of `genre`. `competitive` asks for the genre level everywhere, which is always
 * our recommendation; the ceiling then follows the louder target. Never throws.
 */
export function deliveryTarget(platform: Platform, genre: Genre, loudness: LoudnessMode): DeliveryTarget {
  const row = ROWS[platform]
  const ownLufs = loudness === 'competitive' || row.targetLufs === 'genre' ? undefined : row.targetLufs
  const targetLufs = ownLufs ?? GENRE_LUFS[genre]
  const loud = row.loudCeiling && targetLufs > row.loudCeiling.above ? row.loudCeiling : undefined
  return {
    platform,
    targetLufs,
    ceilingDbtp: loud?.ceilingDbtp ?? row.ceilingDbtp,
    targetConfidence: ownLufs === undefined ? 'our_recommendation' : row.targetConfidence,
    ceilingConfidence: row.ceilingConfidence,
    playback: row.playback,
  }
}
