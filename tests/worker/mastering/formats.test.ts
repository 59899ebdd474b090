/** Files of further formats: what a listener gets of each, decoded from the ZIP of a job. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Schema from 'typebox/schema'
import { beforeAll, describe, expect, it } from 'vitest'
import { FORMAT_NAMES, type Format, formatFacts } from '../../../src-contract/formats.ts'
import { type FormatFile, Report } from '../../../src-contract/report.ts'
import type { JobSettings } from '../../../src-contract/settings.ts'
import type { WorkOrder, WorkResult } from '../../../src-worker/mastering/work-order.ts'
import { listEncoders } from '../../../src-worker/media/ffmpeg.ts'
import { keptFiles } from '../../../src-worker/result/result-zip.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { resultFiles } from '../../support/result-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, readByEbur128, runPlain, songLike, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, type OrderChange, orderFor } from './run-worker.ts'

const folder = temporaryFolder()
const encoders = await listEncoders(ffmpeg)
const TIERS: readonly JobSettings['tier'][] = IS_CAMPAIGN ? ['standard', 'premium'] : ['standard']
/** No multiple of the frames of any codec. */
const SECONDS = 2.432_17

/** A finished job and its files, cut out of the ZIP as the server does. */
interface Done {
  readonly order: WorkOrder
  readonly result: WorkResult
  readonly file: (name: string) => string
}

async function run(song: string, change: OrderChange): Promise<Done> {
  const order = await orderFor(song, folder, change)
  const result = await masterOrder(order)
  const out = temporaryNames()
  for (const [name, bytes] of resultFiles(order.attemptFolder, result.zip)) writeFileSync(out(name), bytes)
  return { order, result, file: out }
}

let runs = 0
function temporaryNames(): (name: string) => string {
  const prefix = `run${++runs}-`
  return (name) => path.join(folder, prefix + name)
}

/** The samples of a file as another program decodes them: interleaved, full scale 1. */
function samplesOf(file: string): Float32Array {
  const bytes = runPlain('-i', file, '-f', 'f32le', '-c:a', 'pcm_f32le', '-')
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}

/** Largest difference of two signals. */
function distance(one: Float32Array, other: Float32Array): number {
  expect(one.length).toBe(other.length)
  return one.reduce((most, sample, i) => Math.max(most, Math.abs(sample - other[i]!)), 0)
}

const fileOf = ({ result }: Done, format: Format, platform = 0): FormatFile =>
  result.masters[platform]!.files!.find((one) => one.format === format)!

const song = writeFloatWav(path.join(folder, 'song.wav'), songLike(SECONDS, 48_000, 0.6), 48_000)
const tagged = path.join(folder, 'tagged.wav')
runPlain('-i', song, '-c:a', 'pcm_f32le', '-metadata', 'title=등불 아래', '-metadata', 'artist=새벽', tagged)

let done: Done
let plain: Done

beforeAll(async () => {
  done = await run(tagged, { platforms: ['spotify', 'youtube', 'melon'], formats: [...FORMAT_NAMES] })
  plain = await run(tagged, { platforms: ['spotify', 'youtube', 'melon'] })
})

