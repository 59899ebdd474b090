import { describe, expect, test } from 'vitest'
import type { Audio } from '../../../src-engine/dsp/block.ts'
import { measureDistortion } from '../../../src-engine/finalise/distortion.ts'
import { noise, scaled, sine, songLike, stereo } from '../../support/sounds.ts'

const rate = 44_100

/** A loud tone of 200 Hz with a faint one of `hz` beside it. */
const withFaintTone = (hz: number): Audio =>
  stereo(rate, rate, (i) => Math.sin((2 * Math.PI * 200 * i) / rate) + 0.01 * Math.sin((2 * Math.PI * hz * i) / rate))

describe('the distortion that decides between treatments', () => {
  test('is none where a song was only turned up as asked', () => {
    const song = songLike(2, rate)
    expect(measureDistortion(song, scaled(song, 1.7), 1.7)).toEqual({ spectralDb: 0, colourDb: 0, audibleDb: 0 })
  })

  test('tells a level from a colour', () => {
    const sound = noise(0.5, 1, rate, 4)
    const { spectralDb, colourDb, audibleDb } = measureDistortion(sound, scaled(sound, 0.5), 1)
    expect(spectralDb).toBeCloseTo(20 * Math.log10(2), 2)
    expect(colourDb).toBeLessThan(0.01)
    expect(audibleDb).toBeLessThan(0.01)
  })

  test('counts what is faint where nothing hides it, and much less beside what is loud', () => {
    const music = sine(200, 0, 1, rate)
    const open = measureDistortion(music, withFaintTone(5000), 1).audibleDb
    const hidden = measureDistortion(music, withFaintTone(215), 1).audibleDb
    expect(open).toBeGreaterThan(0.2)
    expect(hidden).toBeLessThan(open / 10)
  })

  test('is found in channels of opposite phase too', () => {
    const music = sine(200, 0, 1, rate)
    const turned = ({ channels, ...rest }: Audio): Audio => {
      return { ...rest, channels: [channels[0]!, channels[1]!.map((x) => -x)] }
    }
    const faint = withFaintTone(5000)
    expect(measureDistortion(turned(music), turned(faint), 1)).toEqual(measureDistortion(music, faint, 1))
  })
})
