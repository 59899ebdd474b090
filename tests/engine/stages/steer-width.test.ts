/** The width that is set: what `width_percent` promises, on noise and on songs that mono playback would harm. */
import { describe, expect, it } from 'vitest'
import { NEUTRAL_SOUND } from '../../../src-contract/settings.ts'
import { analyseSource } from '../../../src-engine/analysis/analysis.ts'
import { applyRecipe } from '../../../src-engine/chain.ts'
import type { Audio } from '../../../src-engine/dsp/block.ts'
import {
  type BandLevels,
  longTermSpectrum,
  measureBandFrames,
  octaveBands,
} from '../../../src-engine/dsp/meters/spectrum.ts'
import { planRecipe } from '../../../src-engine/plan.ts'
import { copyOf, largestDifference, noise } from '../chain/signals.ts'

const rates = [44_100, 48_000, 88_200, 96_000]
const asked = { genre: 'other', ai_service: 'other', intensity: 0, reference_amount: 100 } as const

/** Noise whose side lies so far against its mid, dB. */
function noiseOf(sideToMidDb: number, sampleRateHz = 48_000, seconds = 4): Audio {
  const audio = noise(seconds, 0.2, sampleRateHz, 11)
  const width = 10 ** (sideToMidDb / 20)
  const [left, right] = audio.channels as [Float32Array, Float32Array]
  for (let i = 0; i < audio.frames; i++) {
    const [mid, side] = [left[i]!, right[i]! * width]
    left[i] = mid + side
    right[i] = mid - side
  }
  return audio
}

function planned(audio: Audio, width_percent: number) {
  const analysis = analyseSource(audio, { lossy: false })
  return planRecipe({ ...asked, analysis, sound: { ...NEUTRAL_SOUND, width_percent } })
}

const steered = (audio: Audio, percent: number): Audio =>
  applyRecipe(copyOf(audio), planned(audio, percent).recipe).audio

const thirdOctaves = octaveBands(3, 25, 20_000)
const levels = (audio: Audio): BandLevels => longTermSpectrum(measureBandFrames(audio, [thirdOctaves])[0]!)

/** Change of the side in each third octave of [fromHz, toHz), dB. */
function sideChangesDb(from: Audio, to: Audio, fromHz: number, toHz: number): number[] {
  const [before, after] = [levels(from), levels(to)]
  return before.bandHz.flatMap((hz, b) => (hz >= fromHz && hz < toHz ? after.sideDb[b]! - before.sideDb[b]! : []))
}

/** Loss of the bands [fromHz, toHz) together in mono playback, dB. */
function foldDownLossDb(audio: Audio, fromHz: number, toHz: number): number {
  const { bandHz, midDb, sideDb } = levels(audio)
  const power = (list: readonly number[]) =>
    list.reduce((sum, db, b) => (bandHz[b]! > fromHz && bandHz[b]! <= toHz ? sum + 10 ** (db / 10) : sum), 0)
  return 10 * Math.log10(1 + power(sideDb) / power(midDb))
}

const bands = [
  [200, 500],
  [500, 2000],
  [2000, 6000],
  [6000, 20_000],
] as const

describe.each(rates)('at %i Hz', (rate) => {
  it.each([
    [50, -6.02],
    [150, 3.52],
    [200, 6.02],
  ])(
    '%i per cent is a side gain of %f dB within 0.3 dB from 315 Hz on, and the mid is what it was',
    (percent, gainDb) => {
      const song = noiseOf(-20, rate)
      const result = steered(song, percent)
      for (const change of sideChangesDb(song, result, 300, 20_000)) expect(Math.abs(change - gainDb)).toBeLessThan(0.3)
      const mid = ({ channels: [left, right], frames }: Audio) => ({
        channels: [left!.map((l, i) => (l + right![i]!) / 2)],
        frames,
      })
      expect(largestDifference(mid(song), mid(result))).toBeLessThan(1e-6)
    },
  )

  it('200 per cent widens nothing below 120 Hz', () => {
    const song = noiseOf(-20, rate, 10)
    for (const change of sideChangesDb(song, steered(song, 200), 20, 110)) expect(Math.abs(change)).toBeLessThan(0.1)
  })

  it('0 per cent is mono, bit for bit, at every frequency', () => {
    const { channels } = steered(noiseOf(0, rate, 1), 0)
    expect(channels[0]).toEqual(channels[1])
    expect(channels[0]!.some((sample) => sample !== 0)).toBe(true)
  })
})

it('the wider the setting, the wider the song', () => {
  const song = noiseOf(-20)
  const change = (percent: number) => sideChangesDb(song, steered(song, percent), 1000, 1200)[0]!
  const changes = [25, 50, 75, 125, 150, 175, 200].map(change)
  expect(changes).toEqual(changes.toSorted((a, b) => a - b))
  expect(new Set(changes.map((db) => db.toFixed(1))).size).toBe(changes.length)
})

