/** The files of a watched folder: which of them are songs, and the copy of one that is whole. */
import { createHash } from 'node:crypto'
import { type BigIntStats, createReadStream, createWriteStream } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type AppError, invalidRequest } from '../http/app-error.ts'
import type { ReceivedFile } from '../uploads/receive.ts'
import { type Storage, watchRoom } from '../uploads/storage.ts'
import type { FileState } from './held-back.ts'

/** A file of a watched folder that may be a song. */
export interface SeenSong {
  readonly filename: string
  readonly look: FileState
}

/** A song of a watched folder could not be read, as the cause says. */
export class UnreadableError extends Error {
  /** Whether the system refuses it until its rights change; everything else, such as a network that is away, may pass. */
  readonly isDenied: boolean
  readonly reason: AppError

  constructor(cause: unknown) {
    super('unreadable', { cause })
    const { code } = cause as NodeJS.ErrnoException
    this.isDenied = code === 'EACCES' || code === 'EPERM'
    // Windows lets a program have a file for itself.
    this.reason = invalidRequest(code === 'EBUSY' ? 'file_in_use' : 'file_not_readable', { param: 'file' })
  }
}

const EXTENSIONS = new Set(['.wav', '.wave', '.mp3', '.flac'])

/** Returns whether a file of this name may be a song. */
export const looksLikeSong = (name: string): boolean =>
  !name.startsWith('.') && EXTENSIONS.has(path.extname(name).toLowerCase())

/** Resolves with a file as it is now; undefined where there is none of that name, and for a folder or a link. */
export async function seenAs(folder: string, filename: string): Promise<SeenSong | undefined> {
  // Asked of each: in the list of a folder on Windows, what lies in OneDrive is a link.
  const facts = await lstat(path.join(folder, filename), { bigint: true }).catch(() => undefined)
  return facts?.isFile() ? { filename, look: lookOf(facts) } : undefined
}

/** Files that are asked about at once. */
const SLICE = 32

/** Resolves with what may be songs in a folder, by name, and not in the folders in it. Rejects with the system's error. */
export async function songsIn(folder: string): Promise<SeenSong[]> {
  const names = (await readdir(folder)).filter(looksLikeSong).sort()
  const songs: SeenSong[] = []
  for (let start = 0; start < names.length; start += SLICE) {
    const slice = await Promise.all(names.slice(start, start + SLICE).map((name) => seenAs(folder, name)))
    songs.push(...slice.filter((song) => song !== undefined))
  }
  return songs
}

/**
 * Copies a song of `folder` to `to` and hashes it; resolves with undefined when it is no longer as it was seen, so that a half-written
 * one is never taken. Rejects with an {@link UnreadableError}, INSUFFICIENT_STORAGE before the disk is full, the system's error of the
 * writing, or the reason of an aborted signal.
 */
export async function copyWhole(
  folder: string,
  { filename, look }: SeenSong,
  to: string,
  { requireDisk, signal }: Pick<Storage, 'requireDisk'> & { readonly signal: AbortSignal },
): Promise<ReceivedFile | undefined> {
  const from = path.join(folder, filename)
  const hash = createHash('sha256')
  // A generator, so that a fault of the reading is told from one of the writing.
  const read = async function* () {
    try {
      for await (const chunk of createReadStream(from, { signal }) as AsyncIterable<Buffer>) {
        hash.update(chunk)
        yield chunk
      }
    } catch (cause) {
      throw new UnreadableError(cause)
    }
  }
  const requireRoom = watchRoom(requireDisk)
  const withRoom = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      requireRoom(chunk.length)
      yield chunk
    }
  }
  await pipeline(read, withRoom, createWriteStream(to, { mode: 0o600 }), { signal })
  const after = lookOf(await stat(from, { bigint: true }))
  if (after.sizeBytes !== look.sizeBytes || after.modifiedMs !== look.modifiedMs) return undefined
  return { path: to, filename: filename.normalize('NFC'), sizeBytes: look.sizeBytes, sha256: hash.digest('hex') }
}

/** Windows numbers its files with 64 bits: as a JavaScript number many of them would have the same. */
function lookOf({ size, mtimeMs, ctimeMs, ino }: BigIntStats): FileState {
  return {
    sizeBytes: Number(size),
    modifiedMs: Number(mtimeMs),
    changedMs: Number(ctimeMs),
    inode: ino > 0n ? String(ino) : null,
  }
}
