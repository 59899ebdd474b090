/** Closed-loop loudness targeting: the loudness is predicted from group energies and checked on samples, and the gain follows. */

import { lufsToMeanSquare, relativeGate } from '../dsp/meters/gating.ts'
import { powerToDb } from '../dsp/units.ts'
import { measureRendered, sumSteps } from './check.ts'
import {
  blockMeans,
  clippedWhole,
  createLimiterTrial,
  type FinaliseSource,
  type LimiterTrial,
  type LoudnessGoal,
  type Material,
  type Solution,
  solveGain,
  stepBounds,
} from './material.ts'
import type { Treatment } from './peak-treatment.ts'

/** Tolerance of predictions, LU: their error is measured afterwards. */
const predictionToleranceLu = 0.01

/** Brings a song to a goal with the first treatment to reach it, or else with the closest. */
export function reachWithBest(
  source: FinaliseSource,
  treatments: readonly Treatment[],
  goal: LoudnessGoal,
): { readonly attempt: Attempt; readonly reached: Reached } {
  let best: { attempt: Attempt; reached: Reached | null; lufs: number } | null = null
  for (const treatment of treatments) {
    const attempt = predict(source, treatment, goal)
    const reached = attempt.isReductionShort ? null : reachLoudness(source, attempt, goal)
    if (reached !== null && !reached.isReductionShort) return { attempt, reached }
    const lufs = reached?.integratedLufs ?? attempt.solution.value
    if (best === null || lufs > best.lufs) best = { attempt, reached, lufs }
  }
  const { attempt, reached } = best!
  return { attempt, reached: reached ?? reachLoudness(source, attempt, goal) }
}

/** Prediction for a treatment: the target loudness, or less if the mean reduction of the loud parts would exceed its budget. */
export interface Attempt {
  readonly treatment: Treatment
  readonly clipLimit: number | null
  readonly material: Material
  /** Stands at the solution's gain. */
  readonly trial: LimiterTrial
  /** Its value is the predicted loudness. */
  readonly solution: Solution
  readonly isReductionShort: boolean
}

function predict(source: FinaliseSource, treatment: Treatment, goal: LoudnessGoal): Attempt {
  const { ceiling, aimedLufs } = goal
  const { clipLimit } = treatment
  const material = clippedWhole(source, clipLimit)
  const trial = createLimiterTrial(material, ceiling, treatment.limiter)
  const capDb = highestGainDb(source, goal)
  const wanted = solveGain((gainDb) => trial.lufsAt(gainDb), aimedLufs, treatment.gainDb, capDb, predictionToleranceLu)
  const solution = withinReduction(source, trial, wanted, goal)
  return { treatment, clipLimit, material, trial, solution, isReductionShort: solution !== wanted }
}

function highestGainDb(source: FinaliseSource, { aimedLufs, meanReductionDb }: LoudnessGoal): number {
  return aimedLufs - source.loudness.integratedLufs + meanReductionDb + 6
}

const reductionToleranceDb = 0.05

/** Returns `wanted`, or the highest gain within the budget if `wanted` reduces the loud parts too much on average. */
function withinReduction(source: FinaliseSource, trial: LimiterTrial, wanted: Solution, goal: LoudnessGoal): Solution {
  const mostDb = goal.meanReductionDb
  const reductionDb = meanReductionDb(source, trial.stepEnergies)
  if (reductionDb <= mostDb + reductionToleranceDb) return wanted
  let lufs = wanted.value
  const reductionAt = (gainDb: number): number => {
    lufs = trial.lufsAt(gainDb)
    return meanReductionDb(source, trial.stepEnergies)
  }
  const startDb = wanted.gainDb - (reductionDb - mostDb)
  const { gainDb } = solveGain(reductionAt, mostDb, startDb, wanted.gainDb, 0.02)
  return { gainDb, value: lufs, slope: wanted.slope }
}

/** Reached loudness and its cost, measured on samples. */
export interface Reached {
  readonly gainDb: number
  readonly integratedLufs: number
  /** LU per dB of gain there. */
  readonly slope: number
  /** Mean loss of level over the loud 400 ms blocks. */
  readonly reductionDb: number
  /** True if the budget of mean reduction ended the search. */
  readonly isReductionShort: boolean
}

