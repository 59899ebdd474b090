/** Edges of a song in a job: what a listener gets at the start and at the end of every file. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { FORMAT_NAMES, type Format } from '../../../src-contract/formats.ts'
import type { Report } from '../../../src-contract/report.ts'
import { WHOLE_SONG } from '../../../src-contract/settings.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { resultFiles } from '../../support/result-files.ts'
import { largest } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { readByEbur128, runPlain, songLike, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, type OrderChange, orderFor } from './run-worker.ts'

const folder = temporaryFolder()
let runs = 0

async function run(song: string, change: OrderChange) {
  const order = await orderFor(song, folder, { platforms: ['spotify'], file_tags: 'none', ...change })
  const result = await masterOrder(order)
  const prefix = `run${++runs}-`
  for (const [name, bytes] of resultFiles(order.attemptFolder, result.zip))
    writeFileSync(path.join(folder, prefix + name), bytes)
  const report = JSON.parse(readFileSync(path.join(order.attemptFolder, result.reportJsonFile), 'utf8')) as Report
  const file = (format: Format) =>
    path.join(folder, prefix + result.masters[0]!.files!.find((one) => one.format === format)!.file)
  return { master: result.masters[0]!, report, file, warnings: result.warnings }
}

/** The samples of a file as another program decodes them: interleaved, full scale 1. */
function samplesOf(file: string): Float32Array {
  const bytes = runPlain('-i', file, '-f', 'f32le', '-c:a', 'pcm_f32le', '-')
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}

const songAt = (rateHz: number, seconds = 6) =>
  writeFloatWav(path.join(folder, `song-${rateHz}.wav`), songLike(seconds, rateHz, 0.5), rateHz)

describe('a trimmed song', () => {
  it.each(IS_CAMPAIGN ? [48_000, 32_000] : [32_000])(
    'has the master of the song that was cut before, to the byte: %d Hz',
    async (rateHz) => {
      const channels = songLike(6, rateHz, 0.5)
      const whole = writeFloatWav(path.join(folder, `whole-${rateHz}.wav`), channels, rateHz)
      const [from, to] = [Math.round(1.2345 * rateHz), 6 * rateHz - Math.round(0.777 * rateHz)]
      const kept = channels.map((samples) => samples.slice(from, to))
      const cut = writeFloatWav(path.join(folder, `cut-${rateHz}.wav`), kept, rateHz)
      const trims = { trim_start_seconds: 1.2345, trim_end_seconds: 0.777 }
      const [ofWhole, ofCut, untrimmed] = [await run(whole, trims), await run(cut, {}), await run(whole, {})]
      expect(ofWhole.master.sha256).toBe(ofCut.master.sha256)
      expect(untrimmed.master.sha256).not.toBe(ofCut.master.sha256)
      expect(ofWhole.report.settings).toMatchObject(trims)
      expect(ofCut.report.settings).not.toHaveProperty('trim_start_seconds')
    },
  )
})

describe('fades', () => {
  it('are in the master as their formula says, and it lands with them', async () => {
    const song = songAt(48_000)
    // A target that gain alone reaches.
    const quiet = { formats: ['wav32f'] as Format[], target_lufs: -24 }
    const plain = await run(song, quiet)
    const edges = {
      fade_in_seconds: 0.5,
      fade_in_shape: 'smooth',
      fade_out_seconds: 2,
      fade_out_shape: 'equal_power',
    } as const
    const faded = await run(song, { ...quiet, ...edges })
    const [one, other] = [samplesOf(plain.file('wav32f')), samplesOf(faded.file('wav32f'))]
    const middle = 2 * 3 * 48_000
    const gain = other[middle]! / one[middle]!
    const frames = one.length / 2
    const error = (frame: number, factor: number) => other[2 * frame]! - one[2 * frame]! * gain * factor
    expect(largest(0, 24_000, (i) => error(i, (1 - Math.cos((Math.PI * i) / 24_000)) / 2))).toBeLessThan(1e-5)
    expect(largest(0, 96_000, (i) => error(frames - 1 - i, Math.sqrt(i / 96_000)))).toBeLessThan(1e-5)
    expect(gain).toBeGreaterThan(1.01)
    expect(readByEbur128(faded.file('wav32f')).integratedLufs).toBeCloseTo(-24, 1)
    expect(Math.abs(faded.master.integrated_lufs + 24)).toBeLessThanOrEqual(0.05)
    // The recipe is that of the song as it stays.
    expect(faded.report.recipe).toEqual(plain.report.recipe)
  })

  it('keep the ceiling, limited or not', async () => {
    const { master } = await run(songAt(44_100), { target_lufs: -8, fade_out_seconds: 1.5, fade_in_seconds: 0.02 })
    expect(master.true_peak_dbtp).toBeLessThanOrEqual(master.ceiling_dbtp + 0.05)
    expect(Math.abs(master.integrated_lufs + 8)).toBeLessThanOrEqual(0.05)
  })

  it.runIf(IS_CAMPAIGN)('mend an end that breaks off', async () => {
    const song = songAt(44_100, 8)
    const codes = async (change: OrderChange) => (await run(song, change)).warnings.map(({ code }) => code)
    expect(await codes({ trim_end_seconds: 1 })).toContain('INPUT_BREAKS_OFF')
    expect(await codes({ trim_end_seconds: 1, fade_out_seconds: 1 })).not.toContain('INPUT_BREAKS_OFF')
  })
})

describe('padding', () => {
  it('is digital silence in every lossless file, counted in its length', async () => {
    const padding = { pad_start_seconds: 0.5, pad_end_seconds: 0.25 }
    const made = await run(songAt(48_000), { ...padding, formats: [...FORMAT_NAMES] })
    for (const format of FORMAT_NAMES) {
      const told = made.master.files!.find((one) => one.format === format)!
      expect(told.frames).toBe(6.75 * told.sample_rate_hz)
      const samples = samplesOf(made.file(format))
      if (format === 'mp3_320' || format === 'aac_256') continue
      const [start, end] = [told.sample_rate_hz, 2 * 6.5 * told.sample_rate_hz]
      expect(samples.subarray(0, start).every((sample) => sample === 0)).toBe(true)
      expect(samples.subarray(end).every((sample) => sample === 0)).toBe(true)
      expect(samples.subarray(start, end).filter((sample) => sample !== 0).length).toBeGreaterThan(0.9 * (end - start))
    }
  })
})

it.runIf(IS_CAMPAIGN)('edges that are named at their defaults change no byte', async () => {
  const song = songAt(44_100)
  expect((await run(song, WHOLE_SONG)).master.sha256).toBe((await run(song, {})).master.sha256)
})
