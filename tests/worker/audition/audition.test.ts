/** Estimates of auditions, against whole masters. */
import { describe, expect, it } from 'vitest'
import type { PeakTreatment, Recipe } from '../../../src-contract/recipe.ts'
import { jobSettings, SETTINGS, WHOLE_SONG } from '../../../src-contract/settings.ts'
import { analyseSource } from '../../../src-engine/analysis/analysis.ts'
import { recipeCandidates } from '../../../src-engine/candidates.ts'
import { applyRecipe, splitRecipe } from '../../../src-engine/chain.ts'
import { type Audio, allocateAudio, sliceBlock } from '../../../src-engine/dsp/block.ts'
import { measureLoudness } from '../../../src-engine/dsp/meters/loudness.ts'
import { longTermSpectrum, measureBandFrames, thirdOctaves } from '../../../src-engine/dsp/meters/spectrum.ts'
import { runAtOnce } from '../../../src-engine/dsp/steps.ts'
import {
  type FinaliseTarget,
  planFinalise,
  prepareFinalise,
  renderFinalise,
} from '../../../src-engine/finalise/finalise.ts'
import { EstimateSound, renderPassage } from '../../../src-worker/audition/estimate-sound.ts'
import { LoudnessModel } from '../../../src-worker/audition/loudness-model.ts'
import { PassageTurns } from '../../../src-worker/audition/passage-turns.ts'
import { pricedTargets } from '../../../src-worker/audition/price.ts'
import { RepeatedTreatment } from '../../../src-worker/audition/repeated-treatment.ts'
import { Settling } from '../../../src-worker/audition/settling.ts'
import { runInSlices } from '../../../src-worker/audition/slices.ts'
import { songLike } from '../../support/sounds.ts'

const RATE_HZ = 44_100
const song = songLike(24, RATE_HZ)
const analysis = analyseSource(song, { lossy: false })
const target = { targetLufs: -12, ceilingDbtp: -1 }

function copyOf(audio: Audio): Audio {
  const copy = allocateAudio(2, audio.frames, audio.sampleRateHz)
  for (const [c, samples] of audio.channels.entries()) copy.channels[c]!.set(samples)
  return copy
}

function recipeOf(intensity: number) {
  const settings = jobSettings({ platforms: ['spotify'], genre: 'kpop', intensity })
  const [asked] = recipeCandidates({ analysis, ...settings, sound: settings })
  return splitRecipe(asked!.plan.recipe).rest
}

function limiterOf(lookAheadMs: number, fastReleaseMs: number, slowMs: number): PeakTreatment['limiter'] {
  return { lookAheadMs, fastReleaseMs, slowRiseMs: slowMs, slowFallMs: slowMs }
}

/** The whole song, treated and rendered. */
function masterOf(intensity: number, goal: Omit<FinaliseTarget, 'intensity'> = target) {
  const source = prepareFinalise(applyRecipe(copyOf(song), recipeOf(intensity)).audio)
  const plan = planFinalise(source, { ...goal, intensity })
  const audio = allocateAudio(2, song.frames, RATE_HZ)
  let at = 0
  for (const block of renderFinalise(source, plan)) {
    for (const [c, samples] of block.channels.entries()) audio.channels[c]!.set(samples, at)
    at += block.frames
  }
  return { source, plan, audio }
}

