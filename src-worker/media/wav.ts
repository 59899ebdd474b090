/**
 * The written master: RIFF WAVE, PCM of 16 or 24 bit or 32 bit float, little-endian. Its tags come before the samples, and nothing but a
 * pad byte, if needed, comes after: Spotify takes no other WAV. The bytes depend only on the samples, the format and the tags. Files are
 * written and read synchronously, on a render thread.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { FLOAT, inFrames, PCM, readNow, readWave, type WaveFormat, waveHead } from '../../src-engine/dsp/riff.ts'
import type { SongTags } from './audio-facts.ts'
import { type PcmLayout, pcmLayout } from './pcm-layout.ts'
import type { Cover } from './tags.ts'
import { tagChunks } from './wav-tags.ts'
import { createFileSums, type WrittenFile } from './written-file.ts'

/** Sample format of a master, which always has two channels. */
export interface WavFormat {
  readonly sampleRateHz: number
  readonly bitDepth: 16 | 24
}

/** Format of a written WAV: a master's, or 32-bit float. */
export interface WrittenFormat {
  readonly sampleRateHz: number
  readonly bitDepth: 16 | 24 | 32
}

const CHANNELS = 2

/** A WAV that is being written. */
export interface WavWriter {
  /** Appends interleaved PCM bytes, whole frames. */
  write(bytes: Uint8Array): void
  /** Completes and closes the file. Throws when it did not receive as many frames as it was made for. */
  finish(): WrittenFile
  /** Closes a file that will not be finished. */
  abandon(): void
}

/**
 * Returns a writer for a new file of `frames` frames and writes its tags; an existing file is replaced. Its checksums are made while it
 * is written. Throws the system's error (`ENOSPC` when the disk is full).
 */
export function createWavWriter(
  path: string,
  format: WrittenFormat & { readonly frames: number },
  labels: { readonly tags: SongTags; readonly cover?: Cover | undefined },
): WavWriter {
  const dataBytes = (format.frames * CHANNELS * format.bitDepth) / 8
  const start = wavHead(format, format.frames, labels)
  const sums = createFileSums()
  const file = openSync(path, 'w', 0o600)
  let written = 0
  const append = (bytes: Uint8Array) => {
    sums.add(bytes)
    writeAll(file, bytes)
    written += bytes.length
  }
  append(start)
  return {
    write: append,
    finish() {
      const samplesWritten = written - start.length
      if (samplesWritten !== dataBytes) throw new Error(`${samplesWritten} bytes written, ${dataBytes} announced`)
      append(Buffer.alloc(dataBytes % 2))
      closeSync(file)
      return sums.finish()
    },
    abandon: () => closeSync(file),
  }
}

/** Returns the bytes before the samples of a WAV of `frames` frames, including its tags. */
export function wavHead(
  { sampleRateHz, bitDepth }: WrittenFormat,
  frames: number,
  labels: { readonly tags: SongTags; readonly cover?: Cover | undefined } = { tags: {} },
): Uint8Array {
  const dataBytes = (frames * CHANNELS * bitDepth) / 8
  const tag = bitDepth === 32 ? FLOAT : PCM
  return labelledHead({ channels: CHANNELS, sampleRateHz, bitsPerSample: bitDepth, tag }, dataBytes, labels)
}

/** Returns the bytes before `dataBytes` bytes of samples copied from another WAV: the same format, with these tags. */
export function labelledHead(
  format: Pick<WaveFormat, 'channels' | 'sampleRateHz' | 'bitsPerSample' | 'tag'>,
  dataBytes: number,
  { tags, cover }: { readonly tags: SongTags; readonly cover?: Cover | undefined },
): Uint8Array {
  const tag = format.tag === FLOAT ? FLOAT : PCM
  return waveHead({ ...format, tag }, dataBytes, tagChunks(tags, cover))
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}

/** A written WAV, open for reading. */
export interface WavReader extends WavFormat {
  readonly frames: number
  /** The bytes before the samples, as stored. */
  readonly head: Uint8Array
  /** Returns the bytes of `frames` frames from `firstFrame` on, as stored; valid until the next call. Throws beyond the end. */
  read(firstFrame: number, frames: number): Uint8Array
  close(): void
}

/**
 * Opens a PCM WAV of two channels and 16 or 24 bit and finds its samples, whatever the order of its chunks. Throws for any other file and
 * for one cut short.
 */
