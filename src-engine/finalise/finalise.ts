import type { PeakTreatment } from '../../src-contract/recipe.ts'
import { type Audio, type AudioBlock, allocateBlock, allocateShared, sliceBlock } from '../dsp/block.ts'
import { kernelFrames } from '../dsp/kernels/kernels.ts'
import { createEnergyFilter, loudnessOfGroups } from '../dsp/meters/loudness.ts'
import { peakGroupFrames, peakSteps } from '../dsp/meters/true-peak.ts'
import { runAtOnce, type Steps } from '../dsp/steps.ts'
import { clamp, dbToGain, gainToDb, mix } from '../dsp/units.ts'
import { clipKnee } from './clipper.ts'
import { applyControls, controlCount, type LimiterSettings, limiterControls } from './limiter.ts'
import { clippedFrames, clippedWhole, type FinaliseSource, stepBounds } from './material.ts'
import { offsetOf, type ResultOffset, stepSumsOf, subtractOffset, wholeStepsFrames } from './offset.ts'
import { chooseTreatments, steadyLimiter } from './peak-treatment.ts'
import { reachWithBest } from './targeting.ts'

/** Loudness target and ceiling of a master. */
export interface FinaliseTarget {
  readonly targetLufs: number
  readonly ceilingDbtp: number
  /** Dynamics that may be given up for the target, 0 … 100; see {@link effortBudget}. */
  readonly intensity: number
  /** Requested treatment of peaks; chosen by trials when absent. */
  readonly peaks?: PeakTreatment | undefined
}

/** Gain, clipper and limiter of a master, and their cost. Plain values: survives JSON and postMessage. */
export interface FinalisePlan {
  /** Gain of the whole song before clipper and limiter. */
  readonly gainDb: number
  /** Level the limiter holds: the promised ceiling less a margin and the trims of {@link trimFinalise}. */
  readonly ceilingDbtp: number
  /** The promised ceiling. */
  readonly promisedCeilingDbtp: number
  readonly targetLufs: number
  /** Level of the soft clipper, linear, relative to the untouched song; null: no clipper. */
  readonly clipLimit: number | null
  /** The same above the ceiling at the gain that would reach the target without limiting, dB. */
  readonly clipAboveDb: number | null
  /** Reduction of the highest peak by the clipper, dB; 0 without clipper. */
  readonly clipBudgetDb: number
  /** null: nothing exceeds the ceiling, so only the gain is applied. */
  readonly limiter: LimiterSettings | null
  /** Loudness of the planned master; −Infinity for silence. */
  readonly integratedLufs: number
  readonly verdict: 'on_target' | 'below_target'
  /** Reason for a target out of reach; only with the verdict below_target. */
  readonly reason?: 'gain_reduction' | 'dynamics_lost' | 'silent'
  /** Mean loss of level on the loud parts (400 ms blocks from the integrated loudness up, 3 s of them at least), clipper included, dB. */
  readonly meanGainReductionDb: number
  /** Loudness per gain at this ceiling, LU per dB: 1 without limiter. */
  readonly loudnessSlope: number
}

/** Margin below the ceiling for the gain's own movement and the detector's grid, dB. */
export const marginDb = 0.06
const toleranceLu = 0.05
/** Largest rise of the gain that a correction may need, dB: limited sound that needs more hardly gets louder. */
const mostTrimDb = 3

/** Limits on the cost of reaching a target. */
export interface EffortBudget {
  readonly meanGainReductionDb: number
  readonly plrLostLu: number
}

/**
 * Returns the effort budget: 6 dB mean reduction of the loud parts, and a loss of peak-to-loudness ratio of 8 LU (intensity 0) to 14 LU
 * (intensity 100). The second is wide because short peaks are cheap: ten LU less cost most songs 1 to 2 dB of level.
 */
export function effortBudget(intensity: number): EffortBudget {
  return { meanGainReductionDb: 6, plrLostLu: mix(8, 14, clamp(intensity, 0, 100) / 100) }
}

/**
 * Prepares a song for {@link planFinalise} and {@link renderFinalise}: one pass of K-weighting and one of true-peak detection. Throws an
 * Error when a sample is not a finite number.
 */
export function prepareFinalise(audio: Audio): FinaliseSource {
  return runAtOnce(preparationSteps(audio))
}

