/** Mastering settings. */
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
