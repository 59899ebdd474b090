import { describe, expect, test } from 'vitest'
import {
  type Biquad,
  bandPass,
  highPass,
  highShelf,
  kWeighting,
  lowPass,
  magnitudeDb,
  peaking,
  steepHighShelf,
} from '../../../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../../../src-engine/dsp/biquad-cascade.ts'
import { allocateAudio, sliceBlock } from '../../../src-engine/dsp/block.ts'
import { largest, noise, scaled } from '../../support/sounds.ts'

const rate = 48_000

describe('the designs', () => {
  test.each([
    [44_100, 200, 2],
    [48_000, 200, 0.5],
    [96_000, 6000, 1.35],
  ])(
    'a steep shelf at %i Hz stands at its gain from 1.7 times %i Hz on, and at none up to 0.6 (gain %f)',
    (at, hz, gain) => {
      const db = (ratio: number) => magnitudeDb(steepHighShelf(hz, at, gain), ratio * hz, at)
      const fullDb = 20 * Math.log10(gain)
      for (const ratio of [0.1, 0.3, 0.6]) expect(Math.abs(db(ratio))).toBeLessThan(0.02 * Math.abs(fullDb))
      for (const ratio of [1.7, 2, 3.5]) expect(Math.abs(db(ratio) - fullDb)).toBeLessThan(0.02 * Math.abs(fullDb))
      expect(db(1)).toBeCloseTo(fullDb / 2, 6)
    },
  )

  test('a steep shelf of gain 1 is nothing, and one of gain 0 is refused', () => {
    expect(steepHighShelf(200, rate, 1)).toEqual([])
    expect(() => steepHighShelf(200, rate, 0)).toThrow(RangeError)
  })

  test('K-weighting at 48 kHz is the table of BS.1770-5', () => {
    const [shelf, pass] = kWeighting(48_000)
    const table: readonly (readonly [Biquad, Biquad])[] = [
      [
        shelf,
        {
          b0: 1.53512485958697,
          b1: -2.69169618940638,
          b2: 1.19839281085285,
          a1: -1.69065929318241,
          a2: 0.73248077421585,
        },
      ],
      [pass, { b0: 1, b1: -2, b2: 1, a1: -1.99004745483398, a2: 0.99007225036621 }],
    ]
    for (const [design, expected] of table) {
      for (const key of ['b0', 'b1', 'b2', 'a1', 'a2'] as const) expect(design[key]).toBeCloseTo(expected[key], 10)
    }
  })

  test.each([8000, 22_050, 44_100, 96_000, 192_000])(
    'K-weighting at %i Hz weighs as at 48 kHz up to 1.5 kHz',
    (other) => {
      for (const hz of [20, 60, 200, 997, 1500]) {
        expect(magnitudeDb(kWeighting(other), hz, other)).toBeCloseTo(magnitudeDb(kWeighting(48_000), hz, 48_000), 0)
      }
      expect(magnitudeDb(kWeighting(other), 997, other)).toBeCloseTo(0.691, other < 20_000 ? 0 : 1)
    },
  )

  test.each<[string, Biquad, number, number]>([
    ['a low-pass', lowPass(1000, rate), 1000, -3.01],
    ['a low-pass', lowPass(1000, rate), 20, 0],
    ['a high-pass', highPass(1000, rate), 1000, -3.01],
    ['a high-pass', highPass(1000, rate), 20_000, 0],
    ['a band-pass', bandPass(1000, rate, 2), 1000, 0],
    ['a peak', peaking(1000, rate, 1, 6), 1000, 6],
    ['a peak', peaking(1000, rate, 1, 6), 20, 0],
    ['a high shelf', highShelf(4000, rate, 5), 23_000, 5],
    ['a high shelf', highShelf(4000, rate, 5), 4000, 2.5],
    ['a high shelf', highShelf(4000, rate, 5), 20, 0],
  ])('%s is what it says (case %#)', (_name, design, hz, db) => {
    expect(magnitudeDb([design], hz, rate)).toBeCloseTo(db, 1)
  })

  test('a frequency that the rate does not have is refused', () => {
    expect(() => lowPass(24_000, 48_000)).toThrow(RangeError)
    expect(() => peaking(0, 48_000, 1, 3)).toThrow(RangeError)
  })
})

describe('the cascade', () => {
  test('gives the same samples for any cut into blocks, and after a reset', () => {
    const sections = [highPass(30, rate), peaking(3000, rate, 2, 4), highShelf(8000, rate, -3)]
    const source = noise(0.5, 0.5, rate, 2)
    const whole = scaled(source, 1)
    const cascade = createBiquadCascade(sections)
    cascade.process(whole)
    for (const size of [1, 333, 4096, 5000]) {
      cascade.reset()
      const cut = scaled(source, 1)
      for (let first = 0; first < cut.frames; first += size) cascade.process(sliceBlock(cut, first, first + size))
      expect(cut.channels).toEqual(whole.channels)
    }
  })

  test('without sections, or with neutral ones, keeps every bit', () => {
    const source = noise(0.5, 0.2, rate, 3)
    for (const sections of [[], [peaking(1000, rate, 1, 0), highShelf(5000, rate, 0)]]) {
      const audio = scaled(source, 1)
      createBiquadCascade(sections).process(audio)
      for (const [c, samples] of audio.channels.entries()) {
        expect(largest(0, audio.frames, (i) => samples[i]! - source.channels[c]![i]!)).toBeLessThan(1e-7)
      }
    }
  })

  test('is linear, and keeps channels and instances apart', () => {
    const sections = [peaking(500, rate, 1, 6)]
    const source = noise(0.25, 0.1, rate, 4)
    const once = scaled(source, 1)
    const twice = scaled(source, 2)
    createBiquadCascade(sections).process(once)
    createBiquadCascade(sections).process(twice)
    expect(largest(0, once.frames, (i) => twice.channels[0]![i]! - 2 * once.channels[0]![i]!)).toBeLessThan(5e-6)
    const alone = { channels: [source.channels[1]!.slice()], frames: source.frames }
    createBiquadCascade(sections).process(alone)
    expect(alone.channels[0]).toEqual(once.channels[1])
  })

  test('does not slow down in digital silence after music', () => {
    const cascade = createBiquadCascade(Array.from({ length: 8 }, () => highPass(20, rate)))
    cascade.process(noise(0.5, 0.1, rate, 5))
    const silence = allocateAudio(2, rate * 4, rate)
    cascade.process(silence)
    const late = silence.channels[0]!.subarray(rate * 3)
    expect(late.every((sample) => sample === 0 || Math.abs(sample) > 1e-30)).toBe(true)
  })
})
