/** DC offset of a master, left by a drifting source or by a limiter that takes more from one side of the waves. */

import type { AudioBlock } from '../dsp/block.ts'
import { type StereoSums, sumStereo } from '../dsp/meters/sums.ts'
import { clamp, dbToGain } from '../dsp/units.ts'

/** Largest mean of a channel that does not count as an offset, dBFS. */
export const noOffsetDbfs = -80
/** RMS over the song above which a moving offset is followed, dBFS; limited music has up to −45. */
const driftDbfs = -40
/**
 * Largest mean or drift removed here, dBFS. Anything larger is the source's own: its repair removes it earlier or was skipped, and removing
 * it here would move the peaks by more than the ceiling can follow.
 */
const mostOffsetDbfs = -30
/** RMS over 100 ms below which a channel counts as silent, dBFS: silence is left unchanged. */
const silentDbfs = -60
/** Least share of a channel's time that must allow removal of its offset. */
const leastPart = 0.1

/** Time between two controls of the curve, s: it follows movements slower than 2 s and none faster than 1 s. */
const knotSeconds = 1
const stepSeconds = 0.1
/** Knots before the first and after the last non-zero one: a spline reaches two knots to either side. */
const reach = 2
/** Rounds of smoothing, the second on the residue of the first: a drift of 10 s is then followed to 1.5 per cent. */
const rounds = 2

/** Curve that takes the offset out of a channel. */
interface OffsetCurve {
  /** Controls of a uniform cubic B-spline, at knots from frame 0 on. */
  readonly controls: Float64Array
  /** Linear level without removal: the removed part falls with the square of the sample. Infinity: the same for all samples. */
  readonly ceiling: number
}

/** Offset of a planned master, and the curves that remove it. */
export interface ResultOffset {
  /** Mean of each channel, full scale 1. */
  readonly means: readonly number[]
  readonly knotFrames: number
  /** One for each channel. */
  readonly curves: readonly OffsetCurve[]
}

/** Sums of a planned master in steps of 100 ms; the last may be shorter. */
export function stepSumsOf(blocks: Iterable<AudioBlock>, sampleRateHz: number): StereoSums[] {
  const stepFrames = Math.round(sampleRateHz * stepSeconds)
  const steps: StereoSums[] = []
  for (const { channels, frames } of blocks) {
    for (let at = 0; at < frames; at += stepFrames) {
      steps.push(sumStereo(channels[0]!, channels[1]!, at, Math.min(frames, at + stepFrames)))
    }
  }
  return steps
}

/** Frames of a block that divides into whole steps of {@link stepSumsOf} and whole groups of the limiter. */
export const wholeStepsFrames = (sampleRateHz: number): number => 8 * Math.round(sampleRateHz * stepSeconds)

/**
 * Returns the offset of a master and the curves to subtract, given its sums in steps of 100 ms and the linear level that its limiter holds
 * (Infinity without one); null if every mean is −80 dBFS or less and steady. A curve is 0 within 2 s of silence and at both ends; elsewhere
 * it is level unless the offset moves, and its mean equals the channel's. A level curve removes nothing at the ceiling, so limited peaks
 * keep their height. A channel keeps its offset if it sounds for less than a tenth of its time, never for 4 s, or if its mean or drift
 * exceeds −30 dBFS. Pure.
 */
