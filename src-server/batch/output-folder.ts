/**
 * Puts the plain masters of a finished job where the user looks for music: a folder per job, nothing there is ever overwritten or
 * swept.
 */
import { createReadStream, type ReadStream } from 'node:fs'
import { lstat, readdir, rename, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { whenReleased } from '../../src-system/disk.ts'
import { type OpenFolder, withFolder } from '../../src-system/open-folder.ts'
import { type FileRefusedError, withRegularFile } from '../../src-system/regular-file.ts'
import { sha256OfStream } from '../../src-system/sha256.ts'
import type { Clock } from '../../src-system/system.ts'
import type { ResultZip } from '../../src-worker/result/package.ts'

/** The masters of one job, as they lie in its ZIP. */
export interface Masters {
  readonly zipPath: string
  readonly zip: ResultZip
  /** Names inside the ZIP's folder. */
  readonly files: readonly string[]
}

/** Most folder names tried; nobody has as many folders of one name. */
const MAX_ATTEMPTS = 1000

/**
 * Copies the masters into a new folder below `parent`, a real path, named like the ZIP's own, with ` (2)` and so on where that exists, and
 * returns it; a folder of such a name that holds these very masters is returned as it is. The folder appears under its name only
 * when it is complete: until then it is hidden, and what a crash left of it goes with the next copy. Nothing is written behind a link.
 * Rejects with the system's error, a {@link FileRefusedError}, or the reason of an aborted `signal`; what was begun is then removed.
 */
export async function copyMasters(
  parent: string,
  masters: Masters,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<string> {
  const parts = partsOf(masters)
  const { folderName } = masters.zip
  const copy = async (place: OpenFolder) => {
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
      const name = attempt === 1 ? folderName : `${folderName} (${attempt})`
      const folder = path.join(parent, name)
      if (!(await isTaken(place.at(name)))) {
        const hidden = `.${folderName}.part`
        try {
          await copyInto(place, hidden, parts, signal)
          // Windows moves no folder while a file in it is open, and what looks for viruses opens every new one.
          await whenReleased(clock, () => rename(place.at(hidden), place.at(name)))
        } catch (cause) {
          await discard(place, hidden)
          throw cause
        }
        return folder
      }
      // The program may have ended between the copy and the note of it.
      if (await holds(place.at(name), parts, signal)) return folder
    }
    throw new Error('no free folder name')
  }
  return withFolder(parent, copy, { makesMissing: true })
}

/** A master as a file of its own, and where its bytes lie in the ZIP. */
interface Part {
  readonly file: string
  readonly sizeBytes: number
  open(): ReadStream
}

function partsOf({ zipPath, zip, files }: Masters): Part[] {
  return files.map((file) => {
    const entry = zip.entries.find(({ name }) => name === `${zip.folderName}/${file}`)
    if (!entry) throw new Error(`${file} is not in the ZIP`)
    const { offset, sizeBytes } = entry
    return { file, sizeBytes, open: () => createReadStream(zipPath, { start: offset, end: offset + sizeBytes - 1 }) }
  })
}

/** Resolves with whether anything of a name exists. */
async function isTaken(name: string): Promise<boolean> {
  try {
    await lstat(name)
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    return false
  }
}

async function copyInto(place: OpenFolder, hidden: string, parts: readonly Part[], signal: AbortSignal): Promise<void> {
  const folder = await place.openFolder(hidden)
  try {
    await empty(folder)
    for (const { file, open } of parts) {
      const written = (await folder.create(file)).createWriteStream({ flush: true })
      await pipeline(open(), written, { signal })
    }
  } finally {
    await folder.close()
  }
}

/** Removes the files of a folder of ours, which never has another folder in it. Rejects with the system's error. */
async function empty(folder: OpenFolder): Promise<void> {
  for (const name of await readdir(folder.at())) await rm(folder.at(name))
}

/** Removes an unfinished folder. Never rejects: what the system holds back goes with the next copy. */
async function discard(place: OpenFolder, hidden: string): Promise<void> {
  try {
    const folder = await place.openFolder(hidden)
    await empty(folder).finally(() => folder.close())
    await rmdir(place.at(hidden))
  } catch {
    // The cause of the failure is what counts.
  }
}

/** Resolves with whether a folder holds every one of the masters, byte for byte. */
async function holds(folder: string, parts: readonly Part[], signal: AbortSignal): Promise<boolean> {
  for (const { file, sizeBytes, open } of parts) {
    const isThere = await withRegularFile(path.join(folder, file), { followsLink: false }, async (there) => {
      if (there.sizeBytes !== sizeBytes) return false
      return (await there.sha256(signal)) === (await sha256OfStream(open(), signal))
    }).catch(() => {
      signal.throwIfAborted()
      return false
    })
    if (!isThere) return false
  }
  return true
}
