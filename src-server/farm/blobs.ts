/** Port to the files that go between machines: the songs of an attempt and its masters. */
import type { WrittenFile } from '../../src-worker/media/written-file.ts'

/**
 * Cause for which a file could not be brought: `missing` or `damaged` in the store, which trying again does not mend; the store is `away`,
 * `full`, or `refused` this machine, which may pass.
 */
export type BlobFaultKind = 'missing' | 'damaged' | 'away' | 'full' | 'refused'

export class BlobFault extends Error {
  readonly kind: BlobFaultKind

  constructor(kind: BlobFaultKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BlobFault'
    this.kind = kind
  }

  /** True where another try may succeed. */
  get mayPass(): boolean {
    return this.kind === 'away' || this.kind === 'full' || this.kind === 'refused'
  }
}

/** Address of a stored file: the attempt's identifier, a slash, and the SHA-256 of its bytes in hexadecimal. */
export type BlobKey = string

/** File to be stored. What is known of it is not read once more: `get` finds bytes that do not have it. */
export interface FileToStore {
  readonly path: string
  /** Hexadecimal, lower case. */
  readonly sha256?: string
}

/** Store of files that every machine reaches. All methods reject with a {@link BlobFault}. */
export interface Blobs {
  /** False where others on the way can read the files. */
  readonly isSafe: boolean
  /**
   * Stores a file for an attempt, whole or not at all; a loss of power may take it. Returns its address; the same file again has the same.
   */
  put(attemptId: string, file: FileToStore): Promise<BlobKey>
  /**
   * Copies a stored file to a path and returns what arrived: it has the checksum of its address and `maxBytes` at most. The caller flushes
   * it to the disk.
   */
  get(key: BlobKey, file: string, maxBytes: number): Promise<WrittenFile>
  /** Removes all files of an attempt, if any. */
  delete(attemptId: string): Promise<void>
  /** Returns the attempts that have files. */
  attempts(): Promise<string[]>
  close(): void
}

/** Names that may stand in an address: what another program keeps in the same place is none of ours. */
export const ATTEMPT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d+$/

/** Returns the address of a file of an attempt. */
export const keyOf = (attemptId: string, sha256: string): BlobKey => `${attemptId}/${sha256}`

/** Returns the parts of an address. Throws a {@link BlobFault} for a text that is none: nothing else may become part of a path. */
export function partsOf(key: BlobKey): { readonly attemptId: string; readonly sha256: string } {
  const [attemptId = '', sha256 = '', ...rest] = key.split('/')
  if (!ATTEMPT_ID.test(attemptId) || !/^[0-9a-f]{64}$/.test(sha256) || rest.length > 0)
    throw new BlobFault('missing', `no address of a stored file: ${key}`)
  return { attemptId, sha256 }
}
