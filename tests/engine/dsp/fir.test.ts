import { describe, expect, test, vi } from 'vitest'
import { allocateAudio, sliceBlock } from '../../../src-engine/dsp/block.ts'
import { createRealFft } from '../../../src-engine/dsp/fft.ts'
import { createConvolver, minimumPhase, minimumPhaseFilter } from '../../../src-engine/dsp/fir.ts'
import { designLowPass } from '../../support/low-pass.ts'
import { noise, scaled } from '../../support/sounds.ts'

/** Linear gain of a kernel at the bins of a transform of `size`. */
function gains(kernel: Float64Array, size: number): Float64Array {
  const padded = new Float64Array(size)
  padded.set(kernel)
  const re = new Float64Array(size / 2 + 1)
  const im = new Float64Array(size / 2 + 1)
  createRealFft(size).forward(padded, re, im)
  return re.map((value, k) => Math.hypot(value, im[k]!))
}

/** A smooth equaliser curve: +6 dB around a bin, −4 dB at the top. */
function curve(bins: number): Float64Array {
  return Float64Array.from({ length: bins }, (_, k) => {
    const octave = Math.log2((k + 1) / (bins / 16))
    return 10 ** ((6 * Math.exp(-octave * octave) - (4 * k) / bins) / 20)
  })
}

describe('the kernels', () => {
  test('a Kaiser-windowed sinc passes DC exactly, has half amplitude at its frequency and stops above', () => {
    const response = gains(designLowPass(255, 6000, 48_000, 9), 4096)
    expect(response[0]).toBeCloseTo(1, 12)
    expect(response[512]).toBeCloseTo(0.5, 2)
    expect(Math.max(...response.slice(700))).toBeLessThan(10 ** (-80 / 20))
  })

  test('a kernel of minimum phase follows the wanted curve within 0.2 dB', () => {
    const kernel = minimumPhase(curve(8193), 2048)
    const response = gains(kernel, 16_384)
    const wanted = curve(8193)
    for (let k = 40; k < 8000; k += 37) expect(Math.abs(20 * Math.log10(response[k]! / wanted[k]!))).toBeLessThan(0.2)
  })

  test('minimum phase puts its energy at the start: nothing rings before a transient', () => {
    const kernel = minimumPhase(curve(8193), 2048)
    const energy = kernel.reduce((sum, tap) => sum + tap * tap, 0)
    const early = kernel.subarray(0, 64).reduce((sum, tap) => sum + tap * tap, 0)
    expect(early / energy).toBeGreaterThan(0.99)
  })

  test('a flat curve is the unit impulse', () => {
    const kernel = minimumPhase(new Float64Array(4097).fill(1), 512)
    expect(kernel[0]).toBeCloseTo(1, 12)
    expect(kernel.subarray(1).every((tap) => Math.abs(tap) < 1e-12)).toBe(true)
  })
})

describe('the filter of a shape', () => {
  const gainDbAt = vi.fn(({ gainDb }: { gainDb: number }, hz: number) => (hz < 1000 ? gainDb : 0))

  test('is designed once for all shapes that say the same, and for each rate', () => {
    const filter = minimumPhaseFilter({ gainDb: 3 }, gainDbAt, 44_100)
    const calls = gainDbAt.mock.calls.length
    expect(minimumPhaseFilter({ gainDb: 3 }, gainDbAt, 44_100)).toBe(filter)
    expect(gainDbAt.mock.calls.length).toBe(calls)
    expect(minimumPhaseFilter({ gainDb: 4 }, gainDbAt, 44_100)).not.toEqual(filter)
    expect(minimumPhaseFilter({ gainDb: 3 }, gainDbAt, 48_000)).not.toEqual(filter)
  })

  test('is another for another law', () => {
    const whole = ({ gainDb }: { gainDb: number }) => gainDb
    const shape = { gainDb: 3 }
    expect(minimumPhaseFilter(shape, whole, 44_100)).not.toEqual(minimumPhaseFilter(shape, gainDbAt, 44_100))
  })

  test('is designed again, to the same taps, after many others', () => {
    const first = minimumPhaseFilter({ gainDb: -1 }, gainDbAt, 44_100)
    for (let gainDb = 1; gainDb <= 10; gainDb++) minimumPhaseFilter({ gainDb }, gainDbAt, 44_100)
    const again = minimumPhaseFilter({ gainDb: -1 }, gainDbAt, 44_100)
    expect(again).not.toBe(first)
    expect(again).toEqual(first)
  })
})

describe('the convolver', () => {
  const left = designLowPass(301, 5000, 44_100, 8)
  const right = designLowPass(101, 900, 44_100, 8)

  test.each([
    ['two kernels', left, right],
    ['one kernel for both', left, left],
  ])('equals convolution by the definition, late by the latency it states: %s', (_, left, right) => {
    const source = noise(0.5, 0.1, 44_100, 1)
    const convolver = createConvolver(left, right)
    const { latencySamples } = convolver
    const audio = allocateAudio(2, source.frames + latencySamples, 44_100)
    for (const [c, samples] of source.channels.entries()) audio.channels[c]!.set(samples)
    convolver.process(audio)
    for (const [c, kernel] of [left, right].entries()) {
      for (let n = 0; n < source.frames; n += 13) {
        let sum = 0
        for (let k = 0; k < kernel.length; k++) sum += kernel[k]! * (source.channels[c]![n - k] ?? 0)
        expect(Math.abs(audio.channels[c]![n + latencySamples]! - sum)).toBeLessThan(1e-6)
      }
    }
  })

  test('gives the same samples for any cut into blocks', () => {
    const source = noise(0.5, 0.4, 44_100, 2)
    const whole = scaled(source, 1)
    createConvolver(left, right).process(whole)
    for (const size of [100, 4096, 7001]) {
      const convolver = createConvolver(left, right)
      const cut = scaled(source, 1)
      for (let first = 0; first < cut.frames; first += size) convolver.process(sliceBlock(cut, first, first + size))
      expect(cut.channels).toEqual(whole.channels)
    }
  })

  test('refuses an empty kernel', () => {
    expect(() => createConvolver(new Float64Array(0), new Float64Array(0))).toThrow(RangeError)
  })
})
