import type { ClickRanges } from '../../src-contract/stages/declick.ts'
import type { Audio } from '../dsp/block.ts'
import { sumStereo } from '../dsp/meters/sums.ts'
import { interpolateGap, predictionErrorFilter } from '../dsp/prediction.ts'

/** Samples per stretch of the quick search. */
const stretch = 512
/** A stretch is examined when its largest second difference is this many times its mean one; noise reaches 5, drums 10. */
const suspicion = 11
/** Order of the predictor whose residual is searched. */
const order = 24
/** Frames on either side of a suspect that count as its surroundings. */
const context = 1024
/** A click's residual stands this many times above the typical (median) residual of its surroundings ... */
const aboveMedian = 30
/** ... and this many times above every other residual within {@link isolation} frames: an onset has a tail, a click does not. */
const aboveNeighbours = 4
const isolation = 480
/** Ratio of the levels on both sides (−40 dB) below which a sound begins or ends at the outlier, and the same for its bending. */
const edgeRatio = 0.01
const edgeBendRatio = 0.1
/** Frames on either side through which a straight line tracks the sound's course. */
const lineFrames = 6
/** Longest period of edges that are a synthesiser's low note, frames (26 Hz and up at 48 kHz). */
const period = 1800
/** Longest click, frames. */
const longest = 24
/** Amplitude (−60 dBFS) below which mending a click is not worth the risk. */
const quietest = 1e-3
/** Clicks per second above which a channel with more than twenty is made of clicks on purpose. */
const mostPerSecond = 8
/**
 * Clicks that hold more than this part of a piece's energy (it would be 10 dB quieter without them) are the piece itself if they are this
 * frequent ...
 */
const mostOfEnergy = 0.9
const oftenPerSecond = 0.2
/** ... or if the rest lies below this mean square (−80 dBFS): silence, with or without dither. */
const silence = 1e-8

/**
 * Returns the clicks of every channel: isolated outliers of the prediction error, of one or two samples or decaying within half a
 * millisecond. Outliers that keep their height for longer are mostly missed: they do not vanish when the gap that their prediction error
 * shows is filled. Musical transients are told apart by their tails. Cost: one pass over second differences, and predictors only where
 * these stand out. Returns no clicks for silence or for a piece made of clicks. The first and last {@link context} frames are not searched.
 * Never throws.
 */
export function findClicks(audio: Audio): ClickRanges[] {
  const { channels, frames, sampleRateHz } = audio
  const most = Math.max(20, (mostPerSecond * frames) / sampleRateHz)
  const found = channels.map((samples) => {
    const clicks: [number, number][] = []
    for (const centre of suspects(samples)) {
      const last = clicks.at(-1)
      if (last && centre < last[1]) continue
      const click = examine(samples, centre)
      if (click) clicks.push(click)
      if (clicks.length > most) return []
    }
    return clicks
  })
  return areThePiece(found, audio) ? channels.map(() => []) : found
}

/** Returns true if mending the clicks would remove the piece itself. */
function areThePiece(clicks: readonly ClickRanges[], { channels, frames, sampleRateHz }: Audio): boolean {
  const count = Math.max(...clicks.map((ranges) => ranges.length))
  if (count === 0) return false
  let inClicks = 0
  let whole = 0
  for (const [c, samples] of channels.entries()) {
    const { left, leftSquare } = sumStereo(samples, samples, 0, frames)
    const mean = left / frames
    whole += leftSquare - left * mean
    for (const [start, end] of clicks[c]!) for (let i = start; i < end; i++) inClicks += (samples[i]! - mean) ** 2
  }
  const isOften = count * sampleRateHz > oftenPerSecond * frames
  const isAlone = whole - inClicks < silence * channels.length * frames
  return inClicks > mostOfEnergy * whole && (isOften || isAlone)
}

function suspects(samples: Float32Array): number[] {
  const found: number[] = []
  for (let start = context; start + stretch <= samples.length - context; start += stretch) {
    let sum = 0
    let largest = 0
    let at = 0
    let before = samples[start - 1]!
    let here = samples[start]!
    for (let i = start; i < start + stretch; i++) {
      const next = samples[i + 1]!
      const bend = Math.abs(before - 2 * here + next)
      sum += bend
      if (bend > largest) {
        largest = bend
        at = i
      }
      before = here
      here = next
    }
    if (largest > quietest && largest * stretch > suspicion * sum && isIsolated(samples, at, largest)) found.push(at)
  }
  return found
}

/** Returns true if no second difference around a suspect, apart from its own few samples, comes near the suspect's. */
function isIsolated(samples: Float32Array, at: number, largest: number): boolean {
  const limit = largest / 3
  const first = Math.max(1, at - period)
  const last = Math.min(samples.length - 2, at + period)
  for (let i = first; i <= last; i++) {
    if (i >= at - longest && i <= at + longest) continue
    if (Math.abs(samples[i - 1]! - 2 * samples[i]! + samples[i + 1]!) > limit) return false
  }
  return true
}

