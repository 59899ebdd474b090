import type { SourceAnalysis } from './analysis.ts'
import type { Fault } from './peak-relief.ts'

/**
 * Faults of which there can be more than finished music has. There is dark and nearly mono music of every degree, and sparse music of
 * low instruments and voices has any amount of what counts as mud.
 */
export type Excess = Extract<Fault, 'harshness' | 'widened'>

/**
 * Up to where finished music has of a fault, dB: evidence of the spectrum, or width of the widest moments. None of 372 finished pieces
 * has more, but one that was widened for certain (of harshness, none whose treble is whole; docs/engine/tone.md).
 */
export const usualUpToDb: Readonly<Record<Excess, number>> = { harshness: 12.5, widened: 8 }

/** Probability that a finished piece stays below, by the rule of succession: 1 − 1 / 374. */
export const belowUsualUpTo = 0.997

/**
 * Returns by how much a piece, and each of its halves, has more of a fault than that, dB, 0 or more. This is there however the peaks
 * line up, so also in what a generator limited with the fault in it. 0 for silence.
 */
export function excessDb(analysis: SourceAnalysis, kind: Excess): number {
  const found = [analysis, ...analysis.halves].map(({ tone, width }) =>
    kind === 'widened' ? width.widestDb : tone[kind],
  )
  return Math.max(0, Math.min(...found) - usualUpToDb[kind])
}
