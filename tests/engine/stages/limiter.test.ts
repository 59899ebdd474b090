import { describe, expect, test } from 'vitest'
import { type Audio, allocateAudio, sliceBlock } from '../../../src-engine/dsp/block.ts'
import { createConvolver } from '../../../src-engine/dsp/fir.ts'
import { detectPeaks } from '../../../src-engine/dsp/meters/true-peak.ts'
import {
  applyControls,
  controlCount,
  type LimiterSettings,
  limitedEnergies,
  limiterControls,
} from '../../../src-engine/finalise/limiter.ts'
import { steadyLimiter } from '../../../src-engine/finalise/peak-treatment.ts'
import { fullTruePeakDbtp } from '../../support/full-meter.ts'
import { designLowPass } from '../../support/low-pass.ts'
import { residualDb } from '../../support/residual.ts'
import { noise, scaled, seededRandom, sine, stereo, twoChannels } from '../../support/sounds.ts'

const prompt: LimiterSettings = { lookAheadMs: 1, fastReleaseMs: 0, slowRiseMs: 0, slowFallMs: 0 }
const middle: LimiterSettings = { ...prompt, lookAheadMs: 5 }
const kinds = [
  ['the prompt limiter', prompt],
  ['the limiter of 5 ms', middle],
  ['the steady limiter', steadyLimiter],
] as const

function curveFor(audio: Audio, ceilingDbtp: number, settings: LimiterSettings): Float32Array {
  const groups = Math.ceil(audio.frames / 8)
  const peaks = new Float32Array(groups)
  detectPeaks(audio.channels, 0, peaks)
  const controls = new Float32Array(controlCount(groups))
  limiterControls(peaks, 10 ** (ceilingDbtp / 20), settings, audio.sampleRateHz, controls)
  return controls
}

function limited(audio: Audio, ceilingDbtp: number, settings: LimiterSettings): Audio {
  const result = scaled(audio, 1)
  applyControls(result, curveFor(audio, ceilingDbtp, settings), 0, 1, result)
  return result
}

function upTo(part: number, audio: Audio): Audio {
  const kernel = designLowPass(601, (part - 0.02) * audio.sampleRateHz, audio.sampleRateHz, 10)
  const convolver = createConvolver(kernel, kernel)
  const padded = allocateAudio(2, audio.frames + convolver.latencySamples, audio.sampleRateHz)
  for (const [c, samples] of audio.channels.entries()) padded.channels[c]!.set(samples)
  convolver.process(padded)
  const result = allocateAudio(2, audio.frames, audio.sampleRateHz)
  for (const [c, samples] of padded.channels.entries()) {
    result.channels[c]!.set(samples.subarray(convolver.latencySamples))
  }
  return result
}

function square(frequencyHz: number, amplitude: number, seconds: number, rate: number): Audio {
  return stereo(Math.round(seconds * rate), rate, (i) =>
    ((i * frequencyHz) / rate) % 1 < 0.5 ? amplitude : -amplitude,
  )
}

/** A burst of a 3 kHz tone of amplitude 4 in 2 ms at a place, in quiet noise. */
function burst(atFrame: number, frames: number, rate: number): Audio {
  const random = seededRandom(2)
  return stereo(frames, rate, (i) => {
    const isIn = i >= atFrame && i < atFrame + 0.002 * rate
    return 0.01 * random() + (isIn ? 4 * Math.sin((2 * Math.PI * 3000 * (i - atFrame)) / rate) : 0)
  })
}

interface Hard {
  readonly name: string
  readonly audio: Audio
  readonly mostOverDb: number
}

