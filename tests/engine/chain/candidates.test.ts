import { describe, expect, it } from 'vitest'
import { NEUTRAL_SOUND, type SoundSettings } from '../../../src-contract/settings.ts'
import type { RecipeStage } from '../../../src-contract/stages/index.ts'
import { analyseSource } from '../../../src-engine/analysis/analysis.ts'
import {
  type CandidateInput,
  chooseCandidate,
  type RecipeCandidate,
  recipeCandidates,
} from '../../../src-engine/candidates.ts'
import { applyRecipe } from '../../../src-engine/chain.ts'
import { type Audio, sliceBlock } from '../../../src-engine/dsp/block.ts'
import { createMatchFilter } from '../../../src-engine/stages/match/curve-filter.ts'
import { copyOf, filterWhole, largestDifference, ordinaryMusic } from './signals.ts'

const music = ordinaryMusic(14)
const dark = { frequencyHz: [200, 8000], gainDb: [6, -6] }
filterWhole(music, createMatchFilter(dark, dark, music.sampleRateHz))
const analysis = analyseSource(music, { lossy: false })
const input: CandidateInput = {
  ...{ analysis, genre: 'kpop', ai_service: 'other', tier: 'premium' },
  ...{ intensity: 50, reference_amount: 100, sound: NEUTRAL_SOUND },
}

describe('tier premium', () => {
  it('tries the recipe as asked, gentler and firmer', () => {
    expect(recipeCandidates(input).map(({ name }) => name)).toEqual(['as_asked', 'gentler', 'firmer'])
  })

  it('gives nobody less who asks for more', () => {
    let mostSoFar = 0
    for (const intensity of [25, 50, 75, 100]) {
      const tried = recipeCandidates({ ...input, intensity }).map((candidate) => candidate.intensity)
      expect(Math.min(...tried)).toBeGreaterThanOrEqual(mostSoFar)
      mostSoFar = Math.max(...tried)
    }
    expect(mostSoFar).toBe(100)
  })

  it('tries one recipe once, and standard only what was asked', () => {
    expect(recipeCandidates({ ...input, intensity: 0 })).toHaveLength(1)
    expect(recipeCandidates({ ...input, tier: 'standard' })).toHaveLength(1)
  })

  it('never passes over the reference that was asked for', () => {
    const bright = copyOf(music)
    const curve = { frequencyHz: [200, 8000], gainDb: [-5, 5] }
    filterWhole(bright, createMatchFilter(curve, curve, bright.sampleRateHz))
    const reference = analyseSource(bright, { lossy: false })
    const matched = recipeCandidates({ ...input, reference, reference_amount: 60 })
    expect(matched.map(({ name }) => name)).toEqual(['as_asked', 'gentler', 'firmer'])
    const matches = matched.map(({ plan }) => plan.recipe.stages.find(({ kind }) => kind === 'match'))
    expect(matches[0]?.kind).toBe('match')
    expect(matches).toEqual([matches[0], matches[0], matches[0]])
  })

  it('does not pass over the genre of a song that lies far from it for the movement of its own glue', () => {
    const { chosen } = chooseCandidate(music, analysis, recipeCandidates(input))
    expect(chosen.name).not.toBe('gentler')
  })

  it('holds nothing against a candidate that its owner’s own tone asks for', () => {
    const distances = (sound: Partial<SoundSettings>) =>
      chooseCandidate(
        music,
        analysis,
        recipeCandidates({ ...input, sound: { ...NEUTRAL_SOUND, dynamics_amount: 0, ...sound } }),
      ).scores.map(({ tonalDistanceDb }) => tonalDistanceDb)
    for (const [i, plain] of distances({}).entries()) {
      expect(distances({ tilt_db: 3, air_db: 6 })[i]).toBeCloseTo(plain, 0)
    }
  })

  it('counts no peak of a quiet part as a burden: no limiter sees it', () => {
    const uneven = ordinaryMusic(40)
    for (const samples of uneven.channels) {
      for (let i = 20 * 48_000; i < samples.length; i++) samples[i]! *= i % 48_000 < 480 ? 1 : 0.1
    }
    const both = analyseSource(uneven, { lossy: false })
    const { scores } = chooseCandidate(uneven, both, recipeCandidates({ ...input, analysis: both }))
    for (const { burdenDb } of scores) expect(burdenDb).toBe(0)
  })

  it('holds a song in opposite phase against its target where its sound is', () => {
    const opposite = copyOf(music)
    const [left, right] = opposite.channels as [Float32Array, Float32Array]
    for (let i = 0; i < opposite.frames; i++) right[i] = -0.98 * left[i]!
    const heard = analyseSource(opposite, { lossy: false })
    const { scores } = chooseCandidate(opposite, heard, recipeCandidates({ ...input, analysis: heard }))
    for (const { tonalDistanceDb } of scores) expect(tonalDistanceDb).toBeGreaterThan(0.5)
  })

  it('measures a candidate alike whatever was measured before it', () => {
    const clipped = copyOf(music)
    for (const samples of clipped.channels) {
      const level = 0.5 * samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
      for (let i = 0; i < samples.length; i++) samples[i] = Math.max(-level, Math.min(level, samples[i]!))
    }
    const [asked, ...others] = recipeCandidates({
      ...input,
      analysis: analyseSource(clipped, { lossy: false }),
    })
    expect(asked!.plan.recipe.stages.map(({ kind }) => kind)).toContain('declip')
    const byName = (order: typeof others) =>
      Object.fromEntries(chooseCandidate(clipped, analysis, [asked!, ...order]).scores.map((each) => [each.name, each]))
    const all = byName(others)
    expect(Object.keys(all)).toHaveLength(3)
    expect(byName([...others].reverse())).toEqual(all)
    for (const other of others) expect(byName([other])[other.name]).toEqual(all[other.name])
  })

  it('chooses the least cost of measured tone, distortion and burden, always the same, and leaves the song alone', () => {
    const candidates = recipeCandidates(input)
    const before = copyOf(music)
    const { chosen, scores, decision } = chooseCandidate(music, analysis, candidates)
    expect(largestDifference(before, music)).toBe(0)
    expect(scores.map(({ name }) => name)).toEqual(candidates.map(({ name }) => name))
    expect(Math.min(...scores.map(({ cost }) => cost))).toBe(scores.find(({ name }) => name === chosen.name)!.cost)
    expect(candidates.map(({ intensity }) => intensity)).toEqual([50, 40, 60])
    const values = { candidate: chosen.name, of: 3, intensity: chosen.intensity }
    expect(decision).toMatchObject({ code: 'CANDIDATE_CHOSEN', values })
    expect(chooseCandidate(music, analysis, candidates).scores).toEqual(scores)
    const [asked, gentler, firmer] = scores
    expect(asked!.tonalDistanceDb).toBeLessThan(gentler!.tonalDistanceDb)
    expect(firmer!.distortionDb).toBeGreaterThan(gentler!.distortionDb)
  })
})

