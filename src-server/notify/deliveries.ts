/**
 * The outbox and delivery log: one row per event and target, from the recording of the event until the delivery succeeds or is given up.
 */

import type { Delivery, StopReason } from '../../src-contract/webhooks.ts'
import { type Clock, isoTime, type Random } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { AppError } from '../http/app-error.ts'

/** One row of the log. */
export interface DeliveryRow {
  readonly delivery_id: string
  readonly event_id: string
  readonly event: string
  readonly job_id: string | null
  readonly webhook_id: string | null
  readonly url: string
  /** Scheme, host and port of `url`; null in rows of earlier versions. */
  readonly origin: string | null
  readonly body: string
  readonly state: Delivery['state']
  readonly attempts: number
  readonly next_attempt_at_ms: number | null
  readonly last_attempt_at_ms: number | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly stop_reason: StopReason | null
  readonly created_at_ms: number
}

/** A new delivery. */
export interface NewDelivery {
  readonly eventId: string
  readonly event: string
  readonly jobId?: string
  /** Absent for a job's own address. */
  readonly webhookId?: string
  readonly url: string
  /** The bytes of every attempt, once the first has started; see {@link Deliveries.begin}. */
  readonly body: string
}

/** End of one attempt: the receiver's status, or the reason for its absence. */
export interface AttemptEnd {
  readonly status?: number
  readonly error?: string
}

/** Rows of one target read at once: the limit of concurrent attempts to one origin. */
const MAX_DUE_PER_TARGET = 2

const STOP_ERRORS: Record<StopReason, string> = {
  job_deleted: 'the job was deleted',
  webhook_removed: 'the webhook was removed',
  receiver_gone: 'the receiver answered 410 Gone',
}

/** Statements about deliveries. */
function prepareStatements(db: Db) {
  return { ...prepareQueries(db), ...prepareUpdates(db) }
}

function prepareQueries(db: Db) {
  return {
    selectOne: db.prepare<[string], DeliveryRow>('SELECT * FROM deliveries WHERE delivery_id = ?'),
    // A clock before the planning time was turned back: waiting for it could take years, so the row is due.
    selectDue: db.prepare<[number, number], DeliveryRow>(
      `SELECT * FROM deliveries WHERE rowid IN (
         SELECT id FROM (
           SELECT rowid AS id, row_number() OVER (
             PARTITION BY coalesce(origin, url), webhook_id ORDER BY next_attempt_at_ms, rowid
           ) AS place
           FROM deliveries WHERE state = 'pending' AND (next_attempt_at_ms <= ? OR scheduled_at_ms > ?)
         ) WHERE place <= ${MAX_DUE_PER_TARGET}
       ) ORDER BY next_attempt_at_ms, rowid`,
    ),
    selectNext: db.prepare<[number], { at: number | null; waiting: number }>(
      "SELECT min(iif(next_attempt_at_ms > ?, next_attempt_at_ms, NULL)) AS at, count(*) AS waiting FROM deliveries WHERE state = 'pending'",
    ),
    selectUnanswered: db.prepare<[], { url: string }>(
      "SELECT DISTINCT url FROM deliveries WHERE state = 'pending' AND attempts > 0 AND last_status IS NULL",
    ),
  }
}

function prepareUpdates(db: Db) {
  return {
    insert: db.prepare(
      `INSERT INTO deliveries (delivery_id, event_id, event, job_id, webhook_id, url, origin, body, state, scheduled_at_ms, next_attempt_at_ms, created_at_ms)
       VALUES (@deliveryId, @eventId, @event, @jobId, @webhookId, @url, @origin, @body, 'pending', @now, @now, @now)`,
    ),
    recordFailed: db.prepare(
      `UPDATE deliveries SET state = @state, attempts = attempts + 1, last_attempt_at_ms = @attemptedAt, last_status = @status,
         last_error = @error, scheduled_at_ms = @now, next_attempt_at_ms = @next
       WHERE delivery_id = @deliveryId AND state = 'pending'`,
    ),
    recordDelivered: db.prepare(
      `UPDATE deliveries SET state = 'delivered', attempts = attempts + 1, last_attempt_at_ms = @attemptedAt, last_status = @status,
         last_error = NULL, stop_reason = NULL, next_attempt_at_ms = NULL
       WHERE delivery_id = @deliveryId`,
    ),
    begin: db.prepare<[string, number, string]>(
      'UPDATE deliveries SET body = ?, last_attempt_at_ms = ? WHERE delivery_id = ?',
    ),
    stop: db.prepare<{
      deliveryId: string | null
      jobId: string | null
      webhookId: string | null
      reason: StopReason
      error: string
    }>(
      `UPDATE deliveries SET state = 'failed', next_attempt_at_ms = NULL, last_error = @error, stop_reason = @reason
       WHERE state = 'pending' AND (delivery_id = @deliveryId OR job_id = @jobId OR webhook_id = @webhookId)`,
    ),
    requeue: db.prepare<[number, number, string]>(
      `UPDATE deliveries SET state = 'pending', attempts = 0, scheduled_at_ms = ?, next_attempt_at_ms = ?, last_error = NULL, stop_reason = NULL
       WHERE delivery_id = ?`,
    ),
    deleteBefore: db.prepare<[number]>("DELETE FROM deliveries WHERE state <> 'pending' AND created_at_ms < ?"),
  }
}

