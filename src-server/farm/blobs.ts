/** Interface to the files exchanged between machines: the songs of an attempt and its masters. */
import type { WrittenFile } from '../../src-worker/media/written-file.ts'

/**
 * Reason why a file could not be fetched: `missing` or `damaged` in the store, which is permanent; or the store is `away`, `full`, or
 * `refused` this machine, which may pass.
 */
export type BlobFaultKind = 'missing' | 'damaged' | 'away' | 'full' | 'refused'

export class BlobFault extends Error {
  readonly kind: BlobFaultKind

  constructor(kind: BlobFaultKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BlobFault'
    this.kind = kind
  }

  /** True if another try may succeed. */
  get mayPass(): boolean {
    return this.kind === 'away' || this.kind === 'full' || this.kind === 'refused'
  }
}

/** Address of a stored file: the attempt's identifier, a slash, and the SHA-256 of its bytes in hexadecimal. */
export type BlobKey = string

/** File to store. A known checksum is not recomputed: `get` detects bytes that do not match. */
export interface FileToStore {
  readonly path: string
  /** Hexadecimal, lower case. */
  readonly sha256?: string
}

/** Store of files that every machine reaches. All methods reject with a {@link BlobFault}. */
export interface Blobs {
  /** False if others on the network can read the files. */
  readonly isSafe: boolean
  /**
   * Stores a file for an attempt, whole or not at all, but not safe against a power loss. Returns its address; the same file always has the
   * same.
   */
  put(attemptId: string, file: FileToStore): Promise<BlobKey>
  /**
   * Copies a stored file to a path and returns its facts: it has the checksum of its address and at most `maxBytes`. The caller flushes it
   * to the disk.
   */
  get(key: BlobKey, file: string, maxBytes: number): Promise<WrittenFile>
  /** Removes all files of an attempt, if any. */
  delete(attemptId: string): Promise<void>
  /** Returns the attempts that have files. */
  attempts(): Promise<string[]>
  close(): void
}

/** Names allowed in an address: files of other programs in the same place are left alone. */
export const ATTEMPT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d+$/

/** Returns the address of a file of an attempt. */
export const keyOf = (attemptId: string, sha256: string): BlobKey => `${attemptId}/${sha256}`

/** Returns the parts of an address. Throws a {@link BlobFault} for any other text: nothing else may become part of a path. */
export function partsOf(key: BlobKey): { readonly attemptId: string; readonly sha256: string } {
  const [attemptId = '', sha256 = '', ...rest] = key.split('/')
  if (!ATTEMPT_ID.test(attemptId) || !/^[0-9a-f]{64}$/.test(sha256) || rest.length > 0)
    throw new BlobFault('missing', `no address of a stored file: ${key}`)
  return { attemptId, sha256 }
}
