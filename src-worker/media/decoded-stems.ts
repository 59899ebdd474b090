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
/** Size of such a block in float64. */
const BLOCK_BYTES = CHANNELS * BLOCK_FRAMES * Float64Array.BYTES_PER_ELEMENT

/** Writes interleaved blocks as a decoded stem; an existing file is replaced. Throws the system's error, and as `blocks` does. */
export function writeDecodedStem(path: string, blocks: Iterable<Float64Array>): void {
  const bytesOf = createRounding()
  const file = openSync(path, 'w', 0o600)
  try {
    for (const block of blocks) writeAll(file, bytesOf(block))
  } finally {
    closeSync(file)
  }
}

function writeAll(file: number, bytes: Uint8Array, position?: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position === undefined ? null : position + done)
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

/** Longest sum in memory, bytes: six minutes at 44.1 kHz. */
const MOST_SUM_BYTES = 2 ** 28

/** Returns the room on disk of a {@link StemSum} of so many frames, bytes: none if it is short enough for memory. Pure. */
export function sumFileBytes(frames: number): number {
  const bytes = frames * CHANNELS * Float64Array.BYTES_PER_ELEMENT
  return bytes > MOST_SUM_BYTES ? bytes : 0
}

function addChannel(sum: Float64Array, channel: number, samples: Float32Array, gain: number): void {
  for (let i = 0, at = channel; i < samples.length; i++, at += CHANNELS) sum[at]! += samples[i]! * gain
}

/** A sum of stems in float64, which starts as silence; in memory, or in a file where one is given. Its methods throw the system's error. */
export class StemSum {
  readonly #blocks: Float64Array[] = []
  readonly #file: number | undefined

  /** An existing file is replaced. */
  constructor(path?: string) {
    this.#file = path === undefined ? undefined : openSync(path, 'w+', 0o600)
  }

  /** Adds audio from the first frame on. */
  add({ channels, frames }: AudioBlock, gains: StemGains = [1, 1]): void {
    for (let start = 0; start < frames; start += BLOCK_FRAMES) {
      const sum = this.#read(start / BLOCK_FRAMES)
      for (const [c, samples] of channels.entries())
        addChannel(sum, c, samples.subarray(start, start + BLOCK_FRAMES), gains[c]!)
      this.#write(start / BLOCK_FRAMES, sum)
    }
  }

  /** Adds sound from the first frame on, in blocks as those of {@link sumBlocks}. */
  addBlocks(blocks: Iterable<Float64Array>): void {
    let index = 0
    for (const block of blocks) {
      const sum = this.#read(index)
      for (let i = 0; i < block.length; i++) sum[i]! += block[i]!
      this.#write(index++, sum)
    }
  }

  /** Yields the sum up to `frames`, interleaved; each block is valid until the next. */
  *blocks(frames: number): Generator<Float64Array, void> {
    for (let start = 0; start < frames; start += BLOCK_FRAMES)
      yield this.#read(start / BLOCK_FRAMES).subarray(0, CHANNELS * Math.min(BLOCK_FRAMES, frames - start))
  }

  /** Has each block up to `frames` changed in place. */
  change(frames: number, change: (block: Float64Array) => void): void {
    let index = 0
    for (const block of this.blocks(frames)) {
      change(block)
      this.#write(index++, block)
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
  }

  #read(index: number): Float64Array {
    const held = this.#file === undefined ? index : 0
    this.#blocks[held] ??= new Float64Array(CHANNELS * BLOCK_FRAMES)
    const block = this.#blocks[held]
    if (this.#file === undefined) return block
    const bytes = new Uint8Array(block.buffer)
    // Beyond the end of the file is silence.
    bytes.fill(0, readAll(this.#file, bytes, index * BLOCK_BYTES))
    return block
  }

  #write(index: number, { buffer, byteLength }: Float64Array): void {
    if (this.#file === undefined) return
    writeAll(this.#file, new Uint8Array(buffer, 0, byteLength), index * BLOCK_BYTES)
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
  if (readAll(file, bytes, startFrame * FRAME_BYTES) < bytes.length) throw new Error('a decoded stem ends too early')
}

/** Reads until the bytes are full or the file ends, and returns how many were read. */
function readAll(file: number, bytes: Uint8Array, position: number): number {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(file, bytes, done, bytes.length - done, position + done)
    if (count === 0) return done
    done += count
  }
  return bytes.length
}
