/** How long a running job still takes, said so that it can be read: late, rounded, and only ever falling. */

export interface TimeLeft {
  /** Rounded seconds said last; null while nothing is said yet. */
  readonly shownSeconds: number | null
  /** Moment of that saying, ms. */
  readonly shownAtMs: number
  /** Moment at which it should be over, smoothed over the last seconds, ms. */
  readonly endAtMs: number
  /** Moment of that estimate, ms. */
  readonly estimatedAtMs: number
  /** Since when what was said is wrong by half, ms; null while it is not. */
  readonly doubtedSinceMs: number | null
}

export const NO_TIME_LEFT: TimeLeft = {
  shownSeconds: null,
  shownAtMs: 0,
  endAtMs: 0,
  estimatedAtMs: 0,
  doubtedSinceMs: null,
}

/** Work that must be behind before anything is said, s. */
const SETTLE_SECONDS = 2
/** Time in which a new pace is believed by two thirds, ms. */
const SMOOTHING_MS = 4000
/** Doubt that must last before a longer time is said, ms. */
const DOUBT_MS = 3000

/** Rounds up to 5 s under a minute, to 15 s under ten, then to a minute; at least 5 s, since work that is not done takes time. */
export function roundedSeconds(seconds: number): number {
  const step = seconds < 60 ? 5 : seconds < 600 ? 15 : 60
  return Math.max(5, Math.ceil(seconds / step) * step)
}

/**
 * Returns what to say next about work that should take `remainingSeconds` more. What is said stays or falls; it rises only when it
 * has been wrong by half for three seconds. The estimate is smoothed, so that a stage that goes fast or slow does not sway it.
 */
export function nextSaying(before: TimeLeft, remainingSeconds: number, nowMs: number): TimeLeft {
  const endAtMs = nowMs + remainingSeconds * 1000
  const first = { shownSeconds: roundedSeconds(remainingSeconds), shownAtMs: nowMs, endAtMs, estimatedAtMs: nowMs }
  if (before.shownSeconds === null) return { ...first, doubtedSinceMs: null }
  const share = 1 - Math.exp(-(nowMs - before.estimatedAtMs) / SMOOTHING_MS)
  const smoothedEndMs = before.endAtMs + (endAtMs - before.endAtMs) * share
  const left = Math.max(0, (smoothedEndMs - nowMs) / 1000)
  const promised = before.shownSeconds - (nowMs - before.shownAtMs) / 1000
  const isWrongByHalf = left > Math.max(5, promised) * 1.5
  const doubtedSinceMs = isWrongByHalf ? (before.doubtedSinceMs ?? nowMs) : null
  const rounded = roundedSeconds(left)
  const rises = doubtedSinceMs !== null && nowMs - doubtedSinceMs >= DOUBT_MS
  const estimate = { endAtMs: smoothedEndMs, estimatedAtMs: nowMs, doubtedSinceMs: rises ? null : doubtedSinceMs }
  if (rounded < before.shownSeconds || rises) return { ...estimate, shownSeconds: rounded, shownAtMs: nowMs }
  return { ...before, ...estimate }
}

/**
 * As `nextSaying`, for work of which `elapsedSeconds` brought `percent` (0 to 100). Nothing is said in the first two seconds or
 * before the first percent.
 */
export function nextTimeLeft(before: TimeLeft, elapsedSeconds: number, percent: number, nowMs: number): TimeLeft {
  if (elapsedSeconds < SETTLE_SECONDS || percent <= 0) return before
  return nextSaying(before, (elapsedSeconds * (100 - percent)) / percent, nowMs)
}

/** Seconds of work per second of music, from finished jobs; null while there are none. */
export function workRate(ended: readonly { workSeconds: number; musicSeconds: number }[]): number | null {
  const music = ended.reduce((sum, job) => sum + job.musicSeconds, 0)
  return music > 0 ? ended.reduce((sum, job) => sum + job.workSeconds, 0) / music : null
}
