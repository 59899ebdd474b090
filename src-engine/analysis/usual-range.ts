import type { Fault } from './peak-relief.ts'

/**
 * Faults that can exceed the range of finished music. Dark and nearly mono music exists in every degree, and sparse music of low
 * instruments and voices has any amount of mud.
 */
export type Excess = Extract<Fault, 'harshness' | 'widened'>

/**
 * Upper limit of each fault in finished music, dB: spectral evidence, or width of the widest energy of a band. No finished piece of 372 exceeds it
 * except one that was certainly widened (for harshness, no piece with a complete treble; docs/engine/tone.md).
 */
export const usualUpToDb: Readonly<Record<Excess, number>> = { harshness: 12.5, widened: 8 }

/** Probability that a finished piece stays within the limit, by the rule of succession: 1 − 1 / 374. */
export const belowUsualUpTo = 0.997

/**
 * Returns the excess of a fault over that limit, dB, 0 or more: of its least evidence among the piece and both halves. It does not depend on
 * how the peaks line up, so it also shows in music that a generator limited with the fault in it. 0 for silence.
 */
export function excessDb(kind: Excess, evidenceDb: readonly number[]): number {
  return Math.max(0, Math.min(...evidenceDb) - usualUpToDb[kind])
}
