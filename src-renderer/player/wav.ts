/** Reading WAV without decoding it as a whole: where the samples lie, and any run of them as floats. Pure. */

export interface WavLayout {
  readonly sampleRateHz: number
  readonly channels: number
  readonly bitsPerSample: number
  readonly isFloat: boolean
  /** Byte offset of the first sample in the file. */
  readonly dataStart: number
  readonly frames: number
}

/** The layout is not known yet: the file is to be read on from the byte `at`, with what the bytes before it said. */
export interface WavNeedsMore {
  readonly at: number
  readonly said: WavSaid
}

/** Facts in the chunks before the samples. */
interface WavSaid {
  readonly format?: { tag: number; channels: number; sampleRateHz: number; bitsPerSample: number }
  readonly longDataBytes?: number
}

const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe

const FORMAT_BYTES = 40

/**
 * Returns the layout of a RIFF, RF64 or BW64 WAV of `fileBytes` from its first bytes, or from those at the place that it asked for
 * before; `{at}` when `data` begins later than what is given; null when it is no WAV, or one of an encoding other than PCM (16, 24,
 * 32 bit) or 32-bit float. Samples whose size is not said, or is more than the file holds, reach to its end. Never throws.
 * Sources: Microsoft RIFF/WAVE (mmreg.h), EBU Tech 3306 (RF64), ITU-R BS.2088 (BW64).
 */
export function readWavLayout(
  bytes: Uint8Array,
  fileBytes: number,
  from: WavNeedsMore = { at: 0, said: {} },
): WavLayout | WavNeedsMore | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const word = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4))
  const isStart = from.at === 0
  if (isStart && (bytes.length < 12 || !['RIFF', 'RF64', 'BW64'].includes(word(0)) || word(8) !== 'WAVE')) return null
  let at = isStart ? 12 : 0
  let said = from.said
  while (at + 8 <= bytes.length) {
    const name = word(at)
    const size = view.getUint32(at + 4, true)
    const body = at + 8
    if (name === 'data') return layoutOf(said, size, from.at + body, fileBytes)
    if (name === 'ds64' || name === 'fmt ') {
      if (body + Math.max(16, Math.min(size, FORMAT_BYTES)) > bytes.length) break
      if (name === 'ds64') said = { ...said, longDataBytes: Number(view.getBigUint64(body + 8, true)) }
      else said = { ...said, format: readFormat(view, body, size) }
    }
    at = body + size + (size % 2)
  }
  return { at: from.at + at, said }
}

function readFormat(view: DataView, body: number, size: number): NonNullable<WavSaid['format']> {
  const outer = view.getUint16(body, true)
  return {
    tag: outer === EXTENSIBLE && size >= FORMAT_BYTES ? view.getUint16(body + 24, true) : outer,
    channels: view.getUint16(body + 2, true),
    sampleRateHz: view.getUint32(body + 4, true),
    bitsPerSample: view.getUint16(body + 14, true),
  }
}

function layoutOf(
  { format, longDataBytes }: WavSaid,
  size: number,
  start: number,
  fileBytes: number,
): WavLayout | null {
  const { tag, channels, sampleRateHz, bitsPerSample } = format ?? {}
  const isFloat = tag === FLOAT
  const isReadable = isFloat ? bitsPerSample === 32 : tag === PCM && [16, 24, 32].includes(bitsPerSample ?? 0)
  if (!isReadable || !channels || channels > 2 || !sampleRateHz || !bitsPerSample) return null
  const claimed = size === 0xffffffff && longDataBytes !== undefined ? longDataBytes : size
  // Programs that write into a pipe put 0, or 2³¹ or 2³² bytes, less a little, for a size that they cannot know.
  const dataBytes = Math.min(claimed || Number.POSITIVE_INFINITY, fileBytes - start)
  const frames = Math.floor(dataBytes / ((channels * bitsPerSample) / 8))
  return { sampleRateHz, channels, bitsPerSample, isFloat, dataStart: start, frames }
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
