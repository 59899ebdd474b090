import { clamp, rise } from '../dsp/units.ts'
import type { SourceAnalysis } from './analysis.ts'
import { faultClassifierTable } from './fault-classifier-table.ts'
import type { Fault, FaultRelief } from './peak-relief.ts'
import { toneFaults } from './tone-evidence.ts'

/** Input of the fault classifier. */
export type FaultEvidence = Pick<SourceAnalysis, 'tone' | 'width' | 'peakRelief' | 'isMono' | 'deadChannel'>

/** Natural logarithm of the odds that a piece has a fault in its usual size: 0 is even, 1.1 is 3 to 1. */
export type FaultOdds = Readonly<Record<Fault, number>>

/** The faults in the order of the table's rows. */
export const faults: readonly Fault[] = ['mud', 'harshness', 'dullness', 'narrowed', 'widened']

/**
 * Side against mid of the widest moments (one in twenty) that counts as usual, dB: above the median of finished pieces
 * (docs/engine/dynamics.md). Assumed for pieces without width.
 */
export const usualWidestDb = 2.2

const hasWidth = ({ isMono, deadChannel }: FaultEvidence): boolean => !isMono && deadChannel === null

/** Crest below this: certainly limited; above the second: certainly not, dB. */
const limitedDb = 1
const unlimitedDb = 2.5

/** Smallest change of the edges that is evidence, whatever their balance. */
const leastEdge = 0.03

/**
 * Steadiness of the edge's sharpening from the fault applied once more to the fault undone, whatever the size of the changes: 1 if it
 * sharpens all the way, about 0 if it is sharpest as it stands or does not move.
 */
function edgeTrend({ edge, edgeAgain }: FaultRelief): number {
  return (edge + edgeAgain) / (Math.abs(edge) + Math.abs(edgeAgain) + leastEdge)
}

/**
 * Features that the table weighs: evidence of the three faults of tone in units of their usual size, width in units of 6 dB, and the
 * squares of these four; the relief of the crest for the five faults; how far the piece was limited, 0 … 1; and, in that measure, crest,
 * edges and their trend for the five faults, since the edges of unlimited peaks are not evidence. All are clamped to the range observed in
 * music.
 */
export function faultFeatures(evidence: FaultEvidence): readonly number[] {
  const tone = toneFaults.map(({ kind, usualDb }) => clamp(evidence.tone[kind] / usualDb, -2, 3))
  const widestDb = hasWidth(evidence) ? evidence.width.widestDb : usualWidestDb
  const levels = [...tone, clamp(widestDb, -12, 12) / 6]
  const { crestDb, faults: reliefs } = evidence.peakRelief
  const limited = clamp((unlimitedDb - crestDb) / (unlimitedDb - limitedDb), 0, 1)
  const relief = faults.map((fault): FaultRelief => {
    const { crest, edge, edgeAgain } = reliefs[fault]
    return { crest: clamp(crest, -1, 1), edge: clamp(edge, -1, 1), edgeAgain: clamp(edgeAgain, -1, 1) }
  })
  const crest = relief.map((each) => each.crest)
  const levelled = [
    ...crest,
    ...relief.map(({ edge }) => edge),
    ...relief.map(({ edgeAgain }) => edgeAgain),
    ...relief.map(edgeTrend),
  ]
  return [
    ...levels,
    ...levels.map((value) => value ** 2),
    ...crest,
    limited,
    ...levelled.map((value) => value * limited),
  ]
}

/**
 * Returns the odds of every fault against all other explanations together (no fault, or another one). Multinomial logistic regression makes
 * a spectrum that suggests two faults share its probability between them. Without width (mono, dead channel) the faults of width are left
 * out: −Infinity.
 */
export function faultOdds(evidence: FaultEvidence): FaultOdds {
  const features = faultFeatures(evidence)
  const weights = faults.map((fault, f) => {
    if ((fault === 'narrowed' || fault === 'widened') && !hasWidth(evidence)) return 0
    const [constant, ...factors] = faultClassifierTable[f]!
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

/** Log-odds that begin and complete the treatment of a fault: probabilities of 0.9 and 0.95. */
const certainFrom = Math.log(9)
const certainTo = Math.log(19)

/** Log-odds for a half of a song to begin to confirm a fault, even odds, and to confirm it wholly, 3 to 1. */
const agreesFrom = 0
const agreesTo = Math.log(3)

/** Part of the whole correction, 0 to 1, that log-odds justify. */
export function certainty(logOdds: number): number {
  return rise(logOdds, certainFrom, certainTo)
}

/** Verdict on a fault. */
export interface Verdict {
  readonly logOdds: number
  /** Lowest log-odds among the whole piece and its halves. */
  readonly leastLogOdds: number
  /** Justified part of the whole correction, 0 to 1: by the whole piece, as far as both halves agree. */
  readonly certainty: number
}

/**
 * Returns the verdict on every fault: justified by the odds of the whole piece and limited by each half. A fault found in only one half is
 * not the song's.
 */
export function faultVerdicts(
  piece: FaultEvidence & { readonly halves: readonly Omit<FaultEvidence, 'isMono' | 'deadChannel'>[] },
): Readonly<Record<Fault, Verdict>> {
  const { isMono, deadChannel, halves } = piece
  const whole = faultOdds(piece)
  const ofHalves = halves.map((half) => faultOdds({ ...half, isMono, deadChannel }))
  const verdict = (fault: Fault): Verdict => {
    const agreement = ofHalves.map((odds) => rise(odds[fault], agreesFrom, agreesTo))
    return {
      logOdds: whole[fault],
      leastLogOdds: Math.min(whole[fault], ...ofHalves.map((odds) => odds[fault])),
      certainty: Math.min(certainty(whole[fault]), ...agreement),
    }
  }
  return {
    mud: verdict('mud'),
    harshness: verdict('harshness'),
    dullness: verdict('dullness'),
    narrowed: verdict('narrowed'),
    widened: verdict('widened'),
  }
}

/** Probability for log-odds. */
export function probability(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}
