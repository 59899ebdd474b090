/** Identification of an uploaded file and decision whether it is accepted: measurement below, rules in {@link judge}. */

import { dirname } from 'node:path'
import type { ErrorParams } from '../../src-contract/errors.ts'
import { DURATION_TOLERANCE_SECONDS, MAX_DURATION_SECONDS } from '../../src-contract/limits.ts'
import { type Accept, isOtherContainer } from '../../src-contract/song-files.ts'
import type { AudioFacts, Excerpt } from '../../src-worker/media/audio-facts.ts'
import { isCrowdedFlac } from '../../src-worker/media/crowded-flac.ts'
import {
  countFrames,
  type DecodableSound,
  excerptWithin,
  readDecodedForm,
  readerOf,
  type SongFile,
} from '../../src-worker/media/decode.ts'
import { type Ffmpeg, FfmpegError, type FfmpegFault } from '../../src-worker/media/ffmpeg.ts'
import { readClaimGenerator } from '../../src-worker/media/provenance.ts'
import {
  type FormatFault,
  type Recognition,
  recogniseAudio,
  type StreamFacts,
  withinLimits,
} from '../../src-worker/media/recognise.ts'
import { type FoundTags, readTags } from '../../src-worker/media/tags.ts'
import { tryFfmpegIn } from '../../src-worker/media/trial.ts'

/** A refusal contains the values of its message: `reason` for a format, `duration` (m:ss) for a length. */
export type Probe =
  | { readonly ok: true; readonly facts: AudioFacts }
  | {
      readonly ok: false
      readonly code: 'UNSUPPORTED_FORMAT' | 'FILE_TOO_LONG'
      readonly params: ErrorParams
      /** The same in English, for the log. */
      readonly reason: string
    }

export interface ProbeOptions {
  readonly ffmpeg: Ffmpeg
  readonly accept?: Accept
  readonly signal?: AbortSignal | undefined
}

/** Decoding continues this far past the limit, to report the length of a song that is a little too long. */
const MEASURED_SECONDS = 2 * MAX_DURATION_SECONDS

/** Missing length that counts as a lost end, s: more than an encoder's padding. */
const MISSED_SECONDS = 1

/** Programs that have read a good WAV: a WAV's frames are counted without ffmpeg, which could not show then that it does not work. */
const proven = new WeakSet<Ffmpeg>()

/**
 * Returns the facts of a file, or the reason to refuse it. Only the content decides: the format by its bytes, the length by decoding. An
 * undecodable file is refused once ffmpeg has proved that it reads a good one. Throws a FfmpegBrokenError if it does not, a FfmpegError
 * when it is missing or killed, the system's error when the file cannot be read, and the reason of an aborted `signal`; ffmpeg is then
 * dead.
 */
export async function probeAudio(path: string, { ffmpeg, accept, signal }: ProbeOptions): Promise<Probe> {
  const recognised = await recogniseAudio(path, accept)
  if ('fault' in recognised) return refuseFormat(recognised.fault)
  const { format, codec, track } = recognised.stream
  const song: SongFile = { path, format, codec, ...(track ? { track } : {}) }
  if (format === 'flac' && (await isCrowdedFlac(path))) return refuseFormat('crowded')
  const proveFfmpeg = () => tryFfmpegIn(ffmpeg, dirname(path), [format], signal)
  if (format === 'wav' && !proven.has(ffmpeg)) {
    await proveFfmpeg()
    proven.add(ffmpeg)
  }
  let stream: StreamFacts
  let decodable: DecodableSound
  let tagged: FoundTags
  try {
    const decoded = isOtherContainer(format) ? await asDecoded(ffmpeg, song, recognised.stream, signal) : recognised
    if ('fault' in decoded) return refuseFormat(decoded.fault)
    stream = decoded.stream
    ;[decodable, tagged] = await Promise.all([countSound(ffmpeg, song, stream, signal), readTags(ffmpeg, song, signal)])
  } catch (error) {
    const fault = error instanceof FfmpegError ? STOPPED[error.fault] : undefined
    if (!fault) throw error
    await proveFfmpeg()
    return refuseFormat(fault)
  }
  // A plain WAV needs no ffmpeg that would end with the reason.
  signal?.throwIfAborted()
  const sound = placeDamage(stream, decodable)
  const excerpt = stream.excerpt && excerptWithin(stream.excerpt, sound.frames)
  const { frames, damagedFrames } = excerpt ? { ...sound, frames: excerpt.frames } : sound
  if (frames === 0) {
    const isNewer = format === 'flac' && (stream.bitDepth ?? 0) > WIDEST_OLD_FLAC_BITS && isOld(ffmpeg)
    if (isNewer) return refuseFormat('ffmpeg_too_old')
    await proveFfmpeg()
  }
  const verdict = judge(stream, frames)
  if (!verdict.ok) return verdict
  const countedBy = readerOf(ffmpeg)
  const claimGenerator = stream.hasProvenance ? await readClaimGenerator(path) : undefined
  const maker = claimGenerator === undefined ? {} : { claimGenerator }
  return { ok: true, facts: { ...factsOf(stream, { frames, damagedFrames, excerpt, countedBy }), ...tagged, ...maker } }
}

