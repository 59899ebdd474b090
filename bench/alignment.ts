/** Alignment of two pieces to a fraction of a sample, which keeps a tool's latency from counting as distortion. */
import { type Audio, type AudioBlock, allocateBlock } from '../src-engine/dsp/block.ts'

const MOST_LATENCY_SECONDS = 0.1
/** Frames correlated to find the whole lag, and the fraction: ten seconds of music at 44.1 kHz. */
const LAG_FRAMES = 16_384
const FRACTION_FRAMES = 441_000
/** Lags on either side of the best used to interpolate the correlation. */
const NEAR_LAGS = 16
/** Taps of the fractional-delay filter, half on either side, and beta of its Kaiser window. */
const TAPS = 128
const BETA = 9
/** Smallest fraction that is shifted; below it samples are compared unchanged. */
const LEAST_FRACTION = 1e-3

/** Cuts both pieces to align them; `processed` is also shifted by the remaining fraction of a sample. */
export function aligned(original: Audio, processed: Audio): { before: AudioBlock; after: AudioBlock } {
  const most = Math.round(MOST_LATENCY_SECONDS * original.sampleRateHz)
  const whole = bestOf(-most, most, (lag) => likeness(original, processed, lag))
  const fraction = fractionBeside(original, processed, whole)
  const shifted = Math.abs(fraction) < LEAST_FRACTION ? processed : advanced(processed, fraction)
  const from = Math.max(0, -whole)
  const frames = Math.min(original.frames, processed.frames - whole) - from
  const cut = (audio: AudioBlock, first: number): AudioBlock => ({
    channels: audio.channels.map((samples) => samples.subarray(first, first + frames)),
    frames,
  })
  return { before: cut(original, from), after: cut(shifted, from + whole) }
}

/** Integer from `from` to `to` that maximises `measure`. */
function bestOf(from: number, to: number, measure: (at: number) => number): number {
  let best = from
  let most = -Infinity
  for (let at = from; at <= to; at++) {
    const value = measure(at)
    if (value > most) {
      most = value
      best = at
    }
  }
  return best
}

/** Correlation of a stretch at a lag, normalised by the energy of `processed` there: a louder place is not a better match. */
function likeness(original: Audio, processed: Audio, lag: number): number {
  const frames = Math.min(LAG_FRAMES, original.frames)
  const start = Math.floor((original.frames - frames) / 2) + lag
  let energy = 0
  for (const value of processed.channels[0]!.subarray(Math.max(0, start), Math.max(0, start + frames))) {
    energy += value * value
  }
  return energy === 0 ? -Infinity : correlation(original, processed, lag, LAG_FRAMES) / Math.sqrt(energy)
}

/** Correlation of a stretch in the middle of the left channels at a lag. */
function correlation(original: Audio, processed: Audio, lag: number, most: number): number {
  const frames = Math.min(most, original.frames)
  const start = Math.floor((original.frames - frames) / 2)
  const one = original.channels[0]!
  const other = processed.channels[0]!
  let product = 0
  for (let i = start; i < start + frames; i++) product += one[i]! * (other[i + lag] ?? 0)
  return product
}

/** Remaining delay of `processed` beyond the whole lag, −1 to 1 samples: the maximum of the band-limited correlation. */
function fractionBeside(original: Audio, processed: Audio, whole: number): number {
  const near = Array.from({ length: 2 * NEAR_LAGS + 1 }, (_, k) =>
    correlation(original, processed, whole + k - NEAR_LAGS, FRACTION_FRAMES),
  )
  const at = (lag: number): number =>
    near.reduce((sum, value, k) => sum + value * windowedSinc(lag - (k - NEAR_LAGS), NEAR_LAGS + 1), 0)
  let [low, high] = [-1, 1]
  while (high - low > 1e-6) {
    const third = (high - low) / 3
    if (at(low + third) < at(high - third)) low += third
    else high -= third
  }
  return (low + high) / 2
}

function windowedSinc(x: number, reach: number): number {
  if (Math.abs(x) >= reach) return 0
  const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
  return (sinc * bessel(BETA * Math.sqrt(1 - (x / reach) ** 2))) / bessel(BETA)
}

/** Modified Bessel function of the first kind and order 0. */
function bessel(x: number): number {
  let sum = 1
  let term = 1
  for (let k = 1; term > 1e-12 * sum; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

/** A piece advanced by a fraction of a sample. */
function advanced({ channels, frames }: AudioBlock, fraction: number): AudioBlock {
  const half = TAPS / 2
  const taps = Float64Array.from({ length: TAPS + 1 }, (_, k) => windowedSinc(k - half - fraction, half + 1))
  const shifted = allocateBlock(channels.length, frames)
  for (const [c, samples] of channels.entries()) {
    const out = shifted.channels[c]!
    for (let i = 0; i < frames; i++) {
      let sum = 0
      for (let k = 0; k <= TAPS; k++) sum += taps[k]! * (samples[i + k - half] ?? 0)
      out[i] = sum
    }
  }
  return shifted
}
