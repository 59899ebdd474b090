import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { probeAudio } from '../../../src-server/uploads/probe.ts'
import type { AudioFacts } from '../../../src-worker/media/audio-facts.ts'
import { bridgeGaps, findDamage, placesOf } from '../../../src-worker/media/damaged-samples.ts'
import { countFrames, decodeSong, engineRateHz, InvalidSamplesError } from '../../../src-worker/media/decode.ts'
import { changeRate, lowerRate } from '../../../src-worker/media/resample.ts'
import { largest } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain, songLike, writeFloatWav } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)

async function factsOf(file: string): Promise<AudioFacts> {
  const probe = await probeAudio(file, { ffmpeg })
  if (!probe.ok) throw new Error(probe.reason)
  return probe.facts
}

async function decode(file: string) {
  return decodeSong(ffmpeg, file, await factsOf(file))
}

function sine(frequencyHz: number, sampleRateHz: number, seconds: number, gain: number): Float32Array {
  return Float32Array.from(
    { length: Math.round(seconds * sampleRateHz) },
    (_, i) => gain * Math.sin((2 * Math.PI * frequencyHz * i) / sampleRateHz),
  )
}

/**
 * Writes a WAV of 32 bit integers in the extensible format (Microsoft, WAVEFORMATEXTENSIBLE), of which so many bits are said to
 * count.
 */
function writeExtensibleWav(
  file: string,
  channels: readonly Float32Array[],
  {
    mask,
    validBits,
    sampleRateHz = 44_100,
  }: { readonly mask: number; readonly validBits: number; readonly sampleRateHz?: number },
): string {
  const frames = channels[0]!.length
  const frameBytes = 4 * channels.length
  const header = Buffer.from('RIFF\0\0\0\0WAVEfmt \x28\0\0\0', 'latin1')
  const format = Buffer.alloc(40)
  for (const [value, place] of [
    ...([
      [0xfffe, 0],
      [channels.length, 2],
      [frameBytes, 12],
      [32, 14],
      [22, 16],
      [validBits, 18],
      [1, 24],
    ] as const),
  ]) {
    format.writeUInt16LE(value, place)
  }
  format.writeUInt32LE(sampleRateHz, 4)
  format.writeUInt32LE(sampleRateHz * frameBytes, 8)
  format.writeUInt32LE(mask, 20)
  format.write('000000001000800000aa00389b71', 26, 'hex')
  const data = Buffer.alloc(8 + frames * frameBytes)
  data.write('data')
  data.writeUInt32LE(frames * frameBytes, 4)
  for (let i = 0; i < frames; i++) {
    for (const [c, samples] of channels.entries()) {
      const value = Math.round(samples[i]! * 2 ** (validBits - 1)) * 2 ** (32 - validBits)
      data.writeInt32LE(Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, value)), 8 + (i * channels.length + c) * 4)
    }
  }
  header.writeUInt32LE(header.length - 8 + format.length + data.length, 4)
  writeFileSync(file, Buffer.concat([header, format, data]))
  return file
}

