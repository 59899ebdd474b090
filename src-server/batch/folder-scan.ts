/**
 * A folder that is looked at again and again. Its names are read only when the folder says that one came or went, and of the files
 * that rest a fixed number is looked at each time, so that a look costs the same however many songs are known.
 */
import { lstat, opendir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { FileState } from './held-back.ts'
import { looksLikeSong, type SeenSong, seenAs } from './watched-songs.ts'

/** Files that rest and are looked at in one look: in a folder of no more, a song that is exported over an old one is seen at once. */
const RESTING_PER_LOOK = 256
/** Files that are looked at before others have their turn. */
const SLICE = 32
/** Some disks do not keep the time at which a name came or went. */
const LIST_EVERY_MS = 60_000

/** Findings of one slice of a look. */
export interface LookSlice {
  /** Files that are new, have changed, or have not been put to rest since. */
  readonly songs: readonly SeenSong[]
  /** Names that lead to no file: the system shows other bytes than those on the disk. */
  readonly misnamed: readonly string[]
}

/** Makes the look at a folder; nothing is read yet. */
export function createFolderLook(folder: string) {
  let names = new Set<string>()
  let order: string[] = []
  let listing: { readonly changedNs: bigint; readonly isConfirmed: boolean; readonly atMs: number } | undefined
  let nextResting = 0
  const resting = new Map<string, FileState>()
  const awake = new Set<string>()

  async function list(changedNs: bigint, nowMs: number): Promise<void> {
    const found: string[] = []
    for await (const { name } of await opendir(folder)) if (looksLikeSong(name)) found.push(name)
    names = new Set(found)
    order = found
    for (const name of resting.keys()) if (!names.has(name)) resting.delete(name)
    const woken = found.filter((name) => !resting.has(name)).sort()
    awake.clear()
    for (const name of woken) awake.add(name)
    // What came in the same instant, as far as the disk tells them apart, is seen by reading once more a look later.
    listing = { changedNs, isConfirmed: listing?.changedNs === changedNs, atMs: nowMs }
  }

  /** Resolves with whether names may have come or gone since the look before. Rejects with the system's error. */
  async function refresh(nowMs: number): Promise<boolean> {
    const { mtimeNs } = await stat(folder, { bigint: true })
    if (listing?.isConfirmed && listing.changedNs === mtimeNs && nowMs - listing.atMs < LIST_EVERY_MS) return false
    await list(mtimeNs, nowMs)
    return true
  }

  /** The names to look at now: all that are awake, and the next of those that rest. */
  function namesToLookAt(): string[] {
    const some: string[] = []
    for (let count = 0; count < Math.min(RESTING_PER_LOOK, order.length); count++) {
      const name = order[nextResting++ % order.length]!
      if (resting.has(name)) some.push(name)
    }
    if (order.length > 0) nextResting %= order.length
    return [...awake, ...some]
  }

  async function lookAt(slice: readonly string[]): Promise<LookSlice> {
    const seen = await Promise.all(slice.map((name) => seenAs(folder, name)))
    const songs: SeenSong[] = []
    const misnamed: string[] = []
    for (const [index, song] of seen.entries()) {
      const name = slice[index]!
      if (!song) {
        if (name.includes('\ufffd') && (await isMissing(path.join(folder, name)))) misnamed.push(name)
        continue
      }
      const before = resting.get(name)
      if (before?.sizeBytes === song.look.sizeBytes && before.modifiedMs === song.look.modifiedMs) continue
      resting.delete(name)
      awake.add(name)
      songs.push(song)
    }
    return { songs, misnamed }
  }

  return {
    refresh,
    /** Whether a name was in the folder when it was read last. */
    has: (name: string): boolean => names.has(name),
    /** Looks at the files that may have changed, a slice at a time; others have their turn between two slices. */
    async *slices(): AsyncGenerator<LookSlice> {
      const wanted = namesToLookAt()
      for (let start = 0; start < wanted.length; start += SLICE) yield await lookAt(wanted.slice(start, start + SLICE))
    },
    /** Lets a file rest that has been dealt with as it was seen. */
    rest({ filename, look }: SeenSong): void {
      awake.delete(filename)
      if (names.has(filename)) resting.set(filename, look)
    },
    /** Looks at a file next time, as it must be where another took over what was known of its name. */
    wake(filename: string): void {
      if (resting.delete(filename)) awake.add(filename)
    },
  }
}

export type FolderLook = ReturnType<typeof createFolderLook>

async function isMissing(file: string): Promise<boolean> {
  return lstat(file).then(
    () => false,
    (cause: NodeJS.ErrnoException) => cause.code === 'ENOENT',
  )
}
