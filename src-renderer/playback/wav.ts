/** Samples of a WAV without decoding it as a whole: its layout, and any run as floats. Pure. */
import { type ByteRange, FLOAT, inFrames, PCM, type WaveFile } from '../../src-engine/dsp/riff.ts'

export interface WavLayout {
  readonly sampleRateHz: number
  readonly channels: number
  readonly bitsPerSample: number
  readonly isFloat: boolean
  /** Ranges of the samples in the file, in order: whole frames. */
  readonly sound: readonly ByteRange[]
  readonly frames: number
}

/** Returns the layout of a file; null unless it is a WAV in PCM (16, 24, 32 bit) or 32-bit float. */
export function wavLayout(wave: WaveFile | undefined): WavLayout | null {
  if (!wave?.format) return null
  const { tag, channels, sampleRateHz, bitsPerSample } = wave.format
  const isFloat = tag === FLOAT
  const isReadable = isFloat ? bitsPerSample === 32 : tag === PCM && [16, 24, 32].includes(bitsPerSample)
  if (!isReadable || channels < 1 || channels > 2 || sampleRateHz < 1) return null
  const frameBytes = (channels * bitsPerSample) / 8
  const sound = inFrames(wave.sound, frameBytes)
  const frames = sound.reduce((sum, { length }) => sum + length, 0) / frameBytes
  return frames === 0 ? null : { sampleRateHz, channels, bitsPerSample, isFloat, sound, frames }
}

/** Bytes before the samples of an integer PCM WAV without tags. */
const PLAIN_HEAD_BYTES = 44

/** Returns the layout of a stereo integer PCM WAV without tags. Pure. */
export function plainLayout(format: Pick<WavLayout, 'sampleRateHz' | 'bitsPerSample'>, frames: number): WavLayout {
  const length = (frames * 2 * format.bitsPerSample) / 8
  return { ...format, channels: 2, isFloat: false, frames, sound: [{ offset: PLAIN_HEAD_BYTES, length }] }
}

/** Returns the file ranges of the bytes [from, to) of the sound. */
export function rangesOfSound(sound: readonly ByteRange[], from: number, to: number): ByteRange[] {
  let before = 0
  return sound.flatMap(({ offset, length }) => {
    const start = Math.max(0, from - before)
    const end = Math.min(length, to - before)
    before += length
    return end > start ? [{ offset: offset + start, length: end - start }] : []
  })
}

/** Two channels of equal length; mono is the same array twice. */
export interface Stereo {
  readonly left: Float32Array
  readonly right: Float32Array
}

function sampleReader(view: DataView, { isFloat, bitsPerSample }: WavLayout): (at: number) => number {
  if (isFloat) return (at) => view.getFloat32(at, true)
  if (bitsPerSample === 16) return (at) => view.getInt16(at, true) / 0x8000
  if (bitsPerSample === 32) return (at) => view.getInt32(at, true) / 0x80000000
  return (at) => (view.getInt16(at + 1, true) * 256 + view.getUint8(at)) / 0x800000
}

/** Returns the whole frames in `bytes` (interleaved, beginning at a frame) as floats, full scale 1. Never throws. */
export function readWavFrames(bytes: Uint8Array, layout: WavLayout): Stereo {
  const width = layout.bitsPerSample / 8
  const frames = Math.floor(bytes.length / (width * layout.channels))
  const read = sampleReader(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), layout)
  const step = width * layout.channels
  const left = new Float32Array(frames)
  for (let i = 0; i < frames; i++) left[i] = read(i * step)
  if (layout.channels === 1) return { left, right: left }
  const right = new Float32Array(frames)
  for (let i = 0; i < frames; i++) right[i] = read(i * step + width)
  return { left, right }
}
