import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readCover, readTags } from '../../../src-worker/media/tags.ts'
import { createWavWriter, openWav } from '../../../src-worker/media/wav.ts'
import { chunk } from '../../../src-worker/media/wav-tags.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const frames = 4801

/** Integers of every size, the extremes included, as interleaved little-endian bytes. */
function pcmBytes(bitDepth: 16 | 24): Uint8Array {
  const size = bitDepth / 8
  const top = 2 ** (bitDepth - 1)
  const bytes = Buffer.alloc(frames * 2 * size)
  for (let i = 0; i < frames * 2; i++) {
    const value = i === 0 ? -top : i === 1 ? top - 1 : Math.round(Math.sin(i * 0.37) * (top - 1))
    bytes.writeIntLE(value, i * size, size)
  }
  return bytes
}

function writeWav(name: string, bitDepth: 16 | 24, labels: Parameters<typeof createWavWriter>[2] = { tags: {} }) {
  const writer = createWavWriter(at(name), { sampleRateHz: 48_000, bitDepth, frames }, labels)
  const bytes = pcmBytes(bitDepth)
  writer.write(bytes.subarray(0, 1200))
  writer.write(bytes.subarray(1200))
  return writer.finish()
}

describe.each([16, 24] as const)('a WAV of %i bit', (bitDepth) => {
  it('contains exactly the samples that were written, as ffmpeg reads them', () => {
    writeWav(`exact${bitDepth}.wav`, bitDepth)
    const read = runPlain(
      '-i',
      at(`exact${bitDepth}.wav`),
      '-f',
      `s${bitDepth}le`,
      '-c:a',
      `pcm_s${bitDepth}le`,
      'pipe:1',
    )
    expect(read.equals(pcmBytes(bitDepth))).toBe(true)
  })

  it('contains only its samples if there are no tags', () => {
    expect(writeWav(`bare${bitDepth}.wav`, bitDepth).sizeBytes).toBe(44 + pcmBytes(bitDepth).length)
  })

  it('reads back any range, and none beyond its end', () => {
    writeWav(`part${bitDepth}.wav`, bitDepth)
    const frameBytes = (2 * bitDepth) / 8
    const wav = openWav(at(`part${bitDepth}.wav`))
    expect(wav).toMatchObject({ sampleRateHz: 48_000, bitDepth, frames })
    for (const [first, count] of [
      [0, frames],
      [0, 1],
      [4000, 801],
      [17, 300],
    ] as const) {
      const expected = pcmBytes(bitDepth).subarray(first * frameBytes, (first + count) * frameBytes)
      expect(Buffer.from(wav.read(first, count)).equals(expected)).toBe(true)
    }
    expect(() => wav.read(4000, 802)).toThrow('ends too early')
    wav.close()
  })

  it('has the reported size and sums, and is the same every time', () => {
    const labels = { tags: { title: '제목', other: { TBPM: '120' } } }
    const first = writeWav(`a${bitDepth}.wav`, bitDepth, labels)
    const second = writeWav(`b${bitDepth}.wav`, bitDepth, labels)
    const bytes = readFileSync(at(`a${bitDepth}.wav`))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(first).toEqual({ sizeBytes: bytes.length, sha256, crc32: crc32(bytes) })
    expect(second).toEqual(first)
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
  })
})

describe('the tags of a WAV', () => {
  const tags = {
    title: '등불 아래',
    artist: '새벽 & Co; #1 = "x"',
    album: 'Álbum',
    albumArtist: 'Various',
    composer: '作曲家',
    genre: 'K-pop',
    date: '2026',
    track: '3/12',
    copyright: '© 2026',
    comment: 'made with suno; created=2026-01-01\nid=42',
    isrc: 'KRA012600001',
    other: { mood: '쓸쓸함', story: 'long '.repeat(38).trim() },
  }

  it('come back from ffmpeg as they were written, in every script', async () => {
    writeWav('tags.wav', 16, { tags })
    // Older ones of ffmpeg pass over ID3 beside INFO; before an MP3 every one reads the same ID3 tag whole.
    runPlain('-f', 'lavfi', '-i', 'sine=440', '-t', '0.5', '-id3v2_version', '0', '-write_xing', '0', at('bare.mp3'))
    const wav = readFileSync(at('tags.wav'))
    const start = wav.indexOf('id3 ') + 8
    const tag = wav.subarray(start, start + wav.readUInt32LE(start - 4))
    writeFileSync(at('tags.mp3'), Buffer.concat([tag, readFileSync(at('bare.mp3'))]))
    expect((await readTags(ffmpeg, { path: at('tags.mp3'), format: 'mp3' })).tags).toEqual(tags)
    expect((await readTags(ffmpeg, { path: at('tags.wav'), format: 'wav' })).tags).toEqual(tags)
  })

  it('of INFO are used if ID3 has none, and a broken ID3 chunk removes nothing', async () => {
    writeWav('info-only.wav', 16, { tags })
    const written = readFileSync(at('info-only.wav'))
    const places = ['LIST', 'id3 ', 'data'].map((name) => written.indexOf(name)) as [number, number, number]
    const [list, id3, data] = places
    // As most programs lay them out: tags behind the samples.
    const rest = Buffer.concat([written.subarray(list, id3), written.subarray(id3, data)])
    const whole = Buffer.concat([written.subarray(0, list), written.subarray(data), rest])
    const { isrc, composer, albumArtist, other, ...info } = tags
    const read = async (name: string, bytes: Buffer) => {
      writeFileSync(at(name), bytes)
      return (await readTags(ffmpeg, { path: at(name), format: 'wav' })).tags
    }
    expect(await read('no-id3.wav', whole.subarray(0, whole.indexOf('id3 ')))).toEqual(info)
    const rubbish = Buffer.from(whole)
    rubbish.fill(0xee, whole.indexOf('id3 ') + 8)
    expect(await read('rubbish.wav', rubbish)).toEqual(info)
    const huge = Buffer.from(whole)
    huge.writeUInt32LE(0xffff_fff0, whole.indexOf('id3 ') + 4)
    expect(await read('huge.wav', huge)).toMatchObject(info)
  })

  it('are in the INFO chunk too, for programs without ID3', () => {
    writeWav('info.wav', 16, { tags })
    const text = readFileSync(at('info.wav')).toString('utf8')
    expect(text).toMatch(/LIST.{4}INFOINAM.{4}등불 아래\0/su)
  })

  it('carry the cover of the source unchanged', async () => {
    runPlain('-f', 'lavfi', '-i', 'color=red:size=64x64', '-frames:v', '1', at('cover.jpg'))
    const bytes = readFileSync(at('cover.jpg'))
    writeWav('cover.wav', 16, { tags, cover: { mimeType: 'image/jpeg', bytes } })
    const song = { path: at('cover.wav'), format: 'wav' } as const
    expect(await readTags(ffmpeg, song)).toMatchObject({ hasCover: true })
    const cover = await readCover(ffmpeg, song)
    expect(Buffer.from(cover!.bytes).equals(bytes)).toBe(true)
  })
})

