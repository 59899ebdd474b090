/** A trial of ffmpeg with known good files: it separates a broken ffmpeg from a song that cannot be decoded. */
import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { waveHead } from '../../src-engine/dsp/riff.ts'
import type { AudioFormat } from './audio-facts.ts'
import { countFrames } from './decode.ts'
import { type Ffmpeg, FfmpegError, type FfmpegFault, runFfmpeg } from './ffmpeg.ts'

/** Error for an ffmpeg that does not work with any song: it failed on a known good file. */
export class FfmpegBrokenError extends Error {
  constructor(cause: FfmpegError) {
    super(`ffmpeg does not work: ${[cause.message, ...cause.lastLines.slice(-3)].join('; ')}`, { cause })
    this.name = 'FfmpegBrokenError'
  }
}

interface GoodFile {
  readonly codec: string
  readonly frames: number
  readonly bytes: () => Buffer
}

const RATE_HZ = 44_100

/** Files of silence, mono, at 44.1 kHz; a program that reads them is thought to read the other containers. */
const GOOD_FILES = {
  wav: { codec: 'pcm_s16', frames: 4096, bytes: silentWav },
  flac: {
    codec: 'flac',
    frames: 4096,
    // Made by flac 1.4 of 4096 zeros: one frame of a constant.
    bytes: () => Buffer.from('ZkxhQ4AAACIQABAAAAALAAALCsRA8AAAEAAIKfcXQKqxq5izPq4h3uEi//jJCACVAAAAIb0=', 'base64'),
  },
  // MPEG-1 layer III, 32 kbit/s, mono: a frame whose side information is zero is silence (ISO 11172-3, 2.4.1.7).
  mp3: { codec: 'mp3', frames: 10 * 1152, bytes: () => Buffer.concat(Array.from({ length: 10 }, silentMp3Frame)) },
} satisfies Partial<Record<AudioFormat, GoodFile>>

function silentMp3Frame(): Buffer {
  const frame = Buffer.alloc(104)
  frame.writeUInt32BE(0xff_fb_10_c0)
  return frame
}

function silentWav(): Buffer {
  const samples = Buffer.alloc(2 * 4096)
  return Buffer.concat([waveHead({ channels: 1, sampleRateHz: RATE_HZ, bitsPerSample: 16 }, samples.length), samples])
}

/** Faults of a call over a good file that are ffmpeg's own. */
const OWN_FAULTS: readonly FfmpegFault[] = ['missing', 'failed', 'short', 'crashed']

const TIME_LIMIT_SECONDS = 30

/**
 * Has ffmpeg write a WAV into a folder and read it and a song of each of `formats` from there, and resolves if all output is complete.
 * Leaves nothing in the folder. Throws a {@link FfmpegBrokenError}, a FfmpegError if the machine is at fault (it was killed, hangs, or
 * found no memory, process or room), the system's error if the folder is not writable, and the reason of an aborted `signal`.
 */
export async function tryFfmpegIn(
  ffmpeg: Ffmpeg,
  folder: string,
  formats: readonly AudioFormat[],
  signal?: AbortSignal,
): Promise<void> {
  const at = (name: string) => path.join(folder, `trial-${name}`)
  const id = randomUUID()
  const written = at(`${id}-written`)
  try {
    for (const format of ['wav', 'flac', 'mp3'] as const) {
      if (format !== 'wav' && !formats.includes(format)) continue
      const file = at(`${id}-${format}`)
      const { bytes, codec, frames } = GOOD_FILES[format]
      await writeFile(file, bytes(), { mode: 0o600 })
      try {
        await expectFrames({ path: file, format, codec }, frames)
        if (format === 'wav') await copyThrough(file)
      } finally {
        await rm(file, { force: true })
      }
    }
  } catch (error) {
    const isBroken = error instanceof FfmpegError && OWN_FAULTS.includes(error.fault)
    throw isBroken ? new FfmpegBrokenError(error) : error
  } finally {
    await rm(written, { force: true })
  }

  async function expectFrames(song: Parameters<typeof countFrames>[1], frames: number): Promise<void> {
    const counted = await countFrames(ffmpeg, song, RATE_HZ, 1, signal)
    if (counted.frames !== frames) {
      const cause = new Error(`${counted.frames} of ${frames} frames of ${song.format}`)
      throw new FfmpegError('read a file that is good', 'short', [], cause)
    }
  }

  async function copyThrough(file: string): Promise<void> {
    await runFfmpeg(ffmpeg, {
      operation: 'write a file',
      input: { from: file, format: 'wav' },
      outputOptions: ['-c:a', 'pcm_s16le', '-f', 'wav'],
      output: written,
      timeLimitSeconds: TIME_LIMIT_SECONDS,
      signal,
    })
    await expectFrames({ path: written, format: 'wav', codec: 'pcm_s16' }, GOOD_FILES.wav.frames)
  }
}
