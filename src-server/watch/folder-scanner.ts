/**
 * Repeated scans of one folder at a bounded cost: names are read only if the folder's modification time has changed, and a fixed number of
 * the files already handled is checked in each scan, however many songs there are.
 */
import { lstat, opendir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Accept } from '../../src-contract/song-files.ts'
import { isWantedName, type SongFile, statSong } from '../sources/song-files.ts'
import type { FileStat } from './postponed-files.ts'

/** Handled files checked again in one scan: in a folder with no more files, a song exported over an old one is noticed at once. */
const HANDLED_PER_SCAN = 256
/** Files whose attributes are read at once, before other work gets its turn. */
const STAT_BATCH = 32
/** Longest interval between readings of the names, ms: some disks do not record when a name was added or removed. */
const LIST_EVERY_MS = 60_000

/** Findings of one part of a scan. */
export interface ScanBatch {
  /** Files that are new, have changed, or have not been marked as handled. */
  readonly songs: readonly SongFile[]
  /** Listed names without a file: the name on the disk is not valid UTF-8. */
  readonly unreadableNames: readonly string[]
}

/** State of the folder at the last reading of its names. */
interface Listing {
  readonly changedNs: bigint
  readonly isConfirmed: boolean
  readonly atMs: number
}

/** Scanner of a folder; nothing is read before `refresh`. */
export class FolderScanner {
  readonly #folder: string
  readonly #accept: Accept
  #names = new Set<string>()
  #order: string[] = []
  #listing: Listing | undefined
  #nextHandled = 0
  readonly #handled = new Map<string, FileStat>()
  readonly #pending = new Set<string>()

  constructor(folder: string, accept?: Accept) {
    this.#folder = folder
    this.#accept = accept
  }

  /** Reads the names if any may have been added or removed, and resolves with whether they were read. Rejects with the system's error. */
  async refresh(nowMs: number): Promise<boolean> {
    const { mtimeNs } = await stat(this.#folder, { bigint: true })
    const listing = this.#listing
    if (listing?.isConfirmed && listing.changedNs === mtimeNs && nowMs - listing.atMs < LIST_EVERY_MS) return false
    await this.#list(mtimeNs, nowMs)
    return true
  }

  /** Returns whether a name was in the folder at the last reading. */
  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Yields the files that may have changed, in batches between which other work gets its turn. */
  async *scan(): AsyncGenerator<ScanBatch> {
    const wanted = this.#namesToCheck()
    for (let start = 0; start < wanted.length; start += STAT_BATCH)
      yield await this.#check(wanted.slice(start, start + STAT_BATCH))
  }

  /** Marks the seen version of a file as handled. */
  markHandled({ filename, stat }: SongFile): void {
    this.#pending.delete(filename)
    if (this.#names.has(filename)) this.#handled.set(filename, stat)
  }

  /** Marks a file as pending again, such as when its record moved to another name. */
  recheck(filename: string): void {
    if (this.#handled.delete(filename)) this.#pending.add(filename)
  }

  async #list(changedNs: bigint, nowMs: number): Promise<void> {
    const found: string[] = []
    for await (const { name } of await opendir(this.#folder)) if (isWantedName(name, this.#accept)) found.push(name)
    this.#names = new Set(found)
    this.#order = found
    for (const name of this.#handled.keys()) if (!this.#names.has(name)) this.#handled.delete(name)
    this.#pending.clear()
    for (const name of found.filter((one) => !this.#handled.has(one)).sort()) this.#pending.add(name)
    // A name added within the disk's time resolution is found by one more reading in the next scan.
    this.#listing = { changedNs, isConfirmed: this.#listing?.changedNs === changedNs, atMs: nowMs }
  }

  /** Returns the names to check in this scan: all pending ones, and the next few handled ones. */
  #namesToCheck(): string[] {
    const order = this.#order
    const some: string[] = []
    for (let count = 0; count < Math.min(HANDLED_PER_SCAN, order.length); count++) {
      const name = order[this.#nextHandled++ % order.length]!
      if (this.#handled.has(name)) some.push(name)
    }
    if (order.length > 0) this.#nextHandled %= order.length
    return [...this.#pending, ...some]
  }

  async #check(batch: readonly string[]): Promise<ScanBatch> {
    const found = await Promise.all(batch.map((name) => statSong(this.#folder, name)))
    const songs: SongFile[] = []
    const unreadableNames: string[] = []
    for (const [index, song] of found.entries()) {
      const name = batch[index]!
      if (!song) {
        if (name.includes('\ufffd') && (await isMissing(path.join(this.#folder, name)))) unreadableNames.push(name)
        continue
      }
      const before = this.#handled.get(name)
      if (before?.sizeBytes === song.stat.sizeBytes && before.modifiedMs === song.stat.modifiedMs) continue
      this.#handled.delete(name)
      this.#pending.add(name)
      songs.push(song)
    }
    return { songs, unreadableNames }
  }
}

async function isMissing(file: string): Promise<boolean> {
  return lstat(file).then(
    () => false,
    (cause: NodeJS.ErrnoException) => cause.code === 'ENOENT',
  )
}
