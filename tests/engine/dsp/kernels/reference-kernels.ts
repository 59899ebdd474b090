/**
 * The kernels in plain TypeScript: what each of them computes, said as simply as possible. They define the kernels, serve the tests as
 * oracle and are never used at run time.
 */
import type { Biquad } from '../../../../src-engine/dsp/biquad.ts'
import { kaiser, sinc } from '../../../../src-engine/dsp/window.ts'

/** Sections in series at rest, transposed direct form II: filters one sample after the other. */
function inSeries(sections: readonly Biquad[]): (x: number) => number {
  const state = sections.map(() => [0, 0] as [number, number])
  return (x) => {
    let value = x
    for (const [k, { b0, b1, b2, a1, a2 }] of sections.entries()) {
      const s = state[k]!
      const y = b0 * value + s[0]
      s[0] = b1 * value - a1 * y + s[1]
      s[1] = b2 * value - a2 * y
      value = y
    }
    return value
  }
}

/** Filters samples through sections in series. */
export function biquadCascadeReference(samples: Float32Array, sections: readonly Biquad[]): Float32Array {
  return samples.map(inSeries(sections))
}

/** Σ x[n]·exp(−2πikn/size) for every k, straight from the definition. */
export function fourierReference(re: Float64Array, im: Float64Array): { re: Float64Array; im: Float64Array } {
  const size = re.length
  const out = { re: new Float64Array(size), im: new Float64Array(size) }
  for (let k = 0; k < size; k++) {
    for (let n = 0; n < size; n++) {
      const phase = (-2 * Math.PI * ((k * n) % size)) / size
      out.re[k]! += re[n]! * Math.cos(phase) - im[n]! * Math.sin(phase)
      out.im[k]! += re[n]! * Math.sin(phase) + im[n]! * Math.cos(phase)
    }
  }
  return out
}

/** One-sided powers of the Hann-windowed mid and side, scaled so that a full-scale sine spreads 0.5 over its bins. */
export function midSidePowersReference(
  left: Float32Array,
  right: Float32Array,
): { mid: Float64Array; side: Float64Array } {
  const size = left.length
  const window = Float64Array.from(left, (_, i) => Math.sin((Math.PI * (i + 0.5)) / size) ** 2)
  const scale = 2 / (size * window.reduce((sum, w) => sum + w * w, 0))
  const powers = (sign: number): Float64Array => {
    const { re, im } = fourierReference(
      window.map((w, i) => (w * (left[i]! + sign * right[i]!)) / 2),
      new Float64Array(size),
    )
    const isEdge = (k: number): boolean => k === 0 || k === size / 2
    return Float64Array.from(
      { length: size / 2 + 1 },
      (_, k) => (re[k]! ** 2 + im[k]! ** 2) * (isEdge(k) ? scale / 2 : scale),
    )
  }
  return { mid: powers(1), side: powers(-1) }
}

/** Sums of the powers of bins in bands that begin and end anywhere between them; every bin reaches half a bin to either side. */
export function bandSumsReference(powers: ArrayLike<number>, edgesInBins: readonly number[]): number[] {
  return edgesInBins.slice(1).map((high, b) => {
    const low = edgesInBins[b]!
    let sum = 0
    for (let k = 0; k < powers.length; k++) {
      sum += Math.max(0, Math.min(high, k + 0.5) - Math.max(low, k - 0.5)) * powers[k]!
    }
    return sum
  })
}

/** Autocorrelation at the lags 0 … order of samples under a Hann window. */
export function windowedLagsReference(samples: Float32Array, order: number): number[] {
  const length = samples.length
  const windowed = Array.from(samples, (x, i) => x * Math.sin((Math.PI * (i + 0.5)) / length) ** 2)
  return Array.from({ length: order + 1 }, (_, lag) => {
    let sum = 0
    for (let i = lag; i < length; i++) sum += windowed[i]! * windowed[i - lag]!
    return sum
  })
}

/** Interleaved little-endian integers as floats, one plane per channel. */
export function planesOfPcmReference(bytes: Uint8Array, bitDepth: 16 | 24): { left: number[]; right: number[] } {
  const size = bitDepth / 8
  const view = Buffer.from(bytes)
  const values = Array.from(
    { length: bytes.length / size },
    (_, i) => view.readIntLE(i * size, size) / 2 ** (bitDepth - 1),
  )
  return { left: values.filter((_, i) => i % 2 === 0), right: values.filter((_, i) => i % 2 === 1) }
}

/**
 * Energies of the Hann-windowed difference y - gain · x in bands (edges in bins, whole numbers): of its left, right, mid and side, one
 * after the other.
 */