export function openWav(path: string): WavReader {
  const file = openSync(path, 'r')
  try {
    const { sampleRateHz, bitDepth, frameBytes, dataStart, frames } = findSamples(file, isMasters)
    let bytes = Buffer.alloc(0)
    return {
      sampleRateHz,
      bitDepth,
      frames,
      head: readExactly(file, Buffer.alloc(dataStart), 0),
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

/**
 * Concatenates WAVs of one format, without tags, and returns the start of each and the end of the last, in frames. Throws as
 * {@link cutWav}.
 */
export function joinWavs(files: readonly string[], to: string): number[] {
  const opened = files.map((name) => openSync(name, 'r'))
  try {
    const wavs = opened.map((file) => ({ file, ...findSamples(file, isWritten) }))
    const { sampleRateHz, bitDepth, frameBytes } = wavs[0]!
    const starts = [0]
    for (const { frames } of wavs) starts.push(starts.at(-1)! + frames)
    const writer = createWavWriter(to, { sampleRateHz, bitDepth, frames: starts.at(-1)! }, { tags: {} })
    try {
      const bytes = Buffer.alloc(CUT_FRAMES * frameBytes)
      for (const { file, frames, dataStart } of wavs) {
        for (let at = 0; at < frames; at += CUT_FRAMES) {
          const piece = bytes.subarray(0, Math.min(CUT_FRAMES, frames - at) * frameBytes)
          writer.write(readExactly(file, piece, dataStart + at * frameBytes))
        }
      }
      writer.finish()
      return starts
    } catch (error) {
      writer.abandon()
      throw error
    }
  } finally {
    for (const file of opened) closeSync(file)
  }
}

/** Frames that are copied at a time. */
const CUT_FRAMES = 1 << 16

/**
 * Writes the frames of a written WAV from `first` to before `end` as a WAV with its own tags; an existing file is replaced. Throws as
 * {@link openWav} and {@link createWavWriter} do.
 */
export function cutWav(
  from: string,
  to: string,
  { first, end }: { readonly first: number; readonly end: number },
  labels: { readonly tags: SongTags; readonly cover?: Cover | undefined },
): ReturnType<WavWriter['finish']> {
  const file = openSync(from, 'r')
  try {
    const { sampleRateHz, bitDepth, frameBytes, dataStart, frames } = findSamples(file, isWritten)
    if (end > frames) throw new Error('the file ends too early')
    const writer = createWavWriter(to, { sampleRateHz, bitDepth, frames: end - first }, labels)
    try {
      const bytes = Buffer.alloc(CUT_FRAMES * frameBytes)
      for (let at = first; at < end; at += CUT_FRAMES) {
        const piece = bytes.subarray(0, Math.min(CUT_FRAMES, end - at) * frameBytes)
        writer.write(readExactly(file, piece, dataStart + at * frameBytes))
      }
      return writer.finish()
    } catch (error) {
      writer.abandon()
      throw error
    }
  } finally {
    closeSync(file)
  }
}

function findSamples<Format extends WrittenFormat>(
  file: number,
  isWanted: (layout: PcmLayout) => layout is PcmLayout & Format,
): Format & {
  readonly frameBytes: number
  readonly dataStart: number
  readonly frames: number
} {
  const wave = readNow(readWave(fstatSync(file).size), (offset, length) =>
    readExactly(file, Buffer.alloc(length), offset),
  )
  if (!wave?.format) throw new Error('not a WAV')
  const layout = pcmLayout(wave.format)
  if (!layout || !isWanted(layout)) throw new Error('not PCM of two channels and 16 or 24 bit')
  const [range, ...others] = inFrames(wave.sound, layout.frameBytes)
  if (!range || others.length > 0) throw new Error('the samples do not lie in one place')
  if (range.length !== wave.claimedSoundBytes) throw new Error('the file ends too early')
  return { ...layout, dataStart: range.offset, frames: range.length / layout.frameBytes }
}

function isMasters(layout: PcmLayout): layout is PcmLayout & WavFormat {
  const { codec, channels, bitDepth } = layout
  return channels === CHANNELS && (bitDepth === 16 || bitDepth === 24) && codec === `pcm_s${bitDepth}`
}

function isWritten(layout: PcmLayout): layout is PcmLayout & WrittenFormat {
  const { codec, channels, bitDepth } = layout
  return isMasters(layout) || (channels === CHANNELS && bitDepth === 32 && codec === 'pcm_f32')
}

function readExactly(file: number, target: Buffer, position: number): Buffer {
  for (let done = 0; done < target.length; ) {
    const count = readSync(file, target, done, target.length - done, position + done)
    if (count === 0) throw new Error('the file ends too early')
    done += count
  }
  return target
}