/** Prepares a song like {@link prepareFinalise}, in steps. */
export function* preparationSteps(audio: Audio): Steps<FinaliseSource> {
  const groups = Math.ceil(audio.frames / peakGroupFrames)
  const peaks = allocateShared(groups)
  const energies = allocateShared(groups)
  const filter = createEnergyFilter(audio.sampleRateHz)
  const chunk = new Float64Array(kernelFrames / peakGroupFrames)
  const left = audio.channels[0]!
  const right = audio.channels[1]!
  for (let first = 0; first < audio.frames; first += kernelFrames) {
    const end = Math.min(audio.frames, first + kernelFrames)
    filter.push(left.subarray(first, end), right.subarray(first, end), peakGroupFrames, chunk)
    const count = Math.ceil((end - first) / peakGroupFrames)
    energies.set(chunk.subarray(0, count), first / peakGroupFrames)
    yield
  }
  const last = energies.at(-1) ?? 0
  if (!Number.isFinite(last)) throw new Error('The audio contains samples that are not finite numbers.')
  const loudness = loudnessOfGroups(energies, peakGroupFrames, audio.sampleRateHz)
  yield* peakSteps(audio.channels, peakFloor(loudness.integratedLufs), peaks)
  return { audio, peaks, energies, sampleRateHz: audio.sampleRateHz, loudness, truePeak: largest(peaks) }
}

function largest(values: Float32Array): number {
  let most = 0
  for (let i = 0; i < values.length; i++) if (values[i]! > most) most = values[i]!
  return most
}

/**
 * Plans a master in a closed loop: the loudness of the limited signal is predicted from group energies, the prediction is checked on
 * rendered samples, and the gain follows until the target is reached. If peaks are in the way, limiter and clip budget are chosen by the
 * distortion measured on a fair sample of the loud parts. If the effort budget does not allow the target, the plan goes as far as it
 * allows. Silence, and audio too short for a loudness (400 ms), is only kept below the ceiling, with the reason `silent`.
 */
export function planFinalise(source: FinaliseSource, target: FinaliseTarget): FinalisePlan {
  const loudness = source.loudness.integratedLufs
  const base = {
    ceilingDbtp: target.ceilingDbtp - marginDb,
    promisedCeilingDbtp: target.ceilingDbtp,
    targetLufs: target.targetLufs,
  }
  const untouched = {
    ...base,
    clipLimit: null,
    clipAboveDb: null,
    clipBudgetDb: 0,
    limiter: null,
    meanGainReductionDb: 0,
    loudnessSlope: 1,
  }
  if (loudness === -Infinity) {
    // There is no loudness target, but a click in silence, or less than 400 ms of sound, must not exceed the ceiling either.
    const gainDb = Math.min(0, base.ceilingDbtp - gainToDb(source.truePeak))
    return { ...untouched, gainDb, integratedLufs: loudness, verdict: 'below_target', reason: 'silent' }
  }
  const gainDb = target.targetLufs - loudness
  if (gainToDb(source.truePeak) + gainDb <= base.ceilingDbtp) {
    return { ...untouched, gainDb, integratedLufs: target.targetLufs, verdict: 'on_target' }
  }
  return planLimiting(source, target, base)
}

/**
 * Linear level below which peaks are never limited: assumes −7 LUFS under −2 dBTP as the loudest target, plus 4 dB of gain lost to
 * limiting. A still hotter target is served by somewhat coarser peaks and the check of the written file.
 */
function peakFloor(integratedLufs: number): number {
  return integratedLufs === -Infinity ? 0 : dbToGain(-2 - (-7 - integratedLufs + 4))
}

type PlanBase = Pick<FinalisePlan, 'ceilingDbtp' | 'promisedCeilingDbtp' | 'targetLufs'>

