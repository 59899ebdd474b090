/** Lossy copies of a master, approximating a service's: they show the peaks after encoding. */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { StreamedCodec } from '../../src-contract/codecs.ts'
import { type Platform, platformFacts } from '../../src-contract/platforms/index.ts'
import { type Ffmpeg, FfmpegError, runFfmpeg } from './ffmpeg.ts'
import { inWholeFrames } from './samples.ts'

/** An encoder with its settings, and how its file is read again. */
export interface LossyCodec {
  /** Name in the report, with the encoder's real name and its settings: "AAC 256 kbit/s (ffmpeg aac, fast coder)". */
  readonly name: string
  readonly encoder: string
  readonly options: readonly string[]
  readonly muxer: string
  readonly demuxer: string
}

/** Encoders of each codec, in order of preference. */
const ENCODERS: Readonly<Record<StreamedCodec['codec'], readonly string[]>> = {
  AAC: ['libfdk_aac', 'aac'],
  MP3: ['libmp3lame'],
  Opus: ['libopus'],
  Vorbis: ['libvorbis'],
}

type Container = readonly [muxer: string, demuxer: string]

const CONTAINERS: Readonly<Record<StreamedCodec['codec'], Container>> = {
  AAC: ['adts', 'aac'],
  MP3: ['mp3', 'mp3'],
  Opus: ['ogg', 'ogg'],
  Vorbis: ['ogg', 'ogg'],
}

/** AAC container that states the encoder's delay, so a copy starts exactly where its master does. */
const EXACT_AAC: Container = ['ipod', 'mov']

/** Settings of an encoder, and their name in the report; no name for the defaults. */
interface EncoderSettings {
  readonly name: string
  readonly options: readonly string[]
}

/**
 * Settings for the copies that stand in for a service's, whose own settings are unknown: they take half of an encoder's time where peaks
 * rise as high as with the slow ones. ffmpeg's `aac` makes two copies, since Apple's and Fraunhofer's encoders are not available: one
 * without the two-loop search, which ffmpeg's authors consider the worse coder at these rates, and without intensity stereo, which
 * Fraunhofer's encoder leaves to lower rates (at 256 kbit/s it raised a peak by 1.1 dB on its own); and one with both, ffmpeg's default,
 * which raises some songs by 2 to 5 dB more. libopus keeps its own settings: at half of its complexity copies read up to 0.5 dB lower than
 * opusenc's; LAME's quality 7 reads up to 0.2 dB lower than its slow ones.
 */
const PROOF_SETTINGS: Readonly<Record<string, readonly EncoderSettings[]>> = {
  aac: [
    { name: 'fast coder', options: ['-aac_coder', 'fast', '-aac_is', '0'] },
    { name: 'twoloop coder', options: ['-aac_coder', 'twoloop'] },
  ],
  libmp3lame: [{ name: 'quality 2', options: ['-compression_level', '2'] }],
}

/** Encoding ten minutes of AAC takes 10 s of one core: this is a hang even on a busy machine. */
export const TIME_LIMIT_SECONDS = 900

/** Frames that a copy may lack at its end: less than a frame of any of the codecs. */
const MOST_MISSING_SECONDS = 0.05

/** Opus works at this rate only (RFC 6716, section 2). */
const OPUS_RATE_HZ = 48_000

/**
 * Returns the codecs close to a platform's streams that this ffmpeg can encode, the one whose copies tend to peak highest first; empty
 * without any of them. If ffmpeg's own coder is the only one for AAC, both of its settings are returned.
 */
export function platformCodecs(platform: Platform, encoders: ReadonlySet<string>): LossyCodec[] {
  return platformFacts(platform).codecs.flatMap((streamed) => {
    const encoder = ENCODERS[streamed.codec].find((name) => encoders.has(name))
    if (encoder === undefined) return []
    const settings = PROOF_SETTINGS[encoder] ?? [undefined]
    return settings.map((one) => describe(streamed, encoder, CONTAINERS[streamed.codec], one))
  })
}