export function differenceBandsReference(
  x: readonly Float32Array[],
  y: readonly Float32Array[],
  gain: number,
  edges: readonly number[],
): number[] {
  const [left, right] = x.map((samples, c) =>
    Float64Array.from(samples, (sample, i) => {
      const window = Math.sin((Math.PI * (i + 0.5)) / samples.length) ** 2
      return window * (y[c]![i]! - gain * sample)
    }),
  ) as [Float64Array, Float64Array]
  const mid = left.map((sample, i) => (sample + right[i]!) / 2)
  const side = left.map((sample, i) => (sample - right[i]!) / 2)
  return [left, right, mid, side].flatMap((samples) => {
    const { re, im } = fourierReference(samples, new Float64Array(samples.length))
    return edges.slice(1).map((end, band) => {
      let sum = 0
      for (let k = edges[band]!; k < end; k++) sum += re[k]! ** 2 + im[k]! ** 2
      return sum
    })
  })
}

/** left² + right² of the filtered channels, added up per group of frames. */
export function weightedEnergiesReference(
  left: Float32Array,
  right: Float32Array,
  sections: readonly Biquad[],
  groupFrames: number,
): Float64Array {
  const energies = new Float64Array(Math.ceil(left.length / groupFrames))
  for (const samples of [left, right]) {
    const filter = inSeries(sections)
    for (const [n, x] of samples.entries()) energies[Math.floor(n / groupFrames)]! += filter(x) ** 2
  }
  return energies
}

/** Sums of left, right, left², right², left · right, and the largest |sample|. */
export function stereoSumsReference(left: Float32Array, right: Float32Array): number[] {
  const sums = [0, 0, 0, 0, 0, 0]
  for (let i = 0; i < left.length; i++) {
    const a = left[i]!
    const b = right[i]!
    for (const [k, term] of [a, b, a * a, b * b, a * b].entries()) sums[k]! += term
    sums[5] = Math.max(sums[5]!, Math.abs(a), Math.abs(b))
  }
  return sums
}

/** The signal at `position` (in frames, fractions allowed) by a Kaiser-windowed sinc that reaches `reach` frames to either side. */
function interpolateReference(samples: Float32Array, position: number, reach: number, beta: number): number {
  let sum = 0
  for (let n = Math.ceil(position - reach); n <= Math.floor(position + reach); n++) {
    const distance = position - n
    if (Math.abs(distance) < reach) sum += (samples[n] ?? 0) * sinc(distance) * kaiser(distance / reach, beta)
  }
  return sum
}

/** Largest |value| on a grid of `points` per frame in [first, first + frames). */
export function gridPeakReference(
  samples: Float32Array,
  first: number,
  frames: number,
  points: number,
  reach: number,
  beta: number,
): number {
  let peak = 0
  for (let i = 0; i < frames * points; i++) {
    peak = Math.max(peak, Math.abs(interpolateReference(samples, first + i / points, reach, beta)))
  }
  return peak
}

/** Soft clipping at four points per frame whose error is low-passed at `cutoff` (part of half the rate) and added to the signal. */
export function softClipReference(samples: Float32Array, knee: number, limit: number, cutoff: number): Float32Array {
  const out = Float64Array.from(samples)
  const width = limit - knee
  for (let i = 0; i < samples.length * 4; i++) {
    const position = i / 4
    const value = interpolateReference(samples, position, 16, 6)
    const magnitude = Math.abs(value)
    if (magnitude <= knee) continue
    const u = (magnitude - knee) / width
    const error = (knee + (width * u) / Math.sqrt(1 + u * u) - magnitude) * Math.sign(value)
    for (let n = Math.floor(position) - 15; n <= Math.floor(position) + 16; n++) {
      if (n < 0 || n >= out.length) continue
      const distance = position - n
      if (Math.abs(distance) > 16) continue
      out[n]! += (error * cutoff * sinc(cutoff * distance) * kaiser(distance / 16, 6)) / 4
    }
  }
  return Float32Array.from(out)
}

/** Uniform cubic B-spline through control points, one per 8 frames, the first belonging to the group before frame 0. */
export function gainCurveReference(controls: Float32Array, frames: number): Float64Array {
  return Float64Array.from({ length: frames }, (_, n) => {
    const t = (n % 8) / 8
    const c = controls.subarray(Math.floor(n / 8))
    const weights = [(1 - t) ** 3, 3 * t ** 3 - 6 * t ** 2 + 4, -3 * t ** 3 + 3 * t ** 2 + 3 * t + 1, t ** 3]
    return weights.reduce((sum, weight, j) => sum + (weight / 6) * c[j]!, 0)
  })
}

/** Settings of {@link limiterReference} in groups and per group. */
interface LimiterReferenceSettings {
  readonly half: number
  readonly firstBox: number
  readonly fastDecay: number
  readonly slowRise: number
  readonly slowFall: number
}