describe('the layout of a WAV', () => {
  const cover = { mimeType: 'image/png', bytes: Buffer.alloc(16_000_001, Buffer.from('89504e47', 'hex')) } as const

  /** Names of the chunks with the place at which each ends. */
  function chunksOf(bytes: Buffer): (readonly [name: string, end: number])[] {
    const found: (readonly [string, number])[] = []
    for (let place = 12; place < bytes.length; ) {
      const end = place + 8 + bytes.readUInt32LE(place + 4)
      found.push([bytes.toString('latin1', place, place + 4), end])
      place = end + (end % 2)
    }
    return found
  }

  it.each([16, 24] as const)('is format, tags, samples and nothing else, plain PCM of %i bit', (bitDepth) => {
    writeWav('order.wav', bitDepth, { tags: { title: '제목' }, cover })
    const bytes = readFileSync(at('order.wav'))
    const chunks = chunksOf(bytes)
    expect(chunks.map(([name]) => name)).toEqual(['fmt ', 'LIST', 'id3 ', 'data'])
    expect(chunks.at(-1)![1]).toBe(bytes.length)
    expect(bytes.readUInt16LE(20)).toBe(1)
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8)
  })

  it('is read after a cover of 16 MB, by ffmpeg and by our reader', () => {
    writeWav('large.wav', 24, { tags: { title: '제목' }, cover })
    const read = runPlain('-i', at('large.wav'), '-map', '0:a', '-f', 's24le', '-c:a', 'pcm_s24le', 'pipe:1')
    expect(read.equals(pcmBytes(24))).toBe(true)
    const wav = openWav(at('large.wav'))
    expect(Buffer.from(wav.read(0, frames)).equals(pcmBytes(24))).toBe(true)
    wav.close()
  })

  it('of another program is read too, whatever chunks surround its samples', () => {
    writeWav('own.wav', 16)
    const own = readFileSync(at('own.wav'))
    const parts = [chunk('JUNK', Buffer.alloc(27)), own.subarray(12), chunk('LIST', Buffer.from('adtl'))]
    writeFileSync(at('others.wav'), chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...parts])))
    const wav = openWav(at('others.wav'))
    expect(Buffer.from(wav.read(0, frames)).equals(pcmBytes(16))).toBe(true)
    wav.close()
  })
})

describe('a WAV that is not whole', () => {
  it('is not finished with fewer frames than announced', () => {
    const writer = createWavWriter(at('short.wav'), { sampleRateHz: 48_000, bitDepth: 16, frames: 10 }, { tags: {} })
    writer.write(new Uint8Array(36))
    expect(() => writer.finish()).toThrow(/36|announced/)
    writer.abandon()
  })

  it('is refused when it is no master: one channel, or samples that are not integers', () => {
    runPlain('-f', 'lavfi', '-i', 'sine=440', '-t', '0.1', '-ac', '1', '-c:a', 'pcm_s16le', at('mono.wav'))
    runPlain('-f', 'lavfi', '-i', 'sine=440', '-t', '0.1', '-ac', '2', '-c:a', 'pcm_f32le', at('float.wav'))
    expect(() => openWav(at('mono.wav'))).toThrow('two channels')
    expect(() => openWav(at('float.wav'))).toThrow('two channels')
  })

  it('is not read to its end', () => {
    writeWav('whole.wav', 16)
    writeFileSync(at('part.wav'), readFileSync(at('whole.wav')).subarray(0, 10_000))
    expect(() => openWav(at('part.wav'))).toThrow(/too early/)
  })
})
