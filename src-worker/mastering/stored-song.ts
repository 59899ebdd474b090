/** Checks of stored songs before they are read, and the failures when they cannot be read. */
import { createHash } from 'node:crypto'
import { access, stat } from 'node:fs/promises'
import type { FailureCode } from '../../src-contract/errors.ts'
import { isExhausted } from '../../src-system/process-group.ts'
import { InvalidSamplesError, UnreadableAudioError } from '../media/decode.ts'
import { type Ffmpeg, FfmpegError } from '../media/ffmpeg.ts'
import { piecesIn } from '../media/file-bytes.ts'
import { tryFfmpegIn } from '../media/trial.ts'
import { WorkFailure } from './work-failure.ts'
import type { StoredSong } from './work-order.ts'

/** Failure codes of a song that is missing, unreadable, or mostly invalid samples. */
export interface SongCodes {
  readonly lost: FailureCode
  readonly unreadable: FailureCode
  readonly invalid: FailureCode
}

export const SOURCE_CODES: SongCodes = {
  lost: 'SOURCE_LOST',
  unreadable: 'UNREADABLE_AUDIO',
  invalid: 'INVALID_SAMPLES',
}
export const REFERENCE_CODES: SongCodes = {
  lost: 'REFERENCE_LOST',
  unreadable: 'REFERENCE_UNREADABLE',
  invalid: 'REFERENCE_UNREADABLE',
}

/** Returns the failure of a job whose song cannot be read. */
export function unreadable(codes: SongCodes, cause: unknown): WorkFailure {
  if (cause instanceof InvalidSamplesError) return new WorkFailure(codes.invalid, { percent: cause.percent }, cause)
  return new WorkFailure(codes.unreadable, {}, cause)
}

/**
 * Reads a stored song to its end and checks its SHA-256. Throws a {@link WorkFailure} if it is missing, changed, cut short or unreadable,
 * or the reason of an aborted `signal`.
 */
export async function checkStoredSong(
  { path, sha256 }: Pick<StoredSong, 'path' | 'sha256'>,
  codes: SongCodes,
  signal: AbortSignal,
): Promise<void> {
  await access(path).catch((error) => {
    throw new WorkFailure(codes.lost, {}, error)
  })
  const hash = createHash('sha256')
  try {
    const { size } = await stat(path)
    for await (const piece of piecesIn(path, [{ offset: 0, length: size }])) {
      signal.throwIfAborted()
      hash.update(piece)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw isExhausted(error) ? error : new WorkFailure(codes.unreadable, {}, error)
  }
  const found = hash.digest('hex')
  if (found !== sha256) {
    throw new WorkFailure(codes.unreadable, {}, new Error(`the stored file is ${found}, taken was ${sha256}`))
  }
}

/**
 * Runs `read`, which decodes a song. If that fails, a trial in `folder` shows whether ffmpeg is at fault: throws the error of
 * {@link tryFfmpegIn}, or the failure of an {@link unreadable} song if ffmpeg works; other errors pass through.
 */
export async function readingSong<Result>(
  { ffmpeg, folder, signal }: { readonly ffmpeg: Ffmpeg; readonly folder: string; readonly signal: AbortSignal },
  song: Pick<StoredSong, 'facts'>,
  codes: SongCodes,
  read: () => Promise<Result>,
): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    const isDecoding = error instanceof FfmpegError && ['failed', 'short', 'crashed'].includes(error.fault)
    if (!isDecoding && !(error instanceof UnreadableAudioError)) throw error
    await tryFfmpegIn(ffmpeg, folder, [song.facts.format], signal)
    // A song that was decoded before does not make ffmpeg crash: another attempt may succeed.
    if (error instanceof FfmpegError && error.fault === 'crashed') throw error
    throw unreadable(codes, error)
  }
}