describe('decoding', () => {
  it('keeps float samples bit for bit, also above full scale', async () => {
    const channels = songLike(1.5, 48_000, 1.7)
    const { audio } = await decode(writeFloatWav(at('hot.wav'), channels, 48_000))
    expect(audio.sampleRateHz).toBe(48_000)
    expect(Math.max(...channels[0]!)).toBeGreaterThan(1.2)
    expect(audio.channels[0]).toEqual(channels[0])
    expect(audio.channels[1]).toEqual(channels[1])
  })

  it('keeps samples of an MP3 above full scale', async () => {
    writeFloatWav(at('loud.wav'), songLike(3, 44_100, 0.9), 44_100)
    runPlain('-i', at('loud.wav'), '-b:a', '128k', at('loud.mp3'))
    const { audio } = await decode(at('loud.mp3'))
    expect(audio.channels[0].some((sample) => Math.abs(sample) > 1)).toBe(true)
  })

  it('returns exactly the frames of the song from a gapless MP3', async () => {
    writeFloatWav(at('gapless.wav'), songLike(2.345), 44_100)
    runPlain('-i', at('gapless.wav'), '-b:a', '192k', at('gapless.mp3'))
    const { audio } = await decode(at('gapless.mp3'))
    expect(audio.frames).toBe(Math.round(2.345 * 44_100))
  })

  it.each([
    ['the rear speakers', 0x30],
    ['a centre and a subwoofer', 0x0c],
    ['the ceiling', 0x1800],
    ['nothing', 0],
  ])('takes the channels of a WAV as they come, though they are meant for %s', async (_, mask) => {
    const channels = songLike(1)
    const { audio } = await decode(writeExtensibleWav(at(`mask-${mask}.wav`), channels, { mask, validBits: 32 }))
    expect(audio.frames).toBe(44_100)
    for (const [c, samples] of audio.channels.entries()) {
      for (let i = 0; i < 44_100; i += 99) expect(Math.abs(samples[i]! - channels[c]![i]!)).toBeLessThan(1e-6)
    }
    const atAnotherRate = async (mask: number) => {
      const file = at(`mask-${mask}-32000.wav`)
      return (await decode(writeExtensibleWav(file, channels, { mask, validBits: 32, sampleRateHz: 32_000 }))).audio
    }
    expect((await atAnotherRate(mask)).channels).toEqual((await atAnotherRate(3)).channels)
  })

  it('reads 24-bit samples in 32-bit containers', async () => {
    const channels = songLike(1)
    const { audio } = await decode(writeExtensibleWav(at('24in32.wav'), channels, { mask: 3, validBits: 24 }))
    expect(audio.frames).toBe(44_100)
    for (let i = 0; i < 44_100; i += 99) expect(Math.abs(audio.channels[0][i]! - channels[0]![i]!)).toBeLessThan(1e-6)
  })

  it.each([0, 3])(
    'reads 24 bits of two channels sample by sample, though their blocks are of %i bytes',
    async (blockBytes) => {
      writeFloatWav(at('float.wav'), songLike(0.5), 44_100)
      runPlain('-i', at('float.wav'), '-c:a', 'pcm_s24le', at('packed.wav'))
      const bytes = readFileSync(at('packed.wav'))
      bytes.writeUInt16LE(blockBytes, bytes.indexOf('fmt ') + 8 + 12)
      bytes.writeUInt16LE(1, bytes.indexOf('fmt ') + 8)
      writeFileSync(at('slip.wav'), bytes)
      const [slip, packed] = [await decode(at('slip.wav')), await decode(at('packed.wav'))]
      expect(slip.audio).toEqual(packed.audio)
    },
  )

  it('makes two equal channels of a mono song, at its own level', async () => {
    const mono = sine(440, 44_100, 1, 0.5)
    const { audio } = await decode(writeFloatWav(at('mono.wav'), [mono], 44_100))
    expect(audio.channels[0]).toEqual(mono)
    expect(audio.channels[1]).toEqual(mono)
    expect(audio.channels[1].buffer).not.toBe(audio.channels[0].buffer)
  })

  it.each([
    [8000, 44_100],
    [22_050, 44_100],
    [44_100, 44_100],
    [44_101, 44_100],
    [47_952, 48_000],
    [64_000, 48_000],
    [88_200, 88_200],
    [96_000, 96_000],
    [176_400, 88_200],
    [100_000, 96_000],
    [192_000, 96_000],
  ])('reads a song of %i Hz as it is, and the engine works on it at %i Hz', async (fromHz, toHz) => {
    expect(engineRateHz(fromHz)).toBe(toHz)
    const tone = sine(997, fromHz, 2, 0.5)
    const { audio } = await decode(writeFloatWav(at(`rate${fromHz}.wav`), [tone, tone], fromHz))
    expect(audio.sampleRateHz).toBe(fromHz)
    expect(audio.channels).toEqual([tone, tone])
    // The render threads share the one, changeRate gives the other back.
    const memory = fromHz === toHz ? SharedArrayBuffer : ArrayBuffer
    for (const { buffer } of audio.channels) expect(buffer).toBeInstanceOf(memory)
  })

  it('decodes rates above 192 kHz at an engine rate, so that ten minutes take less than a gigabyte', async () => {
    const tone = sine(997, 384_000, 1, 0.5)
    const { audio } = await decode(writeFloatWav(at('rate384000.wav'), [tone, tone], 384_000))
    expect(audio.sampleRateHz).toBe(96_000)
    expect(Math.abs(audio.frames - 96_000)).toBeLessThanOrEqual(1)
    expect(Math.max(...audio.channels[0].subarray(20_000, 70_000))).toBeCloseTo(0.5, 3)
  })

  it('bridges a few samples that are not numbers and counts the places', async () => {
    const channels = songLike(1)
    const before = channels[0]!.slice()
    channels[0]![1000] = Number.NaN
    channels[0]![1001] = Number.POSITIVE_INFINITY
    channels[1]![1001] = Number.NEGATIVE_INFINITY
    const { audio, bridgedGaps } = await decode(writeFloatWav(at('nan.wav'), channels, 44_100))
    expect(bridgedGaps).toEqual([
      { frame: 1000, frames: 2 },
      { frame: 1001, frames: 1 },
    ])
    expect(audio.channels[0].every(Number.isFinite)).toBe(true)
    expect(Math.abs(audio.channels[0][1000]! - before[1000]!)).toBeLessThan(0.2)
  })

  it('bridges impossible values, and keeps those of unscaled integers', async () => {
    const channels = songLike(1)
    channels[1]![2000] = 1e30
    channels[1]![2001] = -3e38
    const { audio, bridgedGaps } = await decode(writeFloatWav(at('rubbish.wav'), channels, 44_100))
    expect(bridgedGaps).toEqual([{ frame: 2000, frames: 2 }])
    expect(Math.max(...audio.channels[1].map(Math.abs))).toBeLessThan(2)

    const integers = songLike(1, 44_100, 2 ** 30)
    const kept = await decode(writeFloatWav(at('integers.wav'), integers, 44_100))
    expect(kept.bridgedGaps).toEqual([])
    expect(kept.audio.channels[0]).toEqual(integers[0])
  })

  it('refuses audio that is mostly not a number', async () => {
    const broken = [new Float32Array(50_000).fill(Number.NaN), new Float32Array(50_000)]
    const decoding = decode(writeFloatWav(at('allnan.wav'), broken, 44_100))
    await expect(decoding).rejects.toThrow(InvalidSamplesError)
    await expect(decoding).rejects.toMatchObject({ percent: 50 })
  })

  it('stops at once when it is aborted', async () => {
    const file = writeFloatWav(at('long.wav'), songLike(20), 44_100)
    const facts = await factsOf(file)
    const stop = new AbortController()
    const decoding = decodeSong(ffmpeg, file, facts, {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('off')),
    })
    await expect(decoding).rejects.toThrow('off')
  })
})

