/** Estimate of the gain that brings a treated song to a target, from a few stretches of it. */
import type { PeakTreatment, Recipe } from '../../src-contract/recipe.ts'
import { type Audio, allocateAudio, samplePeak, sliceBlock } from '../../src-engine/dsp/block.ts'
import { lufsToMeanSquare, relativeGate } from '../../src-engine/dsp/meters/gating.ts'
import { measureLoudness } from '../../src-engine/dsp/meters/loudness.ts'
import { peakGroupFrames } from '../../src-engine/dsp/meters/true-peak.ts'
import { runAtOnce, type Steps } from '../../src-engine/dsp/steps.ts'
import { dbToGain, gainToDb } from '../../src-engine/dsp/units.ts'
import type { FinalisePlan, FinaliseTarget } from '../../src-engine/finalise/finalise.ts'
import type { LimiterSettings } from '../../src-engine/finalise/limiter.ts'
import { clippedWhole, createLimiterTrial, type FinaliseSource, solveGain } from '../../src-engine/finalise/material.ts'
import { chooseTreatments, type Treatment } from '../../src-engine/finalise/peak-treatment.ts'
import { RepeatedTreatment } from './repeated-treatment.ts'

/** Excerpts of the loud parts that are treated for the estimate, spread over the whole song. */
const STRETCHES = 6
const STRETCH_SECONDS = 0.4

/** Drives (gain less ceiling, dB) at which the loss to the limiter is measured, starting where the first peak is touched. */
const CURVE_STEP_DB = 2
const CURVE_POINTS = 9
/** Largest loss of mean loudness in a plan, LU; see `effortBudget` in the engine. */
const MOST_LOSS_LU = 6

/** Limiter settings that cost the least loudness, for targets far from the one that the current settings were chosen for. */
const PROMPT: LimiterSettings = { lookAheadMs: 1, fastReleaseMs: 0, slowRiseMs: 0, slowFallMs: 0 }
/** Loudness that the chosen treatment may cost more than the prompt one, LU. */
const DEARER_LU = 0.5

const UNTOUCHED: Recipe = { version: 1, stages: [] }

/** Treatment of peaks and the loudness that it costs, LU, by the drive: gain less ceiling, dB. */
interface Limiting extends PeakTreatment {
  readonly lossLu: (driveDb: number) => number
}

/** Change by a recipe, dB: of the loudness, and of the peaks that a limiter meets. */
interface Change {
  readonly loudnessDb: number
  readonly peaksDb: number
}
const NO_CHANGE: Change = { loudnessDb: 0, peaksDb: 0 }

/** Length of a peak measurement, s, and the loudest share that counts as high. */
const PEAK_STEP_SECONDS = 0.1
const HIGH_PART = 0.25

/** A fully measured treated song; estimates are relative to it. */
interface Basis {
  /** The song before gain and limiter. */
  readonly source: FinaliseSource
  readonly recipe: Recipe
  readonly limiting: Limiting
  /** Cost of {@link PROMPT}. */
  readonly prompt: Limiting
}

type LoudnessTarget = Pick<FinaliseTarget, 'targetLufs' | 'ceilingDbtp' | 'peaks'>

/** Estimated gain and limiter settings that bring a song to a target. */
export interface EstimatedGain {
  readonly treatedLufs: number
  readonly plan: FinalisePlan
}

/** Model of the loudness of one song under any recipe. */
export class LoudnessModel {
  readonly #treatment: RepeatedTreatment
  readonly #stretchesLufs: number
  readonly #stretchesPeaks: readonly number[]
  readonly #changes = new Map<string, Change>()
  #basis: Basis

  /** `source` is the song before its recipe, its single samples edited; the first treatment of peaks is that for `target`. */
  constructor(source: FinaliseSource, target: LoudnessTarget) {
    const stretches = loudStretches(source)
    this.#treatment = new RepeatedTreatment(stretches)
    this.#stretchesLufs = measureLoudness(stretches).integratedLufs
    this.#stretchesPeaks = peaksOf(stretches)
    const goal = { ceiling: dbToGain(target.ceilingDbtp), aimedLufs: target.targetLufs, meanReductionDb: MOST_LOSS_LU }
    const [treatment] = chooseTreatments(source, goal)
    this.#basis = runAtOnce(basisOf(source, UNTOUCHED, treatment!, target))
  }

