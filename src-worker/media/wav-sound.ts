/** The sound of a WAV on disk, without its other chunks. */
import { type FileHandle, open } from 'node:fs/promises'
import { inFrames, readLater, readWave, type WaveFile } from '../../src-engine/dsp/riff.ts'
import { piecesIn, readAt } from './file-bytes.ts'
import { type PcmLayout, pcmLayout } from './pcm-layout.ts'

/** Returns the chunks of an open WAV; undefined for any other file. Throws the system's error. */
export async function readWaveFile(handle: FileHandle): Promise<WaveFile | undefined> {
  const { size } = await handle.stat()
  return readLater(readWave(size), (offset, length) => readAt(handle, offset, length))
}

/** The sound of a WAV: the layout of its samples, and their bytes in pieces of any size, whole frames in all, each valid until the next. */
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
    return { layout, pieces: piecesIn(path, inFrames(wave.sound, layout.frameBytes)) }
  } finally {
    await handle.close()
  }
}
