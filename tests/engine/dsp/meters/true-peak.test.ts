import { describe, expect, test } from 'vitest'
import { type Audio, allocateAudio } from '../../../../src-engine/dsp/block.ts'
import { createConvolver } from '../../../../src-engine/dsp/fir.ts'
import {
  createTruePeakMeter,
  createTruePeakVerifier,
  detectPeaks,
  measureTruePeak,
  type TruePeakMeter,
} from '../../../../src-engine/dsp/meters/true-peak.ts'
import { fullTruePeakDbtp } from '../../../support/full-meter.ts'
import { designLowPass } from '../../../support/low-pass.ts'
import { noise, songLike, stereo } from '../../../support/sounds.ts'

/** A sine of fs / divisor with a phase in degrees, 3.2 s with 100 ms fades, as in the EBU's files. */
function tone(divisor: number, amplitudeDb: number, phaseDegrees: number, rate: number): Audio {
  const frames = Math.round(3.2 * rate)
  const fade = 0.1 * rate
  return stereo(frames, rate, (i) => {
    const envelope = Math.min(1, i / fade, (frames - i) / fade)
    return envelope * 10 ** (amplitudeDb / 20) * Math.sin((2 * Math.PI * i) / divisor + (phaseDegrees * Math.PI) / 180)
  })
}

/** Cases 20–23: fs/6 with one period of fs/4 at full scale, made at 4 fs, low-passed at fs/2, decimated at an offset. */
function insertedPeriod(offset: number, rate: number): Audio {
  const frames = Math.round(1.2 * rate)
  const middle = 24 * Math.floor((2 * frames) / 24)
  const fast = Float64Array.from({ length: frames * 4 }, (_, i) => {
    const background = (k: number): number => 10 ** (-6 / 20) * Math.sin((2 * Math.PI * k) / 24)
    if (i < middle) return background(i)
    return i < middle + 16 ? Math.sin((2 * Math.PI * (i - middle)) / 16) : background(i - 16)
  })
  const side = 256
  const kernel = Float64Array.from({ length: 2 * side + 1 }, (_, k) => {
    const x = (k - side) * 0.98 * 0.25
    const hann = 0.5 + 0.5 * Math.cos((Math.PI * (k - side)) / (side + 1))
    return 0.98 * 0.25 * (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)) * hann
  })
  const fade = 0.1 * rate
  return stereo(frames, rate, (n) => {
    let sum = 0
    for (let k = -side; k <= side; k++) sum += kernel[k + side]! * (fast[4 * n + offset + k] ?? 0)
    return sum * Math.min(1, n / fade, (frames - n) / fade)
  })
}

/** Noise without the top tenth of the band: above it even 16-point meters disagree, by the length of their filters. */
function bandLimited(audio: Audio): Audio {
  const kernel = designLowPass(401, 0.43 * audio.sampleRateHz, audio.sampleRateHz, 9)
  const convolver = createConvolver(kernel, kernel)
  const padded = allocateAudio(2, audio.frames + convolver.latencySamples, audio.sampleRateHz)
  for (const [c, samples] of audio.channels.entries()) padded.channels[c]!.set(samples)
  convolver.process(padded)
  const channels = padded.channels.map((samples) => samples.slice(convolver.latencySamples))
  return { channels, frames: audio.frames, sampleRateHz: audio.sampleRateHz }
}

interface Case {
  readonly name: string
  readonly signal: (rate: number) => Audio
  readonly expectedDbtp: number
  readonly isMissedBySamples: boolean
}

const cases: readonly Case[] = [
  { name: 'case 15', signal: (rate) => tone(4, -6, 0, rate), expectedDbtp: -6, isMissedBySamples: false },
  { name: 'case 16', signal: (rate) => tone(4, -6, 45, rate), expectedDbtp: -6, isMissedBySamples: true },
  { name: 'case 17', signal: (rate) => tone(6, -6, 60, rate), expectedDbtp: -6, isMissedBySamples: true },
  { name: 'case 18', signal: (rate) => tone(8, -6, 67.5, rate), expectedDbtp: -6, isMissedBySamples: true },
  { name: 'case 19', signal: (rate) => tone(4, 3, 45, rate), expectedDbtp: 3, isMissedBySamples: true },
  ...[0, 1, 2, 3].map((offset) => ({
    name: `case ${20 + offset}`,
    signal: (rate: number) => insertedPeriod(offset, rate),
    expectedDbtp: 0,
    isMissedBySamples: false,
  })),
]

