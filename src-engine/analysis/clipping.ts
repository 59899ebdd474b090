import type { ClipLevels } from '../../src-contract/stages/declip.ts'
import type { AudioBlock } from '../dsp/block.ts'
import { sumStereo } from '../dsp/meters/sums.ts'

/** Result of the search for flat tops. */
export interface Clipping {
  /** Per channel. */
  readonly levels: readonly ClipLevels[]
  /** Flat tops over all channels, as {@link flatTops} finds them. */
  readonly count: number
}

/** Fewest neighbouring samples of a flat top, as in the practice of peak-clip counters (three or more equal full-scale samples). */
const shortestFlatTop = 3
/** Tolerance of a flat top's samples, as a part of the extreme: about 3 LSB of 16 bit. */
export const flatTopTolerance = 1e-4
/** Fewest flat tops that count: fewer may be chance or a synthetic waveform's crest. */
const fewestFlatTops = 5
/** Jump, as a part of the height, that suggests a pulse instead of clipping. */
const pulseJump = 0.8
/** Frames around a top that are searched for the quantisation step, and fewest steps in a wave for the step to be recognised. */
const nearby = 64
const fewestSteps = 25

/**
 * Returns the levels of flat clipping. A flat top counts only if each of the two samples next to it lies clearly below it (by five times
 * the tolerance; beside three samples of a smooth crest it is at most four times) and, if samples are coarse, more than two steps below.
 * This excludes the crest of a low note, the top of a square wave behind a low-pass, approached ever more slowly, and the top of a pulse,
 * entered or left in one sample. Clipping encoded by a lossy codec leaves no flat tops and is not found; nor is anything in silence. Never
 * throws.
 */
export function findClipping({ channels }: AudioBlock): Clipping {
  const found = channels.map((samples) => {
    const peaks = blockPeaks(samples)
    return { above: cutOff(samples, peaks, 1), below: cutOff(samples, peaks, -1) }
  })
  return {
    levels: found.map(({ above, below }) => ({ positive: above.level, negative: below.level })),
    count: found.reduce((sum, { above, below }) => sum + above.count + below.count, 0),
  }
}

const blockFrames = 4096

/** The largest |sample| of every block; most blocks can be skipped by it. */
function blockPeaks(samples: Float32Array): Float64Array {
  return Float64Array.from({ length: Math.ceil(samples.length / blockFrames) }, (_, b) => {
    const end = Math.min(samples.length, (b + 1) * blockFrames)
    return sumStereo(samples, samples, b * blockFrames, end).peak
  })
}

function highest(samples: Float32Array, peaks: Float64Array, sign: 1 | -1): number {
  let level = 0
  for (let b = 0; b < peaks.length; b++) {
    if (peaks[b]! <= level) continue
    const end = Math.min(samples.length, (b + 1) * blockFrames)
    for (let i = b * blockFrames; i < end; i++) if (samples[i]! * sign > level) level = samples[i]! * sign
  }
  return level
}

/** Clipping level of one side, null if unclipped, and the number of its flat tops. */
function cutOff(samples: Float32Array, peaks: Float64Array, sign: 1 | -1): { level: number | null; count: number } {
  const height = highest(samples, peaks, sign)
  if (height < 1e-3) return { level: null, count: 0 }
  const level = sign * height
  const levels = sign === 1 ? { positive: level, negative: null } : { positive: null, negative: level }
  const tops = flatTops(samples, levels, peaks)
  const gentle = Math.max(height * flatTopTolerance * 5, 2 * Math.min(stepAround(samples, tops), height / fewestSteps))
  const depthAt = (i: number): number => height - samples[i]! * sign
  const clear = tops.filter(([first, end]) => {
    // At an end of the piece the neighbour on the other side stands for both.
    const before = depthAt(first > 0 ? first - 1 : end)
    const after = depthAt(end < samples.length ? end : first - 1)
    const isPulse = Math.max(before, after) > pulseJump * height
    return end - first >= shortestFlatTop && Math.min(before, after) > gentle && !isPulse
  })
  return clear.length >= fewestFlatTops ? { level, count: tops.length } : { level: null, count: 0 }
}

/** Smallest difference between neighbours near the tops; the quantisation step if the samples are coarse. */
function stepAround(samples: Float32Array, tops: readonly (readonly [number, number])[]): number {
  let step = Infinity
  for (const [first, end] of tops) {
    for (let i = Math.max(1, first - nearby); i < Math.min(samples.length, end + nearby); i++) {
      const difference = Math.abs(samples[i]! - samples[i - 1]!)
      if (difference > 0 && difference < step) step = difference
    }
  }
  return step
}

/** The flat tops of one channel as [first, after last] pairs in ascending order; two neighbouring samples are enough. */
export function flatTops(
  samples: Float32Array,
  { positive, negative }: ClipLevels,
  peaks: Float64Array = blockPeaks(samples),
): [number, number][] {
  const high = positive === null ? Number.POSITIVE_INFINITY : positive * (1 - flatTopTolerance)
  const low = negative === null ? Number.NEGATIVE_INFINITY : negative * (1 - flatTopTolerance)
  const runs: [number, number][] = []
  let i = 0
  for (let b = 0; b < peaks.length; b++) {
    if (peaks[b]! < high && -peaks[b]! > low) continue
    const blockEnd = Math.min(samples.length, (b + 1) * blockFrames)
    for (i = nextBeyond(samples, Math.max(i, b * blockFrames), blockEnd, low, high); i < blockEnd; ) {
      const isHigh = samples[i]! >= high
      let end = i + 1
      while (end < samples.length && (isHigh ? samples[end]! >= high : samples[end]! <= low)) end++
      if (end - i >= 2) runs.push([i, end])
      i = nextBeyond(samples, end, blockEnd, low, high)
    }
  }
  return runs
}

/** The first of the samples [first, end) that does not lie between `low` and `high`, or `end` (or `first`, if that is later). */
function nextBeyond(samples: Float32Array, first: number, end: number, low: number, high: number): number {
  let i = first
  while (i < end && samples[i]! < high && samples[i]! > low) i++
  return i
}
