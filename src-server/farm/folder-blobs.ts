/** Files between machines in a folder that all of them mount: any of them may have written anything there. */
import { randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, realpath, rename, rm, rmdir, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { isDiskFull, isRefused } from '../../src-system/disk.ts'
import { FileRefusedError, withRegularFile } from '../../src-system/regular-file.ts'
import { sha256OfStream } from '../../src-system/sha256.ts'
import type { WrittenFile } from '../../src-worker/media/written-file.ts'
import { ATTEMPT_ID, BlobFault, type Blobs, type FileToStore, keyOf, partsOf } from './blobs.ts'
import { writeVerified } from './copy-verified.ts'

/** Our folder inside the shared one. */
const OWN_FOLDER = 'loudsmith-blobs'

/** Names of our files: their checksum, or a UUID while incomplete. */
const OWN_FILE = /^([0-9a-f]{64}|[0-9a-f-]{36}\.part)$/

/** Opens the store in an existing folder. Rejects with a {@link BlobFault} if it is missing or not writable. */
export async function openFolderBlobs(shared: string): Promise<Blobs> {
  await away(async () => {
    await stat(shared)
    await makeOne(path.join(shared, OWN_FOLDER))
  })
  const place = async (attemptId: string) => path.join(await ownFolder(shared), attemptId)
  return {
    // The security of a mount is up to the system.
    isSafe: true,
    put: (attemptId, file) => away(async () => putFile(await place(attemptId), attemptId, file)),
    get(key, file, maxBytes) {
      return away(async () => {
        const { attemptId, sha256 } = partsOf(key)
        return getFile(path.join(await place(attemptId), sha256), file, maxBytes)
      })
    },
    delete: (attemptId) => away(async () => deleteFiles(await place(attemptId))),
    attempts: () => away(async () => (await readdir(await ownFolder(shared))).filter((name) => ATTEMPT_ID.test(name))),
    close() {},
  }
}

/** Returns the real path of our folder. Rejects if it is missing or a link. */
async function ownFolder(shared: string): Promise<string> {
  const own = path.join(await realpath(shared), OWN_FOLDER)
  if (!(await lstat(own)).isDirectory()) throw new BlobFault('away', `${own} is no folder`)
  return own
}

/** Makes a folder, and none above it: a disk that has been unmounted must not be filled underneath. */
async function makeOne(folder: string): Promise<void> {
  await mkdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause
  })
}

/** Copies a file under another name first, so that no reader ever sees a part of it. */
async function putFile(folder: string, attemptId: string, file: FileToStore): Promise<string> {
  await makeOne(folder)
  if (!(await lstat(folder)).isDirectory()) throw new FileRefusedError('not_regular', folder)
  const partial = path.join(folder, `${randomUUID()}.part`)
  try {
    const sha256 = file.sha256 ?? (await sha256OfStream(createReadStream(file.path, { highWaterMark: 1 << 20 })))
    // By the system, which shares or moves the bytes without this process where the disk can.
    await copyFile(file.path, partial, constants.COPYFILE_FICLONE)
    await rename(partial, path.join(folder, sha256))
    return keyOf(attemptId, sha256)
  } catch (cause) {
    await rm(partial, { force: true }).catch(() => {})
    throw cause
  }
}

async function getFile(stored: string, file: string, maxBytes: number): Promise<WrittenFile> {
  const requireAllowed = (real: string) => {
    if (real !== stored) throw new FileRefusedError('moved', stored)
  }
  const missing = (cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? new BlobFault('missing', `${stored} is not there`, cause) : cause
  }
  await lstat(stored).catch(missing)
  return withRegularFile(stored, { followsLink: false, requireAllowed }, (opened) =>
    writeVerified(opened.chunks(), file, { sha256: path.basename(stored), maxBytes }),
  )
}

/** Removes the files of an attempt by our own names only, in case the folder has been swapped for a link meanwhile. */
async function deleteFiles(folder: string): Promise<void> {
  const found = await lstat(folder).catch(() => undefined)
  if (!found) return
  if (!found.isDirectory()) return unlink(folder)
  for (const name of await readdir(folder))
    if (OWN_FILE.test(name)) await unlink(path.join(folder, name)).catch(unlessOther)
  await rmdir(folder).catch(unlessOther)
}

/** Throws an error unless it means that another entry is there, which stays. */
function unlessOther(cause: NodeJS.ErrnoException): void {
  if (!['ENOENT', 'EISDIR', 'EPERM', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(String(cause.code))) throw cause
}

/** Runs `work`; a system error counts as a store that is away or full, anything but a file as a damaged one. */
async function away<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof BlobFault) throw cause
    const isOther = cause instanceof FileRefusedError || (cause as NodeJS.ErrnoException).code === 'EISDIR'
    const kind = isOther ? 'damaged' : isDiskFull(cause) ? 'full' : isRefused(cause) ? 'refused' : 'away'
    throw new BlobFault(kind, (cause as Error).message, cause)
  }
}
