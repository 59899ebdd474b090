import { describe, expect, it } from 'vitest'
import { nominalHz, nominalName } from '../../../src-contract/text/numbers.ts'
import {
  LOUDNESS_SCALE,
  loudnessZones,
  meterColumn,
  meterY,
  PEAK_SCALE,
  peakZones,
} from '../../../src-renderer/drawing/meters.ts'
import {
  compareSpectra,
  liveBands,
  spectrumAxes,
  spectrumLayout,
  tiltedBands,
} from '../../../src-renderer/drawing/spectrum.ts'

const bandHz = Array.from({ length: 30 }, (_, i) => 1000 * 10 ** ((i - 16) / 10))

describe('a meter column', () => {
  it('is steel below the target, straw near it, and over only above', () => {
    const zones = loudnessZones(-14, 'S')
    const column = (level: number) => meterColumn(level, zones, LOUDNESS_SCALE, 20, 300)
    expect(column(-17).near.height).toBe(0)
    expect(column(-16.5).near.height).toBeGreaterThan(0)
    expect(column(-14).near.height).toBeGreaterThan(0)
    expect(column(-14).over.height).toBe(0)
    expect(column(-8).over.height).toBeGreaterThan(0)
  })

  it('separates its zones by a gap, so that they are told apart without colour', () => {
    const { under, near, over } = meterColumn(2, peakZones(-1), PEAK_SCALE, 20, 300)
    expect(under.y - (near.y + near.height)).toBeCloseTo(2, 6)
    expect(near.y - (over.y + over.height)).toBeCloseTo(2, 6)
  })

  it('shows silence as an empty column, and holds what is off the scale at its end', () => {
    const column = meterColumn(Number.NEGATIVE_INFINITY, peakZones(-1), PEAK_SCALE, 20, 300)
    expect([column.under.height, column.near.height, column.over.height]).toEqual([0, 0, 0])
    expect(meterY(20, PEAK_SCALE, 20, 300)).toBe(20)
    expect(meterY(Number.NEGATIVE_INFINITY, PEAK_SCALE, 20, 300)).toBe(300)
  })

  it('counts a true peak as over above the ceiling, not at it', () => {
    const overAt = (levelDb: number) => meterColumn(levelDb, peakZones(-1), PEAK_SCALE, 20, 300).over.height
    expect(overAt(-1)).toBe(0)
    expect(overAt(-0.5)).toBeGreaterThan(0)
  })
})

describe('the spectrum', () => {
  it('draws the usual slope of music, 4.5 dB per octave of density, as a level line', () => {
    const music = bandHz.map((hz) => -20 - 1.5 * Math.log2(hz / 1000))
    for (const { db } of tiltedBands(bandHz, music)) expect(Math.abs(db)).toBeLessThan(1e-9)
  })

  it('compares tone, not level: a louder copy lies on the quiet one', () => {
    const quiet = bandHz.map((hz) => -40 + Math.sin(hz))
    const loud = quiet.map((db) => db + 12)
    const finding = compareSpectra(tiltedBands(bandHz, loud), tiltedBands(bandHz, quiet))
    expect(finding?.withinDb).toBeLessThan(1e-9)
  })

  it('names the band that differs most, with its sign', () => {
    const aim = bandHz.map(() => -30)
    const curve = aim.map((db, i) => (i === 10 ? db + 4 : db))
    const finding = compareSpectra(tiltedBands(bandHz, curve), tiltedBands(bandHz, aim))
    expect(nominalHz(finding?.worstHz ?? 0)).toBe('250')
    expect(finding?.worstDb).toBeGreaterThan(3.5)
    expect(nominalHz(finding?.fromHz ?? 0)).toBe('40')
    expect(nominalHz(finding?.toHz ?? 0)).toBe('12.5k')
    expect([finding?.fromHz ?? 0, finding?.toHz ?? 0].map(nominalName)).toEqual(['40 Hz', '12.5 kHz'])
  })

  it('compares only where both have music', () => {
    const aim = bandHz.map((hz) => (hz > 9000 ? -80 : -30))
    const finding = compareSpectra(
      tiltedBands(
        bandHz,
        bandHz.map(() => -30),
      ),
      tiltedBands(bandHz, aim),
    )
    expect(nominalHz(finding?.toHz ?? 0)).toBe('8k')
    expect(finding?.withinDb).toBeLessThan(1)
  })

  it('says nothing where there is nothing to compare', () => {
    expect(
      compareSpectra(
        tiltedBands(
          bandHz,
          bandHz.map(() => null),
        ),
        tiltedBands(
          bandHz,
          bandHz.map(() => -30),
        ),
      ),
    ).toBeNull()
  })

  it('shows a live tone at its own frequency', () => {
    const binHz = 48_000 / 16_384
    const bins = Float32Array.from({ length: 8192 }, (_, bin) => (bin === Math.round(1000 / binHz) ? -20 : -120))
    const loudest = liveBands(bins, binHz).reduce((a, b) => (b.db > a.db ? b : a))
    expect(Math.abs(Math.log2(loudest.hz / 1000))).toBeLessThan(1 / 12)
  })

  it('shows a live tone of the bass in the sixth of an octave that it lies in, though a bin is half as wide', () => {
    const binHz = 44_100 / 16_384
    for (let tone = 9; tone < 100; tone++) {
      const bins = Float32Array.from({ length: 8192 }, (_, bin) => (bin === tone ? -20 : -120))
      const loudest = liveBands(bins, binHz).reduce((a, b) => (b.db > a.db ? b : a))
      expect(Math.abs(Math.log2(loudest.hz / (tone * binHz)))).toBeLessThanOrEqual(1 / 12)
    }
  })

  it('keeps every curve inside the plot', () => {
    const bands = [{ hz: 100, db: 11 }]
    const layout = spectrumLayout(380, 150, [bands])
    const { toY, toX } = spectrumAxes(layout)
    expect(toY(11)).toBeGreaterThanOrEqual(6)
    expect(toY(-200)).toBeLessThanOrEqual(layout.bottom)
    expect([toX(22), toX(20_000)]).toEqual([layout.left, layout.right])
  })

  it('has its highest level 3 dB below the top, and draws as a floor only what lies more than 60 dB below that', () => {
    for (const peak of [-20, 0, 6.1, 40]) {
      const curve = [peak, peak - 20, peak - 56.9, peak - 57.1, peak - 90].map((db, i) => ({ hz: 100 * 2 ** i, db }))
      const layout = spectrumLayout(380, 150, [[{ hz: 100, db: peak - 5 }], curve])
      expect(layout.topDb - peak).toBeCloseTo(3, 9)
      const ys = curve.map(({ db }) => spectrumAxes(layout).toY(db))
      expect(
        ys.slice(0, 4).every((y, i) => i === 0 || y > (ys[i - 1] ?? 0)),
        'no plateau above the floor',
      ).toBe(true)
      expect(ys[4]).toBe(ys[3])
    }
  })

  it('writes frequencies by their nominal names', () => {
    expect(bandHz.map(nominalHz)).toEqual(
      '25 31.5 40 50 63 80 100 125 160 200 250 315 400 500 630 800 1k 1.25k 1.6k 2k 2.5k 3.15k 4k 5k 6.3k 8k 10k 12.5k 16k 20k'.split(
        ' ',
      ),
    )
  })
})
