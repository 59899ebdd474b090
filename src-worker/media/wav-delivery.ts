/** Facts of a written WAV that recipients ask for: its format, its tags, and the silence at its edges. */
import { type FileHandle, open } from 'node:fs/promises'
import { type ByteRange, inFrames, type WaveFile } from '../../src-engine/dsp/riff.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import { readAt } from './file-bytes.ts'
import { type PcmLayout, pcmLayout } from './pcm-layout.ts'
import { readWaveFile } from './wav-sound.ts'

export interface WavDelivery {
  /** Format code in the file: 0xFFFE for an extensible one. */
  readonly formatCode: number
  /** True if anything but the samples follows the start of the first `data` chunk. */
  readonly hasBytesAfterAudio: boolean
  readonly hasTags: boolean
  readonly bitDepth: number
  readonly sampleRateHz: number
  readonly channels: number
  readonly sizeBytes: number
  readonly durationSeconds: number
  /** Silence at the start, s; the whole length of a silent file. */
  readonly silenceStartSeconds: number
  readonly silenceEndSeconds: number
}

const EXTENSIBLE = 0xfffe
/** Chunks about the song (docs of each: RIFF INFO, ID3v2, EBU Tech 3285, iXML, EBU Tech 3352). */
const TAG_CHUNKS: readonly string[] = ['LIST', 'id3 ', 'ID3 ', 'bext', 'iXML', 'axml', 'aXML', 'DISP']
/** Magnitude below which samples are silence, −60 dBFS: the same as in the analysis of a song's edges. */
export const SILENCE = dbToGain(-60)
/** Bytes that are read at a time on the way to the first sound. */
const PIECE_BYTES = 1 << 16

type ReadSample = (bytes: Buffer, offset: number) => number

/** Readers of samples, full scale 1, by the name of their layout. */
const SAMPLES: Readonly<Record<string, ReadSample>> = {
  pcm_u8: (bytes, offset) => (bytes.readUInt8(offset) - 128) / 128,
  pcm_s16: (bytes, offset) => bytes.readInt16LE(offset) / 2 ** 15,
  pcm_s24: (bytes, offset) => bytes.readIntLE(offset, 3) / 2 ** 23,
  pcm_s32: (bytes, offset) => bytes.readInt32LE(offset) / 2 ** 31,
  pcm_f32: (bytes, offset) => bytes.readFloatLE(offset),
  pcm_f64: (bytes, offset) => bytes.readDoubleLE(offset),
}

/** Returns the facts of a WAV; undefined for other files, and without samples. Only its edges are read. Throws the system's error. */
export async function readWavDelivery(path: string): Promise<WavDelivery | undefined> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const wave = await readWaveFile(handle)
    const layout = wave?.format && pcmLayout(wave.format)
    if (!wave?.format || !layout || layout.frameBytes === 0) return undefined
    const ranges = inFrames(wave.sound, layout.frameBytes)
    const frames = ranges.reduce((sum, { length }) => sum + length, 0) / layout.frameBytes
    if (frames === 0) return undefined
    const quietFrames = async (isFromEnd: boolean) =>
      (await silentBytes(handle, ranges, layout, isFromEnd)) / layout.frameBytes
    return {
      formatCode: wave.format.validBitsPerSample === undefined ? wave.format.tag : EXTENSIBLE,
      hasBytesAfterAudio: hasBytesAfterAudio(wave),
      hasTags: wave.chunks.some(({ name }) => TAG_CHUNKS.includes(name)),
      bitDepth: layout.bitDepth,
      sampleRateHz: layout.sampleRateHz,
      channels: layout.channels,
      sizeBytes: size,
      durationSeconds: frames / layout.sampleRateHz,
      silenceStartSeconds: (await quietFrames(false)) / layout.sampleRateHz,
      silenceEndSeconds: (await quietFrames(true)) / layout.sampleRateHz,
    }
  } finally {
    await handle.close()
  }
}

function hasBytesAfterAudio({ sound, chunks, strayBytes }: WaveFile): boolean {
  const [first] = sound.flat()
  return (
    strayBytes > 0 ||
    sound.flat().length > 1 ||
    chunks.some(({ offset }) => first !== undefined && offset > first.offset)
  )
}

/** Returns the bytes of the whole frames of silence at one end. */
async function silentBytes(
  handle: FileHandle,
  ranges: readonly ByteRange[],
  { frameBytes, channels, codec }: PcmLayout,
  isFromEnd: boolean,
): Promise<number> {
  const sampleBytes = frameBytes / channels
  const pieceBytes = Math.max(1, Math.floor(PIECE_BYTES / frameBytes)) * frameBytes
  const read = SAMPLES[codec]!
  let silent = 0
  for (const { offset, length } of isFromEnd ? ranges.toReversed() : ranges) {
    for (let done = 0; done < length; done += pieceBytes) {
      const count = Math.min(pieceBytes, length - done)
      const piece = await readAt(handle, offset + (isFromEnd ? length - done - count : done), count)
      const found = firstSound(piece, sampleBytes, read, isFromEnd)
      if (found !== undefined) return silent + Math.floor(found / frameBytes) * frameBytes
      silent += count
    }
  }
  return silent
}

/** Returns the number of silent bytes before the first sound of a piece, from either end; undefined for a silent piece. */
function firstSound(piece: Buffer, sampleBytes: number, read: ReadSample, isFromEnd: boolean): number | undefined {
  const count = Math.floor(piece.length / sampleBytes)
  for (let k = 0; k < count; k++) {
    const at = (isFromEnd ? count - 1 - k : k) * sampleBytes
    if (Math.abs(read(piece, at)) >= SILENCE) return k * sampleBytes
  }
  return undefined
}
