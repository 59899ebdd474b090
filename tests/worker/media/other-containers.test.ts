import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ACCEPT_ANY } from '../../../src-contract/song-files.ts'
import { probeAudio } from '../../../src-server/uploads/probe.ts'
import type { AudioFacts } from '../../../src-worker/media/audio-facts.ts'
import { countFrames, decodeSong } from '../../../src-worker/media/decode.ts'
import { runFfmpeg } from '../../../src-worker/media/ffmpeg.ts'
import { boxesIn } from '../../../src-worker/media/mp4-boxes.ts'
import { recogniseAudio } from '../../../src-worker/media/recognise.ts'
import { readCover, readTags } from '../../../src-worker/media/tags.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { jpegPicture } from '../../support/pictures.ts'
import '../../support/same-bytes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain, songLike, writeFloatWav } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const probe = (name: string) => probeAudio(at(name), { ffmpeg, accept: ACCEPT_ANY })

/** No whole number of milliseconds and of any codec's frames. */
const SECONDS = 1.00037
const FRAMES = Math.round(SECONDS * 44_100)
type Wav = 's16' | 's24' | 'f32'
const VIDEO = ['-f', 'lavfi', '-i', 'color=red:size=16x16:rate=5:duration=1']

beforeAll(() => {
  writeFloatWav(at('f32.wav'), songLike(SECONDS), 44_100)
  runPlain('-i', at('f32.wav'), '-c:a', 'pcm_s16le', at('s16.wav'))
  runPlain('-i', at('f32.wav'), '-c:a', 'pcm_s24le', at('s24.wav'))
})

async function factsOf(name: string): Promise<AudioFacts> {
  const result = await probe(name)
  if (!result.ok) throw new Error(result.reason)
  return result.facts
}

async function decoded(name: string): Promise<{ facts: AudioFacts; left: Float32Array; right: Float32Array }> {
  const facts = await factsOf(name)
  const [left, right] = (await decodeSong(ffmpeg, at(name), facts)).audio.channels
  return { facts, left, right }
}

const wavs = new Map<string, ReturnType<typeof decoded>>()
/** Returns one of the WAVs, decoded once. */
function wavOf(from: Wav) {
  const known = wavs.get(from) ?? decoded(`${from}.wav`)
  wavs.set(from, known)
  return known
}

const lossless: [name: string, from: Wav, args: string[], facts: Partial<AudioFacts>][] = [
  ['s24.aif', 's24', ['-c:a', 'pcm_s24be'], { format: 'aiff', codec: 'pcm_s24', bitDepth: 24 }],
  ['sowt.aifc', 's16', ['-c:a', 'pcm_s16le', '-f', 'aiff'], { format: 'aiff', codec: 'pcm_s16' }],
  ['f32.aifc', 'f32', ['-c:a', 'pcm_f32be', '-f', 'aiff'], { format: 'aiff', codec: 'pcm_f32', bitDepth: 32 }],
  ['s24.caf', 's24', ['-c:a', 'pcm_s24be'], { format: 'caf', codec: 'pcm_s24', bitDepth: 24 }],
  ['alac.caf', 's16', ['-c:a', 'alac', '-sample_fmt', 's16p'], { format: 'caf', codec: 'alac', bitDepth: 16 }],
  ['alac16.m4a', 's16', ['-c:a', 'alac', '-sample_fmt', 's16p'], { format: 'm4a', codec: 'alac', bitDepth: 16 }],
  ['alac24.m4a', 's24', ['-c:a', 'alac', '-sample_fmt', 's32p'], { format: 'm4a', codec: 'alac', bitDepth: 24 }],
  ['flac.mp4', 's24', ['-c:a', 'flac', '-strict', '-2'], { format: 'mp4', codec: 'flac', bitDepth: 24 }],
  ['s16.mov', 's16', ['-c:a', 'pcm_s16be'], { format: 'mov', codec: 'pcm_s16', bitDepth: 16 }],
  ['s24.mov', 's24', ['-c:a', 'pcm_s24le'], { format: 'mov', codec: 'pcm_s24', bitDepth: 24 }],
  ['s16.wv', 's16', ['-c:a', 'wavpack'], { format: 'wavpack', codec: 'wavpack', bitDepth: 16 }],
  ['f32.wv', 'f32', ['-c:a', 'wavpack', '-sample_fmt', 'fltp'], { format: 'wavpack', bitDepth: 32 }],
]

