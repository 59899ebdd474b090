/** How loud each version is played: the one choice of level and what it does to every version. Pure. */
import type { Platform, PlaybackRule } from '../../src-server/contract/platforms.ts'
import { deliveryTarget } from '../../src-server/contract/platforms.ts'

/** Every version at the loudness of the quietest; as a service would play it; or as written. */
const LEVEL_MODES = ['matched', 'service', 'file'] as const
export type LevelMode = (typeof LEVEL_MODES)[number]

/** What is known of a version's level; null for silence. */
export interface VersionLevel {
  readonly integratedLufs: number | null
  readonly truePeakDbtp: number | null
}

/** Room that a service leaves above the true peak when it turns a quiet track up, dBTP (Spotify: "1 dB of headroom"). */
const TURN_UP_CEILING_DBTP = -1

/** Returns what a service knows to do on playback; the same for every genre. */
export function playbackRule(platform: Platform): PlaybackRule {
  return deliveryTarget(platform, 'other', 'platform').playback
}

/** Returns the change in dB that a service applies to a track; 0 for silence and where it is not known to normalise. */
function playbackGainDb({ referenceLufs, turnsUp }: PlaybackRule, level: VersionLevel): number {
  if (referenceLufs === null || level.integratedLufs === null) return 0
  const wantedDb = referenceLufs - level.integratedLufs
  if (wantedDb <= 0) return wantedDb
  if (!turnsUp) return 0
  const roomDb = Math.max(0, TURN_UP_CEILING_DBTP - (level.truePeakDbtp ?? Number.NEGATIVE_INFINITY))
  return Math.min(wantedDb, roomDb)
}

/**
 * Returns the gain in dB of every version. Matched never turns anything up: all come down to the quietest that is not
 * silent. As on a service follows the rule of `service`. File is 0 everywhere.
 */
export function levelGainsDb<Version extends string>(
  levels: Readonly<Record<Version, VersionLevel>>,
  mode: LevelMode,
  service: Platform,
): Record<Version, number> {
  const entries = Object.entries(levels) as [Version, VersionLevel][]
  const known = entries.flatMap(([, { integratedLufs }]) => (integratedLufs === null ? [] : [integratedLufs]))
  const quietest = Math.min(...known)
  const gainOf = (level: VersionLevel) => {
    if (mode === 'file' || level.integratedLufs === null) return 0
    return mode === 'matched' ? quietest - level.integratedLufs : playbackGainDb(playbackRule(service), level)
  }
  return Object.fromEntries(entries.map(([version, level]) => [version, gainOf(level)])) as Record<Version, number>
}

/** Returns the linear gain of a change in dB. */
export const linearGain = (gainDb: number): number => 10 ** (gainDb / 20)
