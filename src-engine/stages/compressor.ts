import type { CompressionBand } from '../../src-contract/stages/compression-band.ts'
import { type Biquad, complement, lowPass } from '../dsp/biquad.ts'
import { flushTails, kernelCoefficients } from '../dsp/biquad-cascade.ts'
import { onePoleCoefficient } from '../dsp/envelope.ts'
import { kernelFrames, kernelPlace } from '../dsp/kernels/kernels.ts'
import { controlFrames, type Processor } from '../dsp/processor.ts'
import { dbToGain, powerToDb } from '../dsp/units.ts'

/** A processor that reports its largest gain reduction in any band so far, dB. */
export interface Compressor extends Processor {
  mostReductionDb(): number
}

/**
 * Reduction in dB for a level in dB: soft-knee characteristic of D. Giannoulis, M. Massberg, J. Reiss, "Digital Dynamic Range
 * Compressor Design", J. AES 60(6), 2012, eq. 4, held at the band's largest reduction. Ratio 1 gives 0.
 */
export function staticReductionDb(levelDbfs: number, band: CompressionBand): number {
  const { thresholdDb, ratio, kneeDb, maxReductionDb } = band
  const slope = 1 - 1 / ratio
  const over = levelDbfs - thresholdDb
  if (!(2 * over > -kneeDb)) return 0
  const reduction = 2 * over < kneeDb ? (slope * (over + kneeDb / 2) ** 2) / (2 * kneeDb) : slope * over
  return Math.min(maxReductionDb, reduction)
}

/** Most bands of a compressor. */
const maxBands = 4
/** Most control steps in a piece of the signal: a whole piece's, plus one if it begins inside a step. */
const pieceSteps = kernelFrames / controlFrames + 1

const place = kernelPlace((kernels) => {
  const channel = () => kernels.allocate(kernelFrames * 4)
  const pair = () => ({ left: channel(), right: channel() })
  return {
    signal: pair(),
    parts: Array.from({ length: maxBands }, pair),
    coefficients: kernels.allocate(80),
    state: kernels.allocate(32),
    scratch: kernels.allocate(kernelFrames * 16),
    energies: kernels.allocate(pieceSteps * 8),
    gains: kernels.allocate((pieceSteps + 1) * 8),
  }
})
type Place = ReturnType<typeof place>

interface BandState {
  readonly band: CompressionBand
  readonly attack: number
  readonly release: number
  energy: number
  reductionDb: number
  gain: number
  nextGain: number
}

/** A low-pass that separates a band, with its state. */
interface Splitter {
  readonly coefficients: Float64Array
  readonly state: Float64Array
}

/** The critically damped low-passes (q = 0.5, no overshoot) that separate the bands. */
export function splittersAt(crossoversHz: readonly number[], sampleRateHz: number): Biquad[] {
  return crossoversHz.map((hz) => lowPass(hz, sampleRateHz, 0.5))
}

/**
 * Returns the filter of each band of {@link createCompressor} as a cascade: its own low-pass on the remainder of the bands before. The
 * remainder rises by only 6 dB per octave up to the crossover, so bands overlap widely.
 */
export function bandFilters(crossoversHz: readonly number[], sampleRateHz: number): readonly (readonly Biquad[])[] {
  const splitters = splittersAt(crossoversHz, sampleRateHz)
  return [...splitters, null].map((splitter, b) => [
    ...splitters.slice(0, b).map(complement),
    ...(splitter === null ? [] : [splitter]),
  ])
}

/**
 * Returns a compressor of `bands` separated at `crossoversHz` (one fewer): y = x + Σ (gain − 1)·band. A chain of low-passes takes the bands
 * off in turn ({@link bandFilters}), so they add up to x exactly, and with all gains at 1 the output equals the input bit for bit. Both
 * channels share every gain. Levels are mean squares of {@link controlFrames} frames; gains are linear in between and depend only on the
 * past, so there is no latency. Throws a RangeError for mismatched counts or more than four bands.
 */
