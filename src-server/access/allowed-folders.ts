/** Folders in which programs may name files by their path: the list of the owner, empty by default. */
import { access } from 'node:fs/promises'
import path from 'node:path'
import { isWithin, realPath } from '../../src-system/disk.ts'
import { isDeviceName, openRegularFile, type RegularFile } from '../../src-system/regular-file.ts'
import { MARKER_FILE } from '../db/data-directory.ts'
import { AppError } from '../http/app-error.ts'

export interface AllowedFoldersDeps {
  /** The owner's list, as real paths. */
  readonly folders: () => readonly string[]
  /** Nothing in it, or in that of another service, is ever served, whatever the list says. */
  readonly dataDir: string
}

/**
 * The list, asked for every file. Links are followed first: one that leads out of the folders is outside. A path outside and a missing
 * path are both refused with PATH_NOT_ALLOWED, so that a client cannot learn what else is on the disk.
 */
export class AllowedFolders {
  readonly #deps: AllowedFoldersDeps

  constructor(deps: AllowedFoldersDeps) {
    this.#deps = deps
  }

  /** Opens a file that may be read; the caller closes it. Rejects with PATH_NOT_ALLOWED. */
  async open(name: string): Promise<RegularFile> {
    try {
      return await openRegularFile(this.#absolute(name), { requireAllowed: (real) => this.requireInside(real) })
    } catch (cause) {
      throw notAllowed(cause)
    }
  }

  /** Resolves with the real path of a folder in which files may be created; it need not exist yet. Rejects with PATH_NOT_ALLOWED. */
  async folder(name: string): Promise<string> {
    try {
      const real = await realPath(this.#absolute(name))
      await this.requireInside(real)
      return real
    } catch (cause) {
      throw notAllowed(cause)
    }
  }

  /** Rejects with PATH_NOT_ALLOWED for a real path outside of the list. */
  async requireInside(real: string): Promise<void> {
    const { folders, dataDir } = this.#deps
    if (!folders().some((folder) => isWithin(folder, real))) throw notAllowed()
    if (isWithin(await realPath(dataDir), real) || (await isInDataDirectory(real))) throw notAllowed()
  }

  #absolute(name: string): string {
    if (!path.isAbsolute(name) || name.includes('\0') || isDeviceName(name)) throw notAllowed()
    const absolute = path.normalize(name)
    // Resolving a name on another machine would sign in there.
    const { root } = path.parse(absolute)
    const isListed = () => this.#deps.folders().some((folder) => path.parse(folder).root === root)
    if (root.startsWith('\\\\') && !isListed()) throw notAllowed()
    return absolute
  }
}

/** Returns whether a path lies in the data directory of any service, by its marker file. */
async function isInDataDirectory(real: string): Promise<boolean> {
  for (let at = real; ; at = path.dirname(at)) {
    const isMarked = await access(path.join(at, MARKER_FILE)).then(
      () => true,
      () => false,
    )
    if (isMarked) return true
    if (at === path.dirname(at)) return false
  }
}

function notAllowed(cause?: unknown): AppError {
  return cause instanceof AppError ? cause : new AppError('PATH_NOT_ALLOWED', {}, { cause })
}
