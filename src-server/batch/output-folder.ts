/**
 * Puts the plain masters of a finished job where the user looks for music: a folder per job, nothing there is ever overwritten or
 * swept.
 */
import { createReadStream } from 'node:fs'
import { lstat, readdir, rename, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import type { FilePart } from '../../src-system/copy-part.ts'
import { whenReleased } from '../../src-system/disk.ts'
import { type OpenFolder, withFolder } from '../../src-system/open-folder.ts'
import { type FileRefusedError, isSameFile, withRegularFile } from '../../src-system/regular-file.ts'
import { sha256OfStream } from '../../src-system/sha256.ts'
import type { Clock } from '../../src-system/system.ts'
import { placeOf, type ResultZip } from '../../src-worker/result/result-zip.ts'

/** The masters of one job. */
export interface Masters {
  /** Folder of the result. */
  readonly folder: string
  readonly zip: ResultZip
  /** Names inside the ZIP's folder. */
  readonly files: readonly string[]
  /**
   * True if ours are removed once the delivery is recorded. They then get a second name where the file system can, and the copies of all
   * others are read back: nothing is written twice, and a crash at any moment leaves all of them here.
   */
  readonly isMove?: boolean
}

/** Most folder names tried, far more than folders that share a name in practice. */
const MAX_ATTEMPTS = 1000

/**
 * Copies the masters into a new folder below `parent`, a real path, named like the ZIP's own, with ` (2)` and so on where that exists, and
 * returns it; a folder of such a name that holds these very masters is returned as it is. The folder appears under its name only
 * when it is complete: until then it is hidden, and what a crash left of it goes with the next copy. Nothing is written behind a link.
 * Rejects with the system's error, a {@link FileRefusedError}, or the reason of an aborted `signal`; a partial copy is then removed.
 */
export async function copyMasters(
  parent: string,
  masters: Masters,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<string> {
  const parts = partsOf(masters)
  const { isMove = false, zip } = masters
  const { folderName } = zip
  const copy = async (place: OpenFolder) => {
    for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
      const name = attempt === 1 ? folderName : `${folderName} (${attempt})`
      const folder = path.join(parent, name)
      if (!(await isTaken(place.at(name)))) {
        const hidden = `.${folderName}.part`
        try {
          await fill(place, hidden, { parts, isMove }, signal)
          // Windows moves no folder while a file in it is open, and virus scanners open every new file.
          await whenReleased(clock, () => rename(place.at(hidden), place.at(name)))
          if (isMove) await place.sync()
        } catch (cause) {
          await discard(place, hidden)
          throw cause
        }
        return folder
      }
      // The program may have ended between the copy and its record.
      if (await holds(place.at(name), parts, signal)) return folder
    }
    throw new Error('no free folder name')
  }
  return withFolder(parent, copy, { makesMissing: true })
}

/** A master: its name, and the place of its bytes. */
interface Part extends FilePart {
  readonly file: string
}

function partsOf({ folder, zip, files }: Masters): Part[] {
  return files.map((file) => {
    const place = placeOf(zip, file)
    if (!place) throw new Error(`${file} is not in the ZIP`)
    return { ...place, file, path: path.join(folder, place.file) }
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

async function fill(
  place: OpenFolder,
  hidden: string,
  { parts, isMove }: { readonly parts: readonly Part[]; readonly isMove: boolean },
  signal: AbortSignal,
): Promise<void> {
  const folder = await place.openFolder(hidden)
  try {
    await empty(folder)
    for (const part of parts)
      await (isMove ? folder.take(part.file, part, { signal }) : folder.copy(part.file, part, { signal }))
    if (!isMove) return
    await folder.sync()
    if (!(await holds(folder.at(), parts, signal))) throw new Error('a copied master reads back with other bytes')
  } finally {
    await folder.close()
  }
}

/** Removes the files of one of our folders, which never contains another folder. Rejects with the system's error. */
async function empty(folder: OpenFolder): Promise<void> {
  for (const name of await readdir(folder.at())) await rm(folder.at(name))
}

/** Removes an unfinished folder. Never rejects: whatever the system locks is removed with the next copy. */
async function discard(place: OpenFolder, hidden: string): Promise<void> {
  try {
    const folder = await place.openFolder(hidden)
    await empty(folder).finally(() => folder.close())
    await rmdir(place.at(hidden))
  } catch {
    // The original failure is reported.
  }
}

/** Resolves with whether a folder holds every one of the masters, byte for byte. */
async function holds(folder: string, parts: readonly Part[], signal: AbortSignal): Promise<boolean> {
  for (const { file, path: kept, offset: start, sizeBytes } of parts) {
    const isThere = await withRegularFile(path.join(folder, file), { followsLink: false }, async (there) => {
      if (there.sizeBytes !== sizeBytes) return false
      // Not yet removed by a move.
      if (isSameFile(there.facts, await lstat(kept, { bigint: true }))) return true
      const bytes = createReadStream(kept, { start, end: start + sizeBytes - 1 })
      return (await there.sha256(signal)) === (await sha256OfStream(bytes, signal))
    }).catch(() => {
      signal.throwIfAborted()
      return false
    })
    if (!isThere) return false
  }
  return true
}
