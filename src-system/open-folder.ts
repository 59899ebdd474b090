/** Folders for new files: each is opened once by its real path and, if the system supports it, never looked up again. */
import { constants, createReadStream } from 'node:fs'
import { copyFile, type FileHandle, lstat, mkdir, open, realpath, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { giveToUser, isWithin } from './disk.ts'
import { FileRefusedError, isSameFile, kernelName, placeOf } from './regular-file.ts'

/** Windows has none of these flags. */
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
const NEW_FILE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** Bytes of a file: all of them, or a part. */
export interface FilePart {
  readonly path: string
  readonly offset: number
  readonly sizeBytes: number
}

/** An open folder of the user's. New entries get the access rights of the user's other programs. */
export class OpenFolder {
  /** Real path at opening. */
  readonly path: string
  readonly #handle: FileHandle | undefined

  constructor(real: string, handle: FileHandle | undefined) {
    this.path = real
    this.#handle = handle
  }

  /**
   * Returns a path to a name in the folder, or to the folder itself. On Linux it leads into the opened folder even if that has been
   * replaced. Throws a {@link FileRefusedError} for a name that leads elsewhere.
   */
  at(name = ''): string {
    if (name === '.' || name === '..' || name !== path.basename(name)) throw new FileRefusedError('moved', name)
    return path.join(this.#handle ? kernelName(this.#handle) : this.path, name)
  }

  /**
   * Creates a new file and opens it for writing. Throws the system's error, or a {@link FileRefusedError} without creating the file if the
   * folder has been moved.
   */
  async create(name: string): Promise<FileHandle> {
    const file = this.at(name)
    const handle = await open(file, NEW_FILE_FLAGS, 0o666)
    try {
      const place = await placeOf(handle, file)
      if (isSamePath(place, path.join(this.path, name))) {
        await giveToUser(handle, 'file')
        return handle
      }
      const facts = await handle.stat({ bigint: true })
      if (isSameFile(await lstat(place, { bigint: true }), facts)) await rm(place)
      throw new FileRefusedError('moved', name)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /**
   * Creates a file with bytes of one of ours, flushed to the disk. A whole file is cloned where the file system can, else copied within the
   * system; it is never linked, since its owner may change it. Throws as {@link create} does, an Error if bytes are missing, and the reason
   * of an aborted `signal`.
   */
  async copy(name: string, from: FilePart, signal?: AbortSignal): Promise<void> {
    const isWhole = from.offset === 0 && (await stat(from.path)).size === from.sizeBytes
    const target = await this.create(name)
    try {
      const copied = isWhole ? this.#clone(from.path, name, target) : copyPart(from, target, signal)
      await (signal ? untilAborted(copied, signal) : copied)
      if ((await target.stat()).size !== from.sizeBytes) throw new Error(`${from.path} has been cut short`)
      await target.sync()
    } finally {
      await target.close()
    }
  }

  async #clone(from: string, name: string, target: FileHandle): Promise<void> {
    // By its descriptor: a name could lead elsewhere by now.
    await copyFile(from, this.#handle ? kernelName(target) : this.at(name), constants.COPYFILE_FICLONE)
    // The copy has the rights of ours.
    await giveToUser(target, 'file')
  }

  async close(): Promise<void> {
    await this.#handle?.close()
  }

  /** Opens a folder in this one, creating it if missing. */
  async openFolder(name: string): Promise<OpenFolder> {
    const isNew = await mkdir(this.at(name)).then(
      () => true,
      (cause: NodeJS.ErrnoException) => {
        if (cause.code !== 'EEXIST') throw cause
        return false
      },
    )
    return openExisting(this.at(name), path.join(this.path, name), isNew)
  }
}

/** Writes part of a file into an open one, which stays open. */
async function copyPart(
  { path: from, offset: start, sizeBytes }: FilePart,
  target: FileHandle,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (sizeBytes === 0) return
  await target.writeFile(createReadStream(from, { start, end: start + sizeBytes - 1 }), signal ? { signal } : {})
}

/** Settles as `work` does, or rejects with the reason of a signal: a copy on a drive that hangs cannot be ended. */
function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort))
}

export interface FolderOptions {
  /** Creates the folder and its parents if missing. False by default. */
  readonly makesMissing?: boolean
}

/**
 * Opens a folder by its real path. Throws the system's error, and a {@link FileRefusedError} if the folder or a parent is a link, which may
 * have replaced it since the path was resolved.
 */
export async function openFolder(real: string, { makesMissing = false }: FolderOptions = {}): Promise<OpenFolder> {
  try {
    return await openExisting(real, real, false)
  } catch (cause) {
    const parent = path.dirname(real)
    if (!makesMissing || (cause as NodeJS.ErrnoException).code !== 'ENOENT' || parent === real) throw cause
    return withFolder(parent, (folder) => folder.openFolder(path.basename(real)), { makesMissing })
  }
}

/** Runs `use` with a folder and closes it. Throws like {@link openFolder} and `use`. */
export async function withFolder<Result>(
  real: string,
  use: (folder: OpenFolder) => Result | Promise<Result>,
  options?: FolderOptions,
): Promise<Result> {
  const folder = await openFolder(real, options)
  try {
    return await use(folder)
  } finally {
    await folder.close()
  }
}

/** Opens the folder at `way`, which must be at the real path. Only Linux reports the path of an open folder and leads into it. */
async function openExisting(way: string, real: string, isNew: boolean): Promise<OpenFolder> {
  if (process.platform !== 'linux') {
    if (!(await stat(way)).isDirectory()) throw Object.assign(new Error(`${real} is no folder`), { code: 'ENOTDIR' })
    if (!isSamePath(await realpath(way), real)) throw new FileRefusedError('moved', real)
    if (isNew) await giveToUser(way, 'folder')
    return new OpenFolder(real, undefined)
  }
  const handle = await open(way, FOLDER_FLAGS).catch(async (cause: NodeJS.ErrnoException) => {
    const isLink = await lstat(way).then(
      (facts) => facts.isSymbolicLink(),
      () => false,
    )
    throw isLink ? new FileRefusedError('moved', real, cause) : cause
  })
  try {
    if (!isSamePath(await placeOf(handle, way), real)) throw new FileRefusedError('moved', real)
    if (isNew) await giveToUser(handle, 'folder')
    return new OpenFolder(real, handle)
  } catch (error) {
    await handle.close()
    throw error
  }
}

const isSamePath = (one: string, other: string) => isWithin(one, other) && isWithin(other, one)
