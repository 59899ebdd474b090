import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { isrcOf } from '../../../src-contract/isrc.ts'
import { probeAudio } from '../../../src-server/uploads/probe.ts'
import type { AudioFacts } from '../../../src-worker/media/audio-facts.ts'
import { decodeSong } from '../../../src-worker/media/decode.ts'
import { isrcInAxml } from '../../../src-worker/media/isrc.ts'
import { recogniseAudio } from '../../../src-worker/media/recognise.ts'
import { readCover, readTags } from '../../../src-worker/media/tags.ts'
import { chunk, tagChunks } from '../../../src-worker/media/wav-tags.ts'
import { seededRandom } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)

async function probe(name: string, bytes: Buffer): Promise<AudioFacts> {
  writeFileSync(at(name), bytes)
  const result = await probeAudio(at(name), { ffmpeg })
  return result.ok ? result.facts : expect.fail(`${name}: ${result.reason}`)
}

/** The samples of a file as the engine gets them, as integers of `bits` bits. */
async function decode(name: string, bytes: Buffer, bits: number): Promise<number[]> {
  const { audio } = await decodeSong(ffmpeg, at(name), await probe(name, bytes))
  return Array.from(audio.channels[0], (sample) => sample * 2 ** (bits - 1))
}

function format(
  bits: number,
  blockBytes: number,
  { channels = 2, validBits = 0, sampleRateHz = 22_050, tag = 1 } = {},
): Buffer {
  const fields = Buffer.alloc(validBits > 0 ? 40 : 16)
  fields.writeUInt16LE(validBits > 0 ? 0xfffe : tag, 0)
  fields.writeUInt16LE(channels, 2)
  fields.writeUInt32LE(sampleRateHz, 4)
  fields.writeUInt32LE(sampleRateHz * blockBytes, 8)
  fields.writeUInt16LE(blockBytes, 12)
  fields.writeUInt16LE(bits, 14)
  if (validBits > 0) {
    fields.writeUInt16LE(22, 16)
    fields.writeUInt16LE(validBits, 18)
    fields.writeUInt16LE(tag, 24)
    fields.write('000000001000800000aa00389b71', 26, 'hex')
  }
  return chunk('fmt ', fields)
}

function riff(...chunks: readonly Buffer[]): Buffer {
  return chunk('RIFF', Buffer.concat([Buffer.from('WAVE', 'latin1'), ...chunks]))
}

function sized(bytes: Buffer, size: number): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeUInt32LE(size, 4)
  return changed
}

const rateHz = 22_050
const plain = format(16, 4)
/** Seconds of a loud tone in both channels, 16 bit, from a place of it on. */
function tone(seconds: number, from = 0): Buffer {
  const bytes = Buffer.alloc(Math.round(seconds * rateHz) * 4)
  for (let i = 0; i < bytes.length / 4; i++) {
    const value = Math.round(15_000 * Math.sin((from * rateHz + i) * 0.05))
    bytes.writeInt16LE(value, 4 * i)
    bytes.writeInt16LE(value, 4 * i + 2)
  }
  return bytes
}
const left = (samples: Buffer) => Array.from({ length: samples.length / 4 }, (_, i) => samples.readInt16LE(4 * i))

describe('the sound of a WAV whose size was never filled in', () => {
  runPlain('-f', 'lavfi', '-i', 'color=red:size=64x64', '-frames:v', '1', at('cover.png'))
  const samples = tone(3)
  const tags = { title: 'Night Train', artist: 'Mina', isrc: 'KRA401600001' }
  const padding = Buffer.alloc(50_001, Buffer.from('89504e470d0a1a0a', 'hex'))
  const bytes = Buffer.concat([readFileSync(at('cover.png')), padding])
  const cover = { mimeType: 'image/png', bytes } as const

  it.each([0, 0xffff_ffff, 0xffff_ffff - 36, 0x7fff_ffff, 0x7fff_ffdb])(
    'ends before the tags behind it, which are read (%i)',
    async (size) => {
      const bytes = riff(plain, sized(chunk('data', samples), size), ...tagChunks(tags, cover))
      const facts = await probe('unknown.wav', sized(bytes, size))
      expect(facts).toMatchObject({ frames: 3 * rateHz, tags, hasCover: true })
      expect(facts.claimedSeconds).toBeUndefined()
      expect(await decode('unknown.wav', bytes, 16)).toEqual(left(samples))
      const found = await readCover(ffmpeg, { path: at('unknown.wav'), format: 'wav' })
      // Less the padding, which is no part of the picture.
      expect(Buffer.from(found!.bytes).equals(readFileSync(at('cover.png')))).toBe(true)
    },
  )
})

