import { statfsSync } from 'node:fs'
import { AppError } from '../http/app-error.ts'

/** Room for songs and results. */
export interface Storage {
  /** Bytes that this process may still write on the disk of the data directory. */
  freeBytes(): number
  /** Throws INSUFFICIENT_STORAGE unless `bytes` more fit on the disk with a reserve left, and into the owner's quota. */
  require(bytes: number): void
}

/** Left free for the database and for everybody else. */
const RESERVE_BYTES = 64 * 1024 * 1024

/** Returns the room of a data directory. `usedBytes` is what the quota counts; `quotaBytes` null is no quota. */
export function createStorage(given: {
  dataDir: string
  usedBytes: () => number
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
    require(bytes) {
      const quotaBytes = given.quotaBytes()
      const isWithinQuota = quotaBytes === null || given.usedBytes() + bytes <= quotaBytes
      if (!isWithinQuota || freeBytes() < bytes + RESERVE_BYTES) throw new AppError('INSUFFICIENT_STORAGE')
    },
  }
}
