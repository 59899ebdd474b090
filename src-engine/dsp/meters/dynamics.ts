import type { Audio } from '../block.ts'
import { clamp, finiteOrNull, gainToDb, powerToDb } from '../units.ts'
import { correlationOf, crestFactorDb, joinSums, noSums, type StereoSums, sumStereo } from './sums.ts'

/** Seconds between two points of the curves. */
export const curveStepSeconds = 0.1

/** Curves over time for the report, one point every `stepSeconds`. */
export interface Curves {
  readonly stepSeconds: number
  /** Loudness of the 3 s that end at each point; null before 3 s and for silence. */
  readonly shortTermLufs: readonly (number | null)[]
  /** Largest sample of each step; null for silence. */
  readonly peakDbfs: readonly (number | null)[]
  /** Left against right in each step; 1 for silence. */
  readonly correlation: readonly number[]
}

/**
 * Returns the curves of peaks and correlations, one per {@link curveStepSeconds}, and of the short-term loudness as a loudness meter gives
 * it: from 3 s on, without an incomplete last step.
 */
export function curvesOf(
  shortTermLufs: Float64Array,
  peakDbfs: readonly number[],
  correlation: readonly number[],
): Curves {
  const lead = Math.round(3 / curveStepSeconds) - 1
  return {
    stepSeconds: curveStepSeconds,
    shortTermLufs: peakDbfs.map((_, i) => finiteOrNull(shortTermLufs[i - lead] ?? Number.NaN)),
    peakDbfs: peakDbfs.map(finiteOrNull),
    correlation,
  }
}

/** Plain statistics of two channels, one pass over the samples. */
export interface Waveform {
  /** Mean of the samples of each channel, full scale 1. */
  readonly offsets: readonly number[]
  /**
   * Drift of the offset: largest distance between a channel's mean and the mean of any 5 s, or of any 100 ms that stay closer to zero than
   * a quarter of it, since silence does not share the offset. Full scale 1.
   */
  readonly offsetDrift: number
  /**
   * Common part of the means of all whole seconds, per channel: the mean nearest to zero, limited to the peak of the quietest whole step,
   * since quieter silence does not share the offset; 0 if their signs differ. Full scale 1.
   */
  readonly standingOffsets: readonly number[]
  /** Root mean square of each channel without its mean, dBFS; −Infinity for silence. */
  readonly rmsDbfs: readonly number[]
  readonly samplePeakDbfs: number
  /** Sample peak minus RMS of the two channels together, dB; 0 for silence. */
  readonly crestFactorDb: number
  /** Left against right, −1 … 1; 1 for silence. */
  readonly correlation: number
  /** True if both channels hold the same samples. */
  readonly isDualMono: boolean
  /** Largest |sample| of every {@link curveStepSeconds}, dBFS. */
  readonly peakDbfs: readonly number[]
  /** Correlation of every {@link curveStepSeconds}; 1 for silence. */
  readonly correlations: readonly number[]
}

/**
 * Returns the statistics of two-channel audio. Silence has levels of −Infinity, crest factor 0 and correlation 1; no frames count as
 * silence. Never throws.
 */
export function measureWaveform(audio: Audio): Waveform {
  const left = audio.channels[0]!
  const right = audio.channels[1]!
  // Rounded one by one: at 11 025 Hz a step is not a whole number of frames.
  const startOf = (step: number): number => Math.round(step * curveStepSeconds * audio.sampleRateHz)
  let total = noSums
  const peakDbfs: number[] = []
  const correlations: number[] = []
  const steps: StereoSums[] = []
  for (let step = 0; startOf(step) < audio.frames; step++) {
    const sums = sumStereo(left, right, startOf(step), Math.min(audio.frames, startOf(step + 1)))
    total = joinSums(total, sums)
    peakDbfs.push(gainToDb(sums.peak))
    correlations.push(correlationOf(sums))
    steps.push(sums)
  }
  const frames = Math.max(1, audio.frames)
  const offsets = [total.left / frames, total.right / frames]
  const rms = (square: number, offset: number): number => powerToDb(Math.max(0, square / frames - offset * offset))
  return {
    offsets,
    offsetDrift: Math.max(...offsets.map((offset, c) => driftOf(steps, c === 0 ? 'left' : 'right', offset))),
    standingOffsets: [standingOf(steps, 'left'), standingOf(steps, 'right')],
    rmsDbfs: [rms(total.leftSquare, offsets[0]!), rms(total.rightSquare, offsets[1]!)],
    samplePeakDbfs: gainToDb(total.peak),
    crestFactorDb: crestFactorDb(total),
    correlation: correlationOf(total),
    isDualMono: total.isDualMono,
    peakDbfs,
    correlations,
  }
}

function driftOf(steps: readonly StereoSums[], channel: 'left' | 'right', offset: number): number {
  const window = Math.round(5 / curveStepSeconds)
  let drift = 0
  let sum = 0
  let frames = 0
  for (const [i, step] of steps.entries()) {
    if (step.peak < Math.abs(offset) / 4) drift = Math.max(drift, Math.abs(step[channel] / step.frames - offset))
    sum += step[channel]
    frames += step.frames
    if ((i + 1) % window > 0) continue
    drift = Math.max(drift, Math.abs(sum / frames - offset))
    sum = 0
    frames = 0
  }
  return drift
}

function standingOf(steps: readonly StereoSums[], channel: 'left' | 'right'): number {
  const window = Math.round(1 / curveStepSeconds)
  let least = Infinity
  let most = -Infinity
  for (let first = 0; first + window < steps.length; first += window) {
    const second = steps.slice(first, first + window)
    const mean = second.reduce((sum, step) => sum + step[channel] / step.frames, 0) / window
    least = Math.min(least, mean)
    most = Math.max(most, mean)
  }
  // The few frames of an incomplete last step may all lie near zero, whatever the offset.
  const quietest = steps.slice(0, -1).reduce((peak, step) => Math.min(peak, step.peak), Infinity)
  return least > most ? 0 : clamp(Math.max(0, least) + Math.min(0, most), -quietest, quietest)
}