const rate = 44_100
const hard: readonly Hard[] = [
  { name: 'noise up to 0.45 fs, driven by 20 dB', audio: upTo(0.45, noise(10, 0.25, rate, 1)), mostOverDb: 0.05 },
  {
    name: 'a 220 Hz square up to 0.45 fs, driven by 20 dB',
    audio: upTo(0.45, square(220, 10, 0.25, rate)),
    mostOverDb: 0.05,
  },
  { name: 'full-band noise, driven by 20 dB', audio: noise(10, 0.25, rate, 3), mostOverDb: 1 },
  { name: 'a full-band 997 Hz square, driven by 20 dB', audio: square(997, 10, 0.25, rate), mostOverDb: 1 },
  {
    name: 'an fs/4 sine at 45°',
    audio: stereo(
      8000,
      rate,
      (i) => 2 * Math.sin((Math.PI / 2) * i + Math.PI / 4) * Math.min(1, i / 500, (8000 - i) / 500),
    ),
    mostOverDb: 0.05,
  },
  { name: 'a burst in the first 5 ms', audio: upTo(0.45, burst(20, 9000, rate)), mostOverDb: 0.05 },
  {
    name: 'a file that starts in the middle of a wave',
    audio: stereo(9000, rate, (i) => 3 * Math.cos(0.3 * i) * Math.exp(-i / 20)),
    mostOverDb: 0.05,
  },
  { name: 'a burst in the last 5 ms', audio: upTo(0.45, burst(8900, 9000, rate)), mostOverDb: 0.05 },
]

describe.each(kinds)('%s', (_name, settings) => {
  test.each(hard)('holds −1 dBTP on $name', ({ audio, mostOverDb }) => {
    const result = limited(audio, -1.03, settings)
    expect(fullTruePeakDbtp(result.channels) + 1).toBeLessThanOrEqual(mostOverDb)
    for (const samples of result.channels) expect(samples.every(Number.isFinite)).toBe(true)
  })

  test('leaves every bit alone when nothing exceeds the ceiling', () => {
    const audio = noise(0.3, 0.5, rate, 4)
    expect(limited(audio, -1, settings).channels).toEqual(audio.channels)
  })

  test('reaches the ceiling: it takes no more than it must', () => {
    const audio = sine(1000, 6, 1, rate)
    const middlePart = sliceBlock(limited(audio, -1, settings), 10_000, 30_000)
    expect(fullTruePeakDbtp(middlePart.channels.map((c) => c.subarray(5000, 7000)))).toBeGreaterThan(-1.01)
  })

  test('gives the same samples for any cut into blocks of whole groups', () => {
    const audio = noise(2, 0.4, rate, 6)
    const controls = curveFor(audio, -1, settings)
    const whole = limited(audio, -1, settings)
    for (const size of [8, 1000, 4104]) {
      const cut = scaled(audio, 1)
      for (let first = 0; first < audio.frames; first += size) {
        const part = sliceBlock(cut, first, first + size)
        applyControls(part, controls, first, 1, part)
      }
      expect(cut.channels).toEqual(whole.channels)
    }
  })

  test('moves both channels alike and leaves a silent channel silent', () => {
    const random = seededRandom(8)
    const audio = twoChannels(
      20_000,
      rate,
      () => 2 * random(),
      () => 0,
    )
    const result = limited(audio, -1, settings)
    expect(result.channels[1]!.every((sample) => sample === 0)).toBe(true)
    const partly = twoChannels(
      20_000,
      rate,
      (i) => audio.channels[0]![i]!,
      () => 0.1,
    )
    const both = limited(partly, -1, settings)
    for (let i = 0; i < 20_000; i += 37) {
      if (Math.abs(partly.channels[0]![i]!) < 0.01) continue
      expect(both.channels[1]![i]! / 0.1).toBeCloseTo(both.channels[0]![i]! / partly.channels[0]![i]!, 4)
    }
  })

  test('gives a peak the same gain wherever it lies in the song, without a jump', () => {
    const groups = 3000
    const curveAround = (place: number): Float32Array => {
      const peaks = new Float32Array(groups)
      peaks.fill(2, place, place + 3)
      const controls = new Float32Array(controlCount(groups))
      limiterControls(peaks, 1, settings, rate, controls)
      return controls.slice(place - 300, place + 900)
    }
    const first = curveAround(400)
    for (let i = 1; i < first.length; i++) expect(Math.abs(first[i]! - first[i - 1]!)).toBeLessThan(0.2)
    for (let place = 401; place < 1000; place += 7) {
      const curve = curveAround(place)
      for (const [i, gain] of curve.entries()) {
        if (Math.abs(gain - first[i]!) > 1e-6) expect.fail(`${gain} in place of ${first[i]} at ${place - 300 + i}`)
      }
    }
  })

  test('predicts the energy that it leaves', () => {
    const audio = noise(3, 0.2, rate, 11)
    const controls = curveFor(audio, -1, settings)
    const after = limited(audio, -1, settings)
    const energyOf = ({ channels }: Audio) =>
      Float32Array.from({ length: controls.length - 3 }, (_, g) =>
        channels.reduce((sum, samples) => samples.subarray(8 * g, 8 * g + 8).reduce((s, x) => s + x * x, sum), 0),
      )
    const bounds = Int32Array.of(0, 200, 600, 1000)
    const predicted = new Float64Array(3)
    limitedEnergies(energyOf(audio), controls, bounds, predicted)
    const energies = energyOf(after)
    for (let k = 0; k < 3; k++) {
      const left = energies.subarray(bounds[k]!, bounds[k + 1]!).reduce((sum, energy) => sum + energy, 0)
      expect(Math.abs(10 * Math.log10(predicted[k]! / left))).toBeLessThan(0.1)
    }
  })

  test('has no latency: the output peaks on the frame where the input does', () => {
    const audio = stereo(9000, rate, (i) => Math.exp(-(((i - 4500) / 30) ** 2)) * 3)
    const result = limited(audio, -1, settings).channels[0]!
    expect(result.indexOf(Math.max(...result))).toBe(4500)
  })
})

