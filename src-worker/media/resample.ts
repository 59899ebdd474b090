import { Readable } from 'node:stream'
import type { Audio, AudioBlock } from '../../src-engine/dsp/block.ts'
import { DEFAULT_TIME_LIMIT_SECONDS, type Ffmpeg, FfmpegError, runFfmpeg } from './ffmpeg.ts'
import { type Allocate, allocateShared, collectPlanar, giveBack } from './samples.ts'

/**
 * Returns ffmpeg's filter for a rate conversion: SoX's resampler with 28 bits of precision and a pass band up to 91 % of half the lower
 * rate, or ffmpeg's own with a long filter if SoX's is not built in.
 */
export function rateFilter(ffmpeg: Ffmpeg, sampleRateHz: number): string {
  const quality = ffmpeg.hasSoxr
    ? 'resampler=soxr:precision=28'
    : 'resampler=swr:filter_size=256:phase_shift=14:cutoff=0.97:kaiser_beta=14:filter_type=kaiser:exact_rational=1'
  return `aresample=${sampleRateHz}:${quality}:osf=flt`
}

/** Cancellation and progress of a conversion. */
interface ConversionOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with the finished part of the frames, 0 to 1, rising. */
  readonly onProgress?: ((part: number) => void) | undefined
}

const FRAMES_PER_CHUNK = 16_384

/** Most frames that a conversion may end early: the filter's last partial step. */
const MOST_MISSING_FRAMES = 16

/**
 * Converts a whole piece to another rate and returns it on SharedArrayBuffers; float in, float out, no gain, no delay. The original must
 * lie in its own memory, which is given back: its samples are gone. Throws a FfmpegError, or the reason of an aborted `signal`.
 */
export async function changeRate(
  ffmpeg: Ffmpeg,
  audio: Audio,
  sampleRateHz: number,
  options: ConversionOptions = {},
): Promise<Audio> {
  if (sampleRateHz < audio.sampleRateHz) {
    const lowered = await lowerRate(ffmpeg, audio, sampleRateHz, options)
    // A channel at a time: ten minutes at 192 kHz and at 96 kHz take 1.4 GB together.
    const channels = lowered.channels.map((samples) => {
      const shared = allocateShared(samples.length)
      shared.set(samples)
      giveBack(samples)
      return shared
    })
    return { ...lowered, channels }
  }
  return raiseRate(ffmpeg, audio, sampleRateHz, allocateShared, options)
}

/** Converts a whole piece to a higher rate in new memory, as {@link changeRate} does. */
export async function raiseRate(
  ffmpeg: Ffmpeg,
  audio: Audio,
  sampleRateHz: number,
  allocate: Allocate,
  options: ConversionOptions = {},
): Promise<Audio> {
  const frames = framesAt(audio, sampleRateHz)
  const channels = audio.channels.map(() => allocate(frames))
  await convert(ffmpeg, audio, sampleRateHz, channels, options)
  audio.channels.forEach(giveBack)
  return { channels, frames, sampleRateHz }
}

/**
 * Converts a whole piece to a lower rate and returns it; float in, float out, no gain, no delay. The result overwrites the original: a
 * second copy of ten minutes would cost 200 MB. Throws a RangeError for a rate that is not lower, a FfmpegError, or the reason of an
 * aborted `signal`.
 */
export async function lowerRate(
  ffmpeg: Ffmpeg,
  audio: Audio,
  sampleRateHz: number,
  options: ConversionOptions = {},
): Promise<Audio> {
  if (!(sampleRateHz < audio.sampleRateHz)) throw new RangeError(`${sampleRateHz} is not below ${audio.sampleRateHz}`)
  const frames = framesAt(audio, sampleRateHz)
  // In place: the output is shorter than the input sent so far, so no frame is overwritten before it is read.
  const channels = audio.channels.map((samples) => samples.subarray(0, frames))
  await convert(ffmpeg, audio, sampleRateHz, channels, options)
  return { channels, frames, sampleRateHz }
}

function framesAt(audio: Audio, sampleRateHz: number): number {
  return Math.round((audio.frames * sampleRateHz) / audio.sampleRateHz)
}

/** Writes two whole channels of audio at another rate into `planes`. */
async function convert(
  ffmpeg: Ffmpeg,
  audio: Audio,
  sampleRateHz: number,
  planes: readonly Float32Array[],
  { signal, onProgress }: ConversionOptions,
): Promise<void> {
  const collector = collectPlanar(planes)
  await runFfmpeg(ffmpeg, {
    operation: 'convert the rate',
    input: {
      from: Readable.from(interleave(audio)),
      format: 'f32le',
      options: ['-cpuflags', '0', '-ar', String(audio.sampleRateHz), '-ac', '2'],
    },
    outputOptions: ['-af', rateFilter(ffmpeg, sampleRateHz), '-c:a', 'pcm_f32le', '-f', 'f32le'],
    output: (chunk) => {
      collector.push(chunk)
      onProgress?.(collector.frames / planes[0]!.length)
    },
    timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
    signal,
  })
  const missing = planes[0]!.length - collector.frames
  if (missing > MOST_MISSING_FRAMES) {
    const cause = new Error(`${missing} of ${planes[0]!.length} frames are missing`)
    throw new FfmpegError('convert the rate', 'short', [], cause)
  }
  // The converter may end a frame early; the rest must be silent, not old memory.
  for (const samples of planes) samples.fill(0, collector.frames)
}

function* interleave(audio: AudioBlock): Generator<Buffer> {
  const left = audio.channels[0]!
  const right = audio.channels[1]!
  for (let start = 0; start < audio.frames; start += FRAMES_PER_CHUNK) {
    const frames = Math.min(FRAMES_PER_CHUNK, audio.frames - start)
    const samples = new Float32Array(frames * 2)
    for (let i = 0; i < frames; i++) {
      samples[2 * i] = left[start + i]!
      samples[2 * i + 1] = right[start + i]!
    }
    yield Buffer.from(samples.buffer)
  }
}
