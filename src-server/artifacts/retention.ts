/** Retention of results: files and stored songs are removed after their period, the record stays. */

import { type Account, expiryNoticeMs } from '../../src-contract/account.ts'
import type { Log } from '../../src-system/log.ts'
import { type Clock, isoTime } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import type { Removals } from '../db/removals.ts'
import type { TrustedTime } from '../db/trusted-time.ts'

export interface RetentionDeps {
  readonly db: Db
  readonly clock: Clock
  /** Time for the expiry of results. */
  readonly time: TrustedTime
  readonly log: Log
  /** Days that results are kept; null to keep them. */
  readonly retentionDays: () => number | null
  readonly jobs: {
    /** At most `limit` ended jobs that have expired at a moment, epoch ms. */
    listExpirable(nowMs: number, limit: number): string[]
    markExpired(jobId: string): void
    /** Keeps only the files of these jobs; for jobs no longer kept, the retention period starts at this moment, epoch ms. */
    keepOnly(jobIds: readonly string[], nowMs: number, periodMs: number | null): void
    /**
     * Gives some of the unexpired ended jobs a new period, null to keep them: those after a position in the order of creation, 0 first.
     * Returns the position of the last, undefined when none were left.
     */
    setRetention(periodMs: number | null, afterSerial: number, limit: number): number | undefined
    /**
     * Lets the retention of some jobs that ended while the clock was behind count from a moment on, epoch ms. Returns how many they
     * were, at most `limit`.
     */
    keepFrom(nowMs: number, periodMs: number | null, limit: number): number
    /** Ended jobs that expire before a moment, epoch ms; undefined without any. */
    expiringBefore(
      atMs: number,
    ): { readonly results: number; readonly sizeBytes: number; readonly firstAtMs: number } | undefined
    /** Restarts the period of those jobs at a moment, epoch ms; returns their number. */
    beginAnew(beforeMs: number, nowMs: number, periodMs: number | null): number
    moveOut(jobId: string, folder: string, sums: Readonly<Record<string, string>>): boolean | undefined
    keepAgain(jobId: string, bytes: number, nowMs: number, periodMs: number | null): void
    /** The next expiry, epoch ms; undefined when nothing expires. */
    nextExpiryMs(): number | undefined
  }
  readonly removals: Pick<Removals, 'record' | 'removeNow' | 'removeAll'>
  /** Runs a transaction that frees room, on a full disk too. */
  readonly freeing: (run: () => void) => void
  /** Records the events of past and upcoming expiries inside their transaction, and publishes them afterwards. */
  readonly notify: {
    record(event: { event: 'job.expired' | 'job.delivered'; jobId: string } | { event: 'account.changed' }): unknown
    committed(): void
  }
}

/** Longest pause between two sweeps, ms: locked files are tried again. */
const SWEEP_EVERY_MS = 3_600_000
/** Delay before a changed period takes effect, ms: a period set by mistake, or on the way to another, removes nothing. */
const SECOND_THOUGHT_MS = 60_000
const DAY_MS = 86_400_000
/** Jobs per transaction; requests are answered in the pause after each. */
const SLICE = 4
/** Rows changed in one transaction when the period changes. */
const REPLAN_SLICE = 50
/** Pause between two transactions for answering requests, ms. */
const PAUSE_MS = 20

/** Sweeper over the table of jobs. */
export class Retention {
  readonly #deps: RetentionDeps
  readonly #stopping = new AbortController()
  #stopTimer: (() => void) | undefined
  /** Number of changes of the setting so far; a pass of an earlier one ends. */
  #changes = 0
  #work: Promise<void> = Promise.resolve()
  /** Last report of results that are about to expire. */
  #told = 'null'

  constructor(deps: RetentionDeps) {
    this.#deps = deps
  }

  /**
   * Returns the expiry of a job that ends at this moment, epoch ms; null if results are kept, and for a doubtful time: while the clock is
   * behind, the start of the retention is unknown.
   */
  expiryOf(completedAtMs: number): { readonly expiresAtMs: number | null; readonly isDoubtful: boolean } {
    const periodMs = this.#periodMs()
    const isDoubtful = this.#deps.time.isBehind()
    return { expiresAtMs: periodMs === null || isDoubtful ? null : completedAtMs + periodMs, isDoubtful }
  }

  /** Returns the results that expire soon; null without any. */
  expiringSoon(): Account['expiring'] {
    const soon = this.#deps.jobs.expiringBefore(this.#noticeEndMs())
    return soon ? { results: soon.results, size_bytes: soon.sizeBytes, first_at: isoTime(soon.firstAtMs) } : null
  }

  /** Restarts the period of results that expire soon, publishes the change, and returns their number. */
  keepSoon(): number {
    const kept = this.#deps.jobs.beginAnew(this.#noticeEndMs(), this.#deps.time.now(), this.#periodMs())
    this.#tellExpiring()
    return kept
  }

