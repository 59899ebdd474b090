/** Copies to be heard: a listener who switches between a master and its copy hears the same moment. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { COPY_CODEC_NAMES, COPY_CODECS } from '../../../src-contract/codecs.ts'
import { inFrames, readNow, readWave } from '../../../src-engine/dsp/riff.ts'
import { heardCodec } from '../../../src-worker/media/encode.ts'
import { listEncoders } from '../../../src-worker/media/ffmpeg.ts'
import { writeHeardCopy } from '../../../src-worker/media/heard-copy.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, songLike, writeFloatWav } from './make-audio.ts'

const folder = temporaryFolder()
const encoders = await listEncoders(ffmpeg)
const SECONDS = 2
const MOST_LAG = 3000

/** A master that lies in the middle of another file, as in the ZIP of a job. */
function masterAt(sampleRateHz: number) {
  const samples = songLike(SECONDS, sampleRateHz)
  const wav = readFileSync(writeFloatWav(path.join(folder, `${sampleRateHz}.wav`), samples, sampleRateHz))
  const file = path.join(folder, `${sampleRateHz}.zip`)
  writeFileSync(file, Buffer.concat([Buffer.alloc(777, 1), wav, Buffer.alloc(50_000, 2)]))
  return { samples, master: { path: file, offset: 777, sizeBytes: wav.length } }
}

function readCopy(file: string) {
  const bytes = readFileSync(file)
  const wave = readNow(readWave(bytes.length), (offset, length) => bytes.subarray(offset, offset + length))!
  const [{ offset, length } = { offset: 0, length: 0 }] = inFrames(wave.sound, 8)
  const frames = length / 8
  const left = Float32Array.from({ length: frames }, (_, i) => bytes.readFloatLE(offset + 8 * i))
  return { format: wave.format!, frames, left }
}

/** Frames by which `late` lies behind `one`, by the largest cross-correlation over a second from `from` on. */
function lagOf(one: Float32Array, late: Float32Array, from: number, count: number): number {
  let best = { lag: Number.NaN, value: Number.NEGATIVE_INFINITY }
  for (let lag = -MOST_LAG; lag <= MOST_LAG; lag++) {
    let value = 0
    for (let i = from; i < from + count; i++) value += one[i]! * late[i + lag]!
    if (value > best.value) best = { lag, value }
  }
  return best.lag
}

test.for(COPY_CODEC_NAMES.flatMap((name) => [44_100, 48_000].map((rateHz) => [name, rateHz] as const)))(
  '%s of a master at %i Hz has its rate, its length and its places',
  async ([name, rateHz], { skip }) => {
    const codec = heardCodec(COPY_CODECS[name], encoders)
    if (!codec) return skip(`this ffmpeg has no encoder for ${name}`)
    const { samples, master } = masterAt(rateHz)
    const target = path.join(folder, `${name}-${rateHz}.wav`)
    await writeHeardCopy(ffmpeg, codec, master, target)
    const { format, frames, left } = readCopy(target)
    expect(format).toMatchObject({ channels: 2, sampleRateHz: rateHz, bitsPerSample: 32 })
    expect(frames).toBe(SECONDS * rateHz)
    expect(lagOf(samples[0]!, left, rateHz, 2000)).toBe(0)
    // The sound goes on to the last frame: nothing of the end was cut off and filled with silence.
    const end = left.subarray(-Math.round(0.02 * rateHz))
    expect(Math.max(...end.map(Math.abs))).toBeGreaterThan(0.05)
  },
)

test('a copy that is given up leaves no file', async () => {
  const codec = heardCodec(COPY_CODECS.mp3_320, encoders) ?? heardCodec(COPY_CODECS.vorbis_160, encoders)!
  const { master } = masterAt(44_100)
  const target = path.join(folder, 'given-up.wav')
  const giveUp = AbortSignal.abort(new Error('nobody listens'))
  await expect(writeHeardCopy(ffmpeg, codec, master, target, giveUp)).rejects.toThrow('nobody listens')
  expect(() => statSync(target)).toThrow('ENOENT')
})