interface CountedSound {
  readonly frames: number
  readonly damagedFrames: number
  readonly excerpt: Excerpt | undefined
  readonly countedBy: string
}

/** Returns the facts of an accepted song but for its tags. Pure. */
function factsOf(
  stream: StreamFacts,
  { frames, damagedFrames, excerpt, countedBy }: CountedSound,
): Omit<AudioFacts, keyof FoundTags> {
  const { format, codec, sampleRateHz, channels, isLossy, track, bitDepth, hasProvenance } = stream
  const durationSeconds = frames / sampleRateHz
  const claimedSeconds = (stream.claimedFrames ?? 0) / sampleRateHz
  const isMissing = claimedSeconds - durationSeconds >= MISSED_SECONDS
  const uncountedSeconds = (stream.strayFrames ?? 0) / sampleRateHz
  const ofSound = isLossy && stream.soundBytes !== undefined ? (8 * stream.soundBytes) / durationSeconds : undefined
  const bitRate = stream.bitRate ?? ofSound
  return {
    ...{ format, codec, sampleRateHz, channels, frames, countedBy },
    ...(excerpt ? { excerpt } : {}),
    ...(track ? { track } : {}),
    durationSeconds,
    ...(isMissing && !(isLossy && damagedFrames > 0) ? { claimedSeconds } : {}),
    ...(uncountedSeconds >= MISSED_SECONDS ? { uncountedSeconds } : {}),
    ...(damagedFrames > 0 ? { damagedSeconds: damagedFrames / sampleRateHz } : {}),
    ...(bitDepth === undefined ? {} : { bitDepth }),
    ...(bitRate === undefined ? {} : { bitRate: Math.round(bitRate / 1000) * 1000 }),
    ...{ isLossy, hasProvenance },
  }
}

/**
 * Returns a recognised file with the rate and channels of its decoded sound, which its headers may state otherwise, or the fault of these.
 * Unchanged if nothing can be decoded. Throws a FfmpegError of another kind.
 */
async function asDecoded(
  ffmpeg: Ffmpeg,
  song: SongFile,
  stream: StreamFacts,
  signal: AbortSignal | undefined,
): Promise<Recognition> {
  const form = await unlessFailed(readDecodedForm(ffmpeg, song, signal), undefined)
  if (!form) return { stream }
  const atRate = (frames: number) => Math.round((frames * form.sampleRateHz) / stream.sampleRateHz)
  const { claimedFrames, excerpt } = stream
  return withinLimits({
    stream: {
      ...stream,
      ...form,
      ...(claimedFrames === undefined ? {} : { claimedFrames: atRate(claimedFrames) }),
      ...(excerpt ? { excerpt: { startFrame: atRate(excerpt.startFrame), frames: atRate(excerpt.frames) } } : {}),
    },
  })
}

