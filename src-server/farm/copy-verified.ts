import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BlobFault } from './blobs.ts'

/**
 * Writes a stream under a name beside `file` and, where its SHA-256 is the expected one, gives it its own. Rejects with a `BlobFault`
 * for other bytes, or with the system's error; nothing is then left.
 */
export async function writeVerified(bytes: Readable, file: string, sha256: string): Promise<void> {
  const partial = `${file}.part`
  const hash = createHash('sha256')
  try {
    await pipeline(bytes, hashed(hash), createWriteStream(partial, { mode: 0o600 }))
    if (hash.digest('hex') !== sha256) throw new BlobFault('damaged', `the stored file ${sha256} has other bytes`)
    await rename(partial, file)
  } catch (cause) {
    await rm(partial, { force: true }).catch(() => {})
    throw cause
  }
}

/** Returns a step of a pipeline that adds all that passes to a hash. */
function hashed(hash: ReturnType<typeof createHash>) {
  return async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      hash.update(chunk)
      yield chunk
    }
  }
}
