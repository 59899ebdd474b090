/**
 * Time for irreversible decisions, such as an expiry. A wall clock can jump: a battery dies, or another date is tried. A time after a jump
 * counts only once the clock has confirmed it for a day.
 */
import type { Clock } from '../../src-system/system.ts'
import type { Db } from './open.ts'

export interface TrustedTimeDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>
  /** Newest time in any stored data, milliseconds since 1970, for a database without a recorded one; undefined without data. */
  readonly newestMs: () => number | undefined
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** 2026-01-01: before the first release. Earlier times come from a clock that was never set. */
const FIRST_TIME_MS = 1_767_225_600_000

/** Statements about the time noted last. */
function prepareStatements(db: Db) {
  return {
    select: db.prepare<[], { confirmed_ms: number; candidate_ms: number | null }>('SELECT * FROM trusted_time'),
    upsert: db.prepare<[number, number | null]>(
      `INSERT INTO trusted_time (only_row, confirmed_ms, candidate_ms) VALUES (1, ?, ?)
       ON CONFLICT (only_row) DO UPDATE SET confirmed_ms = excluded.confirmed_ms, candidate_ms = excluded.candidate_ms`,
    ),
  }
}

/**
 * The trusted time over an open database. Within a run the clock is compared with the monotonic time, and between runs with the last
 * recorded time: more than a day later counts as a jump, since it cannot be verified.
 */
export class TrustedTime {
  readonly #clock: TrustedTimeDeps['clock']
  readonly #statements: ReturnType<typeof prepareStatements>
  #confirmed: number
  #candidate: number | undefined
  /** Monotonic time when the candidate was first seen, in this run. */
  #candidateAtMs: number | undefined
  #saved: { readonly confirmed: number; readonly candidate: number | undefined }
  /** Monotonic time of the confirmation, in this run. */
  #confirmedAtMs: number | undefined
  #last: { readonly nowMs: number; readonly monotonicMs: number } | undefined

  constructor({ db, clock, newestMs }: TrustedTimeDeps) {
    this.#clock = clock
    this.#statements = prepareStatements(db)
    const noted = this.#statements.select.get()
    this.#confirmed = noted?.confirmed_ms ?? newestMs() ?? Math.max(clock.now(), FIRST_TIME_MS)
    this.#candidate = noted?.candidate_ms ?? undefined
    this.#saved = { confirmed: noted?.confirmed_ms ?? 0, candidate: this.#candidate }
    this.#sample()
  }

  /** Returns the newest confirmed time of the clock, at most its current time; milliseconds since 1970. Never throws. */
  now(): number {
    return Math.min(this.#sample(), this.#confirmed)
  }

  /** Returns the later of the clock's time and the newest confirmed time; milliseconds since 1970. Never throws. */
  newest(): number {
    return Math.max(this.#sample(), this.#confirmed)
  }

  /** Returns whether the clock shows a time before one it showed earlier, or before the first release. Never throws. */
  isBehind(): boolean {
    return this.#isBehindAt(this.#sample())
  }

  /** Returns whether a jump of the clock is still unconfirmed. Never throws. */
  isHeld(): boolean {
    return this.#isBehindAt(this.#sample()) || this.#candidate !== undefined
  }

  #isBehindAt(nowMs: number): boolean {
    return nowMs < FIRST_TIME_MS || nowMs < this.#confirmed - HOUR_MS
  }

  #sample(): number {
    const [nowMs, monotonicMs] = [this.#clock.now(), this.#clock.monotonicMs()]
    if (nowMs >= FIRST_TIME_MS) this.#judge(nowMs, monotonicMs)
    this.#last = { nowMs, monotonicMs }
    const isMoved = Math.abs(this.#confirmed - this.#saved.confirmed) >= HOUR_MS
    if (isMoved || this.#candidate !== this.#saved.candidate) this.#save()
    return nowMs
  }

  #judge(nowMs: number, monotonicMs: number): void {
    if (this.#candidate !== undefined && nowMs < this.#candidate - HOUR_MS) this.#candidate = undefined
    if (this.#candidate === undefined) this.#judgeStep(nowMs, monotonicMs)
    else this.#judgeCandidate(this.#candidate, nowMs, monotonicMs)
  }

  /** Confirms a time that follows from the confirmed one; any other becomes the candidate. */
  #judgeStep(nowMs: number, monotonicMs: number): void {
    const spanMs = this.#confirmedAtMs === undefined ? DAY_MS : monotonicMs - this.#confirmedAtMs + HOUR_MS
    if (nowMs < this.#confirmed - HOUR_MS || nowMs > this.#confirmed + spanMs) this.#suspect(nowMs, monotonicMs)
    else this.#confirm(Math.max(this.#confirmed, nowMs), monotonicMs)
  }

  /**
   * Confirms the candidate once the clock has continued from it for a day; a jump beyond it becomes the next candidate. Such a jump may be
   * the end of a sleep, and confirms the candidate unless it is less than an hour old.
   */
  #judgeCandidate(candidate: number, nowMs: number, monotonicMs: number): void {
    const last = this.#last
    const isNewJump = nowMs > (last ? last.nowMs + monotonicMs - last.monotonicMs + HOUR_MS : candidate + DAY_MS)
    if (!isNewJump) this.#candidateAtMs ??= monotonicMs
    const wasBrief = this.#candidateAtMs !== undefined && monotonicMs - this.#candidateAtMs < HOUR_MS
    const isBorneOut = nowMs >= candidate + DAY_MS && !(isNewJump && wasBrief)
    if (isBorneOut) this.#confirm(isNewJump ? candidate : nowMs, isNewJump ? undefined : monotonicMs)
    if (isBorneOut && !isNewJump) this.#candidate = undefined
    else if (isNewJump) this.#suspect(nowMs, monotonicMs)
  }

  #suspect(nowMs: number, monotonicMs: number): void {
    this.#candidate = nowMs
    this.#candidateAtMs = monotonicMs
  }

  #confirm(nowMs: number, monotonicMs: number | undefined): void {
    this.#confirmed = nowMs
    this.#confirmedAtMs = monotonicMs
  }

  #save(): void {
    try {
      this.#statements.upsert.run(this.#confirmed, this.#candidate ?? null)
      this.#saved = { confirmed: this.#confirmed, candidate: this.#candidate }
    } catch {
      // A full or locked disk: the next check tries again, and without a record a start is held for longer.
    }
  }
}