/**
 * Returns the codec of a copy for listening: with the encoder's own settings, and aligned with its master to the sample. Undefined if this
 * ffmpeg has no encoder for it.
 */
export function heardCodec(streamed: StreamedCodec, encoders: ReadonlySet<string>): LossyCodec | undefined {
  const encoder = ENCODERS[streamed.codec].find((name) => encoders.has(name))
  const container = streamed.codec === 'AAC' ? EXACT_AAC : CONTAINERS[streamed.codec]
  return encoder === undefined ? undefined : describe(streamed, encoder, container)
}

function describe(
  streamed: StreamedCodec,
  encoder: string,
  [muxer, demuxer]: Container,
  settings?: EncoderSettings,
): LossyCodec {
  const { codec } = streamed
  const amount = streamed.codec === 'Vorbis' ? `quality ${streamed.quality}` : `${streamed.kilobits} kbit/s`
  return {
    name: `${codec} ${amount} (ffmpeg ${encoder}${settings ? `, ${settings.name}` : ''})`,
    encoder,
    options: [
      ...(streamed.codec === 'Vorbis' ? ['-q:a', `${streamed.quality}`] : ['-b:a', `${streamed.kilobits}k`]),
      ...(settings?.options ?? []),
      ...(codec === 'Opus' ? ['-ar', String(OPUS_RATE_HZ)] : []),
    ],
    muxer,
    demuxer,
  }
}

/** Options of ffmpeg between the input and the coded file. */
export const encodingOptions = (codec: LossyCodec): string[] => [
  ...['-map', '0:a:0', '-map_metadata', '-1', '-c:a', codec.encoder],
  ...codec.options,
  ...['-f', codec.muxer],
]

/**
 * Encodes a lossless file, decodes the copy and passes the decoded samples to `onSamples`: interleaved float32, two channels, in chunks of
 * whole frames that are valid until it returns. The copy is kept in `folder` meanwhile. Throws a FfmpegError, also if the copy is shorter
 * than the file, or the reason of an aborted `signal`.
 */
export async function decodeThroughCodec(
  ffmpeg: Ffmpeg,
  codec: LossyCodec,
  wav: {
    readonly path: string
    readonly folder: string
    readonly durationSeconds: number
    /** WAV when absent. */
    readonly demuxer?: string
  },
  onSamples: (samples: Float32Array) => void,
  signal?: AbortSignal,
): Promise<void> {
  const copy = path.join(wav.folder, `copy-${randomUUID()}`)
  const call = { timeLimitSeconds: TIME_LIMIT_SECONDS, signal }
  let frames = 0
  let copyRateHz = Number.NaN
  try {
    await runFfmpeg(ffmpeg, {
      ...call,
      operation: `encode ${codec.name}`,
      input: { from: wav.path, format: wav.demuxer ?? 'wav' },
      outputOptions: encodingOptions(codec),
      output: copy,
    })
    await runFfmpeg(ffmpeg, {
      ...call,
      operation: `decode ${codec.name}`,
      input: { from: copy, format: codec.demuxer },
      outputOptions: ['-map', '0:a:0', '-ac', '2', '-c:a', 'pcm_f32le', '-f', 'f32le'],
      onLine: (line) => {
        copyRateHz = Number(/Audio: pcm_f32le.*? (\d+) Hz/.exec(line)?.[1] ?? copyRateHz)
      },
      output: inWholeFrames(8, (samples) => {
        frames += samples.length / 2
        onSamples(samples)
      }),
    })
    const missingSeconds = wav.durationSeconds - frames / copyRateHz
    if (!(missingSeconds <= MOST_MISSING_SECONDS)) {
      const cause = new Error(`${missingSeconds.toFixed(3)} of ${wav.durationSeconds} s are missing`)
      throw new FfmpegError(`decode ${codec.name}`, 'short', [], cause)
    }
  } finally {
    await rm(copy, { force: true })
  }
}
