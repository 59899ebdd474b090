import type { AudioFacts, AudioFormat } from './audio-facts.ts'
import { DEFAULT_TIME_LIMIT_SECONDS, type Ffmpeg, runFfmpeg } from './ffmpeg.ts'
import { rateFilter } from './resample.ts'
import { inWholeFrames } from './whole-frames.ts'

/** Lowest and highest rate at which the engine works, Hz. */
export const LOWEST_ENGINE_RATE_HZ = 44_100
export const HIGHEST_ENGINE_RATE_HZ = 96_000

/** Whole piece, planar, two channels, on SharedArrayBuffers; 1.0 is full scale and may be exceeded. */
export interface DecodedAudio {
  readonly channels: readonly [Float32Array, Float32Array]
  readonly frames: number
  readonly sampleRateHz: number
}

/** The audio could not be used: nothing came out, or most of it is not a number. */
export class UnreadableAudioError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UnreadableAudioError'
  }
}

/** Rate at which a source is mastered: its own between 44.1 and 96 kHz, 44.1 below, 96 above (88.2 for multiples of 44.1). */
export function engineRateHz(sourceRateHz: number): number {
  if (sourceRateHz < LOWEST_ENGINE_RATE_HZ) return LOWEST_ENGINE_RATE_HZ
  if (sourceRateHz <= HIGHEST_ENGINE_RATE_HZ) return sourceRateHz
  return sourceRateHz % LOWEST_ENGINE_RATE_HZ === 0 ? 88_200 : HIGHEST_ENGINE_RATE_HZ
}

interface SongFile {
  readonly path: string
  readonly format: AudioFormat
}

/**
 * Decodes a file and returns its number of frames at `sampleRateHz`: counted, whatever its headers say. Stops after `maxSeconds`,
 * so a small file that unfolds into hours costs no more than that. 0 when nothing can be decoded. Throws a FfmpegError, or the
 * reason of an aborted `signal`.
 */
export async function countFrames(
  ffmpeg: Ffmpeg,
  song: SongFile,
  sampleRateHz: number,
  maxSeconds: number,
  signal?: AbortSignal,
): Promise<number> {
  let frames = 0
  await runFfmpeg(ffmpeg, {
    operation: 'measure the duration',
    input: { from: song.path, format: song.format, options: ['-vn', '-sn', '-dn'] },
    outputOptions: [
      ...['-map', '0:a:0', '-t', String(maxSeconds), '-ac', '1', '-ar', String(sampleRateHz)],
      // One byte per frame: the output itself is the count.
      ...['-c:a', 'pcm_u8', '-f', 'u8'],
    ],
    output: (chunk) => {
      frames += chunk.length
    },
    timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
    signal,
  })
  return frames
}

/** What decoding gave, and what had to be done to it. */
export interface Decoded {
  readonly audio: DecodedAudio
  /** Samples that were not numbers and were bridged. */
  readonly bridgedSamples: number
  /** `soxr` or `swr` where the rate was changed. */
  readonly resampler?: 'soxr' | 'swr'
}

/** Share of samples that may be bridged before the audio counts as unreadable. */
const MAX_BRIDGED_SHARE = 0.001

/**
 * Decodes a song to two planar Float32 channels at {@link engineRateHz}; mono becomes two equal channels. The samples never pass
 * through integers, since lossy audio exceeds full scale, and the decoder runs without processor-specific code, so that a lossy
 * file decodes alike on every machine. NaN and infinities are bridged by a straight line. Throws an {@link UnreadableAudioError},
 * a FfmpegError, or the reason of an aborted `signal`.
 */
