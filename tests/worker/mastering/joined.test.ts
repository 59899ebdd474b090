/** Songs that go over into each other: their files laid end to end are the master of the whole, to the sample. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Format } from '../../../src-contract/formats.ts'
import type { Report } from '../../../src-contract/report.ts'
import type { WorkOrder } from '../../../src-worker/mastering/work-order.ts'
import { placeOf } from '../../../src-worker/result/result-zip.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { readByEbur128, runPlain, songLike, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, type OrderChange, orderFor, storedSong } from './run-worker.ts'

const folder = temporaryFolder()
const RATE_HZ = 48_000
const FORMATS = ['wav24', 'flac24', 'wav32f', 'wav16_44', 'mp3_320'] as const satisfies Format[]
/** Ends of the three songs in the whole, s: at places that no rate and no block divides. */
const JOINTS = [0, 1.23457, 2.41829, 3.5]
const EDGES: NonNullable<WorkOrder['joined']>['edges'] = {
  ...{ fade_in_seconds: 0.2, fade_in_shape: 'smooth', fade_out_seconds: 0.3, fade_out_shape: 'equal_power' },
  ...{ pad_start_seconds: 0, pad_end_seconds: 0.25 },
}

const frameAt = (seconds: number) => Math.round(seconds * RATE_HZ)
const music = songLike(JOINTS[3]!, RATE_HZ, 0.5)
// A blow on each side of each joint: the limiter turns down before it on one side for what is on the other.
for (const joint of JOINTS.slice(1, 3).map(frameAt))
  for (const plane of music) for (let i = -20; i < 20; i++) plane[joint + i] = i % 2 === 0 ? 0.99 : -0.99

async function made(order: WorkOrder) {
  const result = await masterOrder(order)
  const master = result.masters[0]!
  const report = JSON.parse(readFileSync(path.join(order.attemptFolder, result.reportJsonFile), 'utf8')) as Report
  const fileOf = (format: Format) => {
    const { file } = master.files!.find((one) => one.format === format)!
    return path.join(order.attemptFolder, placeOf(result.zip, file)!.file)
  }
  const samplesOf = (format: Format) => runPlain('-i', fileOf(format), '-f', 'f32le', '-c:a', 'pcm_f32le', '-')
  return { master, report, result, fileOf, samplesOf }
}

const settings: OrderChange = { platforms: ['spotify'], formats: [...FORMATS], target_lufs: -9 }

test('songs joined into one have its recipe and its gain, and are cut at the sample in every lossless format', async () => {
  const whole = await made(
    await orderFor(writeFloatWav(path.join(folder, 'whole.wav'), music, RATE_HZ), folder, { ...settings, ...EDGES }),
  )
  // The one in the middle has something at both ends that is cut off.
  const cut = { trim_start_seconds: 0.5, trim_end_seconds: 0.25 }
  const noise = (seconds: number) => new Float32Array(frameAt(seconds)).fill(0.7)
  const songs = await Promise.all(
    [0, 1, 2].map((i) => {
      const planes = music.map((plane) => {
        const own = plane.slice(frameAt(JOINTS[i]!), frameAt(JOINTS[i + 1]!))
        return i === 1 ? Float32Array.of(...noise(0.5), ...own, ...noise(0.25)) : own
      })
      return storedSong(writeFloatWav(path.join(folder, `Song ${i}.wav`), planes, RATE_HZ))
    }),
  )
  const trimsOf = (i: number) => (i === 1 ? cut : { trim_start_seconds: 0, trim_end_seconds: 0 })
  const joinedSongs = songs.map((song, i) => ({ ...song, trims: trimsOf(i) }))
  const parts = []
  for (const [i, song] of songs.entries()) {
    const joined = { before: joinedSongs.slice(0, i), after: joinedSongs.slice(i + 1), edges: EDGES }
    const order = await orderFor(song.path, folder, { ...settings, ...trimsOf(i), joined, artist: `Artist ${i}` })
    parts.push(await made(order))
  }

  expect(whole.master.max_gain_reduction_db).toBeGreaterThan(3)
  for (const format of FORMATS.filter((one) => one !== 'mp3_320')) {
    const laidEndToEnd = Buffer.concat(parts.map(({ samplesOf }) => samplesOf(format)))
    expect([format, laidEndToEnd.equals(whole.samplesOf(format))]).toEqual([format, true])
  }
  const frames = parts.map(({ master }) => master.files!.find(({ format }) => format === 'wav24')!.frames)
  expect(frames).toEqual([0, 1, 2].map((i) => frameAt(JOINTS[i + 1]! + (i === 2 ? 0.25 : 0)) - frameAt(JOINTS[i]!)))
  for (const [i, { master, report, fileOf, result }] of parts.entries()) {
    // Joined songs are treated as one, which none of them gives again: the recipe names no source.
    const { source: _, ...recipe } = whole.report.recipe!
    expect(report.recipe).toEqual(recipe)
    expect([master.gain_db, master.verdict]).toEqual([whole.master.gain_db, whole.master.verdict])
    expect(master.integrated_lufs).toBeCloseTo(readByEbur128(fileOf('wav24')).integratedLufs, 1)
    expect(result.zip.entries.some(({ name }) => name.includes('own'))).toBe(false)
    const tagged = FORMATS.filter((format) =>
      new RegExp(`Artist ${i}`).test(readFileSync(fileOf(format)).toString('latin1')),
    )
    expect(tagged).toEqual(FORMATS)
    const curve = report.masters[0]!.curves
    expect(report.source.curves.peak_dbfs.length).toBeGreaterThan(0)
    expect(curve.gain_reduction_db!.length).toBe(curve.peak_dbfs.length)
  }
})

test.runIf(IS_CAMPAIGN)('songs of another rate than the engine works at are converted as one', async () => {
  const planes = songLike(2.6, 32_000, 0.5)
  const at = (name: string, from: number, to?: number) =>
    writeFloatWav(
      path.join(folder, name),
      planes.map((plane) => plane.slice(from, to)),
      32_000,
    )
  const plain = { platforms: ['spotify'], formats: ['wav24'] } satisfies OrderChange
  const whole = await made(await orderFor(at('all.wav', 0), folder, plain))
  const songs = await Promise.all([at('left.wav', 0, 40_001), at('right.wav', 40_001)].map(storedSong))
  const none = { trim_start_seconds: 0, trim_end_seconds: 0 }
  const edges = { ...EDGES, fade_in_seconds: 0, fade_out_seconds: 0, pad_end_seconds: 0 }
  const [left, right] = songs.map((song) => ({ ...song, trims: none }))
  const first = await made(
    await orderFor(left!.path, folder, { ...plain, joined: { before: [], after: [right!], edges } }),
  )
  const second = await made(
    await orderFor(right!.path, folder, { ...plain, joined: { before: [left!], after: [], edges } }),
  )
  const laidEndToEnd = Buffer.concat([first.samplesOf('wav24'), second.samplesOf('wav24')])
  expect(laidEndToEnd.equals(whole.samplesOf('wav24'))).toBe(true)
})
