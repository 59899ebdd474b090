import { createComplexFft, createRealFft } from './fft.ts'
import { controlFrames, type Processor } from './processor.ts'
import { dbToGain } from './units.ts'

/**
 * Minimum-phase impulse response of `taps` coefficients whose magnitude follows `magnitude`: linear gains at the
 * bins from DC to Nyquist (as many as a power of two + 1, and at least 4·taps for a faithful fold).
 * Homomorphic (real cepstrum) construction, Oppenheim & Schafer, Discrete-Time Signal Processing, ch. 13; gains below −120 dB of the
 * largest are raised to it. The tail is faded over its last eighth.
 */
export function minimumPhase(magnitude: Float64Array, taps: number): Float64Array {
  const half = magnitude.length - 1
  const size = 2 * half
  const fft = createRealFft(size)
  const floor = magnitude.reduce((largest, gain) => Math.max(largest, gain), 0) * 1e-6 || 1e-12
  const re = magnitude.map((gain) => Math.log(Math.max(gain, floor)))
  const im = new Float64Array(half + 1)
  const cepstrum = new Float64Array(size)
  fft.inverse(re, im, cepstrum)
  for (let n = 1; n < half; n++) {
    cepstrum[n]! *= 2
    cepstrum[size - n] = 0
  }
  fft.forward(cepstrum, re, im)
  for (let k = 0; k <= half; k++) {
    const gain = Math.exp(re[k]!)
    const phase = im[k]!
    re[k] = gain * Math.cos(phase)
    im[k] = gain * Math.sin(phase)
  }
  fft.inverse(re, im, cepstrum)
  const fade = Math.max(1, Math.floor(taps / 8))
  return cepstrum.slice(0, taps).map((tap, i) => {
    const left = taps - i
    return left > fade ? tap : tap * (0.5 - 0.5 * Math.cos((Math.PI * (left - 0.5)) / fade))
  })
}

/** Cached filters: enough for two chains, as one replaces the other while a control moves. */
const mostFilters = 8

/** Filters by rate and shape, newest last: passage-by-passage playback needs each of them many times. */
const knownFilters = new Map<unknown, Map<string, Float64Array>>()

/**
 * Minimum-phase filter whose gain at a frequency is `gainDbAt(shape, hz)`, dB: 93 ms long at 44.1 kHz, which resolves a third of an octave
 * from 45 Hz up, longer in samples at higher rates. Nothing rings before a transient. `gainDbAt` must be pure; shapes with equal JSON share
 * a filter. Callers must not change it.
 */
export function minimumPhaseFilter<Shape extends object>(
  shape: Shape,
  gainDbAt: (shape: Shape, hz: number) => number,
  sampleRateHz: number,
): Float64Array {
  const known = knownFilters.get(gainDbAt) ?? new Map<string, Float64Array>()
  knownFilters.set(gainDbAt, known)
  const key = JSON.stringify([sampleRateHz, shape])
  const filter = known.get(key) ?? designFilter((hz) => gainDbAt(shape, hz), sampleRateHz)
  known.delete(key)
  known.set(key, filter)
  if (known.size > mostFilters) known.delete(known.keys().next().value!)
  return filter
}

function designFilter(gainDbAt: (hz: number) => number, sampleRateHz: number): Float64Array {
  const taps = 4096 * 2 ** Math.max(0, Math.ceil(Math.log2(sampleRateHz / 50_000)))
  const bins = taps * 4
  const magnitude = Float64Array.from({ length: bins + 1 }, (_, k) =>
    dbToGain(gainDbAt((k * sampleRateHz) / (2 * bins))),
  )
  return minimumPhase(magnitude, taps)
}

/** Shortest transform of a convolver: shorter ones cost more per frame. */
const shortestTransform = 4096

/**
 * Returns the convolution of two channels with a fixed kernel each, by overlap and save. The transform is at least four times as long as
 * the longer kernel. The output is late by transform − taps + 1 frames, rounded down to whole control steps, in addition to the kernels' own
 * delay: push that many frames of silence at the end to receive the tail. The kernels must not change afterwards. Throws a RangeError for an empty kernel.
 */
