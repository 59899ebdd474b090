/** The sum of decoded stems. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import type { AudioBlock } from '../../src-engine/dsp/block.ts'
import type { SongTags } from '../media/audio-facts.ts'
import type { Cover } from '../media/tags.ts'
import { createWavWriter } from '../media/wav.ts'
import type { WrittenFile } from '../media/written-file.ts'
import type { StemGains } from './treat-stem.ts'

/** A decoded stem on disk: interleaved float32 samples of two channels, in the byte order of this machine. */
export interface DecodedStem {
  readonly path: string
  readonly frames: number
  /** Gains with which it is added, left and right; null leaves it out, but for its length. */
  readonly gains: StemGains | null
}

/** Frames that are worked on at a time. */
const BLOCK_FRAMES = 1 << 16
const CHANNELS = 2
const FRAME_BYTES = CHANNELS * Float32Array.BYTES_PER_ELEMENT

/** Writes a decoded stem; an existing file is replaced. Throws the system's error. */
export function writeDecodedStem(path: string, { channels, frames }: AudioBlock, gains: StemGains | null): DecodedStem {
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
  return { path, frames, gains }
}

/**
 * Yields the sum of stems block by block, interleaved: shorter stems padded with silence at their end, added in float64 in the given order.
 * Each block is valid until the next. Memory does not depend on the number or length of the stems. Throws the system's error, and an Error
 * for a file that has become shorter.
 */
export function* sumBlocks(stems: readonly DecodedStem[], frames: number): Generator<Float64Array, void> {
  const sum = new Float64Array(CHANNELS * BLOCK_FRAMES)
  const block = new Float32Array(CHANNELS * BLOCK_FRAMES)
  const opened: { readonly file: number; readonly frames: number; readonly gains: StemGains }[] = []
  try {
    for (const { path: file, gains, frames: own } of stems)
      if (gains) opened.push({ file: openSync(file, 'r'), frames: own, gains })
    for (let start = 0; start < frames; start += BLOCK_FRAMES) {
      const count = Math.min(BLOCK_FRAMES, frames - start)
      sum.fill(0)
      for (const { file, frames: own, gains } of opened) {
        const samples = CHANNELS * Math.max(0, Math.min(count, own - start))
        readBlock(file, block, samples, start)
        const [left, right] = gains
        for (let i = 0; i < samples; i += 2) {
          sum[i]! += block[i]! * left
          sum[i + 1]! += block[i + 1]! * right
        }
      }
      yield sum.subarray(0, CHANNELS * count)
    }
  } finally {
    for (const { file } of opened) closeSync(file)
  }
}

/**
 * Writes blocks of `frames` frames in all as a WAV of 32 bit float, each sample rounded once. Nothing is clipped. Throws the system's error,
 * as `blocks` does, and the reason of an aborted `signal`.
 */
export async function writeMix(
  path: string,
  blocks: Iterable<Float64Array>,
  { sampleRateHz, frames }: { readonly sampleRateHz: number; readonly frames: number },
  labels: { readonly tags: SongTags; readonly cover?: Cover | undefined },
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress?: (part: number) => void },
): Promise<WrittenFile> {
  const writer = createWavWriter(path, { sampleRateHz, bitDepth: 32, frames }, labels)
  try {
    let written = 0
    for (const block of blocks) {
      signal.throwIfAborted()
      writer.write(new Uint8Array(Float32Array.from(block).buffer))
      written += block.length / CHANNELS
      onProgress?.(written / frames)
      // Reading and writing are synchronous: without a turn of the event loop no abort would arrive.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return writer.finish()
  } catch (error) {
    writer.abandon()
    throw error
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
