/** Amounts of the planner: the figures that docs/engine promises, in the recipes of songs that differ in one reading. */
import { describe, expect, it } from 'vitest'
import { type Genre, NEUTRAL_SOUND } from '../../../src-contract/settings.ts'
import { analyseSource, type SourceAnalysis } from '../../../src-engine/analysis/analysis.ts'
import { findCutoff } from '../../../src-engine/analysis/bandwidth.ts'
import { genreBand } from '../../../src-engine/analysis/tonal-targets.ts'
import { clamp, mix } from '../../../src-engine/dsp/units.ts'
import { type PlanInput, planRecipe } from '../../../src-engine/plan.ts'
import { ordinaryMusic } from './signals.ts'

const analysis = analyseSource(ordinaryMusic(12), { lossy: false })

const input = {
  genre: 'other',
  ai_service: 'other',
  intensity: 50,
  reference_amount: 100,
  sound: NEUTRAL_SOUND,
} as const

function stagesOf(changed: Partial<SourceAnalysis>, more: Partial<PlanInput> = {}) {
  return planRecipe({ ...input, analysis: { ...analysis, ...changed }, ...more }).recipe.stages
}

const centreOf = (genre: Genre, hz: number): number => genreBand(genre, hz)!.centreDb

const densityOf = (...song: Parameters<typeof stagesOf>) => stagesOf(...song).filter(({ kind }) => kind === 'density')

/** A song whose peaks stand 18 dB above its loudness. */
const peaky = { integratedLufs: -20, musicPeakDbfs: -2, samplePeakDbfs: -2 }

it('density: no song gets any that its owner did not ask for', () => {
  expect(densityOf(peaky)).toEqual([])
})

it.each([
  [1, 50, 0.06],
  [50, 50, 3],
  [50, 100, 3],
  [100, 0, 6],
])(
  'density: %i at intensity %i takes up to %f dB off the peaks, with a release of 300 ms',
  (density, intensity, most) => {
    const compression = { ratio: 2, attackMs: 1, releaseMs: 300, maxReductionDb: most, thresholdDb: -7 - 2 * most }
    expect(densityOf(peaky, { intensity, sound: { ...NEUTRAL_SOUND, density } })).toEqual([
      { kind: 'density', compression: { ...compression, kneeDb: 6 } },
    ])
  },
)

it('density: the peaks are those that are left', () => {
  // Rumble that held a peak down is not filtered then.
  const found = { ...peaky, samplePeakDbfs: -4 }
  expect(densityOf(found, { sound: { ...NEUTRAL_SOUND, density: 50 } })).toMatchObject([
    { compression: { thresholdDb: -4 - 5 - 6 } },
  ])
})

it.each([
  [50, 1.6, 3],
  [100, 2.2, 6],
])('glue: at intensity %i each band is held %f to 1, by %i dB at most', (intensity, ratio, most) => {
  const stage = stagesOf({}, { genre: 'edm', intensity }).find(({ kind }) => kind === 'multiband')
  const bands = stage?.kind === 'multiband' ? stage.bands : []
  expect(bands).toHaveLength(4)
  for (const band of bands) {
    expect(band.ratio).toBeCloseTo(ratio, 9)
    expect(band.maxReductionDb).toBe(most)
  }
})

it('a resonance is cut by 0.6 of its excess in the mid and 0.8 in the sides, by 3.5 and 4 dB at most', () => {
  const resonances = [
    { frequencyHz: 3000, q: 10, excessDb: 4.5 },
    { frequencyHz: 7000, q: 10, excessDb: 9 },
  ]
  const [stage] = stagesOf({ resonances }, { ai_service: 'suno' })
  const cuts = stage?.kind === 'dynamic_cut' ? stage.cuts : []
  expect(cuts.map(({ maxMidCutDb }) => maxMidCutDb)).toEqual([4.5 * 0.6, 3.5])
  expect(cuts.map(({ maxSideCutDb }) => maxSideCutDb)).toEqual([4.5 * 0.8, 4])
})