function planLimiting(source: FinaliseSource, target: FinaliseTarget, base: PlanBase): FinalisePlan {
  const loudness = source.loudness.integratedLufs
  const ceiling = dbToGain(base.ceilingDbtp)
  const budget = effortBudget(target.intensity)
  const allowedUnder = (peak: number) => base.ceilingDbtp - (gainToDb(peak) - loudness) + budget.plrLostLu
  const isEasy = allowedUnder(source.truePeak) >= target.targetLufs
  const aimedLufs = isEasy ? target.targetLufs : Math.min(target.targetLufs, allowedUnder(recurringPeak(source)))
  const isPlrShort = aimedLufs < target.targetLufs
  const goal = { ceiling, aimedLufs, meanReductionDb: budget.meanGainReductionDb }
  const { attempt, reached } = reachWithBest(source, chooseTreatments(source, goal, target.peaks), goal)
  const { treatment, clipLimit, material, trial } = attempt
  const isShort = reached.integratedLufs < target.targetLufs - toleranceLu
  const plan: FinalisePlan = {
    ...base,
    gainDb: reached.gainDb,
    clipLimit,
    clipAboveDb: treatment.clipAboveDb,
    clipBudgetDb: clipLimit === null ? 0 : gainToDb(source.truePeak / largest(material.peaks)),
    limiter: treatment.limiter,
    integratedLufs: reached.integratedLufs,
    verdict: isShort ? 'below_target' : 'on_target',
    ...(isShort ? { reason: isPlrShort && !reached.isReductionShort ? 'dynamics_lost' : 'gain_reduction' } : {}),
    meanGainReductionDb: reached.reductionDb,
    loudnessSlope: reached.slope,
  }
  controlsOfPlan.set(plan, trial.controls)
  return plan
}

/** Longest total time, and largest share of a song, of peaks that count as an isolated event and not as dynamics. */
const eventSeconds = 1
const eventPart = 0.01

/** Highest true peak apart from the few moments that tower over the song, linear: a brief knock may be limited freely. */
function recurringPeak({ peaks, sampleRateHz }: FinaliseSource): number {
  const bounds = stepBounds(peaks.length, sampleRateHz)
  const steps = Float32Array.from({ length: bounds.length - 1 }, (_, i) =>
    largest(peaks.subarray(bounds[i], bounds[i + 1])),
  ).sort()
  const events = Math.floor(Math.min(eventSeconds * 10, eventPart * steps.length))
  return steps.at(-1 - events) ?? largest(peaks)
}

/** Steps of 100 ms of a curve that reaches to the last frame. */
function curveSteps({ peaks, sampleRateHz }: FinaliseSource): number {
  return Math.ceil(peaks.length / (sampleRateHz / peakGroupFrames / 10))
}

/** Smallest remainder of a peak after clipper and limiter, 0 … 1, in every 100 ms; the last step may be shorter. */
function leastRemainders(source: FinaliseSource, clipLimit: number | null, controls: Float32Array): Float32Array {
  const { peaks, sampleRateHz } = source
  const groupsPerStep = sampleRateHz / peakGroupFrames / 10
  const clipped = clippedWhole(source, clipLimit).peaks
  const knee = (clipLimit ?? Infinity) * clipKnee
  return Float32Array.from({ length: curveSteps(source) }, (_, step) => {
    const end = Math.min(peaks.length, Math.round((step + 1) * groupsPerStep))
    return leastRemainder(peaks, clipped, knee, controls, Math.round(step * groupsPerStep), end)
  })
}

function leastRemainder(
  peaks: Float32Array,
  clipped: Float32Array,
  knee: number,
  controls: Float32Array,
  first: number,
  end: number,
): number {
  let least = 1
  for (let g = first; g < end; g++) {
    const left = peaks[g]! > knee ? (controls[g + 1]! * clipped[g]!) / peaks[g]! : controls[g + 1]!
    if (left < least) least = left
  }
  return least
}

function scale(from: AudioBlock, gain: number, to: AudioBlock): void {
  for (const [c, samples] of from.channels.entries()) {
    const scaled = to.channels[c]!
    for (let i = 0; i < from.frames; i++) scaled[i] = samples[i]! * gain
  }
}

/** Gain curves of plans made in this thread, cached for rendering. */
const controlsOfPlan = new WeakMap<FinalisePlan, Float32Array>()

function planControls(source: FinaliseSource, plan: FinalisePlan): Float32Array | null {
  if (plan.limiter === null) return null
  const known = controlsOfPlan.get(plan)
  if (known !== undefined) return known
  const { peaks } = clippedWhole(source, plan.clipLimit)
  const controls = new Float32Array(controlCount(peaks.length))
  const threshold = dbToGain(plan.ceilingDbtp - plan.gainDb)
  limiterControls(peaks, threshold, plan.limiter, source.sampleRateHz, controls)
  controlsOfPlan.set(plan, controls)
  return controls
}

/**
 * Yields the planned master in blocks of `blockFrames` frames (rounded up to a multiple of 8), as many frames as the source, less its
 * offset. The samples do not depend on the block size. A block is valid until the next is requested. Silence stays silence. No latency.
 */
