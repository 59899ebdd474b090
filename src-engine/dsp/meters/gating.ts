/** Scale and gates of programme loudness: ITU-R BS.1770-5, Annex 1. */
import { dbToPower, powerToDb } from '../units.ts'

/** Offset of BS.1770: 997 Hz at full scale in one channel reads −3.01. */
const offsetLufs = -0.691
/** Absolute gate: softer blocks do not count. */
export const absoluteGateLufs = -70
/** Relative gate, 10 LU: blocks whose mean square is this many times below the mean of the others do not count. */
export const relativeGate = 10

/** Loudness in LUFS of a mean square of the K-weighted channels' sum; 0 gives −Infinity. */
export function meanSquareToLufs(meanSquare: number): number {
  return offsetLufs + powerToDb(meanSquare)
}

/** The inverse of {@link meanSquareToLufs}. */
export function lufsToMeanSquare(lufs: number): number {
  return dbToPower(lufs - offsetLufs)
}

/**
 * Gated loudness in LUFS of the mean squares of 400 ms blocks at 100 ms hop: blocks above −70 LUFS, then those above the mean of
 * these −10 LU (BS.1770-5 Annex 1). −Infinity when no block passes.
 */
export function gatedLufs(meanSquares: Float64Array): number {
  const mean = (threshold: number): number => {
    let sum = 0
    let count = 0
    for (const value of meanSquares) {
      if (value > threshold) {
        sum += value
        count++
      }
    }
    return count === 0 ? 0 : sum / count
  }
  const absolute = lufsToMeanSquare(absoluteGateLufs)
  const ungated = mean(absolute)
  return ungated === 0 ? -Infinity : meanSquareToLufs(mean(Math.max(absolute, ungated / relativeGate)))
}