describe('the estimate of a gain', () => {
  it.each([20, 60, 100])('brings a song treated at intensity %d within half a unit of its master', (intensity) => {
    const model = new LoudnessModel(prepareFinalise(song), target)
    const { plan, treatedLufs } = model.estimate(recipeOf(intensity), target)
    const { source } = masterOf(intensity)
    expect(Math.abs(treatedLufs - source.loudness.integratedLufs)).toBeLessThan(0.5)
    const heard = renderPassage(song, { recipe: recipeOf(intensity), plan, edges: WHOLE_SONG }, 0, song.frames)
    expect(Math.abs(measureLoudness(heard).integratedLufs - target.targetLufs)).toBeLessThan(0.5)
  })

  it('starts from the song that was rendered last: the same recipe then has its gain, a neighbour nearly', () => {
    const model = new LoudnessModel(prepareFinalise(song), target)
    const { source, plan } = masterOf(60)
    runAtOnce(model.learning(source, recipeOf(60), plan))
    const again = model.estimate(recipeOf(60), { ...target, ceilingDbtp: plan.ceilingDbtp })
    expect(Math.abs(again.plan.gainDb - plan.gainDb)).toBeLessThan(0.25)
    expect(again.plan.limiter).toEqual(plan.limiter)
    const near = model.estimate(recipeOf(70), target)
    expect(Math.abs(near.treatedLufs - masterOf(70).source.loudness.integratedLufs)).toBeLessThan(0.2)
  })

  it.each([
    ['clipped hard before a quick limiter', -8, { clipAboveDb: -1, limiter: limiterOf(1, 0, 0) }],
    ['limited slowly', -12, { clipAboveDb: null, limiter: limiterOf(8.5, 100, 400) }],
    ['limited slowly, to the end of its budget', -10, { clipAboveDb: null, limiter: limiterOf(8.5, 100, 400) }],
  ])('has the treatment of peaks that was asked for: %s', (_, targetLufs, peaks) => {
    const loud = { targetLufs, ceilingDbtp: -1, peaks }
    const { source, plan } = masterOf(60, loud)
    const model = new LoudnessModel(prepareFinalise(song), target)
    const first = model.estimate(recipeOf(60), loud).plan
    expect(first.limiter).toEqual(peaks.limiter)
    expect(Math.abs(first.gainDb - plan.gainDb)).toBeLessThan(0.8)
    runAtOnce(model.learning(source, recipeOf(60), plan, true))
    const again = model.estimate(recipeOf(60), loud).plan
    expect(Math.abs(again.gainDb - plan.gainDb)).toBeLessThan(plan.verdict === 'on_target' ? 0.1 : 0.8)
    expect(again.clipLimit ?? 0).toBeCloseTo(plan.clipLimit ?? 0, 2)
    expect(model.estimate(recipeOf(60), target).plan.limiter, 'unasked, its own').not.toEqual(peaks.limiter)
  })
})

describe('one sound after the other', () => {
  it('measures as it does when it is the first, whichever was heard before', () => {
    const steered = (tiltDb: number, warmth: number): Recipe => ({
      version: 1,
      stages: [
        ...recipeOf(60).stages.slice(0, 1),
        { kind: 'steer_tone', sections: [{ shape: 'tilt', frequencyHz: 800, gainDb: tiltDb }] },
        ...recipeOf(warmth).stages.slice(1),
      ],
    })
    const untreated = copyOf(song)
    const moved = new RepeatedTreatment(song)
    const heard = [steered(1, 60), steered(2, 60), steered(2, 90), steered(2, 20), recipeOf(60), steered(3, 60)]
    for (const recipe of heard) {
      const [again, first] = [moved.treat(recipe), new RepeatedTreatment(song).treat(recipe)]
      expect(measureLoudness(again).integratedLufs).toBeCloseTo(measureLoudness(first).integratedLufs, 2)
    }
    expect(song.channels, 'the song itself is not treated').toEqual(untreated.channels)
  })
})

describe('a passage of an estimate', () => {
  it('sounds as it does in the whole master, in every third octave', () => {
    const { source, plan, audio } = masterOf(80)
    const first = 10 * RATE_HZ
    const end = 14 * RATE_HZ
    const passage = renderPassage(song, { recipe: recipeOf(80), plan, edges: WHOLE_SONG }, first, end)
    const levels = (piece: Audio) => longTermSpectrum(measureBandFrames(piece, [thirdOctaves])[0]!).midDb
    const whole = copyOf({ ...sliceBlock(audio, first, end), sampleRateHz: RATE_HZ })
    const [one, other] = [levels(passage), levels(whole)]
    expect(source.loudness.integratedLufs).toBeLessThan(0)
    for (const [band, level] of one.entries()) if (level > -90) expect(Math.abs(level - other[band]!)).toBeLessThan(0.5)
  })

  it('is kept: ranges that overlap have the same samples, whichever was heard first', () => {
    const { plan } = new LoudnessModel(prepareFinalise(song), target).estimate(recipeOf(50), target)
    const sound = new EstimateSound(song, { recipe: recipeOf(50), plan, edges: WHOLE_SONG }, { bitDepth: 16, seed: 0 })
    const part = sound.read(50_000, 3000)
    const around = sound.read(49_000, 9000)
    expect(Buffer.from(around).subarray(4000, 16_000).equals(Buffer.from(part))).toBe(true)
    expect(() => sound.read(song.frames - 1, 2)).toThrow(RangeError)
  })
})

