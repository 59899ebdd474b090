/** Files in other formats, made from the master by ffmpeg, and their measurements when read back. */
import { createHash } from 'node:crypto'
import { createLoudnessMeter } from '../../src-engine/dsp/meters/loudness.ts'
import { createTruePeakVerifier } from '../../src-engine/dsp/meters/true-peak.ts'
import { TIME_LIMIT_SECONDS } from './encode.ts'
import { type Ffmpeg, FfmpegError, runFfmpeg } from './ffmpeg.ts'
import { readCodedLength } from './mp4-tags.ts'
import { rateFilter } from './resample.ts'
import { createPlanes, inWholeFrames } from './samples.ts'

/** Containers of coded sound, with ffmpeg's names for writing and reading each. */
const CODED = {
  flac: { muxer: 'flac', demuxer: 'flac', encoders: ['flac'] },
  mp3: { muxer: 'mp3', demuxer: 'mp3', encoders: ['libmp3lame'] },
  m4a: { muxer: 'ipod', demuxer: 'mov', encoders: ['libfdk_aac', 'aac'] },
} as const
export type CodedContainer = keyof typeof CODED

/**
 * Settings for the best sound at a bit rate. FLAC is as small as the subset of its format allows. For ffmpeg's own AAC coder, the fast
 * search is the better one at this rate, and intensity stereo is for lower ones.
 */
const ENCODER_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  flac: ['-compression_level', '8'],
  libmp3lame: ['-compression_level', '2'],
  aac: ['-aac_coder', 'fast', '-aac_is', '0'],
}

/** An encoder of a container, and the bit rate of a lossy one. */
export interface FileCodec {
  readonly container: CodedContainer
  readonly encoder: string
  readonly kilobits?: number
}

/** Returns the encoder in `encoders` for a container; undefined if ffmpeg lacks it. */
export function fileEncoder(container: CodedContainer, encoders: ReadonlySet<string>): string | undefined {
  return CODED[container].encoders.find((name) => encoders.has(name))
}

/** Returns the name of ffmpeg's reader of a container. */
export function demuxerOf(container: 'wav' | CodedContainer): string {
  return container === 'wav' ? 'wav' : CODED[container].demuxer
}

/** Returns the name of a container's codec as a reader sees it. */
export const CODEC_NAMES: Readonly<Record<CodedContainer, string>> = { flac: 'FLAC', mp3: 'MP3', m4a: 'AAC' }

/** Cancellation of a call. */
interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

/** Sample-accurate start and end: ffmpeg's muxers write the padding, without program names that change with the build. */
const EXACT: readonly string[] = [
  '-map',
  '0:a:0',
  '-map_metadata',
  '-1',
  '-fflags',
  '+bitexact',
  '-flags:a',
  '+bitexact',
]

/**
 * Encodes a WAV into `target`, without tags, with a gain of `gainDb`, 0 dB when absent. Throws a FfmpegError, or the reason of an
 * aborted `signal`.
 */
export async function encodeFile(
  ffmpeg: Ffmpeg,
  { container, encoder, kilobits }: FileCodec,
  wav: { readonly path: string; readonly sampleRateHz: number; readonly gainDb?: number },
  target: string,
  { signal }: CallOptions = {},
): Promise<void> {
  const gain = wav.gainDb ? ['-af', `volume=${wav.gainDb.toFixed(4)}dB:precision=double`] : []
  const muxing: Readonly<Record<CodedContainer, readonly string[]>> = {
    flac: [],
    mp3: ['-id3v2_version', '0', '-write_id3v1', '0', '-write_xing', '1'],
    // In samples for an exact edit list.
    m4a: ['-movie_timescale', String(wav.sampleRateHz)],
  }
  await runFfmpeg(ffmpeg, {
    operation: `encode ${CODEC_NAMES[container]}`,
    input: { from: wav.path, format: 'wav' },
    outputOptions: [
      ...EXACT,
      ...gain,
      ...['-c:a', encoder, ...(ENCODER_OPTIONS[encoder] ?? [])],
      ...(kilobits === undefined ? [] : ['-b:a', `${kilobits}k`]),
      ...muxing[container],
      ...['-f', CODED[container].muxer],
    ],
    output: target,
    timeLimitSeconds: TIME_LIMIT_SECONDS,
    signal,
  })
}

