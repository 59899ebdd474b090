import { describe, expect, it } from 'vitest'
import { readNow, readWave } from '../../../src-engine/dsp/riff.ts'
import { findLag } from '../../../src-renderer/playback/align.ts'
import { createResampler } from '../../../src-renderer/playback/resample.ts'
import {
  measureLag,
  type OpenFile,
  openSoundFile,
  type SoundFileOptions,
  shiftTrack,
} from '../../../src-renderer/playback/track.ts'
import { plainLayout, type WavLayout, wavLayout } from '../../../src-renderer/playback/wav.ts'
import { noise, sine } from './signals.ts'

interface Shape {
  readonly rateHz: number
  readonly bits: 16 | 24 | 32
  readonly isFloat?: boolean
  readonly isExtensible?: boolean
  /** Bytes of a chunk before `data`, such as a cover picture. */
  readonly ballast?: number
}

/** Last bytes of the identifier of a sub-format (KSDATAFORMAT_SUBTYPE), behind its tag. */
const SUBTYPE_TAIL = [0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]

function writeSample(view: DataView, at: number, value: number, { bits, isFloat }: Shape) {
  if (isFloat) view.setFloat32(at, value, true)
  else if (bits === 16) view.setInt16(at, Math.round(value * 32768), true)
  else if (bits === 32) view.setInt32(at, Math.round(value * 2147483648), true)
  else {
    const whole = Math.round(value * 8388608)
    view.setUint8(at, whole & 255)
    view.setInt16(at + 1, whole >> 8, true)
  }
}

function wavFile(channels: readonly Float32Array[], shape: Shape): Uint8Array {
  const frames = channels[0]?.length ?? 0
  const width = shape.bits / 8
  const fmtSize = shape.isExtensible ? 40 : 16
  const ballast = shape.ballast ?? 0
  const head = 12 + 8 + fmtSize + (ballast ? 8 + ballast : 0) + 8
  const bytes = new Uint8Array(head + frames * channels.length * width)
  const view = new DataView(bytes.buffer)
  const word = (at: number, text: string) => bytes.set(new TextEncoder().encode(text), at)
  word(0, 'RIFF')
  view.setUint32(4, bytes.length - 8, true)
  word(8, 'WAVE')
  word(12, 'fmt ')
  view.setUint32(16, fmtSize, true)
  const tag = shape.isFloat ? 3 : 1
  view.setUint16(20, shape.isExtensible ? 0xfffe : tag, true)
  view.setUint16(22, channels.length, true)
  view.setUint32(24, shape.rateHz, true)
  view.setUint16(34, shape.bits, true)
  if (shape.isExtensible) bytes.set([tag, ...SUBTYPE_TAIL], 44)
  let at = 20 + fmtSize
  if (ballast) {
    word(at, 'id3 ')
    view.setUint32(at + 4, ballast, true)
    at += 8 + ballast
  }
  word(at, 'data')
  view.setUint32(at + 4, frames * channels.length * width, true)
  channels.forEach((samples, channel) => {
    samples.forEach((value, i) => {
      writeSample(view, at + 8 + (i * channels.length + channel) * width, value, shape)
    })
  })
  return bytes
}

/** Serves a file as the server does: 206 with the range, or 200 with everything when ranges are off. */
function serve(bytes: Uint8Array, hasRanges = true) {
  const asked: string[] = []
  const open: OpenFile = async (range) => {
    asked.push(range ? `${range.from}-${range.to}` : 'all')
    if (!range || !hasRanges) return new Response(bytes.slice(), { status: 200 })
    const headers = { 'Content-Range': `bytes ${range.from}-${range.to - 1}/${bytes.length}` }
    return new Response(bytes.slice(range.from, range.to), { status: 206, headers })
  }
  return { open, asked }
}

const openTrack = async (open: OpenFile, decode: SoundFileOptions['decode'], rateHz: number, layout?: WavLayout) =>
  (await openSoundFile(open, { layout, ...(decode ? { decode } : {}) })).track(rateHz)

const noDecoder = () => Promise.reject(new Error('nothing here needs a decoder'))

