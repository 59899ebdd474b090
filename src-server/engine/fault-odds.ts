import type { SourceAnalysis } from './analysis.ts'
import type { Fault } from './detectors/peak-relief.ts'
import { toneFaults } from './detectors/tone-evidence.ts'
import { faultOddsTable } from './fault-odds-table.ts'
import { clamp } from './units.ts'

/** What the odds are computed from. */
export type FaultEvidence = Pick<SourceAnalysis, 'tone' | 'width' | 'peakRelief' | 'isMono' | 'deadChannel'>

/** Natural logarithm of the odds that a piece has a fault in its usual size: 0 is even, 1.1 is 3 to 1. */
export type FaultOdds = Readonly<Record<Fault, number>>

/** The faults in the order of the table's rows. */
export const faults: readonly Fault[] = ['mud', 'harshness', 'dullness', 'narrowed', 'widened']

/** Side against mid of the widest moments (one in twenty) that counts as usual, dB: above the median of finished pieces (docs/engine.md, section 6). Stands for pieces that have no width. */
export const usualWidestDb = 2.2

const hasWidth = ({ isMono, deadChannel }: FaultEvidence): boolean => !isMono && deadChannel === null

/**
 * The numbers that the table weighs: evidence of the three faults of tone in units of their usual size, width in units of 6 dB, the squares of these four, and the
 * relief of the peaks for the five faults. All are held inside the range that music was seen to fill.
 */
export function faultFeatures(evidence: FaultEvidence): readonly number[] {
  const tone = toneFaults.map(({ kind, usualDb }) => clamp(evidence.tone[kind] / usualDb, -2, 3))
  const widestDb = hasWidth(evidence) ? evidence.width.widestDb : usualWidestDb
  const levels = [...tone, clamp(widestDb, -12, 12) / 6]
  const relief = faults.map((fault) => clamp(evidence.peakRelief[fault], -1, 1))
  return [...levels, ...levels.map((value) => value ** 2), ...relief]
}

/**
 * Returns the odds of every fault against all other explanations together (no fault, or another one): multinomial logistic regression, with which one spectrum
 * that suggests two faults has to share its probability between them. Without width (mono, dead channel) the faults of width are left out: −Infinity.
 */
export function faultOdds(evidence: FaultEvidence): FaultOdds {
  const features = faultFeatures(evidence)
  const weights = faults.map((fault, f) => {
    if ((fault === 'narrowed' || fault === 'widened') && !hasWidth(evidence)) return 0
    const [constant, ...factors] = faultOddsTable[f]!
    return Math.exp(factors.reduce((sum, factor, i) => sum + factor * features[i]!, constant!))
  })
  const total = weights.reduce((sum, weight) => sum + weight, 1)
  const odds = (fault: Fault): number => {
    const weight = weights[faults.indexOf(fault)]!
    return Math.log(weight / (total - weight))
  }
  return {
    mud: odds('mud'),
    harshness: odds('harshness'),
    dullness: odds('dullness'),
    narrowed: odds('narrowed'),
    widened: odds('widened'),
  }
}

/** Log-odds over which a correction fades in below the point from which it is whole: no cliff between two nearly equal songs. */
const fadeOdds = 0.3

/** Part of the whole correction, 0 … 1, that log-odds justify when it is whole from `from` on. */
export function certainty(logOdds: number, from: number): number {
  return rise(logOdds, from - fadeOdds, from)
}

/** Probability that belongs to log-odds. */
export function probability(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}

/** Rises from 0 at `from` to 1 at `to`, smoothly. */
export function rise(value: number, from: number, to: number): number {
  const t = clamp((value - from) / (to - from), 0, 1)
  return t * t * (3 - 2 * t)
}
