import { dbToPower, powerToDb } from '../units.ts'
import { type BandLevels, levelDb } from './spectrum.ts'

/** Side this far above mid, dB: correlation −0.9. */
const oppositePhaseDb = 12

/**
 * Returns true if the side lies so far above the mid that the channels are in opposite phase, which no gain of mid or side can correct;
 * null stands for silence or mono.
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

/** Loss of level when music with this side-to-mid ratio is summed to mono, dB: 0 for mono, 3 for unrelated channels. */
export function foldDownLossDb(sideAgainstMidDb: number): number {
  return powerToDb(1 + dbToPower(sideAgainstMidDb))
}
