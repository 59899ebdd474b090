/** Binaural distortion of processed music: the added error relative to the masking of the music. */

import type { Audio, AudioBlock } from '../dsp/block.ts'
import { createKernelFft, type KernelFft } from '../dsp/fft.ts'
import { kernelPlace } from '../dsp/kernels/kernels.ts'
import { dbToPower, powerOfTen, powerToDb } from '../dsp/units.ts'
import { hannWindow } from '../dsp/window.ts'

const bandCount = 40
const lowestHz = 50
const highestHz = 16_000
/** Length of a frame, s. */
const frameSeconds = 0.046
/** Stride of the measured frames; the frames between sound like their neighbours. */
const frameStep = 2
/** Left, right, mid and side of a frame. */
const viewCount = 4
const cellCount = viewCount * bandCount
/** Signal-to-mask ratio, dB: of 8 to 20, the best agreement with PEAQ on the tuning songs. */
const maskOffsetDb = 12
/** Slopes of the spreading per band (about 0.94 ERB), after the simple models of Johnston, JSAC 6(2), 1988. */
const upwardSlopeDb = 9
const downwardSlopeDb = 22
/**
 * Release from masking of a signal equal in both ears by a masker in opposite phase, or the reverse: 15 dB in the bass, half as much at 1
 * kHz, 3 dB at 2 kHz (binaural masking level differences after Durlach & Colburn, Handbook of Perception IV, 1978; the curve is ours).
 */
const bassReleaseDb = 15
const halfReleaseHz = 1000
/** Power relative to a frame's own below which everything is inaudible. */
const floorRatio = 1e-9
/** Power of rounding, which avoids division by zero in silence. */
const roundingPower = 1e-12

function erbNumber(frequencyHz: number): number {
  return 21.4 * Math.log10(1 + 0.00437 * frequencyHz)
}

/** Edges in Hz of the bands, equally wide on the ERB-number scale of Glasberg & Moore (1990). */
function bandEdgesHz(sampleRateHz: number): Float64Array {
  const low = erbNumber(lowestHz)
  const high = erbNumber(Math.min(highestHz, 0.45 * sampleRateHz))
  return Float64Array.from({ length: bandCount + 1 }, (_, b) => {
    return (powerOfTen((low + ((high - low) * b) / bandCount) / 21.4) - 1) / 0.00437
  })
}

/** Edges in bins; every band has a bin. */
function edgeBins(edgesHz: Float64Array, size: number, sampleRateHz: number): Int32Array {
  const bins = new Int32Array(edgesHz.length)
  for (const [b, hz] of edgesHz.entries()) {
    bins[b] = Math.max(b === 0 ? 1 : bins[b - 1]! + 1, Math.round((hz * size) / sampleRateHz))
  }
  return bins
}

const largestSize = 8192

const place = kernelPlace((kernels) => ({
  samples: [0, 1, 2, 3].map(() => kernels.allocate(largestSize * 4)) as [number, number, number, number],
  window: kernels.allocate(largestSize * 8),
  edges: kernels.allocate((bandCount + 1) * 4),
  sums: kernels.allocate(cellCount * 8),
}))

/** Frame layout of one rate; the last one's window and bands lie in the kernels' memory. */
interface Frames {
  readonly size: number
  readonly fft: KernelFft
  /** Part of a band's mask that acts from side to mid and from mid to side. */
  readonly across: Float64Array
}

let preparedRateHz = 0
let prepared: Frames | null = null

/** Lays out window and bands for a rate; they stay until another rate is requested. */
function prepare(sampleRateHz: number): Frames {
  if (prepared !== null && preparedRateHz === sampleRateHz) return prepared
  const size = 2 ** Math.round(Math.log2(sampleRateHz * frameSeconds))
  const { kernels, window, edges } = place()
  const edgesHz = bandEdgesHz(sampleRateHz)
  kernels.i32.set(edgeBins(edgesHz, size, sampleRateHz), edges >> 2)
  kernels.f64.set(hannWindow(size), window >> 3)
  const across = Float64Array.from({ length: bandCount }, (_, b) => {
    const hz = (edgesHz[b]! + edgesHz[b + 1]!) / 2
    return dbToPower(-bassReleaseDb / (1 + (hz / halfReleaseHz) ** 2))
  })
  preparedRateHz = sampleRateHz
  prepared = { size, fft: createKernelFft(size), across }
  return prepared
}

/**
 * Energies of the bands of `later` less `gain` times `earlier` in one frame: left, right, mid, side, one row after the other, valid until
 * the next call.
 */
