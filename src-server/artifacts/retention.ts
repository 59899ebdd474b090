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
  /** Time by which results expire. */
  readonly time: TrustedTime
  readonly log: Log
  /** Days that results are kept; null to keep them. */
  readonly retentionDays: () => number | null
  readonly jobs: {
    /** At most `limit` ended jobs whose time is over at a moment, epoch ms. */
    listExpirable(nowMs: number, limit: number): string[]
    markExpired(jobId: string): void
    /** Keeps the files of these jobs and of no others; the retention of one that is no longer kept counts from a moment on, epoch ms. */
    keepOnly(jobIds: readonly string[], nowMs: number, periodMs: number | null): void
    /**
     * Gives some of the ended jobs that have not expired another period, null to keep them: those after a place in the order of
     * creation, 0 first. Returns the place of the last, undefined when there were none.
     */
    setRetention(periodMs: number | null, afterSerial: number, limit: number): number | undefined
    /**
     * Lets the retention of some jobs that ended while the clock was behind count from a moment on, epoch ms. Returns how many they
     * were, at most `limit`.
     */
    keepFrom(nowMs: number, periodMs: number | null, limit: number): number
    /** Ended jobs whose time is over at a moment, epoch ms; undefined for none. */
    expiringBefore(
      atMs: number,
    ): { readonly results: number; readonly sizeBytes: number; readonly firstAtMs: number } | undefined
    /** Lets the period of those count from a moment on, epoch ms; returns how many they were. */
    beginAnew(beforeMs: number, nowMs: number, periodMs: number | null): number
    moveOut(jobId: string, folder: string, sums: Readonly<Record<string, string>>): boolean | undefined
    keepAgain(jobId: string, bytes: number, nowMs: number, periodMs: number | null): void
    /** When the next job's time is over, epoch ms; undefined when none has an end. */
    nextExpiryMs(): number | undefined
  }
  readonly removals: Pick<Removals, 'record' | 'removeNow' | 'removeAll'>
  /** Runs a transaction that frees room, on a full disk too. */
  readonly freeing: (run: () => void) => void
  /** Records the event of an expiry inside its transaction, and that of what is about to expire, and publishes them afterwards. */
  readonly notify: {
    record(event: { event: 'job.expired' | 'job.delivered'; jobId: string } | { event: 'account.changed' }): unknown
    committed(): void
  }
}

/** Longest pause between two sweeps, ms: files held back by the system are tried again. */
const SWEEP_EVERY_MS = 3_600_000
/** Delay before a changed period takes effect, ms: a period chosen by mistake, or passed on the way to another, removes nothing. */
const SECOND_THOUGHT_MS = 60_000
const DAY_MS = 86_400_000
/** Jobs of one transaction, and the pause after it in which requests are answered. */
const SLICE = 4
/** Rows changed in one transaction when the period changes. */
const REPLAN_SLICE = 50
/** Pause between two transactions, in which requests are answered, ms. */
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
   * Returns when a job that ends at a moment expires, epoch ms; null when results are kept, and for a doubtful time: while the clock is
   * behind, the begin of the retention is unknown.
   */
  expiryOf(completedAtMs: number): { readonly expiresAtMs: number | null; readonly isDoubtful: boolean } {
    const periodMs = this.#periodMs()
    const isDoubtful = this.#deps.time.isBehind()
    return { expiresAtMs: periodMs === null || isDoubtful ? null : completedAtMs + periodMs, isDoubtful }
  }

  /** Returns which results are removed soon; null for none. */
  expiringSoon(): Account['expiring'] {
    const soon = this.#deps.jobs.expiringBefore(this.#noticeEndMs())
    return soon ? { results: soon.results, size_bytes: soon.sizeBytes, first_at: isoTime(soon.firstAtMs) } : null
  }

  /** Begins the period of the results that are removed soon anew, tells that, and returns how many they are. */
  keepSoon(): number {
    const kept = this.#deps.jobs.beginAnew(this.#noticeEndMs(), this.#deps.time.now(), this.#periodMs())
    this.#tellExpiring()
    return kept
  }

  /** Keeps the files of these jobs and of no others, inside the caller's transaction. */
  keepOnly(jobIds: readonly string[]): void {
    const { jobs, time } = this.#deps
    jobs.keepOnly(jobIds, time.now(), this.#periodMs())
  }

  /** Applies a changed setting, in slices, to everything that has not expired, and sweeps what is over by it after a minute. */
  replan(): void {
    this.#changes++
    this.#applyLater()
    this.#sweepIn(SECOND_THOUGHT_MS)
  }

  /**
   * Applies the setting where an earlier run had no time to, and sweeps now, every hour, and when a job's time is over. Resolves when
   * the first sweep has ended.
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

  /** Expires the jobs whose time is over and resolves with their number. */
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

  /**
   * Notes in one transaction, with `alongside`, that the result of a job was moved into a folder of the user's, and removes what is there
   * twice now.
   */
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

  /** Lets files of a job that are kept again expire as any others. */
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

  /** Returns the end of the time within which an expiry is told, epoch ms. */
  #noticeEndMs(): number {
    return this.#deps.time.now() + expiryNoticeMs(this.#deps.retentionDays())
  }

  #periodMs(): number | null {
    const days = this.#deps.retentionDays()
    return days === null ? null : days * DAY_MS
  }

  /** Begins a pass through many jobs. Returns whether the server stops, or a newer change of the setting replaces the pass. */
  #newPass(): () => boolean {
    const change = this.#changes
    return () => this.#stopping.signal.aborted || change !== this.#changes
  }

  /** Runs one after another what goes through many jobs. */
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
      // The next pass is due at the next expiry, so that its event is published on time.
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

  /** Gives every ended job the retention period of the setting, when what is queued before has ended. */
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
