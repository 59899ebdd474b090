/**
 * Room kept aside for a full disk: a file of no meaning in the data directory. SQLite needs room to note that a job is deleted, so
 * without it a full disk could not be freed from inside.
 */
import { rmSync } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import { databaseFault } from '../db/fault.ts'
import { freeBytesOf, RESERVE_BYTES } from './storage.ts'

export interface SpareRoom {
  /**
   * Runs a transaction that frees room and returns what it returns. On a full disk it is run again with the room kept aside and, if
   * that does not suffice, once more after `makeRoom`. Throws what the last run threw; a fault other than a full disk at once.
   */
  use<Result>(run: () => Result, makeRoom?: () => void): Result
  /** Sets the room aside now and after every use, as soon as the disk has enough of it. */
  start(): void
  /** Resolves when nothing is being written any more. The file stays. */
  close(): Promise<void>
}

/** Name of the reserve file in the data directory. */
const FILE_NAME = 'spare-room'
/**
 * SQLite writes its log back after 4 MB and then uses it again from its beginning: twice that is enough for any number of small
 * transactions in a row.
 */
const SIZE_BYTES = 8 * 1_048_576
/** Bytes written to it at once. */
const PIECE_BYTES = 65_536
/** Interval of the check whether it can be restored, ms. */
const CHECK_EVERY_MS = 60_000

/** Makes the spare room of a data directory, at rest. */
export function createSpareRoom(deps: {
  readonly dataDir: string
  readonly clock: Pick<Clock, 'after'>
  readonly random: Pick<Random, 'randomBytes'>
  readonly log: Log
}): SpareRoom {
  const { clock, log } = deps
  const file = path.join(deps.dataDir, FILE_NAME)
  const closing = new AbortController()
  let filling = Promise.resolve()
  let stopTimer: (() => void) | undefined

  async function fill(): Promise<void> {
    const size = await stat(file).then(
      (facts) => facts.size,
      () => 0,
    )
    if (size >= SIZE_BYTES || freeBytesOf(deps.dataDir) < RESERVE_BYTES + SIZE_BYTES) return
    // Some file systems keep nothing for a file of zeros.
    const piece = deps.random.randomBytes(PIECE_BYTES)
    const handle = await open(file, 'w', 0o600)
    try {
      for (let written = 0; written < SIZE_BYTES && !closing.signal.aborted; written += PIECE_BYTES)
        await handle.write(piece)
    } finally {
      await handle.close()
    }
  }

  function tick(): void {
    filling = fill()
      .catch((cause: unknown) => log.warn('no room could be set aside for a full disk', { cause }))
      .finally(() => {
        if (!closing.signal.aborted) stopTimer = clock.after(CHECK_EVERY_MS, tick)
      })
  }

  return {
    use(run, makeRoom) {
      try {
        return run()
      } catch (cause) {
        if (databaseFault(cause) !== 'full') throw cause
      }
      rmSync(file, { force: true })
      try {
        return run()
      } catch (cause) {
        if (!makeRoom || databaseFault(cause) !== 'full') throw cause
      }
      makeRoom()
      return run()
    },

    start: tick,

    async close(): Promise<void> {
      closing.abort()
      stopTimer?.()
      await filling
    },
  }
}