const analyse = (audio: Audio) => analyseSource(audio, { lossy: false })

/** Raises the high end, so that the spectrum leans by about that much on average. */
const leaning = (gainDb: number): RecipeStage => {
  const curve = { frequencyHz: [500, 1500], gainDb: [-gainDb, gainDb] }
  return { kind: 'match', mid: curve, side: curve }
}

/** Turns everything that stands above the threshold down. */
const pressing = (thresholdDb: number, maxReductionDb: number): RecipeStage => ({
  kind: 'density',
  compression: { thresholdDb, ratio: 4, kneeDb: 0, attackMs: 1, releaseMs: 60, maxReductionDb },
})

/** Picks the recipe that brings a song to the tone of `wanted`, with all scores; recipe 0 leaves the song alone. */
function choice(song: Audio, wanted: Audio, ...recipes: readonly (readonly RecipeStage[])[]) {
  const analysed = analyse(song)
  const { bandHz, midDb, sideDb } = analyse(wanted).spectrum
  const [asked] = recipeCandidates({ ...input, tier: 'standard', analysis: analysed, genre: 'other' })
  const targetSpectrum = { band_hz: [...bandHz], mid_db: [...midDb], side_db: [...sideDb] }
  const names = ['as_asked', 'gentler', 'firmer'] as const
  const candidates = [[], ...recipes].map((stages, i): RecipeCandidate => {
    return { ...asked!, name: names[i]!, plan: { ...asked!.plan, recipe: { version: 1, stages }, targetSpectrum } }
  })
  const { chosen, scores } = chooseCandidate(song, analysed, candidates)
  return { taken: names.indexOf(chosen.name as 'as_asked'), scores }
}

