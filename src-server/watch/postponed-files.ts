/** Files that could not be taken, each with the reason and the time of the next attempt. */
import type { AppError } from '../http/app-error.ts'
import type { FileVersion } from './stable-files.ts'

/** Attributes that distinguish files and their versions. */
export interface FileStat extends FileVersion {
  /** Time of the last change of content, name or rights, whole milliseconds since 1970. */
  readonly changedMs: number
  /** Inode number: the same for a file under any name; null if the disk reports none. */
  readonly inode: string | null
}

/** One file whose next attempt is postponed. */
export interface PostponedFile {
  readonly file: string
  readonly reason: AppError
  /** True if the next attempt is timed; otherwise it waits for a change of the file. */
  readonly isTimed: boolean
}

/** First pause after a temporary failure, ms; each further failure doubles it. */
const FIRST_WAIT_MS = 1000
/** Longest such pause, ms: a drive that is back is noticed within a minute. */
const LONGEST_WAIT_MS = 60_000

/** Creates the list, kept in memory: a restart attempts every file again. Times are monotonic milliseconds. */
export function createPostponedFiles() {
  const postponed = new Map<string, PostponedFile & { readonly stat: FileStat; waitMs: number; nextMs: number }>()
  return {
    /** Returns whether a file is still postponed at `nowMs`. Any change of the file ends the postponement. */
    isPostponed(file: string, stat: FileStat, nowMs: number): boolean {
      const before = postponed.get(file)
      if (!before) return false
      const { sizeBytes, modifiedMs, changedMs } = before.stat
      const isChanged = sizeBytes !== stat.sizeBytes || modifiedMs !== stat.modifiedMs || changedMs !== stat.changedMs
      if (isChanged) postponed.delete(file)
      return !isChanged && nowMs < before.nextMs
    },
    /** Returns the reason of the last postponement since the file changed; undefined without one. */
    reasonOf: (file: string): AppError | undefined => postponed.get(file)?.reason,
    /** Postpones a file until it changes. */
    untilChanged(file: string, stat: FileStat, reason: AppError): void {
      postponed.set(file, { file, reason, isTimed: false, stat, waitMs: 0, nextMs: Number.POSITIVE_INFINITY })
    },
    /** Postpones a file by a pause that doubles with every failure, up to a minute. */
    withBackoff(file: string, stat: FileStat, reason: AppError, nowMs: number): void {
      const before = postponed.get(file)?.waitMs ?? 0
      const waitMs = before === 0 ? FIRST_WAIT_MS : Math.min(LONGEST_WAIT_MS, before * 2)
      postponed.set(file, { file, reason, isTimed: true, stat, waitMs, nextMs: nowMs + waitMs })
    },
    /** Postpones a file until `nextMs`, or until it changes. */
    until(file: string, stat: FileStat, reason: AppError, nextMs: number): void {
      postponed.set(file, { file, reason, isTimed: true, stat, waitMs: 0, nextMs })
    },
    /** Drops every file that `keeps` rejects. */
    retain(keeps: (file: string) => boolean): void {
      for (const file of postponed.keys()) if (!keeps(file)) postponed.delete(file)
    },
    /** Drops one file. */
    delete: (file: string): void => void postponed.delete(file),
    /** Returns every postponed file, the earliest postponed first. */
    all: (): PostponedFile[] => [...postponed.values()],
  }
}

export type PostponedFiles = ReturnType<typeof createPostponedFiles>
