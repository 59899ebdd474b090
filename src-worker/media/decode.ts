import { Readable } from 'node:stream'
import { isOtherContainer } from '../../src-contract/song-files.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { SAMPLE_BYTES } from '../../src-engine/dsp/pcm.ts'
import type { AudioFacts, AudioFormat, Excerpt, SoundTrack } from './audio-facts.ts'
import { bridgeGaps, findDamage, type Gap, sampleCount } from './damaged-samples.ts'
import { DEFAULT_TIME_LIMIT_SECONDS, type Ffmpeg, runFfmpeg } from './ffmpeg.ts'
import type { FfmpegCall } from './ffmpeg-arguments.ts'
import { mp3Sound } from './mp3-layout.ts'
import { containerInput } from './other-containers.ts'
import { rateFilter } from './resample.ts'
import { type Allocate, allocateOwn, allocateShared, collectPlanar } from './samples.ts'
import { behindCrowdedTag } from './tags.ts'
import { openWavSound, type WavSound } from './wav-sound.ts'

/** A whole piece of two channels. */
export interface DecodedAudio extends Audio {
  readonly channels: readonly [Float32Array, Float32Array]
}

/** Error for unusable audio: nothing could be decoded, or too many samples are invalid. */
export class UnreadableAudioError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'UnreadableAudioError'
  }
}

/** Error for audio that is read to its end and has too many damaged samples. */
export class InvalidSamplesError extends UnreadableAudioError {
  /** Part of all samples, per cent to a tenth. */
  readonly percent: number

  constructor(share: number) {
    const percent = Math.max(0.1, Math.round(1000 * share) / 10)
    super(`${percent} % of the samples are no sound`)
    this.name = 'InvalidSamplesError'
    this.percent = percent
  }
}

/** Sample rates of the engine, Hz: the rates that shops and services accept. */
const ENGINE_RATES_HZ = [44_100, 48_000, 88_200, 96_000]

/** Mastering rate of a source, Hz: the nearest of 44.1, 48, 88.2 and 96 kHz; 88.2 for higher multiples of 44.1 kHz. */
export function engineRateHz(sourceRateHz: number): number {
  const highestHz = sourceRateHz % 44_100 === 0 ? 88_200 : 96_000
  const rateHz = Math.min(sourceRateHz, highestHz)
  const distance = (hz: number) => Math.abs(Math.log(hz / rateHz))
  return ENGINE_RATES_HZ.reduce((best, hz) => (distance(hz) < distance(best) ? hz : best))
}

/** Ten minutes take 920 MB at this rate, and files of a few kilobytes may claim four times as much, Hz. */
const HIGHEST_DECODED_RATE_HZ = 192_000

/** Decoding rate of a source, Hz: its own up to 192 kHz, above that {@link engineRateHz}. */
export function decodedRateHz(sourceRateHz: number): number {
  return sourceRateHz <= HIGHEST_DECODED_RATE_HZ ? sourceRateHz : engineRateHz(sourceRateHz)
}

/** A file to decode, as far as its decoding needs facts. */
export interface SongFile {
  readonly path: string
  readonly format: AudioFormat
  readonly codec: string
  readonly track?: SoundTrack
}

/**
 * Returns ffmpeg's input for a song. For a WAV it is the bare samples: ffmpeg takes other chunks for sound if a header is wrong, and picks
 * another decoder for 24 bits in 32. For a FLAC, checksums are verified and mismatching frames left out: decoded, they would be noise. An
 * MP3 is read without the tags that ffmpeg would take for sound. Other containers have a demuxer and one decoder each. Throws an {@link UnreadableAudioError} for a WAV without samples, and the
 * system's error.
 */
async function songInput({ path, format, codec }: SongFile): Promise<FfmpegCall['input']> {
  if (isOtherContainer(format)) return { from: path, ...containerInput(format, codec) }
  if (format === 'mp3') {
    const sound = await mp3Sound(path)
    if (sound.from !== path) return { ...sound, format }
  }
  if (format !== 'wav') {
    // Decoder options only: set globally, ffmpeg would also refuse a file for its cover.
    const checked = format === 'flac' ? ['-err_detect:a', 'crccheck+explode'] : []
    return { from: path, format, options: [...(await behindCrowdedTag({ path, format })), ...checked] }
  }
  const { layout, pieces } = await wavSound(path)
  const { codec: sampleCodec, sampleRateHz, channels } = layout
  const name = sampleCodec.slice('pcm_'.length)
  return {
    // Each piece is only valid until the next, and a stream holds several.
    from: Readable.from(copiesOf(pieces)),
    format: name === 'u8' ? name : `${name}le`,
    options: ['-ar', String(sampleRateHz), '-ac', String(channels)],
  }
}

async function* copiesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

