import { describe, expect, it } from 'vitest'
import { thirdOctaves } from '../../../src-engine/dsp/meters/spectrum.ts'
import {
  joined,
  ownToneDb,
  responseAxes,
  responsePath,
  TONE_POINTS,
  thirdOctaveHz,
  toneValue,
} from '../../../src-renderer/drawing/response.ts'

const neutral = { tilt_db: 0, bass_db: 0, presence_db: 0, air_db: 0 }

describe('the own tone', () => {
  it('is nothing where nothing is set', () => {
    for (const hz of [20, 100, 1000, 10_000, 20_000]) expect(Math.abs(ownToneDb(neutral, hz))).toBeLessThan(1e-9)
  })

  it('has half of a shelf at its corner, all of a peak at its centre, and all of a tilt at its end', () => {
    expect(ownToneDb({ ...neutral, bass_db: 6 }, 100)).toBeCloseTo(3, 6)
    expect(ownToneDb({ ...neutral, air_db: -6 }, 9000)).toBeCloseTo(-3, 6)
    expect(ownToneDb({ ...neutral, presence_db: 4 }, 2800)).toBeCloseTo(4, 6)
    const tilt = { ...neutral, tilt_db: 3 }
    expect([16_000, 20_000, 800, 40, 20].map((hz) => ownToneDb(tilt, hz))).toEqual([
      ...[3, 3, 0, -3, -3].map((db) => expect.closeTo(db, 2)),
    ])
  })

  it('has nearly all of its gain where it is dragged, so that the curve follows the pointer', () => {
    for (const { name, hz } of TONE_POINTS) {
      const gain = ownToneDb({ ...neutral, [name]: 2 }, hz)
      expect(gain, name).toBeGreaterThan(1.2)
      expect(gain, name).toBeLessThanOrEqual(2.001)
    }
  })
})

describe('a dragged value', () => {
  it('is in tenths of a decibel, within the bounds of its setting, and no minus nought', () => {
    expect([toneValue('tilt_db', 1.2345), toneValue('tilt_db', 9), toneValue('bass_db', -9)]).toEqual([1.2, 3, -6])
    expect(Object.is(toneValue('air_db', -0.01), 0)).toBe(true)
  })
})

describe('the spectrum behind it', () => {
  it('has the bands that the analysis measures', () => {
    for (const [band, hz] of thirdOctaves.centresHz.entries()) expect(thirdOctaveHz(band)).toBeCloseTo(hz, 6)
  })
})

describe('the curve', () => {
  const layout = { width: 300, height: 120 }
  it('lies in the middle where nothing is changed, and above it where something is lifted', () => {
    const { toX, toY, toHz } = responseAxes(layout)
    expect([toY(0), toY(12), toY(-12), toY(40)]).toEqual([60, 0, 120, 0])
    expect(toHz(toX(1000))).toBeCloseTo(1000, 6)
    expect(responsePath(() => 0, layout)).toMatch(/^M0\.0 60\.0L/)
    expect(responsePath(() => 6, layout, true)).toMatch(/^M0\.0 30\.0L.*L300 60L0 60Z$/)
  })

  it('joins what is measured over octaves, and keeps the ends', () => {
    const planned = joined([
      { hz: 100, db: 0 },
      { hz: 400, db: 4 },
    ])
    expect([planned(50), planned(200), planned(400), planned(9000)]).toEqual([0, expect.closeTo(2, 9), 4, 4])
    expect(joined([])(1000)).toBe(0)
  })
})
