/**
 * Our files unknown to the database, such as after restoring an older backup: moved aside, reported with their size, and removed only by
 * the user.
 */
import { type Dirent, mkdirSync, renameSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import { syncFolder } from '../../src-system/disk.ts'
import type { Log } from '../../src-system/log.ts'
import { type Clock, isoTime } from '../../src-system/system.ts'
import { isDataFile } from './data-files.ts'

/** Files that were set aside and are still there. */
export interface Quarantined {
  readonly folder: string
  /** Job folders and stored songs. */
  readonly items: number
  readonly bytes: number
  /** Paths of files on another disk, which were left in place. */
  readonly leftInPlace: readonly string[]
}

/** Folder in the data directory. */
const FOLDER = 'quarantine'
/** Files moved before other work gets its turn. */
const SLICE = 8
/** Pause between two slices, ms. */
const PAUSE_MS = 20

/** Creates the quarantine of a data directory; its folder is created with its first entry. */
export function createQuarantine({ dataDir, clock, log }: { dataDir: string; clock: Clock; log: Log }) {
  const folder = path.join(dataDir, FOLDER)
  const leftInPlace = new Set<string>()

  /** Moves one place, such as `jobs/<UUID>`, to the same place below a folder of the day. Returns whether it was moved. */
  function moveAside(place: string): boolean {
    if (!isDataFile(dataDir, place)) return false
    const target = path.join(folder, isoTime(clock.now()).slice(0, 10), place)
    try {
      mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 })
      renameSync(path.join(dataDir, place), target)
      syncFolder(path.dirname(target))
      return true
    } catch (cause) {
      leftInPlace.add(place)
      log.warn('a file that the database does not know could not be set aside', { place, cause })
      return false
    }
  }

  /** Returns the contents of the quarantine and the files left outside. */
  async function read(): Promise<Quarantined> {
    const days = await namesIn(folder)
    const kinds = (await Promise.all(days.map((day) => inFolder(path.join(folder, day.name))))).flat()
    const inside = (await Promise.all(kinds.map(inFolder))).flat()
    const stillOutside: string[] = []
    for (const place of leftInPlace) {
      const item = path.join(dataDir, place)
      if (await lstat(item).catch(() => undefined)) stillOutside.push(item)
    }
    const items = [...inside, ...stillOutside]
    let bytes = 0
    for (const item of items) bytes += await sizeOf(item)
    return { folder, items: items.length, bytes, leftInPlace: stillOutside }
  }

  return {
    /** Moves aside the files that `isKnown` rejects, in slices that let other work run in between, and logs it. Never rejects. */
    async setAside(places: readonly string[], isKnown: (place: string) => boolean, signal: AbortSignal): Promise<void> {
      let moved = 0
      try {
        for (const [index, place] of places.entries()) {
          if (signal.aborted) break
          if (!isKnown(place) && moveAside(place)) moved++
          if (index % SLICE === SLICE - 1) await clock.sleep(PAUSE_MS, signal).catch(() => {})
        }
        if (moved > 0 || leftInPlace.size > 0)
          log.warn('files that the database does not know were set aside', { moved, ...(await read()) })
      } catch (cause) {
        log.error('files that the database does not know could not be set aside', { cause })
      }
    },
    read,
  }
}

const namesIn = (folder: string): Promise<Dirent[]> => readdir(folder, { withFileTypes: true }).catch(() => [])
const inFolder = async (folder: string): Promise<string[]> =>
  (await namesIn(folder)).map(({ name }) => path.join(folder, name))

/** Returns the bytes of a file, or of all files in a folder; links are not followed. 0 for a missing one. */
async function sizeOf(place: string): Promise<number> {
  const found = await lstat(place).catch(() => undefined)
  if (!found?.isDirectory()) return found?.isFile() ? found.size : 0
  let bytes = 0
  for (const name of await inFolder(place)) bytes += await sizeOf(name)
  return bytes
}
