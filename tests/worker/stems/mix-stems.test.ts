import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { probeAudio } from '../../../src-server/uploads/probe.ts'
import type { StoredStem } from '../../../src-worker/mastering/work-order.ts'
import { decodeSong } from '../../../src-worker/media/decode.ts'
import { changeRate } from '../../../src-worker/media/resample.ts'
import { mixRateHz, mixStems } from '../../../src-worker/stems/mix-stems.ts'
import { writeSum } from '../../../src-worker/stems/sum.ts'
import { seededRandom } from '../../support/sounds.ts'
import { ffmpeg, temporaryFolder, writeFloatWav } from '../media/make-audio.ts'

const folder = temporaryFolder()
const RATE_HZ = 44_100
const never = new AbortController().signal

async function stemOf(file: string): Promise<StoredStem> {
  const probe = await probeAudio(file, { ffmpeg })
  if (!probe.ok) throw new Error(probe.reason)
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
  return { path: file, filename: path.basename(file), sha256, facts: probe.facts, role: 'other' }
}

const mix = (stems: readonly StoredStem[], signal = never) =>
  mixStems({ ffmpeg, folder: mkdtempSync(path.join(folder, 'mix-')), stems, tags: {} }, signal)

/** Samples of a WAV with a plain header of 44 bytes, or of one that the application wrote, whose sound comes last. */
function samplesOf(file: string): Float32Array {
  const bytes = readFileSync(file)
  const at = bytes.indexOf('data', 12, 'latin1')
  const sound = bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at + 4))
  return new Float32Array(sound.buffer.slice(sound.byteOffset, sound.byteOffset + sound.length))
}

/** The sum as docs/stems.md defines it, by another hand: planes of two channels, whole in memory. */
function defined(
  stems: readonly { readonly sha256: string; readonly filename: string; readonly sound: Float32Array }[],
) {
  const inOrder = [...stems].sort((a, b) =>
    a.sha256 === b.sha256 ? (a.filename < b.filename ? -1 : 1) : a.sha256 < b.sha256 ? -1 : 1,
  )
  const samples = new Float64Array(Math.max(...stems.map(({ sound }) => sound.length)))
  for (const { sound } of inOrder) for (const [i, value] of sound.entries()) samples[i]! += value
  return Float32Array.from(samples)
}

/** Uniform random numbers, 0 to 1. */
const uniform = (seed: number) => {
  const next = seededRandom(seed)
  return () => (next() + 1) / 2
}

/** Stems of random length, level and channels, some of them equal, silent or far above full scale. */
async function randomSet(random: () => number, name: string) {
  const count = 2 + Math.floor(random() * 7)
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const channels = random() < 0.3 ? 1 : 2
      const frames = 1 + Math.floor(random() * 150_000)
      const level = random() < 0.1 ? 0 : 10 ** (random() * 3 - 2)
      const planes = Array.from({ length: channels }, () =>
        Float32Array.from({ length: frames }, () => level * (2 * random() - 1)),
      )
      const stem = await stemOf(writeFloatWav(path.join(folder, `${name}-${index}.wav`), planes, RATE_HZ))
      const [left, right = left] = planes
      return {
        ...stem,
        sound: Float32Array.from({ length: 2 * frames }, (_, i) => (i % 2 === 0 ? left : right)![i >> 1]!),
      }
    }),
  )
}

test('the sum of random sets is the defined one, bit for bit, in whatever order the stems come', async () => {
  const random = uniform(7)
  for (let round = 0; round < Number(process.env.STEM_ROUNDS ?? 4); round++) {
    const stems = await randomSet(random, `set-${round}`)
    const due = defined(stems)
    const shuffled = [...stems].sort(() => random() - 0.5)
    const made = [await mix(stems), await mix(shuffled)]
    for (const { path: file, frames, sampleRateHz, sizeBytes, sha256 } of made) {
      const bytes = readFileSync(file)
      expect({ sizeBytes, sha256 }).toEqual({
        sizeBytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      })
      const samples = samplesOf(file)
      expect({ frames, sampleRateHz }).toEqual({ frames: due.length / 2, sampleRateHz: RATE_HZ })
      expect(Buffer.from(samples.buffer).equals(Buffer.from(due.buffer))).toBe(true)
    }
    // Nothing but the mix is left.
    expect(readdirSync(path.dirname(made[0]!.path))).toEqual(['mix.wav'])
  }
})

