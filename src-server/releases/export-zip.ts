/** The ZIP of an exported folder: the same bytes, stored, in one folder of its name. */
import { once } from 'node:events'
import { type FileHandle, lstat, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipArchive } from 'archiver'
import { whenReleased } from '../../src-system/disk.ts'
import { withFolder } from '../../src-system/open-folder.ts'
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
 * Writes the ZIP of a folder, a real path, next to it. It is written inside the folder under our own name and then moved. Throws
 * FOLDER_TAKEN if a file of that name exists and `isOurs` does not recognise it, INVALID_REQUEST if the disk is not writable, the system's
 * error on a full disk, and the reason of `signal`.
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
): Promise<void> {
  const target = `${folder}.zip`
  try {
    if ((await isThere(target)) && !(await isOurs(target)))
      throw new AppError('FOLDER_TAKEN', { folder: path.basename(path.dirname(folder)), file: path.basename(target) })
    await withFolder(folder, async (own) => {
      const unfinished = own.at(`.${path.basename(target)}.part`)
      try {
        await rm(unfinished, { force: true })
        await writeZip(await own.create(path.basename(unfinished)), folder, names, signal)
        const entries = await withRegularFile(unfinished, { followsLink: false }, listEntries)
        if (entries.length !== names.length) throw new Error('the ZIP lacks a file')
        await withFolder(path.dirname(folder), (parent) =>
          whenReleased(clock, () => rename(unfinished, parent.at(path.basename(target)))),
        )
      } catch (cause) {
        await rm(unfinished, { force: true }).catch(() => {})
        throw cause
      }
    })
  } catch (cause) {
    signal.throwIfAborted()
    throw refusalOf(cause)
  }
}

async function writeZip(
  target: FileHandle,
  folder: string,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const archive = new ZipArchive({ store: true, highWaterMark: PIECE_BYTES })
  const output = target.createWriteStream({ flush: true, highWaterMark: PIECE_BYTES })
  const written = pipeline(archive, output, { signal })
  for (const name of names) {
    const file = await openRegularFile(path.join(folder, name), { followsLink: false })
    const bytes = file.stream()
    bytes.on('error', (error) => archive.destroy(error))
    try {
      archive.append(bytes, { name: `${path.basename(folder)}/${name}`, date: FIXED_DATE, mode: 0o644 })
      // One at a time, to have only one file open; `written` rejects when either end fails.
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
