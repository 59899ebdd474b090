import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** A file that has been written whole. */
export interface WrittenFile {
  readonly sizeBytes: number
  /** SHA-256, lower-case hexadecimal. */
  readonly sha256: string
  /** CRC-32 of ZIP. */
  readonly crc32: number
}

/** Counts and sums up the bytes of a file while they are written. */
export function createFileSums() {
  const hash = createHash('sha256')
  let [sizeBytes, sum] = [0, 0]
  return {
    add(bytes: Uint8Array): void {
      hash.update(bytes)
      sum = crc32(bytes, sum)
      sizeBytes += bytes.length
    },
    /** Returns the facts of the file; the last call. */
    finish: (): WrittenFile => ({ sizeBytes, sha256: hash.digest('hex'), crc32: sum }),
  }
}
