/** The ZIP of an exported folder: the same bytes, stored, in one folder of its name. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipArchive } from 'archiver'
import { giveToUser, whenReleased } from '../../src-system/disk.ts'
import { openRegularFile, withRegularFile } from '../../src-system/regular-file.ts'
import type { Clock } from '../../src-system/system.ts'
import { listEntries } from '../../src-worker/result/zip-reader.ts'
import { AppError } from '../http/app-error.ts'
import { refusalOf } from './export-folder.ts'

/** The ZIP does not depend on the clock. */
const FIXED_DATE = '1980-01-01T00:00:00Z'
/** Bytes that go through the archiver at once; its cost is per piece. */
const PIECE_BYTES = 1 << 20

/**
 * Writes the ZIP of a folder beside it and returns its path. It is written inside the folder under a name of ours and then moved. Throws
 * FOLDER_TAKEN where something of that name is there that `isOurs` does not know, INVALID_REQUEST where the disk takes nothing, the
 * system's error on a full disk, and the reason of `signal`.
 */
export async function writeExportZip(
  folder: string,
  names: readonly string[],
  {
    clock,
    isOurs,
    signal,
  }: {
    readonly clock: Pick<Clock, 'sleep'>
    readonly isOurs: (zip: string) => Promise<boolean>
    readonly signal: AbortSignal
  },
): Promise<string> {
  const target = `${folder}.zip`
  const unfinished = path.join(folder, `.${path.basename(target)}.part`)
  try {
    if ((await isThere(target)) && !(await isOurs(target)))
      throw new AppError('FOLDER_TAKEN', { folder: path.basename(path.dirname(folder)), file: path.basename(target) })
    await rm(unfinished, { force: true })
    await writeZip(unfinished, folder, names, signal)
    const entries = await withRegularFile(unfinished, { followsLink: false }, listEntries)
    if (entries.length !== names.length) throw new Error('the ZIP lacks a file')
    await giveToUser(unfinished, 'file')
    await whenReleased(clock, () => rename(unfinished, target))
    return target
  } catch (cause) {
    await rm(unfinished, { force: true }).catch(() => {})
    signal.throwIfAborted()
    throw refusalOf(cause)
  }
}

async function writeZip(target: string, folder: string, names: readonly string[], signal: AbortSignal): Promise<void> {
  const archive = new ZipArchive({ store: true, highWaterMark: PIECE_BYTES })
  const output = createWriteStream(target, { flags: 'wx', flush: true, highWaterMark: PIECE_BYTES })
  const written = pipeline(archive, output, { signal })
  for (const name of names) {
    const file = await openRegularFile(path.join(folder, name), { followsLink: false })
    const bytes = file.stream()
    bytes.on('error', (error) => archive.destroy(error))
    try {
      archive.append(bytes, { name: `${path.basename(folder)}/${name}`, date: FIXED_DATE, mode: 0o644 })
      // One after the other, so that no more than one file is open; `written` rejects when either end fails.
      await Promise.race([once(archive, 'entry'), written])
    } finally {
      bytes.destroy()
      await file.close()
    }
  }
  await Promise.all([archive.finalize(), written])
}

function isThere(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause
      return false
    },
  )
}
