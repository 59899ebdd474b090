/** How long a running job still takes, said so that it can be read: late, rounded, and only ever falling. */

export interface TimeLeft {
  /** Rounded seconds shown last; null while nothing is shown yet. */
  readonly shownSeconds: number | null
  /** Moment of that saying, ms. */
  readonly shownAtMs: number
}

export const NO_TIME_LEFT: TimeLeft = { shownSeconds: null, shownAtMs: 0 }

/** Work that must be behind before anything is said, s. */
const SETTLE_SECONDS = 2

/** Rounds up to 5 s under a minute, then to 15 s; at least 5 s, since work that is not done takes some time. */
export function roundedSeconds(seconds: number): number {
  const step = seconds < 60 ? 5 : 15
  return Math.max(5, Math.ceil(seconds / step) * step)
}

/**
 * Returns what to show next. `elapsedSeconds` of work brought `percent` (0 to 100). Rises only when the shown value was
 * wrong by half; otherwise it stays or falls. Nothing is shown in the first two seconds or before the first percent.
 */
export function nextTimeLeft(before: TimeLeft, elapsedSeconds: number, percent: number, nowMs: number): TimeLeft {
  if (elapsedSeconds < SETTLE_SECONDS || percent <= 0) return before
  const remaining = (elapsedSeconds * (100 - percent)) / percent
  const rounded = roundedSeconds(remaining)
  if (before.shownSeconds === null) return { shownSeconds: rounded, shownAtMs: nowMs }
  const promised = before.shownSeconds - (nowMs - before.shownAtMs) / 1000
  const isWrongByHalf = remaining > Math.max(5, promised) * 1.5
  if (rounded < before.shownSeconds || isWrongByHalf) return { shownSeconds: rounded, shownAtMs: nowMs }
  return before
}

/** Seconds of work per second of music, from finished jobs; null while there are none. */
export function workRate(ended: readonly { workSeconds: number; musicSeconds: number }[]): number | null {
  const music = ended.reduce((sum, job) => sum + job.musicSeconds, 0)
  return music > 0 ? ended.reduce((sum, job) => sum + job.workSeconds, 0) / music : null
}