const meters: readonly (readonly [string, () => TruePeakMeter])[] = [
  ['the true-peak meter', createTruePeakMeter],
  ['the verifier of written files', createTruePeakVerifier],
]

describe.each([44_100, 48_000, 96_000])('at %i Hz (EBU Tech 3341 v4, tolerance +0.2 / −0.4 dB)', (rate) => {
  test.each(cases)('both meters read $name', ({ signal, expectedDbtp, isMissedBySamples }) => {
    const audio = signal(rate)
    for (const [name, create] of meters) {
      const meter = create()
      meter.push(audio)
      const { truePeakDbtp, samplePeakDbfs } = meter.read()
      expect(truePeakDbtp, name).toBeLessThanOrEqual(expectedDbtp + 0.2)
      expect(truePeakDbtp, name).toBeGreaterThanOrEqual(expectedDbtp - 0.4)
      if (isMissedBySamples) expect(samplePeakDbfs).toBeLessThan(expectedDbtp - 0.4)
    }
  })
})

describe.each(meters)('%s', (_name, create) => {
  const sounds: readonly (readonly [string, Audio])[] = [
    ['song', songLike(1, 44_100)],
    ['noise up to 0.45 fs', bandLimited(noise(0.5, 0.2, 48_000, 7))],
  ]

  test.each(sounds)('agrees with a full meter of another hand on a %s', (_sound, audio) => {
    const meter = create()
    meter.push(audio)
    const full = fullTruePeakDbtp(audio.channels)
    expect(meter.read().truePeakDbtp).toBeGreaterThan(full - 0.2)
    expect(meter.read().truePeakDbtp).toBeLessThan(full + 0.1)
  })

  test('reads a sound close to half the rate wherever in a group of frames its beat is silent', () => {
    for (let shift = 0; shift < 8; shift += 0.5) {
      for (const below of [0.05, 0.033]) {
        const audio = stereo(2000, 48_000, (i) => {
          const t = i - 1000 - shift
          const beat = Math.cos(Math.PI * i) * Math.sin(below * Math.PI * t)
          return Math.exp(-((t / 60) ** 2)) * (0.5 + 0.2 * beat)
        })
        const meter = create()
        meter.push(audio)
        expect(Math.abs(meter.read().truePeakDbtp - fullTruePeakDbtp(audio.channels))).toBeLessThan(0.01)
      }
    }
  })

  test('reads the same however the signal is cut into blocks, and reading does not change it', () => {
    const audio = noise(0.5, 1, 44_100, 3)
    const whole = create()
    whole.push(audio)
    for (const size of [1, 7, 4096, 5000]) {
      const meter = create()
      const frames = size === 1 ? 9000 : audio.frames
      const reference = create()
      reference.push({ channels: audio.channels.map((c) => c.subarray(0, frames)), frames })
      for (let start = 0; start < frames; start += size) {
        const channels = audio.channels.map((samples) => samples.subarray(start, Math.min(frames, start + size)))
        meter.push({ channels, frames: channels[0]!.length })
        if (start % 3 === 0) meter.read()
      }
      expect(meter.read()).toEqual(reference.read())
    }
  })

  test('sees the peak between the samples at the very start and the very end', () => {
    const edge = allocateAudio(1, 400, 48_000)
    edge.channels[0]!.set([0.9, 0.9])
    const start = create()
    start.push(edge)
    const full = fullTruePeakDbtp(edge.channels)
    expect(start.read().truePeakDbtp).toBeCloseTo(full, 1)
    edge.channels[0]!.reverse()
    const end = create()
    end.push(edge)
    expect(end.read().truePeakDbtp).toBeCloseTo(full, 1)
  })

  test('never reads less than the samples, and −Infinity from silence and from nothing', () => {
    const audio = noise(0.8, 0.1, 44_100, 5)
    const meter = create()
    meter.push(audio)
    const reading = meter.read()
    expect(reading.truePeakDbtp).toBeGreaterThanOrEqual(reading.samplePeakDbfs)
    expect(create().read().truePeakDbtp).toBe(-Infinity)
    expect(measureTruePeak(allocateAudio(2, 1000, 44_100)).truePeakDbtp).toBe(-Infinity)
  })
})

