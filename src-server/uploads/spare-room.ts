/**
 * Room reserved for a full disk: a meaningless file in the data directory. SQLite needs room to record that a job is deleted, so without it
 * a full disk could not be freed from inside.
 */
import { rmSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import { databaseFault } from '../db/fault.ts'
import { freeBytesOf, RESERVE_BYTES } from './storage.ts'

export interface SpareRoomDeps {
  readonly dataDir: string
  readonly clock: Pick<Clock, 'after'>
  readonly random: Pick<Random, 'randomBytes'>
  readonly log: Log
}

/** Name of the reserve file in the data directory. */
const FILE_NAME = 'spare-room'
/**
 * SQLite writes its log back after 4 MB and then reuses it from its beginning: twice that is enough for any number of small transactions in
 * a row.
 */
const SIZE_BYTES = 8 * 1_048_576
/** Bytes written to it at once. */
const PIECE_BYTES = 65_536
/** Interval of the check whether it can be restored, ms. */
const CHECK_EVERY_MS = 60_000

/** The spare room of a data directory, at rest until `start`. */
export class SpareRoom {
  readonly #deps: SpareRoomDeps
  readonly #file: string
  readonly #closing = new AbortController()
  #filling = Promise.resolve()
  #stopTimer: (() => void) | undefined

  constructor(deps: SpareRoomDeps) {
    this.#deps = deps
    this.#file = path.join(deps.dataDir, FILE_NAME)
  }

  /**
   * Runs a transaction that frees room and returns its result. On a full disk it is repeated with the reserved room and, if that does not
   * suffice, once more after `makeRoom`. Throws the last run's error; a fault other than a full disk at once.
   */
  use<Result>(run: () => Result, makeRoom?: () => void): Result {
    try {
      return run()
    } catch (cause) {
      if (databaseFault(cause) !== 'full') throw cause
    }
    rmSync(this.#file, { force: true })
    try {
      return run()
    } catch (cause) {
      if (!makeRoom || databaseFault(cause) !== 'full') throw cause
    }
    makeRoom()
    return run()
  }

  /** Reserves the room now and after every use, as soon as the disk has enough of it. */
  start(): void {
    this.#tick()
  }

  /** Resolves when no write is under way. The file stays. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#stopTimer?.()
    await this.#filling
  }

  #tick(): void {
    const { clock, log } = this.#deps
    this.#filling = this.#fill()
      .catch((cause: unknown) => log.warn('no room could be set aside for a full disk', { cause }))
      .finally(() => {
        if (!this.#closing.signal.aborted) this.#stopTimer = clock.after(CHECK_EVERY_MS, () => this.#tick())
      })
  }

  async #fill(): Promise<void> {
    const { dataDir, random } = this.#deps
    const size = await stat(this.#file).then(
      (facts) => facts.size,
      () => 0,
    )
    if (size >= SIZE_BYTES || freeBytesOf(dataDir) < RESERVE_BYTES + SIZE_BYTES) return
    // Some file systems allocate nothing for a file of zeros.
    const piece = random.randomBytes(PIECE_BYTES)
    const handle = await open(this.#file, 'w', 0o600)
    try {
      for (let written = 0; written < SIZE_BYTES && !this.#closing.signal.aborted; written += PIECE_BYTES)
        await handle.write(piece)
    } finally {
      await handle.close()
    }
  }
}
