/** Requests per minute of the one account, over a window that slides with every request. */

/** State of the window, as reported to the caller. */
export interface RateState {
  readonly limit: number
  /** Requests left right now. */
  readonly remaining: number
  /** Seconds until one more may be made than now, 0 when none is counted; rounded up. */
  readonly resetSeconds: number
}

export interface RateLimiter {
  /** Counts one request and returns its mark, or returns undefined when the window is full. */
  take(): number | undefined
  /** Takes a counted request back, as if it had not been made. */
  giveBack(mark: number): void
  state(): RateState
}

/** Length of the window, seconds: plans count requests per minute. */
export const RATE_WINDOW_SECONDS = 60

/**
 * Returns the limiter of an account. `limit` gives the plan's requests per minute at this moment, `monotonicMs` a clock that never
 * goes back. Memory is bounded by the largest limit.
 */
export function createRateLimiter(limit: () => number, monotonicMs: () => number): RateLimiter {
  let marks: number[] = []
  const slide = () => {
    const oldest = monotonicMs() - RATE_WINDOW_SECONDS * 1000
    marks = marks.filter((mark) => mark > oldest)
  }
  return {
    take() {
      slide()
      if (marks.length >= limit()) return undefined
      const mark = monotonicMs()
      marks.push(mark)
      return mark
    },
    giveBack(mark) {
      const index = marks.indexOf(mark)
      if (index >= 0) marks.splice(index, 1)
    },
    state() {
      slide()
      // A plan that has become smaller may have more behind it than it allows.
      const leaving = marks[Math.max(0, marks.length - limit())]
      const resetMs = leaving === undefined ? 0 : leaving + RATE_WINDOW_SECONDS * 1000 - monotonicMs()
      return {
        limit: limit(),
        remaining: Math.max(0, limit() - marks.length),
        resetSeconds: Math.ceil(resetMs / 1000),
      }
    },
  }
}
