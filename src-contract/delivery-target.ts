/** Loudness and ceiling of the masters for a platform, and the platform's processing on playback. */
import { type MasterName, RELEASE } from './master-name.ts'
import { type Platform, platformFacts } from './platforms/index.ts'
import type { Confidence, PlaybackRule } from './platforms/platform.ts'
import type { PeakTreatment } from './recipe.ts'
import type { MasterGoal } from './recipe-schemas.ts'
import { type Genre, type JobSettings, type LoudnessMode, SETTINGS } from './settings.ts'

export { type MasterName, RELEASE } from './master-name.ts'

/** Release loudness of each genre, LUFS: published analyses of chart releases, rounded down to be cautious. */
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
  /** Target integrated loudness, LUFS. */
  readonly targetLufs: number
  /** Highest true peak of the written file, dBTP. */
  readonly ceilingDbtp: number
  readonly targetConfidence: Confidence
  readonly ceilingConfidence: Confidence
  readonly playback: PlaybackRule
  /** True for a ceiling set by a recipe: no proof lowers it. */
  readonly isCeilingKept?: true
  /** Treatment of its peaks that a recipe asks for; the best by trials when absent. */
  readonly peaks?: PeakTreatment
}

/**
 * Returns the target of `platform` for a song of `genre`. `competitive` uses the genre level everywhere, which is always our
 * recommendation; the ceiling then follows the louder target. So it does for the caller's own target, `requestedLufs`, which overrides
 * both. Never throws.
 */
export function deliveryTarget(
  platform: Platform,
  genre: Genre,
  loudness: LoudnessMode,
  requestedLufs: number | null = null,
): DeliveryTarget {
  const facts = platformFacts(platform)
  const ownLufs = loudness === 'competitive' || facts.targetLufs === 'genre' ? undefined : facts.targetLufs
  const targetLufs = requestedLufs ?? ownLufs ?? GENRE_LUFS[genre]
  const loud = facts.loudCeiling && targetLufs > facts.loudCeiling.above ? facts.loudCeiling : undefined
  return {
    platform,
    targetLufs,
    ceilingDbtp: loud?.ceilingDbtp ?? facts.ceilingDbtp,
    targetConfidence:
      requestedLufs !== null ? 'requested' : ownLufs === undefined ? 'our_recommendation' : facts.targetConfidence,
    ceilingConfidence: facts.ceilingConfidence,
    playback: facts.playback,
  }
}

/**
 * Returns the targets of a job, in the order of its platforms; those of a recipe override the settings, and `own` single ones of both.
 * Never throws.
 */
export function targetsOf(
  { platforms, genre, loudness, target_lufs: requestedLufs, recipe }: TargetSettings,
  own: MasterTargets = {},
): DeliveryTarget[] {
  return platforms.map((platform) => {
    const target = deliveryTarget(platform, genre, loudness, own[platform] ?? requestedLufs)
    return own[platform] === undefined ? withGoal(target, recipe?.masters?.[platform]) : target
  })
}

function withGoal<Target extends MasterTarget>(target: Target, goal: MasterGoal | undefined): Target {
  if (!goal) return target
  const { target_lufs: targetLufs, ceiling_dbtp: ceilingDbtp, peaks } = goal
  const goals = { targetLufs, ceilingDbtp, targetConfidence: 'requested', ceilingConfidence: 'requested' } as const
  return { ...target, ...goals, isCeilingKept: true, ...(peaks ? { peaks: treatmentOf(peaks) } : {}) }
}

function treatmentOf({ clip_above_db, limiter }: NonNullable<MasterGoal['peaks']>): PeakTreatment {
  return {
    clipAboveDb: clip_above_db,
    limiter: {
      lookAheadMs: limiter.look_ahead_ms,
      fastReleaseMs: limiter.fast_release_ms,
      slowRiseMs: limiter.slow_rise_ms,
      slowFallMs: limiter.slow_fall_ms,
    },
  }
}

/** Settings that determine the targets of masters. */
export type TargetSettings = Pick<JobSettings, 'platforms' | 'genre' | 'loudness' | 'target_lufs'> &
  Partial<Pick<JobSettings, 'recipe'>>

/**
 * Returns settings whose target is the loudness of the reference, the weighted mean of several, in tenths and within the bounds of targets, LUFS, where they ask for it and
 * name no target; any others as they are. Never throws.
 */