async function wavSound(path: string): Promise<WavSound> {
  const sound = await openWavSound(path)
  if (!sound) throw new UnreadableAudioError('there are no samples')
  return sound
}

/** Runs ffmpeg over the bare sound of a song. Throws as {@link songInput} and {@link runFfmpeg} do. */
async function runOverSong(
  ffmpeg: Ffmpeg,
  song: SongFile,
  { options, ...call }: Omit<FfmpegCall, 'input' | 'timeLimitSeconds'> & { readonly options: readonly string[] },
): Promise<void> {
  const input = await songInput(song)
  try {
    await runFfmpeg(ffmpeg, {
      ...call,
      input: { ...input, options: [...(input.options ?? []), ...options, '-vn', '-sn', '-dn'] },
      timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
    })
  } finally {
    // If ffmpeg ends early, its input file stays open.
    if (typeof input.from !== 'string') input.from.destroy()
  }
}

/**
 * Brings the mono parts of a stereo MP3 to the level that players give them in each channel; ffmpeg puts them 3 dB lower. Its filters are
 * rebuilt whenever the channel count changes.
 */
const MONO_PARTS_AS_LOUD = "volume='if(eq(nb_channels,1),sqrt(2),1)'"

/** Incremented whenever a change of the code may change the number of decoded frames of a file. */
const READER_VERSION = 1

/** Returns the name of the decoder: two decoders of the same name decode a file to the same number of frames. Pure. */
export function readerOf({ version }: Pick<Ffmpeg, 'version'>): string {
  return `${READER_VERSION} ffmpeg ${version}`
}

/** Returns the option that selects the track of a song. */
const trackOf = ({ track }: Pick<SongFile, 'track'>): string => `0:a:${track?.index ?? 0}`

/** Rate and channels of decoded sound. */
export interface DecodedForm {
  readonly sampleRateHz: number
  readonly channels: number
}

/** Head of an AU file (Sun Microsystems, "audio file format"): rate and channels are its last two numbers. */
const AU_HEAD_BYTES = 24

/**
 * Decodes the start of a song and returns its rate and channels, which the headers of AAC leave open; undefined if nothing can be decoded.
 * Throws a FfmpegError, or the reason of an aborted `signal`.
 */
export async function readDecodedForm(
  ffmpeg: Ffmpeg,
  song: SongFile,
  signal?: AbortSignal,
): Promise<DecodedForm | undefined> {
  const head = Buffer.alloc(AU_HEAD_BYTES)
  let bytes = 0
  await runOverSong(ffmpeg, song, {
    operation: 'read the form of the sound',
    options: [],
    outputOptions: ['-map', trackOf(song), '-frames:a', '1', '-c:a', 'pcm_s16be', '-f', 'au'],
    output: (chunk) => {
      if (bytes < AU_HEAD_BYTES) head.set(chunk.subarray(0, AU_HEAD_BYTES - bytes), bytes)
      bytes += chunk.length
    },
    signal,
  })
  if (bytes <= AU_HEAD_BYTES) return undefined
  return { sampleRateHz: head.readUInt32BE(16), channels: head.readUInt32BE(20) }
}

/** Decodable length of a file, in frames. */
export interface DecodableSound {
  readonly frames: number
  /** Frames missing before the last one, as far as the file gives the positions of its frames; see {@link decodeSong}. */
  readonly lostFrames: number
}

/**
 * Decodes a file and counts its frames at `sampleRateHz`, whatever its headers say. Stops after `maxSeconds`, which limits the cost of a
 * small file that decodes to hours. 0 if nothing can be decoded. Throws a FfmpegError, or the reason of an aborted `signal`.
 */
export async function countFrames(
  ffmpeg: Ffmpeg,
  song: SongFile,
  sampleRateHz: number,
  maxSeconds: number,
  signal?: AbortSignal,
): Promise<DecodableSound> {
  let frames = 0
  let firstFrame: number | undefined
  let endFrame = 0
  let unfinishedLine = ''
  await runOverSong(ffmpeg, song, {
    operation: 'measure the duration',
    options: [],
    outputOptions: [
      ...['-map', trackOf(song), '-t', String(maxSeconds), '-ac', '1', '-ar', String(sampleRateHz)],
      // A line for each packet: stream, decoding time, position, duration, size, checksum. With one byte per frame, size is the frame
      // count.
      // Flushed as a sign that ffmpeg is working.
      ...['-c:a', 'pcm_u8', '-flush_packets', '1', '-f', 'framecrc'],
    ],
    output: (chunk) => {
      const lines = (unfinishedLine + Buffer.from(chunk).toString('latin1')).split('\n')
      unfinishedLine = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('#')) continue
        const [, , place, , size] = line.split(',').map(Number)
        // The sound of a video may begin behind its picture.
        firstFrame ??= isOtherContainer(song.format) ? place! : 0
        frames += size!
        endFrame = place! + size! - firstFrame
      }
    },
    signal,
  })
  return { frames, lostFrames: Math.max(0, endFrame - frames) }
}