export function createCompressor(
  crossoversHz: readonly number[],
  bands: readonly CompressionBand[],
  sampleRateHz: number,
): Compressor {
  if (bands.length !== crossoversHz.length + 1 || bands.length > maxBands)
    throw new RangeError(`${bands.length} bands at ${crossoversHz.length} crossovers`)
  const stepHz = sampleRateHz / controlFrames
  const states: BandState[] = bands.map((band) => ({
    band,
    attack: onePoleCoefficient(band.attackMs, stepHz),
    release: onePoleCoefficient(band.releaseMs, stepHz),
    energy: 0,
    reductionDb: 0,
    gain: 1,
    nextGain: 1,
  }))
  const splitters = splittersAt(crossoversHz, sampleRateHz).map((section) => ({
    coefficients: kernelCoefficients([section]),
    state: new Float64Array(4),
  }))
  let position = 0
  let most = 0

  function processPiece(left: Float32Array, right: Float32Array): void {
    const space = place()
    const { kernels, signal } = space
    const frames = left.length
    kernels.f32.set(left, signal.left >> 2)
    kernels.f32.set(right, signal.right >> 2)
    split(space, splitters, frames)
    const offset = position % controlFrames
    for (const [b, state] of states.entries()) most = Math.max(most, applyBand(space, b, state, frames, offset))
    left.set(kernels.f32.subarray(signal.left >> 2, (signal.left >> 2) + frames))
    right.set(kernels.f32.subarray(signal.right >> 2, (signal.right >> 2) + frames))
    position += frames
    // At fixed positions of the signal, so that splitting into blocks cannot change the output.
    if (position % kernelFrames === 0) for (const { state } of splitters) flushTails(state)
  }

  return {
    latencySamples: 0,
    process({ channels, frames }) {
      for (let start = 0; start < frames; ) {
        const end = Math.min(frames, start + kernelFrames - (position % kernelFrames))
        processPiece(channels[0]!.subarray(start, end), channels[1]!.subarray(start, end))
        start = end
      }
    },
    mostReductionDb: () => most,
  }
}

/** Splits the signal into its bands; the last is the remainder of the low-passes. */
function split(space: Place, splitters: readonly Splitter[], frames: number): void {
  const { kernels, signal, parts, coefficients, state, scratch } = space
  const { f64 } = kernels
  const copy = (from: Place['signal'], to: Place['signal']) => {
    for (const side of ['left', 'right'] as const) kernels.u8.copyWithin(to[side], from[side], from[side] + frames * 4)
  }
  const rest = parts[splitters.length]!
  copy(signal, rest)
  for (const [b, splitter] of splitters.entries()) {
    const part = parts[b]!
    copy(rest, part)
    f64.set(splitter.coefficients, coefficients >> 3)
    f64.set(splitter.state, state >> 3)
    kernels.biquadCascade(part.left, part.right, frames, coefficients, state, 1, scratch)
    splitter.state.set(f64.subarray(state >> 3, (state >> 3) + splitter.state.length))
    kernels.takeAway(rest.left, part.left, frames)
    kernels.takeAway(rest.right, part.right, frames)
  }
}

/** Adds a band to the signal with its gain, and returns the largest reduction of its steps, dB. */
function applyBand(space: Place, b: number, state: BandState, frames: number, offset: number): number {
  const { kernels, signal, parts, energies, gains } = space
  const { f64 } = kernels
  const { left, right } = parts[b]!
  const complete = Math.floor((offset + frames) / controlFrames)
  const energyAt = energies >> 3
  const gainAt = gains >> 3
  f64.fill(0, energyAt, energyAt + pieceSteps)
  f64[energyAt] = state.energy
  kernels.stepEnergies(left, right, frames, offset, energies)
  f64[gainAt] = state.gain
  let most = 0
  for (let step = 0; step < complete; step++) {
    f64[gainAt + step + 1] = state.nextGain
    advance(state, f64[energyAt + step]!)
    most = Math.max(most, state.reductionDb)
  }
  f64[gainAt + complete + 1] = state.nextGain
  state.energy = complete < pieceSteps ? f64[energyAt + complete]! : 0
  kernels.addBand(signal.left, signal.right, left, right, frames, offset, gains)
  return most
}

/** Ends one control step: the target gain is reached, and the next follows from the step's energy. */
function advance(state: BandState, energy: number): void {
  const levelDbfs = powerToDb(energy / (2 * controlFrames))
  const wanted = staticReductionDb(levelDbfs, state.band)
  const coefficient = wanted > state.reductionDb ? state.attack : state.release
  const reductionDb = wanted + coefficient * (state.reductionDb - wanted)
  // Below a hundred-thousandth of a decibel the band is at rest: silence returns to a gain of exactly 1.
  state.reductionDb = reductionDb < 1e-5 ? 0 : reductionDb
  state.gain = state.nextGain
  state.nextGain = state.reductionDb === 0 ? 1 : dbToGain(-state.reductionDb)
}
