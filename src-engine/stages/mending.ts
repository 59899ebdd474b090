/** Autoregressive interpolation of short gaps, which mends clipped peaks and clicks. */
import type { Repair } from '../../src-contract/report.ts'
import type { Audio } from '../dsp/block.ts'
import { sumStereo } from '../dsp/meters/sums.ts'
import { interpolateGap, predictionErrorFilter } from '../dsp/prediction.ts'
import { gainToDb, rounded } from '../dsp/units.ts'

/** Order of the predictors; 40 resolves some 20 partials at once. */
const order = 40
/** Known frames on either side used to estimate a gap's predictor. */
const context = 768
/** Longest gap that is mended: on real music, interpolation made longer ones worse as often as better. */
const longestGap = 80

/** Result of mending one channel. */
export interface Mending {
  /** Mended places; flat tops that needed no change do not count. */
  readonly count: number
  /** Largest rise of a peak above its clipping level (clipping), or largest change of a sample re full scale (clicks). */
  readonly largest: number
}

/** Returns true for a gap that is short enough, and far enough from the ends of its channel, to be interpolated. */
export function isMendable(samples: Float32Array, start: number, end: number): boolean {
  return end - start <= longestGap && start > order && end < samples.length - order
}

/** Returns the samples [start, end) as predicted from the samples around them. */
export function interpolate(samples: Float32Array, start: number, end: number): Float64Array {
  const a = predictionErrorFilter(samples, Math.max(0, start - context), Math.min(samples.length, end + context), order)
  return interpolateGap(samples, start, end, a)
}

/**
 * Mends each channel in place and returns one entry for both, or no entry if nothing was mended. The amount is the rise of the highest
 * rebuilt peak, or the largest click in dBFS; a place shared by two equal channels counts once.
 */
export function mendChannels(
  kind: 'clipping' | 'clicks',
  { channels, frames }: Audio,
  mend: (samples: Float32Array, channel: number) => Mending,
): Repair[] {
  const [left, right] = channels
  const { isDualMono } = sumStereo(left!, right!, 0, frames)
  const mendings = channels.map(mend)
  const count = (isDualMono ? mendings.slice(0, 1) : mendings).reduce((sum, mending) => sum + mending.count, 0)
  if (count === 0) return []
  const largest = Math.max(...mendings.map((mending) => mending.largest))
  const touched = mendings.map((mending) => mending.count > 0)
  const channel = touched[0] && touched[1] ? 'both' : touched[0] ? 'left' : 'right'
  return [{ kind, count, amount_db: rounded(gainToDb(largest)), channel }]
}
