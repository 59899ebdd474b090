/** Detection of complete files: no event marks the end of another program's writing, so a file must stop changing for a while. */

/** Attributes that change with the content of a file. */
export interface FileVersion {
  readonly sizeBytes: number
  /** Time of the last change of content, whole milliseconds since 1970. */
  readonly modifiedMs: number
}

/**
 * Creates a detector: `isStable` is true once the same version was seen over at least `quietMs` of monotonic time. An empty file is
 * never stable: many programs create it first and write it later.
 */
export function createStableFiles(quietMs: number) {
  const seen = new Map<string, FileVersion & { readonly sinceMs: number }>()
  return {
    /** Returns whether a file has been stable for `forMs`, by default the quiet time, at `nowMs`. */
    isStable(file: string, version: FileVersion, nowMs: number, forMs = quietMs): boolean {
      const before = seen.get(file)
      if (before?.sizeBytes !== version.sizeBytes || before.modifiedMs !== version.modifiedMs) {
        seen.set(file, { ...version, sinceMs: nowMs })
        return false
      }
      return version.sizeBytes > 0 && nowMs - before.sinceMs >= forMs
    },
    /** Drops every file that `keeps` rejects. */
    retain(keeps: (file: string) => boolean): void {
      for (const file of seen.keys()) if (!keeps(file)) seen.delete(file)
    },
  }
}

export type StableFiles = ReturnType<typeof createStableFiles>