export function* renderFinalise(
  source: FinaliseSource,
  plan: FinalisePlan,
  blockFrames = 65_536,
): Generator<AudioBlock> {
  const offset = resultOffset(source, plan)
  let first = 0
  for (const block of renderWithOffset(source, plan, blockFrames)) {
    if (offset !== null) subtractOffset(offset, first, block)
    first += block.frames
    yield block
  }
}

/** Yields the master like {@link renderFinalise} but with its offset, since a passage alone does not show the whole master's. */
export function* renderWithOffset(
  source: FinaliseSource,
  plan: FinalisePlan,
  blockFrames = 65_536,
): Generator<AudioBlock> {
  const { audio, peaks } = source
  const controls = planControls(source, plan)
  const gain = dbToGain(plan.gainDb)
  const step = Math.max(peakGroupFrames, Math.ceil(blockFrames / peakGroupFrames) * peakGroupFrames)
  const buffer = allocateBlock(audio.channels.length, step)
  for (let first = 0; first < audio.frames; first += step) {
    const block = sliceBlock(buffer, 0, audio.frames - first)
    const clipped = clippedFrames(audio, peaks, plan.clipLimit, first, block)
    if (controls !== null) applyControls(clipped, controls, first, gain, block)
    else scale(clipped, gain, block)
    yield block
  }
}

/** Offsets of plans, cached for this thread. */
const offsetOfPlan = new WeakMap<FinalisePlan, { readonly offset: ResultOffset | null }>()

/** Returns the offset that is removed from a planned master; null for a master without. */
export function resultOffset(source: FinaliseSource, plan: FinalisePlan): ResultOffset | null {
  const known = offsetOfPlan.get(plan)
  if (known !== undefined) return known.offset
  const { sampleRateHz } = source
  const steps = stepSumsOf(renderWithOffset(source, plan, wholeStepsFrames(sampleRateHz)), sampleRateHz)
  const ceiling = plan.limiter === null ? Infinity : dbToGain(plan.ceilingDbtp)
  const offset = offsetOf(steps, sampleRateHz, ceiling)
  offsetOfPlan.set(plan, { offset })
  return offset
}

/** Returns the largest peak reduction by clipper and limiter together in every 100 ms, dB, 0 or more; the last step may be shorter. */
export function gainReductionDb(source: FinaliseSource, plan: FinalisePlan): Float32Array {
  const controls = planControls(source, plan)
  const remainders = controls && leastRemainders(source, plan.clipLimit, controls)
  return new Float32Array(curveSteps(source)).map((_, step) => Math.max(0, -gainToDb(remainders?.[step] ?? 1)))
}

/**
 * Compares a plan with measurements of the written file. Returns null if the promise holds (true peak not above the promised ceiling;
 * loudness within 0.05 LU of the plan) and for silence, otherwise a corrected plan: the limiter's ceiling drops by the excess plus 0.01 dB,
 * and the gain compensates for that and for the loudness error. If that takes more than 3 dB of gain, the master stays below its target
 * instead. A plan of gain alone gets the steady limiter.
 */
export function trimFinalise(
  plan: FinalisePlan,
  measured: { readonly integratedLufs: number; readonly truePeakDbtp: number },
): FinalisePlan | null {
  if (plan.integratedLufs === -Infinity) return null
  const excessDb = measured.truePeakDbtp - plan.promisedCeilingDbtp
  const wantedLufs = plan.verdict === 'on_target' ? plan.targetLufs : plan.integratedLufs
  const errorLu = wantedLufs - measured.integratedLufs
  if (excessDb <= 0 && Math.abs(errorLu) <= toleranceLu) return null
  const loweredDb = excessDb > 0 ? excessDb + 0.01 : 0
  const slope = clamp(plan.loudnessSlope, 0.25, 1)
  // Lowering gain and ceiling together lowers the loudness as much, so the gain must compensate.
  const gainDb = plan.gainDb + (errorLu + (1 - slope) * loweredDb) / slope
  const lowered = { ...plan, limiter: plan.limiter ?? steadyLimiter, ceilingDbtp: plan.ceilingDbtp - loweredDb }
  if (gainDb - plan.gainDb <= mostTrimDb) return { ...lowered, gainDb }
  const integratedLufs = measured.integratedLufs - (1 - slope) * loweredDb
  return { ...lowered, integratedLufs, verdict: 'below_target', reason: plan.reason ?? 'gain_reduction' }
}
