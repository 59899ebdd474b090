/** The bench compares samples: what a tool delays must not count as distortion. */
import { expect, it } from 'vitest'
import { aligned } from '../../../bench/alignment.ts'
import { type Audio, allocateAudio } from '../../../src-engine/dsp/block.ts'
import { seededRandom } from '../../support/sounds.ts'
import { measureTransparency } from '../../support/transparency.ts'

const rate = 44_100

/** Forty tones below 18 kHz, later by a number of samples, at a gain. */
function tones(delay: number, gain: number): Audio {
  const random = seededRandom(4)
  const parts = Array.from({ length: 40 }, () => ({ hz: 100 + 8950 * (1 + random()), phase: Math.PI * random() }))
  const audio = allocateAudio(2, rate, rate)
  for (let i = 0; i < rate; i++) {
    const value = parts.reduce(
      (sum, { hz, phase }) => sum + Math.sin((2 * Math.PI * hz * (i - delay)) / rate + phase),
      0,
    )
    for (const samples of audio.channels) samples[i] = (gain * value) / 40
  }
  return audio
}

it.each([0, 0.25, -220.4])('a pure gain that comes %f samples later reads as none', (delay) => {
  const { before, after } = aligned(tones(0, 1), tones(delay, 2))
  // The shift needs samples on either side, which the ends do not have.
  const inner = ({ channels }: typeof before) => ({
    channels: channels.map((samples) => samples.subarray(500, 43_000)),
    frames: 42_500,
  })
  expect(measureTransparency(inner(before), inner(after), 2, rate).sdrDb).toBeGreaterThan(75)
})

it('a beat that grows louder is not taken for its next one', () => {
  const beat = (delay: number) => {
    const audio = allocateAudio(2, rate, rate)
    for (const samples of audio.channels) {
      const random = seededRandom(8)
      for (let i = 0; i < rate - delay; i++) {
        const tone = Math.sin((2 * Math.PI * 100 * i) / rate) * 0.2 * 20 ** (i / rate)
        samples[i + delay] = tone + 0.001 * random()
      }
    }
    return audio
  }
  const { before, after } = aligned(beat(0), beat(7))
  expect(before.frames).toBe(rate - 7)
  expect(measureTransparency(before, after, 1, rate).sdrDb).toBeGreaterThan(40)
})