describe('changing the rate', () => {
  it.each([
    [8000, 44_100],
    [22_050, 44_100],
    [44_101, 44_100],
    [64_000, 48_000],
    [176_400, 88_200],
    [192_000, 96_000],
  ])('from %i to %i Hz keeps length, level and place of a tone', async (fromHz, toHz) => {
    const make = (rateHz: number) => [sine(997, rateHz, 2, 0.5), sine(333, rateHz, 2, 0.4)]
    const original = { channels: make(fromHz), frames: 2 * fromHz, sampleRateHz: fromHz }
    const { channels, frames, sampleRateHz } = await changeRate(ffmpeg, original, toHz)
    expect({ frames, sampleRateHz }).toEqual({ frames: 2 * toHz, sampleRateHz: toHz })
    const expected = make(toHz)
    for (const [c, samples] of channels.entries()) {
      expect(largest(5000, frames - 5000, (i) => samples[i]! - expected[c]![i]!)).toBeLessThan(1e-4)
    }
  })

  it.each([32_000, 192_000])('from %i Hz frees the memory of the original at once', async (fromHz) => {
    const channels = [sine(997, fromHz, 1, 0.5), sine(333, fromHz, 1, 0.4)]
    const made = await changeRate(ffmpeg, { channels, frames: fromHz, sampleRateHz: fromHz }, 48_000)
    expect(channels.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0])
    for (const { buffer } of made.channels) {
      expect(buffer).toBeInstanceOf(SharedArrayBuffer)
      expect(buffer.byteLength).toBe(4 * 48_000)
    }
  })
})

