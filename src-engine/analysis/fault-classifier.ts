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
 * (docs/engine/dynamics.md). Stands for pieces that have no width.
 */
export const usualWidestDb = 2.2

const hasWidth = ({ isMono, deadChannel }: FaultEvidence): boolean => !isMono && deadChannel === null

/** Crest below which a piece was limited for certain, and above which it was not, dB. */
const limitedDb = 1
const unlimitedDb = 2.5

/** Edges that change less than this are no evidence, however they are balanced. */
const leastEdge = 0.03

/**
 * Steadiness with which the edge grows sharper on the way from the fault put in once more to the fault undone, whatever the size of
 * these changes: 1 where it does, about 0 where it is sharpest as it is, and where nothing moves it.
 */
function edgeTrend({ edge, edgeAgain }: FaultRelief): number {
  return (edge + edgeAgain) / (Math.abs(edge) + Math.abs(edgeAgain) + leastEdge)
}

/**
 * The numbers that the table weighs: evidence of the three faults of tone in units of their usual size, width in units of 6 dB, and
 * the squares of these four; the relief of the crest for the five faults; how far the piece was limited, 0 … 1; and, in that
 * measure, crest, edges and their trend for the five faults: the edges of peaks that no limiter has levelled are no evidence. All are
 * held inside the range that music was seen to fill.
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
 * Returns the odds of every fault against all other explanations together (no fault, or another one): multinomial logistic
 * regression, with which one spectrum that suggests two faults has to share its probability between them. Without width (mono, dead
 * channel) the faults of width are left out: −Infinity.
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

/** Log-odds from which a fault is certain enough to be treated, a probability of 0.9, and from which it is treated whole: 0.95. */
const certainFrom = Math.log(9)
const certainTo = Math.log(19)

/** Log-odds that a half of a song needs for a fault to be found in it too: from even odds on, wholly at 3 to 1. */
const agreesFrom = 0
const agreesTo = Math.log(3)

/** Part of the whole correction, 0 to 1, that log-odds justify. */
export function certainty(logOdds: number): number {
  return rise(logOdds, certainFrom, certainTo)
}

/** Verdict on a fault. */
export interface Verdict {
  readonly logOdds: number
  /** The least of those of the whole piece and of its halves. */
  readonly leastLogOdds: number
  /** Part of the whole correction that is justified, 0 to 1: of the whole piece, as far as either half agrees. */
  readonly certainty: number
}

/**
 * Returns the verdict on every fault: what the odds of the whole piece justify, no more than either of its halves bears out. A fault
 * that only one half has is none of the song.
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

/** Probability that belongs to log-odds. */
export function probability(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds))
}
