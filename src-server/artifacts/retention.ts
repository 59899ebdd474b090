/** What is kept how long: results and stored songs go after their time, the record stays; left-overs of crashes go at the start. */
import type { Db } from '../db/open.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../system.ts'

export interface RetentionArguments {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Days that results are kept; null to keep them. */
  readonly retentionDays: () => number | null
  readonly jobs: {
    /** Ended jobs whose time is over at a moment, epoch ms. */
    listExpirable(nowMs: number): string[]
    markExpired(jobId: string): void
    /** Gives every ended job that has not expired another period; null to keep it. */
    setRetention(periodMs: number | null): void
    /** When the next job's time is over, epoch ms; undefined when none has an end. */
    nextExpiryMs(): number | undefined
    /** The job if it is known; its files are wanted until they have been swept. */
    find(jobId: string): { readonly isSwept: boolean } | undefined
  }
  readonly folders: { list(): string[]; remove(jobId: string): boolean }
  /** Writes the expiry inside the transaction that makes it true, and tells of it afterwards. */
  readonly notify: { record(event: { event: 'job.expired'; jobId: string }): unknown; committed(): void }
}

const SWEEP_EVERY_MS = 3_600_000
/** A shorter period that was chosen by mistake, or passed on the way to another, takes nothing. */
const SECOND_THOUGHT_MS = 60_000
const DAY_MS = 86_400_000

/** Makes the sweeper over the table of jobs. */
export function createRetention({ db, clock, log, retentionDays, jobs, folders, notify }: RetentionArguments) {
  const expireOne = db.transaction((jobId: string) => {
    jobs.markExpired(jobId)
    notify.record({ event: 'job.expired', jobId })
  })
  let stopTimer: (() => void) | undefined

  const periodMs = () => {
    const days = retentionDays()
    return days === null ? null : days * DAY_MS
  }

  /** Expires what is due and returns how many; the row first, so that a crash in between leaves an orphan and no broken promise. */
  function sweep(): number {
    const due = jobs.listExpirable(clock.now())
    for (const jobId of due) {
      expireOne(jobId)
      folders.remove(jobId)
    }
    if (due.length > 0) notify.committed()
    return due.length
  }

  /** Removes folders of jobs that are deleted or swept, as a crash or a file in use leaves them, and returns how many. */
  function removeOrphans(): number {
    const orphans = folders.list().filter((jobId) => jobs.find(jobId)?.isSwept !== false)
    return orphans.filter((jobId) => folders.remove(jobId)).length
  }

  function tick(): void {
    stopTimer?.()
    let waitMs = SWEEP_EVERY_MS
    try {
      const expired = sweep()
      if (expired > 0) log.info('results expired', { count: expired })
      const orphans = removeOrphans()
      if (orphans > 0) log.info('left-over folders removed', { count: orphans })
      // Who follows the events learns of an expiry when it comes.
      waitMs = Math.min(waitMs, (jobs.nextExpiryMs() ?? Number.POSITIVE_INFINITY) - clock.now())
    } catch (cause) {
      log.error('the retention sweep failed', { cause })
    }
    stopTimer = clock.after(waitMs, tick)
  }

  return {
    sweep,
    removeOrphans,

    /** Returns when a job that ends at a moment expires, epoch ms; null when results are kept. */
    expiryOf(completedAtMs: number): number | null {
      const period = periodMs()
      return period === null ? null : completedAtMs + period
    },

    /** Applies a changed setting to everything that has not expired, and sweeps what is over by it after a minute. */
    replan(): void {
      jobs.setRetention(periodMs())
      stopTimer?.()
      stopTimer = clock.after(SECOND_THOUGHT_MS, tick)
    },

    /** Sweeps and clears left-overs now, every hour, and when a job's time is over. */
    start: tick,

    close: (): void => stopTimer?.(),
  }
}