describe('lowering the rate', () => {
  it('keeps length, level and position of a tone, and is the same every time', async () => {
    const make = () => {
      const channels = [sine(1000, 48_000, 2, 0.8), sine(333, 48_000, 2, 0.4)]
      return { channels, frames: channels[0]!.length, sampleRateHz: 48_000 }
    }
    const first = await lowerRate(ffmpeg, make(), 44_100)
    const second = await lowerRate(ffmpeg, make(), 44_100)
    expect(first.frames).toBe(88_200)
    expect(first.channels).toEqual(second.channels)
    const expected = [sine(1000, 44_100, 2, 0.8), sine(333, 44_100, 2, 0.4)]
    for (const [c, samples] of first.channels.entries()) {
      expect(largest(5000, 83_000, (i) => samples[i]! - expected[c]![i]!)).toBeLessThan(1e-4)
    }
  })

  it('leaves silence after the last frame if the converter ends early', async () => {
    // As ffmpeg's own does, halving an odd number of frames: the last frame's place held the middle of the song.
    const channels = [0, 1].map(() => new Float32Array(17_641).fill(0.5, 0, 12_000))
    const audio = { channels, frames: 17_641, sampleRateHz: 176_400 }
    const lowered = await lowerRate({ ...ffmpeg, hasSoxr: false }, audio, 88_200)
    expect(lowered.frames).toBe(8821)
    for (const samples of lowered.channels) expect(Math.abs(samples.at(-1)!)).toBeLessThan(1e-6)
  })

  it('refuses a higher rate', async () => {
    const tone = sine(1000, 44_100, 1, 0.8)
    const audio = { channels: [tone, tone], frames: tone.length, sampleRateHz: 44_100 }
    await expect(lowerRate(ffmpeg, audio, 48_000)).rejects.toThrow(RangeError)
  })
})

describe('a damaged file', () => {
  const seconds = 6
  const makeBoth = (name: string, encoding: string[], damage: (bytes: Buffer) => void) => {
    writeFloatWav(at(`${name}.wav`), songLike(seconds), 44_100)
    const whole = at(`${name}-whole.${name.split('-')[0]}`)
    runPlain('-i', at(`${name}.wav`), ...encoding, whole)
    const bytes = readFileSync(whole)
    damage(bytes)
    const damaged = at(`${name}-damaged.${name.split('-')[0]}`)
    writeFileSync(damaged, bytes)
    return { whole, damaged }
  }
  const flipOneBit = (bytes: Buffer, place = Math.floor(bytes.length / 2)) => {
    bytes[place]! ^= 16
  }
  const blank = (bytes: Buffer, part: number, length: number) => {
    const start = Math.floor(bytes.length * part)
    bytes.fill(0, start, start + length)
  }

  // ffmpeg puts 8 kB of padding before the first frame.
  it.each([
    ['a turned bit', (bytes: Buffer) => flipOneBit(bytes)],
    ['a turned bit in its first frame', (bytes: Buffer) => flipOneBit(bytes, 9000)],
    ['a hole', (bytes: Buffer) => blank(bytes, 0.4, 5000)],
  ])('of FLAC with %s is silent there, whole elsewhere and as long', async (what, damage) => {
    const { whole, damaged } = makeBoth(`flac-${what.replaceAll(' ', '')}`, ['-c:a', 'flac'], damage)
    const facts = await factsOf(damaged)
    expect(facts.frames).toBe(seconds * 44_100)
    expect(facts.damagedSeconds).toBeGreaterThan(0.02)
    expect(facts.damagedSeconds).toBeLessThan(1)
    expect(facts.claimedSeconds).toBeUndefined()

    const expected = (await decode(whole)).audio.channels[0]
    const { channels, frames } = (await decode(damaged)).audio
    expect(frames).toBe(seconds * 44_100)
    let differing = 0
    for (let i = 0; i < frames; i++) if (channels[0][i] !== expected[i]) differing++
    // ffmpeg before 7 puts up to three good frames beside a hole at a wrong place.
    expect(differing / 44_100).toBeLessThan(facts.damagedSeconds! + 4 * 0.105)
    const peak = (samples: Float32Array) => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    expect(peak(channels[0])).toBeLessThanOrEqual(peak(expected))
  })

  it('of FLAC keeps its length, also at a low rate', async () => {
    writeFloatWav(at('low.wav'), songLike(4, 32_000), 32_000)
    runPlain('-i', at('low.wav'), at('low.flac'))
    const bytes = readFileSync(at('low.flac'))
    flipOneBit(bytes)
    writeFileSync(at('low.flac'), bytes)
    expect((await decode(at('low.flac'))).audio.frames).toBe(4 * 32_000)
  })

  it('of FLAC without damage reports none', async () => {
    const { whole } = makeBoth('flac-whole', [], () => {})
    expect((await factsOf(whole)).damagedSeconds).toBeUndefined()
  })

  it('of MP3 reports how much is missing', async () => {
    const { whole, damaged } = makeBoth('mp3-hole', ['-b:a', '192k'], (bytes) => blank(bytes, 0.5, 6000))
    expect((await factsOf(whole)).damagedSeconds).toBeUndefined()
    const facts = await factsOf(damaged)
    const missing = seconds - facts.durationSeconds
    expect(missing).toBeGreaterThan(0.1)
    expect(Math.abs(facts.damagedSeconds! - missing)).toBeLessThan(0.1)
    expect((await decode(damaged)).audio.frames).toBe(facts.frames)
  })

  it('of MP3 that lost more than a second in the middle is not reported as cut short', async () => {
    const { damaged } = makeBoth('mp3-large', ['-b:a', '192k'], (bytes) => blank(bytes, 0.3, 40_000))
    const facts = await factsOf(damaged)
    expect(facts.damagedSeconds).toBeGreaterThan(1)
    expect(facts.claimedSeconds).toBeUndefined()
  })
})

