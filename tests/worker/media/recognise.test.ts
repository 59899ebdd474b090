import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Recognition, recogniseAudio } from '../../../src-worker/media/recognise.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain, songLike, writeFloatWav } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const source = at('source.wav')

beforeAll(() => {
  writeFloatWav(source, songLike(2), 44_100)
})

async function recognise(name: string): Promise<Recognition> {
  return recogniseAudio(at(name))
}

const accepted: [name: string, args: string[], expected: object][] = [
  [
    's16.wav',
    ['-c:a', 'pcm_s16le'],
    { format: 'wav', codec: 'pcm_s16', sampleRateHz: 44_100, channels: 2, bitDepth: 16 },
  ],
  ['u8.wav', ['-c:a', 'pcm_u8'], { codec: 'pcm_u8', bitDepth: 8 }],
  ['s24.wav', ['-c:a', 'pcm_s24le'], { codec: 'pcm_s24', bitDepth: 24 }],
  ['s32.wav', ['-c:a', 'pcm_s32le', '-ar', '192000'], { codec: 'pcm_s32', sampleRateHz: 192_000 }],
  ['f64.wav', ['-c:a', 'pcm_f64le', '-ac', '1'], { codec: 'pcm_f64', channels: 1 }],
  ['rf64.wav', ['-c:a', 'pcm_s16le', '-rf64', 'always'], { format: 'wav', codec: 'pcm_s16' }],
  ['plain.flac', [], { format: 'flac', codec: 'flac', channels: 2 }],
  ['mono.flac', ['-ac', '1', '-ar', '8000', '-sample_fmt', 's16'], { sampleRateHz: 8000, channels: 1, bitDepth: 16 }],
  ['tagged.mp3', ['-metadata', 'title=한글'], { format: 'mp3', codec: 'mp3', sampleRateHz: 44_100, channels: 2 }],
  ['mono.mp3', ['-ac', '1', '-ar', '22050', '-b:a', '32k'], { sampleRateHz: 22_050, channels: 1 }],
]

const refused: [name: string, args: string[], fault: string][] = [
  ['song.m4a', ['-c:a', 'aac'], 'aac'],
  ['song.aac', ['-c:a', 'aac', '-f', 'adts'], 'aac'],
  ['song.ogg', ['-c:a', 'libvorbis'], 'ogg'],
  ['song.aiff', [], 'aiff'],
  ['layer2.mp3', ['-c:a', 'mp2', '-f', 'mp2'], 'mp2'],
  ['adpcm.wav', ['-c:a', 'adpcm_ms'], 'encoding'],
  ['mp3-in.wav', ['-c:a', 'libmp3lame', '-f', 'wav'], 'encoding'],
  ['surround.wav', ['-af', 'pan=5.1|c0=c0|c1=c1|c2=c0|c3=c0|c4=c0|c5=c1', '-c:a', 'pcm_s16le'], 'channels'],
  ['movie.mkv', ['-c:a', 'flac'], 'matroska'],
  ['song.opus', ['-c:a', 'libopus'], 'opus'],
  ['song.w64', ['-f', 'w64'], 'w64'],
  ['song.caf', ['-f', 'caf'], 'caf'],
  ['song.wma', ['-c:a', 'wmav2', '-f', 'asf'], 'wma'],
  ['song.wv', ['-c:a', 'wavpack'], 'wavpack'],
  ['song.ac3', ['-c:a', 'ac3'], 'ac3'],
  ['song.au', ['-f', 'au'], 'au'],
  ['song.tta', ['-c:a', 'tta'], 'lossless'],
]

