import { describe, expect, test } from 'vitest'
import { levelGenerated, planCoherence, type TrackSound } from '../../../src-engine/album/coherence.ts'
import { toneDb, toneSections } from '../../../src-engine/dsp/tone-law.ts'

const band_hz = Array.from({ length: 30 }, (_, b) => Math.round(25 * 2 ** (b / 3)))
const pink = band_hz.map((hz) => -20 - 3 * Math.log2(hz / 100))

/** A track of a usual record: `n` moves it by some tenths. */
const track = (n: number, more: Partial<TrackSound> = {}): TrackSound => ({
  loudPartsLufs: -12 + 0.2 * n,
  spectrum: { band_hz, mid_db: pink.map((db, b) => db + 0.3 * Math.sin(n + b)) },
  sideToMidDb: -9 + 0.3 * n,
  ...more,
})
const usual = [0, 1, 2, -1, -2].map((n) => track(n))
const withLast = (more: Partial<TrackSound>) => planCoherence([...usual, track(0, more)])

describe('coherence', () => {
  test('leaves the tracks of a record alone', () => {
    for (const { outliers, corrections } of planCoherence(usual)) expect([outliers, corrections]).toEqual([[], {}])
  })

  test('names a loud track with its distance, and moves it toward the record by 1.5 LU at most', () => {
    const found = withLast({ loudPartsLufs: -8 })
    expect(found.at(-1)).toMatchObject({
      outliers: [{ kind: 'loudness', distanceDb: expect.closeTo(3.9, 6), limitDb: 2 }],
      corrections: { offset_lu: -1.5 },
    })
    for (const { outliers } of found.slice(0, -1)) expect(outliers).toEqual([])
    expect(withLast({ loudPartsLufs: -14.5 }).at(-1)?.corrections).toEqual({ offset_lu: 1.5 })
  })

  test('narrows a wide track by 1.5 dB at most', () => {
    expect(withLast({ sideToMidDb: -4 }).at(-1)).toMatchObject({
      outliers: [{ kind: 'width' }],
      corrections: { width_percent: 85 },
    })
    expect(withLast({ sideToMidDb: -20 }).at(-1)?.corrections).toEqual({ width_percent: 118 })
  })

  test('takes mono for no narrow track, and compares the width of the others without it', () => {
    expect(withLast({ sideToMidDb: -155 }).flatMap(({ outliers }) => outliers)).toEqual([])
    const monos = [-155, -155, -155, -155].map((sideToMidDb) => track(0, { sideToMidDb }))
    expect(planCoherence([...usual, ...monos]).flatMap(({ outliers }) => outliers)).toEqual([])
  })

  test('moves the tone of an outlier toward the record, and no band by more than 1.5 dB', () => {
    const dull = band_hz.map((hz, b) => pink[b]! + (hz > 3000 ? -5 : 0) + (hz < 100 ? 3 : 0))
    const { outliers, corrections } = withLast({ spectrum: { band_hz, mid_db: dull } }).at(-1)!
    expect(outliers.map(({ kind }) => kind)).toEqual(['tone'])
    const tone = { tilt_db: 0, bass_db: 0, presence_db: 0, air_db: 0, ...corrections }
    const moved = band_hz.map((hz) => toneDb(toneSections(tone), hz))
    expect(Math.max(...moved.map(Math.abs))).toBeLessThanOrEqual(1.5)
    expect(Math.max(...moved.map(Math.abs))).toBeGreaterThan(1)
    const top = moved[band_hz.findIndex((hz) => hz > 9000)]! - moved[band_hz.findIndex((hz) => hz > 700)]!
    const bottom = moved[band_hz.findIndex((hz) => hz > 50)]! - moved[band_hz.findIndex((hz) => hz > 700)]!
    expect([top > 0.5, bottom < 0]).toEqual([true, true])
  })

  test('has its limit from the record: where tracks differ, one that differs as much is none', () => {
    const various = [-18, -15, -12, -9, -6].map((loudPartsLufs) => track(0, { loudPartsLufs }))
    for (const { outliers } of planCoherence(various)) expect(outliers).toEqual([])
  })

  test('says nothing of two tracks, nor of silence', () => {
    expect(planCoherence([track(0), track(0, { loudPartsLufs: 0 })]).flatMap(({ outliers }) => outliers)).toEqual([])
    const silence = { loudPartsLufs: null, sideToMidDb: null, spectrum: { band_hz, mid_db: band_hz.map(() => null) } }
    expect(withLast(silence).at(-1)).toEqual({ outliers: [], corrections: {} })
  })
})

test('levels the loud parts of songs of generators to within 1.5 LU of their median, and those alone', () => {
  const changes = (levels: readonly (number | null)[], generated = levels.map(() => true)) =>
    levelGenerated(levels.map((loudPartsLufs, i) => ({ loudPartsLufs, isGenerated: generated[i]! })))
  const levels = [-10.3, -13, -14, -15, -18.6]
  expect(changes(levels)).toEqual([-2.2, 0, 0, 0, 3.1].map((lu) => expect.closeTo(lu, 9)))
  expect(changes(levels, [true, true, true, true, false])[4]).toBe(0)
  expect(changes([-10, -18])).toEqual([-2.5, 2.5])
  expect(changes([-10])).toEqual([0])
  expect(changes([null, -10, null])).toEqual([0, 0, 0])
  expect(changes([null])).toEqual([0])
})