test('the order of addition counts: large numbers that cancel lose what is added before', async () => {
  const plane = (value: number) => [new Float32Array(10).fill(value)]
  const sound = (value: number) => new Float32Array(20).fill(value)
  const values = [2 ** 5, 2 ** -60, -(2 ** 5)]
  const stems = await Promise.all(
    values.map(async (value, i) => {
      const stem = await stemOf(writeFloatWav(path.join(folder, `big-${i}.wav`), plane(value), RATE_HZ))
      return { ...stem, sound: sound(value) }
    }),
  )
  const [one, two, three] = stems as [(typeof stems)[0], (typeof stems)[0], (typeof stems)[0]]
  for (const order of [
    [one, two, three],
    [one, three, two],
    [three, one, two],
  ])
    expect(samplesOf((await mix(order)).path)).toEqual(defined(stems))
})

test('stems of other rates are converted to the highest and told to be silent where they are', async () => {
  const random = uniform(3)
  const plane = (frames: number, level: number) => Float32Array.from({ length: frames }, () => level * (random() - 0.5))
  const low = await stemOf(writeFloatWav(path.join(folder, 'low.wav'), [plane(22_050, 1), plane(22_050, 1)], 22_050))
  const high = await stemOf(writeFloatWav(path.join(folder, 'high.wav'), [plane(24_000, 1), plane(24_000, 1)], 48_000))
  const silent = await stemOf(writeFloatWav(path.join(folder, 'silent.wav'), [plane(100, 0)], 32_000))
  const { audio } = await decodeSong(ffmpeg, low.path, low.facts)
  const converted = await changeRate(ffmpeg, audio, 48_000)
  const made = await mix([silent, low, high])
  expect(made).toMatchObject({ sampleRateHz: 48_000, frames: converted.frames, silent: [0] })
  const interleaved = ({ channels, frames }: typeof converted) =>
    Float32Array.from({ length: 2 * frames }, (_, i) => channels[i % 2]![i >> 1]!)
  const due = defined([
    { ...low, sound: interleaved(converted) },
    { ...high, sound: samplesOf(high.path) },
  ])
  expect(Buffer.from(samplesOf(made.path).buffer).equals(Buffer.from(due.buffer))).toBe(true)
})

test('the rate is the highest of the stems, at most 96 kHz', () => {
  const rateOf = (...rates: number[]) => mixRateHz(rates.map((sampleRateHz) => ({ facts: { sampleRateHz } })))
  expect([rateOf(8000, 11_025), rateOf(44_100, 48_000), rateOf(96_000, 88_200)]).toEqual([11_025, 48_000, 96_000])
  expect([rateOf(44_100, 192_000), rateOf(176_400), rateOf(384_000)]).toEqual([96_000, 88_200, 96_000])
})

test('a stem that changed since it was stored fails the mix, and nothing is left', async () => {
  const stem = await stemOf(writeFloatWav(path.join(folder, 'changed.wav'), [new Float32Array(500)], RATE_HZ))
  const other = await stemOf(writeFloatWav(path.join(folder, 'other.wav'), [new Float32Array(500).fill(0.1)], RATE_HZ))
  writeFileSync(stem.path, Buffer.concat([readFileSync(stem.path), Buffer.alloc(4)]))
  const target = mkdtempSync(path.join(folder, 'failed-'))
  const order = { ffmpeg, folder: target, stems: [other, stem], tags: {} }
  await expect(mixStems(order, never)).rejects.toMatchObject({ failureCode: 'UNREADABLE_AUDIO' })
  expect(readdirSync(target)).toEqual([])
})

test('a decoded stem that is cut short, and an abort, end the sum', async () => {
  const short = path.join(folder, 'short')
  writeFileSync(short, Buffer.alloc(79))
  const target = path.join(folder, 'cut.wav')
  await expect(
    writeSum(target, [{ path: short, frames: 10 }], RATE_HZ, { tags: {} }, { signal: never }),
  ).rejects.toThrow('ends too early')
  const stopped = AbortSignal.abort(new Error('stopped'))
  await expect(
    writeSum(target, [{ path: short, frames: 5 }], RATE_HZ, { tags: {} }, { signal: stopped }),
  ).rejects.toThrow('stopped')
})