const lossy: [name: string, args: string[], facts: Partial<AudioFacts>][] = [
  ['aac.m4a', ['-c:a', 'aac', '-b:a', '192k'], { format: 'm4a', codec: 'aac' }],
  [
    'aac.mp4',
    [...VIDEO, '-map', '0:a', '-map', '1:v', '-c:v', 'mpeg4', '-c:a', 'aac'],
    { format: 'mp4', codec: 'aac' },
  ],
  ['parts.mp4', ['-c:a', 'aac', '-movflags', 'frag_keyframe+delay_moov'], { format: 'mp4', codec: 'aac' }],
  ['song.ogg', ['-c:a', 'libvorbis', '-b:a', '192k'], { format: 'ogg', codec: 'vorbis' }],
  ['song.opus', ['-c:a', 'libopus'], { format: 'ogg', codec: 'opus', sampleRateHz: 48_000 }],
]

const SONGS = new Map([
  ...lossless.map(([name, from, args]) => [name, ['-i', at(`${from}.wav`), ...args]] as const),
  ...lossy.map(([name, args]) => [name, ['-i', at('f32.wav'), ...args]] as const),
])

/** Makes a song of the tables once, and returns its path. */
function made(name: string): string {
  if (!existsSync(at(name))) runPlain(...(SONGS.get(name) ?? []), at(name))
  return at(name)
}

describe('a file that only accept=any takes', () => {
  it.each(lossless)('gives the samples of its WAV: %s', async (name, from, _args, expected) => {
    made(name)
    const [wav, found] = [await wavOf(from), await decoded(name)]
    expect(found.facts).toMatchObject({ isLossy: false, frames: FRAMES, channels: 2, ...expected })
    expect(found.left).toEqual(wav.left)
    expect(found.right).toEqual(wav.right)
  })

  it('keeps a rate that its sample entry has no room for', async () => {
    runPlain('-i', at('s16.wav'), '-ar', '96000', '-c:a', 'alac', at('fast.m4a'))
    expect(await factsOf('fast.m4a')).toMatchObject({ sampleRateHz: 96_000 })
  })

  it.each(lossy)('sounds as its WAV, in time: %s', async (name, _args, expected) => {
    made(name)
    const { facts, left } = await decoded(name)
    expect(facts).toMatchObject({ isLossy: true, ...expected })
    expect(facts.durationSeconds).toBeGreaterThan(SECONDS - 0.02)
    expect(facts.durationSeconds).toBeLessThan(SECONDS + 0.03)
    expect(facts.damagedSeconds).toBeUndefined()
    runPlain('-i', at('f32.wav'), '-ar', String(facts.sampleRateHz), at('same-rate.wav'))
    const wanted = (await decoded('same-rate.wav')).left
    expect(likeness(wanted, left, 0)).toBeGreaterThan(0.9)
    expect(likeness(wanted, left, 300)).toBeLessThan(0.9)
  })

  it('has the bit rate of its sound', async () => {
    made('aac.m4a')
    const { bitRate = 0 } = await factsOf('aac.m4a')
    expect(bitRate).toBeGreaterThan(96_000)
    expect(bitRate).toBeLessThan(256_000)
  })

  it('is cut at the priming and the remainder that a packet table states', async () => {
    runPlain('-i', at('s16.wav'), '-c:a', 'libopus', at('opus.caf'))
    const bytes = readFileSync(at('opus.caf'))
    const table = bytes.indexOf('pakt') + 12
    bytes.writeBigInt64BE(40_000n, table + 8)
    bytes.writeInt32BE(312, table + 16)
    writeFileSync(at('primed.caf'), bytes)
    const [whole, found] = [await decoded('opus.caf'), await decoded('primed.caf')]
    expect(found.facts.frames).toBe(40_000)
    expect(found.left).toEqual(whole.left.slice(312, 40_312))
  })

  it('is read from the track of sound that players choose, and tells that there are several', async () => {
    const inputs = ['-i', at('s16.wav'), '-f', 'lavfi', '-i', 'sine=1000:duration=1']
    const tracks = ['-map', '1:a', '-map', '0:a', '-disposition:a:0', '0', '-disposition:a:1', 'default']
    runPlain(...inputs, ...tracks, '-c:a', 'alac', at('two.m4a'))
    const [wav, found] = [await wavOf('s16'), await decoded('two.m4a')]
    expect(found.facts.track).toEqual({ index: 1, count: 2 })
    expect(found.left).toEqual(wav.left)
  })
})

