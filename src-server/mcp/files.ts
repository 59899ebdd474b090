/** Files that tools read and write: only in the owner's allowed folders. */
import { openAsBlob } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { discardFolder, inHome } from '../../src-system/disk.ts'
import { type OpenFolder, withFolder } from '../../src-system/open-folder.ts'
import { FileRefusedError, type RegularFile } from '../../src-system/regular-file.ts'
import type { AllowedFolders } from '../access/allowed-folders.ts'
import { AppError, unusable } from '../http/app-error.ts'
import type { ToolFiles } from './tool.ts'

export interface ToolFilesDeps {
  readonly folders: Pick<AllowedFolders, 'open' | 'folder'>
  /** Copies an open file to a path. Rejects with PATH_NOT_ALLOWED if it can no longer be read. */
  readonly copy: (file: RegularFile, to: string, signal: AbortSignal) => Promise<void>
  /** Folder of copies on their way. */
  readonly tmp: string
  readonly newUuid: () => string
}

/**
 * Returns the full path named by an argument: a plain path, a `file:` URL, or `~/…` of the account that runs the service. Throws
 * INVALID_REQUEST, naming `param`, for a path relative to the caller.
 */
export function fullPath(given: string, param: string): string {
  const named = /^file:/i.test(given) ? pathOfUrl(given) : inHome(given)
  if (named !== undefined && path.isAbsolute(named)) return named
  throw unusable(param, { rule: 'full_path' })
}

/** Returns the path of a `file:` URL; undefined for another machine's, or a malformed one. */
function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

/** Returns the file access of tools. Forbidden and missing files are refused alike: PATH_NOT_ALLOWED. */
export function toolFiles(deps: ToolFilesDeps): ToolFiles {
  const { folders, copy, tmp, newUuid } = deps
  return {
    filesOfCall(signal) {
      const own = path.join(tmp, newUuid())
      let count = 0
      return {
        // A part of a form is read by its path, which could refer to another file by then: it is our own copy.
        async openFile(given, param) {
          const name = fullPath(given, param)
          const to = path.join(own, String(count++))
          const file = await folders.open(name)
          try {
            await mkdir(own, { recursive: true, mode: 0o700 })
            await copy(file, to, signal)
          } finally {
            await file.close()
          }
          return { content: await openAsBlob(to), name: path.basename(name) }
        },
        discard: () => discardFolder(own),
      }
    },
    async openFolder(given, param) {
      const folder = await folders.folder(fullPath(given, param))
      return (fileName, bytes) =>
        withFolder(folder, (place) => writeNew(place, fileName, bytes), { makesMissing: true }).catch(
          (cause: unknown) => {
            throw cause instanceof FileRefusedError ? new AppError('PATH_NOT_ALLOWED', {}, { cause }) : cause
          },
        )
    },
  }
}

/** Writes a new file under a name that is free, and returns its path. Rejects with the system's error, and a {@link FileRefusedError}. */
async function writeNew(folder: OpenFolder, fileName: string, bytes: Uint8Array): Promise<string> {
  const { name: stem, ext } = path.parse(fileName)
  for (let copy = 1; ; copy++) {
    const name = copy === 1 ? fileName : `${stem} ${copy}${ext}`
    const file = await folder.create(name).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause
    })
    if (!file) continue
    await file.writeFile(bytes).finally(() => file.close())
    return path.join(folder.path, name)
  }
}