export function offsetOf(steps: readonly StereoSums[], sampleRateHz: number, ceiling: number): ResultOffset | null {
  const frames = steps.reduce((sum, step) => sum + step.frames, 0)
  if (frames === 0) return null
  const channels = [
    steps.map(({ left, leftSquare }) => ({ sum: left, square: leftSquare })),
    steps.map(({ right, rightSquare }) => ({ sum: right, square: rightSquare })),
  ]
  const lengths = steps.map((step) => step.frames)
  const curves = channels.map((channel) => channelCurve(channel, lengths, ceiling))
  if (curves.every((curve) => curve === null)) return null
  const none = { controls: new Float64Array(knotCount(steps.length)), ceiling }
  return {
    means: channels.map((channel) => total(channel.map(({ sum }) => sum)) / frames),
    knotFrames: Math.round(sampleRateHz * knotSeconds),
    curves: curves.map((curve) => curve ?? none),
  }
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** Number of knots of a spline over `steps`. */
const knotCount = (steps: number): number => Math.ceil(steps * (stepSeconds / knotSeconds)) + 1

/** Weight of the knot `distance` knots away: the uniform cubic B-spline. */
function weightAt(distance: number): number {
  const x = Math.abs(distance)
  if (x >= 2) return 0
  return x >= 1 ? (2 - x) ** 3 / 6 : 2 / 3 - x * x * (1 - x / 2)
}

/** Place of the middle of a step, in knots. */
const placeOf = (step: number): number => (step + 0.5) * (stepSeconds / knotSeconds)

/** Calls `take` for every knot within reach of a step's middle. */
function forKnots(step: number, count: number, take: (knot: number, weight: number) => void): void {
  const place = placeOf(step)
  for (let knot = Math.max(0, Math.ceil(place - reach)); knot < Math.min(count, place + reach); knot++) {
    take(knot, weightAt(place - knot))
  }
}

interface StepOfChannel {
  readonly sum: number
  readonly square: number
}

/** Curve for one channel; null if there is nothing to remove, or nowhere to remove it. */
function channelCurve(
  steps: readonly StepOfChannel[],
  lengths: readonly number[],
  ceiling: number,
): OffsetCurve | null {
  const frames = total(lengths)
  const mean = total(steps.map(({ sum }) => sum)) / frames
  const open = openKnots(steps, lengths)
  const openIn = (values: readonly number[]): number =>
    knotSums(values, open.length).reduce((sum, value, knot) => sum + value * open[knot]!, 0)
  const openFrames = openIn(lengths)
  if (openFrames < leastPart * frames) return null
  const moving = movingCurve(steps, lengths, open)
  const weights = knotSums(lengths, open.length)
  const sumOver = (value: (control: number) => number): number =>
    moving.reduce((sum, control, knot) => sum + value(control) * weights[knot]!, 0)
  const drift = Math.sqrt(sumOver((control) => control * control) / openFrames)
  if (Math.max(drift, Math.abs(mean)) > dbToGain(mostOffsetDbfs)) return null
  if (drift > dbToGain(driftDbfs)) {
    const level = (mean * frames - sumOver((control) => control)) / openFrames
    return { controls: moving.map((control, knot) => control + level * open[knot]!), ceiling: Infinity }
  }
  if (Math.abs(mean) <= dbToGain(noOffsetDbfs)) return null
  const level = (mean * frames) / openIn(steps.map(({ square }, i) => lengths[i]! - square / ceiling ** 2))
  return { controls: open.map((isOpen) => level * isOpen), ceiling }
}

/** 1 for each knot with continuous sound in its reach and both ends outside it, else 0. */
function openKnots(steps: readonly StepOfChannel[], lengths: readonly number[]): Float64Array {
  const open = new Float64Array(knotCount(steps.length)).fill(1)
  const silent = dbToGain(silentDbfs) ** 2
  for (const [i, { square }] of steps.entries()) {
    if (square >= silent * lengths[i]!) continue
    forKnots(i, open.length, (knot) => {
      open[knot] = 0
    })
  }
  const end = steps.length * (stepSeconds / knotSeconds)
  return open.map((isOpen, knot) => (knot < reach || knot > end - reach ? 0 : isOpen))
}

/** Weighted sums of the steps' values, one per knot. */
function knotSums(values: readonly number[], count: number): Float64Array {
  const sums = new Float64Array(count)
  for (const [i, value] of values.entries()) {
    forKnots(i, count, (knot, weight) => {
      sums[knot]! += weight * value
    })
  }
  return sums
}

/** Controls of the smoothed means at open knots, else 0. */
function movingCurve(
  steps: readonly StepOfChannel[],
  lengths: readonly number[],
  open: Float64Array,
): Float64Array<ArrayBufferLike> {
  const weights = knotSums(lengths, open.length)
  const controls = new Float64Array(open.length)
  let left = steps.map(({ sum }) => sum)
  for (let round = 0; round < rounds; round++) {
    const sums = knotSums(left, open.length)
    const added = sums.map((sum, knot) => (open[knot] === 1 ? sum / weights[knot]! : 0))
    left = left.map((sum, i) => {
      let curve = 0
      forKnots(i, open.length, (knot, weight) => {
        curve += weight * added[knot]!
      })
      return sum - curve * lengths[i]!
    })
    for (const [knot, control] of added.entries()) controls[knot]! += control
  }
  return controls
}

/** Subtracts an offset from a block that begins at frame `first` of the master, in place. */
export function subtractOffset({ curves, knotFrames }: ResultOffset, first: number, block: AudioBlock): void {
  for (const [c, samples] of block.channels.entries()) {
    const { controls, ceiling } = curves[c]!
    for (let at = 0; at < block.frames; ) {
      const knot = Math.floor((first + at) / knotFrames)
      const end = Math.min(block.frames, (knot + 1) * knotFrames - first)
      const x = (first + at) / knotFrames - knot
      subtractSpan(samples.subarray(at, end), x, 1 / knotFrames, nearControls(controls, knot), 1 / ceiling ** 2)
      at = end
    }
  }
}

type Four = readonly [number, number, number, number]

/** The four controls that reach between a knot and the next. */
function nearControls(curve: Float64Array, knot: number): Four {
  const at = (k: number): number => curve[clamp(k, 0, curve.length - 1)] ?? 0
  return [at(knot - 1), at(knot), at(knot + 1), at(knot + 2)]
}

/** Subtracts the spline, reduced by the square of each sample, from samples that begin at the fraction `x` between two knots. */
function subtractSpan(samples: Float32Array, x: number, step: number, [a, b, c, d]: Four, keptPerSquare: number): void {
  if (a === 0 && b === 0 && c === 0 && d === 0) return
  const cubic = (d - a) / 6 + (b - c) / 2
  const square = (a + c) / 2 - b
  const slope = (c - a) / 2
  const level = (a + 4 * b + c) / 6
  for (let i = 0; i < samples.length; i++) {
    const t = x + i * step
    const sample = samples[i]!
    samples[i] = sample - (((cubic * t + square) * t + slope) * t + level) * (1 - keptPerSquare * sample * sample)
  }
}
