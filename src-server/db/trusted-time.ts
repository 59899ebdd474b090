/**
 * Time for decisions that cannot be undone, such as an expiry. A wall clock jumps: a battery dies, or another date is tried.
 * A time to which it jumped counts once a day of that clock has borne it out.
 */
import type { Clock } from '../../src-system/system.ts'
import type { Db } from './open.ts'

export interface TrustedTime {
  /** The newest time that the clock was borne out to show, at most the clock's own; milliseconds since 1970. Never throws. */
  now(): number
  /** Returns whether the clock shows a time before one it showed earlier, or before the first release. Never throws. */
  isBehind(): boolean
  /** Returns whether a jump of the clock is still unconfirmed. Never throws. */
  isHeld(): boolean
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** 2026-01-01: before the first release. What shows less is a clock that never was set. */
const FIRST_TIME_MS = 1_767_225_600_000

/**
 * Makes the trusted time over an open database. `newestMs` is the newest time of anything stored, for a database that has none noted
 * yet. Within a run the clock is compared with the monotonic time, and between runs with the time noted last: more than a day later is a
 * jump, because nobody can tell.
 */
export function createTrustedTime({
  db,
  clock,
  newestMs,
}: {
  db: Db
  clock: Pick<Clock, 'now' | 'monotonicMs'>
  newestMs: () => number | undefined
}): TrustedTime {
  const select = db.prepare<[], { confirmed_ms: number; candidate_ms: number | null }>('SELECT * FROM trusted_time')
  const upsert = db.prepare<[number, number | null]>(
    `INSERT INTO trusted_time (only_row, confirmed_ms, candidate_ms) VALUES (1, ?, ?)
     ON CONFLICT (only_row) DO UPDATE SET confirmed_ms = excluded.confirmed_ms, candidate_ms = excluded.candidate_ms`,
  )
  const noted = select.get()
  let confirmed = noted?.confirmed_ms ?? newestMs() ?? Math.max(clock.now(), FIRST_TIME_MS)
  let candidate = noted?.candidate_ms ?? undefined
  let saved = { confirmed: noted?.confirmed_ms ?? 0, candidate }
  /** Monotonic time of the look that confirmed the time, in this run. */
  let confirmedAtMs: number | undefined
  let last: { readonly nowMs: number; readonly monotonicMs: number } | undefined

  function confirm(nowMs: number, monotonicMs: number | undefined): void {
    confirmed = nowMs
    confirmedAtMs = monotonicMs
  }

  function judge(nowMs: number, monotonicMs: number): void {
    if (candidate !== undefined && nowMs < candidate - HOUR_MS) candidate = undefined
    if (candidate === undefined) {
      const spanMs = confirmedAtMs === undefined ? DAY_MS : monotonicMs - confirmedAtMs + HOUR_MS
      if (nowMs < confirmed - HOUR_MS || nowMs > confirmed + spanMs) candidate = nowMs
      else confirm(Math.max(confirmed, nowMs), monotonicMs)
      return
    }
    const isNewJump = nowMs > (last ? last.nowMs + monotonicMs - last.monotonicMs + HOUR_MS : candidate + DAY_MS)
    const isBorneOut = nowMs >= candidate + DAY_MS
    if (isBorneOut) confirm(isNewJump ? candidate : nowMs, isNewJump ? undefined : monotonicMs)
    if (isBorneOut && !isNewJump) candidate = undefined
    else if (isNewJump) candidate = nowMs
  }

  function sample(): number {
    const [nowMs, monotonicMs] = [clock.now(), clock.monotonicMs()]
    if (nowMs >= FIRST_TIME_MS) judge(nowMs, monotonicMs)
    last = { nowMs, monotonicMs }
    if (candidate !== saved.candidate || Math.abs(confirmed - saved.confirmed) >= HOUR_MS) save()
    return nowMs
  }

  function save(): void {
    try {
      upsert.run(confirmed, candidate ?? null)
      saved = { confirmed, candidate }
    } catch {
      // A full or locked disk: the next look tries again, and without a note a start holds longer.
    }
  }

  sample()
  const isBehindAt = (nowMs: number) => nowMs < FIRST_TIME_MS || nowMs < confirmed - HOUR_MS
  return {
    now: () => Math.min(sample(), confirmed),
    isBehind: () => isBehindAt(sample()),
    isHeld: () => isBehindAt(sample()) || candidate !== undefined,
  }
}
