/** Folders for new files: each is opened once by its real path and, if the system supports it, never looked up again. */
import { constants } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, realpath, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { copyPart, type FilePart } from './copy-part.ts'
import { giveToUser, isWithin, NO_LINKS } from './disk.ts'
import { FileRefusedError, isSameFile, kernelName, placeOf } from './regular-file.ts'

/** Windows has none of these flags. */
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
const NEW_FILE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined
  /** Flushes the copy, so that it survives a power loss. True by default. */
  readonly isFlushed?: boolean
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

  /** Creates a file with bytes of one of ours. Throws as {@link create} and {@link copyPart} do. */
  async copy(name: string, from: FilePart, { signal, isFlushed = true }: CopyOptions = {}): Promise<void> {
    const target = await this.create(name)
    try {
      const { mode } = await target.stat()
      // By its descriptor: a name could lead elsewhere by now.
      await copyPart(from, this.#handle ? kernelName(target) : this.at(name), signal)
      // A whole file is copied with the access rights of ours; some file systems have none.
      await target.chmod(mode & 0o777).catch(() => {})
      if (isFlushed) await target.sync()
    } finally {
      await target.close()
    }
  }

  /**
   * Gives a file of ours that is about to be removed a second name here: a move whose first name stays until the caller removes it. Copies
   * the bytes where the file system has no second names, or where the file has one already. Throws as {@link copy} does.
   */
  async take(name: string, from: FilePart, options: CopyOptions = {}): Promise<void> {
    if (!(await this.#link(name, from))) await this.copy(name, from, options)
  }

  /** Flushes the names in the folder, if the system can: a file that was moved must not be lost under both. */
  async sync(): Promise<void> {
    const handle = await open(this.at()).catch(() => undefined)
    await handle?.sync().catch(() => {})
    await handle?.close()
  }

  async close(): Promise<void> {
    await this.#handle?.close()
  }

  async #link(name: string, { path: from, offset, sizeBytes }: FilePart): Promise<boolean> {
    const ours = await open(from)
    try {
      const { nlink, size } = await ours.stat()
      if (nlink !== 1 || offset !== 0 || size !== sizeBytes) return false
      const file = this.at(name)
      await link(from, file)
      if (!isSamePath(await realpath(file), path.join(this.path, name))) {
        await rm(file)
        throw new FileRefusedError('moved', name)
      }
      await giveToUser(ours, 'file')
      return true
    } catch (cause) {
      if (NO_LINKS.includes(String((cause as NodeJS.ErrnoException).code))) return false
      throw cause
    } finally {
      await ours.close()
    }
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