it('sibilants are cut where a voice makes them', () => {
  const sibilance = { ...analysis.sibilance, sharpestDb: 12, typicalDb: 1 }
  expect(stagesOf({ sibilance: { ...sibilance, isOfVoice: false } })).toEqual([])
  expect(stagesOf({ sibilance: { ...sibilance, isOfVoice: true } })).toMatchObject([{ kind: 'dynamic_cut' }])
})

it.each([
  [12, 4.5],
  [19.5, 12],
  [30, 12],
])('sibilants of %f dB are cut from %f dB on', (sharpestDb, toleranceDb) => {
  const sibilance = { ...analysis.sibilance, sharpestDb, typicalDb: 0, isOfVoice: true }
  expect(stagesOf({ sibilance })).toMatchObject([{ kind: 'dynamic_cut', cuts: [{ toleranceDb }] }])
})

it.each([
  ['brightens into the sharp', 8, 12, true],
  ['leaves dull enough', 10, -16, false],
  ['leaves too sharp', 14, -16, true],
])('sibilants that the tone %s: %f dB, the genre %f dB away', (_, sharpestDb, missingDb, isTamed) => {
  const { bandHz, sideDb } = analysis.fineSpectrum
  const midDb = bandHz.map((hz) => centreOf('pop', hz) - (hz > 4000 ? missingDb : 0))
  const sibilance = { ...analysis.sibilance, sharpestDb, typicalDb: -10, isOfVoice: true }
  const changed = { fineSpectrum: { bandHz, midDb, sideDb }, sibilance }
  const kinds = (genre: 'pop' | 'other') => stagesOf(changed, { genre }).map(({ kind }) => kind)
  expect(kinds('other').includes('dynamic_cut')).toBe(sharpestDb > 9)
  expect(kinds('pop').includes('dynamic_cut')).toBe(isTamed)
})

/** The filter of a genre for a song that lies so far from the middle of its band, and the gain at a frequency. */
function towardGenre(awayDb: (hz: number) => number, genre: Exclude<Genre, 'other'> = 'pop', intensity = 50) {
  const { bandHz, sideDb } = analysis.fineSpectrum
  const midDb = bandHz.map((hz) => centreOf(genre, hz) + awayDb(hz))
  const stages = stagesOf({ fineSpectrum: { bandHz, midDb, sideDb }, bandwidthHz: null }, { genre, intensity })
  const match = stages.find(({ kind }) => kind === 'match')
  const gainDb = match?.kind === 'match' ? match.mid.gainDb : bandHz.map(() => 0)
  return {
    bandHz,
    gainDb,
    isMoved: match !== undefined,
    at: (hz: number) => gainDb[bandHz.findIndex((centre) => centre >= hz)]!,
  }
}

describe('toward a genre', () => {
  it('what lies beyond the band goes half of the way to its edge at intensity 50, and the whole way at 100', () => {
    const shelf = (hz: number) => (hz < 500 ? 7 : 0)
    const [half, whole] = [50, 100].map((intensity) => towardGenre(shelf, 'pop', intensity))
    const core = half!.bandHz.filter((hz) => hz >= 100 && hz <= 8000)
    const level = core.reduce((sum, hz) => sum + shelf(hz), 0) / core.length
    const { highestDb, centreDb } = genreBand('pop', 280)!
    const beyondDb = 7 - level - (highestDb - centreDb)
    expect(beyondDb).toBeGreaterThan(1)
    // The song is heard over an octave to either side.
    expect(Math.abs(whole!.at(280) + beyondDb)).toBeLessThan(0.5)
    expect(half!.at(280)).toBeCloseTo(whole!.at(280) / 2, 9)
    for (const hz of [2000, 4000, 8000]) expect(whole!.at(hz)).toBe(0)
    expect(whole!.bandHz.every((hz, b) => hz >= 40 || whole!.gainDb[b] === 0)).toBe(true)
  })

  it('a song inside the band is left alone, which is told', () => {
    expect(towardGenre((hz) => (hz > 5000 ? 6 : hz > 150 && hz < 400 ? -3 : 0), 'kpop').isMoved).toBe(false)
    expect(towardGenre((hz) => (hz > 5000 ? 12 : 0), 'kpop').at(9000)).toBeLessThan(-0.5)
    const { bandHz, sideDb } = analysis.fineSpectrum
    const fineSpectrum = { bandHz, midDb: bandHz.map((hz) => centreOf('kpop', hz)), sideDb }
    const { decisions } = planRecipe({ ...input, genre: 'kpop', analysis: { ...analysis, fineSpectrum } })
    expect(decisions.map(({ code }) => code)).toContain('TONE_WITHIN_GENRE')
  })

  it('no band moves by more than 3 dB against the level of the song in the core', () => {
    // A mean of 0 in the core, and far outside on both sides of 1 kHz.
    const { bandHz, gainDb } = towardGenre((hz) => (hz < 2500 ? 12 : -24), 'edm', 100)
    const inCore = gainDb.filter((_, b) => bandHz[b]! >= 100 && bandHz[b]! <= 8000)
    const level = inCore.reduce((sum, gain) => sum + gain, 0) / inCore.length
    const moves = gainDb.filter((_, b) => bandHz[b]! >= 40).map((gain) => gain - level)
    expect(Math.max(...moves)).toBeCloseTo(3, 1)
    expect(Math.min(...moves)).toBeGreaterThan(-3.05)
  })
})

