/** Hand-over of waiting songs to the jobs, in their order, while an engine process and a slot of the plan are free. */
import type { ErrorCode } from '../../src-contract/errors.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock } from '../../src-system/system.ts'
import { databaseFault } from '../db/fault.ts'
import type { Db } from '../db/open.ts'
import type { AppError } from '../http/app-error.ts'
import { toAppError } from '../http/envelope.ts'
import type { BatchRow, BatchStore } from './batch-store.ts'

export interface BatchFeedDeps {
  readonly db: Pick<Db, 'open'>
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
  readonly store: Pick<BatchStore, 'firstWaiting' | 'move'>
  /** Runs a change in one transaction together with the event that reports it. */
  readonly change: (run: () => void) => void
  readonly isPaused: () => boolean
  /** Returns whether a plan slot and an engine process are free for one more song. */
  readonly hasFreeSlot: () => boolean
  /** Creates the job of a song and charges it; does nothing where a crash left the job without its mark. Throws an AppError. */
  readonly submit: (song: BatchRow) => void
  /** Returns whether a stored song came from a folder that is still watched. */
  readonly isWatched: (sourceId: string) => boolean
}

/** Pause before the next attempt while another program holds a lock on the database, ms: most locks last less than a second. */
const LOCKED_RETRY_MS = 1000
/** Pause before the next attempt after any other fault, ms: a full disk has room again only when somebody frees some. */
const FAULT_RETRY_MS = 30_000
/** Refusals whose cause can disappear without a change of the song or its settings. */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set(['INSUFFICIENT_CREDITS', 'INSUFFICIENT_STORAGE', 'UNAVAILABLE'])

/** Next step for a song after an attempt to submit it. */
export type FeedStep =
  | { readonly kind: 'submitted' }
  /** The plan has no slot after all: no song can be submitted now. */
  | { readonly kind: 'no_slot' }
  | { readonly kind: 'refused'; readonly error: NonNullable<BatchRow['error']> }
  /** The song keeps its place, and the songs of watched folders behind it theirs, until a later attempt. */
  | { readonly kind: 'postponed'; readonly error: NonNullable<BatchRow['error']>; readonly isNewReason: boolean }

/**
 * Returns the next step for a song. A transient refusal postpones a song of a watched folder, since no user is there to restart it;
 * any other song is refused and waits for the user. Pure.
 */
function planFeedStep(
  song: Pick<BatchRow, 'sourceId' | 'error'>,
  refusal: Pick<AppError, 'code' | 'values'> | undefined,
  isWatched: (sourceId: string) => boolean,
): FeedStep {
  if (!refusal) return { kind: 'submitted' }
  if (refusal.code === 'CONCURRENT_LIMIT') return { kind: 'no_slot' }
  const error = { code: refusal.code, values: refusal.values }
  if (!TRANSIENT.has(refusal.code) || !isWatched(song.sourceId)) return { kind: 'refused', error }
  return { kind: 'postponed', error, isNewReason: song.error?.code !== refusal.code }
}

/** The feed of an open database. */
export class BatchFeed {
  readonly #deps: BatchFeedDeps
  #isFeeding = false
  #stopRetry: (() => void) | undefined

  constructor(deps: BatchFeedDeps) {
    this.#deps = deps
  }

  /** Submits the songs for which there is room. Never throws. */
  feed(): void {
    const { db, log } = this.#deps
    if (this.#isFeeding || !db.open) return
    this.#isFeeding = true
    try {
      this.#submitWaiting()
    } catch (cause) {
      const isLocked = databaseFault(cause) === 'busy'
      if (isLocked) log.warn('the batch waits for the database', { cause })
      else log.error('the batch could not be worked off', { cause })
      // No other event may come that would start the next attempt.
      this.#feedIn(isLocked ? LOCKED_RETRY_MS : FAULT_RETRY_MS)
    } finally {
      this.#isFeeding = false
    }
  }

  #feedIn(waitMs: number): void {
    this.#stopRetry?.()
    this.#stopRetry = this.#deps.clock.after(waitMs, () => this.feed())
  }

  #submitWaiting(): void {
    const { store, change, isPaused, hasFreeSlot, isWatched } = this.#deps
    let passesWatched = false
    while (!isPaused() && hasFreeSlot()) {
      const song = store.firstWaiting({ passesWatched })
      if (!song) return
      const step = planFeedStep(song, this.#submit(song), isWatched)
      switch (step.kind) {
        case 'no_slot':
          return
        case 'submitted':
          change(() => store.move(song.sourceId, 'submitted'))
          break
        case 'refused':
          change(() => store.move(song.sourceId, 'refused', { error: step.error }))
          break
        case 'postponed':
          passesWatched = true
          this.#feedIn(FAULT_RETRY_MS)
          if (step.isNewReason) change(() => store.move(song.sourceId, 'waiting', { error: step.error }))
      }
    }
  }

  /** Submits one song and returns the refusal, if any. Throws the fault of a locked database. */
  #submit(song: BatchRow): AppError | undefined {
    try {
      this.#deps.submit(song)
      return undefined
    } catch (cause) {
      if (databaseFault(cause) === 'busy') throw cause
      const refusal = toAppError(cause)
      if (refusal.code === 'INTERNAL_ERROR')
        this.#deps.log.error('a song of the batch could not be handed over', { sourceId: song.sourceId, cause })
      return refusal
    }
  }
}