describe('the true-peak envelope', () => {
  const bursts = stereo(8000, 44_100, (i) => {
    const t = ((i - 100) % 50.0625) - 25
    return 0.5 * Math.exp(-((t / 6) ** 2)) * Math.cos(0.8 * Math.PI * t)
  })
  test.each([
    ['a song', songLike(1, 44_100)],
    ['noise', noise(0.5, 0.2, 44_100, 9)],
    ['bursts at every place between two frames', bursts],
  ])('of %s holds each peak above the floor that it is given as it is, and reads no other higher', (_sound, audio) => {
    const envelope = (floor: number) => {
      const peaks = new Float32Array(Math.ceil(audio.frames / 8))
      detectPeaks(audio.channels, floor, peaks)
      return peaks
    }
    const all = envelope(0)
    const highest = all.reduce((most, peak) => Math.max(most, peak))
    for (const part of [0.05, 0.3, 0.6, 0.9]) {
      const floor = part * highest
      for (const [g, peak] of envelope(floor).entries()) {
        if (all[g]! > floor) expect(peak).toBe(all[g])
        else expect(peak).toBeLessThanOrEqual(all[g]! * (1 + 1e-6))
      }
    }
  })

  test('counts a peak that lies before the first or after the last frame', () => {
    // A tone at half the rate, cut off: its parts add up outside, where nothing of the other sign follows.
    const samples = Float32Array.from({ length: 160 }, (_, i) => (i % 2 === 0 ? 0.5 : -0.5))
    const peaks = new Float32Array(20)
    detectPeaks([samples], 0, peaks)
    expect(peaks[0]).toBeGreaterThan(0.8)
    expect(peaks[19]).toBeGreaterThan(0.8)
  })
})

test('the verifier reads a crest to 0.001 dB wherever on its grid in a group of frames it lies, upward and downward', () => {
  for (let place = 0; place < 8; place += 1 / 16) {
    for (const crest of [0.5, -0.5]) {
      const audio = stereo(800, 48_000, (i) => {
        const t = i - 400 - place
        return crest * Math.exp(-((t / 60) ** 2)) * Math.cos(0.6 * Math.PI * t)
      })
      const verifier = createTruePeakVerifier()
      verifier.push(audio)
      expect(Math.abs(verifier.read().truePeakDbtp - 20 * Math.log10(0.5))).toBeLessThan(0.001)
    }
  }
})

test('the verifier finds a crest that the detector sees elsewhere, as its beat close to half the rate is silent there', () => {
  for (let place = 0; place < 8; place++) {
    for (const from of [-1.5, -0.5, 0, 0.5, 1.5]) {
      const audio = stereo(800, 48_000, (i) => {
        const t = i - 400 - place
        return (
          0.5 * Math.exp(-(((t - from) / 10) ** 2)) + 0.01 * Math.exp(-((t / 300) ** 2)) * Math.sin(0.99 * Math.PI * t)
        )
      })
      const verifier = createTruePeakVerifier()
      verifier.push(audio)
      expect(verifier.read().truePeakDbtp).toBeGreaterThan(fullTruePeakDbtp(audio.channels) - 0.002)
    }
  }
})

test('the verifier finds the higher of two tones although the detector reads it lower', () => {
  const rate = 44_100
  // Three frames hold a period, so eight points a frame see phases in steps of 15°: the second tone's crests lie half a step off.
  const burst = (i: number, first: number, amplitude: number, phaseDegrees: number): number => {
    const at = (i - first) / 4000
    if (at < 0 || at > 1) return 0
    const envelope = Math.min(1, Math.sin(Math.PI * at) * 3)
    return envelope * amplitude * Math.cos((2 * Math.PI * (i - first)) / 3 + (phaseDegrees * Math.PI) / 180)
  }
  const audio = stereo(10_000, rate, (i) => burst(i, 500, 0.7, 0) + burst(i, 5500, 0.704, 7.5))
  const meter = createTruePeakMeter()
  meter.push(audio)
  expect(meter.read().truePeak).toBeLessThan(0.702)
  const verifier = createTruePeakVerifier()
  verifier.push(audio)
  expect(verifier.read().truePeak / 0.704).toBeGreaterThan(0.9995)
  expect(verifier.read().truePeak / 0.704).toBeLessThan(1.0005)
})
