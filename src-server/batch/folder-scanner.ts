/**
 * Repeated scans of one folder at a bounded cost: names are read only when the folder's time of change says that one came or went,
 * and of the files already handled a fixed number is checked in each scan, however many songs there are.
 */
import { lstat, opendir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { FileStat } from './postponed-files.ts'
import { isSongName, type SongFile, statSong } from './song-files.ts'

/** Handled files checked again in one scan: in a folder of no more, a song exported over an old one is noticed at once. */
const HANDLED_PER_SCAN = 256
/** Files whose attributes are read at once, before other work gets its turn. */
const STAT_BATCH = 32
/** Names are read at least this often, ms: some disks do not record the time at which a name came or went. */
const LIST_EVERY_MS = 60_000

/** Findings of one part of a scan. */
export interface ScanBatch {
  /** Files that are new, have changed, or have not been marked as handled. */
  readonly songs: readonly SongFile[]
  /** Listed names under which there is no file: the name on the disk is not valid UTF-8. */
  readonly unreadableNames: readonly string[]
}

/** Creates the scanner of a folder; nothing is read yet. */
export function createFolderScanner(folder: string) {
  let names = new Set<string>()
  let order: string[] = []
  let listing: { readonly changedNs: bigint; readonly isConfirmed: boolean; readonly atMs: number } | undefined
  let nextHandled = 0
  const handled = new Map<string, FileStat>()
  const pending = new Set<string>()

  async function list(changedNs: bigint, nowMs: number): Promise<void> {
    const found: string[] = []
    for await (const { name } of await opendir(folder)) if (isSongName(name)) found.push(name)
    names = new Set(found)
    order = found
    for (const name of handled.keys()) if (!names.has(name)) handled.delete(name)
    pending.clear()
    for (const name of found.filter((one) => !handled.has(one)).sort()) pending.add(name)
    // A name that came in the same instant, within the disk's resolution of time, is found by one more reading in the next scan.
    listing = { changedNs, isConfirmed: listing?.changedNs === changedNs, atMs: nowMs }
  }

  /** Names to check in this scan: all pending ones, and the next few of those that were handled. */
  function namesToCheck(): string[] {
    const some: string[] = []
    for (let count = 0; count < Math.min(HANDLED_PER_SCAN, order.length); count++) {
      const name = order[nextHandled++ % order.length]!
      if (handled.has(name)) some.push(name)
    }
    if (order.length > 0) nextHandled %= order.length
    return [...pending, ...some]
  }

  async function check(batch: readonly string[]): Promise<ScanBatch> {
    const found = await Promise.all(batch.map((name) => statSong(folder, name)))
    const songs: SongFile[] = []
    const unreadableNames: string[] = []
    for (const [index, song] of found.entries()) {
      const name = batch[index]!
      if (!song) {
        if (name.includes('\ufffd') && (await isMissing(path.join(folder, name)))) unreadableNames.push(name)
        continue
      }
      const before = handled.get(name)
      if (before?.sizeBytes === song.stat.sizeBytes && before.modifiedMs === song.stat.modifiedMs) continue
      handled.delete(name)
      pending.add(name)
      songs.push(song)
    }
    return { songs, unreadableNames }
  }

  return {
    /** Reads the names if any may have come or gone, and resolves with whether they were read. Rejects with the system's error. */
    async refresh(nowMs: number): Promise<boolean> {
      const { mtimeNs } = await stat(folder, { bigint: true })
      if (listing?.isConfirmed && listing.changedNs === mtimeNs && nowMs - listing.atMs < LIST_EVERY_MS) return false
      await list(mtimeNs, nowMs)
      return true
    },
    /** Returns whether a name was in the folder when it was read last. */
    has: (name: string): boolean => names.has(name),
    /** Yields the files that may have changed, in batches between which other work gets its turn. */
    async *scan(): AsyncGenerator<ScanBatch> {
      const wanted = namesToCheck()
      for (let start = 0; start < wanted.length; start += STAT_BATCH)
        yield await check(wanted.slice(start, start + STAT_BATCH))
    },
    /** Marks a file as handled in the version that was seen. */
    markHandled({ filename, stat }: SongFile): void {
      pending.delete(filename)
      if (names.has(filename)) handled.set(filename, stat)
    },
    /** Puts a file back among the pending ones, as needed when its record went over to another name. */
    recheck(filename: string): void {
      if (handled.delete(filename)) pending.add(filename)
    },
  }
}

export type FolderScanner = ReturnType<typeof createFolderScanner>

async function isMissing(file: string): Promise<boolean> {
  return lstat(file).then(
    () => false,
    (cause: NodeJS.ErrnoException) => cause.code === 'ENOENT',
  )
}
