import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { probeAudio } from '../../../src-server/uploads/probe.ts'
import type { AudioFacts } from '../../../src-worker/media/audio-facts.ts'
import { decodeSong } from '../../../src-worker/media/decode.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)

/** Both tones at a third of full scale, the right one with something near 15 kHz. */
const STEREO = '0.3*sin(2*PI*440*t)|0.3*sin(2*PI*660*t)+0.1*sin(2*PI*15000*t)'
const MONO = '0.3*sin(2*PI*440*t)'

function makeMp3(name: string, tones: string, rateHz: number, seconds: number, ...options: string[]): Buffer {
  const source = `aevalsrc=${tones}:s=${rateHz}:d=${seconds}`
  const plain = ['-id3v2_version', '0', '-write_xing', '0', '-b:a', rateHz < 32_000 ? '64k' : '128k']
  runPlain('-f', 'lavfi', '-i', source, ...plain, ...options, at(name))
  return readFileSync(at(name))
}

let stereo: Buffer
let mono: Buffer
beforeAll(() => {
  stereo = makeMp3('stereo.mp3', STEREO, 44_100, 3)
  mono = makeMp3('mono.mp3', MONO, 44_100, 3)
})

async function read(bytes: readonly Buffer[]) {
  writeFileSync(at('song.mp3'), Buffer.concat(bytes))
  const probe = await probeAudio(at('song.mp3'), { ffmpeg })
  if (!probe.ok) throw new Error(probe.reason)
  const { facts } = probe
  const { audio } = await decodeSong(ffmpeg, at('song.mp3'), facts)
  return {
    facts,
    channels: audio.channels.map((samples) => Float32Array.from(samples)) as [Float32Array, Float32Array],
  }
}

/** Level of a part of a channel, from 0 (its start) to 1. */
function rms(samples: Float32Array, from: number, to: number): number {
  const part = samples.subarray(Math.floor(from * samples.length), Math.floor(to * samples.length))
  return Math.sqrt(part.reduce((sum, x) => sum + x * x, 0) / part.length)
}

/** Amplitude of a frequency in the middle of a channel. */
function amplitudeAt(samples: Float32Array, hertz: number, rateHz: number): number {
  const part = samples.subarray(samples.length / 2, samples.length / 2 + rateHz)
  let [re, im] = [0, 0]
  for (const [i, x] of part.entries()) {
    re += x * Math.cos((2 * Math.PI * hertz * i) / rateHz)
    im += x * Math.sin((2 * Math.PI * hertz * i) / rateHz)
  }
  return (2 * Math.hypot(re, im)) / part.length
}

/** An ID3v2 tag of ten zeros. */
const id3Tag = () => Buffer.from([...Buffer.from('ID3\x04\0\0\0\0\0\x0a', 'latin1'), ...new Array(10).fill(0)])

/** LAME encodes everything 5 % quieter. */
const TONE_RMS = (0.95 * 0.3) / Math.SQRT2

describe('an MP3 behind rubbish', () => {
  const rubbish = (bytes: number) => Buffer.alloc(bytes, Buffer.from('rubbish \xff\xfb\x90\x44 of a disk', 'latin1'))

  it.each([
    ['300 kB of zeros', [Buffer.alloc(300_000)]],
    ['several MB of rubbish', [rubbish(5_000_000)]],
    ['tags and rubbish', [id3Tag(), id3Tag(), rubbish(300_000), id3Tag()]],
  ])('of %s is decoded as it is alone, without what its encoder put before the song', async (_, front) => {
    const song = makeMp3('counted.mp3', STEREO, 44_100, 1, '-write_xing', '1')
    const alone = await read([song])
    expect(alone.facts.frames).toBe(44_100)
    const found = await read([...front, song])
    expect(found.facts.frames).toBe(44_100)
    expect(found.channels).toEqual(alone.channels)
  })

  it.runIf(IS_CAMPAIGN)('of more than 16 MB is not looked for', async () => {
    writeFileSync(at('far.mp3'), Buffer.concat([Buffer.alloc(17_000_000), stereo]))
    expect(await probeAudio(at('far.mp3'), { ffmpeg })).toMatchObject({ ok: false, code: 'UNSUPPORTED_FORMAT' })
  })
})

