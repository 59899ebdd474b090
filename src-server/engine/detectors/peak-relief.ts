import { createBiquadCascade } from '../biquad.ts'
import type { Audio } from '../block.ts'
import { dbToGain, gainToDb } from '../units.ts'
import { faultSection, type ToneFault, toneFaults } from './tone-evidence.ts'

/** A typical fault of tone, or of width: the side a factor of two too small or too large. */
export type Fault = ToneFault['kind'] | 'narrowed' | 'widened'

/** How much better the peaks of a piece line up once a fault is undone; see {@link describePeakRelief}. */
export type PeakRelief = Readonly<Record<Fault, number>>

/** What narrowing and widening in their usual size do to the side, dB. */
export const usualWidthFaultDb = 6

const windowSeconds = 1
const mostWindows = 30
const blockSeconds = 0.02
/** Added to both sides of the ratio, so that pieces whose peaks are all alike do not divide by nothing, dB. */
const levelledDb = 0.1

/**
 * Returns, for every fault, the natural logarithm of the ratio between the crest of the loudest moments as they are and once the fault is undone in its usual
 * size: above 0 where undoing it evens the peaks out. Music is finished by limiting, which leaves many peaks at one height; a filter or a change of
 * the width that came afterwards throws them about, and only its inverse lines them up again, whatever the music's own colour. Crest is the 64th-order mean of the
 * peaks of 20 ms against the fourth-order one, over the 30 s that hold the highest peaks; shorter pieces say less, in proportion. `peakDbfs` are the piece's largest samples, one per `stepSeconds`.
 * 0 for silence, for less than a second, and for the widths of mono. Never throws.
 */
export function describePeakRelief(audio: Audio, peakDbfs: readonly number[], stepSeconds: number): PeakRelief {
  const trials: readonly Trial[] = [
    unchanged,
    ...toneFaults.map((fault) => undoing(fault, audio.sampleRateHz)),
    sideScaled(usualWidthFaultDb),
    sideScaled(-usualWidthFaultDb),
  ]
  const peaks = trials.map((): number[] => [])
  const windowFrames = Math.round(windowSeconds * audio.sampleRateHz)
  const left = new Float32Array(windowFrames)
  const right = new Float32Array(windowFrames)
  const windows = loudestWindows(peakDbfs, stepSeconds)
  const weight = windows.length / mostWindows
  for (const start of windows) {
    const first = Math.round(start * audio.sampleRateHz)
    if (first + windowFrames > audio.frames) continue
    for (const [t, trial] of trials.entries()) {
      left.set(audio.channels[0]!.subarray(first, first + windowFrames))
      right.set((audio.channels[1] ?? audio.channels[0]!).subarray(first, first + windowFrames))
      trial(left, right)
      pushBlockPeaks(left, right, Math.round(blockSeconds * audio.sampleRateHz), peaks[t]!)
    }
  }
  const [crest, ...undone] = peaks.map(crestDb) as [number, ...number[]]
  const relief = undone.map((each) => weight * Math.log((crest + levelledDb) / (each + levelledDb)))
  const [mud, harshness, dullness, narrowed, widened] = relief as [number, number, number, number, number]
  return { mud, harshness, dullness, narrowed, widened }
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

/** First seconds of the windows that hold the highest peaks. */
function loudestWindows(peakDbfs: readonly number[], stepSeconds: number): number[] {
  const steps = Math.round(windowSeconds / stepSeconds)
  const windows = Array.from({ length: Math.floor(peakDbfs.length / steps) }, (_, w) => ({
    start: w * steps * stepSeconds,
    peak: Math.max(...peakDbfs.slice(w * steps, (w + 1) * steps)),
  }))
  return windows
    .sort((one, other) => (one.peak === other.peak ? one.start - other.start : other.peak - one.peak))
    .slice(0, mostWindows)
    .map(({ start }) => start)
}

function pushBlockPeaks(left: Float32Array, right: Float32Array, frames: number, peaks: number[]): void {
  // The first block is left out: there the filter has not seen what went before.
  for (let start = frames; start + frames <= left.length; start += frames) {
    let peak = 0
    for (let i = start; i < start + frames; i++) peak = Math.max(peak, Math.abs(left[i]!), Math.abs(right[i]!))
    peaks.push(peak)
  }
}

/** 64th-order against fourth-order mean, dB; 0 for silence and no peaks. */
function crestDb(peaks: readonly number[]): number {
  const highest = peaks.reduce((most, peak) => Math.max(most, peak), 0)
  if (!(highest > 1e-6)) return 0
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
