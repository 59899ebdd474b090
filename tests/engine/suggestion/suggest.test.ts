/** Suggestions of the analysis of a song: to the edge of the range of released music and not past it, or nothing. */
import { describe, expect, it, test } from 'vitest'
import type { RangeFigure } from '../../../src-contract/suggestion.ts'
import { analyseSource, type SourceAnalysis } from '../../../src-engine/analysis/analysis.ts'
import { commercialSpectrumDb } from '../../../src-engine/analysis/tonal-targets.ts'
import { toneDb, toneSections } from '../../../src-engine/dsp/tone-law.ts'
import { outsideDb, RELEASED_RANGES, rangeFigures } from '../../../src-engine/suggestion/range.ts'
import { type SuggestionInput, suggest } from '../../../src-engine/suggestion/suggest.ts'
import { songLike } from '../../support/sounds.ts'

const { bandHz } = analyseSource(songLike(2, 44_100), { lossy: false }).spectrum
const SECONDS = 120

/** A song like the average of commercial music, with gains on its bands, a width and attacks inside their ranges. */
function song(changes: Partial<SourceAnalysis> = {}, gainDb: (hz: number) => number = () => 0): SourceAnalysis {
  const midDb = bandHz.map((hz) => commercialSpectrumDb(hz) + gainDb(hz))
  const spectrum = { bandHz, midDb, sideDb: midDb.map((db) => db - 6) }
  const levels = [-50, -40, -30, -25, -25, -26, -28, -32, -38, -45]
  return {
    ...analysis,
    ...{
      spectrum,
      fineSpectrum: spectrum,
      bandwidthHz: null,
      sideToMidDb: -6,
      attackCrestDb: 3.5,
      integratedLufs: -15,
    },
    ...{ truePeakDbtp: -2, durationSeconds: SECONDS, endDropDb: 40, trailingSilenceSeconds: 0.5 },
    timeline: {
      stepSeconds: 1,
      bandHz: [31.5, 63, 125, 250, 500, 1000, 2000, 4000, 8000, 16_000],
      // A song moves: each band on its own, by a few dB.
      levelsDb: Array.from({ length: SECONDS }, (_, t) => levels.map((db, b) => db + 2 * Math.sin(t * (1 + b / 7)))),
    },
    ...changes,
  }
}
const analysis = analyseSource(songLike(2, 44_100), { lossy: false })

const asked = (of: SourceAnalysis, more: Partial<SuggestionInput> = {}) =>
  suggest({ analysis: of, texts: {}, playedLufs: -14, songLevelLufs: -14, ...more })!
const codes = (of: SourceAnalysis) => asked(of).reasons.map(({ code }) => code)

test('an ordinary song is told to lie within the range, and nothing is suggested', () => {
  expect(asked(song())).toEqual({ settings: {}, reasons: [{ code: 'WITHIN_RANGE', values: {} }] })
})

test('silence has no suggestion', () => {
  expect(
    suggest({ analysis: song({ isSilent: true }), texts: {}, playedLufs: -14, songLevelLufs: -14 }),
  ).toBeUndefined()
})

/** Gains that move each figure of tone; the others stay inside. */
const within = (from: number, to: number) => (hz: number) => (hz > from && hz < to ? 1 : 0)
const FIGURES = [
  ['bass', 'bass_db', 1, within(35, 110)],
  ['low_mids', 'tilt_db', -1, within(140, 450)],
  ['presence', 'presence_db', 1, within(1800, 7100)],
  ['treble', 'air_db', 1, within(7100, 20_000)],
] as const

describe.each(FIGURES)('%s', (figure, knob, sign, curve) => {
  it.each(['highest', 'lowest'] as const)(
    'beyond its %s level is brought to the edge by its knob, and not past it',
    (end) => {
      const edge = RELEASED_RANGES[figure][end]
      const side = end === 'highest' ? 1 : -1
      // Other figures share the bands: only what this one asks for is looked at.
      const target = edge + side * 1.5
      let scale = target
      for (let round = 0; round < 20; round++)
        scale += target - rangeFigures(song({}, (hz) => scale * curve(hz)))[figure]!
      const found = song({}, (hz) => scale * curve(hz))
      const { settings, reasons } = asked(found)
      const reason = reasons.find(({ values }) => values.figure === figure)!
      expect(reason.code).toBe(side > 0 ? 'ABOVE_RANGE' : 'BELOW_RANGE')
      expect(reason.values.distance_db).toBeCloseTo(1.5, 1)
      const value = settings[knob]!
      expect(Math.sign(value)).toBe(-side * sign)
      expect(Math.abs(value)).toBeLessThanOrEqual(3)
      const sections = toneSections({ tilt_db: 0, bass_db: 0, presence_db: 0, air_db: 0, [knob]: value })
      const after = rangeFigures(song({}, (hz) => scale * curve(hz) + toneDb(sections, hz)))[figure]!
      const left = outsideDb(figure, after) * side
      expect(left).toBeLessThan(1.5)
      expect(left).toBeGreaterThanOrEqual(0)
      expect(Math.abs(value) === 3 || left < 0.2).toBe(true)
    },
  )
})