describe('reading a master', () => {
  it.each<[string, Shape]>([
    ['16 bit', { rateHz: 48_000, bits: 16 }],
    ['24 bit', { rateHz: 48_000, bits: 24 }],
    ['24 bit extensible', { rateHz: 48_000, bits: 24, isExtensible: true }],
    ['32 bit float', { rateHz: 48_000, bits: 32, isFloat: true }],
    ['24 bit behind a cover of 300 kB', { rateHz: 48_000, bits: 24, ballast: 300_000 }],
  ])('gives the samples that were written, piece by piece: %s', async (_, shape) => {
    const left = noise(5000, 1)
    const right = noise(5000, 2)
    const track = await openTrack(serve(wavFile([left, right], shape)).open, noDecoder, 48_000)
    expect(track.frames).toBe(5000)
    const piece = await track.read(1234, 1000)
    const worst = Math.max(...piece.right.map((value, i) => Math.abs(value - (right[1234 + i] as number))))
    expect(worst).toBeLessThanOrEqual(shape.bits === 16 ? 2 ** -16 : 2 ** -23)
  })

  it('is silent before the start and after the end', async () => {
    const left = noise(100, 1)
    const { open } = serve(wavFile([left], { rateHz: 48_000, bits: 32, isFloat: true }))
    const track = await openTrack(open, noDecoder, 48_000)
    const { left: piece, right } = await track.read(-10, 130)
    expect([...piece.slice(0, 10), ...piece.slice(110)].every((value) => value === 0)).toBe(true)
    expect(piece.slice(10, 110)).toEqual(left)
    expect(right).toEqual(piece)
    expect(Math.max(...(await track.read(500, 10)).left)).toBe(0)
  })

  it('asks only for the bytes it needs, and once only where the server knows no ranges', async () => {
    const file = wavFile([noise(500_000, 1), noise(500_000, 2)], { rateHz: 48_000, bits: 24 })
    const ranged = serve(file)
    await (await openTrack(ranged.open, noDecoder, 48_000)).read(1000, 10)
    expect(ranged.asked).toEqual(['0-65536', `${44 + 6000}-${44 + 6060}`])
    const whole = serve(file, false)
    const track = await openTrack(whole.open, noDecoder, 48_000)
    await track.read(1000, 10)
    await track.read(9000, 10)
    expect(whole.asked).toHaveLength(1)
  })

  it('reads nothing of a file whose layout is known until its samples are asked for', async () => {
    const [left, right] = [noise(5000, 1), noise(5000, 2)]
    for (const bits of [16, 24] as const) {
      const { open, asked } = serve(wavFile([left, right], { rateHz: 48_000, bits }))
      const layout = plainLayout({ sampleRateHz: 48_000, bitsPerSample: bits }, 5000)
      const track = await openTrack(open, noDecoder, 48_000, layout)
      expect([track.frames, asked]).toEqual([5000, []])
      expect(layout).toEqual(
        wavLayout(
          await readNow(readWave(44 + (5000 * bits) / 4), (offset, length) =>
            wavFile([left, right], { rateHz: 48_000, bits }).subarray(offset, offset + length),
          ),
        ),
      )
      const { left: piece } = await track.read(100, 10)
      expect(Math.max(...piece.map((value, i) => Math.abs(value - (left[100 + i] as number))))).toBeLessThan(2 ** -15)
    }
  })

  it('finds the samples behind a cover of 16 MB without fetching it', async () => {
    const samples = noise(1000, 1)
    const file = wavFile([samples, samples], { rateHz: 48_000, bits: 24, ballast: 16_000_000 })
    const { open, asked } = serve(file)
    const track = await openTrack(open, noDecoder, 48_000)
    expect(track.frames).toBe(1000)
    expect((await track.read(999, 1)).left[0]).toBeCloseTo(samples[999] as number, 5)
    const fetched = asked.map((range) => range.split('-').map(Number) as [number, number])
    expect(fetched.reduce((sum, [from, to]) => sum + to - from, 0)).toBeLessThan(100_000)
  })

  it('puts the 44.1 kHz master on a 48 kHz clock without shifting it, seamless over piece borders', async () => {
    const tone = (rateHz: number, frames: number) => sine(frames, rateHz, 1000, 0.5)
    const { open } = serve(wavFile([tone(44_100, 44_100)], { rateHz: 44_100, bits: 32, isFloat: true }))
    const track = await openTrack(open, noDecoder, 48_000)
    const wanted = tone(48_000, 48_000)
    for (const start of [0, 10_000, 10_777]) {
      const piece = await track.read(start, 777)
      for (let i = start === 0 ? 100 : 0; i < 777; i++) {
        expect(Math.abs((piece.left[i] as number) - (wanted[start + i] as number))).toBeLessThan(2e-4)
      }
    }
  })

  it('takes the length of a WAV of more than 4 GiB from where it stands', () => {
    const none = new Float32Array()
    const head = wavFile([none, none], { rateHz: 48_000, bits: 24 })
    const bytes = new Uint8Array(head.length + 36)
    const view = new DataView(bytes.buffer)
    bytes.set(head.subarray(0, 12))
    bytes.set(head.subarray(12), 12 + 36)
    bytes.set(new TextEncoder().encode('RF64'), 0)
    bytes.set(new TextEncoder().encode('ds64'), 12)
    view.setUint32(16, 28, true)
    view.setBigUint64(28, 6_000_000_000n, true)
    view.setUint32(40 + 36, 0xffffffff, true)
    const wave = readNow(readWave(6_000_000_080), (offset, length) => bytes.subarray(offset, offset + length))
    expect(wavLayout(wave)).toMatchObject({ frames: 1_000_000_000, sound: [{ offset: 80 }] })
  })

  it.each([
    ['said to be empty', 0],
    ['of 2 GiB', 0x7fffffff],
    ['of 4 GiB', 0xffffffff],
    ['cut short', 4000 * 6],
  ])('reads a file that a pipe or a break left with a wrong length to its end: %s', async (_, claimedBytes) => {
    const samples = noise(3000, 1)
    for (const hasRanges of [true, false]) {
      const bytes = wavFile([samples, samples], { rateHz: 48_000, bits: 24 })
      new DataView(bytes.buffer).setUint32(40, claimedBytes, true)
      const track = await openTrack(serve(bytes, hasRanges).open, noDecoder, 48_000)
      expect(track.frames).toBe(3000)
      expect((await track.read(2999, 1)).left[0]).toBeCloseTo(samples[2999] as number, 5)
    }
  })

  it('gives a WAV that ends within its header to the decoder', async () => {
    const whole = wavFile([noise(100, 1)], { rateHz: 48_000, bits: 24, ballast: 300_000 })
    for (const bytes of [whole.slice(0, 200_000), whole.slice(0, 40)]) {
      await expect(openTrack(serve(bytes).open, noDecoder, 48_000)).rejects.toThrow('nothing here needs a decoder')
    }
  })

  it('plays a file of several pieces through, as the engine masters it', async () => {
    const [first, second] = [noise(300, 1), noise(500, 2)]
    const pieces = [first, second].map((samples) => wavFile([samples, samples], { rateHz: 48_000, bits: 24 }))
    const bytes = new Uint8Array([...pieces[0]!, ...pieces[1]!])
    const track = await openTrack(serve(bytes).open, noDecoder, 48_000)
    expect(track.frames).toBe(800)
    const { left } = await track.read(290, 20)
    const wanted = [...first.subarray(290), ...second.subarray(0, 10)]
    expect(left.every((value, i) => Math.abs(value - wanted[i]!) < 1e-6)).toBe(true)
  })

  it('gives what is no WAV to the decoder', async () => {
    for (const bytes of [new TextEncoder().encode('ID3 this is an MP3 file'), new Uint8Array(3)])
      await expect(openTrack(serve(bytes).open, noDecoder, 48_000)).rejects.toThrow('nothing here needs a decoder')
  })
})

