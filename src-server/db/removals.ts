/**
 * List of files to remove. A place is recorded in the transaction that gives it up and removed after the commit, which leaves a record
 * after a crash or if the system locks a file. Nothing else below the data directory is ever removed.
 */
import { lstatSync, renameSync } from 'node:fs'
import path from 'node:path'
import { discardFolder } from '../../src-system/disk.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import { isDataFile, listDataFiles } from './data-files.ts'
import type { Db } from './open.ts'

export interface RemovalsDeps {
  readonly db: Db
  readonly dataDir: string
  readonly clock: Clock
  readonly random: Pick<Random, 'newUuid'>
  readonly log: Log
}

/** Places that are removed before other work gets its turn. */
const SLICE = 4
/** Pause between two slices, ms. */
const PAUSE_MS = 20

/** Statements about recorded places. */
function prepareStatements(db: Db) {
  return {
    insert: db.prepare<[string, number | null]>('INSERT OR REPLACE INTO removals (place, modified_ms) VALUES (?, ?)'),
    remove: db.prepare<[string]>('DELETE FROM removals WHERE place = ?'),
    selectOne: db.prepare<[string], { modified_ms: number | null }>('SELECT modified_ms FROM removals WHERE place = ?'),
    selectAfter: db
      .prepare<[string, number], string>('SELECT place FROM removals WHERE place > ? ORDER BY place LIMIT ?')
      .pluck(),
  }
}

/** The list over an open database. Places are relative and have slashes: `jobs/<UUID>`, `sources/<SHA-256>`. */
export class Removals {
  readonly #deps: RemovalsDeps
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #underWay = new Set<Promise<void>>()

  constructor(deps: RemovalsDeps) {
    this.#deps = deps
    this.#statements = prepareStatements(deps.db)
  }

  /**
   * Marks a place for removal, with the file that lies there or will be moved there. Call it inside the transaction that gives the place up,
   * or before one that needs it: a crash in between leaves the record.
   */
  record(place: string, file = this.#pathOf(place)): void {
    this.#statements.insert.run(place, modifiedMs(file))
  }

  /** Marks a place as in use again. Call it inside the transaction that needs the place. */
  withdraw(place: string): void {
    this.#statements.remove.run(place)
  }

  isRecorded(place: string): boolean {
    return this.#statements.selectOne.get(place) !== undefined
  }

  /** Removes a few recorded places: they are moved aside at once, and deleted in the background. Never throws. */
  removeNow(places: readonly string[]): void {
    const { db, log } = this.#deps
    try {
      const gone = places.filter((place) => this.#moveAway(place))
      db.transaction(() => {
        for (const place of gone) this.#statements.remove.run(place)
      })()
    } catch (cause) {
      log.warn('files that were given up could not be removed', { cause })
    }
  }

  /** Removes all recorded places, in slices that let other work run in between, until `signal` is aborted. Never rejects. */
  async removeAll(signal: AbortSignal): Promise<void> {
    try {
      for (let last = ''; !signal.aborted; await this.#pause(signal)) {
        const places = this.#statements.selectAfter.all(last, SLICE)
        last = places.at(-1) ?? ''
        if (places.length === 0) return
        this.removeNow(places)
        await Promise.all(this.#underWay)
      }
    } catch (cause) {
      this.#deps.log.warn('files that were given up could not be removed', { cause })
    }
  }

  /** Removes an earlier run's leftovers in the folder of uploads, as `removeAll` does. Call it before the first upload. */
  async sweepTmp(signal: AbortSignal): Promise<void> {
    const { dataDir } = this.#deps
    for (const [index, name] of listDataFiles(dataDir, 'tmp').entries()) {
      if (signal.aborted) return
      await discardFolder(path.join(dataDir, 'tmp', name))
      if (index % SLICE === SLICE - 1) await this.#pause(signal)
    }
  }

  /** Resolves when no removal is under way. */
  async close(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  /** Moves a place aside at once and removes it in the background. Returns false if the system holds it. */
  #moveAway(place: string): boolean {
    const { dataDir, random } = this.#deps
    const recorded = this.#statements.selectOne.get(place)
    if (!isDataFile(dataDir, place) || recorded?.modified_ms !== modifiedMs(this.#pathOf(place))) return true
    const from = this.#pathOf(place)
    const away = path.join(dataDir, 'tmp', random.newUuid())
    let left = away
    try {
      renameSync(from, away)
    } catch (cause) {
      // A job's folder on another disk is removed in place: its name is never used again.
      const isElsewhere = (cause as NodeJS.ErrnoException).code === 'EXDEV' && place.startsWith('jobs/')
      if (!isElsewhere) return false
      left = from
    }
    const removed = discardFolder(left).finally(() => this.#underWay.delete(removed))
    this.#underWay.add(removed)
    return true
  }

  #pathOf(place: string): string {
    return path.join(this.#deps.dataDir, place)
  }

  #pause(signal: AbortSignal): Promise<void> {
    return this.#deps.clock.sleep(PAUSE_MS, signal).catch(() => {})
  }
}

/** Returns a file's time of change: a database from a backup must not take a song that was stored again since. */
function modifiedMs(file: string): number | null {
  const found = lstatSync(file, { throwIfNoEntry: false })
  return found?.isFile() ? Math.trunc(found.mtimeMs) : null
}