  /**
   * Adopts a fully rendered song as the new basis: later estimates start from it and keep its limiter settings, unless its target asked
   * for them.
   */
  *learning(source: FinaliseSource, recipe: Recipe, plan: FinalisePlan, isAsked = false): Steps<void> {
    const { limiter } = this.#basis.limiting
    const { clipLimit } = plan
    const treatment = plan.limiter && !isAsked ? { limiter: plan.limiter, clipLimit } : { limiter, clipLimit: null }
    this.#basis = yield* basisOf(source, recipe, treatment, plan)
  }

  /** Returns the estimated gain that brings the song under `recipe` to a target, with the treatment of peaks that the target asks for. */
  estimate(recipe: Recipe, { targetLufs, ceilingDbtp, peaks }: LoudnessTarget): EstimatedGain {
    const { source, limiting, prompt, recipe: basis } = this.#basis
    const [change, before] = [this.#changeBy(recipe), this.#changeBy(basis)]
    const treatedLufs = source.loudness.integratedLufs + change.loudnessDb - before.loudnessDb
    const raisedDb = change.peaksDb - before.peaksDb
    const leastDb = targetLufs - treatedLufs
    const clipLimitDb = (clipAboveDb: number) => ceilingDbtp + clipAboveDb - leastDb
    const reach = (known: Limiting) => {
      const lossLu = (gainDb: number) => known.lossLu(gainDb + raisedDb - ceilingDbtp)
      const atGain = (gainDb: number) => treatedLufs + gainDb - lossLu(gainDb)
      const capDb = leastDb + MOST_LOSS_LU
      const wanted = solveGain(atGain, targetLufs, leastDb, capDb, 0.01)
      if (lossLu(wanted.gainDb) <= MOST_LOSS_LU) return { ...wanted, known, lossLu: lossLu(wanted.gainDb) }
      const { gainDb } = solveGain(lossLu, MOST_LOSS_LU, wanted.gainDb - 2, capDb, 0.02)
      return { gainDb, value: atGain(gainDb), slope: wanted.slope, known, lossLu: lossLu(gainDb) }
    }
    const reachAsked = (asked: PeakTreatment) => {
      const clipDb = asked.clipAboveDb === null ? null : clipLimitDb(asked.clipAboveDb) - raisedDb
      return reach({ ...asked, lossLu: lossOf(source, asked.limiter, clipDb === null ? null : dbToGain(clipDb)) })
    }
    const reachChosen = () => {
      const [asChosen, atLeast] = [reach(limiting), reach(prompt)]
      return asChosen.gainDb <= atLeast.gainDb + DEARER_LU ? asChosen : atLeast
    }
    const wanted = peaks ? reachAsked(peaks) : reachChosen()
    const { clipAboveDb, limiter } = wanted.known
    const plan: FinalisePlan = {
      gainDb: wanted.gainDb,
      ceilingDbtp,
      promisedCeilingDbtp: ceilingDbtp,
      targetLufs,
      clipLimit: clipAboveDb === null ? null : dbToGain(clipLimitDb(clipAboveDb)),
      clipAboveDb,
      clipBudgetDb: 0,
      limiter,
      integratedLufs: wanted.value,
      verdict: wanted.value < targetLufs - 0.05 ? 'below_target' : 'on_target',
      meanGainReductionDb: wanted.lossLu,
      loudnessSlope: wanted.slope,
    }
    return { treatedLufs, plan }
  }

  /** Change by a recipe, as heard on the stretches. */
  #changeBy(recipe: Recipe): Change {
    if (recipe.stages.length === 0) return NO_CHANGE
    const key = JSON.stringify(recipe.stages)
    const change = this.#changes.get(key) ?? this.#measureChange(recipe)
    this.#changes.set(key, change)
    return change
  }

  #measureChange(recipe: Recipe): Change {
    const treated = this.#treatment.treat(recipe)
    const loudnessDb = measureLoudness(treated).integratedLufs - this.#stretchesLufs
    const peaks = peaksOf(treated)
    // Only peaks that reach the limiter count, so quiet excerpts are left out.
    const gate = this.#stretchesPeaks.toSorted().at(-Math.ceil(HIGH_PART * peaks.length)) ?? 0
    const changesDb = peaks.flatMap((peak, i) => {
      const before = this.#stretchesPeaks[i]!
      return before > 0 && before >= gate ? [gainToDb(peak / before)] : []
    })
    const peaksDb = changesDb.reduce((sum, db) => sum + db, 0) / changesDb.length
    return Number.isFinite(loudnessDb) && Number.isFinite(peaksDb) ? { loudnessDb, peaksDb } : NO_CHANGE
  }
}

