import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Returns the SHA-256 of a stream's bytes, in hexadecimal. Rejects with the stream's error, and with the reason of `signal`. */
export async function sha256OfStream(bytes: Readable, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(bytes, hash, signal ? { signal } : {})
  return hash.digest('hex')
}
