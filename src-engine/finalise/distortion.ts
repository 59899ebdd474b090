import type { Audio, AudioBlock } from '../dsp/block.ts'
import { createKernelFft } from '../dsp/fft.ts'
import { kernelPlace } from '../dsp/kernels/kernels.ts'
import { dbToPower, powerOfTen, powerToDb } from '../dsp/units.ts'
import { hannWindow } from '../dsp/window.ts'

/** Distortion of a processed signal against the original at the processing's own input gain. 0 everywhere for no change. */
export interface Distortion {
  /** Mean |level difference| in dB over the ERB bands and frames: dynamics and colour together. */
  readonly spectralDb: number
  /** The same after each frame's own level difference is taken out: colour alone. */
  readonly colourDb: number
  /** Mean over bands and frames of 10·log10(1 + error / masking threshold): how much of the error sticks out of the music. */
  readonly audibleDb: number
}

const bandCount = 40
const lowestHz = 50
const highestHz = 16_000
/** Signal to mask ratio and slopes of the spreading per band (about 0.94 ERB), after the simple models of Johnston, JSAC 6(2), 1988. */
const maskOffsetDb = 18
const upwardSlopeDb = 9
const downwardSlopeDb = 22
/** Level below a frame's own under which everything is inaudible. */
const floorRatio = 1e-9

function erbNumber(frequencyHz: number): number {
  return 21.4 * Math.log10(1 + 0.00437 * frequencyHz)
}

/** Edges in bins of the bands, equally wide on the ERB-number scale of Glasberg & Moore (1990); every band has a bin. */
function bandEdges(size: number, sampleRateHz: number): Int32Array {
  const low = erbNumber(lowestHz)
  const high = erbNumber(Math.min(highestHz, 0.45 * sampleRateHz))
  const edges = new Int32Array(bandCount + 1)
  for (let b = 0; b <= bandCount; b++) {
    const hz = (powerOfTen((low + ((high - low) * b) / bandCount) / 21.4) - 1) / 0.00437
    edges[b] = Math.max(b === 0 ? 1 : edges[b - 1]! + 1, Math.round((hz * size) / sampleRateHz))
  }
  return edges
}

/** Energies of one frame per band. */
interface Bands {
  readonly original: Float64Array
  readonly processed: Float64Array
  readonly error: Float64Array
}

const largestSize = 8192

const place = kernelPlace((kernels) => ({
  samples: [0, 1, 2, 3].map(() => kernels.allocate(largestSize * 4)) as [number, number, number, number],
  window: kernels.allocate(largestSize * 8),
  edges: kernels.allocate((bandCount + 1) * 4),
  sums: kernels.allocate(3 * bandCount * 8),
}))

let preparedRateHz = 0

/** Lays out window and bands for a rate, where they stay until another is asked for; returns the length of a frame. */
function prepare(sampleRateHz: number): number {
  const size = 2 ** Math.round(Math.log2(sampleRateHz * 0.046))
  if (preparedRateHz === sampleRateHz) return size
  const { kernels, window, edges } = place()
  kernels.i32.set(bandEdges(size, sampleRateHz), edges >> 2)
  kernels.f64.set(hannWindow(size), window >> 3)
  preparedRateHz = sampleRateHz
  return size
}

/**
 * Compares `processed` with `gain`·`original` (same frames, same place). Frames are 46 ms long, one after the other, mono sums, of
 * a piece in opposite phase differences: its sum is not what is heard. Rates up to 192 kHz; shorter than a frame: nothing.
 */
