import { describe, expect, test } from 'vitest'
import { allocateAudio, sliceBlock } from '../../../src-engine/dsp/block.ts'
import { createRealFft } from '../../../src-engine/dsp/fft.ts'
import { createQuantiser, type QuantiserSettings } from '../../../src-engine/finalise/dither.ts'
import { noise, stereo } from '../../support/sounds.ts'

// Seed 0 is the one that masters are written with.
const plain16 = { bitDepth: 16, sampleRateHz: 48_000, seed: 0 } as const
const shaped16 = { ...plain16, sampleRateHz: 44_100 } as const
const plain24 = { ...plain16, bitDepth: 24 } as const

function bytesOf(audio: ReturnType<typeof noise>, settings: QuantiserSettings): Uint8Array {
  const quantiser = createQuantiser(settings)
  const bytes = new Uint8Array(audio.frames * quantiser.bytesPerFrame)
  expect(quantiser.write(audio, bytes)).toBe(bytes.length)
  return bytes
}

/** The left channel's integers. */
function integers(bytes: Uint8Array, bitDepth: 16 | 24): Float64Array {
  const view = new DataView(bytes.buffer)
  const size = bitDepth / 4
  return Float64Array.from({ length: bytes.length / size }, (_, i) =>
    bitDepth === 16
      ? view.getInt16(i * size, true)
      : view.getUint16(i * size, true) | (view.getInt8(i * size + 2) << 16),
  )
}

/** Power of the quantisation error of a constant level, in dB of the power 1/12 of plain rounding. */
function errorDb(level: number, settings: QuantiserSettings): number {
  const values = integers(
    bytesOf(
      stereo(400_000, settings.sampleRateHz, () => level),
      settings,
    ),
    settings.bitDepth,
  )
  const wanted = Math.fround(level) * 2 ** (settings.bitDepth - 1)
  return 10 * Math.log10((12 * values.reduce((sum, value) => sum + (value - wanted) ** 2, 0)) / values.length)
}

describe('the quantiser', () => {
  test.each([plain16, plain24, { ...plain24, sampleRateHz: 44_100 }])(
    'adds 4.77 dB of triangular dither at $bitDepth bit and $sampleRateHz Hz, whatever the signal',
    (settings) => {
      for (const level of [0, 0.25 / 32_768, 0.5 / 32_768, 0.3, -0.7123]) {
        expect(errorDb(level, settings)).toBeCloseTo(4.77, 1)
      }
    },
  )

  test('shapes the noise at 16 bit and 44.1 kHz: quieter where the ear is keen, the same for every signal', () => {
    for (const level of [0, 0.4 / 32_768, 0.3]) expect(errorDb(level, shaped16)).toBeCloseTo(errorDb(0, shaped16), 1)
    const density = (settings: QuantiserSettings, fromHz: number, toHz: number): number => {
      const size = 65_536
      const values = integers(bytesOf(allocateAudio(2, size, settings.sampleRateHz), settings), 16)
      const re = new Float64Array(size / 2 + 1)
      const im = new Float64Array(size / 2 + 1)
      createRealFft(size).forward(values, re, im)
      let sum = 0
      for (
        let k = Math.round((fromHz * size) / settings.sampleRateHz);
        k < (toHz * size) / settings.sampleRateHz;
        k++
      ) {
        sum += re[k]! ** 2 + im[k]! ** 2
      }
      return 10 * Math.log10(sum / (toHz - fromHz))
    }
    expect(density(shaped16, 2500, 4500)).toBeLessThan(density(plain16, 2500, 4500) - 12)
    expect(density(shaped16, 500, 6000)).toBeLessThan(density(plain16, 500, 6000) - 6)
  })

  test('keeps a tone of half a step, which rounding would lose', () => {
    const tone = stereo(96_000, 48_000, (i) => (0.5 / 32_768) * Math.sin((2 * Math.PI * 1000 * i) / 48_000))
    const values = integers(bytesOf(tone, plain16), 16)
    let sum = 0
    for (let i = 0; i < values.length; i++) sum += values[i]! * Math.sin((2 * Math.PI * 1000 * i) / 48_000)
    expect((2 * sum) / values.length).toBeCloseTo(0.5, 1)
  })

  test('gives the same bytes for the same seed and any cut into blocks, others for another seed', () => {
    for (const settings of [shaped16, plain24]) {
      const audio = noise(0.8, 0.3, settings.sampleRateHz, 2)
      const whole = bytesOf(audio, settings)
      for (const size of [1, 577, 5000]) {
        const quantiser = createQuantiser(settings)
        const bytes = new Uint8Array(whole.length)
        let written = 0
        for (let first = 0; first < audio.frames; first += size) {
          written += quantiser.write(sliceBlock(audio, first, first + size), bytes.subarray(written))
        }
        expect(bytes).toEqual(whole)
      }
      expect(bytesOf(audio, { ...settings, seed: 8 })).not.toEqual(whole)
    }
  })

  test('dithers the channels independently', () => {
    const bytes = bytesOf(allocateAudio(2, 50_000, 48_000), plain16)
    const view = new DataView(bytes.buffer)
    let product = 0
    let power = 0
    for (let i = 0; i < 50_000; i++) {
      product += view.getInt16(4 * i, true) * view.getInt16(4 * i + 2, true)
      power += view.getInt16(4 * i, true) ** 2
    }
    expect(Math.abs(product / power)).toBeLessThan(0.02)
  })

  test.each([plain16, shaped16, plain24])('holds full scale and gets over NaN and infinities', (settings) => {
    const strange = stereo(64, settings.sampleRateHz, (i) => [3, -3, Number.NaN, Infinity, -Infinity, 0][i % 6]!)
    const values = integers(bytesOf(strange, settings), settings.bitDepth)
    const full = 2 ** (settings.bitDepth - 1)
    for (let i = 0; i < 60; i += 6) {
      expect(values[i]).toBe(full - 1)
      expect(values[i + 1]).toBe(-full)
      expect(Math.abs(values[i + 2]!)).toBeLessThan(20)
      expect(values[i + 3]).toBe(full - 1)
      expect(Math.abs(values[i + 5]!)).toBeLessThan(20)
    }
  })
})