test('a knob stops where it would push another figure out of its range', () => {
  const [presence, treble] = [RELEASED_RANGES.presence.lowest - 1.5, RELEASED_RANGES.treble.lowest + 0.2]
  const gains = { presence, treble }
  const found = () =>
    song({}, (hz) => gains.presence * within(1800, 7100)(hz) + gains.treble * within(7100, 20_000)(hz))
  for (let round = 0; round < 40; round++) {
    const now = rangeFigures(found())
    gains.presence += presence - now.presence!
    gains.treble += treble - now.treble!
  }
  const { presence_db: value = 0 } = asked(found()).settings
  const sections = toneSections({ tilt_db: 0, bass_db: 0, presence_db: value, air_db: 0 })
  const { spectrum, ...rest } = found()
  const midDb = spectrum.midDb.map((db, b) => db + toneDb(sections, bandHz[b]!))
  const after = rangeFigures({ ...rest, spectrum: { bandHz, midDb, sideDb: midDb.map((db) => db - 6) } })
  expect(after.presence).toBeLessThan(RELEASED_RANGES.presence.lowest)
  expect(after.treble).toBeGreaterThan(RELEASED_RANGES.treble.lowest - 0.06)
})

test('what lies less than 1 dB outside is not told', () => {
  const edge = RELEASED_RANGES.width.highest
  const sideAt = (db: number) => {
    const { spectrum } = song()
    return song({ spectrum: { ...spectrum, sideDb: spectrum.midDb.map((mid) => mid + db) } })
  }
  expect(codes(sideAt(edge + 0.9))).toEqual(['WITHIN_RANGE'])
  expect(codes(sideAt(edge + 1.1))).toEqual(['ABOVE_RANGE'])
})

test('treble above a cutoff is not judged', () => {
  const dull = (hz: number) => (hz > 7000 ? -60 : 0)
  expect(codes(song({}, dull))).toContain('BELOW_RANGE')
  expect(codes(song({ bandwidthHz: 7000 }, dull))).toEqual(['WITHIN_RANGE'])
})

describe('width', () => {
  const sideBy = (db: number) => {
    const { spectrum } = song()
    return { spectrum: { ...spectrum, sideDb: spectrum.midDb.map((mid) => mid + db) } }
  }
  const figure: RangeFigure = 'width'

  it('beyond the edge comes back to it, 3 dB at most', () => {
    const { highest, lowest } = RELEASED_RANGES[figure]
    expect(asked(song(sideBy(highest + 2))).settings).toEqual({ width_percent: 80 })
    expect(asked(song(sideBy(highest + 9))).settings).toEqual({ width_percent: 71 })
    expect(asked(song(sideBy(lowest - 1))).settings).toEqual({ width_percent: 112 })
  })

  it('of mono and of a dead channel is not judged', () => {
    for (const changes of [{ isMono: true }, { deadChannel: 'left' as const }])
      expect(asked(song({ ...sideBy(-90), ...changes })).settings).toEqual({})
  })
})

test('attacks are raised or held back', () => {
  const { lowest, highest } = RELEASED_RANGES.attacks
  expect(asked(song({ attackCrestDb: lowest - 0.5 })).settings).toEqual({ punch: 20 })
  expect(asked(song({ attackCrestDb: highest + 9 })).settings).toEqual({ punch: -60 })
})

