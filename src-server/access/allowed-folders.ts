/** Folders in which programs may name files by their path: the list of the owner, empty by default. */
import { access, constants, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { realPath } from '../../src-system/disk.ts'
import { MARKER_FILE } from '../db/data-directory.ts'
import { AppError } from '../http/app-error.ts'

export interface AllowedFoldersDeps {
  /** The owner's list, as real paths. */
  readonly folders: () => readonly string[]
  /** Nothing in it, or in that of another service, is ever given out, whatever the list says. */
  readonly dataDir: string
}

/**
 * The list, asked for every file. Links are followed first: one that leads out of the folders is outside. What is outside and what is
 * missing get one and the same refusal, PATH_NOT_ALLOWED, so that nobody learns what else is on the disk.
 */
export class AllowedFolders {
  readonly #deps: AllowedFoldersDeps

  constructor(deps: AllowedFoldersDeps) {
    this.#deps = deps
  }

  /** Resolves with the real path and the size of a file that may be read. Rejects with PATH_NOT_ALLOWED. */
  async file(name: string): Promise<{ readonly path: string; readonly sizeBytes: number }> {
    try {
      const real = await realpath(this.#absolute(name))
      await this.#requireInside(real)
      await access(real, constants.R_OK)
      const facts = await stat(real)
      if (facts.isFile()) return { path: real, sizeBytes: facts.size }
    } catch (cause) {
      throw notAllowed(cause)
    }
    throw notAllowed()
  }

  /** Resolves with the real path of a folder in which files may be made; it may be yet to be made itself. Rejects with PATH_NOT_ALLOWED. */
  async folder(name: string): Promise<string> {
    try {
      const real = await realPath(this.#absolute(name))
      await this.#requireInside(real)
      return real
    } catch (cause) {
      throw notAllowed(cause)
    }
  }

  #absolute(name: string): string {
    if (!path.isAbsolute(name) || name.includes('\0')) throw notAllowed()
    return path.normalize(name)
  }

  async #requireInside(real: string): Promise<void> {
    const { folders, dataDir } = this.#deps
    if (!folders().some((folder) => isWithin(folder, real))) throw notAllowed()
    if (isWithin(await realPath(dataDir), real) || (await isInDataDirectory(real))) throw notAllowed()
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

/** Returns whether a path is a folder or lies below it. Both are real paths. Pure. */
function isWithin(folder: string, file: string): boolean {
  const way = path.relative(folder, file)
  // Only the first step decides: a folder may be called `..x`. Another drive of Windows is reached by an absolute way.
  return way.split(path.sep)[0] !== '..' && !path.isAbsolute(way)
}

function notAllowed(cause?: unknown): AppError {
  return cause instanceof AppError ? cause : new AppError('PATH_NOT_ALLOWED', {}, { cause })
}