describe('the files of a standard job at 48 kHz', () => {
  it('are all there, under names that tell them apart, and nothing else is left', () => {
    const names = done.result.zip.entries.map(({ name }) => path.basename(name))
    for (const platform of ['spotify', 'melon']) {
      expect(names).toEqual(
        expect.arrayContaining([
          ...['', '_16bit_44k', '_32float'].map((end) => `등불 아래_${platform}${end}.wav`),
          ...['.flac', '_16bit_44k.flac', '.mp3', '.m4a'].map((end) => `등불 아래_${platform}${end}`),
        ]),
      )
    }
    expect(names.some((name) => name.endsWith('_24bit.wav'))).toBe(false)
    expect(new Set(names).size).toBe(names.length)
    expect(readdirSync(done.order.attemptFolder).sort()).toEqual(
      keptFiles(done.result.zip)
        .map(({ file }) => file)
        .sort(),
    )
  })

  it('leave the masters as they are without them, to the byte', () => {
    const sums = ({ result }: Done) => result.masters.map(({ file, sha256 }) => [file, sha256])
    expect(sums(done)).toEqual(sums(plain))
    expect(plain.result.masters[0]).not.toHaveProperty('files')
    expect(plain.result.zip.entries).toHaveLength(3 + 3)
  })

  it.runIf(IS_CAMPAIGN)('do not depend on each other: each is the same file where it alone is asked for', async () => {
    for (const format of ['flac16_44', 'mp3_320'] as const) {
      const alone = await run(tagged, { platforms: ['melon'], formats: [format] })
      const { file: _, ...figures } = fileOf(alone, format)
      expect(fileOf(done, format, 2)).toMatchObject(figures)
    }
  })

  it.each(FORMAT_NAMES)('have the rate, the length and the loudness that the report says: %s', (format) => {
    for (const [i, { integrated_lufs }] of done.result.masters.entries()) {
      const told = fileOf(done, format, i)
      const file = done.file(told.file)
      const { rateHz } = formatFacts(format)
      expect(told.sample_rate_hz).toBe(rateHz ?? 48_000)
      expect(told.frames).toBe(Math.round(SECONDS * told.sample_rate_hz))
      const read = readByEbur128(file)
      expect(Math.abs(read.integratedLufs - told.integrated_lufs)).toBeLessThanOrEqual(0.06)
      // ffmpeg's filter oversamples four times and reads lower than this meter.
      expect(Math.abs(read.truePeakDbtp - told.true_peak_dbtp)).toBeLessThanOrEqual(0.25)
      expect(Math.abs(integrated_lufs + told.gain_db - told.integrated_lufs)).toBeLessThanOrEqual(0.15)
      expect(told.size_bytes).toBe(readFileSync(file).length)
    }
  })

  it('have the same samples in WAV and FLAC, at 24 and at 16 bit', () => {
    for (const [wav, flac] of [
      ['wav24', 'flac24'],
      ['wav16_44', 'flac16_44'],
    ] as const) {
      const pair = [wav, flac].map((format) => samplesOf(done.file(fileOf(done, format).file)))
      expect(distance(pair[0]!, pair[1]!)).toBe(0)
    }
  })

  it('are before dither in float: 24 bit differs from it by less than two steps, and does differ', () => {
    const float = samplesOf(done.file(fileOf(done, 'wav32f').file))
    const steps = distance(float, samplesOf(done.file(fileOf(done, 'wav24').file))) * 2 ** 23
    expect(steps).toBeGreaterThan(0.5)
    expect(steps).toBeLessThan(2)
  })

  it('hold the ceiling of their platform at 16 bit too, after the change of the rate', () => {
    for (const [i, { ceiling_dbtp }] of done.result.masters.entries()) {
      for (const format of ['wav24', 'flac24', 'wav16_44', 'flac16_44'] as const) {
        const told = fileOf(done, format, i)
        expect(told.true_peak_dbtp).toBeLessThanOrEqual(ceiling_dbtp + 0.05)
        expect(readByEbur128(done.file(told.file)).truePeakDbtp).toBeLessThanOrEqual(ceiling_dbtp + 0.1)
      }
      expect(fileOf(done, 'wav16_44', i).true_peak_dbtp).toBeLessThanOrEqual(ceiling_dbtp)
    }
  })

  it.skipIf(!encoders.has('libmp3lame'))('play without a gap: an MP3 decodes to as many samples as its master', () => {
    expect(samplesOf(done.file(fileOf(done, 'mp3_320').file)).length / 2).toBe(Math.round(SECONDS * 48_000))
  })

  it('carry the tags of the song and their own ReplayGain', () => {
    for (const format of ['flac24', 'flac16_44', 'mp3_320', 'aac_256'] as const) {
      const told = fileOf(done, format)
      const text = runPlain('-i', done.file(told.file), '-f', 'ffmetadata', '-').toString('utf8')
      expect(text).toMatch(/^title=등불 아래$/im)
      const gain = Number(/^replaygain_track_gain=(\S+) dB$/im.exec(text)?.[1])
      expect(gain).toBeCloseTo(-18 - told.integrated_lufs, 1)
    }
  })

  it('are in the report, which fits its schema, and in its page', () => {
    const report: unknown = JSON.parse(readFileSync(path.join(done.order.attemptFolder, 'report.json'), 'utf8'))
    expect(Schema.Errors(Report, report)[1]).toEqual([])
    expect((report as Report).settings.formats).toEqual(FORMAT_NAMES)
    const html = readFileSync(path.join(done.order.attemptFolder, 'report.html'), 'utf8')
    for (const { file } of done.result.masters[1]!.files!) expect(html).toContain(file)
    expect(readFileSync(path.join(plain.order.attemptFolder, 'report.json'), 'utf8')).not.toContain('"formats"')
  })
})

