/** The song of a line: located, copied if it is the user's own file, and inspected. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { ManifestLine } from '../../src-contract/batches.ts'
import { MAX_SOURCE_BYTES, MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import type { JobSettings } from '../../src-contract/settings.ts'
import type { Accept } from '../../src-contract/song-files.ts'
import { discardFolder } from '../../src-system/disk.ts'
import type { Random } from '../../src-system/system.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import type { AllowedFolders } from '../access/allowed-folders.ts'
import { AppError } from '../http/app-error.ts'
import { resultBytes } from '../jobs/submit.ts'
import { copyOpened, UnreadableError } from '../sources/song-files.ts'
import type { Inspect } from '../uploads/inspect.ts'
import { type ReceivedFile, tooLarge } from '../uploads/receive.ts'
import type { Storage } from '../uploads/storage.ts'

export interface SongSourceDeps {
  readonly allowed: Pick<AllowedFolders, 'open'>
  /** Returns the song of a job that has not expired; its file may be gone. */
  readonly songOfJob: (jobId: string) => BatchSong | undefined
  /** Runs `use` with the path of the song of a job. Rejects with RESULT_EXPIRED and FILE_GONE. */
  readonly withSongOfJob: <Outcome>(
    jobId: string,
    use: (path: string) => Outcome | Promise<Outcome>,
  ) => Promise<Outcome>
  /** Returns a stored song; throws INVALID_REQUEST when its file is gone. */
  readonly storedSong: (sourceId: string) => StoredSong | undefined
  readonly inspect: Inspect
  readonly storage: Pick<Storage, 'requireDisk'>
  readonly random: Pick<Random, 'newUuid'>
  /** Folder for copies in progress, on the disk of the jobs. */
  readonly tmp: string
}

/** A song, and the user's own file that it was copied from. */
export type BatchSong = StoredSong & { readonly sourcePath?: string }

/**
 * Estimated sound per byte of an uninspected file, seconds: WAV of 16 bit at 44.1 kHz, FLAC of 60 % of that, MP3 of 128 kbit/s, and the
 * same for lossy files in other containers.
 */
const SECONDS_PER_BYTE: Readonly<Record<string, number>> = {
  '.wav': 1 / 176_400,
  '.flac': 1 / 105_840,
  '.mp3': 1 / 16_000,
  '.m4a': 1 / 16_000,
  '.ogg': 1 / 16_000,
  '.opus': 1 / 16_000,
  '.wv': 1 / 105_840,
}
/** Assumed rate of an uninspected file, Hz. */
const ASSUMED_RATE_HZ = 44_100
/** Longest song, seconds: the upper bound of any estimate. */
const LONGEST_SECONDS = 600

/**
 * Returns the bytes for a song and its masters: exact for a known song, else estimated from the size of its file. Rejects with
 * PATH_NOT_ALLOWED for a file that may not be read, and with JOB_NOT_FOUND or NOT_FOUND for a missing song.
 */
export async function bytesNeeded(deps: SongSourceDeps, line: ManifestLine, settings: JobSettings): Promise<number> {
  if (line.path === undefined) return resultBytes(knownSong(deps, line), settings)
  const file = await deps.allowed.open(line.path)
  await file.close()
  const { sizeBytes } = file
  const rate = SECONDS_PER_BYTE[path.extname(line.path).toLowerCase()] ?? 1 / 176_400
  const durationSeconds = Math.min(LONGEST_SECONDS, sizeBytes * rate)
  const facts = { durationSeconds, sampleRateHz: ASSUMED_RATE_HZ } as StoredSong['facts']
  return sizeBytes + resultBytes({ facts }, settings)
}

/** Runs `use` with the song of a line. The copy of a file is removed afterwards; a job keeps its own. */
export async function withSong<Outcome>(
  deps: SongSourceDeps,
  line: ManifestLine,
  { signal, accept }: { readonly signal: AbortSignal; readonly accept: Accept },
  use: (song: BatchSong) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  if (line.path === undefined) {
    const song = knownSong(deps, line)
    const { job_id: jobId } = line
    return jobId === undefined ? use(song) : deps.withSongOfJob(jobId, (file) => use({ ...song, path: file }))
  }
  const folder = path.join(deps.tmp, deps.random.newUuid())
  try {
    return await use({ ...(await copied(deps, line.path, folder, { signal, accept })), sourcePath: line.path })
  } finally {
    await discardFolder(folder)
  }
}

function knownSong(deps: Pick<SongSourceDeps, 'songOfJob' | 'storedSong'>, line: ManifestLine): BatchSong {
  const { job_id: jobId, source_id: sourceId } = line
  const song = jobId !== undefined ? deps.songOfJob(jobId) : deps.storedSong(sourceId ?? '')
  if (!song) throw new AppError(jobId !== undefined ? 'JOB_NOT_FOUND' : 'NOT_FOUND')
  return song
}

async function copied(
  { allowed, inspect, storage }: SongSourceDeps,
  name: string,
  folder: string,
  { signal, accept }: { readonly signal: AbortSignal; readonly accept: Accept },
): Promise<StoredSong> {
  const file = await allowed.open(name)
  let copy: ReceivedFile | undefined
  try {
    if (file.sizeBytes > MAX_SOURCE_BYTES) throw tooLarge(MAX_SOURCE_BYTES, 'path')
    await mkdir(folder, { mode: 0o700 })
    const options = { requireDisk: storage.requireDisk, signal }
    copy = await copyOpened(file, path.join(folder, 'file'), options).catch(refused)
  } finally {
    await file.close()
  }
  // It changes at this moment.
  if (!copy) throw new AppError('PATH_NOT_ALLOWED')
  const song = await inspect({ ...copy, filename: path.basename(name).normalize('NFC') }, 'file', signal, accept)
  if (song.facts.durationSeconds < MIN_DURATION_SECONDS)
    throw new AppError('UNSUPPORTED_FORMAT', { reason: 'short' }, { param: 'path' })
  return song
}

function refused(cause: unknown): never {
  throw cause instanceof UnreadableError ? new AppError('PATH_NOT_ALLOWED', {}, { cause }) : cause
}