describe('loudness', () => {
  const price = (...all: readonly [lufs: number, reductionDb: number][]) => ({
    targets: all.map(([target_lufs, mean_gain_reduction_db]) => ({
      ...{ target_lufs, integrated_lufs: target_lufs, mean_gain_reduction_db, peak_loss_db: 0, plr_db: 9 },
      verdict: 'on_target' as const,
    })),
    loudest_lufs: all.findLast(([, db]) => db <= 1)?.[0] ?? null,
  })

  it('of a song louder than the services play stays in the master for all of them', () => {
    const { settings, reasons } = asked(song({ integratedLufs: -12.1 }), { songLevelLufs: -12.8 })
    expect(settings).toEqual({ release_master: true, release_level: 'song' })
    expect(reasons.at(-1)).toEqual({ code: 'LOUDER_THAN_PLAYED', values: { played_lufs: -14, release_lufs: -12.8 } })
  })

  it('has a price that suggests no target above the services, and one below them where theirs costs too much', () => {
    const cheap = asked(song(), { price: price([-14, 0], [-11, 0.8], [-10, 1.6]) })
    expect(cheap.settings).toEqual({})
    expect(cheap.reasons.at(-1)).toMatchObject({
      code: 'LOUDEST_TARGET',
      values: { target_lufs: -11, reduction_db: 0.8 },
    })
    const dear = asked(song(), { price: price([-17, 0], [-16, 0.9], [-15, 1.4]) })
    expect(dear.settings).toEqual({ target_lufs: -16 })
    expect(dear.reasons.at(-1)?.code).toBe('TARGET_TOO_LOUD')
  })
})

describe('the course of a song', () => {
  const { timeline } = song()
  const moved = (gainDb: (t: number, hz: number) => number) =>
    song({
      timeline: {
        ...timeline,
        levelsDb: timeline.levelsDb.map((levels, t) => levels.map((db, b) => db + gainDb(t, timeline.bandHz[b]!))),
      },
    })

  it.each([
    ['LEVEL_DRIFTS', (t: number) => (-6 * t) / SECONDS, { change_db: expect.closeTo(-6, 0) }],
    ['TREBLE_BUILDS_UP', (t: number, hz: number) => (hz > 5000 ? (8 * t) / SECONDS : 0), {}],
    ['SECTION_JUMPS', (t: number) => (t >= 60 ? 6 : 0), { at_seconds: 60 }],
    ['COLLAPSES_LATE', (t: number) => (t >= 100 ? -20 : 0), { at_seconds: 100 }],
  ] as const)('%s', (code, gainDb, values) => {
    const reason = asked(moved(gainDb)).reasons.find((one) => one.code === code)
    expect(reason?.values).toMatchObject(values)
  })

  it('is cured at its end by a trim and a fade', () => {
    const collapsed = moved((t) => (t >= 100 ? -20 : 0))
    expect(asked(collapsed, { trimmedSeconds: 2 }).settings).toEqual({ trim_end_seconds: 22, fade_out_seconds: 3 })
    const { settings, reasons } = asked(song({ endDropDb: 3 }))
    expect(settings).toEqual({ fade_out_seconds: 3 })
    expect(reasons.at(-1)?.code).toBe('ENDS_ABRUPTLY')
  })

  it('is no fault where it fades, gets dense or is short', () => {
    expect(codes(moved((t) => (t >= 100 ? -2 * (t - 100) : 0)))).toEqual(['WITHIN_RANGE'])
    expect(codes(moved((t, hz) => (t >= 60 && hz > 300 ? 6 : 0)))).toEqual(['WITHIN_RANGE'])
    expect(codes({ ...moved((t) => (t >= 60 ? 6 : 0)), durationSeconds: 30 })).toEqual(['WITHIN_RANGE'])
  })
})

describe('genre', () => {
  const genreOf = (texts: SuggestionInput['texts']) => asked(song(), { texts }).settings.genre
  it.each([
    [{ genre: 'K-Pop' }, 'kpop'],
    [{ genre: 'Trap' }, 'hiphop'],
    [{ title: 'Solar Storm - High Energy Drum & Bass' }, 'edm'],
    [{ title: '그날의 발라드' }, 'ballad'],
    [{ title: 'my_hip_hop_beat-3' }, 'hiphop'],
    [{ comments: ['made by suno; style: synth-pop, dreamy'] }, 'pop'],
    [{ comments: ['style: piano ballad'], title: 'Trance' }, 'ballad'],
    [{ genre: 'Hip-Hop', title: 'House of Cards' }, 'hiphop'],
  ] as const)('%j is %s', (texts, genre) => {
    expect(genreOf(texts)).toBe(genre)
  })

  it.each([
    {},
    { title: 'Dance with me, Rapunzel' },
    { title: 'Pop goes the weasel' },
    { title: 'My trap house' },
    { title: 'The Ballad of Songbirds' },
    { genre: 'Jazz' },
    { genre: 'Rock', title: 'Power ballad' },
    { genre: 'Hip-Hop, Techno' },
    { title: 'Late Night Office (야근의 미학)' },
  ])('%j names none', (texts) => {
    expect(genreOf(texts)).toBeUndefined()
  })
})
