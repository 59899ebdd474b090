/** The sum of decoded stems. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import type { Audio, AudioBlock } from '../../src-engine/dsp/block.ts'
import type { SongTags } from './audio-facts.ts'
import type { Allocate } from './samples.ts'
import { type DecodedStem, FRAME_BYTES, type StemGains } from './stem-lanes.ts'
import type { Cover } from './tags.ts'
import { createWavWriter } from './wav.ts'
import type { WrittenFile } from './written-file.ts'

/** Frames that are worked on at a time. */
const BLOCK_FRAMES = 1 << 16
const CHANNELS = 2

/**
 * Writes blocks of `frames` frames in all, interleaved, as a decoded stem; an existing file is replaced. Throws the system's error, and as
 * `blocks` does.
 */
export function writeDecodedStem(path: string, blocks: Iterable<Float64Array>, frames: number): DecodedStem {
  const bytesOf = createRounding()
  const file = openSync(path, 'w', 0o600)
  try {
    for (const block of blocks) {
      const bytes = bytesOf(block)
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    }
  } finally {
    closeSync(file)
  }
  return { path, frames, gains: [1, 1] }
}

/** Returns a function that rounds samples to float32 and returns their bytes, which are valid until its next call. */
function createRounding(): (block: Float64Array) => Uint8Array {
  let rounded = new Float32Array()
  return (block) => {
    if (rounded.length < block.length) rounded = new Float32Array(block.length)
    rounded.set(block)
    return new Uint8Array(rounded.buffer, 0, block.length * Float32Array.BYTES_PER_ELEMENT)
  }
}

/** Yields audio block by block, interleaved; each block is valid until the next. */
export function* blocksOf({ channels: [left, right], frames }: AudioBlock): Generator<Float64Array, void> {
  const block = new Float64Array(CHANNELS * BLOCK_FRAMES)
  for (let start = 0; start < frames; start += BLOCK_FRAMES) {
    const count = Math.min(BLOCK_FRAMES, frames - start)
    for (let i = 0; i < count; i++) {
      block[CHANNELS * i] = left![start + i]!
      block[CHANNELS * i + 1] = right![start + i]!
    }
    yield block.subarray(0, CHANNELS * count)
  }
}

/** Returns blocks of `frames` frames in all, interleaved, as one piece of audio in memory of `allocate`. */
export function audioOfBlocks(
  blocks: Iterable<Float64Array>,
  { frames, sampleRateHz }: Pick<Audio, 'frames' | 'sampleRateHz'>,
  allocate: Allocate,
): Audio {
  const [left, right] = [allocate(frames), allocate(frames)]
  let at = 0
  for (const block of blocks)
    for (let i = 0; i < block.length; i += CHANNELS, at++) {
      left[at] = block[i]!
      right[at] = block[i + 1]!
    }
  return { channels: [left, right], frames, sampleRateHz }
}

/**
 * Yields the sum of stems up to `frames` block by block, interleaved: shorter stems padded with silence at their end, added in float64 in the
 * given order.
 * Each block is valid until the next. Memory does not depend on the number or length of the stems. Throws the system's error, and an Error
 * for a file that has become shorter.
 */
export function* sumBlocks(
  stems: readonly DecodedStem[],
  frames: number,
  firstFrame = 0,
): Generator<Float64Array, void> {
  const sum = new Float64Array(CHANNELS * BLOCK_FRAMES)
  const block = new Float32Array(CHANNELS * BLOCK_FRAMES)
  const opened: { readonly file: number; readonly frames: number; readonly gains: StemGains }[] = []
  try {
    for (const { path: file, gains, frames: own } of stems)
      if (gains) opened.push({ file: openSync(file, 'r'), frames: own, gains })
    for (let start = firstFrame; start < frames; start += BLOCK_FRAMES) {
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
  const bytesOf = createRounding()
  const writer = createWavWriter(path, { sampleRateHz, bitDepth: 32, frames }, labels)
  try {
    let written = 0
    for (const block of blocks) {
      signal.throwIfAborted()
      writer.write(bytesOf(block))
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
