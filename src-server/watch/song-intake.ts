/** Intake of one song from a watched folder: copied, inspected, stored and started, or refused, or postponed with the reason. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { ERRORS } from '../../src-contract/errors.ts'
import { MAX_SOURCE_BYTES, MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import type { Accept } from '../../src-contract/song-files.ts'
import { discardFolder } from '../../src-system/disk.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { BatchQueue } from '../batch/batch.ts'
import type { Db } from '../db/open.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import { toAppError } from '../http/envelope.ts'
import type { CoverOf } from '../sources/song-cover.ts'
import { copySong, type SongFile, UnreadableError } from '../sources/song-files.ts'
import type { NewSource, Sources } from '../sources/sources.ts'
import type { Inspect } from '../uploads/inspect.ts'
import { type ReceivedFile, tooLarge } from '../uploads/receive.ts'
import type { Storage } from '../uploads/storage.ts'
import type { PostponedFiles } from './postponed-files.ts'
import type { StableFiles } from './stable-files.ts'
import type { FolderRow, HandledAs, WatchFolderStore } from './watch-folder-store.ts'

export interface IntakeDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Folder for copies in progress, on the disk of the stored songs. */
  readonly tmp: string
  readonly sources: Pick<Sources, 'add' | 'announce'>
  readonly batch: Pick<BatchQueue, 'addStarted'>
  readonly inspect: Inspect
  readonly coverOf: CoverOf
  readonly storage: Pick<Storage, 'require' | 'requireDisk'>
  readonly store: WatchFolderStore
  readonly stable: StableFiles
  readonly postponed: PostponedFiles
  /** Aborted when the server stops. */
  readonly closing: AbortSignal
}

/**
 * Time without a change after which a file shorter than its header claims is accepted, ms: most such files are still being copied or
 * downloaded, and the transfer is paused.
 */
const CUT_SHORT_QUIET_MS = 60_000

/** Takes in one complete song of a folder; `isThere` tests whether the folder contains a name. Never rejects for a fault of the song. */
export async function takeSong(
  deps: IntakeDeps,
  { folderId, path: folder, accept }: FolderRow,
  song: SongFile,
  isThere: (name: string) => boolean,
): Promise<void> {
  const copyFolder = path.join(deps.tmp, deps.random.newUuid())
  const file = path.join(folder, song.filename)
  try {
    const copy = await copyInto(deps, copyFolder, folder, song)
    if (!copy) return
    const { sha256 } = copy
    // Equal content is the same song: touched, restored from a backup, renamed elsewhere, or on a disk that records local time.
    const isSameSong = (name: string) => name === song.filename || !isThere(name)
    const namesBefore = deps.store.namesOfContent(folderId, sha256).filter(isSameSong)
    if (namesBefore.length > 0) recordSameSong(deps, folderId, song, namesBefore, sha256)
    else {
      const source = await inspected(deps, copy, accept)
      if (isIncomplete(deps, file, song, source)) return
      startSong(deps, folderId, song, source)
    }
    deps.postponed.delete(file)
  } catch (cause) {
    if (!deps.closing.aborted) handleFailure(deps, { folderId, folder, file, song }, cause)
  } finally {
    await discardFolder(copyFolder)
  }
}

/** Consequence of a failed intake. */
type FailurePlan =
  | { readonly kind: 'refuse'; readonly error: AppError }
  | { readonly kind: 'postpone'; readonly reason: AppError; readonly until: 'changed' | 'backoff' }

/** Returns the consequence of a failure: only unretryable errors are final. Pure. */
function planFailure(cause: unknown): FailurePlan {
  if (cause instanceof AppError && !ERRORS[cause.code].retryable) return { kind: 'refuse', error: cause }
  if (!(cause instanceof UnreadableError)) return { kind: 'postpone', reason: toAppError(cause), until: 'backoff' }
  return { kind: 'postpone', reason: cause.reason, until: cause.isDenied ? 'changed' : 'backoff' }
}