it.each([0, -3, -6, -9])(
  'a song whose side lies at %i dB is widened until mono playback loses 1.5 dB more in a band, and no further',
  (sideToMidDb) => {
    const song = noiseOf(sideToMidDb)
    const result = steered(song, 200)
    for (const [fromHz, toHz] of bands) {
      const moreDb = foldDownLossDb(result, fromHz, toHz) - foldDownLossDb(song, fromHz, toHz)
      expect(moreDb).toBeLessThan(1.55)
      // The rest of 1.5 dB is the way from one gain to the next.
      expect(moreDb).toBeGreaterThan(1.2)
    }
  },
)

it('the cap counts what the stages before leave of the side', () => {
  const song = noiseOf(-6)
  const analysis = analyseSource(song, { lossy: false })
  const plan = (sideDb: number) => {
    const reference = analyseSource(noiseOf(-6 + sideDb), { lossy: false })
    const sound = { ...NEUTRAL_SOUND, width_percent: 200 }
    const { stages } = planRecipe({ ...asked, intensity: 50, analysis, reference, sound }).recipe
    return stages.flatMap((stage) => (stage.kind === 'steer_width' ? stage.sideGains : []))
  }
  const [narrowed, widened] = [plan(-4), plan(4)]
  for (const b of [1, 2, 3, 4]) expect(narrowed[b]!).toBeGreaterThan(widened[b]! * 1.1)
})

describe('the decision', () => {
  const decision = (audio: Audio, percent: number) =>
    planned(audio, percent).decisions.filter(({ code }) => code.startsWith('WIDTH'))

  it('says what was applied in each band where a cap took something', () => {
    const values = { widthPercent: 200, gainDb: 6, lowMidsDb: 2.6, midsDb: 2.6, upperMidsDb: 2.6, highsDb: 2.6 }
    expect(decision(noiseOf(0), 200)).toMatchObject([{ stage: 'image', code: 'WIDTH_SET_IN_PART', values }])
  })

  it.each([
    [200, 6],
    [50, -6],
    [0, -120],
  ])('says that all of it was applied where nothing was in the way: %i per cent', (widthPercent, gainDb) => {
    expect(decision(noiseOf(-20), widthPercent)).toMatchObject([
      { code: 'WIDTH_SET', values: { widthPercent, gainDb } },
    ])
  })
})

it('a mono song and one with a dead channel are not widened, and are told so', () => {
  const mono = noise(2, 0.2)
  mono.channels[1]!.set(mono.channels[0]!)
  const dead = noise(2, 0.2)
  dead.channels[1]!.fill(0)
  for (const song of [mono, dead]) {
    const { recipe, decisions } = planned(song, 200)
    expect(recipe.stages.filter(({ kind }) => kind === 'steer_width')).toEqual([])
    expect(decisions.map(({ code }) => code)).toContain('WIDTH_NOT_SET')
  }
})

it('100 per cent is not in the recipe', () => {
  const song = noiseOf(-6)
  expect(planned(song, 100).recipe.stages).toEqual([])
  expect(largestDifference(steered(song, 100), song)).toBe(0)
})

it('the sides of the highs go down alone, as set', () => {
  const song = noiseOf(-1)
  const analysis = analyseSource(song, { lossy: false })
  const { recipe } = planRecipe({ ...asked, analysis, sound: { ...NEUTRAL_SOUND, highs_side_db: -6 } })
  const stages = recipe.stages.filter(({ kind }) => kind === 'steer_width')
  const result = applyRecipe(copyOf(song), { version: 1, stages }).audio
  for (const db of sideChangesDb(song, result, 100, 3000)) expect(Math.abs(db)).toBeLessThan(0.1)
  for (const db of sideChangesDb(song, result, 9000, 18_000)) expect(Math.abs(db + 6)).toBeLessThan(0.3)
})

it('highs whose channels have nothing in common are named with what mono loses of them, and left alone', () => {
  const told = (sideToMidDb: number) => {
    const plan = planRecipe({
      ...asked,
      intensity: 50,
      analysis: analyseSource(noiseOf(sideToMidDb), { lossy: false }),
      sound: NEUTRAL_SOUND,
    })
    const { values } = plan.warnings.find(({ code }) => code === 'INPUT_HIGHS_LOST_IN_MONO') ?? {}
    expect(plan.recipe.stages.filter(({ kind }) => kind === 'steer_width')).toEqual([])
    return values?.lossDb
  }
  expect(told(0)).toBeCloseTo(3, 0)
  expect(told(-6)).toBeUndefined()
})
