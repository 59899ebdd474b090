/** Spectral distance of two pieces in third octaves, mid and side, whatever their levels. */
import type { SourceAnalysis } from '../src-engine/analysis/analysis.ts'

/** Level differences per band after level alignment. */
export interface Move {
  readonly bandHz: readonly number[]
  readonly midDb: readonly number[]
  readonly sideDb: readonly number[]
}

/** Range of the compared bands, Hz. */
const lowestHz = 31
const highestHz = 16_500

/**
 * Returns the differences of two pieces in the third octaves from 31.5 Hz to 16 kHz: `other` minus `one`, less the mean of the mid between
 * 100 Hz and 8 kHz. Bands empty in either piece (80 dB below its loudest) and the side of mono count as equal.
 */
export function moveBetween(one: SourceAnalysis, other: SourceAnalysis): Move {
  const { bandHz } = one.spectrum
  const from = one.spectrum
  const to = other.spectrum
  const floor = Math.max(...from.midDb) - 80
  const difference = (a: readonly number[], b: readonly number[]): number[] =>
    a.map((level, i) => (level > floor && b[i]! > floor ? b[i]! - level : 0))
  const mid = difference(from.midDb, to.midDb)
  const core = mid.filter((_, b) => bandHz[b]! >= 100 && bandHz[b]! <= 8000)
  const mean = core.reduce((sum, value) => sum + value, 0) / core.length
  const isCounted = (b: number): boolean => bandHz[b]! > lowestHz && bandHz[b]! < highestHz
  const side = difference(from.sideDb, to.sideDb)
  const pick = (values: readonly number[]): number[] =>
    values.filter((_, b) => isCounted(b)).map((value) => (value === 0 ? 0 : value - mean))
  return { bandHz: bandHz.filter((_, b) => isCounted(b)), midDb: pick(mid), sideDb: pick(side) }
}

/** Mean of |difference| over all bands of mid and side, dB. */
export function distanceDb({ midDb, sideDb }: Move): number {
  const all = [...midDb, ...sideDb]
  return all.reduce((sum, value) => sum + Math.abs(value), 0) / all.length
}

/** Largest |difference| of any band of mid or side, dB. */
export function largestMoveDb({ midDb, sideDb }: Move): number {
  return Math.max(...[...midDb, ...sideDb].map(Math.abs))
}

const median = (values: readonly number[]): number => {
  const ascending = [...values].sort((one, other) => one - other)
  return ascending[Math.floor(ascending.length / 2)] ?? 0
}

/** Residual error of a match in the bands within its reach. */
export interface MatchError {
  readonly mid: number
  readonly side: number
  readonly midMost: number
  readonly sideMost: number
}

/**
 * Mean and largest error in dB after matching, in the bands whose distance was within the clamp before (6 dB in mid, 4 dB in side above 120
 * Hz), levels aligned by the median.
 */
export function errorInsideClamp(before: Move, after: Move): MatchError {
  const isCore = (b: number): boolean => before.bandHz[b]! >= 100 && before.bandHz[b]! <= 8000
  const level = median(before.midDb.filter((_, b) => isCore(b)))
  const midBands = before.midDb.map((value) => Math.abs(value - level) <= 6)
  const sideBands = before.sideDb.map((value, b) => Math.abs(value - level) <= 4 && before.bandHz[b]! >= 120)
  const levelAfter = median(after.midDb.filter((_, b) => midBands[b] && isCore(b)))
  const errors = (values: readonly number[], chosen: readonly boolean[]): number[] =>
    values.filter((_, b) => chosen[b]).map((value) => Math.abs(value - levelAfter))
  const mid = errors(after.midDb, midBands)
  const side = errors(after.sideDb, sideBands)
  const mean = (list: readonly number[]): number =>
    list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length)
  return { mid: mean(mid), side: mean(side), midMost: Math.max(0, ...mid), sideMost: Math.max(0, ...side) }
}
