import { kWeighting } from '../biquad.ts'
import { kernelCoefficients } from '../biquad-cascade.ts'
import type { Audio, AudioBlock } from '../block.ts'
import { kernelFrames, kernelPlace } from '../kernels/kernels.ts'
import { powerToDb } from '../units.ts'
import { absoluteGateLufs, gatedLufs, lufsToMeanSquare, meanSquareToLufs } from './gating.ts'

/** Readings of a loudness meter. Silence, and audio too short for a window, give −Infinity (0 for the range). */
export interface Loudness {
  /** Programme loudness in LUFS, gated: ITU-R BS.1770-5 Annex 1. Needs 400 ms. */
  readonly integratedLufs: number
  /** Largest loudness of any 400 ms, moved in steps of 10 ms: EBU Tech 3341 §2.2. */
  readonly momentaryMaxLufs: number
  /** Largest loudness of any 3 s, moved in steps of 10 ms: EBU Tech 3341 §2.3. */
  readonly shortTermMaxLufs: number
  /** Spread of the 3 s loudness in LU, 10th to 95th percentile: EBU Tech 3342 §2. Unreliable below one minute. */
  readonly loudnessRangeLu: number
}

/** A loudness meter over a stream of blocks: one channel counts twice (it is played on both sides), two count once each. */
export interface LoudnessMeter {
  push(block: AudioBlock): void
  /** Returns the readings so far; does not change the meter. */
  read(): Loudness
  /** Mean squares of the gating blocks: 400 ms at a hop of 100 ms. Concatenated, they give the loudness of several signals. */
  blockMeanSquares(): Float64Array
  /** Short-term loudness (3 s) in LUFS at the end of every 100 ms from 3 s on; −Infinity for digital silence. */
  shortTermLufs(): Float64Array
  /** Mean squares of whole steps of 100 ms, the input of a record's loudness. */
  stepMeanSquares(): Float64Array
  /** Height of attacks in the loud parts; see {@link attackCrestDb}. Null for silence. */
  attackCrestDb(): number | null
}

const stepsPerSecond = 100
const momentarySteps = 40
const shortTermSteps = 300
/** 100 ms: 75 % overlap of the gating blocks, BS.1770-5 Annex 1. */
const hopSteps = 10

/** Adds up K-weighted energy (left² + right²) in groups of frames, for {@link createLoudnessMeter} and for loudness targeting. */
export interface EnergyFilter {
  /** Filters `frames` frames and writes the energy of each started group of `groupFrames` frames into `energies`. */
  push(left: Float32Array, right: Float32Array, groupFrames: number, energies: Float64Array): void
  /** Clears the filter's state. */
  reset(): void
}

const workspace = kernelPlace((kernels) => ({
  left: kernels.allocate(kernelFrames * 4),
  right: kernels.allocate(kernelFrames * 4),
  coefficients: kernels.allocate(160),
  state: kernels.allocate(64),
  energies: kernels.allocate(kernelFrames * 8),
}))

/** Returns a cleared energy filter. At most `kernelFrames` frames per push. */
export function createEnergyFilter(sampleRateHz: number): EnergyFilter {
  const coefficients = kernelCoefficients(kWeighting(sampleRateHz))
  const state = new Float64Array(8)
  return {
    push(left, right, groupFrames, energies) {
      const space = workspace()
      const { kernels } = space
      kernels.f32.set(left, space.left >> 2)
      kernels.f32.set(right, space.right >> 2)
      kernels.f64.set(coefficients, space.coefficients >> 3)
      kernels.f64.set(state, space.state >> 3)
      kernels.weightedEnergies(
        space.left,
        space.right,
        left.length,
        space.coefficients,
        space.state,
        groupFrames,
        space.energies,
      )
      const groups = Math.ceil(left.length / groupFrames)
      energies.set(kernels.f64.subarray(space.energies >> 3, (space.energies >> 3) + groups))
      for (let i = 0; i < 8; i++) {
        const value = kernels.f64[(space.state >> 3) + i]!
        // A decayed tail of denormal numbers would slow the filter down in digital silence.
        state[i] = Math.abs(value) < 1e-30 ? 0 : value
      }
    },
    reset: () => void state.fill(0),
  }
}

/** Mean squares of windows of `window` steps ending every `hop` steps, from the energies of whole 10 ms steps. */
function windowMeans(energies: readonly number[], window: number, hop: number, framesPerStep: number): Float64Array {
  const means = new Float64Array(Math.max(0, Math.floor((energies.length - window) / hop) + 1))
  for (let w = 0; w < means.length; w++) {
    // Each window is summed afresh: a running sum would leave rounding residue after loud passages.
    let sum = 0
    for (let k = w * hop; k < w * hop + window; k++) sum += energies[k]!
    means[w] = sum / (window * framesPerStep)
  }
  return means
}

function largestWindowMean(energies: readonly number[], window: number, framesPerStep: number): number {
  let best = 0
  let sum = 0
  for (let k = 0; k < energies.length; k++) {
    sum += energies[k]!
    if (k >= window) sum -= energies[k - window]!
    if (k >= window - 1 && sum > best) best = sum
  }
  return best / (window * framesPerStep)
}

