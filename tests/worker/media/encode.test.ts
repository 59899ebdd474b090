import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { decodeThroughCodec, platformCodecs } from '../../../src-worker/media/encode.ts'
import { listEncoders } from '../../../src-worker/media/ffmpeg.ts'
import { inWholeFrames } from '../../../src-worker/media/samples.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain, songLike, writeFloatWav } from './make-audio.ts'

const all = new Set(['libfdk_aac', 'aac', 'libmp3lame', 'libopus', 'libvorbis'])
const native = new Set([...all].filter((name) => name !== 'libfdk_aac'))
const vorbis = (quality: number) => `Vorbis quality ${quality} (ffmpeg libvorbis)`
const namesFor = (encoders: ReadonlySet<string>) =>
  Object.fromEntries(
    PLATFORMS.map((platform) => [platform, platformCodecs(platform, encoders).map(({ name }) => name)]),
  )

describe('codecs similar to those that a platform streams', () => {
  it('are named by bit rate, encoder and settings', () => {
    const aac = (kilobits: number) =>
      ['fast', 'twoloop'].map((coder) => `AAC ${kilobits} kbit/s (ffmpeg aac, ${coder} coder)`)
    expect(namesFor(native)).toEqual({
      spotify: [vorbis(2), vorbis(5), ...aac(256), vorbis(9)],
      apple_music: aac(256),
      youtube: [...aac(128), 'Opus 160 kbit/s (ffmpeg libopus)'],
      melon: ['MP3 320 kbit/s (ffmpeg libmp3lame, quality 2)'],
      soundcloud: ['Opus 64 kbit/s (ffmpeg libopus)', ...aac(160)],
    })
  })

  it('encode with the settings in their names', () => {
    const optionsOf = (encoder: string, nth = 0) =>
      PLATFORMS.flatMap((platform) => platformCodecs(platform, native)).filter((codec) => codec.encoder === encoder)[
        nth
      ]!.options
    expect(optionsOf('aac').join(' ')).toBe('-b:a 256k -aac_coder fast -aac_is 0')
    expect(optionsOf('aac', 1).join(' ')).toBe('-b:a 256k -aac_coder twoloop')
    expect(optionsOf('libmp3lame').join(' ')).toBe('-b:a 320k -compression_level 2')
    expect(optionsOf('libopus').join(' ')).toBe('-b:a 160k -ar 48000')
    expect([0, 1, 2].map((nth) => optionsOf('libvorbis', nth).join(' '))).toEqual(['-q:a 2', '-q:a 5', '-q:a 9'])
  })

  it('use the AAC encoder of Fraunhofer if there is one', () => {
    const [codec, ...others] = platformCodecs('apple_music', all)
    expect(others).toEqual([])
    expect(codec).toMatchObject({ name: 'AAC 256 kbit/s (ffmpeg libfdk_aac)', encoder: 'libfdk_aac' })
    expect(codec!.options).toEqual(['-b:a', '256k'])
  })

  it('are only those that this ffmpeg can encode', () => {
    expect(namesFor(new Set(['libvorbis']))).toEqual({
      spotify: [2, 5, 9].map(vorbis),
      apple_music: [],
      youtube: [],
      melon: [],
      soundcloud: [],
    })
  })
})

describe('bytes that arrive in pieces', () => {
  it.each([[1], [7], [8], [4096, 13], [5, 300_000]])('become the same whole frames in pieces of %i', (...sizes) => {
    const sent = Buffer.from(Float32Array.from({ length: 100_000 }, (_, i) => Math.sin(i)).buffer)
    const received: Buffer[] = []
    const receive = inWholeFrames(8, (samples) => {
      received.push(Buffer.from(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)))
    })
    const end = sizes.length > 1 ? sent.length : 4003
    for (let at = 0, i = 0; at < end; i++) {
      const next = Math.min(end, at + sizes[i % sizes.length]!)
      receive(sent.subarray(at, next))
      at = next
    }
    expect(received.every(({ length }) => length % 8 === 0)).toBe(true)
    expect(Buffer.concat(received).equals(sent.subarray(0, end - (end % 8)))).toBe(true)
  })
})

describe('a copy', async () => {
  const folder = temporaryFolder()
  const seconds = 4
  const at = (name: string) => path.join(folder, name)
  const wav = at('master.wav')
  const float = writeFloatWav(at('float.wav'), songLike(seconds, 44_100, 0.2), 44_100)
  runPlain('-i', float, '-c:a', 'pcm_s24le', wav)
  const encoders = await listEncoders(ffmpeg)
  const codecs = PLATFORMS.flatMap((platform) => platformCodecs(platform, encoders))

  it('is made for every platform', () => {
    expect(codecs.length).toBeGreaterThanOrEqual(PLATFORMS.length)
  })

  it.each(codecs)('by $name sounds like the master, comes in whole frames and leaves no file behind', async (codec) => {
    const copies = at(`copies-${codecs.indexOf(codec)}`)
    mkdirSync(copies)
    let frames = 0
    const energy = [0, 0]
    const heard: Buffer[] = []
    await decodeThroughCodec(ffmpeg, codec, { path: wav, folder: copies, durationSeconds: seconds }, (samples) => {
      expect(samples.length % 2).toBe(0)
      frames += samples.length / 2
      heard.push(Buffer.from(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)))
      for (const [i, sample] of samples.entries()) energy[i % 2]! += sample * sample
    })
    const rateHz = codec.encoder === 'libopus' ? 48_000 : 44_100
    // Encoders pad their ends by a few thousand frames.
    expect(Math.abs(frames / rateHz - seconds)).toBeLessThan(0.15)
    const master = songLike(seconds, 44_100, 0.2)
    for (const [c, samples] of master.entries()) {
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length
      expect(Math.abs(10 * Math.log10(energy[c]! / (seconds * rateHz) / power))).toBeLessThan(0.5)
    }
    expect(readdirSync(copies)).toEqual([])
    const { encoder, options, muxer, demuxer } = codec
    runPlain('-i', wav, '-c:a', encoder, ...options, '-f', muxer, at('plain'))
    const plain = runPlain('-f', demuxer, '-i', at('plain'), '-c:a', 'pcm_f32le', '-f', 'f32le', 'pipe:1')
    expect(Buffer.concat(heard).equals(plain)).toBe(true)
  })

  it('is the same each time when several are made at once', async () => {
    const framesOf = async () => {
      let frames = 0
      await decodeThroughCodec(ffmpeg, codecs[0]!, { path: wav, folder, durationSeconds: seconds }, (samples) => {
        frames += samples.length / 2
      })
      return frames
    }
    const alone = await framesOf()
    const together = Array.from({ length: 12 }, framesOf)
    expect(new Set(await Promise.all(together))).toEqual(new Set([alone]))
  })
})