/** Faults that a song provokes in a working ffmpeg. */
const STOPPED: Partial<Record<FfmpegFault, FormatFault>> = {
  time_limit: 'stalls',
  crashed: 'crashes',
  // Damage sends some demuxers beyond the end of the file, which they report as an error of reading.
  short: 'damaged',
}

/** FLAC of more bits is read by ffmpeg from this release on. */
const WIDEST_OLD_FLAC_BITS = 24
/** Major version of ffmpeg that reads FLAC of more than 24 bits. */
const FIRST_WIDE_FLAC_MAJOR = 6

function isOld({ version }: Ffmpeg): boolean {
  return Number(/^n?(\d+)\./.exec(version)?.[1] ?? FIRST_WIDE_FLAC_MAJOR) < FIRST_WIDE_FLAC_MAJOR
}

/** Shortest gap that counts as a loss, s: a shorter one may be an encoder's padding, or a tag among the frames of an MP3. */
const HEARD_LOSS_SECONDS = 0.1

/**
 * Returns the frames of a song and the number of damaged ones. The frames of a FLAC are numbered, so lost ones keep their position and
 * count; numbers beyond the claimed length are ignored. Those of an MP3 are not: a gap only proves a loss, and the encoder's count shows
 * its size. Pure; never throws.
 */
export function placeDamage(
  { format, sampleRateHz, claimedFrames }: Pick<StreamFacts, 'format' | 'sampleRateHz' | 'claimedFrames'>,
  { frames, lostFrames }: DecodableSound,
): { readonly frames: number; readonly damagedFrames: number } {
  if (lostFrames === 0 || frames === 0) return { frames, damagedFrames: 0 }
  if (format === 'flac') {
    const isPlaced = claimedFrames === undefined || frames + lostFrames <= claimedFrames
    return isPlaced ? { frames: frames + lostFrames, damagedFrames: lostFrames } : { frames, damagedFrames: 0 }
  }
  const damagedFrames = Math.max(lostFrames, (claimedFrames ?? 0) - frames)
  return { frames, damagedFrames: damagedFrames >= HEARD_LOSS_SECONDS * sampleRateHz ? damagedFrames : 0 }
}

/**
 * Counts the frames of a song: a WAV's are known from its size, other files are decoded. If ffmpeg gives up on a file, the frames decoded
 * so far count and none of them as damaged.
 */
async function countSound(
  ffmpeg: Ffmpeg,
  song: SongFile,
  { frames, sampleRateHz }: Pick<StreamFacts, 'frames' | 'sampleRateHz'>,
  signal: AbortSignal | undefined,
): Promise<DecodableSound> {
  if (frames !== undefined) return { frames: Math.min(frames, MEASURED_SECONDS * sampleRateHz), lostFrames: 0 }
  const count = countFrames(ffmpeg, song, sampleRateHz, MEASURED_SECONDS, signal)
  return unlessFailed(count, { frames: 0, lostFrames: 0 })
}

/** Resolves with `otherwise` if ffmpeg gives up on a file. */
async function unlessFailed<Result>(work: Promise<Result>, otherwise: Result): Promise<Result> {
  return work.catch((error: unknown) => {
    if (error instanceof FfmpegError && error.fault === 'failed') return otherwise
    throw error
  })
}

/** Accepts or refuses a recognised and counted song. Pure; never throws. */
export function judge(stream: Pick<StreamFacts, 'sampleRateHz'>, frames: number): Probe | { readonly ok: true } {
  if (frames === 0) return refuseFormat('damaged')
  const seconds = frames / stream.sampleRateHz
  if (seconds <= MAX_DURATION_SECONDS + DURATION_TOLERANCE_SECONDS) return { ok: true }
  const isMeasured = seconds < MEASURED_SECONDS
  const duration = `${isMeasured ? '' : '> '}${clockTime(seconds)}`
  return { ok: false, code: 'FILE_TOO_LONG', params: { duration }, reason: `${duration} long` }
}

function refuseFormat(fault: FormatFault): Probe {
  return { ok: false, code: 'UNSUPPORTED_FORMAT', params: { reason: fault }, reason: fault }
}

function clockTime(seconds: number): string {
  const whole = Math.ceil(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
