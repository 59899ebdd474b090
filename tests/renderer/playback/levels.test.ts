import { describe, expect, it } from 'vitest'
import { chanceOfGuessing, scoreOf } from '../../../src-renderer/playback/blind-test.ts'
import { levelGainsDb } from '../../../src-renderer/playback/levels.ts'

const levels = {
  source: { integratedLufs: -16.7, truePeakDbtp: -0.2 },
  spotify: { integratedLufs: -14, truePeakDbtp: -1 },
  melon: { integratedLufs: -9.5, truePeakDbtp: -1.5 },
}

describe('the level of a version', () => {
  it('matched: everything is as loud as the quietest, and nothing is turned up', () => {
    const gains = levelGainsDb(levels, 'matched', 'spotify')
    expect(gains.source).toBe(0)
    expect(gains.spotify).toBeCloseTo(-2.7, 9)
    expect(gains.melon).toBeCloseTo(-7.2, 9)
  })

  it('as on a service: loud ones are turned down, quiet ones up only where the service does that and has room', () => {
    expect(levelGainsDb(levels, 'service', 'spotify').melon).toBeCloseTo(-4.5, 9)
    expect(levelGainsDb(levels, 'service', 'spotify').source).toBe(0)
    expect(levelGainsDb(levels, 'service', 'youtube').source).toBe(0)
    const quiet = { source: { integratedLufs: -20, truePeakDbtp: -4 } }
    expect(levelGainsDb(quiet, 'service', 'spotify').source).toBeCloseTo(3, 9)
    expect(levelGainsDb(quiet, 'service', 'soundcloud').source).toBe(0)
  })

  it('as on Melon, which is not known to change anything, and as a file: nothing changes', () => {
    for (const gains of [levelGainsDb(levels, 'service', 'melon'), levelGainsDb(levels, 'file', 'spotify')]) {
      expect(Object.values(gains)).toEqual([0, 0, 0])
    }
  })

  it('leaves silence alone and is not led by it', () => {
    const withSilence = { ...levels, source: { integratedLufs: null, truePeakDbtp: null } }
    expect(levelGainsDb(withSilence, 'matched', 'spotify')).toMatchObject({ source: 0, spotify: 0, melon: -4.5 })
  })
})

describe('the score of a blind test', () => {
  it('says how likely guessing does as well', () => {
    expect(chanceOfGuessing(0, 0)).toBe(1)
    expect(chanceOfGuessing(10, 10)).toBeCloseTo(1 / 1024, 12)
    expect(chanceOfGuessing(12, 16)).toBeCloseTo(0.0384, 4)
    expect(chanceOfGuessing(5, 10)).toBeCloseTo(0.623, 3)
  })

  it('counts the answers that were right', () => {
    expect(
      scoreOf([
        { truth: 'a', answer: 'a' },
        { truth: 'b', answer: 'a' },
        { truth: 'b', answer: 'b' },
      ]),
    ).toMatchObject({ correct: 2, total: 3, chance: 0.5 })
  })
})
