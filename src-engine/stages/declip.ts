import type { ClipLevels, Declip } from '../../src-contract/stages/declip.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import { flatTops, flatTopTolerance } from '../analysis/clipping.ts'
import { clamp, dbToGain } from '../dsp/units.ts'
import { interpolate, isMendable, type Mending, mendChannels } from './mending.ts'
import { type EditStage, nothingPlanned, repairDecision, type StagePlan, unlessSkipped } from './stage.ts'

/** More flat tops per second than this are meant, or past mending; songs whose loudest 3 dB were cut off have up to a hundred. */
const mostFlatTopsPerSecond = 300
/** A rebuilt peak never stands higher above the level at which it was cut. */
const mostRise = dbToGain(9)

/** Flat tops between two words on the progress: some hundredths of a second. */
const toldEvery = 200
/** Part of the work on a song that mending flat tops takes. */
const workShare = 0.8

/** Returns in how many places a piece is cut off flat; one that two equal channels share counts once. */
export function clippedPlaces({ clipping, isMono }: SourceAnalysis): number {
  return isMono ? clipping.count / clipping.levels.length : clipping.count
}

/** Flat tops per second of a piece that is clipped throughout, so that nothing is rebuilt; null for all others. */
export function clippedThroughout(analysis: SourceAnalysis): number | null {
  const { clipping, durationSeconds } = analysis
  // The limit is one of both channels together, equal or not.
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
 * Rebuilds the flat tops of one channel in place by two passes of autoregressive interpolation; every rebuilt sample lies at or
 * beyond the level at which it was cut. Gaps at the very ends of the channel or longer than 80 frames stay as they are.
 * `onProgress` is told the part of the work that is done, 0 to 1.
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
