/** Songs at rates at which the engine does not work: what single samples tell is read and mended before the rate is changed. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Report } from '../../../src-contract/report.ts'
import { DEFAULT_SETTINGS, type JobSettings, jobSettings, NEUTRAL_SOUND } from '../../../src-contract/settings.ts'
import { splitRecipe } from '../../../src-engine/chain.ts'
import type { Audio } from '../../../src-engine/dsp/block.ts'
import { planRecipe } from '../../../src-engine/plan.ts'
import { analyseSong } from '../../../src-worker/mastering/analyse-song.ts'
import { editSong, readSong } from '../../../src-worker/mastering/read-song.ts'
import { engineRateHz } from '../../../src-worker/media/decode.ts'
import { changeRate } from '../../../src-worker/media/resample.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, songLike, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, orderFor, storedSong } from './run-worker.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const never = new AbortController().signal
/** Of low-rate MP3, of MusicGen and of high-resolution converters. */
const rates = IS_CAMPAIGN ? [22_050, 32_000, 192_000] : [32_000]
const seconds = 6
const TIERS: readonly JobSettings['tier'][] = IS_CAMPAIGN ? ['standard', 'premium'] : ['standard']

/** Chords that swell, without a bass: what is cut off of them is short enough at every rate to be rebuilt. */
function chords(rateHz: number): Float32Array[] {
  return [0, 1].map((c) =>
    Float32Array.from({ length: seconds * rateHz }, (_, i) => {
      const t = i / rateHz
      const swell = 0.6 + 0.4 * Math.sin(2 * Math.PI * 0.7 * t)
      const partials = [1, 1.26, 1.5, 2, 3].map((ratio, k) => Math.sin(2 * Math.PI * 523 * ratio * t + c * k) / (k + 1))
      return 0.4 * swell * partials.reduce((sum, partial) => sum + partial, 0)
    }),
  )
}

const highest = (channels: readonly Float32Array[]): number =>
  channels.reduce((most, samples) => samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), most), 0)

/** Cuts off what lies above −3 dB of the highest sample. */
function clippedHard(channels: readonly Float32Array[]): Float32Array[] {
  const level = highest(channels) * 10 ** (-3 / 20)
  return channels.map((samples) => samples.map((sample) => Math.max(-level, Math.min(level, sample))))
}

/** Five clicks of a single sample, 0.3 high, in turns on the left and on the right. */
function clicked(channels: readonly Float32Array[], rateHz: number): Float32Array[] {
  const damaged = channels.map((samples) => samples.slice())
  for (let k = 1; k <= 5; k++) damaged[k % 2]![Math.round((k - 0.13) * rateHz)]! += k % 3 === 0 ? -0.3 : 0.3
  return damaged
}

/** The planner's findings in a song, and the song with its samples edited, at the engine's rate. */
async function mended(name: string, channels: readonly Float32Array[], rateHz: number) {
  const stored = await storedSong(writeFloatWav(at(name), channels, rateHz))
  const song = await readSong(ffmpeg, stored, never)
  const request = {
    genre: 'other',
    ai_service: 'other',
    intensity: 50,
    reference_amount: 0,
    sound: NEUTRAL_SOUND,
  } as const
  const plan = planRecipe({ analysis: song.analysis, ...request })
  const { audio, repairs } = await editSong(ffmpeg, stored, song, splitRecipe(plan.recipe).edits, never)
  return { analysis: song.analysis, plan, audio, repairs }
}

/** The samples at the engine's rate, and nothing else done to them. */
const converted = (channels: readonly Float32Array[], rateHz: number): Promise<Audio> => {
  const own = channels.map((samples) => samples.slice())
  return changeRate(ffmpeg, { channels: own, frames: own[0]!.length, sampleRateHz: rateHz }, engineRateHz(rateHz))
}

/** Energy of the difference from `wanted` against it, dB. */
function errorDb(wanted: Audio, given: Audio): number {
  let error = 0
  let energy = 0
  for (const [c, samples] of wanted.channels.entries()) {
    for (let i = 0; i < wanted.frames; i++) {
      error += (samples[i]! - given.channels[c]![i]!) ** 2
      energy += samples[i]! ** 2
    }
  }
  return 10 * Math.log10(error / energy)
}

