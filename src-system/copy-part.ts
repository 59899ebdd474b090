import { constants, createReadStream } from 'node:fs'
import { copyFile, stat, writeFile } from 'node:fs/promises'

/** Bytes of a file: all of them, or a part. */
export interface FilePart {
  readonly path: string
  readonly offset: number
  readonly sizeBytes: number
}

/**
 * Copies bytes of one of our files to a file, private where that is new. A whole file is cloned where the file system can, else copied
 * within the system; it is never linked, since the copy may be changed. Throws the system's error, an Error if bytes are missing, and the
 * reason of an aborted `signal`, without waiting for a drive that hangs.
 */
export async function copyPart(from: FilePart, to: string, signal?: AbortSignal): Promise<void> {
  const isWhole = from.offset === 0 && (await stat(from.path)).size === from.sizeBytes
  signal?.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    const copied = isWhole ? copyFile(from.path, to, constants.COPYFILE_FICLONE) : copyStream(from, to, signal)
    await Promise.race([copied, aborted])
  } finally {
    signal?.removeEventListener('abort', abort)
  }
  if ((await stat(to)).size !== from.sizeBytes) throw new Error(`${from.path} has been cut short`)
}

async function copyStream({ path: from, offset: start, sizeBytes }: FilePart, to: string, signal?: AbortSignal) {
  const bytes = sizeBytes === 0 ? '' : createReadStream(from, { start, end: start + sizeBytes - 1 })
  await writeFile(to, bytes, { mode: 0o600, signal })
}
