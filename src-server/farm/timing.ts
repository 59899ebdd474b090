/** Times of the queue between machines, ms. */
export interface FarmTiming {
  /** Between two announcements of a machine; one that has missed five is gone. */
  readonly beatMs: number
  /** Interval between comparisons of the offers with the queue, and between searches for the folders of killed machines. */
  readonly reconcileMs: number
  /** After which a machine that no longer renews it loses the attempt that it works on. */
  readonly lockMs: number
  /** Before the next attempt to reach a store of files that is away or full. */
  readonly retryMs: number
}

export const FARM_TIMING: FarmTiming = { beatMs: 2000, reconcileMs: 10_000, lockMs: 15_000, retryMs: 5000 }

/** Beats after which a machine that is silent is gone. */
export const MISSED_BEATS = 5