  /** Keeps only the files of these jobs, inside the caller's transaction. */
  keepOnly(jobIds: readonly string[]): void {
    const { jobs, time } = this.#deps
    jobs.keepOnly(jobIds, time.now(), this.#periodMs())
  }

  /** Applies a changed setting, in slices, to everything that has not expired; after a minute, removes the results that expire under it. */
  replan(): void {
    this.#changes++
    this.#applyLater()
    this.#sweepIn(SECOND_THOUGHT_MS)
  }

  /**
   * Applies a setting that an earlier run could not finish applying, and sweeps now, every hour, and at each expiry. Resolves when the
   * first sweep has ended.
   */
  start(): Promise<void> {
    this.#applyLater()
    this.#queue(() => this.#tick())
    return this.#work
  }

  /** Resolves when no slice is under way. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'))
    this.#stopTimer?.()
    await this.#work
  }

  /** Expires the due jobs and resolves with their number. */
  async sweep(): Promise<number> {
    const { time, jobs, removals, freeing, notify } = this.#deps
    const isOver = this.#newPass()
    for (let count = 0; ; await this.#pause()) {
      const due = isOver() ? [] : jobs.listExpirable(time.now(), SLICE)
      if (due.length === 0) return count
      freeing(() => this.#expire(due))
      removals.removeNow(due.map((jobId) => `jobs/${jobId}`))
      notify.committed()
      count += due.length
    }
  }

  /** Records in one transaction, with `alongside`, that a job's result was moved into a user's folder, and removes our redundant copies. */
  moveOut(jobId: string, folder: string, sums: Readonly<Record<string, string>>, alongside: () => void): void {
    const { db, freeing, jobs, removals, notify } = this.#deps
    const move = db.transaction(() => {
      const isSwept = jobs.moveOut(jobId, folder, sums)
      if (isSwept) removals.record(`jobs/${jobId}`)
      if (isSwept !== undefined) notify.record({ event: 'job.delivered', jobId })
      alongside()
    })
    freeing(() => move.immediate())
    removals.removeNow([`jobs/${jobId}`])
    notify.committed()
  }

  /** Starts a new retention period for files of a job that are kept again. */
  keepAgain(jobId: string, bytes: number): void {
    const { jobs, time } = this.#deps
    jobs.keepAgain(jobId, bytes, time.now(), this.#periodMs())
  }

  #expire(jobIds: readonly string[]): void {
    const { db, jobs, removals, notify } = this.#deps
    db.transaction(() => {
      for (const jobId of jobIds) {
        jobs.markExpired(jobId)
        removals.record(`jobs/${jobId}`)
        notify.record({ event: 'job.expired', jobId })
      }
    })()
  }

  /** Returns the end of the notice period for expiries, epoch ms. */
  #noticeEndMs(): number {
    return this.#deps.time.now() + expiryNoticeMs(this.#deps.retentionDays())
  }

  #periodMs(): number | null {
    const days = this.#deps.retentionDays()
    return days === null ? null : days * DAY_MS
  }

  /**
   * Starts a pass over many jobs. Returns a function that tells whether the server is stopping or a newer change of the setting replaces
   * the pass.
   */
  #newPass(): () => boolean {
    const change = this.#changes
    return () => this.#stopping.signal.aborted || change !== this.#changes
  }

  /** Runs passes over many jobs one after another. */
  #queue(run: () => Promise<void>): void {
    const { log } = this.#deps
    this.#work = this.#work.then(run).catch((cause: unknown) => log.error('the retention sweep failed', { cause }))
  }

  #sweepIn(waitMs: number): void {
    this.#stopTimer?.()
    this.#stopTimer = this.#deps.clock.after(waitMs, () => this.#queue(() => this.#tick()))
  }

  async #tick(): Promise<void> {
    const { time, log, jobs, removals } = this.#deps
    let waitMs = SWEEP_EVERY_MS
    try {
      await this.#dateDoubtful()
      const expired = await this.sweep()
      if (expired > 0) log.info('results expired', { count: expired })
      this.#tellExpiring()
      await removals.removeAll(this.#stopping.signal)
      // The next sweep is due at the next expiry, to publish its event on time.
      if (!time.isHeld()) waitMs = Math.min(waitMs, (jobs.nextExpiryMs() ?? Number.POSITIVE_INFINITY) - time.now())
    } finally {
      if (!this.#stopping.signal.aborted) this.#sweepIn(Math.max(PAUSE_MS, waitMs))
    }
  }

  #tellExpiring(): void {
    const { notify } = this.#deps
    const soon = JSON.stringify(this.expiringSoon())
    if (soon === this.#told) return
    this.#told = soon
    notify.record({ event: 'account.changed' })
    notify.committed()
  }

  /** Gives every ended job the retention period of the setting, after all queued passes. */
  #applyLater(): void {
    const isOver = this.#newPass()
    this.#queue(async () => {
      for (let serial: number | undefined = 0; serial !== undefined; await this.#pause()) {
        if (isOver()) return
        serial = this.#deps.jobs.setRetention(this.#periodMs(), serial, REPLAN_SLICE)
      }
    })
  }

  /** Starts the retention of jobs that ended while the clock was behind, once it is right. */
  async #dateDoubtful(): Promise<void> {
    const { time, jobs } = this.#deps
    while (!this.#stopping.signal.aborted && !time.isHeld()) {
      if (jobs.keepFrom(time.now(), this.#periodMs(), REPLAN_SLICE) < REPLAN_SLICE) return
      await this.#pause()
    }
  }

  /** Pauses between two transactions, until the server stops at the longest. */
  #pause(): Promise<void> {
    return this.#deps.clock.sleep(PAUSE_MS, this.#stopping.signal).catch(() => {})
  }
}