/** Returns the correlation of a signal with another one, delayed. */
function likeness(wanted: Float32Array, found: Float32Array, delay: number): number {
  let [product, power, otherPower] = [0, 0, 0]
  for (let i = 5000; i < 35_000; i++) {
    product += wanted[i]! * found[i + delay]!
    power += wanted[i]! ** 2
    otherPower += found[i + delay]! ** 2
  }
  return product / Math.sqrt(power * otherPower)
}

const TAGS = { title: '등불', artist: 'A; B', album: 'Lamps', genre: 'Ballad', comment: 'first', copyright: '2026 X' }
const asArgs = (tags: object) => Object.entries(tags).flatMap(([name, text]) => ['-metadata', `${name}=${text}`])
const ALBUM = { ...TAGS, composer: 'C', date: '2026', track: '3/12', album_artist: 'D' }
const KEPT = { ...TAGS, composer: 'C', date: '2026', track: '3/12', albumArtist: 'D' }

/** Returns a file as the readers of tags take it. */
async function recognised(name: string) {
  const found = await recogniseAudio(at(name), ACCEPT_ANY)
  if ('fault' in found) throw new Error(found.fault)
  return { path: at(name), format: found.stream.format }
}

describe('tags and cover', () => {
  const covered = [
    '-i',
    at('cover.jpg'),
    '-map',
    '0:a',
    '-map',
    '1:v',
    '-c:v',
    'copy',
    '-disposition:v',
    'attached_pic',
  ]

  it.each([
    ['tags.m4a', ['-c:a', 'aac'], ALBUM, KEPT],
    ['tags.mov', ['-c:a', 'pcm_s16le'], TAGS, TAGS],
    ['keys.mov', ['-c:a', 'pcm_s16le', '-movflags', 'use_metadata_tags'], TAGS, TAGS],
    ['tags.ogg', ['-c:a', 'libvorbis'], ALBUM, KEPT],
    ['tags.opus', ['-c:a', 'libopus'], ALBUM, KEPT],
    ['tags.wv', ['-c:a', 'wavpack'], TAGS, TAGS],
    ['tags.aiff', ['-write_id3v2', '1'], ALBUM, { ...KEPT, comment: undefined }],
    ['texts.aiff', [], TAGS, { title: TAGS.title, artist: undefined, comment: 'first' }],
    ['tags.caf', ['-c:a', 'pcm_s16be'], TAGS, TAGS],
  ])('are read from %s', async (name, args, written, kept) => {
    runPlain('-i', at('s16.wav'), ...args, ...asArgs(written), at(name))
    const { tags } = await readTags(ffmpeg, await recognised(name))
    expect(tags).toMatchObject(Object.fromEntries(Object.entries(kept).filter(([, text]) => text !== undefined)))
  })

  it.each([
    ['cover.m4a', ['-c:a', 'alac']],
    ['cover.aiff', ['-write_id3v2', '1']],
  ])('are kept from %s', async (name, args) => {
    runPlain('-f', 'lavfi', '-i', 'color=red:size=64x64', '-frames:v', '1', at('cover.jpg'))
    runPlain('-i', at('s16.wav'), ...covered, ...args, at(name))
    const song = await recognised(name)
    expect(await readTags(ffmpeg, song)).toMatchObject({ hasCover: true })
    const cover = await readCover(ffmpeg, song)
    expect(cover?.mimeType).toBe('image/jpeg')
    expect(readFileSync(at(name)).includes(Buffer.from(cover!.bytes).subarray(-200))).toBe(true)
  })

  it('are kept from an Ogg whose comments hold the picture, over several pages', async () => {
    const picture = Buffer.concat([
      jpegPicture(64, 64).subarray(0, -2),
      Buffer.alloc(90_000, 1),
      Buffer.from([0xff, 0xd9]),
    ])
    const numbers = (...values: number[]) =>
      Buffer.concat(values.map((value) => Buffer.from([0, 0, value >> 8, value])))
    const head = Buffer.concat([numbers(3, 10), Buffer.from('image/jpeg'), numbers(0, 64, 64, 24, 0), Buffer.alloc(4)])
    head.writeUInt32BE(picture.length, head.length - 4)
    const text = Buffer.concat([head, picture]).toString('base64')
    writeFileSync(at('picture.txt'), `;FFMETADATA1\nMETADATA_BLOCK_PICTURE=${text.replaceAll('=', '\\=')}\n`)
    runPlain('-i', at('s16.wav'), '-i', at('picture.txt'), '-map_metadata', '1', '-c:a', 'libvorbis', at('picture.ogg'))
    expect(await readTags(ffmpeg, await recognised('picture.ogg'))).toMatchObject({ hasCover: true, tags: {} })
  })
})

