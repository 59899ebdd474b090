import { statfsSync } from 'node:fs'
import { AppError } from '../http/app-error.ts'

/** Room for songs and results. */
export interface Storage {
  /** Bytes that this process may still write on the disk of the data directory. */
  freeBytes(): number
  /**
   * Throws INSUFFICIENT_STORAGE unless the disk has room for `bytes` more plus a reserve, besides reservations. For incoming bytes, which
   * no quota counts yet.
   */
  requireDisk(bytes: number): void
  /**
   * Throws INSUFFICIENT_STORAGE unless `bytes` more fit into the owner's quota and `bytesToWrite` of them, all when absent, plus a reserve
   * on the disk, both besides reservations.
   */
  require(bytes: number, bytesToWrite?: number): void
}

/** Bytes received between two checks of the disk. */
const LOOK_EVERY_BYTES = 1_048_576

/**
 * Returns a function to call with the size of every received piece before it is written. It throws as `requireDisk` does with 0: with the
 * first piece, and then once per megabyte, since others write too.
 */
export function watchRoom(requireDisk: Storage['requireDisk']): (pieceBytes: number) => void {
  let sinceLookBytes = LOOK_EVERY_BYTES
  return (pieceBytes) => {
    sinceLookBytes += pieceBytes
    if (sinceLookBytes < LOOK_EVERY_BYTES) return
    sinceLookBytes = 0
    requireDisk(0)
  }
}

/** Reserve for the database and other programs. */
export const RESERVE_BYTES = 64 * 1024 * 1024

/** Returns the bytes that this process may still write on the disk of a folder. Throws the system's error. */
export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/**
 * Returns the storage limits of a data directory. `usedBytes` counts towards the quota, `reservedBytes` are the unwritten part of accepted
 * work; `quotaBytes` null means no quota.
 */
export function createStorage(deps: {
  dataDir: string
  usedBytes: () => number
  reservedBytes: () => number
  quotaBytes: () => number | null
  freeBytes?: () => number
}): Storage {
  const freeBytes = deps.freeBytes ?? (() => freeBytesOf(deps.dataDir))
  function requireDisk(bytes: number): void {
    if (freeBytes() < deps.reservedBytes() + bytes + RESERVE_BYTES) throw new AppError('INSUFFICIENT_STORAGE')
  }
  return {
    freeBytes,
    requireDisk,
    require(bytes, bytesToWrite = bytes) {
      const quotaBytes = deps.quotaBytes()
      if (quotaBytes !== null && deps.usedBytes() + deps.reservedBytes() + bytes > quotaBytes)
        throw new AppError('INSUFFICIENT_STORAGE')
      requireDisk(bytesToWrite)
    },
  }
}