function examine(samples: Float32Array, centre: number): [number, number] | null {
  const start = centre - context
  const end = Math.min(samples.length, centre + context)
  const a = predictionErrorFilter(samples, start, end, order)
  const residual = new Float64Array(2 * isolation + 1)
  for (let i = 0; i < residual.length; i++) {
    const n = centre - isolation + i
    let sum = 0
    for (let k = 0; k <= order; k++) sum += a[k]! * (samples[n - k] ?? 0)
    residual[i] = Math.abs(sum)
  }
  const median = Float64Array.from(residual).sort()[isolation]!
  let peak = 0
  for (let i = isolation - longest; i <= isolation + longest; i++) peak = Math.max(peak, residual[i]!)
  if (peak < aboveMedian * median || peak < quietest) return null
  const threshold = Math.max(peak / 20, median * 6)
  let first = isolation + longest
  let last = isolation - longest
  for (let i = isolation - longest; i <= isolation + longest; i++) {
    if (residual[i]! > threshold) {
      first = Math.min(first, i)
      last = Math.max(last, i)
    }
  }
  if (last - first >= longest + order) return null
  for (let i = 0; i < residual.length; i++) {
    // The predictor echoes a click for `order` samples: they belong to it.
    if (i >= first - 2 && i <= last + order) continue
    if (residual[i]! * aboveNeighbours > peak) return null
  }
  const from = centre - isolation + first - 1
  const to = centre - isolation + Math.max(first, last - order + 1) + 2
  const isClick = !isEdge(samples, from, to) && comesBack(samples, from, to) && vanishes(samples, from, to, a, peak)
  return isClick ? [from, to] : null
}

/**
 * Returns true if a sound begins or ends at an outlier: beside silence the filled gap is a ramp, and a jump vanishes on it like a click. A
 * chord cut off over a continuing bass leaves its swing, but nothing that bends as fast.
 */
function isEdge(samples: Float32Array, from: number, to: number): boolean {
  const before = samples.subarray(from - isolation, from - order)
  const after = samples.subarray(to + order, to + isolation)
  return (
    isFarApart(swing(before), swing(after), edgeRatio) || isFarApart(bending(before), bending(after), edgeBendRatio)
  )
}

const isFarApart = (one: number, other: number, ratio: number): boolean =>
  Math.min(one, other) < ratio * Math.max(one, other)

/** Sum of the magnitudes of the second differences. */
function bending(samples: Float32Array): number {
  let sum = 0
  for (let i = 1; i + 1 < samples.length; i++) sum += Math.abs(samples[i - 1]! - 2 * samples[i]! + samples[i + 1]!)
  return sum
}

/** Difference between the highest and the lowest sample. */
function swing(samples: Float32Array): number {
  let lowest = Number.POSITIVE_INFINITY
  let highest = Number.NEGATIVE_INFINITY
  for (const sample of samples) {
    if (sample < lowest) lowest = sample
    if (sample > highest) highest = sample
  }
  return highest - lowest
}

/**
 * Returns true if the sound continues on its course after an outlier. A click leaves the course and returns; a drum that starts at full
 * height stays there, as does an offset that starts before its music. The lines on both sides, extended to the middle, must lie closer
 * together than the outlier stands out.
 */
function comesBack(samples: Float32Array, from: number, to: number): boolean {
  const reach = (to - from + lineFrames) / 2
  const before = lineThrough(samples, from - lineFrames)
  const after = lineThrough(samples, to)
  const jump = after.mean - before.mean - (after.slope + before.slope) * reach
  const first = samples[from - 1]!
  const slope = (samples[to]! - first) / (to - from + 1)
  let height = 0
  for (let i = from; i < to; i++) height = Math.max(height, Math.abs(samples[i]! - first - slope * (i - from + 1)))
  return height > Math.abs(jump)
}

/** Least-squares line through {@link lineFrames} samples: mean and slope per frame. */
function lineThrough(samples: Float32Array, from: number): { mean: number; slope: number } {
  let sum = 0
  let tilt = 0
  for (let i = 0; i < lineFrames; i++) {
    sum += samples[from + i]!
    tilt += (i - (lineFrames - 1) / 2) * samples[from + i]!
  }
  return { mean: sum / lineFrames, slope: (12 * tilt) / (lineFrames * (lineFrames * lineFrames - 1)) }
}

/** Returns true if filling the gap removes the outlier. */
function vanishes(samples: Float32Array, from: number, to: number, a: Float64Array, peak: number): boolean {
  const start = from - 2 * order
  const mended = Float64Array.from(samples.subarray(start, to + 2 * order))
  mended.set(interpolateGap(mended, from - start, to - start, a), from - start)
  for (let i = order; i < mended.length; i++) {
    let sum = 0
    for (let k = 0; k <= order; k++) sum += a[k]! * mended[i - k]!
    if (Math.abs(sum) * aboveNeighbours > peak) return false
  }
  return true
}