/** Checks a prediction on samples and moves the gain until they reach the goal, unless the reduction budget has already ended the climb. */
function reachLoudness(source: FinaliseSource, attempt: Attempt, goal: LoudnessGoal): Reached {
  const { trial, clipLimit } = attempt
  const measureAt: Measure = (gainDb, how) => measureRendered(source, clipLimit, trial, gainDb, how)
  const verified = attempt.isReductionShort
    ? { ...attempt.solution, value: measureAt(attempt.solution.gainDb) }
    : verifyOnSamples(source, attempt, goal, measureAt)
  const solution = withinReduction(source, trial, verified, goal)
  const isCut = solution !== verified
  return {
    gainDb: solution.gainDb,
    integratedLufs: isCut ? measureAt(solution.gainDb) : solution.value,
    slope: solution.slope,
    // Limiting inaudible content can add audible distortion; a gain in loudness does not count as reduction.
    reductionDb: Math.max(0, meanReductionDb(source, trial.stepEnergies)),
    isReductionShort: attempt.isReductionShort || isCut,
  }
}

/** Mean loss of level over the loud 400 ms blocks, dB, given the output's step energies at input gain 0 dB. */
function meanReductionDb(source: FinaliseSource, after: Float64Array): number {
  const { means, loudFrom } = untouchedBlocks(source)
  const limited = blockMeans(after, source.sampleRateHz)
  let sum = 0
  let count = 0
  for (let i = 0; i < means.length; i++) {
    if (means[i]! < loudFrom) continue
    sum += powerToDb(means[i]! / limited[i]!)
    count++
  }
  return count === 0 ? 0 : sum / count
}

/** The untouched song in 400 ms blocks. */
interface Blocks {
  readonly means: Float64Array
  /** Least mean square of a block in the loud parts. */
  readonly loudFrom: number
}

const knownBlocks = new WeakMap<Float32Array, Blocks>()

/**
 * Fewest blocks of the loud parts (3 s, as for short-term loudness), and their least share of a short song, as far as the integrated
 * loudness counts that many. A knock in a quiet recording raises the loudness above all the music and would otherwise be the only loud
 * part.
 */
const fewestLoudBlocks = 30
const fewestLoudPart = 0.1

/** Blocks of the untouched song, computed once as the reference for every trial gain. */
function untouchedBlocks({ energies, peaks, sampleRateHz, loudness }: FinaliseSource): Blocks {
  const known = knownBlocks.get(energies)
  if (known !== undefined) return known
  const means = blockMeans(sumSteps(energies, stepBounds(peaks.length, sampleRateHz)), sampleRateHz)
  const fewest = Math.ceil(Math.min(fewestLoudBlocks, fewestLoudPart * means.length))
  const least = means.toSorted().at(-fewest) ?? 0
  const integrated = lufsToMeanSquare(loudness.integratedLufs)
  const blocks = { means, loudFrom: least * relativeGate > integrated ? Math.min(integrated, least) : integrated }
  knownBlocks.set(energies, blocks)
  return blocks
}

/**
 * Most rounds of correction; each measures touched samples. Music needs at most three; a steady tone that rises by a fifth of its gain
 * needs nine.
 */
const mostRounds = 12

/** Measures the integrated loudness at the trial's current gain, LUFS. */
type Measure = (gainDb: number, how?: 'whole' | 'estimate') => number

/** Largest error on the sample, LU, for a prediction to be trusted at unmeasured places. */
const smallBiasLu = 0.1

/** Renders, measures and moves the gain until the samples have the target loudness or the budget is spent. */
function verifyOnSamples(
  source: FinaliseSource,
  { trial, solution: first }: Attempt,
  goal: LoudnessGoal,
  measureAt: Measure,
): Solution {
  const capDb = highestGainDb(source, goal)
  const lufsAt = (gainDb: number) => trial.lufsAt(gainDb)
  let solution = first
  for (let round = 0; ; round++) {
    const measured = measureAt(solution.gainDb, round === 0 ? 'estimate' : 'whole')
    const bias = measured - solution.value
    const isCertain = round > 0 || Math.abs(bias) <= smallBiasLu
    const isCapped = solution.gainDb >= capDb - 1e-6 && measured < goal.aimedLufs
    const isReached = isCertain && Math.abs(measured - goal.aimedLufs) <= 0.015
    if (isReached || round === mostRounds || isCapped) return { ...solution, value: measured }
    const { gainDb, slope } = solution
    const next = solveGain(lufsAt, goal.aimedLufs - bias, gainDb, capDb, predictionToleranceLu, slope)
    const isNear = isCertain && Math.abs(next.gainDb - gainDb) < 0.25
    const isAffordable = meanReductionDb(source, trial.stepEnergies) <= goal.meanReductionDb + reductionToleranceDb
    solution = next
    if (isNear || !isAffordable) return { ...solution, value: solution.value + bias }
  }
}
