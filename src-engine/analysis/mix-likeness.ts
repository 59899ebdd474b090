/** Relation of a stereo mix to the sum of its stems: offset, polarity, gain, and the residual. */
import type { MixLikeness } from '../../src-contract/stem-likeness.ts'
import type { Audio } from '../dsp/block.ts'
import { createComplexFft, createRealFft } from '../dsp/fft.ts'
import { gainToDb, powerToDb } from '../dsp/units.ts'

/** Edges of the bands in which the residual is measured, Hz. */
const EDGES_HZ = [20, 120, 500, 2000, 6000, 16_000] as const
/** Samples are averaged by so many for the first search, which covers ± 4 s at 48 kHz. */
const COARSE = 8
const WINDOW = 32_768
const FFT_SIZE = 131_072
const MOST_LAG = (FFT_SIZE - WINDOW) / 4
/** Frames compared for the place to the sample. */
const FINE_FRAMES = 65_536
const SPECTRUM_SIZE = 8192

const FLOOR_DB = -150

/**
 * Compares a mix with the sum of stems at the same rate, within `mostOffset` frames of its place. Parts of the sum outside the mix do not
 * count; parts of the mix outside the sum count as residual. Undefined if one of them is silent or shorter than 1 s. Throws a RangeError
 * for different rates. Pure.
 */
export function mixLikeness(sum: Audio, mix: Audio, mostOffset = MOST_LAG * COARSE): MixLikeness | undefined {
  const { sampleRateHz } = sum
  if (mix.sampleRateHz !== sampleRateHz) throw new RangeError(`rates ${sampleRateHz} and ${mix.sampleRateHz}`)
  if (Math.min(sum.frames, mix.frames) < sampleRateHz) return undefined
  const offsetFrames = offsetOf(sum, mix, mostOffset)
  const { product, ofSum, ofMix } = energies(sum, mix, offsetFrames)
  if (ofSum === 0 || ofMix === 0) return undefined
  const gain = product / ofSum
  const restEnergy = Math.max(0, ofMix - gain * product)
  return {
    offsetFrames,
    isInverted: gain < 0,
    gainDb: gainToDb(Math.abs(gain)),
    residualDb: Math.max(FLOOR_DB, powerToDb(restEnergy / ofMix)),
    bands: restInBands(sum, mix, offsetFrames, gain),
  }
}

/** Returns the frames by which `late` comes after `early`, at the highest correlation of either sign. */
function offsetOf(early: Audio, late: Audio, mostOffset: number): number {
  const [one, other] = [thinned(early), thinned(late)]
  const from = loudestStart(one)
  const coarse = coarseLag(one, other, from, Math.ceil(mostOffset / COARSE)) * COARSE
  const start = Math.min(from * COARSE, Math.max(0, early.frames - FINE_FRAMES))
  let best = { lag: coarse, likeness: -1 }
  for (let lag = coarse - 2 * COARSE; lag <= coarse + 2 * COARSE; lag++) {
    const likeness = correlationAt(early, late, start, lag)
    if (likeness > best.likeness) best = { lag, likeness }
  }
  return best.lag
}

/** Sums of `COARSE` samples of both channels, less the previous sum: attacks show the offset better than bass. */
function thinned({ channels: [left, right], frames }: Audio): Float64Array {
  const result = new Float64Array(Math.floor(frames / COARSE))
  let before = 0
  for (let i = 0; i < result.length; i++) {
    let sum = 0
    for (let at = i * COARSE; at < (i + 1) * COARSE; at++) sum += left![at]! + right![at]!
    result[i] = sum - before
    before = sum
  }
  return result
}

/** Returns the start of the stretch of `WINDOW` samples with the most energy, in steps of a quarter of it. */
function loudestStart(samples: Float64Array): number {
  let best = { start: 0, energy: -1 }
  for (let start = 0; start === 0 || start + WINDOW <= samples.length; start += WINDOW / 4) {
    let energy = 0
    for (let i = start; i < Math.min(samples.length, start + WINDOW); i++) energy += samples[i]! * samples[i]!
    if (energy > best.energy) best = { start, energy }
  }
  return best.start
}

