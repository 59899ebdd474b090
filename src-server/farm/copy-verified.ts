import { open, rename, rm } from 'node:fs/promises'
import { createFileSums, type WrittenFile } from '../../src-worker/media/written-file.ts'
import { BlobFault } from './blobs.ts'

/**
 * Writes bytes under a temporary name next to `file` and, if the SHA-256 is as expected, renames it to `file`, replacing an earlier one.
 * Returns the facts of the file. Rejects with a `BlobFault` for other bytes or more than `maxBytes`, or with the system's error; nothing is
 * then left.
 */
export async function writeVerified(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  { sha256, maxBytes }: { readonly sha256: string; readonly maxBytes: number },
): Promise<WrittenFile> {
  const partial = `${file}.part`
  const sums = createFileSums()
  try {
    await writeSummed(bytes, partial, maxBytes, sums)
    const written = sums.finish()
    if (written.sha256 !== sha256) throw new BlobFault('damaged', `the stored file ${sha256} has other bytes`)
    await rename(partial, file)
    return written
  } catch (cause) {
    await rm(partial, { force: true }).catch(() => {})
    throw cause
  }
}

/** Writes bytes to a file and hashes them. Throws beyond `maxBytes`. */
async function writeSummed(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  maxBytes: number,
  sums: ReturnType<typeof createFileSums>,
): Promise<void> {
  const target = await open(file, 'w', 0o600)
  try {
    let left = maxBytes
    for await (const chunk of bytes) {
      left -= chunk.length
      if (left < 0) throw new BlobFault('damaged', `a stored file has more than ${maxBytes} bytes`)
      sums.add(chunk)
      await target.writeFile(chunk)
    }
  } finally {
    await target.close()
  }
}