describe('a file that is refused', () => {
  const surround = ['-af', 'pan=5.1|c0=c0|c1=c1|c2=c0|c3=c0|c4=c0|c5=c1']

  it.each([
    ['surround.m4a', [...surround, '-c:a', 'aac'], 'channels'],
    ['surround.wv', [...surround, '-c:a', 'wavpack'], 'channels'],
    ['surround.opus', [...surround, '-c:a', 'libopus'], 'channels'],
    ['surround.aiff', surround, 'channels'],
    ['surround.caf', [...surround, '-c:a', 'pcm_s16be'], 'channels'],
    ['silent.mp4', [...VIDEO, '-map', '1:v', '-c:v', 'mpeg4'], 'no_sound'],
    ['ac3.mov', ['-c:a', 'ac3'], 'inner_codec'],
    ['law.aifc', ['-c:a', 'pcm_mulaw', '-f', 'aiff'], 'inner_codec'],
    ['flac.oga', ['-c:a', 'flac'], 'inner_codec'],
    ['song.mkv', ['-c:a', 'flac'], 'matroska'],
    ['song.aac', ['-c:a', 'aac', '-f', 'adts'], 'aac'],
  ])('says why: %s', async (name, args, reason) => {
    runPlain('-i', at('s16.wav'), ...args, at(name))
    expect(await probe(name)).toMatchObject({ ok: false, code: 'UNSUPPORTED_FORMAT', reason })
  })

  it('has more channels than its sample entry says', async () => {
    runPlain('-i', at('s16.wav'), ...surround, '-c:a', 'aac', at('six.m4a'))
    const bytes = readFileSync(at('six.m4a'))
    bytes.writeUInt16BE(2, bytes.indexOf('mp4a', bytes.indexOf('stsd')) + 4 + 16)
    writeFileSync(at('six.m4a'), bytes)
    expect(await probe('six.m4a')).toMatchObject({ ok: false, reason: 'channels' })
  })

  it.each(['drms', 'enca'])('is protected: %s', async (entry) => {
    const bytes = readFileSync(made('alac16.m4a'))
    bytes.write(entry, bytes.indexOf('stsd') + 16, 'latin1')
    writeFileSync(at(`${entry}.m4a`), bytes)
    expect(await probe(`${entry}.m4a`)).toMatchObject({ ok: false, reason: 'protected' })
  })

  it('has more tags than any song', async () => {
    const many = Array.from({ length: 4100 }, (_, i) => `name${i}=text`).join('\n')
    writeFileSync(at('many.txt'), `;FFMETADATA1\n${many}\n`)
    const tagged = ['-i', at('s16.wav'), '-i', at('many.txt'), '-map_metadata', '1']
    runPlain(...tagged, '-c:a', 'libvorbis', at('crowded.ogg'))
    runPlain(...tagged, '-c:a', 'alac', '-movflags', 'use_metadata_tags', at('crowded.m4a'))
    runPlain(...tagged, '-c:a', 'pcm_s16be', at('crowded.caf'))
    for (const ending of ['ogg', 'm4a', 'caf'])
      expect(await probe(`crowded.${ending}`), ending).toMatchObject({ ok: false, reason: 'crowded' })
  })

  it.each(['ffconcat version 1.0\nfile s16.wav\n', '#EXTM3U\n#EXTINF:1,\ns16.wav\n', '#EXT-X-MEDIA\ns16.wav\n'])(
    'is a playlist under the name of a song: %j',
    async (text) => {
      writeFileSync(at('list.m4a'), text)
      expect(await probe('list.m4a')).toMatchObject({ ok: false, code: 'UNSUPPORTED_FORMAT' })
    },
  )

  const all = [...lossless, ...lossy].map(([name]) => name)
  it.each(IS_CAMPAIGN ? all : ['s24.aif', 'alac16.m4a', 'song.ogg'])(
    'or read as far as it goes, when it is cut short or its bytes are lost: %s',
    async (name) => {
      const whole = readFileSync(made(name))
      const holed = Buffer.from(whole).fill(0xa5, whole.length >> 2, whole.length >> 1)
      const cuts = IS_CAMPAIGN ? Array.from({ length: 16 }, (_, i) => (whole.length * i) >> 4) : [whole.length >> 1]
      for (const bytes of [...cuts.map((length) => whole.subarray(0, length)), holed]) {
        writeFileSync(at('broken'), bytes)
        const result = await probe('broken')
        if (result.ok) expect(result.facts.frames).toBeLessThanOrEqual(50_000)
        else expect(result.code).toBe('UNSUPPORTED_FORMAT')
      }
    },
  )
})

