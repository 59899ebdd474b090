import { statfsSync } from 'node:fs'
import { AppError } from '../http/app-error.ts'

/** Room for songs and results. */
export interface Storage {
  /** Bytes that this process may still write on the disk of the data directory. */
  freeBytes(): number
  /**
   * Throws INSUFFICIENT_STORAGE unless `bytes` more fit into the owner's quota and `bytesToWrite` of them, all when absent, on the
   * disk with a reserve left, both beside what is promised already.
   */
  require(bytes: number, bytesToWrite?: number): void
}

/** Left free for the database and for everybody else. */
const RESERVE_BYTES = 64 * 1024 * 1024

/**
 * Returns the room of a data directory. `usedBytes` is what the quota counts, `promisedBytes` what is still to be written of what was
 * accepted; `quotaBytes` null is no quota.
 */
export function createStorage(given: {
  dataDir: string
  usedBytes: () => number
  promisedBytes: () => number
  quotaBytes: () => number | null
  freeBytes?: () => number
}): Storage {
  const freeBytes =
    given.freeBytes ??
    (() => {
      const { bavail, bsize } = statfsSync(given.dataDir)
      return bavail * bsize
    })
  return {
    freeBytes,
    require(bytes, bytesToWrite = bytes) {
      const quotaBytes = given.quotaBytes()
      const promisedBytes = given.promisedBytes()
      const isWithinQuota = quotaBytes === null || given.usedBytes() + promisedBytes + bytes <= quotaBytes
      if (!isWithinQuota || freeBytes() < promisedBytes + bytesToWrite + RESERVE_BYTES)
        throw new AppError('INSUFFICIENT_STORAGE')
    },
  }
}
