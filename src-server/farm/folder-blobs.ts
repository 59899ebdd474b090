/** Files between machines in a folder that all of them have mounted. */
import { randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { isDiskFull, isRefused } from '../../src-system/disk.ts'
import { sha256OfStream } from '../../src-system/sha256.ts'
import { ATTEMPT_ID, BlobFault, type Blobs, type FileToStore, keyOf, partsOf } from './blobs.ts'
import { writeVerified } from './copy-verified.ts'

/** Folder inside the shared one that is ours. */
const OWN_FOLDER = 'loudsmith-blobs'

/** Opens the store in a folder that is there. Rejects with a {@link BlobFault} where it is not, or cannot be written. */
export async function openFolderBlobs(folder: string): Promise<Blobs> {
  const own = path.join(folder, OWN_FOLDER)
  await away(async () => {
    await stat(folder)
    await mkdir(own).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause
    })
  })
  const place = (attemptId: string) => path.join(own, attemptId)
  return {
    // The system's own: the way to a mounted folder is not ours to judge.
    isSafe: true,
    put: (attemptId, file) => away(() => putFile(place(attemptId), attemptId, file)),
    get(key, file) {
      return away(async () => {
        const { attemptId, sha256 } = partsOf(key)
        const stored = path.join(place(attemptId), sha256)
        await stat(own)
        await stat(stored).catch((cause: NodeJS.ErrnoException) => {
          throw cause.code === 'ENOENT' ? new BlobFault('missing', `${key} is not there`, cause) : cause
        })
        await writeVerified(readingOf(stored), file, sha256)
      })
    },
    delete: (attemptId) => away(() => rm(place(attemptId), { recursive: true, force: true })),
    attempts: () => away(async () => (await readdir(own)).filter((name) => ATTEMPT_ID.test(name))),
    close() {},
  }
}

/** Copies a file under another name first, so that no reader ever sees a part of it. */
async function putFile(folder: string, attemptId: string, file: FileToStore): Promise<string> {
  // Not with those above it: a disk that has been unmounted must not be filled underneath.
  await mkdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause
  })
  const partial = path.join(folder, `${randomUUID()}.part`)
  try {
    const sha256 = file.sha256 ?? (await sha256OfStream(readingOf(file.path)))
    // By the system, which shares or moves the bytes without this process where the disk can.
    await copyFile(file.path, partial, constants.COPYFILE_FICLONE)
    await rename(partial, path.join(folder, sha256))
    return keyOf(attemptId, sha256)
  } catch (cause) {
    await rm(partial, { force: true }).catch(() => {})
    throw cause
  }
}

/** Large pieces: with Node's 64 KiB a song costs half as much processor time again. */
const readingOf = (file: string) => createReadStream(file, { highWaterMark: 1 << 20 })

/** Runs `work`; an error of the system is a store that is away or full. */
async function away<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof BlobFault) throw cause
    const kind = isDiskFull(cause) ? 'full' : isRefused(cause) ? 'refused' : 'away'
    throw new BlobFault(kind, (cause as Error).message, cause)
  }
}
