import { dbToPower, powerToDb } from '../units.ts'
import { type BandLevels, levelDb } from './spectrum.ts'

/** Side this far above mid, dB: correlation −0.9. */
const oppositePhaseDb = 12

/**
 * Returns true for channels whose side lies so far above their mid that they are in opposite phase, which no gain of mid or side mends; null is
 * silence or mono.
 */
export function isOppositePhase(sideAgainstMidDb: number | null): boolean {
  return sideAgainstMidDb !== null && sideAgainstMidDb > oppositePhaseDb
}

/** Level of side against mid over all bands, dB; −200 for mono and for silence. */
export function sideToMidDb({ midDb, sideDb }: BandLevels): number {
  const power = (levels: readonly number[]): number => levels.reduce((sum, level) => sum + dbToPower(level), 0)
  const mid = power(midDb)
  const side = power(sideDb)
  return side < mid * 1e-20 || mid === 0 ? -200 : levelDb(side / mid)
}

/**
 * Loss of music whose side lies that far above its mid when the two channels are added to one, dB: 0 for mono, 3 for unrelated
 * channels.
 */
export function foldDownLossDb(sideAgainstMidDb: number): number {
  return powerToDb(1 + dbToPower(sideAgainstMidDb))
}