describe('channels and sample rate of an MP3', () => {
  it.each([
    ['one mono frame', () => mono.subarray(0, 417)],
    ['a little speech in mono at 24 kHz', () => makeMp3('speech.mp3', MONO, 24_000, 0.15)],
    ['a little speech in mono at 11 kHz', () => makeMp3('speech.mp3', MONO, 11_025, 0.3, '-b:a', '16k')],
  ])('behind %s', async (_, front) => {
    const { facts, channels } = await read([front(), stereo])
    expect(facts).toMatchObject({ channels: 2, sampleRateHz: 44_100 })
    expect(amplitudeAt(channels[1], 660, 44_100)).toBeCloseTo(0.3, 1)
    expect(amplitudeAt(channels[0], 660, 44_100)).toBeLessThan(0.01)
    expect(amplitudeAt(channels[1], 15_000, 44_100)).toBeGreaterThan(0.08)
    expect(channels[0].length).toBe(facts.frames)
  })

  it('in a mono song with one frame in stereo', async () => {
    const { facts } = await read([stereo.subarray(0, 417), mono])
    expect(facts.channels).toBe(1)
  })

  it.each([
    ['mono, then stereo', () => [mono, stereo]],
    ['stereo, then mono', () => [stereo, mono]],
    ['48 kHz, then 44.1 kHz', () => [makeMp3('s48.mp3', STEREO, 48_000, 3), stereo]],
    ['24 kHz, then 44.1 kHz', () => [makeMp3('m24.mp3', MONO, 24_000, 3), stereo]],
    ['a long part in 24 kHz, then 44.1 kHz', () => [makeMp3('m24.mp3', MONO, 24_000, 5), stereo]],
  ])('joined of two that differ: %s', async (_, parts) => {
    const { facts, channels } = await read(parts())
    expect(facts).toMatchObject({ channels: 2, sampleRateHz: 44_100 })
    expect(facts.durationSeconds).toBeGreaterThan(5.9)
    // A part in mono is as loud in both channels as it is alone.
    for (const [from, to] of [
      [0.1, 0.35],
      [0.7, 0.9],
    ] as const) {
      expect(rms(channels[0], from, to)).toBeCloseTo(TONE_RMS, 2)
      expect(rms(channels[1], from, to)).toBeGreaterThan(TONE_RMS - 0.01)
    }
  })
})

describe('tags of an MP3 that must not be decoded as sound', () => {
  // A picture in which a decoder finds frames: silent ones, at 128 kbit/s in mono.
  const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0xc4]), Buffer.alloc(413)])
  const cover = Buffer.concat([Buffer.alloc(1000, 1), ...Array.from({ length: 8 }, () => frame), Buffer.alloc(1000, 1)])
  const apeMark = (size: number, flags: number) => {
    const mark = Buffer.alloc(32)
    mark.write('APETAGEX')
    mark.writeUInt32LE(2000, 8)
    mark.writeUInt32LE(size, 12)
    mark.writeUInt32LE(1, 16)
    mark.writeUInt32LE(flags, 20)
    return mark
  }
  const item = Buffer.concat([
    Buffer.from(new Uint32Array([cover.length, 2]).buffer),
    Buffer.from('Cover Art (Front)\0'),
    cover,
  ])
  const size = item.length + 32
  const ape = Buffer.concat([apeMark(size, 0xa000_0000), item, apeMark(size, 0x8000_0000)])
  const apeWithoutHeader = Buffer.concat([item, apeMark(size, 0)])
  const id3v1 = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)])
  const lyrics = Buffer.from('LYRICSBEGININD0000200LYR00005hello000034LYRICS200')
  const oldLyrics = Buffer.from(`LYRICSBEGIN${'la '.repeat(900)}LYRICSEND`)
  const id3Size = (bytes: number) => Buffer.from([21, 14, 7, 0].map((shift) => (bytes >>> shift) & 0x7f))
  const id3 = Buffer.concat([Buffer.from('ID3\x04\0\0'), id3Size(cover.length), cover])
  const appended = Buffer.concat([
    Buffer.from('ID3\x04\0\x10'),
    id3Size(cover.length),
    cover,
    Buffer.from('3DI\x04\0\x10'),
    id3Size(cover.length),
  ])

  let alone: AudioFacts
  let sound: readonly Float32Array[]
  beforeAll(async () => {
    const read1 = await read([stereo])
    alone = read1.facts
    sound = read1.channels
  })

  it.each<[string, () => Buffer[]]>([
    ['APEv2 at the end', () => [stereo, ape]],
    ['APEv2 without a header', () => [stereo, apeWithoutHeader]],
    ['APEv2 in front', () => [ape, stereo]],
    ['APEv2, then ID3v1', () => [stereo, ape, id3v1]],
    ['APEv2, Lyrics3 and ID3v1', () => [stereo, ape, lyrics, id3v1]],
    ['the older Lyrics3, and ID3v1', () => [stereo, oldLyrics, id3v1]],
    ['an appended ID3v2', () => [stereo, appended]],
    ['an appended ID3v2 and padding', () => [stereo, appended, Buffer.alloc(3000)]],
    ['APEv2 and padding', () => [stereo, apeWithoutHeader, Buffer.alloc(3000)]],
    ['ID3v2 in front and behind', () => [id3, stereo, id3]],
  ])('%s', async (_, parts) => {
    const { facts, channels } = await read(parts())
    expect(facts.frames).toBe(alone.frames)
    expect(facts.bitRate).toBe(alone.bitRate)
    expect(facts.damagedSeconds).toBeUndefined()
    expect(channels).toEqual(sound)
  })

  it('ID3v2 in the middle, where two files were joined', async () => {
    const { facts, channels } = await read([id3, stereo, id3, stereo])
    const joined = await read([stereo, stereo])
    expect(facts.frames).toBe(joined.facts.frames)
    expect(channels).toEqual(joined.channels)
  })
})
