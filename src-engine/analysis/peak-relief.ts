import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import type { Audio } from '../dsp/block.ts'
import { quantile } from '../dsp/meters/spectrum.ts'
import { dbToGain, gainToDb, mix } from '../dsp/units.ts'
import { halfAt, type WithHalves } from './halves.ts'
import { faultSection, type ToneFault, toneFaults } from './tone-evidence.ts'

/** A typical fault of tone, or of width, the side a factor of two too small or too large. */
export type Fault = ToneFault['kind'] | 'narrowed' | 'widened'

/** Evidence for one fault in the heights of the peaks, as natural logarithms of ratios. */
export interface FaultRelief {
  /** Reduction of the crest by undoing the fault: positive if the highest peaks even out. */
  readonly crest: number
  /** Sharpening of the upper edge of the heights by undoing the fault. */
  readonly edge: number
  /** Softening of that edge by applying the fault once more. */
  readonly edgeAgain: number
}

/** Alignment of a piece's peaks, unchanged and with each fault undone; see {@link describePeakRelief}. */
export interface PeakRelief {
  /** Crest of the loudest moments, dB: below 1 dB the piece was certainly limited, above 2.5 dB it was not. */
  readonly crestDb: number
  readonly faults: Readonly<Record<Fault, FaultRelief>>
}

/** Gain of the side by narrowing and widening in their usual size, dB. */
export const usualWidthFaultDb = 6

const windowSeconds = 1
const mostWindows = 30
const blockSeconds = 0.02
/** Added to both sides of a ratio to avoid division by zero if all peaks are alike, dB. */
const levelledDb = 0.1
const sharpDb = 0.003
/** Crest assumed for pieces too short to measure, dB: undecided between limited and unlimited. */
const unknownCrestDb = 2.5

/**
 * Returns the evidence of the 20 ms peaks for every fault, over the 30 s with the highest ones, and over the 15 s of each half of the
 * piece. Music is finished by limiting, which leaves many peaks at one height; a later filter or change of width scatters them, and only
 * its inverse lines them up again, whatever the music's own colour. Two statistics are compared: the *crest*, 64th-order against
 * fourth-order mean, of the unchanged piece and with a fault of the usual size undone; and the softness of the upper *edge* of the heights
 * ({@link edgeSoftnessDb}), unchanged, with the fault undone and with it applied once more. The third mirrors the change in dB that undoing
 * makes to each peak. Shorter pieces say less, in proportion. `peakDbfs` are the piece's largest samples, one per `stepSeconds`. All zeros,
 * with a crest of 2.5 dB, for silence and for less than a second; zeros for the widths of mono. Never throws.
 */
export function describePeakRelief(
  audio: Audio,
  peakDbfs: readonly number[],
  stepSeconds: number,
): WithHalves<PeakRelief> {
  const loudest = windowsByPeak(peakDbfs, stepSeconds)
  const durationSeconds = audio.frames / audio.sampleRateHz
  const ofHalf = (half: 0 | 1): number[] =>
    loudest.filter((start) => halfAt(start + windowSeconds / 2, durationSeconds) === half).slice(0, mostWindows / 2)
  const whole = loudest.slice(0, mostWindows)
  const halves = [ofHalf(0), ofHalf(1)] as const
  const peaksAt = peaksOfWindows(audio, new Set([...whole, ...halves.flat()]))
  const reliefOver = (starts: readonly number[], most: number): PeakRelief =>
    reliefOf(
      starts.flatMap((start) => peaksAt.get(start) ?? []),
      starts.length / most,
    )
  return {
    whole: reliefOver(whole, mostWindows),
    halves: [reliefOver(halves[0], mostWindows / 2), reliefOver(halves[1], mostWindows / 2)],
  }
}

/** Highest samples of the blocks of one window: unchanged, and with each fault undone. */
type WindowPeaks = readonly (readonly number[])[]

/** Returns the peaks of the windows that begin at `starts` (s) and end within the piece. */
function peaksOfWindows(audio: Audio, starts: ReadonlySet<number>): ReadonlyMap<number, WindowPeaks> {
  const trials: readonly Trial[] = [
    unchanged,
    ...toneFaults.map((fault) => undoing(fault, audio.sampleRateHz)),
    sideScaled(usualWidthFaultDb),
    sideScaled(-usualWidthFaultDb),
  ]
  const windowFrames = Math.round(windowSeconds * audio.sampleRateHz)
  const left = new Float32Array(windowFrames)
  const right = new Float32Array(windowFrames)
  const found = new Map<number, WindowPeaks>()
  for (const start of starts) {
    const first = Math.round(start * audio.sampleRateHz)
    if (first + windowFrames > audio.frames) continue
    const peaks = trials.map((trial) => {
      left.set(audio.channels[0]!.subarray(first, first + windowFrames))
      right.set(audio.channels[1]!.subarray(first, first + windowFrames))
      trial(left, right)
      return blockPeaks(left, right, Math.round(blockSeconds * audio.sampleRateHz))
    })
    found.set(start, peaks)
  }
  return found
}