describe('changing the rate', () => {
  it('keeps the tone and removes what the lower rate cannot hold', () => {
    const down = createResampler(48_000, 44_100)
    const { from, to } = down.inputRange(1000, 4000)
    const power = (frequencyHz: number) => {
      const input = sine(to, 48_000, frequencyHz, 0.5).slice(from)
      const output = down.convert(input, 1000, 4000)
      return 10 * Math.log10(output.reduce((sum, value) => sum + value * value, 0) / 4000 / 0.125)
    }
    expect(Math.abs(power(15_000))).toBeLessThan(0.05)
    expect(power(23_500)).toBeLessThan(-60)
  })

  it('is as steep from 96 to 48 kHz: 22 kHz stays, and nothing above 26 kHz comes back', () => {
    const down = createResampler(96_000, 48_000)
    const { from, to } = down.inputRange(1000, 4000)
    const power = (frequencyHz: number) => {
      const output = down.convert(sine(to, 96_000, frequencyHz, 0.5).slice(from), 1000, 4000)
      return 10 * Math.log10(output.reduce((sum, value) => sum + value * value, 0) / 4000 / 0.125)
    }
    expect(Math.abs(power(21_000))).toBeLessThan(0.05)
    for (const frequencyHz of [26_000, 30_000, 40_000, 47_000]) expect(power(frequencyHz)).toBeLessThan(-80)
  })
})

