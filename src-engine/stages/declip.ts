import type { ClipLevels, Declip } from '../../src-contract/stages/declip.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import { flatTops, flatTopTolerance } from '../analysis/clipping.ts'
import { clamp, dbToGain } from '../dsp/units.ts'
import { interpolate, isMendable, type Mending, mendChannels } from './mending.ts'
import { type EditStage, nothingPlanned, repairDecision, type StagePlan, unlessSkipped } from './stage.ts'

/** Flat tops per second above which clipping is intended or beyond repair; songs with their loudest 3 dB cut off have up to a hundred. */
const mostFlatTopsPerSecond = 300
/** Largest rise of a rebuilt peak above its clipping level. */
const mostRise = dbToGain(9)

/** Flat tops between two progress reports: some hundredths of a second. */
const toldEvery = 200
/** Share of the work on a song spent on mending flat tops. */
const workShare = 0.8

/** Returns the number of clipped places; a place shared by two equal channels counts once. */
export function clippedPlaces({ clipping, isMono }: SourceAnalysis): number {
  return isMono ? clipping.count / clipping.levels.length : clipping.count
}

/** Flat tops per second of a piece that is clipped throughout and therefore not rebuilt; null for all others. */
export function clippedThroughout(analysis: SourceAnalysis): number | null {
  const { clipping, durationSeconds } = analysis
  // The limit applies to both channels together, equal or not.
  const isThroughout = clipping.count / durationSeconds > mostFlatTopsPerSecond
  return isThroughout ? Math.round(clippedPlaces(analysis) / durationSeconds) : null
}

function planClipping(analysis: SourceAnalysis): StagePlan<Declip> {
  const count = clippedPlaces(analysis)
  if (count === 0) return nothingPlanned
  const perSecond = clippedThroughout(analysis)
  if (perSecond !== null) return { stages: [], decisions: [repairDecision('CLIPPING_LEFT', { perSecond })] }
  return {
    stages: [{ kind: 'declip', levels: analysis.clipping.levels }],
    decisions: [repairDecision('CLIPPING_REBUILT', { count })],
  }
}

/**
 * Rebuilds the flat tops of one channel in place by two passes of autoregressive interpolation; every rebuilt sample lies at or beyond its
 * clipping level. Gaps at the very ends of the channel or longer than 80 frames are left alone. `onProgress` gets the share of the work
 * done, 0 to 1.
 */
function rebuildFlatTops(samples: Float32Array, levels: ClipLevels, onProgress?: (fraction: number) => void): Mending {
  const runs = flatTops(samples, levels).filter(([start, end]) => isMendable(samples, start, end))
  let count = 0
  let largest = 1
  for (let pass = 0; pass < 2; pass++) {
    for (const [k, [start, end]] of runs.entries()) {
      if (k % toldEvery === 0) onProgress?.((pass + k / runs.length) / 2)
      const level = samples[start]! > 0 ? levels.positive! : levels.negative!
      let highest = 1
      for (const [i, value] of interpolate(samples, start, end).entries()) {
        const rise = clamp(value / level, 1, mostRise)
        samples[start + i] = level * rise
        if (rise > highest) highest = rise
      }
      if (pass === 0 || highest <= 1 + flatTopTolerance) continue
      count++
      largest = Math.max(largest, highest)
    }
  }
  return { count, largest }
}

/** Reconstruction of clipped peaks. */
export const declip = {
  kind: 'declip',
  plan: (song) => unlessSkipped(song, 'clipping', planClipping(song.analysis)),
  edit: (audio, { levels }, onProgress) =>
    mendChannels('clipping', audio, (samples, c) =>
      rebuildFlatTops(samples, levels[c]!, (part) => onProgress((c + part) / audio.channels.length)),
    ),
  workShare,
  namesFrames: false,
  announces: { CLIPPING_REBUILT: 'clipping' },
} as const satisfies EditStage<Declip>
