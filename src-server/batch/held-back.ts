/** Files that could not be taken, each with why and when it is tried again. */
import type { AppError } from '../http/app-error.ts'
import type { FileLook } from './settled-files.ts'

/** Everything that a look at a file shows. */
export interface FileState extends FileLook {
  /** When its content, name or rights were last changed, whole milliseconds since 1970. */
  readonly changedMs: number
  /** Which file it is on its disk, whatever its name; null where the disk does not tell. */
  readonly inode: string | null
}

/** One file that was held back. */
export interface HeldBack {
  readonly file: string
  readonly reason: AppError
  /** Whether it is tried again by itself; otherwise only when the file changes. */
  readonly isWaiting: boolean
}

const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000

/** Makes the memory of one run: a restart tries everything again. Times are monotonic milliseconds. */
export function createHeldBack() {
  const held = new Map<string, HeldBack & { readonly state: FileState; waitMs: number; againAtMs: number }>()
  return {
    /** Whether a file is to be left alone at a moment. One that has changed in any way is not. */
    isHeld(file: string, state: FileState, nowMs: number): boolean {
      const before = held.get(file)
      if (!before) return false
      const { sizeBytes, modifiedMs, changedMs } = before.state
      const isChanged =
        sizeBytes !== state.sizeBytes || modifiedMs !== state.modifiedMs || changedMs !== state.changedMs
      if (isChanged) held.delete(file)
      return !isChanged && nowMs < before.againAtMs
    },
    /** Why a file was held back last, since it changed; undefined when it was not. */
    reasonOf: (file: string): AppError | undefined => held.get(file)?.reason,
    /** Leaves a file alone until it changes. */
    untilChanged(file: string, state: FileState, reason: AppError): void {
      held.set(file, { file, reason, isWaiting: false, state, waitMs: 0, againAtMs: Number.POSITIVE_INFINITY })
    },
    /** Leaves a file alone for a while that doubles with every try, up to a minute. */
    forAWhile(file: string, state: FileState, reason: AppError, nowMs: number): void {
      const before = held.get(file)?.waitMs ?? 0
      const waitMs = before === 0 ? FIRST_WAIT_MS : Math.min(LONGEST_WAIT_MS, before * 2)
      held.set(file, { file, reason, isWaiting: true, state, waitMs, againAtMs: nowMs + waitMs })
    },
    /** Leaves a file alone until a moment, or until it changes. */
    until(file: string, state: FileState, reason: AppError, againAtMs: number): void {
      held.set(file, { file, reason, isWaiting: true, state, waitMs: 0, againAtMs })
    },
    /** Keeps only the files that are still of interest. */
    forget(isOfInterest: (file: string) => boolean): void {
      for (const file of held.keys()) if (!isOfInterest(file)) held.delete(file)
    },
    /** Everything that is held back, in the order of its coming. */
    all: (): HeldBack[] => [...held.values()],
  }
}