/**
 * Converts a float WAV to another rate into `target`, a float WAV too: no gain, no delay, `frames` frames. Throws as {@link encodeFile}.
 */
export async function convertWav(
  ffmpeg: Ffmpeg,
  source: string,
  target: string,
  { sampleRateHz, frames }: { readonly sampleRateHz: number; readonly frames: number },
  { signal }: CallOptions = {},
): Promise<void> {
  const inPlace = `apad=whole_len=${frames},atrim=end_sample=${frames}`
  await runFfmpeg(ffmpeg, {
    operation: 'convert the rate',
    input: { from: source, format: 'wav', options: ['-cpuflags', '0'] },
    outputOptions: [
      ...EXACT,
      ...['-af', `${rateFilter(ffmpeg, sampleRateHz)},${inPlace}`, '-c:a', 'pcm_f32le', '-f', 'wav'],
    ],
    output: target,
    timeLimitSeconds: TIME_LIMIT_SECONDS,
    signal,
  })
}

/** A sound file, and how it is read. */
export interface SoundFile {
  readonly path: string
  readonly container: 'wav' | CodedContainer
  readonly sampleRateHz: number
}

/** Samples of a file as they were decoded. */
export interface DecodedSamples {
  readonly frames: number
  /** SHA-256 of the samples as float32, independent of the format. */
  readonly samplesSha256: string
}

/** Samples of a file and their measurements. */
export interface FileReading extends DecodedSamples {
  readonly integratedLufs: number
  readonly truePeakDbtp: number
  readonly samplePeakDbfs: number
}

/**
 * Decodes a file of two channels from its first to its last sample and passes them interleaved to `onSamples`, piece by piece. Throws as
 * {@link encodeFile}.
 */
export async function samplesIn(
  ffmpeg: Ffmpeg,
  { path, container, sampleRateHz }: SoundFile,
  { signal, onSamples }: CallOptions & { readonly onSamples?: (samples: Float32Array) => void } = {},
): Promise<DecodedSamples> {
  // Decoders differ in whether they apply the edit list at the end.
  const statedFrames = container === 'm4a' ? (await readCodedLength(path)).frames : Number.POSITIVE_INFINITY
  const hash = createHash('sha256')
  let frames = 0
  let decodedHz = Number.NaN
  const receive = (decoded: Float32Array) => {
    const samples = decoded.subarray(0, Math.min(decoded.length, 2 * (statedFrames - frames)))
    hash.update(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
    frames += samples.length / 2
    onSamples?.(samples)
  }
  await runFfmpeg(ffmpeg, {
    operation: 'read the file back',
    input: { from: path, format: demuxerOf(container) },
    outputOptions: ['-map', '0:a:0', '-ac', '2', '-c:a', 'pcm_f32le', '-f', 'f32le'],
    onLine: (line) => {
      decodedHz = Number(/Audio: pcm_f32le.*? (\d+) Hz/.exec(line)?.[1] ?? decodedHz)
    },
    output: inWholeFrames(8, receive),
    timeLimitSeconds: TIME_LIMIT_SECONDS,
    signal,
  })
  if (decodedHz !== sampleRateHz) {
    const cause = new Error(`${decodedHz} instead of ${sampleRateHz} Hz`)
    throw new FfmpegError('read the file back', 'short', [], cause)
  }
  return { frames, samplesSha256: hash.digest('hex') }
}

/**
 * Decodes a file and measures it with the meters of the masters; levels of silence are −Infinity. Passes the samples to `alsoTo` as well.
 * Throws as {@link encodeFile}.
 */
export async function readBack(
  ffmpeg: Ffmpeg,
  file: SoundFile,
  { signal, alsoTo }: CallOptions & { readonly alsoTo?: (samples: Float32Array) => void } = {},
): Promise<FileReading> {
  const loudness = createLoudnessMeter(file.sampleRateHz)
  const peaks = createTruePeakVerifier()
  const planesOf = createPlanes()
  const onSamples = (samples: Float32Array) => {
    const block = planesOf(samples)
    loudness.push(block)
    peaks.push(block)
    alsoTo?.(samples)
  }
  const decoded = await samplesIn(ffmpeg, file, { signal, onSamples })
  const { truePeakDbtp, samplePeakDbfs } = peaks.read()
  return { ...decoded, integratedLufs: loudness.read().integratedLufs, truePeakDbtp, samplePeakDbfs }
}