describe('with 6 dB of reduction the steady limiter', () => {
  test.each([
    [30, 44_100],
    [50, 44_100],
    [100, 44_100],
    [1000, 44_100],
    [30, 96_000],
    [50, 192_000],
  ])('keeps the distortion and noise of a %i Hz sine at %i Hz under −100 dB', (hz, sampleRateHz) => {
    const result = limited(sine(hz, 5, 4, sampleRateHz), -1, steadyLimiter)
    const part = result.channels[0]!.subarray(2 * sampleRateHz, 3 * sampleRateHz)
    expect(residualDb(part, [hz], sampleRateHz)).toBeLessThan(-100)
  })

  test('keeps the intermodulation of 60 Hz and 7 kHz at 4 : 1 (SMPTE) under −90 dB', () => {
    const audio = stereo(
      5 * rate,
      rate,
      (i) => 1.42 * Math.sin((2 * Math.PI * 60 * i) / rate) + 0.355 * Math.sin((2 * Math.PI * 7000 * i) / rate),
    )
    const part = limited(audio, -1, steadyLimiter).channels[0]!.subarray(3 * rate, 4 * rate)
    expect(residualDb(part, [60, 7000], rate)).toBeLessThan(-90)
  })

  test('would fail that with a look-ahead of 1 ms', () => {
    const part = limited(sine(50, 5, 2, rate), -1, prompt).channels[0]!.subarray(rate, 2 * rate)
    expect(residualDb(part, [50], rate)).toBeGreaterThan(-60)
  })
})

/** Reduction of the steady limiter, dB, so many seconds after a tone 6 dB above the ceiling has ended. */
function heldDb(toneSeconds: number, afterSeconds: number): number {
  const tone = sine(1000, 5, toneSeconds, rate).channels[0]!
  const controls = curveFor(
    stereo(6 * rate, rate, (i) => tone[i] ?? 0),
    -1,
    steadyLimiter,
  )
  return -20 * Math.log10(controls[Math.round(((toneSeconds + afterSeconds) * rate) / 8)]!)
}

describe('the gain of the steady limiter', () => {
  test('is back soon after a single peak, but not within a period of its bass', () => {
    expect(heldDb(0.002, 0.05)).toBeGreaterThan(2)
    expect(heldDb(0.002, 0.25)).toBeLessThan(1)
  })

  test('is held after a note, so that the next one does not pump', () => {
    expect(heldDb(0.3, 0.2)).toBeGreaterThan(3.5)
  })

  test('is back two seconds after a loud passage, in no hurry', () => {
    expect(heldDb(2, 0.5)).toBeGreaterThan(2)
    expect(heldDb(2, 2)).toBeLessThan(0.5)
  })
})