/** Returns the lag, at most `mostLag`, of the highest correlation of a window of `one` with `other`, by one transform. */
function coarseLag(one: Float64Array, other: Float64Array, from: number, mostLag: number): number {
  const fft = createComplexFft(FFT_SIZE)
  const arrays = () => [new Float64Array(FFT_SIZE), new Float64Array(FFT_SIZE)] as const
  const [oneRe, oneIm] = arrays()
  const [otherRe, otherIm] = arrays()
  for (let i = 0; i < WINDOW; i++) oneRe[i] = one[from + i] ?? 0
  for (let i = 0; i < WINDOW + 2 * MOST_LAG; i++) otherRe[i] = other[from - MOST_LAG + i] ?? 0
  fft.forward(oneRe, oneIm)
  fft.forward(otherRe, otherIm)
  for (let k = 0; k < FFT_SIZE; k++) {
    const re = otherRe[k]! * oneRe[k]! + otherIm[k]! * oneIm[k]!
    otherIm[k] = otherIm[k]! * oneRe[k]! - otherRe[k]! * oneIm[k]!
    otherRe[k] = re
  }
  fft.inverse(otherRe, otherIm)
  let best = MOST_LAG
  for (let at = MOST_LAG - mostLag; at <= MOST_LAG + mostLag; at++)
    if (Math.abs(otherRe[at]!) > Math.abs(otherRe[best]!)) best = at
  return best - MOST_LAG
}

function correlationAt(early: Audio, late: Audio, start: number, lag: number): number {
  let [product, energy] = [0, 0]
  const end = Math.min(early.frames, start + FINE_FRAMES)
  for (const [c, samples] of early.channels.entries()) {
    const others = late.channels[c]!
    for (let i = start; i < end; i++) {
      const value = others[i + lag] ?? 0
      product += samples[i]! * value
      energy += value * value
    }
  }
  return energy === 0 ? 0 : Math.abs(product) / Math.sqrt(energy)
}

function energies(sum: Audio, mix: Audio, offset: number) {
  let [product, ofSum, ofMix] = [0, 0, 0]
  for (const [c, samples] of mix.channels.entries()) {
    const stems = sum.channels[c]!
    for (let i = 0; i < mix.frames; i++) {
      const stem = stems[i - offset] ?? 0
      product += stem * samples[i]!
      ofSum += stem * stem
      ofMix += samples[i]! * samples[i]!
    }
  }
  return { product, ofSum, ofMix }
}

function restInBands(sum: Audio, mix: Audio, offset: number, gain: number): MixLikeness['bands'] {
  const fft = createRealFft(SPECTRUM_SIZE)
  const bins = SPECTRUM_SIZE / 2 + 1
  const [re, im] = [new Float64Array(bins), new Float64Array(bins)]
  const window = Float64Array.from(
    { length: SPECTRUM_SIZE },
    (_, i) => Math.sin((Math.PI * (i + 0.5)) / SPECTRUM_SIZE) ** 2,
  )
  const block = new Float64Array(SPECTRUM_SIZE)
  const [ofRest, ofMix] = [new Float64Array(bins), new Float64Array(bins)]
  const addTo = (powers: Float64Array) => {
    fft.forward(block, re, im)
    for (let k = 0; k < bins; k++) powers[k]! += re[k]! * re[k]! + im[k]! * im[k]!
  }
  for (const [c, samples] of mix.channels.entries()) {
    const stems = sum.channels[c]!
    for (let start = 0; start < mix.frames; start += SPECTRUM_SIZE / 2) {
      for (let i = 0; i < SPECTRUM_SIZE; i++) block[i] = window[i]! * (samples[start + i] ?? 0)
      addTo(ofMix)
      for (let i = 0; i < SPECTRUM_SIZE; i++) {
        const stem = gain * (stems[start + i - offset] ?? 0)
        block[i] = window[i]! * ((samples[start + i] ?? 0) - stem)
      }
      addTo(ofRest)
    }
  }
  const binHz = mix.sampleRateHz / SPECTRUM_SIZE
  return EDGES_HZ.slice(1).map((highHz, index) => {
    const lowHz = EDGES_HZ[index]!
    let [rest, whole] = [0, 0]
    for (let k = Math.ceil(lowHz / binHz); k < Math.min(bins, highHz / binHz); k++) {
      rest += ofRest[k]!
      whole += ofMix[k]!
    }
    return { lowHz, highHz, residualDb: whole === 0 ? null : Math.max(FLOOR_DB, powerToDb(rest / whole)) }
  })
}