describe('a WAV that holds more than its header says', () => {
  it('is read completely if streamed pieces were concatenated', async () => {
    const pieces = [tone(2), tone(2, 2), tone(2, 4)]
    const whole = left(Buffer.concat(pieces))
    const known = Buffer.concat(pieces.map((piece) => riff(plain, chunk('data', piece))))
    expect(await decode('pieces.wav', known, 16)).toEqual(whole)
    const unknown = pieces.map((piece) => sized(riff(plain, sized(chunk('data', piece), 0xffff_ffff)), 0xffff_ffff))
    expect(await decode('streamed-pieces.wav', Buffer.concat(unknown), 16)).toEqual(whole)
    const two = riff(plain, chunk('data', pieces[0]!), chunk('LIST', Buffer.from('adtl')), chunk('data', pieces[1]!))
    const facts = await probe('two.wav', two)
    expect(facts).toMatchObject({ frames: 4 * rateHz })
    expect(facts.uncountedSeconds).toBeUndefined()
    expect(await decode('two.wav', two, 16)).toEqual(left(Buffer.concat(pieces.slice(0, 2))))
  })

  it('reports how much of it is not used, if the header was not updated', async () => {
    const old = Buffer.concat([riff(plain, chunk('data', tone(2))), tone(4, 2)])
    expect(await probe('old.wav', old)).toMatchObject({ durationSeconds: 2, uncountedSeconds: 4 })
    const short = Buffer.concat([riff(plain, chunk('data', tone(2))), tone(0.5, 2)])
    expect((await probe('short.wav', short)).uncountedSeconds).toBeUndefined()
  })
})

describe('a WAV of another container or sample size', () => {
  it.each(['RF64', 'BW64'])('is read as %s, and reports a missing end', async (container) => {
    const samples = tone(3)
    const long = Buffer.alloc(28)
    long.writeBigUInt64LE(BigInt(samples.length), 8)
    const bytes = riff(chunk('ds64', long), plain, sized(chunk('data', samples), 0xffff_ffff))
    bytes.write(container, 0, 'latin1')
    const whole = sized(bytes, 0xffff_ffff)
    expect(await decode('long.wav', whole, 16)).toEqual(left(samples))
    expect((await probe('long.wav', whole)).claimedSeconds).toBeUndefined()
    const cut = await probe('long-cut.wav', whole.subarray(0, 100_000))
    expect(cut).toMatchObject({ claimedSeconds: 3 })
  })

  it.each([
    ['20 bits in 24', 20, 3, { bits: 20 }],
    ['20 bits in 24, extensible', 20, 3, { bits: 24, validBits: 20 }],
    ['20 bits in 24, extensible with the size of the samples', 20, 3, { bits: 20, validBits: 20 }],
    ['12 bits in 16', 12, 2, { bits: 12 }],
    ['24 bits in 32, extensible', 24, 4, { bits: 32, validBits: 24 }],
  ])('of %s is read to the last bit', async (_, depth, bytes, { bits, ...rest }) => {
    const values = Array.from({ length: 3000 }, (_, i) => Math.round(Math.sin(i * 0.1) * (2 ** (depth - 1) - 1)))
    const samples = Buffer.alloc(values.length * 2 * bytes)
    for (const [i, value] of values.entries()) {
      for (const c of [0, 1]) samples.writeIntLE(value * 2 ** (8 * bytes - depth), (2 * i + c) * bytes, bytes)
    }
    const wav = riff(format(bits, 2 * bytes, rest), chunk('data', samples))
    expect(await decode('bits.wav', wav, depth)).toEqual(values)
    expect((await probe('bits.wav', wav)).bitDepth).toBe(depth)
  })
})

