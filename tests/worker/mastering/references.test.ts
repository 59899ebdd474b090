/** References of a song: tracks, targets without their audio, and several with weights. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Compile } from 'typebox/compile'
import { beforeAll, expect, test } from 'vitest'
import type { Report } from '../../../src-contract/report.ts'
import { SavedTarget } from '../../../src-contract/saved-targets.ts'
import { DEFAULT_SETTINGS } from '../../../src-contract/settings.ts'
import { analyseSong } from '../../../src-worker/mastering/analyse-song.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, songLike, writeFloatWav } from '../media/make-audio.ts'
import { masterOrder, type OrderChange, orderFor, storedSong } from './run-worker.ts'

const folder = temporaryFolder()
const song = writeFloatWav(path.join(folder, 'song.wav'), songLike(5, 44_100, 0.3), 44_100)

/** Writes a song with more of its highs, or with fewer, and wider or narrower. */
function reference(name: string, highs: number, width: number, rateHz = 44_100): string {
  const [left, right] = songLike(6, rateHz, 0.25) as [Float32Array, Float32Array]
  const [mid, side] = [new Float32Array(left.length), new Float32Array(left.length)]
  for (let i = 1; i < left.length; i++) {
    const shaped = (samples: Float32Array) => samples[i]! + highs * (samples[i]! - samples[i - 1]!)
    mid[i] = (shaped(left) + shaped(right)) / 2
    side[i] = (width * (shaped(left) - shaped(right))) / 2
  }
  const channels = [mid.map((value, i) => value + side[i]!), mid.map((value, i) => value - side[i]!)]
  return writeFloatWav(path.join(folder, name), channels, rateHz)
}

async function targetOf(file: string): Promise<SavedTarget> {
  const order = { song: await storedSong(file), settings: DEFAULT_SETTINGS, ffmpeg }
  const { target } = await analyseSong(order, () => {}, new AbortController().signal)
  return JSON.parse(JSON.stringify(target)) as SavedTarget
}

async function mastered(change: OrderChange) {
  const order = await orderFor(song, folder, { platforms: ['spotify'], ...change })
  const { masters, warnings, reportJsonFile } = await masterOrder(order)
  const report = JSON.parse(readFileSync(path.join(order.attemptFolder, reportJsonFile), 'utf8')) as Report
  return { sums: masters.map(({ sha256 }) => sha256), report, codes: warnings.map(({ code }) => code) }
}

let bright: { readonly file: string; readonly target: SavedTarget }
let dark: typeof bright
beforeAll(async () => {
  const [one, other] = [reference('bright.wav', 1.5, 1.6), reference('dark.wav', -0.45, 0.6, 48_000)]
  bright = { file: one, target: await targetOf(one) }
  dark = { file: other, target: await targetOf(other) }
})

test('a saved target gives the bytes of the reference itself, its loudness too', async () => {
  const schema = Compile(SavedTarget)
  for (const { file, target } of [bright, dark]) {
    expect(schema.Check(target), JSON.stringify(schema.Errors(target)[0])).toBe(true)
    const [byFile, byTarget, without] = [
      await mastered({ reference: await storedSong(file), reference_loudness: true }),
      await mastered({ targets: [target], reference_loudness: true }),
      await mastered({}),
    ]
    expect(byTarget.sums).toEqual(byFile.sums)
    expect(byTarget.sums).not.toEqual(without.sums)
    expect(byTarget.report.recipe).toEqual(byFile.report.recipe)
  }
  const own = await mastered({ targets: [await targetOf(song)] })
  expect(own.codes).toContain('REFERENCE_IS_TARGET')
})

test('several references are the weighted mean of their targets within 0.1 dB', async () => {
  const one = await mastered({ targets: [bright.target] })
  const other = await mastered({ targets: [dark.target] })
  const both = await mastered({ reference: await storedSong(bright.file), targets: [{ ...dark.target, weight: 3 }] })
  const curves = [one, other, both].map(({ report }) => report.target_spectrum!)
  let mostApartDb = 0
  for (const part of ['mid_db', 'side_db'] as const)
    for (const [b, found] of curves[2]![part].entries()) {
      const [first, second] = [curves[0]![part][b]!, curves[1]![part][b]!]
      mostApartDb = Math.max(mostApartDb, Math.abs(found! - (first + 3 * second) / 4))
    }
  expect(mostApartDb).toBeLessThan(0.1)
  expect(Math.abs(curves[0]!.mid_db[27]! - curves[1]!.mid_db[27]!)).toBeGreaterThan(3)
  const quarter = await mastered({
    targets: [
      { ...bright.target, weight: 0.5 },
      { ...dark.target, weight: 1.5 },
    ],
  })
  expect(quarter.sums).toEqual(both.sums)
})
