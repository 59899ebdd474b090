/**
 * Puts the plain masters of a finished job where the user looks for music: a folder per job, nothing there is ever overwritten or
 * swept.
 */
import { createReadStream, createWriteStream, type ReadStream } from 'node:fs'
import { lstat, mkdir, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { discardFolder, giveToUser, makeFolder, whenReleased } from '../../src-system/disk.ts'
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
 * Copies the masters into a new folder below `parent` named like the ZIP's own, with ` (2)` and so on where that exists, and
 * returns it; a folder of such a name that holds these very masters is returned as it is. The folder appears under its name only
 * when it is complete: until then it is hidden, and what a crash left of it goes with the next copy. Rejects with the system's error
 * or the reason of an aborted `signal`; what was begun is then removed.
 */
export async function copyMasters(
  parent: string,
  masters: Masters,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<string> {
  await makeFolder(parent, true)
  const parts = partsOf(masters)
  const { folderName } = masters.zip
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
    const folder = path.join(parent, attempt === 1 ? folderName : `${folderName} (${attempt})`)
    if (!(await isTaken(folder))) {
      const hidden = path.join(parent, `.${folderName}.part`)
      try {
        await copyInto(hidden, parts, signal)
        // Windows moves no folder while a file in it is open, and what looks for viruses opens every new one.
        await whenReleased(clock, () => rename(hidden, folder))
      } catch (cause) {
        await discardFolder(hidden)
        throw cause
      }
      return folder
    }
    // The program may have ended between the copy and the note of it.
    if (await holds(folder, parts, signal)) return folder
  }
  throw new Error('no free folder name')
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

async function copyInto(folder: string, parts: readonly Part[], signal: AbortSignal): Promise<void> {
  await discardFolder(folder)
  await mkdir(folder)
  for (const { file, open } of parts) {
    await pipeline(open(), createWriteStream(path.join(folder, file), { flags: 'wx', flush: true }), { signal })
    await giveToUser(path.join(folder, file), 'file')
  }
  await giveToUser(folder, 'folder')
}

/** Resolves with whether a folder holds every one of the masters, byte for byte. */
async function holds(folder: string, parts: readonly Part[], signal: AbortSignal): Promise<boolean> {
  for (const { file, sizeBytes, open } of parts) {
    const there = path.join(folder, file)
    const size = await stat(there).then(
      (facts) => facts.size,
      () => undefined,
    )
    if (size !== sizeBytes) return false
    if ((await sha256OfStream(createReadStream(there), signal)) !== (await sha256OfStream(open(), signal))) return false
  }
  return true
}
