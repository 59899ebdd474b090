import type { LEDGER_KINDS, LedgerEntry } from '../../src-contract/account.ts'
import { CREDITS_PER_JOB, PLAN_LIMITS, type Plan } from '../../src-contract/plans.ts'
import { type Clock, isoTime, nextMonthMs } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { AppError } from '../http/app-error.ts'

/** The append-only ledger of the account. Every method is synchronous and may be called inside a transaction. */
export interface Ledger {
  /**
   * Writes this month's renewal when it is due. It comes before whatever changes the balance or the plan, as it would have at its
   * moment.
   */
  renew(): void
  /** Sum of all entries, the renewal of this month included when it is due. */
  balance(): number
  /** Takes the price of a job and returns the balance after it. Throws INSUFFICIENT_CREDITS; a job is charged once. */
  charge(jobId: string): number
  /** Gives the price of a job back. Returns the credits given: 0 when the job was never charged or was refunded before. */
  refund(jobId: string): number
  grant(amount: number, note?: string): void
  /** Entries, newest first; those older than `before` when given. */
  list(limit: number, before?: number): LedgerEntry[]
  /** When the plan's credits come next, milliseconds since 1970. */
  renewsAtMs(): number
}

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

/**
 * Returns the ledger kept in `db`. Before anything else of a calendar month (UTC) the balance is topped up to the plan's monthly
 * credits, once, so that it does not matter who looks when; a clock that went back to an earlier month renews nothing.
 */
export function createLedger({
  db,
  clock,
  plan,
  renewalNow = clock.now,
}: {
  db: Db
  clock: Pick<Clock, 'now'>
  plan: () => Plan
  /** Time that decides the month, milliseconds since 1970; the clock's own when absent. */
  renewalNow?: () => number
}): Ledger {
  const insert = db.prepare(
    'INSERT INTO ledger (kind, amount, once, job_id, note, created_at_ms) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (once) DO NOTHING',
  )
  const sum = db.prepare('SELECT coalesce(sum(amount), 0) FROM ledger').pluck()
  const lastRenewal = db.prepare("SELECT max(once) FROM ledger WHERE kind = 'renew'").pluck()
  const charged = db.prepare("SELECT 1 FROM ledger WHERE once = 'charge:' || ?").pluck()
  const page = db.prepare(
    `SELECT * FROM (SELECT *, sum(amount) OVER (ORDER BY entry_id) AS balance FROM ledger)
     WHERE entry_id < ? ORDER BY entry_id DESC LIMIT ?`,
  )
  const append = (kind: Kind, amount: number, once?: string, jobId?: string, note?: string) =>
    insert.run(kind, amount, once ?? null, jobId ?? null, note ?? null, clock.now()).changes === 1

  const renew = () => {
    const once = `renew:${isoTime(renewalNow()).slice(0, 7)}`
    if (once <= String(lastRenewal.get() ?? '')) return
    append('renew', Math.max(0, PLAN_LIMITS[plan()].monthlyCredits - (sum.get() as number)), once)
  }
  const balance = () => {
    renew()
    return sum.get() as number
  }

  return {
    renew,
    balance,
    charge(jobId) {
      const before = balance()
      if (before < CREDITS_PER_JOB) {
        throw new AppError('INSUFFICIENT_CREDITS', { cost: CREDITS_PER_JOB, balance: before })
      }
      append('charge', -CREDITS_PER_JOB, `charge:${jobId}`, jobId)
      return sum.get() as number
    },
    refund(jobId) {
      if (charged.get(jobId) === undefined) return 0
      renew()
      return append('refund', CREDITS_PER_JOB, `refund:${jobId}`, jobId) ? CREDITS_PER_JOB : 0
    },
    grant(amount, note) {
      renew()
      append('grant', amount, undefined, undefined, note)
    },
    list(limit, before = Number.MAX_SAFE_INTEGER) {
      renew()
      return (page.all(before, limit) as EntryRow[]).map((row) => ({
        entry_id: row.entry_id,
        kind: row.kind,
        amount: row.amount,
        balance: row.balance,
        ...(row.job_id === null ? {} : { job_id: row.job_id }),
        ...(row.note === null ? {} : { note: row.note }),
        created_at: isoTime(row.created_at_ms),
      }))
    },
    renewsAtMs() {
      // Later than the clock's month where the clock was in that one before and went back.
      const lastMonthMs = Date.parse(String(lastRenewal.get() ?? '').slice('renew:'.length))
      return nextMonthMs(Math.max(renewalNow(), lastMonthMs || 0))
    },
  }
}