describe('a song that has to be decoded', () => {
  const mp3 = new Uint8Array(100)
  const openDecoded = (...channels: Float32Array[]) => {
    const getChannelData = (i: number) => {
      if (!channels[i]) throw new RangeError('no such channel')
      return channels[i]
    }
    const buffer = { length: channels[0]!.length, numberOfChannels: channels.length, getChannelData }
    return openTrack(serve(mp3).open, async () => buffer as unknown as AudioBuffer, 48_000)
  }

  it('is read back to the bit when it was made of 16 bits, in any piece, and is silent outside', async () => {
    const in16Bits = (samples: Float32Array) => samples.map((value) => Math.round(value * 0x8000) / 0x8000 + 0)
    const [left, right] = [in16Bits(noise(5000, 3)), in16Bits(noise(5000, 4))]
    left[7] = -1
    const track = await openDecoded(left, right)
    const piece = await track.read(-20, 5040)
    expect(piece.left.slice(20, 5020)).toEqual(left)
    expect(piece.right.slice(20, 5020)).toEqual(right)
    expect([...piece.left.slice(0, 20), ...piece.left.slice(5020)].every((value) => value === 0)).toBe(true)
    expect((await track.read(6000, 5)).left).toEqual(new Float32Array(5))
    expect((await track.read(-50, 5)).left).toEqual(new Float32Array(5))
  })

  it('plays one channel on both sides', async () => {
    const { left, right } = await (await openDecoded(noise(500, 5))).read(0, 500)
    expect(right).toEqual(left)
    expect(Math.max(...left)).toBeGreaterThan(0)
  })

  it('keeps peaks above full scale, and the rest to within 96 dB', async () => {
    const left = noise(50_000, 4, 1.4)
    const { left: piece } = await (await openDecoded(left, left)).read(0, left.length)
    const worst = piece.reduce((most, value, i) => Math.max(most, Math.abs(value - (left[i] as number))), 0)
    expect(Math.max(...left)).toBeGreaterThan(1.2)
    expect(worst).toBeLessThan(10 ** (-90 / 20))
  })
})

describe('lining up a decoded song with its master', () => {
  it.each([-700, 0, 1105, 2257])('finds a delay of %i frames to the frame', (delay) => {
    const song = noise(48_000, 7)
    const early = song.slice(8000, 8000 + 32_768)
    const late = song
      .slice(8000 - delay, 8000 - delay + 32_768)
      .map((value, i) => value * 0.6 + Math.sin(i / 90) * 0.05)
    expect(findLag(early, late, 4096).frames).toBe(delay)
  })

  it('moves a track by what it found, and leaves another song where it is', async () => {
    const song = noise(200_000, 7)
    const shape: Shape = { rateHz: 48_000, bits: 32, isFloat: true }
    const openSong = (samples: Float32Array) => openTrack(serve(wavFile([samples], shape)).open, noDecoder, 48_000)
    const late = new Float32Array(201_105)
    late.set(song, 1105)
    const exact = await openSong(song)
    const decoded = await openSong(late)
    const lag = await measureLag(decoded, exact)
    expect(lag).toBe(1105)
    expect((await shiftTrack(decoded, lag).read(500, 50)).left).toEqual(song.slice(500, 550))
    expect(await measureLag(await openSong(noise(200_000, 8)), exact)).toBe(0)
    const fading = song.fill(0, 130_000)
    late.set(fading, 1105)
    expect(await measureLag(await openSong(late), await openSong(fading))).toBe(1105)
  })
})
