/** Sounds of a listening test: one passage of several masters at one loudness, of equal length, without tags. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Audio, allocateAudio } from '../../src-engine/dsp/block.ts'
import { measureLoudness } from '../../src-engine/dsp/meters/loudness.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import { createQuantiser } from '../../src-engine/finalise/dither.ts'
import { openWav, wavHead } from '../../src-worker/media/wav.ts'
import { unusable } from '../http/app-error.ts'

/** A passage, s. */
export interface Passage {
  readonly startSeconds: number
  readonly seconds: number
}

export interface MatchedSounds {
  /** Loudness of each, LUFS: that of the quietest. */
  readonly loudnessLufs: number
  /** In the order of the files. */
  readonly sounds: readonly { readonly wav: Uint8Array; readonly gainDb: number }[]
}

/** Bits of a sample in a page: half the size of a master, its noise shaped or dithered. */
const BIT_DEPTH = 16
/** Highest sample value of 24 bit. */
const FULL_SCALE = 2 ** 23

/**
 * Reads a passage of each WAV and brings all to the loudness of the quietest, so that none is raised into clipping. `seeds` are of their
 * dither, one each. Throws INVALID_REQUEST for a passage that not every file has, that is silent, or for files of different rates.
 */
export async function matchedSounds(
  files: readonly string[],
  passage: Passage,
  seeds: readonly number[],
): Promise<MatchedSounds> {
  const read: Audio[] = []
  for (const file of files) {
    read.push(readPassage(file, passage))
    // Each takes milliseconds, so that other requests run in between.
    await nextTurn()
  }
  if (new Set(read.map(({ sampleRateHz }) => sampleRateHz)).size > 1) throw unusable('versions', { rule: 'one_rate' })
  const loudness = read.map((audio) => measureLoudness(audio).integratedLufs)
  const loudnessLufs = Math.min(...loudness)
  if (!Number.isFinite(loudnessLufs)) throw unusable('start_seconds', { rule: 'silent_passage' })
  const sounds = []
  for (const [index, audio] of read.entries()) {
    const gainDb = loudnessLufs - loudness[index]!
    sounds.push({ wav: written(audio, gainDb, seeds[index]!), gainDb })
    await nextTurn()
  }
  return { loudnessLufs, sounds }
}

function readPassage(file: string, { startSeconds, seconds }: Passage): Audio {
  const wav = openWav(file)
  try {
    const { sampleRateHz, bitDepth, frames } = wav
    const first = Math.round(startSeconds * sampleRateHz)
    const count = Math.round(seconds * sampleRateHz)
    if (bitDepth !== 24) throw new Error(`a master of ${bitDepth} bit`)
    if (first + count > frames) {
      const limit = Math.floor((10 * frames) / sampleRateHz) / 10
      throw unusable(first >= frames ? 'start_seconds' : 'seconds', { rule: 'passage', limit })
    }
    const bytes = Buffer.from(wav.read(first, count))
    const audio = allocateAudio(2, count, sampleRateHz)
    for (const [c, samples] of audio.channels.entries())
      for (let i = 0; i < count; i++) samples[i] = bytes.readIntLE(6 * i + 3 * c, 3) / FULL_SCALE
    return audio
  } finally {
    wav.close()
  }
}

function written(audio: Audio, gainDb: number, seed: number): Uint8Array {
  const { sampleRateHz, frames, channels } = audio
  const gain = dbToGain(gainDb)
  for (const samples of channels) for (let i = 0; i < frames; i++) samples[i]! *= gain
  const head = wavHead({ sampleRateHz, bitDepth: BIT_DEPTH }, frames)
  const quantiser = createQuantiser({ sampleRateHz, bitDepth: BIT_DEPTH, seed })
  const bytes = new Uint8Array(head.length + frames * quantiser.bytesPerFrame)
  bytes.set(head)
  quantiser.write(audio, bytes.subarray(head.length))
  return bytes
}
