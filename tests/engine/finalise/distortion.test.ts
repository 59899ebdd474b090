import { describe, expect, test } from 'vitest'
import type { Audio } from '../../../src-engine/dsp/block.ts'
import { createDistortionMeter } from '../../../src-engine/finalise/distortion.ts'
import { noise, scaled, sine, songLike, twoChannels } from '../../support/sounds.ts'

const rate = 44_100

/** A sine of a frequency in Hz at a frame. */
const tone = (hz: number) => (frame: number) => Math.sin((2 * Math.PI * hz * frame) / rate)

/** A loud tone of 200 Hz in each channel as given, with a faint one of `hz` beside it in each channel as given. */
const withFaintTone = (hz: number, loud: readonly [number, number], faint: readonly [number, number]): Audio => {
  const channel = (c: 0 | 1) => (i: number) => loud[c] * tone(200)(i) + 0.01 * faint[c] * tone(hz)(i)
  return twoChannels(rate, rate, channel(0), channel(1))
}

/** Distortion of a loud tone, in each channel as given, by a faint one. */
const distortionBy = (hz: number, loud: readonly [number, number], faint: readonly [number, number]): number =>
  createDistortionMeter(withFaintTone(hz, loud, [0, 0]), 1)(withFaintTone(hz, loud, faint))

describe('the distortion that decides between treatments', () => {
  test('is none where a song was only turned up as asked', () => {
    const song = songLike(2, rate)
    expect(createDistortionMeter(song, 1.7)(scaled(song, 1.7))).toBeCloseTo(0, 6)
  })

  test('is that of the song at any level', () => {
    const song = songLike(2, rate)
    const clipped = ({ channels, ...rest }: Audio): Audio => ({
      ...rest,
      channels: channels.map((samples) => samples.map((x) => Math.max(-0.15, Math.min(0.15, x)))),
    })
    const distortionDb = createDistortionMeter(song, 1)(clipped(song))
    expect(distortionDb).toBeGreaterThan(1)
    expect(createDistortionMeter(song, 0.1)(scaled(clipped(song), 0.1))).toBeCloseTo(distortionDb, 4)
  })

  test('charges the movement of a gain, and more where it moves further', () => {
    const song = noise(0.5, 2, rate, 4)
    const movedBy = (depth: number): number => {
      const gain = (i: number) => 1 - depth * Math.sin((2 * Math.PI * 8 * i) / rate) ** 2
      const [left, right] = song.channels as [Float32Array, Float32Array]
      const moved = twoChannels(
        song.frames,
        rate,
        (i) => left[i]! * gain(i),
        (i) => right[i]! * gain(i),
      )
      return createDistortionMeter(song, 1)(moved)
    }
    expect(movedBy(0.1)).toBeGreaterThan(0.1)
    expect(movedBy(0.3)).toBeGreaterThan(3 * movedBy(0.1))
  })

  test('counts what is faint where nothing hides it, and much less beside what is loud', () => {
    const open = distortionBy(5000, [1, 1], [1, 1])
    expect(open).toBeGreaterThan(0.5)
    expect(distortionBy(215, [1, 1], [1, 1])).toBeLessThan(open / 10)
  })

  test('hears what is added to one channel while the music plays in the other', () => {
    const hidden = distortionBy(215, [1, 0], [1, 0])
    expect(distortionBy(215, [1, 0], [0, 1])).toBeGreaterThan(10 * hidden)
  })

  test('hears what is opposite in the ears beside a bass that is alike in them, and little more of it beside treble', () => {
    const opposite = distortionBy(215, [1, 1], [1, -1])
    expect(opposite).toBeGreaterThan(5 * distortionBy(215, [1, 1], [1, 1]))
    const treble = (faint: readonly [number, number]): number => {
      const music = sine(6000, 0, 1, rate)
      const [left, right] = music.channels as [Float32Array, Float32Array]
      const added = (samples: Float32Array, part: number) => (i: number) => samples[i]! + 0.01 * part * tone(6200)(i)
      return createDistortionMeter(
        music,
        1,
      )(twoChannels(music.frames, rate, added(left, faint[0]), added(right, faint[1])))
    }
    expect(treble([1, -1])).toBeLessThan(1.5 * treble([1, 1]))
  })

  test('is the same in channels of opposite phase', () => {
    const inPhase = distortionBy(5000, [1, 1], [1, 1])
    expect(distortionBy(5000, [1, -1], [1, -1])).toBeCloseTo(inPhase, 6)
  })
})
