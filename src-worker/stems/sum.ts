/** The sum of decoded stems. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import type { AudioBlock } from '../../src-engine/dsp/block.ts'
import type { SongTags } from '../media/audio-facts.ts'
import type { Cover } from '../media/tags.ts'
import { createWavWriter } from '../media/wav.ts'
import type { WrittenFile } from '../media/written-file.ts'

/** A decoded stem on disk: interleaved float32 samples of two channels, in the byte order of this machine. */
export interface DecodedStem {
  readonly path: string
  readonly frames: number
}

/** Frames that are worked on at a time. */
const BLOCK_FRAMES = 1 << 16
const CHANNELS = 2
const FRAME_BYTES = CHANNELS * Float32Array.BYTES_PER_ELEMENT

/** Writes a decoded stem; an existing file is replaced. Throws the system's error. */
export function writeDecodedStem(path: string, { channels, frames }: AudioBlock): DecodedStem {
  const [left, right] = channels
  const block = new Float32Array(CHANNELS * BLOCK_FRAMES)
  const file = openSync(path, 'w', 0o600)
  try {
    for (let start = 0; start < frames; start += BLOCK_FRAMES) {
      const count = Math.min(BLOCK_FRAMES, frames - start)
      for (let i = 0; i < count; i++) {
        block[2 * i] = left![start + i]!
        block[2 * i + 1] = right![start + i]!
      }
      const bytes = new Uint8Array(block.buffer, 0, count * FRAME_BYTES)
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    }
  } finally {
    closeSync(file)
  }
  return { path, frames }
}

/**
 * Writes the sum of stems of one rate as a WAV of 32 bit float: as long as the longest, shorter ones padded with silence at their end, added
 * in float64 in the given order and rounded once. Nothing is clipped. Memory does not depend on their number or length. Throws the system's
 * error, an Error for a file that has become shorter, and the reason of an aborted `signal`.
 */
export async function writeSum(
  path: string,
  stems: readonly DecodedStem[],
  sampleRateHz: number,
  labels: { readonly tags: SongTags; readonly cover?: Cover | undefined },
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress?: (part: number) => void },
): Promise<WrittenFile & { readonly frames: number }> {
  const frames = Math.max(...stems.map((stem) => stem.frames))
  const sum = new Float64Array(CHANNELS * BLOCK_FRAMES)
  const block = new Float32Array(CHANNELS * BLOCK_FRAMES)
  const opened: { readonly file: number; readonly frames: number }[] = []
  const writer = createWavWriter(path, { sampleRateHz, bitDepth: 32, frames }, labels)
  try {
    for (const stem of stems) opened.push({ file: openSync(stem.path, 'r'), frames: stem.frames })
    for (let start = 0; start < frames; start += BLOCK_FRAMES) {
      signal.throwIfAborted()
      const count = Math.min(BLOCK_FRAMES, frames - start)
      sum.fill(0)
      for (const { file, frames: own } of opened) {
        const samples = CHANNELS * Math.max(0, Math.min(count, own - start))
        readBlock(file, block, samples, start)
        for (let i = 0; i < samples; i++) sum[i]! += block[i]!
      }
      for (let i = 0; i < CHANNELS * count; i++) block[i] = sum[i]!
      writer.write(new Uint8Array(block.buffer, 0, count * FRAME_BYTES))
      onProgress?.((start + count) / frames)
      // Reading and writing are synchronous: without a turn of the event loop no abort would arrive.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { ...writer.finish(), frames }
  } catch (error) {
    writer.abandon()
    throw error
  } finally {
    for (const { file } of opened) closeSync(file)
  }
}

function readBlock(file: number, block: Float32Array, samples: number, startFrame: number): void {
  const bytes = new Uint8Array(block.buffer, 0, samples * Float32Array.BYTES_PER_ELEMENT)
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(file, bytes, done, bytes.length - done, startFrame * FRAME_BYTES + done)
    if (count === 0) throw new Error('a decoded stem ends too early')
    done += count
  }
}
