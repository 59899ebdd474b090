import type { LEDGER_KINDS, LedgerEntry } from '../../src-contract/account.ts'
import { CREDITS_PER_JOB, PLAN_LIMITS, type Plan } from '../../src-contract/plans.ts'
import { type Clock, isoTime, nextMonthMs } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { createSeal } from '../db/row-checksums.ts'
import { AppError } from '../http/app-error.ts'

type Kind = (typeof LEDGER_KINDS)[number]

interface EntryRow {
  entry_id: number
  kind: Kind
  amount: number
  balance: number
  job_id: string | null
  note: string | null
  created_at_ms: number
}

export interface LedgerDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly plan: () => Plan
  /** Time that decides the month, milliseconds since 1970; the clock's own when absent. */
  readonly renewalNow?: () => number
}

/** Entries that are read at once for an export. */
const GROUP = 1000

/** Statements about entries. */
function prepareStatements(db: Db) {
  return {
    insert: db.prepare<[Kind, number, string | null, string | null, string | null, number]>(
      'INSERT INTO ledger (kind, amount, once, job_id, note, created_at_ms) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (once) DO NOTHING',
    ),
    selectSum: db.prepare<[], number>('SELECT coalesce(sum(amount), 0) FROM ledger').pluck(),
    selectLastRenewal: db.prepare<[], string | null>("SELECT max(once) FROM ledger WHERE kind = 'renew'").pluck(),
    selectCharge: db.prepare<[string], 1>("SELECT 1 FROM ledger WHERE once = 'charge:' || ?").pluck(),
    selectRefund: db.prepare<[string], 1>("SELECT 1 FROM ledger WHERE once = 'refund:' || ?").pluck(),
    selectPage: db.prepare<[number, number], EntryRow>(
      `SELECT * FROM (SELECT *, sum(amount) OVER (ORDER BY entry_id) AS balance FROM ledger)
       WHERE entry_id < ? ORDER BY entry_id DESC LIMIT ?`,
    ),
    selectLast: db.prepare<[], number | null>('SELECT max(entry_id) FROM ledger').pluck(),
    selectAfter: db.prepare<[number, number, number], Omit<EntryRow, 'balance'>>(
      'SELECT * FROM ledger WHERE entry_id > ? AND entry_id <= ? ORDER BY entry_id LIMIT ?',
    ),
  }
}

/**
 * The append-only ledger of the account. Every method is synchronous and may be called inside a transaction. Before any other entry of a
 * calendar month (UTC) the balance is topped up once to the plan's monthly credits, independent of when it is read; a clock set back to an
 * earlier month renews nothing.
 */
export class Ledger {
  readonly #clock: LedgerDeps['clock']
  readonly #plan: LedgerDeps['plan']
  readonly #renewalNow: () => number
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #seal: (entryId: number | bigint) => void

  constructor({ db, clock, plan, renewalNow = clock.now }: LedgerDeps) {
    this.#clock = clock
    this.#plan = plan
    this.#renewalNow = renewalNow
    this.#statements = prepareStatements(db)
    this.#seal = createSeal(db, 'ledger')
  }

  /** Writes this month's renewal when it is due: before any change of the balance or the plan, as if it had been written on time. */
  renew(): void {
    const once = `renew:${isoTime(this.#renewalNow()).slice(0, 7)}`
    if (once <= this.#lastRenewal()) return
    this.#append('renew', Math.max(0, PLAN_LIMITS[this.#plan()].monthlyCredits - this.#sum()), { once })
  }

  /** Returns the sum of all entries, the renewal of this month included when it is due. */
  balance(): number {
    this.renew()
    return this.#sum()
  }

  /** Charges a job and returns the new balance. Throws INSUFFICIENT_CREDITS; a job is charged once. */
  charge(jobId: string): number {
    const balance = this.balance()
    if (balance < CREDITS_PER_JOB) throw new AppError('INSUFFICIENT_CREDITS', { cost: CREDITS_PER_JOB, balance })
    this.#append('charge', -CREDITS_PER_JOB, { once: `charge:${jobId}`, jobId })
    return this.#sum()
  }

  /** Refunds a job. Returns the refunded credits: 0 if the job was never charged or was refunded before. */
  refund(jobId: string): number {
    if (this.#statements.selectCharge.get(jobId) === undefined) return 0
    this.renew()
    return this.#append('refund', CREDITS_PER_JOB, { once: `refund:${jobId}`, jobId }) ? CREDITS_PER_JOB : 0
  }

  /** Returns whether a job was refunded. */
  isRefunded(jobId: string): boolean {
    return this.#statements.selectRefund.get(jobId) !== undefined
  }

  grant(amount: number, note?: string): void {
    this.renew()
    this.#append('grant', amount, { note })
  }

  /** Returns entries, newest first; only those older than `before`, if it is passed. */
  list(limit: number, before = Number.MAX_SAFE_INTEGER): LedgerEntry[] {
    this.renew()
    return this.#statements.selectPage.all(before, limit).map(toWire)
  }

  /** Returns all entries, oldest first, in groups that are read on demand; entries made meanwhile are left out. */
  all(): Iterable<LedgerEntry[]> {
    this.renew()
    return this.#groups(this.#statements.selectLast.get() ?? 0)
  }

  *#groups(last: number): Generator<LedgerEntry[], void> {
    const { selectAfter } = this.#statements
    let balance = 0
    for (let after = 0; after < last; ) {
      const rows = selectAfter.all(after, last, GROUP)
      if (rows.length === 0) return
      yield rows.map((row) => {
        balance += row.amount
        return toWire({ ...row, balance })
      })
      after = rows.at(-1)?.entry_id ?? last
    }
  }

  /** Returns the time of the next monthly top-up, milliseconds since 1970. */
  renewsAtMs(): number {
    // After the clock was set back, the last renewal can be later than the clock's month.
    const lastMonthMs = Date.parse(this.#lastRenewal().slice('renew:'.length))
    return nextMonthMs(Math.max(this.#renewalNow(), lastMonthMs || 0))
  }

  #sum(): number {
    return this.#statements.selectSum.get() ?? 0
  }

  /** Returns the key of the last renewal, which is in the order of time; empty before the first. */
  #lastRenewal(): string {
    return this.#statements.selectLastRenewal.get() ?? ''
  }

  /** Appends an entry; returns whether it was written: entries with the same `once` are written only once. */
  #append(kind: Kind, amount: number, { once, jobId, note }: EntryDetails): boolean {
    const { insert } = this.#statements
    const now = this.#clock.now()
    const { changes, lastInsertRowid } = insert.run(kind, amount, once ?? null, jobId ?? null, note ?? null, now)
    if (changes === 1) this.#seal(lastInsertRowid)
    return changes === 1
  }
}

interface EntryDetails {
  readonly once?: string | undefined
  readonly jobId?: string | undefined
  readonly note?: string | undefined
}

function toWire(row: EntryRow): LedgerEntry {
  return {
    entry_id: row.entry_id,
    kind: row.kind,
    amount: row.amount,
    balance: row.balance,
    ...(row.job_id === null ? {} : { job_id: row.job_id }),
    ...(row.note === null ? {} : { note: row.note }),
    created_at: isoTime(row.created_at_ms),
  }
}
