/** Estimate of the gain that brings a treated song to a target, from a few stretches of it. */
import type { Recipe } from '../../src-contract/recipe.ts'
import { type Audio, allocateAudio, samplePeak, sliceBlock } from '../../src-engine/dsp/block.ts'
import { lufsToMeanSquare, relativeGate } from '../../src-engine/dsp/meters/gating.ts'
import { type Loudness, measureLoudness } from '../../src-engine/dsp/meters/loudness.ts'
import { peakGroupFrames } from '../../src-engine/dsp/meters/true-peak.ts'
import { runAtOnce, type Steps } from '../../src-engine/dsp/steps.ts'
import { dbToGain, gainToDb } from '../../src-engine/dsp/units.ts'
import type { FinalisePlan, FinaliseTarget } from '../../src-engine/finalise/finalise.ts'
import type { LimiterSettings } from '../../src-engine/finalise/limiter.ts'
import {
  clippedWhole,
  createLimiterTrial,
  type FinaliseSource,
  type Material,
  solveGain,
} from '../../src-engine/finalise/material.ts'
import { chooseTreatments } from '../../src-engine/finalise/peak-treatment.ts'
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

/** Treatment of peaks and the loudness that it costs by the drive. */
interface Limiting {
  readonly limiter: LimiterSettings
  /** Distance of the clipper above the ceiling after the gain, dB; null without one. */
  readonly clipAboveDb: number | null
  /** Drive of the first point: gain less ceiling, dB. */
  readonly firstDriveDb: number
  readonly lossLu: readonly number[]
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
  /** Loudness before gain and limiter, LUFS. */
  readonly lufs: number
  readonly recipe: Recipe
  readonly limiting: Limiting
  /** Cost of {@link PROMPT}. */
  readonly prompt: Limiting
}

type LoudnessTarget = Pick<FinaliseTarget, 'targetLufs' | 'ceilingDbtp'>

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
    const { limiter, clipLimit, gainDb } = treatment!
    const clipAboveDb = clipDistanceDb({ clipLimit, gainDb, ceilingDbtp: target.ceilingDbtp })
    this.#basis = runAtOnce(basisOf(source, UNTOUCHED, { limiter, clipLimit, clipAboveDb }))
  }

  /** Adopts a fully rendered song as the new basis: later estimates start from it and keep its limiter settings. */
  *learning(source: FinaliseSource, recipe: Recipe, plan: FinalisePlan): Steps<void> {
    const limiter = plan.limiter ?? this.#basis.limiting.limiter
    const { clipLimit } = plan
    this.#basis = yield* basisOf(source, recipe, { limiter, clipLimit, clipAboveDb: clipDistanceDb(plan) })
  }

  /** Returns the estimated gain that brings the song under `recipe` to a target. */
  estimate(recipe: Recipe, { targetLufs, ceilingDbtp }: LoudnessTarget): EstimatedGain {
    const { lufs, limiting, prompt, recipe: basis } = this.#basis
    const [change, before] = [this.#changeBy(recipe), this.#changeBy(basis)]
    const treatedLufs = lufs + change.loudnessDb - before.loudnessDb
    const raisedDb = change.peaksDb - before.peaksDb
    const reach = (known: Limiting) => {
      const lossLu = (gainDb: number) => lossAt(known, gainDb + raisedDb - ceilingDbtp)
      const atGain = (gainDb: number) => treatedLufs + gainDb - lossLu(gainDb)
      const leastDb = targetLufs - treatedLufs
      const solution = solveGain(atGain, targetLufs, leastDb, leastDb + MOST_LOSS_LU, 0.01)
      return { ...solution, known, lossLu: lossLu(solution.gainDb) }
    }
    const [asChosen, atLeast] = [reach(limiting), reach(prompt)]
    const wanted = asChosen.gainDb <= atLeast.gainDb + DEARER_LU ? asChosen : atLeast
    const { clipAboveDb, limiter } = wanted.known
    const plan: FinalisePlan = {
      gainDb: wanted.gainDb,
      ceilingDbtp,
      promisedCeilingDbtp: ceilingDbtp,
      targetLufs,
      clipLimit: clipAboveDb === null ? null : dbToGain(ceilingDbtp + clipAboveDb - wanted.gainDb),
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

/** Distance of a clipper above the ceiling after the gain, dB; null without one. */
function clipDistanceDb({
  clipLimit,
  gainDb,
  ceilingDbtp,
}: Pick<FinalisePlan, 'clipLimit' | 'gainDb' | 'ceilingDbtp'>): number | null {
  return clipLimit === null ? null : gainToDb(clipLimit) + gainDb - ceilingDbtp
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

/** Measures a treated song with the given limiter settings. */
function* basisOf(
  source: FinaliseSource,
  recipe: Recipe,
  {
    clipLimit,
    limiter,
    clipAboveDb,
  }: Pick<Limiting, 'limiter' | 'clipAboveDb'> & { readonly clipLimit: number | null },
): Steps<Basis> {
  const { loudness } = source
  const known = yield* limiting(clippedWhole(source, clipLimit), loudness, { limiter, clipAboveDb })
  const prompt = yield* limiting(source, loudness, { limiter: PROMPT, clipAboveDb: null })
  return { lufs: loudness.integratedLufs, recipe, limiting: known, prompt }
}

/** Measures the limiter's loss on already clipped material at each drive. */
function* limiting(
  material: Material,
  { integratedLufs }: Loudness,
  treatment: Pick<Limiting, 'limiter' | 'clipAboveDb'>,
): Steps<Limiting> {
  const trial = createLimiterTrial(material, 1, treatment.limiter)
  const firstDriveDb = -gainToDb(highest(material.peaks))
  const lossLu = [Math.max(0, integratedLufs + firstDriveDb - trial.lufsAt(firstDriveDb))]
  while (lossLu.length < CURVE_POINTS) {
    yield
    const driveDb = firstDriveDb + lossLu.length * CURVE_STEP_DB
    lossLu.push(Math.max(0, integratedLufs + driveDb - trial.lufsAt(driveDb)))
  }
  return { ...treatment, firstDriveDb, lossLu }
}

function highest(values: Float32Array): number {
  let most = 0
  for (const value of values) if (value > most) most = value
  return most
}

/** Loss at a drive, LU: between the points in straight lines, behind the last one along the last two. */
function lossAt({ firstDriveDb, lossLu }: Limiting, driveDb: number): number {
  const place = (driveDb - firstDriveDb) / CURVE_STEP_DB
  if (place <= 0) return lossLu[0]!
  const at = Math.min(lossLu.length - 2, Math.floor(place))
  return lossLu[at]! + (place - at) * (lossLu[at + 1]! - lossLu[at]!)
}
