import { powerOfTen } from '../units.ts'
import { type BandLevels, levelDb } from './spectrum.ts'

/** Side this far above mid, dB: the channels are in opposite phase (correlation −0.9), which no gain of mid or side mends. */
export const oppositePhaseDb = 12

/** Level of side against mid over all bands, dB; −200 for mono and for silence. */
export function sideToMidDb({ midDb, sideDb }: BandLevels): number {
  const power = (levels: readonly number[]): number => levels.reduce((sum, level) => sum + powerOfTen(level / 10), 0)
  const mid = power(midDb)
  const side = power(sideDb)
  return side < mid * 1e-20 || mid === 0 ? -200 : levelDb(side / mid)
}

/** What a band loses when the two channels are added to one, dB (0 for mono, 3 for unrelated channels). */
export function foldDownLossDb(sideToMid: number): number {
  return 10 * Math.log10(1 + powerOfTen(sideToMid / 10))
}
