/**
 * The written master: RIFF WAVE, PCM 16 or 24 bit, little-endian, samples first and tags behind them. The bytes depend on nothing but
 * the samples, the format and the tags. Files are written and read synchronously: that is the work of a render thread.
 */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import type { SongTags } from './audio-facts.ts'
import type { Cover } from './tags.ts'
import { chunk, tagChunks } from './wav-tags.ts'

/** How the samples of a WAV are laid out. */
export interface WavFormat {
  readonly sampleRateHz: number
  readonly channels: number
  readonly bitDepth: 16 | 24
}

/** A WAV that is being written. */
export interface WavWriter {
  /** Appends interleaved PCM bytes, whole frames. */
  write(bytes: Uint8Array): void
  /** Writes the tags and closes the file. Throws when it did not receive as many frames as it was made for. */
  finish(): { readonly sizeBytes: number; readonly sha256: string }
  /** Closes a file that is not going to be finished. */
  abandon(): void
}

const HEADER_BYTES = 44

/**
 * Returns a writer for a new file of `frames` frames; an existing one is replaced. The file is hashed while it is written. Throws
 * the system's error (`ENOSPC` when the disk is full).
 */
export function createWavWriter(
  path: string,
  format: WavFormat & { readonly frames: number },
  labels: { readonly tags: SongTags; readonly cover?: Cover | undefined },
): WavWriter {
  const dataBytes = (format.frames * format.channels * format.bitDepth) / 8
  const tail = Buffer.concat([Buffer.alloc(dataBytes % 2), ...tagChunks(labels.tags, labels.cover)])
  const hash = createHash('sha256')
  const file = openSync(path, 'w', 0o600)
  let written = 0
  const append = (bytes: Uint8Array) => {
    hash.update(bytes)
    writeAll(file, bytes)
    written += bytes.length
  }
  append(header(format, dataBytes, tail.length))
  return {
    write: append,
    finish() {
      if (written !== HEADER_BYTES + dataBytes) throw new Error(`${written} bytes written, ${dataBytes} announced`)
      append(tail)
      closeSync(file)
      return { sizeBytes: written, sha256: hash.digest('hex') }
    },
    abandon: () => closeSync(file),
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}

function header({ sampleRateHz, channels, bitDepth }: WavFormat, dataBytes: number, tailBytes: number): Buffer {
  const frameBytes = (channels * bitDepth) / 8
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(channels, 2)
  format.writeUInt32LE(sampleRateHz, 4)
  format.writeUInt32LE(sampleRateHz * frameBytes, 8)
  format.writeUInt16LE(frameBytes, 12)
  format.writeUInt16LE(bitDepth, 14)
  const start = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1')
  start.writeUInt32LE(HEADER_BYTES - 8 + dataBytes + tailBytes, 4)
  const data = Buffer.from('data\0\0\0\0', 'latin1')
  data.writeUInt32LE(dataBytes, 4)
  return Buffer.concat([start, chunk('fmt ', format), data])
}

/** A written WAV, open for reading. */
export interface WavReader extends WavFormat {
  readonly frames: number
  /**
   * Yields the samples in order as planar float blocks of at most `blockFrames` frames, full scale 1.0. The arrays are reused: each
   * block is valid until the next is asked for.
   */
  blocks(blockFrames: number): Generator<{ readonly channels: readonly Float32Array[]; readonly frames: number }>
  /** Reads `frames` frames from `firstFrame` on to the start of the planes, one per channel. Throws beyond the end. */
  read(firstFrame: number, frames: number, planes: readonly Float32Array[]): void
  close(): void
}

/** Opens a PCM WAV of 16 or 24 bit and finds its samples, wherever its chunks lie. Throws when it is not one or is cut short. */
export function openWav(path: string): WavReader {
  const file = openSync(path, 'r')
  try {
    const { format, dataStart, dataBytes } = findSamples(file)
    const frameBytes = (format.channels * format.bitDepth) / 8
    const frames = dataBytes / frameBytes
    let bytes = Buffer.alloc(0)
    const read = (first: number, count: number, planes: readonly Float32Array[]) => {
      // Whole words, for those who read four bytes at once.
      if (bytes.length < count * frameBytes) bytes = Buffer.alloc(4 * Math.ceil((count * frameBytes) / 4))
      if (first + count > frames) throw new Error('the file ends too early')
      readExactly(file, bytes.subarray(0, count * frameBytes), dataStart + first * frameBytes)
      toFloat(bytes, count, format, planes)
    }
    return {
      ...format,
      frames,
      read,
      *blocks(blockFrames) {
        const planes = Array.from({ length: format.channels }, () => new Float32Array(blockFrames))
        for (let start = 0; start < frames; start += blockFrames) {
          const count = Math.min(blockFrames, frames - start)
          read(start, count, planes)
          yield { channels: planes.map((plane) => plane.subarray(0, count)), frames: count }
        }
      },
      close: () => closeSync(file),
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function findSamples(file: number): { format: WavFormat; dataStart: number; dataBytes: number } {
  const start = readExactly(file, Buffer.alloc(12), 0)
  if (start.toString('latin1', 0, 4) !== 'RIFF' || start.toString('latin1', 8) !== 'WAVE') throw new Error('not a WAV')
  let format: WavFormat | undefined
  for (let position = 12; ; ) {
    const head = readExactly(file, Buffer.alloc(8), position)
    const name = head.toString('latin1', 0, 4)
    const size = head.readUInt32LE(4)
    if (name === 'fmt ') format = readFormat(readExactly(file, Buffer.alloc(16), position + 8))
    if (name === 'data' && format) return { format, dataStart: position + 8, dataBytes: size }
    position += 8 + size + (size % 2)
  }
}

function readFormat(bytes: Buffer): WavFormat {
  const bitDepth = bytes.readUInt16LE(14)
  if (bytes.readUInt16LE(0) !== 1 || (bitDepth !== 16 && bitDepth !== 24)) throw new Error('not PCM of 16 or 24 bit')
  return { sampleRateHz: bytes.readUInt32LE(4), channels: bytes.readUInt16LE(2), bitDepth }
}

function toFloat(
  bytes: Buffer,
  frames: number,
  { channels, bitDepth }: WavFormat,
  planes: readonly Float32Array[],
): void {
  if (channels === 2) {
    const convert = bitDepth === 16 ? stereo16ToFloat : stereo24ToFloat
    convert(bytes, frames, planes[0]!, planes[1]!)
    return
  }
  if (bitDepth === 16) {
    const samples = new Int16Array(bytes.buffer, bytes.byteOffset, frames * channels)
    for (const [c, plane] of planes.entries()) {
      for (let i = 0, at = c; i < frames; i++, at += channels) plane[i] = samples[at]! / 32_768
    }
    return
  }
  for (const [c, plane] of planes.entries()) {
    for (let i = 0, at = c * 3; i < frames; i++, at += channels * 3) {
      // The top byte carries the sign.
      plane[i] = ((bytes[at]! << 8) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 24)) / 2_147_483_648
    }
  }
}

/** A frame is a word of memory: read as two samples, it would take half as long again. */
function stereo16ToFloat(bytes: Buffer, frames: number, left: Float32Array, right: Float32Array): void {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, frames)
  for (let i = 0; i < frames; i++) {
    const word = words[i]!
    left[i] = (word << 16) / 2_147_483_648
    right[i] = (word & 0xffff_0000) / 2_147_483_648
  }
}

/** Two frames are three words of memory: read as bytes, they would take twice as long. */
function stereo24ToFloat(bytes: Buffer, frames: number, left: Float32Array, right: Float32Array): void {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, Math.ceil((frames * 6) / 4))
  for (let i = 0, at = 0; i < frames; i += 2, at += 3) {
    const first = words[at]!
    const middle = words[at + 1]!
    left[i] = (first << 8) / 2_147_483_648
    right[i] = ((middle << 16) | ((first >>> 16) & 0xff00)) / 2_147_483_648
    if (i + 1 === frames) break
    const last = words[at + 2]!
    left[i + 1] = ((last << 24) | ((middle >>> 8) & 0xffff00)) / 2_147_483_648
    right[i + 1] = (last & 0xffff_ff00) / 2_147_483_648
  }
}

function readExactly(file: number, target: Buffer, position: number): Buffer {
  for (let done = 0; done < target.length; ) {
    const count = readSync(file, target, done, target.length - done, position + done)
    if (count === 0) throw new Error('the file ends too early')
    done += count
  }
  return target
}