/** Returns the relief over windows, as peaks of one trial after another; `share` scales the evidence by the number of windows, 0 to 1. */
function reliefOf(windows: readonly (readonly number[])[], share: number): PeakRelief {
  const trialCount = 1 + toneFaults.length + 2
  const [asIs, ...undone] = Array.from({ length: trialCount }, (_, t) =>
    windows.filter((_, i) => i % trialCount === t).flat(),
  ) as [number[], ...number[][]]
  const weight = isSilent(asIs) ? 0 : share
  const crest = crestDb(asIs)
  const [mud, harshness, dullness, narrowed, widened] = undone.map((each): FaultRelief => {
    if (weight === 0) return { crest: 0, edge: 0, edgeAgain: 0 }
    const [again, own, without] = [-1, 0, 1].map((times) => edgeSoftnessDb(asIs, each, times)) as [
      number,
      number,
      number,
    ]
    return {
      crest: weight * Math.log((crest + levelledDb) / (crestDb(each) + levelledDb)),
      edge: weight * Math.log((own + sharpDb) / (without + sharpDb)),
      edgeAgain: weight * Math.log((again + sharpDb) / (own + sharpDb)),
    }
  }) as [FaultRelief, FaultRelief, FaultRelief, FaultRelief, FaultRelief]
  return {
    crestDb: mix(unknownCrestDb, crest, weight),
    faults: { mud, harshness, dullness, narrowed, widened },
  }
}

/** Changes one window in place. */
type Trial = (left: Float32Array, right: Float32Array) => void

const unchanged: Trial = () => undefined

function undoing(fault: ToneFault, sampleRateHz: number): Trial {
  const cascade = createBiquadCascade([faultSection(fault, sampleRateHz, -fault.usualDb)])
  return (left, right) => {
    cascade.reset()
    cascade.process({ channels: [left, right], frames: left.length })
  }
}

function sideScaled(gainDb: number): Trial {
  const gain = dbToGain(gainDb)
  const own = (1 + gain) / 2
  const other = (1 - gain) / 2
  return (left, right) => {
    for (let i = 0; i < left.length; i++) {
      const l = left[i]!
      const r = right[i]!
      left[i] = own * l + other * r
      right[i] = other * l + own * r
    }
  }
}

/** First seconds of all windows, those with the highest peaks first. */
function windowsByPeak(peakDbfs: readonly number[], stepSeconds: number): number[] {
  const steps = Math.round(windowSeconds / stepSeconds)
  const windows = Array.from({ length: Math.floor(peakDbfs.length / steps) }, (_, w) => ({
    start: w * steps * stepSeconds,
    peak: Math.max(...peakDbfs.slice(w * steps, (w + 1) * steps)),
  }))
  return windows
    .sort((one, other) => (one.peak === other.peak ? one.start - other.start : other.peak - one.peak))
    .map(({ start }) => start)
}

function blockPeaks(left: Float32Array, right: Float32Array, frames: number): number[] {
  const peaks: number[] = []
  // The first block is left out: the filter is still settling there.
  for (let start = frames; start + frames <= left.length; start += frames) {
    let peak = 0
    for (let i = start; i < start + frames; i++) peak = Math.max(peak, Math.abs(left[i]!), Math.abs(right[i]!))
    peaks.push(peak)
  }
  return peaks
}

/** Samples below this are silence, linear. */
const silence = 1e-6

function isSilent(peaks: readonly number[]): boolean {
  return !peaks.some((peak) => peak > silence)
}

/** Quantile that counts as the upper edge of the heights. */
const edgeQuantile = 0.95

/**
 * Softness of the upper end of the heights of `peaks`, dB, after each was changed by `times` the effect of undoing the fault: mean distance
 * from the 95th percentile, weighted 0.95 above it and 0.05 below. This is the loss that the percentile minimises (R. Koenker, G. Bassett,
 * Econometrica 46(1), 1978).
 */
function edgeSoftnessDb(peaks: readonly number[], undone: readonly number[], times: number): number {
  const heights = Float64Array.from(peaks, (peak, i) => {
    const own = gainToDb(Math.max(peak, silence))
    return own + times * (gainToDb(Math.max(undone[i]!, silence)) - own)
  }).sort()
  const edge = quantile(heights, edgeQuantile)
  const sum = heights.reduce((total, height) => {
    const above = height - edge
    return total + (above > 0 ? edgeQuantile * above : (edgeQuantile - 1) * above)
  }, 0)
  return sum / heights.length
}

/** 64th-order against fourth-order mean, dB; 0 for silence and no peaks. */
function crestDb(peaks: readonly number[]): number {
  const highest = peaks.reduce((most, peak) => Math.max(most, peak), 0)
  if (!(highest > silence)) return 0
  let fourth = 0
  let high = 0
  for (const peak of peaks) {
    const square = (peak / highest) * (peak / highest)
    const fourthPower = square * square
    fourth += fourthPower
    // To the sixteenth by squaring four times.
    let highPower = fourthPower
    for (let doubling = 0; doubling < 4; doubling++) highPower *= highPower
    high += highPower
  }
  return gainToDb(high / peaks.length) / 64 - gainToDb(fourth / peaks.length) / 4
}
