/** How much of the disk Loudsmith takes, and whether there is room for more. */
import { readdir, stat, statfs } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../http/app-error.ts'

export interface DiskRoomArguments {
  readonly dataDir: string
  /** The owner's limit for the data folder, bytes; null for none. */
  readonly quotaBytes: () => number | null
}

/** The disk keeps this much free whatever is stored: the database and the system need it. */
const RESERVE_BYTES = 256 * 1024 * 1024

/**
 * Makes the disk's bookkeeper. It knows what `measure` last found and what was announced since, so that asking costs nothing
 * and can happen inside a transaction. Until the first measurement there is room.
 */
export function createDiskRoom({ dataDir, quotaBytes }: DiskRoomArguments) {
  let usedBytes = 0
  let freeBytes = Number.POSITIVE_INFINITY
  let underWay: Promise<void> | undefined

  async function measureNow(): Promise<void> {
    const [used, disk] = await Promise.all([sizeOf(dataDir), statfs(dataDir)])
    usedBytes = used
    freeBytes = disk.bavail * disk.bsize
  }

  return {
    /** Reads the disk anew; calls at the same time share one reading. Rejects when the data folder cannot be read. */
    measure(): Promise<void> {
      underWay ??= measureNow().finally(() => (underWay = undefined))
      return underWay
    },

    /** Throws INSUFFICIENT_STORAGE unless `bytes` more fit below the quota and on the disk; otherwise counts them as taken. */
    take(bytes: number): void {
      const quota = quotaBytes() ?? Number.POSITIVE_INFINITY
      if (usedBytes + bytes > quota || freeBytes - bytes < RESERVE_BYTES) throw new AppError('INSUFFICIENT_STORAGE')
      usedBytes += bytes
      freeBytes -= bytes
    },

    /** Returns what was found last, bytes. */
    state: (): { usedBytes: number; freeBytes: number } => ({ usedBytes, freeBytes }),
  }
}

export type DiskRoom = ReturnType<typeof createDiskRoom>

/** Bytes on the disk below a folder. A song that is linked into several jobs is counted once; what vanishes meanwhile counts nothing. */
async function sizeOf(folder: string): Promise<number> {
  const counted = new Set<string>()
  let total = 0
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const found = await stat(path.join(entry.parentPath, entry.name)).catch(() => undefined)
    const identity = `${found?.dev}:${found?.ino}`
    if (!found || counted.has(identity)) continue
    counted.add(identity)
    total += found.size
  }
  return total
}