export function measureDistortion(original: Audio, processed: AudioBlock, gain: number): Distortion {
  const size = prepare(original.sampleRateHz)
  const fft = createKernelFft(size)
  const { kernels, samples, window, edges, sums } = place()
  const [xl, xr, yl, yr] = samples
  let spectral = 0
  let colour = 0
  let audible = 0
  const frames = Math.floor(original.frames / size)
  const isOpposite = crossPower(original) < 0
  for (let f = 0; f < frames; f++) {
    loadFrame(original, f * size, size, xl, xr)
    loadFrame(processed, f * size, size, yl, yr)
    if (isOpposite) for (const right of [xr, yr]) negate(right, size)
    if (!kernels.packPair(xl, xr, yl, yr, gain, window, size, fft.re, fft.im)) continue
    const { re, im } = fft.forward()
    kernels.crossBands(re, im, size, edges, bandCount, sums)
    const found = compareBands(bandsAt(sums))
    spectral += found.spectralDb
    colour += found.colourDb
    audible += found.audibleDb
  }
  const count = Math.max(1, frames)
  return { spectralDb: spectral / count, colourDb: colour / count, audibleDb: audible / count }
}

function loadFrame({ channels }: AudioBlock, start: number, size: number, left: number, right: number): void {
  const { f32 } = place().kernels
  f32.set(channels[0]!.subarray(start, start + size), left >> 2)
  f32.set(channels[1]!.subarray(start, start + size), right >> 2)
}

/** Sum of left times right; below 0 where the channels cancel each other. */
function crossPower({ channels, frames }: AudioBlock): number {
  const left = channels[0]!
  const right = channels[1]!
  let sum = 0
  for (let i = 0; i < frames; i++) sum += left[i]! * right[i]!
  return sum
}

function negate(at: number, size: number): void {
  const samples = place().kernels.f32.subarray(at >> 2, (at >> 2) + size)
  for (let i = 0; i < size; i++) samples[i] = -samples[i]!
}

/**
 * The bands of a frame; the error is what was added to the original beyond the frame's best gain, since a slow change of level is
 * none.
 */
function bandsAt(sums: number): Bands {
  const { f64 } = place().kernels
  const first = sums >> 3
  const original = f64.subarray(first, first + bandCount)
  const processed = f64.subarray(first + bandCount, first + 2 * bandCount)
  const product = f64.subarray(first + 2 * bandCount, first + 3 * bandCount)
  let cross = 0
  let power = 0
  for (let b = 0; b < bandCount; b++) {
    cross += product[b]!
    power += original[b]!
  }
  const gain = power > 0 ? cross / power : 1
  const error = new Float64Array(bandCount)
  for (let b = 0; b < bandCount; b++) {
    error[b] = Math.max(0, processed[b]! - 2 * gain * product[b]! + gain * gain * original[b]!)
  }
  return { original, processed, error }
}

const upward = dbToPower(-upwardSlopeDb)
const downward = dbToPower(-downwardSlopeDb)
const maskOffset = dbToPower(-maskOffsetDb)

function compareBands({ original, processed, error }: Bands): Distortion {
  let totalOriginal = 0
  let totalProcessed = 0
  for (let b = 0; b < bandCount; b++) {
    totalOriginal += original[b]!
    totalProcessed += processed[b]!
  }
  const floor = totalOriginal * floorRatio + 1e-12
  const level = powerToDb((totalProcessed + floor) / (totalOriginal + floor))
  const mask = new Float64Array(bandCount)
  for (let b = 0, spread = 0; b < bandCount; b++) {
    spread = Math.max(processed[b]!, spread * upward)
    mask[b] = spread
  }
  for (let b = bandCount - 1, spread = 0; b >= 0; b--) {
    spread = Math.max(processed[b]!, spread * downward)
    mask[b] = Math.max(mask[b]!, spread)
  }
  let spectralDb = 0
  let colourDb = 0
  let audibleDb = 0
  for (let b = 0; b < bandCount; b++) {
    const difference = powerToDb((processed[b]! + floor) / (original[b]! + floor))
    spectralDb += Math.abs(difference)
    colourDb += Math.abs(difference - level)
    audibleDb += powerToDb(1 + error[b]! / (mask[b]! * maskOffset + floor))
  }
  return {
    spectralDb: spectralDb / bandCount,
    colourDb: colourDb / bandCount,
    audibleDb: audibleDb / bandCount,
  }
}