describe('a movie whose sound is in another file', () => {
  /** Replaces a nested box, and writes the sizes of those around it anew. */
  function replaced(bytes: Buffer, [name, ...inner]: readonly string[], content: Buffer): Buffer {
    if (name === undefined) return content
    return Buffer.concat(
      boxesIn(bytes).map((box) => {
        if (box.name !== name) return bytes.subarray(box.start, box.end)
        const inside = replaced(box.content, inner, content)
        const head = Buffer.alloc(8)
        head.writeUInt32BE(8 + inside.length)
        head.write(name, 4, 'latin1')
        return Buffer.concat([head, inside])
      }),
    )
  }

  /** A reference of QuickTime to a file in the same folder (Apple, alias records), as ffmpeg reads it. */
  function aliasTo(filename: string): Buffer {
    const alias = Buffer.alloc(158)
    alias.writeUInt8(filename.length, 50)
    alias.write(filename, 51)
    alias.writeUInt16BE(1, 130)
    alias.writeUInt16BE(1, 132)
    const name = Buffer.from(`/${filename}`)
    const item = Buffer.alloc(4)
    item.writeInt16BE(2)
    item.writeUInt16BE(name.length, 2)
    const end = Buffer.from([0xff, 0xff, 0, 0])
    const content = Buffer.concat([alias.subarray(0, 150), item, name, Buffer.alloc(name.length % 2), end])
    const head = Buffer.alloc(20)
    head.writeUInt32BE(1, 4)
    head.writeUInt32BE(12 + content.length, 8)
    head.write('alis', 12, 'latin1')
    return Buffer.concat([head, content])
  }

  it('is refused, and its other file is not read', async () => {
    const movie = readFileSync(made('s16.mov'))
    writeFileSync(at('secret.raw'), movie)
    const path = ['moov', 'trak', 'mdia', 'minf', 'dinf', 'dref']
    writeFileSync(at('pointer.mov'), replaced(movie, path, aliasTo('secret.raw')))
    expect(await probe('pointer.mov')).toMatchObject({ ok: false, reason: 'elsewhere' })
    const song = { path: at('pointer.mov'), format: 'mov', codec: 'pcm_s16' } as const
    const counted = await countFrames(ffmpeg, song, 44_100, 10).catch(() => ({ frames: 0 }))
    expect(counted.frames).toBe(0)
    // The reference is a working one: an ffmpeg that may follow it does.
    let bytes = 0
    await runFfmpeg(ffmpeg, {
      operation: 'follow the reference',
      input: { from: song.path, format: 'mov', options: ['-enable_drefs', '1'] },
      outputOptions: ['-map', '0:a:0', '-f', 's16le', '-c:a', 'pcm_s16le'],
      output: (chunk) => {
        bytes += chunk.length
      },
      timeLimitSeconds: 10,
    })
    expect(bytes).toBe(4 * FRAMES)
  })
})
