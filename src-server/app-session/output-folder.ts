/** Puts the plain masters of a finished job where the user looks for music: a folder per job, nothing there is ever overwritten or swept. */
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ResultZip } from '../artifacts/package.ts'
import { makeFolder } from './make-folder.ts'

/** The masters of one job, as they lie in its ZIP. */
export interface Masters {
  readonly zipPath: string
  readonly zip: ResultZip
  /** Names inside the ZIP's folder. */
  readonly files: readonly string[]
}

/** More folders of one name than anybody has. */
const MAX_ATTEMPTS = 1000

/**
 * Copies the masters into a new folder below `parent` named like the ZIP's own, with ` (2)` and so on where that exists, and
 * returns it. A file appears under its name only when it is complete. Rejects with the system's error or the reason of an aborted
 * `signal`; what was begun is then removed.
 */
export async function copyMasters(
  parent: string,
  { zipPath, zip, files }: Masters,
  signal: AbortSignal,
): Promise<string> {
  makeFolder(parent)
  const folder = await newFolder(parent, zip.folderName)
  try {
    for (const file of files) {
      const entry = zip.entries.find(({ name }) => name === `${zip.folderName}/${file}`)
      if (!entry) throw new Error(`${file} is not in the ZIP`)
      const part = path.join(folder, `.${file}.part`)
      const range = { start: entry.offset, end: entry.offset + entry.sizeBytes - 1 }
      await pipeline(createReadStream(zipPath, range), createWriteStream(part, { flags: 'wx', flush: true }), {
        signal,
      })
      await rename(part, path.join(folder, file))
    }
  } catch (cause) {
    await rm(folder, { recursive: true, force: true })
    throw cause
  }
  return folder
}

async function newFolder(parent: string, name: string): Promise<string> {
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
    const folder = path.join(parent, attempt === 1 ? name : `${name} (${attempt})`)
    try {
      await mkdir(folder)
      return folder
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause
    }
  }
  throw new Error('no free folder name')
}
