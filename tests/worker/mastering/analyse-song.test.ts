/** A look at a song finds what its job will warn of. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { RENDER_WARNING_CODES } from '../../../src-contract/report.ts'
import { DEFAULT_SETTINGS, jobSettings } from '../../../src-contract/settings.ts'
import { LANGUAGES } from '../../../src-contract/text/language.ts'
import { suggestionText } from '../../../src-contract/text/suggestion.ts'
import { changeSummary } from '../../../src-contract/text/summary.ts'
import { analyseSong } from '../../../src-worker/mastering/analyse-song.ts'
import { WorkFailure } from '../../../src-worker/mastering/work-failure.ts'
import { sine, songLike } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, orderFor, storedSong } from './run-worker.ts'

const never = new AbortController().signal

test('gives all warnings of a job with the same settings and reference, except those about the masters', async () => {
  const folder = temporaryFolder(onTestFinished)
  const at = (name: string) => path.join(folder, name)
  const rateHz = 22_050
  const silence = new Float32Array(3 * rateHz)
  const { channels } = songLike(6, rateHz)
  // Clipped here and there, after three seconds of silence, with one channel against the other.
  const sound = channels[0]!.map((sample, i) => Math.max(-0.5, Math.min(0.5, sample * (i % 11_025 < 400 ? 8 : 1))))
  const left = Float32Array.from([...silence, ...sound])
  const file = writeFloatWav(at('song.wav'), [left, left.map((sample) => -0.6 * sample)], rateHz)
  const tone = sine(1000, -12, 6, 44_100)
  const reference = await storedSong(writeFloatWav(at('reference.wav'), [...tone.channels], 44_100))
  const order = await orderFor(file, folder, { platforms: ['spotify'], genre: 'ballad', intensity: 30, reference })
  const { settings, source } = order
  const look = await analyseSong({ song: source, settings, ffmpeg, reference }, () => {}, never)
  const { warnings, summary, ...made } = await masterOrder(order)
  expect(look.warnings).toEqual(warnings.filter(({ code }) => !RENDER_WARNING_CODES.includes(code)))
  expect(look.warnings.map(({ code }) => code)).toEqual(
    expect.arrayContaining([
      'INPUT_CLIPPED',
      'INPUT_NEAR_SILENT_EDGES',
      'INPUT_OUT_OF_PHASE',
      'INPUT_RESAMPLED',
      'REFERENCE_NOT_COMPARABLE',
    ]),
  )
  const written = (name: string) => readFileSync(path.join(order.attemptFolder, name), 'utf8')
  expect(JSON.parse(written(made.reportJsonFile)).suggestion).toEqual(look.suggestion)
  const sentence = suggestionText(look.suggestion!.reasons.at(-1)!).ko
  expect(written(made.reportHtmlFile)).toContain(sentence)
  // The sound is told alike before and after; the levels are those of the master alone.
  const planned = changeSummary(look.decisions)
  for (const language of LANGUAGES) expect(summary?.[language]).toContain(planned[language])
  const alone = await analyseSong({ song: source, settings, ffmpeg, price: 'wanted' }, () => {}, never)
  // Its clipped samples are edited at its own rate before it is priced.
  expect(alone.suggestion?.price?.targets.length).toBeGreaterThan(0)
  expect(alone.warnings.map(({ code }) => code)).not.toContain('REFERENCE_NOT_COMPARABLE')
}, 120_000)

test('the suggestion is the same whether its price was just found or is known', async () => {
  const folder = temporaryFolder(onTestFinished)
  const { channels } = songLike(8, 44_100)
  const song = await storedSong(writeFloatWav(path.join(folder, 'song.wav'), [...channels], 44_100))
  const order = { song, settings: jobSettings(DEFAULT_SETTINGS), ffmpeg }
  const found = await analyseSong({ ...order, price: 'wanted' }, () => {}, never)
  const { price } = found.suggestion!
  expect(price!.targets.length).toBeGreaterThan(1)
  const [cheapest] = price!.targets
  expect(price!.targets.at(-1)!.mean_gain_reduction_db).toBeGreaterThan(cheapest!.mean_gain_reduction_db)
  const known = await analyseSong({ ...order, price: price! }, () => {}, never)
  expect(known.suggestion).toEqual(found.suggestion)
  const { price: _, ...without } = found.suggestion!
  const bare = (await analyseSong(order, () => {}, never)).suggestion!
  expect(bare).not.toHaveProperty('price')
  expect(without.reasons).toEqual(expect.arrayContaining(bare.reasons))
  expect(found.waveform).toEqual(known.waveform)
}, 60_000)

test('reports a reference that cannot be decoded', async () => {
  const folder = temporaryFolder(onTestFinished)
  const { channels } = songLike(4, 44_100)
  const song = await storedSong(writeFloatWav(path.join(folder, 'song.wav'), [...channels], 44_100))
  const lost = { ...song, path: path.join(folder, 'empty.wav') }
  writeFloatWav(lost.path, [new Float32Array(0)], 44_100)
  const look = analyseSong({ song, settings: jobSettings(DEFAULT_SETTINGS), ffmpeg, reference: lost }, () => {}, never)
  await expect(look).rejects.toThrow(WorkFailure)
}, 60_000)
