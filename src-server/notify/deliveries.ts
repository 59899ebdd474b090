/** The outbox and delivery log: one row per event and target, from the moment the event is written until it is taken or given up. */

import type { Delivery } from '../contract/webhooks.ts'
import type { Db } from '../db/open.ts'
import { AppError } from '../http/app-error.ts'
import { type Chance, type Clock, isoTime } from '../system.ts'

/** One row of the log. */
export interface DeliveryRow {
  readonly delivery_id: string
  readonly event_id: string
  readonly event: string
  readonly job_id: string | null
  readonly webhook_id: string | null
  readonly url: string
  readonly body: string
  readonly state: Delivery['state']
  readonly attempts: number
  readonly next_attempt_at_ms: number | null
  readonly last_attempt_at_ms: number | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly created_at_ms: number
}

/** What is to be sent where. */
export interface NewDelivery {
  readonly eventId: string
  readonly event: string
  readonly jobId?: string
  /** Absent for a job's own address. */
  readonly webhookId?: string
  readonly url: string
  /** The exact bytes of every attempt. */
  readonly body: string
}

/** How one attempt ended: the receiver's status, or why none came. */
export interface AttemptEnd {
  readonly status?: number
  readonly error?: string
}

/** Makes the outbox over an open database. */
export function createDeliveries({ db, clock, chance }: { db: Db; clock: Clock; chance: Chance }) {
  const insert = db.prepare(
    `INSERT INTO deliveries (delivery_id, event_id, event, job_id, webhook_id, url, body, state, scheduled_at_ms, next_attempt_at_ms, created_at_ms)
     VALUES (@deliveryId, @eventId, @event, @jobId, @webhookId, @url, @body, 'pending', @now, @now, @now)`,
  )
  const selectOne = db.prepare<[string], DeliveryRow>('SELECT * FROM deliveries WHERE delivery_id = ?')
  // A clock that stands before the moment of planning was turned back: waiting for it could take years, so the row is due.
  const selectDue = db.prepare<[number, number], DeliveryRow>(
    `SELECT * FROM deliveries WHERE state = 'pending' AND (next_attempt_at_ms <= ? OR scheduled_at_ms > ?)
     ORDER BY next_attempt_at_ms, rowid`,
  )
  const selectNext = db.prepare<[number], { at: number | null; waiting: number }>(
    "SELECT min(iif(next_attempt_at_ms > ?, next_attempt_at_ms, NULL)) AS at, count(*) AS waiting FROM deliveries WHERE state = 'pending'",
  )
  const settle = db.prepare(
    `UPDATE deliveries SET state = @state, attempts = attempts + 1, last_attempt_at_ms = @attemptedAt, last_status = @status,
       last_error = @error, scheduled_at_ms = @now, next_attempt_at_ms = @next
     WHERE delivery_id = @deliveryId AND state = 'pending'`,
  )
  const requeue = db.prepare<[number, number, string]>(
    `UPDATE deliveries SET state = 'pending', attempts = 0, scheduled_at_ms = ?, next_attempt_at_ms = ?, last_error = NULL
     WHERE delivery_id = ?`,
  )
  const deleteBefore = db.prepare<[number]>("DELETE FROM deliveries WHERE state <> 'pending' AND created_at_ms < ?")

  function find(deliveryId: string): DeliveryRow {
    const row = selectOne.get(deliveryId)
    if (!row) throw new AppError('NOT_FOUND')
    return row
  }

  return {
    /** Writes one delivery, due at once. Belongs inside the transaction that writes the event. */
    add(delivery: NewDelivery): string {
      const deliveryId = chance.newUuid()
      const { jobId = null, webhookId = null } = delivery
      insert.run({ ...delivery, deliveryId, jobId, webhookId, now: clock.now() })
      return deliveryId
    },

    /** Returns what is to be sent now, longest due first. */
    due: (nowMs: number): DeliveryRow[] => selectDue.all(nowMs, nowMs),

    /** Returns how long until a waiting delivery becomes due, ms; Infinity when all are already, undefined when none waits. */
    msUntilNext(nowMs: number): number | undefined {
      const { at, waiting } = selectNext.get(nowMs) ?? { at: null, waiting: 0 }
      if (waiting === 0) return undefined
      return at === null ? Number.POSITIVE_INFINITY : at - nowMs
    },

    /** Notes how an attempt ended. `nextMs` plans the next one; without it the delivery is over. */
    settle(
      deliveryId: string,
      state: Delivery['state'],
      attemptedAtMs: number,
      end: AttemptEnd,
      nextMs?: number,
    ): void {
      const { status = null, error = null } = end
      const attempt = { deliveryId, state, attemptedAt: attemptedAtMs, status, error }
      settle.run({ ...attempt, now: clock.now(), next: nextMs ?? null })
    },

    /** Plans the same bytes anew from the first attempt, now. Throws NOT_FOUND. */
    requeue(deliveryId: string): void {
      find(deliveryId)
      requeue.run(clock.now(), clock.now(), deliveryId)
    },

    find: (deliveryId: string): Delivery => deliveryToWire(find(deliveryId)),

    row: find,

    /** Returns the log, newest first; a filter that names nothing known finds nothing. */
    list({ webhookId, jobId, limit }: { webhookId?: string; jobId?: string; limit: number }): Delivery[] {
      const filters = [
        ...(webhookId === undefined ? [] : ['webhook_id = ?']),
        ...(jobId === undefined ? [] : ['job_id = ?']),
      ]
      const values = [webhookId, jobId].filter((value) => value !== undefined)
      const where = filters.length > 0 ? `WHERE ${filters.join(' AND ')}` : ''
      return db
        .prepare<unknown[], DeliveryRow>(
          `SELECT * FROM deliveries ${where} ORDER BY created_at_ms DESC, rowid DESC LIMIT ?`,
        )
        .all(...values, limit)
        .map(deliveryToWire)
    },

    /** Forgets finished deliveries created before a moment (epoch ms) and returns how many. */
    prune: (beforeMs: number): number => deleteBefore.run(beforeMs).changes,
  }
}

export type Deliveries = ReturnType<typeof createDeliveries>

function deliveryToWire(row: DeliveryRow): Delivery {
  return {
    delivery_id: row.delivery_id,
    event_id: row.event_id,
    event: row.event,
    ...(row.job_id === null ? {} : { job_id: row.job_id }),
    ...(row.webhook_id === null ? {} : { webhook_id: row.webhook_id }),
    url: row.url,
    state: row.state,
    attempts: row.attempts,
    ...(row.next_attempt_at_ms === null ? {} : { next_attempt_at: isoTime(row.next_attempt_at_ms) }),
    ...(row.last_attempt_at_ms === null ? {} : { last_attempt_at: isoTime(row.last_attempt_at_ms) }),
    ...(row.last_status === null ? {} : { last_status: row.last_status }),
    ...(row.last_error === null ? {} : { last_error: row.last_error }),
    created_at: isoTime(row.created_at_ms),
  }
}