/** Music on top of a wave that nobody hears: its peaks tower over its loudness, and a filter takes them away. */
function rumbling(): Audio {
  const audio = ordinaryMusic(14)
  for (const samples of audio.channels) {
    for (let i = 0; i < samples.length; i++) samples[i] = 0.4 * samples[i]! + 0.35 * Math.sin(i / 1200)
  }
  return audio
}

const filtering: RecipeStage = { kind: 'rumble_filter', frequencyHz: 18.5, order: 8, isAgainstRumble: true }

describe('of what a candidate does to a song', () => {
  it('fewer towering peaks are worth some tone, but no more than half as many decibels of it', () => {
    const song = rumbling()
    const { taken, scores } = choice(song, song, [filtering, leaning(0.5)], [filtering, leaning(6)])
    const [asked, bit, much] = scores
    const fewerDb = asked!.burdenDb - bit!.burdenDb
    expect(fewerDb).toBeGreaterThan(3)
    expect(bit!.tonalDistanceDb).toBeLessThan(0.3 * fewerDb)
    expect(taken).toBe(1)
    expect(much!.tonalDistanceDb).toBeGreaterThan(0.7 * fewerDb)
    expect(much!.tonalDistanceDb).toBeLessThan(1.5 * fewerDb)
    expect(choice(song, song, [filtering, leaning(6)]).taken).toBe(0)
  })

  it('a little tone is worth a filter, but no compressor that is heard', () => {
    const wanted = applyRecipe(copyOf(music), { version: 1, stages: [leaning(0.6)] }).audio
    expect(choice(music, wanted, [leaning(0.6)]).taken).toBe(1)
    const { taken, scores } = choice(music, wanted, [leaning(0.6), pressing(-26, 12)])
    expect(scores[1]!.distortionDb).toBeGreaterThan(-15)
    expect(scores[1]!.tonalDistanceDb).toBeLessThan(scores[0]!.tonalDistanceDb - 0.2)
    expect(taken).toBe(0)
  })

  it('what lies below 40 Hz and above 16 kHz counts for nothing', () => {
    const curve = { frequencyHz: [28, 38, 17_000, 19_000], gainDb: [-12, 0, 0, -12] }
    const [asked, trimmed] = choice(music, music, [{ kind: 'match', mid: curve, side: curve }]).scores
    expect(trimmed!.tonalDistanceDb).toBeCloseTo(asked!.tonalDistanceDb, 1)
  })

  it('nothing is worth a change that makes no difference', () => {
    expect(choice(music, music, [], []).taken).toBe(0)
  })

  it('the peaks of its loudest seconds count, wherever they lie', () => {
    const late = ordinaryMusic(40)
    for (const samples of late.channels) {
      for (let i = 0; i < samples.length; i++) {
        const isLoud = i >= 25 * 48_000 && i < 28 * 48_000
        if (!isLoud) samples[i]! *= 0.03
        else if (i % 48_000 > 4800) samples[i]! *= 0.2
      }
    }
    const { scores } = choice(late, late, [leaning(1)])
    expect(scores[0]!.burdenDb).toBeGreaterThan(2)
  })

  it('the tone of its quietest music counts as much as that of its loudest, and that of what is nearly silent not', () => {
    const uneven = ordinaryMusic(42)
    const rate = uneven.sampleRateHz
    const quiet = sliceBlock(uneven, 14 * rate, 28 * rate)
    const faint = sliceBlock(uneven, 28 * rate, 42 * rate)
    const dull = { frequencyHz: [500, 1500], gainDb: [-6, -18] }
    filterWhole(quiet, createMatchFilter(dull, dull, rate))
    for (const samples of faint.channels) for (let i = 0; i < samples.length; i++) samples[i] = i % 97 === 0 ? 1e-3 : 0
    const { scores } = choice(uneven, ordinaryMusic(14), [leaning(1)])
    expect(scores[0]!.tonalDistanceDb).toBeGreaterThan(2)
    expect(scores[0]!.tonalDistanceDb).toBeLessThan(4)
  })
})
