/** Register of webhook receivers and signing secrets. */

import { WEBHOOK_EVENTS, type WebhookEvent } from '../../src-contract/events.ts'
import type { Plan } from '../../src-contract/plans.ts'
import { PLAN_LIMITS } from '../../src-contract/plans.ts'
import type { Webhook } from '../../src-contract/webhooks.ts'
import { type Clock, isoTime, type Random } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { AppError } from '../http/app-error.ts'
import type { Deliveries } from './deliveries.ts'
import { newSecret } from './signature.ts'
import { checkUrl } from './target-policy.ts'

interface WebhookRow {
  webhook_id: string
  url: string
  events: string
  secret: string
  is_gone: 0 | 1
  created_at_ms: number
  last_delivery_at_ms: number | null
}

export interface WebhooksDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly deliveries: Deliveries
  /** The account's current plan, which limits the active receivers. */
  readonly plan: () => Plan
  /** The port this server listens on. */
  readonly ownPort: number
}

/** Statements about receivers and signing secrets. */
function prepareStatements(db: Db) {
  return {
    // Their order of creation, which a clock that was turned back does not change.
    selectAll: db.prepare<[], WebhookRow>('SELECT * FROM webhooks ORDER BY rowid'),
    insert: db.prepare<[string, string, string, string, number]>(
      'INSERT INTO webhooks (webhook_id, url, events, secret, created_at_ms) VALUES (?, ?, ?, ?, ?)',
    ),
    deleteOne: db.prepare<[string]>('DELETE FROM webhooks WHERE webhook_id = ?'),
    updateSecret: db.prepare<[string, string]>('UPDATE webhooks SET secret = ? WHERE webhook_id = ?'),
    updateGone: db.prepare<[string]>('UPDATE webhooks SET is_gone = 1 WHERE webhook_id = ?'),
    updateBack: db.prepare<[string]>('UPDATE webhooks SET is_gone = 0 WHERE webhook_id = ?'),
    updateDelivered: db.prepare<[number, string]>('UPDATE webhooks SET last_delivery_at_ms = ? WHERE webhook_id = ?'),
    selectJobSecret: db.prepare<[], { secret: string }>('SELECT secret FROM job_signing_secret'),
    upsertJobSecret: db.prepare<[string]>(
      'INSERT INTO job_signing_secret (only_row, secret) VALUES (1, ?) ON CONFLICT (only_row) DO UPDATE SET secret = excluded.secret',
    ),
  }
}

/** A receiver with its state of this moment. */
interface Receiver {
  readonly row: WebhookRow
  readonly state: Webhook['state']
}

/**
 * The register of receivers. The plan counts the available ones, oldest first: any beyond its limit are suspended, keep their deliveries
 * waiting and come back with a larger plan.
 */
export class Webhooks {
  readonly #deps: WebhooksDeps
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(deps: WebhooksDeps) {
    this.#deps = deps
    this.#statements = prepareStatements(deps.db)
  }

  /** Returns the secret that signs the callbacks of jobs with a webhook_url; created when first requested. */
  jobSecret(): string {
    return this.#statements.selectJobSecret.get()?.secret ?? this.replaceJobSecret()
  }

  /** Replaces that secret at once and returns the new one. */
  replaceJobSecret(): string {
    const secret = this.#newSecret()
    this.#statements.upsertJobSecret.run(secret)
    return secret
  }

  /** Returns the receivers, oldest first. */
  list(): Webhook[] {
    return this.#all().map(toWire)
  }

  /** Returns how many receivers count against the plan. */
  count(): number {
    return this.#all().filter(({ state }) => state !== 'gone').length
  }