describe('a job at 96 kHz', () => {
  const high = writeFloatWav(path.join(folder, 'high.wav'), songLike(3, 96_000, 0.6), 96_000)

  it.each(TIERS)('has the master itself as its WAV of 24 bit, and lossy files at 48 kHz: %s', async (tier) => {
    const premium = await run(high, {
      platforms: ['apple_music'],
      tier,
      formats: ['wav24', 'flac24', 'mp3_320', 'aac_256'],
    })
    const [master] = premium.result.masters
    const wav = fileOf(premium, 'wav24')
    expect([wav.file, wav.sha256, wav.sample_rate_hz]).toEqual([master!.file, master!.sha256, 96_000])
    expect(distance(samplesOf(premium.file(wav.file)), samplesOf(premium.file(fileOf(premium, 'flac24').file)))).toBe(0)
    for (const format of ['mp3_320', 'aac_256'] as const) {
      expect(fileOf(premium, format)).toMatchObject({ sample_rate_hz: 48_000, frames: 3 * 48_000 })
    }
  })
})

describe('a lossy file whose codec raises the peaks', () => {
  it('is turned down by gain alone until it holds full scale, or is told of', async () => {
    const { result } = await run(song, {
      platforms: ['melon'],
      genre: 'edm',
      loudness: 'competitive',
      formats: ['mp3_320', 'aac_256', 'wav24'],
    })
    for (const told of result.masters[0]!.files!.filter(({ format }) => format !== 'wav24')) {
      const isTold = result.warnings.some(({ code, file }) => code === 'CODEC_OVERSHOOT' && file === told.file)
      expect(isTold).toBe(told.true_peak_dbtp > 0)
      expect(told.gain_db).toBeGreaterThanOrEqual(-1.5)
      expect(told.gain_db).toBeLessThanOrEqual(0)
    }
  })
})

it('a format that this ffmpeg cannot write fails the job before it is worked on, with the name of the codec', async () => {
  const order = await orderFor(song, folder, { formats: ['wav24', 'mp3_320'] })
  const without = path.join(folder, 'ffmpeg-without-lame')
  writeFileSync(
    without,
    `#!/bin/sh\ncase "$*" in *-encoders*) "${ffmpeg.path}" "$@" | grep -v libmp3lame;; *) exec "${ffmpeg.path}" "$@";; esac\n`,
    { mode: 0o755 },
  )
  const failing = masterOrder({ ...order, ffmpeg: { ...ffmpeg, path: without } })
  await expect(failing).rejects.toMatchObject({ failureCode: 'ENCODER_MISSING', params: { codec: 'MP3' } })
  expect(readdirSync(order.attemptFolder)).toEqual([])
})
