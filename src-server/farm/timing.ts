/** Times of the queue between machines, ms. */
export interface FarmTiming {
  /** Interval between announcements of a machine; one that has missed five is gone. */
  readonly beatMs: number
  /** Interval between comparisons of the offers with the queue, and between searches for the folders of killed machines. */
  readonly reconcileMs: number
  /** Lifetime of the lock on an attempt: a machine that stops renewing it loses the attempt. */
  readonly lockMs: number
  /** Pause before the next try to reach a file store that is away or full. */
  readonly retryMs: number
}

export const FARM_TIMING: FarmTiming = { beatMs: 2000, reconcileMs: 10_000, lockMs: 15_000, retryMs: 5000 }

/** Missed announcements after which a machine is gone. */
export const MISSED_BEATS = 5