describe.each(rates)('a song of %i Hz', (rateHz) => {
  const whole = songLike(seconds, rateHz)

  it('that was clipped at −3 dB is reported and rebuilt', async () => {
    const music = chords(rateHz)
    const damaged = clippedHard(music)
    const { plan, audio, repairs } = await mended(`clipped${rateHz}.wav`, damaged, rateHz)
    expect(plan.warnings.map(({ code }) => code)).toContain('INPUT_CLIPPED')
    expect(repairs).toMatchObject([{ kind: 'clipping', channel: 'both' }])
    expect(repairs[0]!.count).toBeGreaterThan(100)
    expect(audio.sampleRateHz).toBe(engineRateHz(rateHz))
    const wanted = await converted(music, rateHz)
    const cutDb = errorDb(wanted, await converted(damaged, rateHz))
    expect(cutDb - errorDb(wanted, audio)).toBeGreaterThan(12)
  })

  it('has its clicks counted and taken out', async () => {
    const damaged = clicked(whole, rateHz)
    const { plan, audio, repairs } = await mended(`clicked${rateHz}.wav`, damaged, rateHz)
    expect(repairs).toMatchObject([{ kind: 'clicks', count: 5, channel: 'both' }])
    expect(plan.decisions).toContainEqual({ stage: 'repair', code: 'CLICKS_MENDED', values: { count: 5 } })
    const wanted = await converted(whole, rateHz)
    const clickDb = errorDb(wanted, await converted(damaged, rateHz))
    expect(clickDb - errorDb(wanted, audio)).toBeGreaterThan(50)
  })

  it('without such faults is only converted', async () => {
    const { analysis, audio, repairs } = await mended(`whole${rateHz}.wav`, whole, rateHz)
    expect(repairs).toEqual([])
    expect(analysis.clipping.count).toBe(0)
    expect(analysis.clicks).toEqual([[], []])
    expect(audio).toEqual(await converted(whole, rateHz))
  })

  it('reports progress of its conversion and of its second decoding', async () => {
    const stored = await storedSong(writeFloatWav(at(`told${rateHz}.wav`), whole, rateHz))
    const [measured, edited]: [number[], number[]] = [[], []]
    const song = await readSong(ffmpeg, stored, never, (stage, part) => stage === 'analysing' && measured.push(part))
    const edits = { version: 1, stages: [{ kind: 'remove_dc', offsets: [0.1, 0.1] }] } as const
    await editSong(ffmpeg, stored, song, edits, never, (part) => edited.push(part))
    for (const told of [measured, edited]) {
      expect(told).toEqual([...told].sort((a, b) => a - b))
      expect(told.length).toBeGreaterThan(12)
      expect(told.at(-1)).toBeGreaterThan(0.95)
      expect(told.at(-1)).toBeLessThanOrEqual(1)
    }
  })

  it('has the sample peak of its file, and no true peak below it', async () => {
    const spiked = whole.map((samples) => samples.slice())
    spiked[1]![3 * rateHz] = 0.987
    const { analysis } = await mended(`spiked${rateHz}.wav`, spiked, rateHz)
    expect(analysis.samplePeakDbfs).toBeCloseTo(20 * Math.log10(0.987), 4)
    expect(analysis.truePeakDbtp).toBeGreaterThanOrEqual(analysis.samplePeakDbfs!)
  })
})

describe('the master of a song of 32 kHz', () => {
  const whole = songLike(seconds, 32_000)
  const report = async (name: string, channels: readonly Float32Array[], change: Parameters<typeof orderFor>[2]) => {
    const work = await orderFor(writeFloatWav(at(name), channels, 32_000), folder, {
      platforms: ['spotify'],
      ...change,
    })
    const result = await masterOrder(work)
    return { result, report: JSON.parse(readFileSync(path.join(work.attemptFolder, 'report.json'), 'utf8')) as Report }
  }

  it.each(TIERS)('tells in tier %s what was mended, and the sample peak of the file', async (tier) => {
    const damaged = clippedHard(whole)
    const made = await report(`${tier}.wav`, damaged, { tier, genre: 'pop' })
    const { repairs } = await mended(`${tier}-alone.wav`, damaged, 32_000)
    expect(made.result.repairs.filter(({ kind }) => kind === 'clipping')).toEqual(repairs)
    expect(made.result.warnings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['INPUT_CLIPPED', 'INPUT_RESAMPLED']),
    )
    expect(made.report.decisions.map(({ code }) => code)).toContain('CLIPPING_REBUILT')
    expect(made.report.source.measurement.sample_peak_dbfs).toBeCloseTo(20 * Math.log10(highest(damaged)), 2)
  })

  it('loses a few samples that are not numbers, and nothing around them', async () => {
    const holed = whole.map((samples) => samples.slice())
    holed[0]![100_000] = Number.NaN
    holed[1]![150_000] = Number.POSITIVE_INFINITY
    const { audio } = await mended('holed.wav', holed, 32_000)
    const wanted = await converted(whole, 32_000)
    expect(errorDb(wanted, audio)).toBeLessThan(-50)
    const { result } = await report('holed-again.wav', holed, {})
    expect(result.repairs).toEqual([{ kind: 'clicks', count: 2 }])
  })

  it('is free of an offset from its first frame on', async () => {
    const moved = whole.map((samples) => samples.map((sample) => sample + 0.1))
    const { audio, repairs } = await mended('moved.wav', moved, 32_000)
    expect(repairs).toMatchObject([{ kind: 'dc_offset', amount_db: expect.closeTo(-20, 0) }])
    const wanted = await converted(whole, 32_000)
    for (let i = 0; i < 400; i++) expect(Math.abs(audio.channels[0]![i]! - wanted.channels[0]![i]!)).toBeLessThan(0.002)
  })

  it('is announced by the analysis of the song', async () => {
    const damaged = clicked(whole, 32_000)
    const song = await storedSong(writeFloatWav(at('look.wav'), damaged, 32_000))
    const look = await analyseSong({ ffmpeg, settings: jobSettings(DEFAULT_SETTINGS), song }, () => {}, never)
    expect(look.repairs).toEqual([{ kind: 'clicks', count: 5 }])
    expect(look.measurement.sample_peak_dbfs).toBeCloseTo(20 * Math.log10(highest(damaged)), 4)
  })
})
