/** Warmth: what `warmth` promises, on sines and on music. */
import { describe, expect, it } from 'vitest'
import { NEUTRAL_SOUND } from '../../../src-contract/settings.ts'
import { analyseSource } from '../../../src-engine/analysis/analysis.ts'
import { applyRecipe } from '../../../src-engine/chain.ts'
import { type Audio, allocateAudio } from '../../../src-engine/dsp/block.ts'
import { createRealFft } from '../../../src-engine/dsp/fft.ts'
import { createLoudnessMeter } from '../../../src-engine/dsp/meters/loudness.ts'
import { planRecipe } from '../../../src-engine/plan.ts'
import { scaled, sine, songLike } from '../../support/sounds.ts'
import { copyOf, differenceDb, largestDifference, ordinaryMusic } from '../chain/signals.ts'

const asked = { genre: 'other', ai_service: 'other', intensity: 0, reference_amount: 100 } as const

/** The stage that is planned for a song; none at 0. */
function planned(audio: Audio, warmth: number, more = {}) {
  const analysis = analyseSource(audio, { lossy: false })
  const { recipe } = planRecipe({ ...asked, analysis, sound: { ...NEUTRAL_SOUND, warmth, ...more } })
  return recipe.stages.flatMap((stage) => (stage.kind === 'warmth' ? [stage] : []))
}

const warmed = (audio: Audio, warmth: number): Audio =>
  applyRecipe(copyOf(audio), { version: 1, stages: planned(audio, warmth) }).audio

const size = 65_536

/** A sine of −12 dBFS near a frequency, whose period fits a transform of `size` frames, long enough for two of them. */
function tone(nearHz: number, sampleRateHz: number) {
  const bin = Math.round((nearHz / sampleRateHz) * size) | 1
  return { bin, audio: sine((bin / size) * sampleRateHz, -12, (2.5 * size) / sampleRateHz, sampleRateHz) }
}

/** Lines of the spectrum once everything has settled: of the tone itself, its harmonics, its offset, and the largest of all others; amplitudes. */
function lines({ channels }: Audio, bin: number) {
  const [re, im] = [new Float64Array(size / 2 + 1), new Float64Array(size / 2 + 1)]
  createRealFft(size).forward(Float64Array.from(channels[0]!.subarray(size, 2 * size)), re, im)
  const amplitude = (k: number) => (Math.hypot(re[k]!, im[k]!) * (k === 0 ? 1 : 2)) / size
  let others = 0
  for (let k = 1; k < size / 2; k++) if (k % bin !== 0) others = Math.max(others, amplitude(k))
  const harmonics = Array.from({ length: Math.floor(size / 2 / bin) - 1 }, (_, h) => amplitude((h + 2) * bin))
  return { own: amplitude(bin), offset: amplitude(0), harmonics, others }
}

const db = (gain: number) => 20 * Math.log10(gain)

/** Total harmonic distortion, per cent. */
const distortion = (own: number, harmonics: readonly number[]) => (100 * Math.hypot(...harmonics)) / own

const rates = [44_100, 48_000, 88_200, 96_000]
const tones = [100, 300, 1000, 2500, 5000]

describe.each(rates.flatMap((rate) => tones.map((hz) => [hz, rate] as const)))(
  'a sine of −12 dBFS at %i Hz, at a rate of %i Hz',
  (hz, rate) => {
    const { bin, audio } = tone(hz, rate)

    it.each([
      [100, 1.5, 2.5],
      [50, 0.75, 1.25],
    ])('gets at %i a distortion of %f to %f per cent, nearly all of it octave', (warmth, least, most) => {
      const { own, harmonics, others, offset } = lines(warmed(audio, warmth), bin)
      expect(distortion(own, harmonics)).toBeGreaterThan(least)
      expect(distortion(own, harmonics)).toBeLessThan(most)
      expect(db(harmonics[0]! / harmonics[1]!)).toBeGreaterThan(9)
      expect(db(others)).toBeLessThan(-100)
      expect(db(offset)).toBeLessThan(-90)
      expect(Math.abs(db(own) + 12)).toBeLessThan(0.01)
    })
  },
)

it('the mean of a song, its beginning included, stays below −80 dBFS', () => {
  const { channels, frames } = warmed(sine(100, -12, 5, 44_100), 100)
  expect(db(Math.abs(channels[0]!.reduce((sum, x) => sum + x, 0)) / frames)).toBeLessThan(-80)
})

it('treble stays free of what folds back: aliases of an uneven curve lie above 18 kHz or below −90 dBFS', () => {
  for (const hz of [7000, 9500, 12_000, 15_000]) {
    const { bin, audio } = tone(hz, 44_100)
    const { channels } = warmed(audio, 100)
    const [re, im] = [new Float64Array(size / 2 + 1), new Float64Array(size / 2 + 1)]
    createRealFft(size).forward(Float64Array.from(channels[0]!.subarray(size, 2 * size)), re, im)
    for (let k = 1; k < (18_000 / 44_100) * size; k++) {
      if (k % bin !== 0) expect((2 * Math.hypot(re[k]!, im[k]!)) / size).toBeLessThan(10 ** (-90 / 20))
    }
  }
})

it('the more warmth, the more harmonics', () => {
  const { bin, audio } = tone(440, 48_000)
  const found = [10, 25, 50, 75, 100].map((warmth) => {
    const { own, harmonics } = lines(warmed(audio, warmth), bin)
    return distortion(own, harmonics)
  })
  for (const [i, percent] of found.slice(1).entries()) expect(percent).toBeGreaterThan(found[i]! * 1.2)
})

const lufs = (audio: Audio) => {
  const meter = createLoudnessMeter(audio.sampleRateHz)
  meter.push(audio)
  return meter.read().integratedLufs
}

describe.each([
  ['a song of bass, chords and drums', () => songLike(12, 44_100)],
  ['a song like the average recording', () => ordinaryMusic(8)],
])('%s', (_, make) => {
  const song = make()

  it.each([50, 100])('stays as loud as it was within 0.1 LU at %i, and is changed', (warmth) => {
    const result = warmed(song, warmth)
    expect(Math.abs(lufs(result) - lufs(song))).toBeLessThan(0.1)
    expect(differenceDb(song, result)).toBeGreaterThan(-45)
  })

  it('sounds the same 20 dB below', () => {
    const quiet = warmed(scaled(song, 0.1), 100)
    expect(differenceDb(warmed(song, 100), scaled(quiet, 10))).toBeLessThan(-80)
  })
})

it('the drive counts what the filters before it make of the level', () => {
  const song = songLike(6, 44_100)
  const drive = (more: object) => planned(song, 100, more)[0]!.asymmetry
  expect(drive({ width_percent: 0 })).toBeGreaterThan(drive({}) * 1.001)
})

it('0 is not in the recipe, and silence stays silence', () => {
  expect(planned(songLike(3, 44_100), 0)).toEqual([])
  const stages = planned(songLike(3, 44_100), 100)
  const silence = allocateAudio(2, 20_000, 44_100)
  applyRecipe(silence, { version: 1, stages })
  expect(largestDifference(silence, allocateAudio(2, 20_000, 44_100))).toBe(0)
})
