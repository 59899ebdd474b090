/** Song files of a watched folder: recognition by name, attributes, and a verified copy. */
import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import path from 'node:path'
import { type Accept, isFolderSongName, isSongName } from '../../src-contract/song-files.ts'
import { openRegularFile, type RegularFile } from '../../src-system/regular-file.ts'
import { type AppError, invalidRequest } from '../http/app-error.ts'
import type { ReceivedFile } from '../uploads/receive.ts'
import { type Storage, watchRoom } from '../uploads/storage.ts'
import type { FileStat } from '../watch/postponed-files.ts'

/** A file of a watched folder that may be a song. */
export interface SongFile {
  readonly filename: string
  readonly stat: FileStat
}

/** Error for an unreadable song of a watched folder; the system's error is the cause. */
export class UnreadableError extends Error {
  /** True if access is denied, which lasts until the rights change; any other reason, such as a lost network, may pass. */
  readonly isDenied: boolean
  readonly reason: AppError

  constructor(cause: unknown) {
    super('unreadable', { cause })
    const { code } = cause as NodeJS.ErrnoException
    this.isDenied = code === 'EACCES' || code === 'EPERM'
    // On Windows a program may open a file exclusively.
    this.reason = invalidRequest(code === 'EBUSY' ? 'file_in_use' : 'file_not_readable', { param: 'file' })
  }
}

/** Files whose attributes are read at once: enough to hide the latency of a network drive. */
const STAT_BATCH = 32

/** Resolves with a file and its attributes; undefined if it is missing, a folder or a link. */
export async function statSong(folder: string, filename: string): Promise<SongFile | undefined> {
  // The directory listing would not do: on Windows it shows files kept in OneDrive as links.
  const facts = await lstat(path.join(folder, filename), { bigint: true }).catch(() => undefined)
  return facts?.isFile() ? { filename, stat: fileStat(facts) } : undefined
}

/** Returns whether a file of this name in a folder may be a song that is taken. Pure. */
export const isWantedName = (name: string, accept: Accept): boolean => (accept ? isFolderSongName : isSongName)(name)

/** Resolves with the possible songs of a folder in order of name, without subfolders. Rejects with the system's error. */
export async function listSongs(folder: string, accept?: Accept): Promise<SongFile[]> {
  const names = (await readdir(folder)).filter((name) => isWantedName(name, accept)).sort()
  const songs: SongFile[] = []
  for (let start = 0; start < names.length; start += STAT_BATCH) {
    const batch = names.slice(start, start + STAT_BATCH)
    const found = await Promise.all(batch.map((name) => statSong(folder, name)))
    songs.push(...found.filter((song) => song !== undefined))
  }
  return songs
}

/** Disk room checks during a copy, and the signal that aborts it. */
type CopyOptions = Pick<Storage, 'requireDisk'> & { readonly signal: AbortSignal }

/**
 * Copies a song of `folder` to `to` and hashes it; resolves with undefined if the song has changed since it was seen, which rejects
 * half-written files. Rejects as {@link copyOpened} does.
 */
export async function copySong(
  folder: string,
  { filename, stat: seen }: SongFile,
  to: string,
  options: CopyOptions,
): Promise<ReceivedFile | undefined> {
  const file = await openRegularFile(path.join(folder, filename), { followsLink: false }).catch((cause: unknown) => {
    throw new UnreadableError(cause)
  })
  try {
    const { sizeBytes, modifiedMs } = fileStat(file.facts)
    if (sizeBytes !== seen.sizeBytes || modifiedMs !== seen.modifiedMs) return undefined
    return await copyOpened(file, to, options)
  } finally {
    await file.close()
  }
}

/**
 * Copies an open file to `to` and hashes it; resolves with undefined if it changed meanwhile. Rejects with an {@link UnreadableError},
 * INSUFFICIENT_STORAGE before the disk is full, the system's write error, or the reason of an aborted signal.
 */
export async function copyOpened(
  file: RegularFile,
  to: string,
  { requireDisk, signal }: CopyOptions,
): Promise<ReceivedFile | undefined> {
  const hash = createHash('sha256')
  const requireRoom = watchRoom(requireDisk)
  const target = await open(to, 'w', 0o600)
  try {
    for await (const chunk of readable(file, signal)) {
      requireRoom(chunk.length)
      hash.update(chunk)
      await target.writeFile(chunk)
    }
  } finally {
    await target.close()
  }
  if (!(await file.isUnchanged())) return undefined
  const filename = path.basename(file.path).normalize('NFC')
  return { path: to, filename, sizeBytes: file.sizeBytes, sha256: hash.digest('hex') }
}

/** Reads a file; a generator, to distinguish errors of reading from those of writing. */
async function* readable(file: RegularFile, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* file.chunks(signal)
  } catch (cause) {
    throw new UnreadableError(cause)
  }
}

/** Converts the system's attributes. An inode number stays a string: on Windows it has 64 bits, more than a JavaScript number holds. */
function fileStat({ size, mtimeMs, ctimeMs, ino }: BigIntStats): FileStat {
  return {
    sizeBytes: Number(size),
    modifiedMs: Number(mtimeMs),
    changedMs: Number(ctimeMs),
    inode: ino > 0n ? String(ino) : null,
  }
}
