import { describe, expect, test } from 'vitest'
import { createRealFft } from '../../../src-server/engine/fft.ts'
import { detectPeaks, peakGroupFrames } from '../../../src-server/engine/meters/true-peak.ts'
import { clipKnee, clipStretch } from '../../../src-server/engine/processors/clipper.ts'
import { fullTruePeak } from '../../support/full-meter.ts'
import { noise, sine, songLike } from '../../support/sounds.ts'

const rate = 44_100

function peaksOf(samples: Float32Array): Float32Array {
  const peaks = new Float32Array(Math.ceil(samples.length / peakGroupFrames))
  detectPeaks([samples], 0, peaks.length, 0, peaks)
  return peaks
}

function clipped(samples: Float32Array, limit: number): Float32Array {
  const out = new Float32Array(samples.length)
  clipStretch(samples, peaksOf(samples), 0, limit, rate, out)
  return out
}

describe('the soft clipper', () => {
  test('keeps every bit of what stays below its knee, and says that nothing was clipped', () => {
    const samples = noise(0.3, 0.2, rate, 1).channels[0]!
    const out = new Float32Array(samples.length)
    expect(clipStretch(samples, peaksOf(samples), 0, 0.3 / clipKnee + 0.5, rate, out)).toBe(false)
    expect(out).toEqual(samples)
  })

  test('brings a tone 6 dB above its limit within 0.5 dB of it', () => {
    const peak = fullTruePeak(clipped(sine(400, 0, 0.2, rate).channels[0]!, 0.5))
    expect(peak).toBeLessThan(0.5 * 10 ** (0.5 / 20))
    expect(peak).toBeGreaterThan(0.45)
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

  test('treats both signs alike', () => {
    const samples = songLike(0.5, rate).channels[0]!
    const turned = clipped(
      samples.map((x) => -x),
      0.4,
    )
    expect(turned.map((x) => -x)).toEqual(clipped(samples, 0.4))
  })

  test('adds next to nothing above 15 kHz', () => {
    const samples = sine(997, 0, 1, rate).channels[0]!
    const added = clipped(samples, 0.4).map((y, i) => y - samples[i]!)
    const size = 32_768
    const re = new Float64Array(size / 2 + 1)
    const im = new Float64Array(size / 2 + 1)
    const windowed = Float64Array.from(
      { length: size },
      (_, i) => added[i + 4000]! * Math.sin((Math.PI * i) / size) ** 2,
    )
    createRealFft(size).forward(windowed, re, im)
    const power = (fromHz: number, toHz: number): number => {
      let sum = 0
      for (let k = Math.round((fromHz * size) / rate); k < (toHz * size) / rate; k++) sum += re[k]! ** 2 + im[k]! ** 2
      return 10 * Math.log10(sum)
    }
    expect(power(15_000, 22_000) - power(500, 12_000)).toBeLessThan(-70)
  })
})
