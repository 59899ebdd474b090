import type { Audio } from '../block.ts'
import { gainToDb, powerToDb } from '../units.ts'

/** Seconds between two points of the curves. */
export const curveStepSeconds = 0.1

/** Plain statistics of two channels, one pass over the samples. */
export interface Waveform {
  /** Mean of the samples of each channel, full scale 1. */
  readonly offsets: readonly number[]
  /** Largest distance of the mean of any 5 s of a channel from that channel's mean, full scale 1. */
  readonly offsetDrift: number
  /** Root mean square of each channel without its mean, dBFS; −Infinity for silence. */
  readonly rmsDbfs: readonly number[]
  readonly samplePeakDbfs: number
  /** Sample peak minus RMS of the two channels together, dB; 0 for silence. */
  readonly crestFactorDb: number
  /** Left against right, −1 … 1; 1 for silence. */
  readonly correlation: number
  /** Whether both channels hold the same samples. */
  readonly isDualMono: boolean
  /** Largest |sample| of every {@link curveStepSeconds}, dBFS. */
  readonly peakDbfs: readonly number[]
  /** Correlation of every {@link curveStepSeconds}; 1 where it is silent. */
  readonly correlations: readonly number[]
}

interface Sums {
  left: number
  right: number
  leftSquare: number
  rightSquare: number
  product: number
  peak: number
  unequal: boolean
}

function sumsOf(left: Float32Array, right: Float32Array, start: number, end: number): Sums {
  const sums = { left: 0, right: 0, leftSquare: 0, rightSquare: 0, product: 0, peak: 0, unequal: false }
  let { left: l, right: r, leftSquare, rightSquare, product, peak } = sums
  let unequal = false
  for (let i = start; i < end; i++) {
    const a = left[i]!
    const b = right[i]!
    l += a
    r += b
    leftSquare += a * a
    rightSquare += b * b
    product += a * b
    peak = Math.max(peak, Math.abs(a), Math.abs(b))
    if (a !== b) unequal = true
  }
  return { left: l, right: r, leftSquare, rightSquare, product, peak, unequal }
}

function correlationOf({ leftSquare, rightSquare, product }: Sums): number {
  const norm = Math.sqrt(leftSquare * rightSquare)
  return norm > 1e-14 ? Math.max(-1, Math.min(1, product / norm)) : 1
}

/**
 * Returns the statistics of two-channel audio. Silence has levels of −Infinity, crest factor 0 and correlation 1; no frames count as
 * silence. One channel is read as dual mono. Never throws.
 */
export function measureWaveform(audio: Audio): Waveform {
  const left = audio.channels[0]!
  const right = audio.channels[1] ?? left
  const step = Math.round(audio.sampleRateHz * curveStepSeconds)
  const total: Sums = { left: 0, right: 0, leftSquare: 0, rightSquare: 0, product: 0, peak: 0, unequal: false }
  const peakDbfs: number[] = []
  const correlations: number[] = []
  const stepSums: [number, number][] = []
  for (let start = 0; start < audio.frames; start += step) {
    const sums = sumsOf(left, right, start, Math.min(audio.frames, start + step))
    total.left += sums.left
    total.right += sums.right
    total.leftSquare += sums.leftSquare
    total.rightSquare += sums.rightSquare
    total.product += sums.product
    total.peak = Math.max(total.peak, sums.peak)
    total.unequal ||= sums.unequal
    peakDbfs.push(gainToDb(sums.peak))
    correlations.push(correlationOf(sums))
    stepSums.push([sums.left, sums.right])
  }
  const frames = Math.max(1, audio.frames)
  const offsets = [total.left / frames, total.right / frames]
  const rms = (square: number, offset: number): number => powerToDb(Math.max(0, square / frames - offset * offset))
  const meanSquare = (total.leftSquare + total.rightSquare) / (2 * frames)
  return {
    offsets,
    offsetDrift: driftOf(stepSums, step, offsets),
    rmsDbfs: [rms(total.leftSquare, offsets[0]!), rms(total.rightSquare, offsets[1]!)],
    samplePeakDbfs: gainToDb(total.peak),
    crestFactorDb: meanSquare > 0 ? gainToDb(total.peak) - powerToDb(meanSquare) : 0,
    correlation: correlationOf(total),
    isDualMono: !total.unequal,
    peakDbfs,
    correlations,
  }
}

function driftOf(stepSums: readonly [number, number][], step: number, offsets: readonly number[]): number {
  const window = Math.round(5 / curveStepSeconds)
  let drift = 0
  for (let start = 0; start + window <= stepSums.length; start += window) {
    for (let c = 0; c < 2; c++) {
      let sum = 0
      for (let i = start; i < start + window; i++) sum += stepSums[i]![c]!
      drift = Math.max(drift, Math.abs(sum / (window * step) - offsets[c]!))
    }
  }
  return drift
}