describe('a WAV that needs no conversion', () => {
  const samples = 100_000
  const random = seededRandom(50)
  /** Samples of every size and of both signs: all values up to 16 bits, and the smallest and largest of the others. */
  const samplesOf = (codec: string, count: number): Buffer => {
    const bits = Number(codec.slice('pcm_s'.length))
    const bytes = Buffer.alloc((count * bits) / 8)
    for (let i = 0; i < count; i++) {
      const edge = [-0, 1e-310, -1e-40, 1, -1, 1 / 3, 1 + 2 ** -24, 1 + 3 * 2 ** -24][i] ?? random()
      const integer = bits <= 16 ? i % 2 ** bits : ([0, -1, 1][i] ?? Math.floor(random() * 2 ** (bits - 1)))
      if (codec === 'pcm_f32') bytes.writeFloatLE(edge, 4 * i)
      else if (codec === 'pcm_f64') bytes.writeDoubleLE(edge, 8 * i)
      else if (bits <= 16) bytes.writeUIntLE(integer, (i * bits) / 8, bits / 8)
      else bytes.writeIntLE(integer, (i * bits) / 8, bits / 8)
    }
    return bytes
  }
  const rf64 = (bytes: Buffer, soundBytes: number): Buffer => {
    const long = Buffer.alloc(28)
    long.writeBigUInt64LE(BigInt(soundBytes), 8)
    const file = sized(Buffer.concat([bytes.subarray(0, 12), chunk('ds64', long), bytes.subarray(12)]), 0xffff_ffff)
    file.writeUInt32LE(0xffff_ffff, file.indexOf('data') + 4)
    file.write('RF64', 0, 'latin1')
    return file
  }
  const oddChunk = Buffer.concat([Buffer.from('odd \x05\0\0\0'), Buffer.from('Mina!\0')])
  /** Cuts the sound within a frame, into two chunks. */
  const inTwo = (bytes: Buffer) => [chunk('data', bytes.subarray(0, 30_002)), chunk('data', bytes.subarray(30_002))]

  const stored = async (bytes: Buffer): Promise<AudioFacts> => {
    writeFileSync(at('same.wav'), bytes)
    const recognised = await recogniseAudio(at('same.wav'))
    if ('fault' in recognised) return expect.fail(recognised.fault)
    const { stream } = recognised
    const durationSeconds = stream.frames! / stream.sampleRateHz
    return { ...stream, frames: stream.frames!, durationSeconds, isLossy: false, tags: {}, hasCover: false }
  }

  it.each(['pcm_u8', 'pcm_s16', 'pcm_s24', 'pcm_s32', 'pcm_f32', 'pcm_f64'])(
    'is read without ffmpeg, as ffmpeg decodes it, bit for bit: %s',
    async (codec) => {
      const bits = Number(codec.slice('pcm_s'.length))
      const bytes = samplesOf(codec, samples)
      writeFileSync(at('bare'), bytes)
      const bare = codec === 'pcm_u8' ? 'u8' : `${codec.slice('pcm_'.length)}le`
      const expected = runPlain('-f', bare, '-ac', '1', '-i', at('bare'), '-c:a', 'pcm_f32le', '-f', 'f32le', '-')
      for (const channels of [1, 2]) {
        const fields = { channels, tag: codec.startsWith('pcm_f') ? 3 : 1, sampleRateHz: 44_100 }
        const fmt = format(bits, (channels * bits) / 8, fields)
        const extensible = format(bits, (channels * bits) / 8, { ...fields, validBits: bits })
        const plain = riff(oddChunk, fmt, oddChunk, chunk('data', bytes), oddChunk)
        const files = [
          plain,
          rf64(plain, bytes.length),
          riff(extensible, chunk('data', bytes)),
          riff(fmt, ...inTwo(bytes)),
        ]
        for (const file of files) {
          const facts = await stored(file)
          const { audio } = await decodeSong({ ...ffmpeg, path: at('no-ffmpeg') }, at('same.wav'), facts)
          const found = new Float32Array(samples)
          for (let i = 0; i < samples; i++) found[i] = audio.channels[i % channels]![Math.floor(i / channels)]!
          expect(Buffer.from(found.buffer).equals(expected)).toBe(true)
        }
      }
    },
  )
})

