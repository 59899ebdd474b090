/** The sample song: what the page says of it is what its listener hears. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { FAULTS, type MixFaults, NO_FAULTS, renderSampleSong, sampleSongWav } from '../../scripts/sample-song/render.ts'
import { BARS, STEPS } from '../../scripts/sample-song/score.ts'
import type { Report } from '../../src-contract/report.ts'
import { DEFAULT_SETTINGS, NEUTRAL_SOUND } from '../../src-contract/settings.ts'
import { analyseSource, type SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { planRecipe } from '../../src-engine/plan.ts'
import { isCuredSample } from '../../src-renderer/sample-song/sample-song.ts'
import { TEXTS } from '../../src-renderer/text/context.tsx'
import { readSong } from '../../src-worker/mastering/read-song.ts'
import { keptFiles } from '../../src-worker/result/result-zip.ts'
import { IS_CAMPAIGN } from '../support/campaign.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { masterOrder, orderFor, storedSong } from '../worker/mastering/run-worker.ts'
import { ffmpeg, runPlain } from '../worker/media/make-audio.ts'

const folder = temporaryFolder()
const file = path.join(import.meta.dirname, '../../src-renderer/sample-song/sample-song.flac')

const analysed = async (wav: string) =>
  (await readSong(ffmpeg, await storedSong(wav), new AbortController().signal)).analysis

function mixOf(faults: MixFaults): SourceAnalysis {
  const { left, right } = renderSampleSong(faults)
  return analyseSource({ channels: [left, right], frames: left.length, sampleRateHz: 44_100 }, { lossy: false })
}

const repairsOf = (analysis: SourceAnalysis) =>
  planRecipe({ analysis, ...DEFAULT_SETTINGS, sound: NEUTRAL_SOUND })
    .decisions.filter(({ stage }) => stage === 'repair')
    .map(({ code }) => code)

/** The sample as the application masters it when nothing is set, for one platform. */
async function mastered() {
  const order = await orderFor(file, folder, { platforms: ['spotify'] })
  const { zip, reportJsonFile, warnings } = await masterOrder(order)
  const report: Report = JSON.parse(readFileSync(path.join(order.attemptFolder, reportJsonFile), 'utf8'))
  const [master] = keptFiles(zip)
  return { report, warnings, analysis: await analysed(path.join(order.attemptFolder, master!.file)) }
}

const [original, master] = [await analysed(file), await mastered()]

/** Difference of the mids at equal loudness in the third octaves from `fromHz` to `toHz`, dB. */
function movesDb(one: SourceAnalysis, other: SourceAnalysis, fromHz: number, toHz: number): number[] {
  return one.spectrum.bandHz.flatMap((hz, b) => {
    if (hz < fromHz || hz > toHz) return []
    const level = ({ spectrum, integratedLufs }: SourceAnalysis) => spectrum.midDb[b]! - integratedLufs!
    return [level(other) - level(one)]
  })
}

test('is half a minute of music, with the samples that its score renders', () => {
  expect(original.durationSeconds).toBeCloseTo(30, 2)
  const decoded = runPlain('-bitexact', '-i', file, '-f', 's16le', 'pipe:1')
  expect(Buffer.compare(Buffer.from(sampleSongWav()).subarray(-decoded.length), decoded)).toBe(0)
})

test('every line of its score fills its bar', () => {
  for (const [b, { bass, lead, bells, kick, snare, clap, hats }] of BARS.entries()) {
    for (const line of [bass, lead]) {
      const steps = (line ?? '-/16').split(' ').reduce((sum, token) => sum + Number(token.split('/')[1]), 0)
      // The last chord rings out.
      expect([STEPS, b === BARS.length - 1 ? 14 : STEPS]).toContain(steps)
    }
    if (bells) expect(bells.split(' ')).toHaveLength(STEPS / 2)
    for (const rhythm of [kick, snare, clap, hats]) expect(rhythm ?? '.'.repeat(STEPS)).toMatch(/^[xo.]{16}$/)
  }
})

test('its report tells of the boom and of the bass, of no click, and of nothing else', () => {
  const { report, warnings } = master
  expect(report.repairs).toEqual([
    { kind: 'mono_bass', frequency_hz: 110, channel: 'side' },
    { kind: 'mud', amount_db: -FAULTS.boomDb, frequency_hz: 250, channel: 'both' },
  ])
  const changes = report.decisions.filter(({ stage }) => ['repair', 'tone', 'dynamics', 'image'].includes(stage))
  expect(changes.map(({ code }) => code)).toEqual([
    'BASS_MADE_MONO',
    'MUD_CUT',
    'DYNAMICS_LEFT_ALONE',
    'IMAGE_LEFT_ALONE',
  ])
  expect(warnings).toEqual([])
})

test('at equal loudness its master has 2.5 dB less boom and 6 dB more bass in the middle, and the rest as it was', () => {
  expect(Math.max(...movesDb(original, master.analysis, 200, 320))).toBeLessThan(-2.5)
  expect(Math.min(...movesDb(original, master.analysis, 60, 105))).toBeGreaterThan(6)
  expect(Math.max(...movesDb(original, master.analysis, 800, 16_000).map(Math.abs))).toBeLessThan(0.5)
})

test('its master lies within 1 dB of the mix without the faults, from which the song is 2 dB and more away', () => {
  const clean = mixOf(NO_FAULTS)
  expect(Math.max(...movesDb(clean, master.analysis, 60, 16_000).map(Math.abs))).toBeLessThan(1)
  expect(Math.min(...movesDb(clean, original, 200, 320))).toBeGreaterThan(2)
  expect(Math.max(...movesDb(clean, original, 60, 105))).toBeLessThan(-6)
})

const alone: [string, Parameters<typeof mixOf>[0] | object, string[]][] = [
  ['neither fault', {}, ['NOTHING_TO_REPAIR']],
  ['the boom', { boomDb: FAULTS.boomDb }, ['MUD_CUT']],
  ['the bass', { isBassSplit: true }, ['BASS_MADE_MONO']],
]
test.each(IS_CAMPAIGN ? alone : alone.slice(0, 1))('with %s alone it needs no other repair', (_, faults, repairs) => {
  expect(repairsOf(mixOf({ ...NO_FAULTS, ...faults }))).toEqual(repairs)
})

test('the page names the bar in which the bass begins, and promises nothing of a master that lacks a repair', () => {
  const bar = BARS.findIndex(({ bass }) => bass) + 1
  expect(TEXTS.en.first.sampleNote).toContain(`bass from bar ${bar}.`)
  expect(TEXTS.ko.first.sampleNote).toContain(`${bar}마디부터`)
  const { repairs } = master.report
  for (const { first } of Object.values(TEXTS)) expect(isCuredSample(first.sampleName, repairs)).toBe(true)
  expect(isCuredSample('Another song.wav', repairs)).toBe(false)
  for (const left of repairs) expect(isCuredSample(TEXTS.en.first.sampleName, [left])).toBe(false)
  expect(isCuredSample('샘플 곡.wav', repairs)).toBe(true)
})