export function createConvolver(left: Float64Array, right: Float64Array): Processor {
  const taps = Math.max(left.length, right.length)
  if (taps === 0) throw new RangeError('An empty kernel')
  const size = Math.max(shortestTransform, 2 ** Math.ceil(Math.log2(taps * 4)))
  const hop = Math.floor((size - taps + 1) / controlFrames) * controlFrames
  const fft = createComplexFft(size)
  const spectrum = knownSpectrum(left, right, size)
  const history = [new Float64Array(size), new Float64Array(size)] as const
  const ready = [new Float64Array(hop), new Float64Array(hop)] as const
  const re = new Float64Array(size)
  const im = new Float64Array(size)
  let filled = 0

  function convolveHop(): void {
    re.set(history[0])
    im.set(history[1])
    fft.forward(re, im)
    applySpectrum(spectrum, re, im)
    fft.inverse(re, im)
    ready[0].set(re.subarray(size - hop))
    ready[1].set(im.subarray(size - hop))
    for (const samples of history) samples.copyWithin(0, hop)
    filled = 0
  }

  return {
    latencySamples: hop,
    process(block) {
      for (let start = 0; start < block.frames; ) {
        const frames = Math.min(block.frames - start, hop - filled)
        for (const [c, samples] of block.channels.entries()) {
          const here = samples.subarray(start, start + frames)
          history[c]!.set(here, size - hop + filled)
          here.set(ready[c]!.subarray(filled, filled + frames))
        }
        filled += frames
        start += frames
        if (filled === hop) convolveHop()
      }
    },
  }
}

/**
 * Spectra of two kernels, combined as factors of a packed spectrum Z = X_left + i·X_right and its mirror image: Y = Z·(Hl + Hr)/2 + conj(Z
 * mirrored)·(Hl − Hr)/2.
 */
interface PackedSpectrum {
  readonly sumRe: Float64Array
  readonly sumIm: Float64Array
  readonly differenceRe: Float64Array
  readonly differenceIm: Float64Array
}

/** Spectra by left and right kernel, as long as the kernels live. */
const knownSpectra = new WeakMap<Float64Array, WeakMap<Float64Array, PackedSpectrum>>()

function knownSpectrum(left: Float64Array, right: Float64Array, size: number): PackedSpectrum {
  const known = knownSpectra.get(left) ?? new WeakMap<Float64Array, PackedSpectrum>()
  knownSpectra.set(left, known)
  const spectrum = known.get(right) ?? kernelSpectrum(left, right, size)
  known.set(right, spectrum)
  return spectrum
}

function kernelSpectrum(left: Float64Array, right: Float64Array, size: number): PackedSpectrum {
  const spectrumOf = (kernel: Float64Array): { re: Float64Array; im: Float64Array } => {
    const re = new Float64Array(size)
    const im = new Float64Array(size)
    re.set(kernel)
    createComplexFft(size).forward(re, im)
    return { re, im }
  }
  const l = spectrumOf(left)
  if (left === right) {
    const none = new Float64Array(size)
    return { sumRe: l.re, sumIm: l.im, differenceRe: none, differenceIm: none }
  }
  const r = spectrumOf(right)
  return {
    sumRe: l.re.map((value, k) => (value + r.re[k]!) / 2),
    sumIm: l.im.map((value, k) => (value + r.im[k]!) / 2),
    differenceRe: l.re.map((value, k) => (value - r.re[k]!) / 2),
    differenceIm: l.im.map((value, k) => (value - r.im[k]!) / 2),
  }
}

function applySpectrum(
  { sumRe, sumIm, differenceRe, differenceIm }: PackedSpectrum,
  re: Float64Array,
  im: Float64Array,
): void {
  const size = re.length
  for (let k = 0; k <= size / 2; k++) {
    const mirror = k === 0 ? 0 : size - k
    const a = re[k]!
    const b = im[k]!
    const c = re[mirror]!
    const d = im[mirror]!
    re[k] = a * sumRe[k]! - b * sumIm[k]! + c * differenceRe[k]! + d * differenceIm[k]!
    im[k] = a * sumIm[k]! + b * sumRe[k]! + c * differenceIm[k]! - d * differenceRe[k]!
    re[mirror] = c * sumRe[mirror]! - d * sumIm[mirror]! + a * differenceRe[mirror]! + b * differenceIm[mirror]!
    im[mirror] = c * sumIm[mirror]! + d * sumRe[mirror]! + a * differenceIm[mirror]! - b * differenceRe[mirror]!
  }
}