/** Decoded audio and its bridged gaps. */
export interface Decoded {
  readonly audio: DecodedAudio
  /** Runs of damaged samples in the channels of the file, at the rate of the audio. */
  readonly bridgedGaps: readonly Gap[]
}

export interface DecodeOptions {
  readonly signal?: AbortSignal | undefined
  /** Told the part that is decoded, 0 to 1. */
  readonly onProgress?: (fraction: number) => void
  /** Memory of the samples, by default as {@link decodeSong} says. */
  readonly allocate?: Allocate
}

/** Keeps every frame at its position from the first on; by default ffmpeg closes gaps. The threshold, s, is below any FLAC frame. */
const FILL_WITH_SILENCE = 'aresample=async=1:min_hard_comp=0.0001:first_pts=0'

/** Largest share of bridged samples before the audio counts as unreadable. */
const MAX_BRIDGED_SHARE = 0.001

/**
 * Decodes a song to two planar Float32 channels at {@link decodedRateHz}; mono becomes two equal channels. At an engine rate they lie on
 * SharedArrayBuffers, at any other in memory that `changeRate` gives back. A WAV at that rate is read without ffmpeg. The samples never pass
 * through integers, since lossy audio exceeds full scale, and the decoder runs without processor-specific code, so a lossy file decodes
 * alike on every machine. Damaged samples, such as NaN, are bridged by a straight line. Damaged parts of a FLAC become silence of the same length, since its frames are
 * numbered; in an MP3, without numbered frames, they are left out. Throws an {@link UnreadableAudioError}, also if the number of decoded
 * frames differs from the count, a FfmpegError, or the reason of an aborted `signal`.
 */
export async function decodeSong(
  ffmpeg: Ffmpeg,
  path: string,
  facts: AudioFacts,
  options: DecodeOptions = {},
): Promise<Decoded> {
  const sampleRateHz = decodedRateHz(facts.sampleRateHz)
  const isResampled = sampleRateHz !== facts.sampleRateHz
  const allocate = options.allocate ?? (sampleRateHz === engineRateHz(sampleRateHz) ? allocateShared : allocateOwn)
  const counted = await countAgain(ffmpeg, path, facts, options.signal)
  const capacity = Math.ceil(((counted ?? facts.frames) * sampleRateHz) / facts.sampleRateHz)
  const wav = facts.format === 'wav' && !isResampled ? await wavSound(path) : undefined
  const codec = wav?.layout.codec ?? 'pcm_f32'
  const collector = collectPlanar(
    Array.from({ length: facts.channels }, () => allocate(capacity)),
    codec,
  )
  let bytes = 0
  const receive = (chunk: Uint8Array) => {
    bytes += chunk.length
    collector.push(chunk)
    options.onProgress?.(Math.min(1, collector.frames / Math.max(1, capacity)))
  }
  if (wav) {
    for await (const piece of wav.pieces) {
      options.signal?.throwIfAborted()
      receive(piece)
    }
  } else {
    await decodeByFfmpeg(ffmpeg, path, facts, { sampleRateHz, receive, signal: options.signal })
  }
  const frames = collector.frames
  if (frames === 0) throw new UnreadableAudioError('the decoder gave no audio')
  const given = bytes / (SAMPLE_BYTES[codec] * facts.channels)
  const due = ((counted ?? 0) * sampleRateHz) / facts.sampleRateHz
  if (counted !== undefined && Math.abs(given - due) > (isResampled ? RESAMPLED_TOLERANCE_FRAMES : 0)) {
    throw new UnreadableAudioError(`${given} of ${due} frames were decoded`)
  }
  const planes = collector.planes.map((samples) => samples.subarray(0, frames))
  const bridgedGaps = bridgeDamage(planes, sampleRateHz)
  const left = planes[0]!
  // A copy, not the same memory: both channels are worked on in place.
  const right = planes[1] ?? copied(left, allocate)
  return { audio: { channels: [left, right], frames, sampleRateHz }, bridgedGaps }
}

