import type { CompressionBand } from '../../src-contract/stages/compression-band.ts'
import { type Biquad, complement, lowPass } from '../dsp/biquad.ts'
import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import { type AudioBlock, allocateBlock, sliceBlock } from '../dsp/block.ts'
import { onePoleCoefficient } from '../dsp/envelope.ts'
import { alongControlGrid, controlFrames, type Processor } from '../dsp/processor.ts'
import { dbToGain, powerToDb } from '../dsp/units.ts'

/** A processor that can say how much it turned any band down at most so far, dB. */
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

interface BandState {
  readonly band: CompressionBand
  readonly attack: number
  readonly release: number
  energy: number
  reductionDb: number
  gain: number
  nextGain: number
}

const chunkFrames = 4096

/** The critically damped low-passes (q = 0.5, no overshoot) that separate the bands. */
export function splittersAt(crossoversHz: readonly number[], sampleRateHz: number): Biquad[] {
  return crossoversHz.map((hz) => lowPass(hz, sampleRateHz, 0.5))
}

/**
 * Returns the filter that each band of {@link createCompressor} is, as a cascade: its own low-pass on what those before it have
 * left. What they leave rises by only 6 dB per octave up to the crossover, so the bands overlap widely.
 */
export function bandFilters(crossoversHz: readonly number[], sampleRateHz: number): readonly (readonly Biquad[])[] {
  const splitters = splittersAt(crossoversHz, sampleRateHz)
  return [...splitters, null].map((splitter, b) => [
    ...splitters.slice(0, b).map(complement),
    ...(splitter === null ? [] : [splitter]),
  ])
}

/**
 * Returns a compressor of `bands` separated at `crossoversHz` (one fewer): y = x + Σ (gain − 1)·band. The bands are what a chain of
 * low-passes takes off in turn ({@link bandFilters}), so that they add up to x exactly, and bands whose gain is 1 leave the input
 * bit for bit. Both channels share every gain. Levels are mean squares of {@link controlFrames} frames; gains move in straight
 * lines between these moments and look only back, so there is no latency. Throws a RangeError when the counts do not fit.
 */
export function createCompressor(
  crossoversHz: readonly number[],
  bands: readonly CompressionBand[],
  sampleRateHz: number,
): Compressor {
  if (bands.length !== crossoversHz.length + 1)
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
  const splitters = splittersAt(crossoversHz, sampleRateHz).map((section) => createBiquadCascade([section]))
  const parts = bands.map(() => allocateBlock(2, chunkFrames))
  let position = 0
  let most = 0

  function processChunk(block: AudioBlock): void {
    split(block, splitters, parts)
    position = alongControlGrid(position, block.frames, (start, end, isComplete) => {
      const offset = (position + start) % controlFrames
      for (const [b, state] of states.entries()) applyBand(block, parts[b]!, state, start, end, offset)
      if (!isComplete) return
      for (const state of states) {
        advance(state)
        most = Math.max(most, state.reductionDb)
      }
    })
  }

  return {
    latencySamples: 0,
    process(block) {
      for (let start = 0; start < block.frames; start += chunkFrames) {
        processChunk(sliceBlock(block, start, start + chunkFrames))
      }
    },
    mostReductionDb: () => most,
  }
}

/** Fills `parts` with the bands of the block; the last one holds what the low-passes have left. */
function split(block: AudioBlock, splitters: readonly Processor[], parts: readonly AudioBlock[]): void {
  const { frames } = block
  const rest = parts[parts.length - 1]!
  for (const [c, samples] of rest.channels.entries()) samples.set(block.channels[c]!.subarray(0, frames))
  for (const [b, splitter] of splitters.entries()) {
    const part = sliceBlock(parts[b]!, 0, frames)
    for (const [c, samples] of part.channels.entries()) samples.set(rest.channels[c]!.subarray(0, frames))
    splitter.process(part)
    for (const [c, samples] of part.channels.entries()) {
      const remaining = rest.channels[c]!
      for (let i = 0; i < frames; i++) remaining[i]! -= samples[i]!
    }
  }
}

function applyBand(
  block: AudioBlock,
  part: AudioBlock,
  state: BandState,
  start: number,
  end: number,
  offset: number,
): void {
  const slope = (state.nextGain - state.gain) / controlFrames
  const isMoving = state.gain !== 1 || state.nextGain !== 1
  const [bandLeft, bandRight] = part.channels as [Float32Array, Float32Array]
  const [left, right] = block.channels as [Float32Array, Float32Array]
  const { gain } = state
  let { energy } = state
  for (let i = start; i < end; i++) {
    const l = bandLeft[i]!
    const r = bandRight[i]!
    energy += l * l + r * r
    if (isMoving) {
      const change = gain + slope * (offset + i - start + 1) - 1
      left[i]! += change * l
      right[i]! += change * r
    }
  }
  state.energy = energy
}

/** Ends one control step: the gain that was aimed at is reached and the next one follows from the level of the step. */
function advance(state: BandState): void {
  const levelDbfs = powerToDb(state.energy / (2 * controlFrames))
  const wanted = staticReductionDb(levelDbfs, state.band)
  const coefficient = wanted > state.reductionDb ? state.attack : state.release
  const reductionDb = wanted + coefficient * (state.reductionDb - wanted)
  // Below a hundred-thousandth of a decibel the band is at rest, so that silence leaves exact ones.
  state.reductionDb = reductionDb < 1e-5 ? 0 : reductionDb
  state.gain = state.nextGain
  state.nextGain = state.reductionDb === 0 ? 1 : dbToGain(-state.reductionDb)
  state.energy = 0
}
