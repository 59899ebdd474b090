/** The sound of a WAV on disk, without its other chunks. */
import { type FileHandle, open } from 'node:fs/promises'
import { type ByteRange, inFrames, readLater, readWave, type WaveFile } from '../../src-engine/dsp/riff.ts'
import { readAt } from './file-bytes.ts'
import { type PcmLayout, pcmLayout } from './pcm-layout.ts'

/** Returns the chunks of an open WAV; undefined for any other file. Throws the system's error. */
export async function readWaveFile(handle: FileHandle): Promise<WaveFile | undefined> {
  const { size } = await handle.stat()
  return readLater(readWave(size), (offset, length) => readAt(handle, offset, length))
}

/** Size of the chunks that are passed on, bytes. */
const PIECE_BYTES = 1 << 18

/** The sound of a WAV: the layout of its samples, and their bytes in pieces of any size, whole frames in all. */
export interface WavSound {
  readonly layout: PcmLayout
  readonly pieces: AsyncIterable<Buffer>
}

/**
 * Returns the sound of a WAV; undefined without samples. Throws the system's error, as its pieces do, and these an Error if the file has
 * become shorter since.
 */
export async function openWavSound(path: string): Promise<WavSound | undefined> {
  const handle = await open(path, 'r')
  try {
    const wave = await readWaveFile(handle)
    const layout = wave?.format && pcmLayout(wave.format)
    if (!wave || !layout || layout.frameBytes === 0) return undefined
    return { layout, pieces: piecesOf(path, inFrames(wave.sound, layout.frameBytes)) }
  } finally {
    await handle.close()
  }
}

async function* piecesOf(path: string, ranges: readonly ByteRange[]): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r')
  try {
    for (const { offset, length } of ranges) {
      for (let at = 0; at < length; ) {
        const piece = await readAt(handle, offset + at, Math.min(PIECE_BYTES, length - at))
        if (piece.length === 0) throw new Error('the file ends before its samples do')
        at += piece.length
        yield piece
      }
    }
  } finally {
    await handle.close()
  }
}
