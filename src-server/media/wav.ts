/**
 * The written master: RIFF WAVE, PCM 16 or 24 bit, little-endian, samples first and tags behind them. The bytes depend on nothing but
 * the samples, the format and the tags. Files are written and read synchronously: that is the work of a render thread.
 */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import type { SongTags } from './audio-facts.ts'
import type { Cover } from './tags.ts'
import { chunk, tagChunks } from './wav-tags.ts'

/** How the samples of a master are laid out, besides that they are of two channels. */
export interface WavFormat {
  readonly sampleRateHz: number
  readonly bitDepth: 16 | 24
}

const CHANNELS = 2

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
  const dataBytes = (format.frames * CHANNELS * format.bitDepth) / 8
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

function header({ sampleRateHz, bitDepth }: WavFormat, dataBytes: number, tailBytes: number): Buffer {
  const frameBytes = (CHANNELS * bitDepth) / 8
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(CHANNELS, 2)
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
   * Returns the bytes of `frames` frames from `firstFrame` on, as they lie in the file; valid until the next call. Throws beyond
   * the end.
   */
  read(firstFrame: number, frames: number): Uint8Array
  close(): void
}

/**
 * Opens a PCM WAV of two channels and 16 or 24 bit and finds its samples, wherever its chunks lie. Throws when it is not one or is cut
 * short.
 */
export function openWav(path: string): WavReader {
  const file = openSync(path, 'r')
  try {
    const { format, dataStart, dataBytes } = findSamples(file)
    const frameBytes = (CHANNELS * format.bitDepth) / 8
    const frames = dataBytes / frameBytes
    let bytes = Buffer.alloc(0)
    return {
      ...format,
      frames,
      read(firstFrame, count) {
        if (bytes.length < count * frameBytes) bytes = Buffer.alloc(count * frameBytes)
        if (firstFrame + count > frames) throw new Error('the file ends too early')
        return readExactly(file, bytes.subarray(0, count * frameBytes), dataStart + firstFrame * frameBytes)
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
  if (bytes.readUInt16LE(0) !== 1 || bytes.readUInt16LE(2) !== CHANNELS || (bitDepth !== 16 && bitDepth !== 24)) {
    throw new Error('not PCM of two channels and 16 or 24 bit')
  }
  return { sampleRateHz: bytes.readUInt32LE(4), bitDepth }
}

function readExactly(file: number, target: Buffer, position: number): Buffer {
  for (let done = 0; done < target.length; ) {
    const count = readSync(file, target, done, target.length - done, position + done)
    if (count === 0) throw new Error('the file ends too early')
    done += count
  }
  return target
}
