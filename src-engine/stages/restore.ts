import type { ClickRanges, ClipLevels } from '../../src-contract/recipe.ts'
import { flatTops, flatTopTolerance } from '../analysis/clipping.ts'
import { interpolateGap, predictionErrorFilter } from '../dsp/prediction.ts'
import { clamp, dbToGain } from '../dsp/units.ts'

/** Order of the predictors; 40 resolves some 20 partials at once. */
const order = 40
/** Known frames on either side from which a gap's predictor is estimated. */
const context = 768
/** A gap longer than this is left alone: on real music the interpolation made longer ones worse as often as better. */
const longestGap = 80
/** A rebuilt peak never stands higher above the level at which it was cut. */
const mostRise = dbToGain(9)

/** Flat tops between two words on the progress: some hundredths of a second. */
const toldEvery = 200

/** What mending one channel did. */
export interface Mending {
  /** Places that were mended; flat tops that are as they should be do not count. */
  readonly count: number
  /** Largest rise of a peak above the level at which it was cut (clipping), or largest change of a sample re full scale (clicks). */
  readonly largest: number
}

/**
 * Rebuilds the flat tops of one channel in place by two passes of autoregressive interpolation; every rebuilt sample lies at or
 * beyond the level at which it was cut. Gaps at the very ends of the channel or longer than 80 frames stay as they are.
 * `onProgress` is told the part of the work that is done, 0 to 1.
 */
export function rebuildFlatTops(
  samples: Float32Array,
  levels: ClipLevels,
  onProgress?: (fraction: number) => void,
): Mending {
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

/** Replaces the clicks of one channel in place by what the music around them predicts. */
export function mendClicks(samples: Float32Array, clicks: ClickRanges): Mending {
  let count = 0
  let largest = 0
  for (const [start, end] of clicks) {
    if (!isMendable(samples, start, end)) continue
    // First straight lines over the gap, so that the predictor is not estimated from the click itself.
    const before = samples[start - 1]!
    const step = (samples[end]! - before) / (end - start + 1)
    const original = samples.slice(start, end)
    for (let i = start; i < end; i++) samples[i] = before + step * (i - start + 1)
    for (let pass = 0; pass < 2; pass++) samples.set(interpolate(samples, start, end), start)
    for (let i = start; i < end; i++) largest = Math.max(largest, Math.abs(samples[i]! - original[i - start]!))
    count++
  }
  return { count, largest }
}

function isMendable(samples: Float32Array, start: number, end: number): boolean {
  return end - start <= longestGap && start > order && end < samples.length - order
}

function interpolate(samples: Float32Array, start: number, end: number): Float64Array {
  const a = predictionErrorFilter(samples, Math.max(0, start - context), Math.min(samples.length, end + context), order)
  return interpolateGap(samples, start, end, a)
}