describe('the format of a file, by its content', () => {
  it.each(accepted)('accepts %s', async (name, args, expected) => {
    runPlain('-i', source, ...args, at(name))
    expect(await recognise(name)).toMatchObject({ stream: expected })
  })

  it.each(refused)('refuses %s and says why', async (name, args, fault) => {
    runPlain('-i', source, ...args, at(name))
    expect(await recognise(name)).toEqual({ fault })
  })

  const bytesOf = (text: string) => Buffer.from(text, 'latin1')

  it.each<[string, Buffer, string]>([
    ['a web page', Buffer.from('\ufeff\n<!DOCTYPE html><html><body>404 Not Found</body></html>'), 'web_page'],
    ['a web page without a type', Buffer.from('<HTML lang="ko"><head>로그인</head></HTML>'), 'web_page'],
    ['an answer in JSON', Buffer.from('{"error":{"code":"expired","message":"link expired"}}'), 'server_answer'],
    ['an answer in XML', Buffer.from('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'), 'server_answer'],
    ['base64', Buffer.from(Buffer.alloc(900, 'RIFF').toString('base64')), 'base64'],
    ['base64 in lines', Buffer.from(Buffer.alloc(900, 'ID3').toString('base64').replace(/.{76}/g, '$&\r\n')), 'base64'],
    ['a data URL', Buffer.from(`data:audio/mpeg;base64,${Buffer.alloc(900, 'ID3').toString('base64')}`), 'base64'],
    ['a gzip body', gzipSync(Buffer.alloc(900, 7)), 'gzip'],
    ['a ZIP', bytesOf('PK\x03\x04rest'), 'zip'],
    ['MIDI', bytesOf('MThd\0\0\0\x06'), 'midi'],
    ["Monkey's Audio", bytesOf('MAC \x96\x0f'), 'monkeys_audio'],
    ['DSF', bytesOf('DSD \x1c'), 'dsd'],
    ['WebM', bytesOf('\x1a\x45\xdf\xa3\x9f'), 'matroska'],
    ['a picture', bytesOf('\x89PNG\r\n\x1a\n'), 'picture'],
    ['a copy that was not finished', Buffer.alloc(300_000), 'zeros'],
    ['text in UTF-16', Buffer.from('\ufeffThese are the words of a song', 'utf16le'), 'unknown'],
    ['words', Buffer.from('These are the words of a song.\n'.repeat(20)), 'unknown'],
  ])('refuses %s as what it is', async (_, bytes, fault) => {
    writeFileSync(at('foreign'), bytes)
    expect(await recognise('foreign')).toEqual({ fault })
  })

  it('refuses a free-format MP3, which states no bit rate', async () => {
    const frames = Array.from({ length: 6 }, () => {
      const frame = Buffer.alloc(1200, 0x55)
      frame.set([0xff, 0xfb, 0x00, 0x44])
      return frame
    })
    writeFileSync(at('free.mp3'), Buffer.concat(frames))
    expect(await recognise('free.mp3')).toEqual({ fault: 'mp3_free_format' })
  })

  it('accepts an MP3 called .wav and a WAV called .mp3 as what they are', async () => {
    runPlain('-i', source, '-f', 'mp3', at('really-mp3.wav'))
    runPlain('-i', source, '-f', 'wav', at('really-wav.mp3'))
    expect(await recognise('really-mp3.wav')).toMatchObject({ stream: { format: 'mp3' } })
    expect(await recognise('really-wav.mp3')).toMatchObject({ stream: { format: 'wav' } })
  })

  it('accepts FLAC behind an ID3v2 tag, and MP3 behind a tag and padding', async () => {
    runPlain('-i', source, at('bare.flac'))
    runPlain('-i', source, '-id3v2_version', '0', '-write_xing', '0', at('bare.mp3'))
    const tag = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 10, ...new Array(10).fill(0)])
    writeFileSync(at('tagged.flac'), Buffer.concat([tag, readFileSync(at('bare.flac'))]))
    writeFileSync(at('padded.mp3'), Buffer.concat([tag, Buffer.alloc(2000), readFileSync(at('bare.mp3'))]))
    expect(await recognise('tagged.flac')).toMatchObject({ stream: { format: 'flac' } })
    expect(await recognise('padded.mp3')).toMatchObject({ stream: { format: 'mp3' } })
  })

  it.each(['last block', 'first block'])(
    'refuses two FLAC files in one, the metadata of the second ending with its %s',
    async (kind) => {
      runPlain('-i', source, at('one.flac'))
      const [one, other] = [readFileSync(at('one.flac')), readFileSync(at('one.flac'))]
      if (kind === 'first block') other[4]! |= 0x80
      // Across the boundaries of the chunks read.
      const between = Buffer.alloc((1 << 20) - one.length - 3)
      writeFileSync(at('two.flac'), Buffer.concat([one, between, other]))
      expect(await recognise('two.flac')).toEqual({ fault: 'joined_flac' })
    },
  )

  it('refuses text, noise with a single frame sync, and an empty file', async () => {
    writeFileSync(at('text.mp3'), 'These are the words of a song.\n'.repeat(2000))
    writeFileSync(at('sync.mp3'), Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x44]), Buffer.alloc(5000, 7)]))
    writeFileSync(at('empty.wav'), '')
    expect(await recognise('text.mp3')).toEqual({ fault: 'unknown' })
    expect(await recognise('sync.mp3')).toEqual({ fault: 'unknown' })
    expect(await recognise('empty.wav')).toEqual({ fault: 'empty' })
  })

  it('refuses a WAV that ends before its samples as damaged', async () => {
    writeFileSync(at('cut.wav'), readFileSync(source).subarray(0, 36))
    expect(await recognise('cut.wav')).toEqual({ fault: 'damaged' })
  })

  /** Rewrites the block size, and the byte rate with it unless that is said to stay, behind the format of ffmpeg's plain WAV. */
  async function recogniseBlocks(codec: string, blockBytes: number, isByteRateKept = false): Promise<Recognition> {
    runPlain('-i', source, '-c:a', codec, '-f', 'wav', at('blocks.wav'))
    const bytes = readFileSync(at('blocks.wav'))
    const format = bytes.indexOf('fmt ') + 8
    if (!isByteRateKept) bytes.writeUInt32LE(44_100 * blockBytes, format + 8)
    bytes.writeUInt16LE(1, format)
    bytes.writeUInt16LE(blockBytes, format + 12)
    writeFileSync(at('blocks.wav'), bytes)
    return recognise('blocks.wav')
  }

  it.each([
    ['24 bits in 32', 'pcm_s24le', 8],
    ['24 bits in 32 of a channel', 'pcm_s24le', 4],
    ['24 bits in blocks of nothing', 'pcm_s24le', 0],
    ['24 bits in blocks of a channel', 'pcm_s24le', 3],
    ['16 bits in 32', 'pcm_s16le', 8],
    ['8 bits in 16', 'pcm_u8', 4],
  ])('refuses a WAV of %s, whose samples do not lie side by side', async (_, codec, blockBytes) => {
    expect(await recogniseBlocks(codec, blockBytes)).toEqual({ fault: 'padded' })
  })

  it('refuses 24 bits in 32 whatever the byte rate says', async () => {
    expect(await recogniseBlocks('pcm_s24le', 8, true)).toEqual({ fault: 'padded' })
  })

  it('accepts 24 bits with a wrong block size if the byte rate is right', async () => {
    for (const blockBytes of [0, 3]) {
      const found = await recogniseBlocks('pcm_s24le', blockBytes, true)
      expect(found).toMatchObject({ stream: { codec: 'pcm_s24', channels: 2 } })
    }
    for (const blockBytes of [2, 4, 5]) {
      expect(await recogniseBlocks('pcm_s24le', blockBytes, true)).toEqual({ fault: 'padded' })
    }
  })

  it.each([
    ['none', 'pcm_s16le', 0, false],
    ['one channel', 'pcm_s16le', 2, false],
    ['bits', 'pcm_s16le', 32, false],
    ['bits of three bytes', 'pcm_s24le', 48, false],
    ['another width, with the right byte rate', 'pcm_s16le', 8, true],
  ])(
    'accepts a WAV whose samples lie side by side, though its block size is that of %s',
    async (_, codec, blockBytes, isKept) => {
      expect(await recogniseBlocks(codec, blockBytes, isKept)).toMatchObject({ stream: { channels: 2 } })
      const samples = (file: string) => runPlain('-i', file, '-c:a', codec, '-f', codec.slice(4), 'pipe:1')
      const read = runPlain(
        '-f',
        'wav',
        '-c:a',
        codec,
        '-i',
        at('blocks.wav'),
        '-c:a',
        codec,
        '-f',
        codec.slice(4),
        'pipe:1',
      )
      runPlain('-i', source, '-c:a', codec, at('packed.wav'))
      expect(read.equals(samples(at('packed.wav')))).toBe(true)
    },
  )

  it('notices a provenance manifest in a WAV', async () => {
    writeFileSync(at('c2pa.wav'), readFileSync(source))
    appendFileSync(at('c2pa.wav'), Buffer.from('C2PA\x04\0\0\0jumb', 'latin1'))
    expect(await recognise('c2pa.wav')).toMatchObject({ stream: { hasProvenance: true } })
    expect(await recognise('source.wav')).toMatchObject({ stream: { hasProvenance: false } })
  })
})

