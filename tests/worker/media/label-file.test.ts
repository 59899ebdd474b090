/** Files in every container with their tags, as other programs and our own reader find them. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AudioFormat, SongTags } from '../../../src-worker/media/audio-facts.ts'
import { encodeFile, fileEncoder, readBack } from '../../../src-worker/media/encode-file.ts'
import { listEncoders } from '../../../src-worker/media/ffmpeg.ts'
import { withReplayGain, writeLabelled } from '../../../src-worker/media/label-file.ts'
import { readCover, readTags } from '../../../src-worker/media/tags.ts'
import { createWavWriter } from '../../../src-worker/media/wav.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain, songLike } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)

const tags: SongTags = {
  title: '등불 아래',
  artist: 'Ana Über; 새벽',
  album: 'Night "Market"',
  albumArtist: '새벽',
  composer: 'Kim Ha-neul',
  genre: 'City Pop',
  date: '2026-03-01',
  track: '3/12',
  copyright: '2026 새벽',
  comment: 'first take\nkept',
  isrc: 'KRA382600001',
  other: { bpm: '118', lyrics: '밤이 오면\n불을 켜', publisher: 'Lantern', disc: '1/2', mood: 'calm' },
}
/** Tags with what a file's own measurement adds. */
const labelled = withReplayGain(tags, { integratedLufs: -14.2, truePeakDbtp: -1 })
const bytes = new Uint8Array(
  runPlain('-f', 'lavfi', '-i', 'color=red:s=64x64', '-frames:v', '1', '-f', 'image2pipe', '-c:v', 'mjpeg', '-'),
)
const cover = { mimeType: 'image/jpeg', bytes } as const
/** A length that fills no frame of any codec. */
const SECONDS = 2.345_67
const FRAMES = Math.round(SECONDS * 44_100)

const files = {} as Record<'wav' | 'flac' | 'mp3' | 'm4a', string>
const bare = {} as typeof files

beforeAll(async () => {
  const encoders = await listEncoders(ffmpeg)
  const channels = songLike(SECONDS)
  const float = createWavWriter(at('bare.wav'), { sampleRateHz: 44_100, bitDepth: 32, frames: FRAMES }, { tags: {} })
  const samples = new Float32Array(2 * FRAMES)
  for (let i = 0; i < samples.length; i++) samples[i] = channels[i % 2]![i >> 1]!
  float.write(new Uint8Array(samples.buffer))
  float.finish()
  runPlain('-i', at('bare.wav'), '-c:a', 'pcm_s24le', at('whole.wav'))
  bare.wav = at('bare.wav')
  for (const container of ['flac', 'mp3', 'm4a'] as const) {
    bare[container] = at(`bare.${container}`)
    const codec = {
      container,
      encoder: fileEncoder(container, encoders)!,
      ...(container === 'flac' ? {} : { kilobits: 256 }),
    }
    const wav = { path: container === 'flac' ? at('whole.wav') : at('bare.wav'), sampleRateHz: 44_100 }
    await encodeFile(ffmpeg, codec, wav, bare[container])
  }
  for (const container of ['wav', 'flac', 'mp3', 'm4a'] as const) {
    files[container] = at(`labelled.${container}`)
    await writeLabelled(container, bare[container], files[container], { tags: labelled, cover })
  }
})

const read = (container: keyof typeof files, file = files[container]) =>
  readBack(ffmpeg, { path: file, container, sampleRateHz: 44_100 })
const metadata = (file: string) =>
  runPlain('-i', file, '-fflags', '+bitexact', '-f', 'ffmetadata', '-').toString('utf8')