describe('the ISRC of a WAV', () => {
  const info = (...texts: string[]) =>
    chunk('LIST', Buffer.concat([Buffer.from('INFO'), ...texts.map((text) => chunk('ISRC', Buffer.from(`${text}\0`)))]))
  const tagsOf = async (...chunks: Buffer[]) =>
    (await probe('isrc.wav', riff(plain, chunk('data', tone(0.1)), ...chunks))).tags

  it('is taken from RIFF INFO only in the form of an ISRC', async () => {
    expect(await tagsOf(info('Mina Home Studio'))).toEqual({ other: { Source: 'Mina Home Studio' } })
    expect(await tagsOf(info('KR-A40-16-00001'))).toEqual({ isrc: 'KRA401600001' })
    expect(await tagsOf(info('KRA401600001; KRA401600002'))).toEqual({
      isrc: 'KRA401600001',
      other: { Source: 'KRA401600002' },
    })
  })

  it('is taken from ID3 first, then from INFO, then from axml', async () => {
    const id3 = tagChunks({ isrc: 'KRA401600009' })
    expect(await tagsOf(info('KRA401600001'), ...id3)).toEqual({ isrc: 'KRA401600009' })
    const axml = chunk(
      'axml',
      Buffer.from('<e:identifier formatLabel="ISRC"><dc:identifier>ISRC:KRA401600007</dc:identifier></e:identifier>'),
    )
    expect(await tagsOf(axml)).toEqual({ isrc: 'KRA401600007' })
    // Without chunks that only ffmpeg reads, it is not started.
    const noFfmpeg = { ...ffmpeg, path: at('no-ffmpeg') }
    const found = await readTags(noFfmpeg, { path: at('isrc.wav'), format: 'wav' })
    expect(found).toEqual({ tags: { isrc: 'KRA401600007' }, hasCover: false })
    expect(await tagsOf(info('Tape 3'), axml)).toEqual({ isrc: 'KRA401600007', other: { Source: 'Tape 3' } })
    expect(await tagsOf(axml, ...id3)).toEqual({ isrc: 'KRA401600009' })
  })

  it('has the form of ISO 3901, however it is printed', () => {
    for (const text of ['KRA401600001', 'kr-a40-16-00001', 'ISRC KR A40 16 00001', 'ISRC: KR-A40-16-00001 ']) {
      expect([text, isrcOf(text)]).toEqual([text, 'KRA401600001'])
    }
    for (const text of ['', 'Home Studio', 'KRA40160000', 'KRA4016000011', 'take KRA401600001', 'KRA401600001 tape']) {
      expect([text, isrcOf(text)]).toEqual([text, undefined])
    }
  })

  it('is found in axml by its label or its prefix, and nothing else is taken for it', () => {
    const xml = (label: string, text: string) =>
      `<ebucore:identifier typeLabel="GUID" formatLabel="${label}">\n<dc:identifier>${text}</dc:identifier></ebucore:identifier>`
    expect(isrcInAxml(xml('ISRC', 'FR8900000023'))).toBe('FR8900000023')
    expect(isrcInAxml(xml('GUID', 'ISRC:FR8900000023'))).toBe('FR8900000023')
    expect(isrcInAxml(xml('UMID', 'FR8900000023'))).toBeUndefined()
    expect(isrcInAxml(xml('UMID', 'x') + xml('ISRC', 'FR8900000023'))).toBe('FR8900000023')
    expect(isrcInAxml(`${'<identifier '.repeat(100_000)}`)).toBeUndefined()
  })
})

it('fields of a Broadcast Wave become tags of the master', async () => {
  const bext = Buffer.alloc(602)
  for (const [text, place] of [
    ['A night recording', 0],
    ['Studio Mina', 256],
    ['2026-03-04', 320],
  ] as const) {
    bext.write(text, place, 'latin1')
  }
  const { tags } = await probe('bext.wav', riff(chunk('bext', bext), plain, chunk('data', tone(0.1))))
  expect(tags).toMatchObject({ comment: 'A night recording', date: '2026-03-04', other: { originator: 'Studio Mina' } })
})