it('the ffmpeg of these tests has a version, so that a failure can be reproduced', () => {
  expect(ffmpeg.version).toMatch(/\d/)
})

/** Bit rates of layer III, kbit/s, by their index from 1 on: ISO/IEC 11172-3 and 13818-3, section 2.4.2.3. */
const KILOBITS = {
  1: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const

describe.each([
  ['MPEG 1', 0xfb, 1, [44_100, 48_000, 32_000]],
  ['MPEG 2', 0xf3, 2, [22_050, 24_000, 16_000]],
  ['MPEG 2.5', 0xe3, 2, [11_025, 12_000, 8000]],
] as const)('frames of %s', (name, sync, version, rates) => {
  it('are known at every rate and bit rate, padded or not', async () => {
    for (const [rateIndex, sampleRateHz] of rates.entries()) {
      for (const [i, kilobits] of KILOBITS[version].entries()) {
        const lengthBytes = Math.floor(((version === 1 ? 144_000 : 72_000) * kilobits) / sampleRateHz)
        const frames = [0, 1, 0, 1, 0, 1].map((padding) => {
          const frame = Buffer.alloc(lengthBytes + padding)
          frame.set([0xff, sync, ((i + 1) << 4) | (rateIndex << 2) | (padding << 1), 0])
          return frame
        })
        writeFileSync(at('frames.mp3'), Buffer.concat(frames))
        const recognition = await recognise('frames.mp3')
        expect([name, kilobits, recognition]).toMatchObject([name, kilobits, { stream: { sampleRateHz, channels: 2 } }])
        const { bitRate = 0 } = 'stream' in recognition ? recognition.stream : {}
        // A frame is whole bytes: at the lowest rates one byte more or less is several percent.
        const byteOf = (8 * sampleRateHz) / (version === 1 ? 1152 : 576)
        expect(Math.abs(bitRate - kilobits * 1000)).toBeLessThan(byteOf)
      }
    }
  })
})