describe('counting frames', () => {
  it('stops at a small file that decodes to more than the limit', async () => {
    runPlain('-f', 'lavfi', '-i', 'anullsrc=r=44100:cl=mono', '-t', '900', at('bomb.flac'))
    const song = { path: at('bomb.flac'), format: 'flac', codec: 'flac' } as const
    expect(await countFrames(ffmpeg, song, 44_100, 20)).toEqual({ frames: 20 * 44_100, lostFrames: 0 })
  })
})

describe('samples that stand far above a song', () => {
  const frames = 1.6 * 44_100
  const places = [0, 100, frames / 2, frames - 1]
  const song = songLike(1.6, 44_100, 1)
  const highest = Math.max(...song.map((samples) => Math.max(...samples.map(Math.abs))))
  /** Finds and bridges damage of so many samples at every place in turn, and returns the places at which anything is left of it. */
  const leftOf = (gain: number, height: number, length: number): number[] =>
    places.filter((place) => {
      const channels = song.map((samples) => samples.map((sample) => gain * sample))
      for (let i = 0; i < length && place + i < frames; i++)
        channels[i % 2]![place + i] = i % 3 === 1 ? -height : height
      const gaps = findDamage(channels, 44_100)
      expect(placesOf(gaps.flat())).toEqual([place])
      for (const [c, samples] of channels.entries()) bridgeGaps(samples, gaps[c]!)
      return channels.some((samples) => samples.some((sample) => Math.abs(sample) > 1.01 * gain * highest))
    })

  it.each([
    ['85 dB above full scale', 0.35, 17_800],
    ['30 dB above full scale', 0.35, 32],
    ['at full scale in a very quiet song', 0.0005, 1],
    ['at the top of 16 bits as floats, in a quiet song of such', 0.0005 * 32_768, 32_767],
  ])('are bridged wherever they lie and are named: %s', (_, gain, height) => {
    for (const length of [1, 2, 20]) expect(leftOf(gain, height, length)).toEqual([])
  })

  it.each([
    ['peaks of 12 dB above full scale', songLike(1.6, 44_100, 4)],
    ['integers of 16 bits as floats', songLike(1.6, 44_100, 32_768)],
    ['integers of 32 bits as floats', songLike(1.6, 44_100, 2 ** 31)],
    ['a single drum in silence, 60 dB above its noise', drum()],
    ['clicks that come often over a quiet sound', clicking(8)],
    ['a click in silence', [Float32Array.from({ length: 70_560 }, (_, i) => (i === 4000 ? 1 : 0))]],
  ])('are not found among %s', (_, channels) => {
    expect(findDamage(channels, 44_100).flat()).toEqual([])
  })

  /** A drum of 80 ms that begins at its full height. */
  function drum(): Float32Array[] {
    const samples = songLike(1.6, 44_100, 0.0005)[0]!
    for (let i = 0; i < 3500; i++)
      samples[20_000 + i]! += Math.exp(-i / 600) * Math.cos((2 * Math.PI * 190 * i) / 44_100)
    return [samples]
  }

  function clicking(count: number): Float32Array[] {
    const samples = songLike(1.6, 44_100, 0.005)[0]!
    for (let i = 0; i < count; i++) samples[3000 + 8000 * i] = 0.9
    return [samples]
  }
})

describe('bridging', () => {
  it('draws a straight line between the neighbours, from silence at the edges', () => {
    const samples = Float32Array.from([Number.NaN, 0.5, Number.NaN, Number.NaN, Number.NaN, 0.1, Number.NaN])
    const [gaps] = findDamage([samples], 44_100)
    expect(gaps!.map(({ frames }) => frames)).toEqual([1, 3, 1])
    bridgeGaps(samples, gaps!)
    const expected = [0.25, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05]
    for (const [i, value] of expected.entries()) expect(samples[i]).toBeCloseTo(value, 6)
  })
})
