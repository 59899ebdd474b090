/** Playback gain of every version in each level mode. Pure. */
import { playbackGainDb } from '../../src-contract/delivery-target.ts'
import { type Platform, platformFacts } from '../../src-contract/platforms/index.ts'

/** All versions at the loudness of the quietest; as a service would play them; or as written. */
export type LevelMode = 'matched' | 'service' | 'file'

/** Level mode of a difference: at any other, it would mostly be the louder of the two. */
export const DIFFERENCE_LEVEL: LevelMode = 'matched'

/** Measured level of a version; null for silence. */
export interface VersionLevel {
  readonly integratedLufs: number | null
  readonly truePeakDbtp: number | null
}

/**
 * Returns the gain in dB of every version. "Matched" only turns down: all versions to the quietest that is not silent.
 * "As on a service" follows the rule of `service`. "File" is 0 everywhere.
 */
export function levelGainsDb<Version extends string>(
  levels: Readonly<Record<Version, VersionLevel>>,
  mode: LevelMode,
  service: Platform,
): Record<Version, number> {
  const entries = Object.entries(levels) as [Version, VersionLevel][]
  const known = entries.flatMap(([, { integratedLufs }]) => (integratedLufs === null ? [] : [integratedLufs]))
  const quietest = Math.min(...known)
  const gainOf = ({ integratedLufs, truePeakDbtp }: VersionLevel) => {
    if (mode === 'file' || integratedLufs === null) return 0
    if (mode === 'matched') return quietest - integratedLufs
    return playbackGainDb(platformFacts(service).playback, { integratedLufs, truePeakDbtp: truePeakDbtp ?? -Infinity })
  }
  return Object.fromEntries(entries.map(([version, level]) => [version, gainOf(level)])) as Record<Version, number>
}