describe('a file with its tags', () => {
  it.each(['wav', 'flac', 'mp3'] as const)('gives our reader the tags and the cover back: %s', async (container) => {
    const song = { path: files[container], format: container satisfies AudioFormat }
    const found = await readTags(ffmpeg, song)
    // The measure of this file, and no part of the song.
    const { lyrics, ...other } = tags.other!
    // An ID3 tag names the language, here an unknown one.
    expect(found.tags).toEqual(container === 'flac' ? tags : { ...tags, other: { ...other, 'lyrics-XXX': lyrics } })
    expect(found.tagLosses).toBeUndefined()
    expect(Buffer.from((await readCover(ffmpeg, song))!.bytes).equals(bytes)).toBe(true)
  })

  it.each(['wav', 'flac', 'mp3', 'm4a'] as const)('gives another reader the tags that it knows: %s', (container) => {
    const text = metadata(files[container])
    const names: Record<string, string> = {
      title: '등불 아래',
      artist: 'Ana Über\\; 새벽',
      album: 'Night "Market"',
      composer: 'Kim Ha-neul',
      copyright: '2026 새벽',
      genre: 'City Pop',
      [container === 'mp3' || container === 'wav' ? 'TSRC' : 'ISRC']: 'KRA382600001',
      REPLAYGAIN_TRACK_GAIN: '-3.80 dB',
      REPLAYGAIN_TRACK_PEAK: '0.891251',
      track: '3(/12)?',
      date: '2026(-03-01)?',
    }
    // Beside a LIST chunk ffmpeg reads no ID3 tag in a WAV.
    const known = container === 'wav' ? ['title', 'artist', 'album', 'copyright', 'genre'] : Object.keys(names)
    for (const name of known)
      expect(text, name).toMatch(new RegExp(`^${name}=${names[name]!.replaceAll('\\', '\\\\')}$`, 'im'))
    if (container !== 'wav') expect(text).toContain('밤이 오면')
  })

  it.each(['wav', 'flac', 'mp3', 'm4a'] as const)(
    'has the sound of the file without tags, to the sample: %s',
    async (container) => {
      const [labelledFile, bareFile] = [await read(container), await read(container, bare[container])]
      expect(labelledFile).toEqual(bareFile)
      expect(labelledFile.frames).toBe(FRAMES)
    },
  )

  it('has no tags where there are none to write, and no trace of the program that coded it', async () => {
    for (const container of ['wav', 'flac', 'mp3', 'm4a'] as const) {
      const file = at(`plain.${container}`)
      await writeLabelled(container, files[container], file, { tags: {} })
      expect(metadata(file)).not.toMatch(/title|REPLAYGAIN|lavf/i)
      expect(await read(container, file)).toEqual(await read(container))
    }
  })

  it('is the same file again from the same sound', async () => {
    for (const container of ['wav', 'flac', 'mp3', 'm4a'] as const) {
      const again = await writeLabelled(container, bare[container], at(`again.${container}`), { tags: labelled, cover })
      expect(readFileSync(at(`again.${container}`)).equals(readFileSync(files[container]))).toBe(true)
      expect(again.sizeBytes).toBe(readFileSync(files[container]).length)
    }
  })
})

describe('a WAV', () => {
  it('has its tags before the samples and nothing behind them', () => {
    const file = readFileSync(files.wav)
    const dataAt = file.indexOf('data')
    expect(file.indexOf('id3 ')).toBeLessThan(dataAt)
    expect(file.length).toBe(dataAt + 8 + FRAMES * 8)
    expect(file.readUInt32LE(4)).toBe(file.length - 8)
  })

  it('of float samples says so as it must: format 3, with the number of frames', () => {
    const file = readFileSync(bare.wav)
    expect(file.toString('latin1', 0, 16)).toMatch(/^RIFF....WAVEfmt /s)
    expect([file.readUInt32LE(16), file.readUInt16LE(20), file.readUInt16LE(34)]).toEqual([18, 3, 32])
    expect(file.toString('latin1', 38, 42)).toBe('fact')
    expect(file.readUInt32LE(46)).toBe(FRAMES)
  })
})

describe('a FLAC', () => {
  it('has the samples of the WAV of 24 bit', async () => {
    const wav = await read('wav', at('whole.wav'))
    expect((await read('flac')).samplesSha256).toBe(wav.samplesSha256)
    // Another sample must give another sum.
    expect(wav.samplesSha256).not.toBe((await read('wav', at('bare.wav'))).samplesSha256)
  })

  it('has the sum of its samples in its head, so that every player can check it', () => {
    expect(readFileSync(files.flac).subarray(26, 42)).not.toEqual(Buffer.alloc(16))
  })
})

describe('an MP3', () => {
  it('begins with a tag of version 3, which every player reads', () => {
    expect(readFileSync(files.mp3).subarray(0, 5)).toEqual(Buffer.from('ID3\x03\x00', 'latin1'))
    expect(readFileSync(files.mp3).includes('Xing') || readFileSync(files.mp3).includes('Info')).toBe(true)
  })
})

describe('an M4A', () => {
  it('says to the sample what lies before and behind the song', () => {
    const file = readFileSync(files.m4a).toString('latin1')
    const [, priming, padding, length] = /iTunSMPB[\s\S]{16,24} 00000000 (\w{8}) (\w{8}) (\w{16}) /.exec(file) ?? []
    const [before, behind, frames] = [priming, padding, length].map((hex) => Number.parseInt(hex!, 16))
    expect(frames).toBe(FRAMES)
    expect((before! + behind! + frames!) % 1024).toBe(0)
    expect(behind).toBeLessThan(1024)
    const elst = file.indexOf('elst')
    const edits = readFileSync(files.m4a).subarray(elst + 4)
    expect([edits.readUInt32BE(4), edits.readUInt32BE(8), edits.readInt32BE(12)]).toEqual([1, FRAMES, before])
  })
})