function handleFailure(
  deps: IntakeDeps,
  { folderId, folder, file, song }: { folderId: string; folder: string; file: string; song: SongFile },
  cause: unknown,
): void {
  const { postponed, clock, log } = deps
  const plan = planFailure(cause)
  if (plan.kind === 'refuse') {
    record(deps, folderId, song, { error: plan.error })
    postponed.delete(file)
    return
  }
  // Logged once per reason: a folder full of songs is tried every minute, and the log may be on the full disk.
  if (postponed.reasonOf(file)?.code !== plan.reason.code)
    log.warn('a watched song could not be taken yet', { folder, filename: song.filename, cause })
  if (plan.until === 'changed') postponed.untilChanged(file, song.stat, plan.reason)
  else postponed.withBackoff(file, song.stat, plan.reason, clock.monotonicMs())
}

/** Copies a song into a folder created for it; undefined when the song changed meanwhile. */
async function copyInto(
  { storage, closing }: IntakeDeps,
  copyFolder: string,
  folder: string,
  song: SongFile,
): Promise<ReceivedFile | undefined> {
  const { sizeBytes } = song.stat
  if (sizeBytes > MAX_SOURCE_BYTES) throw tooLarge(MAX_SOURCE_BYTES, 'file')
  storage.require(sizeBytes)
  await mkdir(copyFolder, { recursive: true, mode: 0o700 })
  const { requireDisk } = storage
  return copySong(folder, song, path.join(copyFolder, 'file'), { requireDisk, signal: closing })
}

/** Returns whether a song shorter than its header claims may still grow; it is then postponed. */
function isIncomplete(
  { clock, stable, postponed }: IntakeDeps,
  file: string,
  { stat }: SongFile,
  { facts }: Pick<NewSource, 'facts'>,
): boolean {
  const nowMs = clock.monotonicMs()
  if (facts.claimedSeconds === undefined || stable.isStable(file, stat, nowMs, CUT_SHORT_QUIET_MS)) return false
  postponed.until(file, stat, invalidRequest('file_cut_short', { param: 'file' }), nowMs + CUT_SHORT_QUIET_MS)
  return true
}

/** Inspects a copy. Rejects with an AppError for a file that is not a song or too short to be mastered. */
async function inspected(
  { inspect, coverOf, closing }: IntakeDeps,
  copy: ReceivedFile,
  accept: Accept,
): Promise<Omit<NewSource, 'purpose'>> {
  const song = await inspect(copy, 'file', closing, accept)
  if (song.facts.durationSeconds < MIN_DURATION_SECONDS)
    throw new AppError('UNSUPPORTED_FORMAT', { reason: 'short' }, { param: 'file' })
  const cover = await coverOf(song, closing)
  return { ...song, ...(cover ? { cover } : {}) }
}

/** Records, stores and starts a song in one transaction; does nothing if the folder was paused or removed meanwhile. */
function startSong(
  { store, batch, sources, clock }: IntakeDeps,
  folderId: string,
  { filename, stat }: SongFile,
  source: Omit<NewSource, 'purpose'>,
): void {
  const folder = store.find(folderId)
  if (!folder?.isActive) return
  sources.announce([source])
  batch.addStarted(() => {
    const sourceId = sources.add({ ...source, purpose: 'song' })
    store.addHandled(folderId, filename, stat, { sourceId, sha256: source.sha256 }, clock.now())
    return sourceId
  }, folder.settings)
}

/** Records known content only under its present name: a later copy under an earlier name is another song. */
function recordSameSong(
  deps: IntakeDeps,
  folderId: string,
  song: SongFile,
  namesBefore: readonly string[],
  sha256: string,
): void {
  deps.db.transaction(() => {
    for (const name of namesBefore) deps.store.forgetContent(folderId, name, sha256)
    record(deps, folderId, song, { sha256 })
  })()
}

/** Records a file as handled unless its folder was removed meanwhile. */
function record(
  { store, clock }: IntakeDeps,
  folderId: string,
  { filename, stat }: SongFile,
  handledAs: HandledAs,
): void {
  if (store.find(folderId)) store.addHandled(folderId, filename, stat, handledAs, clock.now())
}
