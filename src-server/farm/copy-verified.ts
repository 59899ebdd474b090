import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createFileSums, type WrittenFile } from '../../src-worker/media/written-file.ts'
import { BlobFault } from './blobs.ts'

/**
 * Writes a stream under a name beside `file` and, where its SHA-256 is the expected one, gives it its own, in place of an earlier file.
 * Returns what was written. Rejects with a `BlobFault` for other bytes or more than `maxBytes`, or with the system's error; nothing is then
 * left.
 */
export async function writeVerified(
  bytes: Readable,
  file: string,
  { sha256, maxBytes }: { readonly sha256: string; readonly maxBytes: number },
): Promise<WrittenFile> {
  const partial = `${file}.part`
  const sums = createFileSums()
  try {
    await pipeline(bytes, summedUp(sums, maxBytes), createWriteStream(partial, { mode: 0o600 }))
    const written = sums.finish()
    if (written.sha256 !== sha256) throw new BlobFault('damaged', `the stored file ${sha256} has other bytes`)
    await rename(partial, file)
    return written
  } catch (cause) {
    await rm(partial, { force: true }).catch(() => {})
    throw cause
  }
}

/** Returns a step of a pipeline that sums up all that passes, and throws beyond `maxBytes`. */
function summedUp(sums: ReturnType<typeof createFileSums>, maxBytes: number) {
  return async function* (source: AsyncIterable<Buffer>) {
    let left = maxBytes
    for await (const chunk of source) {
      left -= chunk.length
      if (left < 0) throw new BlobFault('damaged', `a stored file has more than ${maxBytes} bytes`)
      sums.add(chunk)
      yield chunk
    }
  }
}
