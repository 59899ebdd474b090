/** Folders in which files are made: each is opened once by its real path, and never looked up by it again where the system can do that. */
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, realpath, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { giveToUser, isWithin } from './disk.ts'
import { FileRefusedError, isSameFile, kernelName, placeOf } from './regular-file.ts'

/** Windows has none of these flags. */
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
const NEW_FILE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

/** An open folder of the user's. What is made in it has the access rights that the user's other programs apply. */
export class OpenFolder {
  /** Real path at which it was opened. */
  readonly path: string
  readonly #handle: FileHandle | undefined

  constructor(real: string, handle: FileHandle | undefined) {
    this.path = real
    this.#handle = handle
  }

  /**
   * Returns a path to a name in the folder, or to the folder itself. On Linux it leads into the folder that was opened, whatever lies in its place by then. Throws
   * a {@link FileRefusedError} for a name that leads elsewhere.
   */
  at(name = ''): string {
    if (name === '.' || name === '..' || name !== path.basename(name)) throw new FileRefusedError('moved', name)
    return path.join(this.#handle ? kernelName(this.#handle) : this.path, name)
  }

  /**
   * Makes a file that is not there yet and opens it for writing. Throws the system's error, and a {@link FileRefusedError} where the folder is
   * not in its place any more; then no file is made.
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

  async close(): Promise<void> {
    await this.#handle?.close()
  }

  /** Makes a folder in this one unless it is there, and opens it. */
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
  /** True makes the folder, and those above it, where they are missing. False by default. */
  readonly makesMissing?: boolean
}

/**
 * Opens a folder by its real path. Throws the system's error, and a {@link FileRefusedError} where it or one above it is a link: one that
 * took its place since the path was resolved leads nowhere.
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

/** Runs `use` with a folder and closes it. Throws as {@link openFolder} does, and what `use` throws. */
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

/** Opens the folder at `way`, which must lie at the real path. Only Linux tells where an open folder lies, and leads into it. */
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
