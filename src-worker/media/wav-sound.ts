/** The sound of a WAV on disk, without its other chunks. */
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
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

/**
 * Returns the sample layout of a WAV and a stream of the bare samples, whole frames; undefined without samples. Throws the system's error,
 * as the stream does, and an Error if the file has become shorter since.
 */
export async function openWavSound(path: string): Promise<{ layout: PcmLayout; samples: Readable } | undefined> {
  const handle = await open(path, 'r')
  try {
    const wave = await readWaveFile(handle)
    const layout = wave?.format && pcmLayout(wave.format)
    if (!wave || !layout || layout.frameBytes === 0) return undefined
    return { layout, samples: Readable.from(samplesIn(path, inFrames(wave.sound, layout.frameBytes))) }
  } finally {
    await handle.close()
  }
}

async function* samplesIn(path: string, ranges: readonly ByteRange[]): AsyncGenerator<Buffer> {
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