/**
 * Third octaves from 50 Hz to 12.5 kHz of finished recordings with percussion, median of 40, against their mean from 100 Hz to
 * 8 kHz (docs/engine/tone.md).
 */
const finishedDb = [
  5.5, 7.4, 6.3, 5.9, 5.4, 4.2, 3.1, 1.4, 1.7, 1.5, 1.1, 1.2, 1.4, 0.1, 0.3, -0.3, 0.2, -0.6, -1.6, -3.3, -3.4, -5.2,
  -6.2, -7.4, -10,
]

it.each(['kpop', 'edm', 'hiphop', 'pop'] as const)('a finished recording lies inside the band of %s', (genre) => {
  const { bandHz, sideDb } = analysis.fineSpectrum
  const midDb = bandHz.map((hz) => {
    const at = clamp(3 * Math.log2(hz / 50), 0, finishedDb.length - 1)
    return mix(finishedDb[Math.floor(at)]!, finishedDb[Math.ceil(at)]!, at % 1)
  })
  const finished = { fineSpectrum: { bandHz, midDb, sideDb }, bandwidthHz: null }
  const match = stagesOf(finished, { genre }).find(({ kind }) => kind === 'match')
  const gainsDb = match?.kind === 'match' ? match.mid.gainDb.filter((_, b) => bandHz[b]! < 13_000) : [0]
  expect(Math.max(...gainsDb.map(Math.abs))).toBeLessThan(0.3)
})

it('a band ends where the level falls by 22 dB within a sixth of an octave, not where it falls by less', () => {
  const bandHz = Array.from({ length: 240 }, (_, b) => 20 * 2 ** (b / 24))
  const cutoffOf = (fallDb: number) => {
    const midDb = bandHz.map((hz) => -20 - 5 * Math.log2(hz / 20) - (hz < 15_000 ? 0 : fallDb))
    return findCutoff({ bandHz, midDb, sideDb: midDb.map(() => -200) }, 44_100)
  }
  expect(cutoffOf(20)).toBeNull()
  expect(cutoffOf(23)).toBeGreaterThan(14_000)
})

it.each([8, 12, 20])('a band ends at the top of a skirt that falls by %i dB from band to band', (fallDb) => {
  const bandHz = Array.from({ length: 240 }, (_, b) => 20 * 2 ** (b / 24))
  const midDb = bandHz.map((hz) => Math.max(-110, -20 - Math.max(0, 24 * Math.log2(hz / 12_000)) * fallDb))
  const cutoffHz = findCutoff({ bandHz, midDb, sideDb: midDb.map(() => -200) }, 44_100)!
  // Frequency at which half of a fall is reached, within a band.
  expect(Math.abs(Math.log2(cutoffHz / 12_000) * 24)).toBeLessThan(11 / fallDb + 1)
})