export interface DeliveriesDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
}

/** The outbox over an open database. */
export class Deliveries {
  readonly #deps: DeliveriesDeps
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(deps: DeliveriesDeps) {
    this.#deps = deps
    this.#statements = prepareStatements(deps.db)
  }

  /** Writes one delivery, due immediately. Call it inside the transaction that writes the event. */
  add(delivery: NewDelivery): string {
    const deliveryId = this.#deps.random.newUuid()
    const { jobId = null, webhookId = null } = delivery
    const { origin } = new URL(delivery.url)
    this.#statements.insert.run({ ...delivery, deliveryId, jobId, webhookId, origin, now: this.#deps.clock.now() })
    return deliveryId
  }

  /**
   * Returns the deliveries to send now, longest due first: at most two per webhook, or per origin of the jobs' own addresses, which keeps a
   * backlog for one receiver from delaying the others.
   */
  due(nowMs: number): DeliveryRow[] {
    return this.#statements.selectDue.all(nowMs, nowMs)
  }

  /** Returns the time until a waiting delivery becomes due, ms; Infinity when all are already, undefined when none are waiting. */
  msUntilNext(nowMs: number): number | undefined {
    const { at, waiting } = this.#statements.selectNext.get(nowMs) ?? { at: null, waiting: 0 }
    if (waiting === 0) return undefined
    return at === null ? Number.POSITIVE_INFINITY : at - nowMs
  }

  /** Returns the addresses with waiting deliveries that did not answer the last attempt. */
  unanswered(): string[] {
    return this.#statements.selectUnanswered.all().map(({ url }) => url)
  }

  /** Fixes the bytes of a delivery before its first attempt. Every further attempt sends the same. */
  begin(deliveryId: string, body: string): void {
    this.#statements.begin.run(body, this.#deps.clock.now(), deliveryId)
  }

  /** Stops the waiting deliveries of a job or a webhook, or one delivery, and records the reason. */
  stop(of: { deliveryId?: string; jobId?: string; webhookId?: string }, reason: StopReason): void {
    const { deliveryId = null, jobId = null, webhookId = null } = of
    this.#statements.stop.run({ deliveryId, jobId, webhookId, reason, error: STOP_ERRORS[reason] })
  }

  /** Records a successful delivery, even if it was stopped during the attempt. */
  recordDelivered(deliveryId: string, attemptedAtMs: number, { status = null }: { status?: number | null }): void {
    this.#statements.recordDelivered.run({ deliveryId, attemptedAt: attemptedAtMs, status })
  }

  /** Records a failed attempt. `nextMs` plans the next one; without it the delivery is over. Does nothing if it was stopped. */
  recordFailed(deliveryId: string, attemptedAtMs: number, end: AttemptEnd, nextMs?: number): void {
    this.#statements.recordFailed.run({
      deliveryId,
      state: nextMs === undefined ? 'failed' : 'pending',
      attemptedAt: attemptedAtMs,
      status: end.status ?? null,
      error: end.error ?? null,
      now: this.#deps.clock.now(),
      next: nextMs ?? null,
    })
  }

  /** Requeues the same bytes now, starting with the first attempt. Throws NOT_FOUND. */
  requeue(deliveryId: string): void {
    this.row(deliveryId)
    const nowMs = this.#deps.clock.now()
    this.#statements.requeue.run(nowMs, nowMs, deliveryId)
  }

  /** Returns a delivery. Throws NOT_FOUND. */
  find(deliveryId: string): Delivery {
    return toWire(this.row(deliveryId))
  }

  /** Returns the row of a delivery. Throws NOT_FOUND. */
  row(deliveryId: string): DeliveryRow {
    const row = this.#statements.selectOne.get(deliveryId)
    if (!row) throw new AppError('NOT_FOUND')
    return row
  }

  /** Returns the log, newest first; a filter with an unknown value finds nothing. */
  list({ webhookId, jobId, limit }: { webhookId?: string; jobId?: string; limit: number }): Delivery[] {
    const filters = [
      ...(webhookId === undefined ? [] : ['webhook_id = ?']),
      ...(jobId === undefined ? [] : ['job_id = ?']),
    ]
    const values = [webhookId, jobId].filter((value) => value !== undefined)
    const where = filters.length > 0 ? `WHERE ${filters.join(' AND ')}` : ''
    return this.#deps.db
      .prepare<unknown[], DeliveryRow>(
        `SELECT * FROM deliveries ${where} ORDER BY created_at_ms DESC, rowid DESC LIMIT ?`,
      )
      .all(...values, limit)
      .map(toWire)
  }

  /** Forgets finished deliveries created before a moment (epoch ms) and returns how many. */
  prune(beforeMs: number): number {
    return this.#statements.deleteBefore.run(beforeMs).changes
  }
}

function toWire(row: DeliveryRow): Delivery {
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
    ...(row.stop_reason === null ? {} : { stop_reason: row.stop_reason }),
    created_at: isoTime(row.created_at_ms),
  }
}