/** Highest sample of each step of the audio, linear. */
function peaksOf(audio: Audio): number[] {
  const frames = Math.round(PEAK_STEP_SECONDS * audio.sampleRateHz)
  return Array.from({ length: Math.floor(audio.frames / frames) }, (_, step) =>
    samplePeak(sliceBlock(audio, step * frames, (step + 1) * frames)),
  )
}

/** Joins excerpts of the song that count in its loudness, evenly spaced; a short song is used whole. */
function loudStretches({ audio, energies, loudness, sampleRateHz }: FinaliseSource): Audio {
  const groups = Math.round((STRETCH_SECONDS * sampleRateHz) / peakGroupFrames)
  const count = Math.floor(energies.length / groups)
  if (count <= STRETCHES) return audio
  const gate = (lufsToMeanSquare(loudness.integratedLufs) / relativeGate) * groups * peakGroupFrames
  const loud = Array.from({ length: count }, (_, i) => i).filter((i) => sumOf(energies, i * groups, groups) >= gate)
  const taken = Math.min(STRETCHES, loud.length)
  const frames = groups * peakGroupFrames
  const joined = allocateAudio(2, taken * frames, sampleRateHz)
  for (let k = 0; k < taken; k++) {
    const first = loud[Math.floor(((k + 0.5) / taken) * loud.length)]! * frames
    for (const [c, samples] of audio.channels.entries())
      joined.channels[c]!.set(samples.subarray(first, first + frames), k * frames)
  }
  return joined
}

function sumOf(values: Float32Array, first: number, count: number): number {
  let sum = 0
  for (let i = first; i < first + count; i++) sum += values[i]!
  return sum
}

/** Measures a treated song with a treatment of its peaks. */
function* basisOf(
  source: FinaliseSource,
  recipe: Recipe,
  { limiter, clipLimit }: Pick<Treatment, 'limiter' | 'clipLimit'>,
  { targetLufs, ceilingDbtp }: LoudnessTarget,
): Steps<Basis> {
  const leastDb = targetLufs - source.loudness.integratedLufs
  const clipAboveDb = clipLimit === null ? null : gainToDb(clipLimit) + leastDb - ceilingDbtp
  const limiting = { limiter, clipAboveDb, lossLu: yield* lossCurve(source, limiter, clipLimit) }
  const prompt = { limiter: PROMPT, clipAboveDb: null, lossLu: yield* lossCurve(source, PROMPT, null) }
  return { source, recipe, limiting, prompt }
}

/** Returns the loss to limiter and clipper (linear; null: none), measured at the drive that is asked for. */
function lossOf(source: FinaliseSource, limiter: LimiterSettings, clipLimit: number | null): Limiting['lossLu'] {
  const trial = createLimiterTrial(clippedWhole(source, clipLimit), 1, limiter)
  return (driveDb) => Math.max(0, source.loudness.integratedLufs + driveDb - trial.lufsAt(driveDb))
}

/** Measures the same at some drives: between them it goes in straight lines, behind the last one along the last two. */
function* lossCurve(
  source: FinaliseSource,
  limiter: LimiterSettings,
  clipLimit: number | null,
): Steps<Limiting['lossLu']> {
  const exact = lossOf(source, limiter, clipLimit)
  const firstDriveDb = -gainToDb(highest(clippedWhole(source, clipLimit).peaks))
  const lossLu = [exact(firstDriveDb)]
  while (lossLu.length < CURVE_POINTS) {
    yield
    lossLu.push(exact(firstDriveDb + lossLu.length * CURVE_STEP_DB))
  }
  return (driveDb) => {
    const place = (driveDb - firstDriveDb) / CURVE_STEP_DB
    if (place <= 0) return lossLu[0]!
    const at = Math.min(lossLu.length - 2, Math.floor(place))
    return lossLu[at]! + (place - at) * (lossLu[at + 1]! - lossLu[at]!)
  }
}

function highest(values: Float32Array): number {
  let most = 0
  for (const value of values) if (value > most) most = value
  return most
}
