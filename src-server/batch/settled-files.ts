/** When a file that somebody else writes is complete: nobody tells, so it must have stopped changing for a while. */

/** What a look at a file shows. */
export interface FileLook {
  readonly sizeBytes: number
  /** Time of the last change, whole milliseconds since 1970. */
  readonly modifiedMs: number
}

/**
 * Returns a rule with memory: `isSettled` is true once the same size and time of change were seen over at least `quietMs` of
 * monotonic time, or over as long as is asked for. An empty file never settles: many programs make it first and write it later.
 * `forget` drops files that are no longer there.
 */
export function createSettledFiles(quietMs: number) {
  const looks = new Map<string, FileLook & { readonly sinceMs: number }>()
  return {
    isSettled(file: string, look: FileLook, nowMs: number, forMs = quietMs): boolean {
      const before = looks.get(file)
      if (before?.sizeBytes !== look.sizeBytes || before.modifiedMs !== look.modifiedMs) {
        looks.set(file, { ...look, sinceMs: nowMs })
        return false
      }
      return look.sizeBytes > 0 && nowMs - before.sinceMs >= forMs
    },
    /** Keeps only the files that are still of interest. */
    forget(isOfInterest: (file: string) => boolean): void {
      for (const file of looks.keys()) if (!isOfInterest(file)) looks.delete(file)
    },
  }
}