/** Has ffmpeg decode a song to interleaved float32 samples at a rate. Throws as {@link runOverSong} does. */
async function decodeByFfmpeg(
  ffmpeg: Ffmpeg,
  path: string,
  facts: AudioFacts,
  {
    sampleRateHz,
    receive,
    signal,
  }: {
    readonly sampleRateHz: number
    readonly receive: (chunk: Uint8Array) => void
    readonly signal: AbortSignal | undefined
  },
): Promise<void> {
  const { format, channels, damagedSeconds, excerpt } = facts
  const isResampled = sampleRateHz !== facts.sampleRateHz
  const filters = [
    ...(excerpt ? [excerptFilter(excerpt)] : []),
    ...(format === 'mp3' && channels === 2 ? [MONO_PARTS_AS_LOUD] : []),
    ...(format === 'flac' && damagedSeconds !== undefined ? [FILL_WITH_SILENCE] : []),
    ...(isResampled ? [rateFilter(ffmpeg, sampleRateHz)] : []),
  ]
  await runOverSong(ffmpeg, songOf(path, facts), {
    operation: 'decode the song',
    options: ['-cpuflags', '0'],
    outputOptions: [
      // The frames of an MP3 may differ in their channels.
      ...['-map', trackOf(facts), '-ac', String(channels)],
      ...(filters.length > 0 ? ['-af', filters.join(',')] : []),
      ...(isResampled ? [] : ['-ar', String(sampleRateHz)]),
      ...['-c:a', 'pcm_f32le', '-f', 'f32le'],
    ],
    output: receive,
    signal,
  })
}

/** Writes the sound of a file in a container as a WAV of 32 bit float at its own rate. Throws as {@link runOverSong} does. */
export async function writeDecoded(
  ffmpeg: Ffmpeg,
  path: string,
  facts: AudioFacts,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  await runOverSong(ffmpeg, songOf(path, facts), {
    operation: 'write the song for a player',
    options: ['-cpuflags', '0'],
    outputOptions: [
      ...['-map', trackOf(facts), '-ac', String(facts.channels), '-ar', String(facts.sampleRateHz)],
      ...(facts.excerpt ? ['-af', excerptFilter(facts.excerpt)] : []),
      ...['-c:a', 'pcm_f32le', '-f', 'wav'],
    ],
    output: target,
    signal,
  })
}

function excerptFilter({ startFrame, frames }: Excerpt): string {
  return `atrim=start_sample=${startFrame}:end_sample=${startFrame + frames}`
}

function songOf(path: string, { format, codec, track }: AudioFacts): SongFile {
  return { path, format, codec, ...(track ? { track } : {}) }
}

/** Bridges the damaged samples of a song and returns their positions. Throws an {@link InvalidSamplesError} if there are too many. */
function bridgeDamage(planes: readonly Float32Array[], sampleRateHz: number): readonly Gap[] {
  const gaps = findDamage(planes, sampleRateHz)
  const share = sampleCount(gaps.flat()) / (planes.length * planes[0]!.length)
  if (share > MAX_BRIDGED_SHARE) throw new InvalidSamplesError(share)
  for (const [c, samples] of planes.entries()) bridgeGaps(samples, gaps[c]!)
  return gaps.flat()
}

/** Returns decoded pieces of one rate joined end to end. Their own samples are released on the way to save memory. */
export function joinDecoded(pieces: readonly Decoded[]): DecodedAudio {
  const { sampleRateHz } = pieces[0]!.audio
  const allocate = sampleRateHz === engineRateHz(sampleRateHz) ? allocateShared : allocateOwn
  const frames = pieces.reduce((sum, { audio }) => sum + audio.frames, 0)
  const planes = pieces.map(({ audio }) => [...audio.channels])
  const joinedPlane = (channel: number) => {
    const joined = allocate(frames)
    let at = 0
    for (const channels of planes) {
      joined.set(channels[channel]!, at)
      at += channels[channel]!.length
      channels[channel] = new Float32Array(0)
    }
    return joined
  }
  return { channels: [joinedPlane(0), joinedPlane(1)], frames, sampleRateHz }
}

/** Largest difference in length between a rate conversion and its input, frames: the filter's last partial step. */
const RESAMPLED_TOLERANCE_FRAMES = 16

/**
 * Returns the expected number of decoded frames: the count at intake, or a new one if another reader made that. Undefined if the reader
 * was not recorded.
 */
async function countAgain(
  ffmpeg: Ffmpeg,
  path: string,
  facts: AudioFacts,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  if (facts.countedBy === undefined) return undefined
  if (facts.countedBy === readerOf(ffmpeg)) return facts.frames
  const longestSeconds = Math.ceil(facts.durationSeconds) + 1
  const song = songOf(path, facts)
  const { frames, lostFrames } = await countFrames(ffmpeg, song, facts.sampleRateHz, longestSeconds, signal)
  if (facts.excerpt) return excerptWithin(facts.excerpt, frames)?.frames ?? frames
  return facts.format === 'flac' && facts.damagedSeconds !== undefined ? frames + lostFrames : frames
}

/** Returns the excerpt of decoded frames; undefined if they are fewer, because the reader has left out priming and padding itself. */
export function excerptWithin({ startFrame, frames }: Excerpt, decodedFrames: number): Excerpt | undefined {
  return startFrame + frames <= decodedFrames ? { startFrame, frames } : undefined
}

function copied(samples: Float32Array, allocate: Allocate): Float32Array {
  const copy = allocate(samples.length)
  copy.set(samples)
  return copy
}
