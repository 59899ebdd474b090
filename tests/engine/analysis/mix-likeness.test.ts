/** A stereo mix against the sum of its stems, on multitracks of our own making. */
import { expect, test } from 'vitest'
import { mixLikeness } from '../../../src-engine/analysis/mix-likeness.ts'
import type { Audio } from '../../../src-engine/dsp/block.ts'
import { seededRandom } from '../../support/sounds.ts'

const RATE_HZ = 44_100
const SECONDS = 6

type Value = (at: number, channel: number) => number

const audioOf = (sampleOf: Value, frames = SECONDS * RATE_HZ): Audio => ({
  ...{ frames, sampleRateHz: RATE_HZ },
  channels: [0, 1].map((c) => Float32Array.from({ length: frames }, (_, i) => sampleOf(i, c))),
})

/** A track of struck notes, other ones in each channel. */
function track(seed: number): Audio {
  const random = seededRandom(seed)
  return audioOf((i, c) => {
    const beat = (i / RATE_HZ + 0.13 * seed) % (0.4 + 0.03 * seed)
    const tone = Math.sin((2 * Math.PI * 110 * (seed + c) * i) / RATE_HZ)
    return 0.2 * Math.exp(-6 * beat) * (tone + 0.3 * random())
  })
}

const tracks = [1, 2, 3].map(track)
const at = (audio: Audio, i: number, c: number) => audio.channels[c]?.[i] ?? 0
const sum = audioOf((i, c) => tracks.reduce((all, one) => all + at(one, i, c), 0))

test.each([
  ['itself', 0, 1],
  ['late and turned over', 1234, -0.5],
  ['early and louder', -20_001, 2],
])('a mix that is the sum %s is found to the sample, with polarity and gain', (_, offset, gain) => {
  const mix = audioOf((i, c) => gain * at(sum, i - offset, c), sum.frames + Math.max(0, offset))
  const found = mixLikeness(sum, mix)!
  expect(found).toMatchObject({ offsetFrames: offset, isInverted: gain < 0 })
  // The beginning of the sum is missing in an early mix, and counts for neither.
  expect(Math.abs(found.gainDb - 20 * Math.log10(Math.abs(gain)))).toBeLessThan(0.001)
  expect(found.residualDb).toBeLessThan(-120)
})

test('the rest is measured as a whole and in the band in which it lies', () => {
  const noise = seededRandom(9)
  const quiet = audioOf((i, c) => at(sum, i, c) + 1e-4 * noise())
  const energyOf = (sampleOf: Value) =>
    [0, 1].reduce((all, c) => all + quiet.channels[c]!.reduce((total, _, i) => total + sampleOf(i, c) ** 2, 0), 0)
  const expectedDb =
    10 * Math.log10(energyOf((i, c) => at(quiet, i, c) - at(sum, i, c)) / energyOf((i, c) => at(quiet, i, c)))
  expect(Math.abs(mixLikeness(sum, quiet)!.residualDb - expectedDb)).toBeLessThan(0.1)

  const hum = audioOf((i, c) => at(sum, i, c) + 0.05 * Math.sin((2 * Math.PI * 3000 * i) / RATE_HZ))
  for (const { lowHz, residualDb } of mixLikeness(sum, hum)!.bands)
    expect([lowHz, lowHz === 2000 ? residualDb! > -10 : residualDb! < -40]).toEqual([lowHz, true])
})

test('echoes of the mix leave a rest; another song is none; silence and less than a second are not compared', () => {
  const echo = audioOf((i, c) => at(sum, i, c) + 0.12 * at(sum, i - 3001, c))
  const ofEcho = mixLikeness(sum, echo)!
  expect(ofEcho.offsetFrames).toBe(0)
  expect(ofEcho.residualDb).toBeGreaterThan(-22)
  expect(ofEcho.residualDb).toBeLessThan(-15)
  expect(mixLikeness(sum, track(7))!.residualDb).toBeGreaterThan(-1)
  expect(
    mixLikeness(
      sum,
      audioOf(() => 0),
    ),
  ).toBeUndefined()
  expect(
    mixLikeness(
      sum,
      audioOf(() => 1, RATE_HZ - 1),
    ),
  ).toBeUndefined()
  expect(() => mixLikeness(sum, { ...sum, sampleRateHz: 48_000 })).toThrow(RangeError)
})
