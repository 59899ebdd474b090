import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BlobFault } from './blobs.ts'

/**
 * Writes a stream under a name beside `file` and, where its SHA-256 is the expected one, gives it its own. Rejects with a `BlobFault`
 * for other bytes or more than `maxBytes`, or with the system's error; nothing is then left.
 */
export async function writeVerified(
  bytes: Readable,
  file: string,
  { sha256, maxBytes }: { readonly sha256: string; readonly maxBytes: number },
): Promise<void> {
  const partial = `${file}.part`
  const hash = createHash('sha256')
  try {
    await pipeline(bytes, hashed(hash, maxBytes), createWriteStream(partial, { mode: 0o600 }))
    if (hash.digest('hex') !== sha256) throw new BlobFault('damaged', `the stored file ${sha256} has other bytes`)
    await rename(partial, file)
  } catch (cause) {
    await rm(partial, { force: true }).catch(() => {})
    throw cause
  }
}

/** Returns a step of a pipeline that adds all that passes to a hash, and throws beyond `maxBytes`. */
function hashed(hash: ReturnType<typeof createHash>, maxBytes: number) {
  return async function* (source: AsyncIterable<Buffer>) {
    let left = maxBytes
    for await (const chunk of source) {
      left -= chunk.length
      if (left < 0) throw new BlobFault('damaged', `a stored file has more than ${maxBytes} bytes`)
      hash.update(chunk)
      yield chunk
    }
  }
}