function differenceBands(
  { size, fft }: Frames,
  earlier: AudioBlock,
  gain: number,
  later: AudioBlock,
  first: number,
): Float64Array {
  const { kernels, samples, window, edges, sums } = place()
  const [xl, xr, yl, yr] = samples
  loadFrame(earlier, first, size, xl, xr)
  loadFrame(later, first, size, yl, yr)
  kernels.windowDifference(xl, xr, yl, yr, gain, window, size, fft.re, fft.im)
  const { re, im } = fft.forward()
  kernels.stereoBands(re, im, size, edges, bandCount, sums)
  return kernels.f64.subarray(sums >> 3, (sums >> 3) + cellCount)
}

function loadFrame({ channels }: AudioBlock, start: number, size: number, left: number, right: number): void {
  const { f32 } = place().kernels
  f32.set(channels[0]!.subarray(start, start + size), left >> 2)
  f32.set(channels[1]!.subarray(start, start + size), right >> 2)
}

const upward = dbToPower(-upwardSlopeDb)
const downward = dbToPower(-downwardSlopeDb)
const maskOffset = dbToPower(-maskOffsetDb)

/** Spreads the energies of one row of bands to their neighbours, in place. */
function spread(bands: Float64Array): void {
  const own = bands.slice()
  for (let b = 0, mask = 0; b < bandCount; b++) {
    mask = Math.max(own[b]!, mask * upward)
    bands[b] = mask
  }
  for (let b = bandCount - 1, mask = 0; b >= 0; b--) {
    mask = Math.max(own[b]!, mask * downward)
    bands[b] = Math.max(bands[b]!, mask)
  }
}

/** Replaces the energies of a frame by the inverses of its masking thresholds, in place. */
function invertMasks(energies: Float64Array, across: Float64Array): void {
  let power = 0
  for (let i = 0; i < 2 * bandCount; i++) power += energies[i]!
  const floor = power * floorRatio + roundingPower
  for (let v = 0; v < viewCount; v++) spread(energies.subarray(v * bandCount, (v + 1) * bandCount))
  for (let b = 0; b < bandCount; b++) {
    const mid = energies[2 * bandCount + b]!
    const side = energies[3 * bandCount + b]!
    energies[2 * bandCount + b] = Math.max(mid, side * across[b]!)
    energies[3 * bandCount + b] = Math.max(side, mid * across[b]!)
  }
  for (let i = 0; i < cellCount; i++) energies[i] = 1 / (energies[i]! * maskOffset + floor)
}

/** Returns the distortion of a processed piece in dB, 0 for none; its frames align with the original's. */
export type DistortionMeter = (processed: AudioBlock) => number

/**
 * Returns a meter that compares treatments of `original` with the music itself, turned up by the linear `gain` to the loudness of all
 * treatments. Any other difference is error: a limiter's gain movement as well as a clipper's distortion. Every second frame of 46 ms is
 * compared with the music's masking thresholds in 40 bands of left, right, mid and side; between mid and side a masker hides less at lower
 * frequencies. The distortion is the mean over frames and bands of 10·log10(1 + error / mask), with error / mask averaged over the four
 * views. The masking thresholds are computed once. Rates up to 192 kHz; shorter than a frame: 0.
 */
export function createDistortionMeter(original: Audio, gain: number): DistortionMeter {
  const { sampleRateHz } = original
  const frames = prepare(sampleRateHz)
  const count = Math.ceil(Math.floor(original.frames / frames.size) / frameStep)
  const masks = new Float64Array(count * cellCount)
  for (let f = 0; f < count; f++) {
    const row = masks.subarray(f * cellCount, (f + 1) * cellCount)
    row.set(differenceBands(frames, original, 0, original, f * frameStep * frames.size))
    invertMasks(row, frames.across)
  }
  return (processed) => {
    const bands = prepare(sampleRateHz)
    let sum = 0
    for (let f = 0; f < count; f++) {
      const errors = differenceBands(bands, original, gain, processed, f * frameStep * bands.size)
      sum += meanExcessDb(errors, masks, f * cellCount, 1 / (viewCount * gain ** 2))
    }
    return sum / Math.max(1, count)
  }
}

/** Mean over the bands of 10·log10(1 + error / mask), given `share` of the sum over left, right, mid and side. */
function meanExcessDb(errors: Float64Array, masks: Float64Array, first: number, share: number): number {
  let sum = 0
  for (let b = 0; b < bandCount; b++) {
    let excess = 0
    for (let i = b; i < cellCount; i += bandCount) excess += errors[i]! * masks[first + i]!
    sum += powerToDb(1 + excess * share)
  }
  return sum / bandCount
}
