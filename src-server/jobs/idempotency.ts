import { createHash } from 'node:crypto'
import type { CreatedJob } from '../../src-contract/jobs.ts'
import { DEFAULT_SETTINGS } from '../../src-contract/settings.ts'
import { programName } from '../../src-contract/wire-values.ts'
import type { Clock } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { AppError } from '../http/app-error.ts'
import type { MasterRequest } from '../uploads/form.ts'

/** Identity of a repeatable request. */
export interface IdempotencyUse {
  /** Name of the caller: two callers may use the same key for different requests. */
  readonly caller: string
  readonly key: string
  /** Digest of fields and files, see {@link fingerprintOf}. */
  readonly fingerprint: string
}

/** One request's hold on its Idempotency-Key while it runs. */
export interface IdempotencyClaim {
  /** Throws IDEMPOTENCY_IN_PROGRESS while another request with the same key runs; reserves the key once that has ended. */
  check(): void
  release(): void
}

/** Time during which an answer is repeated, ms: 24 hours, as documented. */
const KEPT_MS = 24 * 3_600_000

/** Returns the digest of the relevant values of a request; members keep their order. */
export function fingerprintOf(parts: object): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** Settings that have been part of every fingerprint from the first version on. */
const FIRST_SETTINGS: readonly string[] = [
  'platforms',
  'genre',
  'ai_service',
  'tier',
  'intensity',
  'loudness',
  'reference_amount',
]

/**
 * Returns the parts of a request for its fingerprint, in the form of the first version: a request repeated after an upgrade must match.
 * Later settings are included only if they differ from their defaults.
 */
export function requestParts({ settings, ...others }: MasterRequest): object {
  const defaults: Readonly<Record<string, unknown>> = DEFAULT_SETTINGS
  const counting = Object.entries(settings).filter(
    ([name, value]) => FIRST_SETTINGS.includes(name) || JSON.stringify(value) !== JSON.stringify(defaults[name]),
  )
  return { ...Object.fromEntries(counting.map(([name, value]) => [programName(name), value])), ...others }
}

/** Answers that a repeated Idempotency-Key gets again for 24 hours. `find` and `remember` belong inside the caller's transaction. */
export function createIdempotency({ db, clock }: { db: Db; clock: Pick<Clock, 'now'> }) {
  const select = db.prepare(
    'SELECT fingerprint, answer FROM idempotency WHERE caller = ? AND idempotency_key = ? AND created_at_ms > ?',
  )
  const upsert = db.prepare(
    `INSERT INTO idempotency (caller, idempotency_key, fingerprint, answer, created_at_ms) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (caller, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint, answer = excluded.answer,
       created_at_ms = excluded.created_at_ms`,
  )
  const prune = db.prepare('DELETE FROM idempotency WHERE created_at_ms <= ?')
  const holders = new Map<string, symbol>()

  const idempotency = {
    /** Marks a key as in use from the first byte of a request. */
    begin(caller: string, key: string): IdempotencyClaim {
      const name = `${caller}\n${key}`
      const mine = Symbol(key)
      if (!holders.has(name)) holders.set(name, mine)
      return {
        check() {
          if (!holders.has(name)) holders.set(name, mine)
          if (holders.get(name) !== mine) throw new AppError('IDEMPOTENCY_IN_PROGRESS')
        },
        release() {
          if (holders.get(name) === mine) holders.delete(name)
        },
      }
    },
    /** Returns the answer stored for the key; throws IDEMPOTENCY_MISMATCH if it belongs to a different request. */
    find<Answer = CreatedJob>({ caller, key, fingerprint }: IdempotencyUse): Answer | undefined {
      const row = select.get(caller, key, clock.now() - KEPT_MS) as { fingerprint: string; answer: string } | undefined
      if (row && row.fingerprint !== fingerprint) throw new AppError('IDEMPOTENCY_MISMATCH')
      return row && (JSON.parse(row.answer) as Answer)
    },
    remember({ caller, key, fingerprint }: IdempotencyUse, answer: object): void {
      prune.run(clock.now() - KEPT_MS)
      upsert.run(caller, key, fingerprint, JSON.stringify(answer), clock.now())
    },
    /**
     * Returns the answer stored for the key, else the new one of `make`, in one transaction; throws IDEMPOTENCY_MISMATCH, and as `make`
     * does.
     */
    once<Answer extends object>(use: IdempotencyUse, make: () => Answer): { answer: Answer; isReplay: boolean } {
      return db
        .transaction(() => {
          const earlier = idempotency.find<Answer>(use)
          if (earlier) return { answer: earlier, isReplay: true }
          const answer = make()
          idempotency.remember(use, answer)
          return { answer, isReplay: false }
        })
        .immediate()
    },
  }
  return idempotency
}

export type Idempotency = ReturnType<typeof createIdempotency>