  /** Registers a receiver for the named events, all when absent. Throws INVALID_WEBHOOK_URL or WEBHOOK_LIMIT. */
  create(url: string, events: readonly WebhookEvent[] = WEBHOOK_EVENTS): Webhook & { secret: string } {
    const { clock, random, plan, ownPort } = this.#deps
    requireAllowed(url, ownPort, 'url')
    if (!this.#hasRoom()) throw new AppError('WEBHOOK_LIMIT', { plan: plan(), limit: this.#limit() })
    const webhookId = random.newUuid()
    const secret = this.#newSecret()
    this.#statements.insert.run(webhookId, url, JSON.stringify(events), secret, clock.now())
    return { ...toWire(this.#find(webhookId)), secret }
  }

  /** Removes a receiver and stops its waiting deliveries. Throws NOT_FOUND. */
  remove(webhookId: string): void {
    const { db, deliveries } = this.#deps
    this.#find(webhookId)
    db.transaction(() => {
      deliveries.stop({ webhookId }, 'webhook_removed')
      this.#statements.deleteOne.run(webhookId)
    })()
  }

  /** Replaces the secret at once: attempts from now on are signed with the new one. Throws NOT_FOUND. */
  replaceSecret(webhookId: string): string {
    this.#find(webhookId)
    const secret = this.#newSecret()
    this.#statements.updateSecret.run(secret, webhookId)
    return secret
  }

  /** Returns the address of a receiver. Throws NOT_FOUND. */
  urlOf(webhookId: string): string {
    return this.#find(webhookId).row.url
  }

  /** Returns the active receivers that want an event. */
  targetsOf(event: string): { webhookId: string; url: string }[] {
    return this.#all()
      .filter(({ row, state }) => state === 'active' && (JSON.parse(row.events) as string[]).includes(event))
      .map(({ row }) => ({ webhookId: row.webhook_id, url: row.url }))
  }

  /** Returns the currently suspended receivers. */
  suspendedIds(): Set<string> {
    const suspended = this.#all().filter(({ state }) => state === 'suspended')
    return new Set(suspended.map(({ row }) => row.webhook_id))
  }

  /** Returns the secret that signs for a receiver, or for per-job addresses when `webhookId` is null; undefined once it is removed. */
  secretFor(webhookId: string | null): string | undefined {
    if (webhookId === null) return this.jobSecret()
    return this.#statements.selectAll.all().find((row) => row.webhook_id === webhookId)?.secret
  }

  /** Records that a receiver accepted a callback. */
  noteDelivered(webhookId: string, atMs: number): void {
    this.#statements.updateDelivered.run(atMs, webhookId)
  }

  /** Records that a receiver accepted a test: if it was gone, it is active again, as long as the plan has room for it. */
  noteTested(webhookId: string): void {
    if (this.#hasRoom()) this.#statements.updateBack.run(webhookId)
  }

  /** Records that a receiver answered 410: its waiting deliveries stop, and it gets no more. */
  noteGone(webhookId: string): void {
    this.#statements.updateGone.run(webhookId)
    this.#deps.deliveries.stop({ webhookId }, 'receiver_gone')
  }

  /** Returns every receiver, oldest first. */
  #all(): Receiver[] {
    let room = this.#limit()
    return this.#statements.selectAll.all().map((row) => {
      if (row.is_gone === 1) return { row, state: 'gone' }
      room -= 1
      return { row, state: room >= 0 ? 'active' : 'suspended' }
    })
  }

  #find(webhookId: string): Receiver {
    const found = this.#all().find(({ row }) => row.webhook_id === webhookId)
    if (!found) throw new AppError('NOT_FOUND')
    return found
  }

  #limit(): number {
    return PLAN_LIMITS[this.#deps.plan()].webhooks
  }

  #hasRoom(): boolean {
    return this.count() < this.#limit()
  }

  #newSecret(): string {
    return newSecret(this.#deps.random.randomBytes)
  }
}

/** Throws INVALID_WEBHOOK_URL, naming `param`, unless callbacks may be sent to `url`. */
export function requireAllowed(url: string, ownPort: number, param: string): void {
  const verdict = checkUrl(url, ownPort)
  if ('refusal' in verdict) throw new AppError('INVALID_WEBHOOK_URL', { reason: verdict.refusal }, { param })
}

function toWire({ row, state }: Receiver): Webhook {
  return {
    webhook_id: row.webhook_id,
    url: row.url,
    events: JSON.parse(row.events) as WebhookEvent[],
    state,
    created_at: isoTime(row.created_at_ms),
    ...(row.last_delivery_at_ms === null ? {} : { last_delivery_at: isoTime(row.last_delivery_at_ms) }),
  }
}