export function withReferenceLoudness<Of extends Pick<JobSettings, 'target_lufs' | 'reference_loudness' | 'targets'>>(
  settings: Of,
  reference: { readonly integratedLufs: number | null } | undefined,
): Of {
  const levels = [
    ...(reference ? [{ lufs: reference.integratedLufs, weight: 1 }] : []),
    ...(settings.targets ?? []).map(({ integrated_lufs: lufs, weight = 1 }) => ({ lufs, weight })),
  ].filter((one): one is { lufs: number; weight: number } => one.lufs !== null)
  if (!settings.reference_loudness || settings.target_lufs !== null || levels.length === 0) return settings
  const total = levels.reduce((sum, { weight }) => sum + weight, 0)
  const referenceLufs = levels.reduce((sum, { lufs, weight }) => sum + (weight / total) * lufs, 0)
  const { minimum, maximum } = SETTINGS.target_lufs
  const target_lufs = Math.min(maximum, Math.max(minimum, Math.round(10 * referenceLufs) / 10))
  return { ...settings, target_lufs }
}

/** Level of a song. */
export interface SongLevel {
  readonly integratedLufs: number
  readonly truePeakDbtp: number
}

/** Loudness targets of single masters, LUFS. */
export type MasterTargets = Readonly<Partial<Record<MasterName, number>>>

/** Target of one master: a platform's, or the one for all services. */
export type MasterTarget = Omit<DeliveryTarget, 'platform' | 'playback'>

/** Loudness of a master for all services, LUFS: the most common playback level of services that normalise (docs/standards.md). */
const RELEASE_LUFS = -14

/** Headroom under the ceiling for a master made by gain alone, dB: more than the limiter's margin. */
const RELEASE_ROOM_DB = 0.1

/** Returns the delivery target with the lowest ceiling of the chosen platforms at a loudness. */
function lowestCeiling({ platforms, genre, loudness }: TargetSettings, targetLufs: number): DeliveryTarget {
  return platforms
    .map((platform) => deliveryTarget(platform, genre, loudness, targetLufs))
    .reduce((low, one) => (one.ceilingDbtp < low.ceilingDbtp ? one : low))
}

/** Returns the loudest target up to a song's own level that gain alone reaches, in tenths, LUFS; −14 at least. */
function ownLevelLufs(settings: TargetSettings, { integratedLufs, truePeakDbtp }: SongLevel): number {
  const { ceilingDbtp } = lowestCeiling(settings, Math.max(integratedLufs, RELEASE_LUFS))
  const gainDb = Math.min(0, ceilingDbtp - RELEASE_ROOM_DB - truePeakDbtp)
  return Math.max(RELEASE_LUFS, Math.floor(10 * (integratedLufs + gainDb)) / 10)
}

/**
 * Returns the target of the one master for all services: the caller's own, the genre's level, with `release_level` `song` the level of the
 * treated `song` as far as gain alone keeps the ceiling, or −14 LUFS; with the lowest ceiling of the chosen platforms at that loudness. A
 * target in `own` overrides all. Never throws.
 */
export function releaseTarget(
  settings: TargetSettings & Pick<JobSettings, 'release_level'>,
  own: MasterTargets = {},
  song?: SongLevel,
): MasterTarget {
  const { genre, loudness, target_lufs, release_level } = settings
  const requestedLufs = own[RELEASE] ?? target_lufs
  const leastLufs = release_level === 'song' && song ? ownLevelLufs(settings, song) : RELEASE_LUFS
  const targetLufs = requestedLufs ?? (loudness === 'competitive' ? GENRE_LUFS[genre] : leastLufs)
  const lowest = lowestCeiling(settings, targetLufs)
  const target: MasterTarget = {
    targetLufs,
    ceilingDbtp: lowest.ceilingDbtp,
    targetConfidence: requestedLufs === null ? 'our_recommendation' : 'requested',
    ceilingConfidence: lowest.ceilingConfidence,
  }
  return own[RELEASE] === undefined ? withGoal(target, settings.recipe?.masters?.[RELEASE]) : target
}

/** True peak limit when a service turns up a quiet track (support.spotify.com, "Loudness normalization"). */
const TURN_UP_CEILING_DBTP = -1

/** Returns the known gain of a service for a track on playback, dB; 0 if it is not known to normalise. */
export function playbackGainDb(
  { referenceLufs, turnsUp }: PlaybackRule,
  track: { readonly integratedLufs: number; readonly truePeakDbtp: number },
): number {
  if (referenceLufs === null) return 0
  const wantedDb = referenceLufs - track.integratedLufs
  if (wantedDb <= 0) return wantedDb
  return turnsUp ? Math.min(wantedDb, Math.max(0, TURN_UP_CEILING_DBTP - track.truePeakDbtp)) : 0
}
