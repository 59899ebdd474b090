import { Readable } from 'node:stream'
import { collectPlanar, type DecodedAudio } from './decode.ts'
import { DEFAULT_TIME_LIMIT_SECONDS, type Ffmpeg, runFfmpeg } from './ffmpeg.ts'

/**
 * Returns ffmpeg's filter that converts to a rate: SoX's resampler with 28 bits of precision and a pass band up to 91 % of half the
 * lower rate, or ffmpeg's own with a long filter where SoX's is not built in.
 */
export function rateFilter(ffmpeg: Ffmpeg, sampleRateHz: number): string {
  const quality = ffmpeg.hasSoxr
    ? 'resampler=soxr:precision=28'
    : 'resampler=swr:filter_size=256:phase_shift=14:cutoff=0.97:kaiser_beta=14:filter_type=kaiser:exact_rational=1'
  return `aresample=${sampleRateHz}:${quality}:osf=flt`
}

const FRAMES_PER_CHUNK = 16_384

/**
 * Returns a whole piece converted to another rate, in new shared buffers; float in, float out, no gain, no delay. Throws a
 * FfmpegError, or the reason of an aborted `signal`.
 */
export async function resampleAudio(
  ffmpeg: Ffmpeg,
  audio: Pick<DecodedAudio, 'frames' | 'sampleRateHz'> & { readonly channels: readonly Float32Array[] },
  sampleRateHz: number,
  signal?: AbortSignal,
): Promise<DecodedAudio> {
  const frames = Math.round((audio.frames * sampleRateHz) / audio.sampleRateHz)
  const collector = collectPlanar(2, frames)
  await runFfmpeg(ffmpeg, {
    operation: 'convert the rate',
    input: {
      from: Readable.from(interleave(audio)),
      format: 'f32le',
      options: ['-cpuflags', '0', '-ar', String(audio.sampleRateHz), '-ac', '2'],
    },
    outputOptions: ['-af', rateFilter(ffmpeg, sampleRateHz), '-c:a', 'pcm_f32le', '-f', 'f32le'],
    output: (chunk) => collector.push(chunk),
    timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
    signal,
  })
  // The converter may end a frame early: the missing one is silence at the very end.
  return { channels: [collector.planes[0]!, collector.planes[1]!], frames, sampleRateHz }
}

function* interleave(audio: {
  readonly channels: readonly Float32Array[]
  readonly frames: number
}): Generator<Buffer> {
  const left = audio.channels[0]!
  const right = audio.channels[1] ?? left
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
