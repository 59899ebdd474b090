import { describe, expect, test } from 'vitest'
import { createRealFft } from '../../../src-engine/dsp/fft.ts'
import { detectPeaks, peakGroupFrames } from '../../../src-engine/dsp/meters/true-peak.ts'
import { clipKnee, clipStretch } from '../../../src-engine/finalise/clipper.ts'
import { fullTruePeak } from '../../support/full-meter.ts'
import { noise, sine, songLike } from '../../support/sounds.ts'

const rate = 44_100

function peaksOf(samples: Float32Array): Float32Array {
  const peaks = new Float32Array(Math.ceil(samples.length / peakGroupFrames))
  detectPeaks([samples], 0, peaks)
  return peaks
}

function clipped(samples: Float32Array, limit: number, sampleRateHz = rate): Float32Array {
  const out = new Float32Array(samples.length)
  clipStretch(samples, peaksOf(samples), 0, limit, sampleRateHz, out)
  return out
}

describe('the soft clipper', () => {
  test('keeps every bit of what stays below its knee', () => {
    const samples = noise(0.3, 0.2, rate, 1).channels[0]!
    expect(clipped(samples, 0.3 / clipKnee + 0.5)).toEqual(samples)
  })

  test('brings a tone 6 dB above its limit within 0.5 dB of it', () => {
    const peak = fullTruePeak(clipped(sine(400, 0, 0.2, rate).channels[0]!, 0.5))
    expect(peak).toBeLessThan(0.5 * 10 ** (0.5 / 20))
    expect(peak).toBeGreaterThan(0.45)
  })

  test('bends a tone that just reaches its limit and leaves one 2 dB below it alone', () => {
    const takenDb = (peakDb: number) => {
      const tone = sine(400, peakDb, 0.2, rate).channels[0]!
      return peakDb - 20 * Math.log10(clipped(tone, 1).reduce((most, x) => Math.max(most, Math.abs(x)), 0))
    }
    expect(takenDb(0)).toBeGreaterThan(0.25)
    expect(takenDb(0)).toBeLessThan(0.6)
    expect(takenDb(-2)).toBeCloseTo(0, 2)
  })

  test('brings down a tone of 3 kHz as well, whose look needs its third harmonic', () => {
    const peak = clipped(sine(3000, 0, 0.2, rate).channels[0]!, 0.5).reduce((most, x) => Math.max(most, Math.abs(x)), 0)
    expect(peak).toBeLessThan(0.5 * 10 ** (1.8 / 20))
  })

  test('gives the same samples for any stretch of the signal', () => {
    const samples = songLike(1, rate).channels[0]!
    const peaks = peaksOf(samples)
    const whole = clipped(samples, 0.4)
    for (const [first, frames] of [
      [0, 5000],
      [4096, 1],
      [12_345, 9000],
      [samples.length - 77, 77],
    ] as const) {
      const part = new Float32Array(frames)
      clipStretch(samples, peaks, first, 0.4, rate, part)
      expect(part).toEqual(whole.slice(first, first + frames))
    }
  })

  test.each([
    ['a song', songLike(0.5, rate).channels[0]!],
    [
      'clicks of a single frame',
      Float32Array.from({ length: 2000 }, (_, i) => (i % 51 === 0 ? 0.9 : 0.1 * Math.cos(i))),
    ],
  ])('treats both signs of %s alike', (_sound, samples) => {
    const turned = clipped(
      samples.map((x) => -x),
      0.4,
    )
    expect(turned.map((x) => -x)).toEqual(clipped(samples, 0.4))
  })

  // The filter is as long in samples at every rate, so its slope is twice as wide at 96 kHz.
  test.each([
    [997, 44_100, 15_000, -70],
    [3000, 44_100, 15_000, -70],
    [997, 96_000, 20_000, -70],
  ])('of a tone of %i Hz at %i Hz adds next to nothing above %i Hz', (hz, sampleRateHz, fromHz, mostDb) => {
    const samples = sine(hz, 0, 1, sampleRateHz).channels[0]!
    const added = clipped(samples, 0.4, sampleRateHz).map((y, i) => y - samples[i]!)
    const size = 32_768
    const re = new Float64Array(size / 2 + 1)
    const im = new Float64Array(size / 2 + 1)
    const windowed = Float64Array.from(
      { length: size },
      (_, i) => added[i + 4000]! * Math.sin((Math.PI * i) / size) ** 2,
    )
    createRealFft(size).forward(windowed, re, im)
    const power = (from: number, to: number): number => {
      let sum = 0
      for (let k = Math.round((from * size) / sampleRateHz); k < (to * size) / sampleRateHz; k++) {
        sum += re[k]! ** 2 + im[k]! ** 2
      }
      return 10 * Math.log10(sum)
    }
    expect(power(fromHz, 0.5 * sampleRateHz) - power(500, 12_000)).toBeLessThan(mostDb)
  })
})