/** Loudness range in LU of mean squares of 3 s at 100 ms hop: gates −70 LUFS and −20 LU, percentiles 10 and 95 (Tech 3342 §2). */
function rangeLu(meanSquares: Float64Array): number {
  const audible = meanSquares.filter((value) => value > lufsToMeanSquare(absoluteGateLufs))
  if (audible.length === 0) return 0
  const gate = audible.reduce((sum, value) => sum + value, 0) / audible.length / 100
  const sorted = audible.filter((value) => value >= gate).sort()
  const at = (part: number): number => sorted[Math.round((sorted.length - 1) * part)]!
  return powerToDb(at(0.95) / at(0.1))
}

/** Reads the loudness off the energies of 10 ms steps. */
function readEnergies(energies: readonly number[], framesPerStep: number): Loudness {
  return {
    integratedLufs: gatedLufs(windowMeans(energies, momentarySteps, hopSteps, framesPerStep)),
    momentaryMaxLufs: meanSquareToLufs(largestWindowMean(energies, momentarySteps, framesPerStep)),
    shortTermMaxLufs: meanSquareToLufs(largestWindowMean(energies, shortTermSteps, framesPerStep)),
    loudnessRangeLu: rangeLu(windowMeans(energies, shortTermSteps, hopSteps, framesPerStep)),
  }
}

/**
 * Loudness from K-weighted energies of groups of `groupFrames` frames. The 10 ms steps are rounded to whole groups, which moves a
 * reading by some thousandths of a LU.
 */
export function loudnessOfGroups(groups: Float32Array, groupFrames: number, sampleRateHz: number): Loudness {
  const groupsPerStep = sampleRateHz / groupFrames / stepsPerSecond
  const steps: number[] = []
  for (let g = 0; ; ) {
    const end = Math.round((steps.length + 1) * groupsPerStep)
    if (end > groups.length) break
    let sum = 0
    for (; g < end; g++) sum += groups[g]!
    steps.push(sum)
  }
  return readEnergies(steps, sampleRateHz / stepsPerSecond)
}

/** Loud parts, from this far below the gated loudness on, LU. Ours. */
const loudFromLu = 10

/**
 * Height of attacks, dB: in the loud 100 ms of each second that rise most at their start, by how much the louder of their first two 10 ms
 * exceeds the whole; the median over all seconds. Null for silence and under a second.
 */
function attackCrestDb(energies: readonly number[], framesPerStep: number): number | null {
  const integratedLufs = gatedLufs(windowMeans(energies, momentarySteps, hopSteps, framesPerStep))
  if (!Number.isFinite(integratedLufs)) return null
  const least = lufsToMeanSquare(integratedLufs - loudFromLu) * framesPerStep * hopSteps
  const crests: number[] = []
  for (let second = 0; second + stepsPerSecond + hopSteps <= energies.length; second += stepsPerSecond) {
    let highest = 0
    for (let k = second; k < second + stepsPerSecond; k++) {
      let sum = 0
      for (let i = k; i < k + hopSteps; i++) sum += energies[i]!
      if (sum >= least) highest = Math.max(highest, (Math.max(energies[k]!, energies[k + 1]!) * hopSteps) / sum)
    }
    if (highest > 0) crests.push(highest)
  }
  return crests.length === 0 ? null : powerToDb(crests.sort((a, b) => a - b)[crests.length >> 1]!)
}

/** Returns a meter for any rate from 8 to 192 kHz. Reading costs a pass over the 10 ms energies, pushing one filter pass. */
export function createLoudnessMeter(sampleRateHz: number): LoudnessMeter {
  const filter = createEnergyFilter(sampleRateHz)
  const framesPerStep = sampleRateHz / stepsPerSecond
  const energies: number[] = []
  const sums = new Float64Array(kernelFrames)
  let position = 0
  let partial = 0
  return {
    push(block) {
      const left = block.channels[0]!
      const right = block.channels[1] ?? left
      for (let start = 0; start < block.frames; ) {
        const stepEnd = Math.round((energies.length + 1) * framesPerStep)
        const room = Math.min(block.frames - start, kernelFrames)
        // Whole steps of one length go through the filter together.
        const isWhole = Number.isInteger(framesPerStep) && stepEnd - position === framesPerStep && room >= framesPerStep
        const frames = isWhole ? room - (room % framesPerStep) : Math.min(room, stepEnd - position)
        const groupFrames = isWhole ? framesPerStep : frames
        filter.push(left.subarray(start, start + frames), right.subarray(start, start + frames), groupFrames, sums)
        position += frames
        start += frames
        for (let step = 0; step < frames / groupFrames; step++) {
          partial += sums[step]!
          if (position < stepEnd) break
          energies.push(partial)
          partial = 0
        }
      }
    },
    read: () => readEnergies(energies, framesPerStep),
    blockMeanSquares: () => windowMeans(energies, momentarySteps, hopSteps, framesPerStep),
    shortTermLufs: () => windowMeans(energies, shortTermSteps, hopSteps, framesPerStep).map(meanSquareToLufs),
    stepMeanSquares: () => windowMeans(energies, hopSteps, hopSteps, framesPerStep),
    attackCrestDb: () => attackCrestDb(energies, framesPerStep),
  }
}

/** Loudness of a whole piece; see {@link Loudness}. */
export function measureLoudness(audio: Audio): Loudness {
  const meter = createLoudnessMeter(audio.sampleRateHz)
  meter.push(audio)
  return meter.read()
}