/** Control gains of a look-ahead limiter: maximum of the reduction around, releases, two averages. One control more before, two after. */
export function limiterReference(
  peaks: Float32Array,
  threshold: number,
  settings: LimiterReferenceSettings,
): Float64Array {
  const { half, firstBox, fastDecay, slowRise, slowFall } = settings
  const pad = 4 * half + 8
  const reduction = (group: number): number => {
    const peak = peaks[group] ?? 0
    return peak > threshold ? 1 - threshold / peak : 0
  }
  const held = Array.from({ length: peaks.length + 2 * pad }, (_, i) => {
    let most = 0
    for (let g = i - pad - half - 2; g <= i - pad + half + 1; g++) most = Math.max(most, reduction(g))
    return most
  })
  let slow = 0
  let fast = 0
  const released = held.map((u) => {
    if (slowRise > 0) slow = u + (u > slow ? slowRise : slowFall) * (slow - u)
    fast = Math.max(fast * fastDecay, u - slow, 0)
    return Math.max(u, slow + fast)
  })
  const secondBox = 2 * half + 2 - firstBox
  const mean = (values: readonly number[], i: number, width: number): number => {
    let sum = 0
    for (let k = 0; k < width; k++) sum += values[i - k] ?? 0
    return sum / width
  }
  const once = released.map((_, i) => mean(released, i, firstBox))
  return Float64Array.from({ length: peaks.length + 3 }, (_, j) => 1 - mean(once, j - 1 + pad + half, secondBox))
}

/** Sums, each over the groups [bounds[i], bounds[i + 1]), of energy times the squared gain in the group's middle. */
export function limitedEnergiesReference(
  energies: Float32Array,
  controls: Float32Array,
  bounds: Int32Array,
): Float64Array {
  return Float64Array.from({ length: bounds.length - 1 }, (_, i) => {
    let sum = 0
    for (let g = bounds[i]!; g < bounds[i + 1]!; g++) {
      const [a, b, c, d] = controls.subarray(g, g + 4)
      sum += energies[g]! * ((a! + 23 * b! + 23 * c! + d!) / 48) ** 2
    }
    return sum
  })
}

/** Quantises one channel with triangular dither and error feedback; `random` gives the generator's 32-bit states one after another. */
export function quantiseReference(
  samples: Float32Array,
  bitDepth: number,
  filter: readonly number[],
  random: () => number,
): Int32Array {
  const full = 2 ** (bitDepth - 1)
  const errors = filter.map(() => 0)
  return Int32Array.from(samples, (x) => {
    const bits = random()
    const dither = ((bits >>> 16) - (bits & 0xffff)) / 65536
    const wanted = x * full - filter.reduce((sum, c, k) => sum + c * errors[k]!, 0)
    const sum = wanted + dither
    const rounded = Math.round(sum)
    const value = Math.abs(sum % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
    errors.unshift(value - wanted)
    errors.pop()
    return Math.max(-full, Math.min(full - 1, value))
  })
}

/** Bands that a chain of low-passes takes off in turn, and the rest. */
export function bandsReference(samples: Float32Array, lowPasses: readonly Biquad[]): number[][] {
  let rest = Array.from(samples)
  const bands = lowPasses.map((section) => {
    const filter = inSeries([section])
    const band = rest.map(filter)
    rest = rest.map((x, i) => x - band[i]!)
    return band
  })
  return [...bands, rest]
}

/** Sums of left² + right² of each step of 32 frames; the first frame is the one numbered `offset` of its step. */
export function bandEnergiesReference(channels: readonly Float32Array[], offset: number): number[] {
  const [left, right] = channels as [Float32Array, Float32Array]
  const sums = new Array<number>(Math.ceil((offset + left.length) / 32)).fill(0)
  for (let i = 0; i < left.length; i++) sums[(offset + i) >> 5]! += left[i]! ** 2 + right[i]! ** 2
  return sums
}

/** Samples with a band added as gains ask that move in straight lines between points at the ends of the steps. */
export function bandSumReference(
  samples: Float32Array,
  band: Float32Array,
  points: readonly number[],
  offset: number,
): Float32Array {
  return samples.map((x, i) => {
    const step = (offset + i) >> 5
    const slope = (points[step + 1]! - points[step]!) / 32
    return x + (points[step]! + slope * (((offset + i) % 32) + 1) - 1) * band[i]!
  })
}

/** Points half a frame behind the frames [0, frames) of x, each from the taps times the pairs of frames around it. */
export function halfPointsReference(x: (frame: number) => number, frames: number, taps: readonly number[]): number[] {
  return Array.from({ length: frames }, (_, n) =>
    taps.reduce((sum, tap, t) => sum + tap * (x(n - t) + x(n + 1 + t)), 0),
  )
}

/** Distance of the saturated from the sample. */
export function saturationErrorReference(x: number, asymmetry: number, bend: number): number {
  return x / Math.sqrt(1 + asymmetry * x + bend * x * x) - x
}