describe('passages in turn', () => {
  it('are those of the newest sound first, else as they were asked for, and one that fails holds up no other', async () => {
    const turns = new PassageTurns()
    const rendered: string[] = []
    const take = (sound: string, nth: number) => turns.take(sound, () => rendered.push(`${sound}${nth}`))
    turns.prefer('old')
    const all = [take('other', 1), take('old', 1), take('old', 2)]
    const failed = turns.take('old', () => {
      throw new Error('not rendered')
    })
    await Promise.all([all[1], expect(failed).rejects.toThrow('not rendered')])
    turns.prefer('new')
    all.push(take('new', 1), take('new', 2))
    await Promise.all(all)
    expect(rendered).toEqual(['old1', 'old2', 'new1', 'new2', 'other1'])
    expect(await turns.take('late', () => 'rendered')).toBe('rendered')
  })

  it('let messages in between: a newer sound overtakes what was asked for before it', async () => {
    const turns = new PassageTurns()
    const rendered: string[] = []
    const late = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      turns.prefer('new')
      return turns.take('new', () => rendered.push('new'))
    })
    const old = Array.from({ length: 50 }, () => turns.take('old', () => rendered.push('old')))
    await Promise.all([...old, late])
    expect(rendered.indexOf('new')).toBeLessThan(5)
  })
})

describe('a sound', () => {
  it('has settled once it has not changed for a while, however often it changes until then', async () => {
    const waits: number[] = []
    let now = 1000
    const settling: Settling = new Settling({
      nowMs: () => now,
      async wait(ms) {
        waits.push(ms)
        now += ms
        if (waits.length === 1) {
          now -= 100
          settling.change()
          now += 100
        }
      },
    })
    await settling.settled(new AbortController().signal)
    expect(waits, 'it has not changed yet').toEqual([])
    settling.change()
    await settling.settled(new AbortController().signal)
    expect(waits).toEqual([250, 150])
  })

  it('is not waited for by what is stopped', async () => {
    const stop = new AbortController()
    const settling = new Settling({ nowMs: () => 0, wait: async () => stop.abort(new Error('superseded')) })
    settling.change()
    await expect(settling.settled(stop.signal)).rejects.toThrow('superseded')
  })
})

describe('the targets that are priced', () => {
  const order = (change: object) => ({
    platform: 'spotify' as const,
    settings: jobSettings({ platforms: ['spotify'], ...change }),
  })
  it('are four, rising, the chosen one among them in place of the nearest', () => {
    const levels = (change: object) => pricedTargets(order(change)).map(({ targetLufs }) => targetLufs)
    expect(levels({ genre: 'kpop' })).toEqual([-14, -10.5, -9, -8.5])
    expect(levels({ genre: 'kpop', target_lufs: -12 })).toEqual([-14, -12, -9, -8.5])
    expect(SETTINGS.genre.values.every((genre) => levels({ genre }).length === 4)).toBe(true)
  })
  it('have the ceiling that the platform asks for at their level', () => {
    expect(pricedTargets(order({})).map(({ ceilingDbtp }) => ceilingDbtp)).toEqual([-1, -2, -2, -2])
  })
  it('are those of a recipe where it has one, ceiling and treatment of peaks included', () => {
    const goal = { target_lufs: -12, ceiling_dbtp: -3 }
    const recipe = { version: 2, stages: [], masters: { spotify: goal } }
    expect(pricedTargets(order({ recipe }))).toMatchObject([
      { targetLufs: -14, ceilingDbtp: -1 },
      { targetLufs: -12, ceilingDbtp: -3, isCeilingKept: true },
      { targetLufs: -10.5 },
      { targetLufs: -9 },
    ])
  })
})

describe('background work', () => {
  it('lets messages in between its steps, and stops at once when it is superseded', async () => {
    const stop = new AbortController()
    let steps = 0
    function* endless(): Generator<void, never> {
      for (;;) {
        steps++
        yield
      }
    }
    const message = new Promise<void>((resolve) => setImmediate(resolve)).then(() =>
      stop.abort(new Error('superseded')),
    )
    await expect(runInSlices(stop.signal)(endless())).rejects.toThrow('superseded')
    await message
    expect(steps).toBeLessThan(5)
  })
})