export async function decodeSong(
  ffmpeg: Ffmpeg,
  path: string,
  facts: AudioFacts,
  options: { readonly signal?: AbortSignal | undefined; readonly onProgress?: (fraction: number) => void } = {},
): Promise<Decoded> {
  const sampleRateHz = engineRateHz(facts.sampleRateHz)
  const isResampled = sampleRateHz !== facts.sampleRateHz
  const capacity = Math.ceil((facts.frames * sampleRateHz) / facts.sampleRateHz)
  const collector = collectPlanar(Array.from({ length: facts.channels }, () => allocateShared(capacity)))
  await runFfmpeg(ffmpeg, {
    operation: 'decode the song',
    input: { from: path, format: facts.format, options: ['-cpuflags', '0', '-vn', '-sn', '-dn'] },
    outputOptions: [
      ...['-map', '0:a:0', '-ac', String(facts.channels)],
      ...(isResampled ? ['-af', rateFilter(ffmpeg, sampleRateHz)] : ['-ar', String(sampleRateHz)]),
      ...['-c:a', 'pcm_f32le', '-f', 'f32le'],
    ],
    output: (chunk) => {
      collector.push(chunk)
      options.onProgress?.(Math.min(1, collector.frames / Math.max(1, capacity)))
    },
    timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
    signal: options.signal,
  })
  const frames = collector.frames
  if (frames === 0) throw new UnreadableAudioError('the decoder gave no audio')
  const bridgedSamples = collector.hasGaps
    ? collector.planes.reduce((sum, samples) => sum + bridgeGaps(samples.subarray(0, frames)), 0)
    : 0
  if (bridgedSamples > MAX_BRIDGED_SHARE * frames * facts.channels) {
    throw new UnreadableAudioError(`${bridgedSamples} samples are not numbers`)
  }
  const left = collector.planes[0]!.subarray(0, frames)
  // A copy, not the same memory: both channels are worked on in place.
  const right = collector.planes[1]?.subarray(0, frames) ?? copyShared(left)
  return {
    audio: { channels: [left, right], frames, sampleRateHz },
    bridgedSamples,
    ...(isResampled ? { resampler: ffmpeg.hasSoxr ? ('soxr' as const) : ('swr' as const) } : {}),
  }
}

function allocateShared(length: number): Float32Array {
  return new Float32Array(new SharedArrayBuffer(length * 4))
}

function copyShared(samples: Float32Array): Float32Array {
  const copy = allocateShared(samples.length)
  copy.set(samples)
  return copy
}

/** Receives interleaved little-endian float32 bytes in chunks of any size and lays them out in planes of equal length. */
export function collectPlanar(planes: readonly Float32Array[]) {
  const channelCount = planes.length
  const capacity = planes[0]!.length
  let frames = 0
  let hasGaps = false
  const lay = (samples: Float32Array) => {
    const count = Math.min(samples.length / channelCount, capacity - frames)
    for (let c = 0; c < channelCount; c++) {
      const plane = planes[c]!
      let check = 0
      for (let i = 0, at = c; i < count; i++, at += channelCount) {
        const value = samples[at]!
        plane[frames + i] = value
        check += value - value
      }
      // The difference of a number with itself is 0, except for NaN and the infinities.
      if (check !== 0) hasGaps = true
    }
    frames += count
  }
  return {
    planes,
    /** Whether a sample that is not a number came in. */
    get hasGaps() {
      return hasGaps
    },
    /** Frames laid out so far; what comes after `capacity` is dropped. */
    get frames() {
      return frames
    },
    push: inWholeFrames(channelCount * Float32Array.BYTES_PER_ELEMENT, lay),
  }
}

/** Replaces each run of samples that are not finite by a straight line between its neighbours; returns how many there were. */
export function bridgeGaps(samples: Float32Array): number {
  let bridged = 0
  for (let i = 0; i < samples.length; i++) {
    if (Number.isFinite(samples[i])) continue
    let end = i
    while (end < samples.length && !Number.isFinite(samples[end])) end++
    const before = i > 0 ? samples[i - 1]! : 0
    const after = end < samples.length ? samples[end]! : 0
    const steps = end - i + 1
    for (let k = i; k < end; k++) samples[k] = before + ((after - before) * (k - i + 1)) / steps
    bridged += end - i
    i = end
  }
  return bridged
}
