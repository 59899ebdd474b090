/** One attempt at a delivery: signed, sent, and its outcome recorded. */
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { retryWrite } from '../db/retry-write.ts'
import type { Deliveries, DeliveryRow } from './deliveries.ts'
import { retryAfterMs, waitAfter } from './retry-schedule.ts'
import { type Answer, type ResolveName, resolveBySystem, sendOnce } from './send.ts'
import { signedHeaders } from './signature.ts'
import type { Slots } from './slots.ts'
import { isLoopbackUrl } from './target-policy.ts'
import type { Webhooks } from './webhooks.ts'

export interface AttemptDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly webhooks: Webhooks
  readonly deliveries: Deliveries
  readonly slots: Pick<Slots, 'note'>
  /** Port of this server, a forbidden target. */
  readonly ownPort: number
  readonly baseUrl: string
  readonly isOffline: () => boolean
  /** Resolver of host names; the system's when absent. */
  readonly resolveName?: ResolveName
  /** Aborted when the server stops. */
  readonly closing: AbortSignal
}

/** Name of the test event, which is sent once and never repeated. */
export const TEST_EVENT = 'webhook.test'
/** Outcome of an attempt that the offline switch forbids. */
const OFFLINE: Answer = { error: 'Loudsmith is offline and reaches this machine only' }

/** Outcome of an attempt for its delivery. */
export type AttemptPlan =
  | { readonly kind: 'delivered' }
  /** `waitMs` until the next attempt; undefined when it was the last. `isGone` when the receiver asked for no further events (410). */
  | { readonly kind: 'failed'; readonly waitMs: number | undefined; readonly isGone: boolean }

/**
 * Returns the outcome of an attempt. `attempts` counts the earlier ones, `random` is from 0 to 1 exclusive and spreads the next ones,
 * and `nowMs` is epoch ms. Pure.
 */
function planAttempt(
  { status, retryAfter }: Answer,
  delivery: { readonly attempts: number; readonly isTest: boolean },
  random: number,
  nowMs: number,
): AttemptPlan {
  if (status !== undefined && status >= 200 && status < 300) return { kind: 'delivered' }
  const isGone = status === 410
  if (isGone || delivery.isTest) return { kind: 'failed', waitMs: undefined, isGone }
  return { kind: 'failed', waitMs: waitAfter(delivery.attempts + 1, random, retryAfterMs(retryAfter, nowMs)), isGone }
}

/** Maker of attempts. */
export class Attempts {
  readonly #deps: AttemptDeps

  constructor(deps: AttemptDeps) {
    this.#deps = deps
  }

  /** Makes one attempt. It only rejects for a database error before anything is sent. */
  async make(row: DeliveryRow): Promise<void> {
    const { clock, log, webhooks, deliveries, closing } = this.#deps
    const secret = webhooks.secretFor(row.webhook_id)
    const attemptedAtMs = clock.now()
    if (secret === undefined) return deliveries.stop({ deliveryId: row.delivery_id }, 'webhook_removed')
    const answer = await this.#sendOrStay(row, secret, attemptedAtMs)
    // Interrupted by an orderly stop: it does not count, and the row is still due at the next start.
    if (closing.aborted) return
    // An unrecorded attempt would be repeated endlessly.
    await retryWrite(() => this.#record(row, attemptedAtMs, answer), {
      clock,
      signal: closing,
      onFailure: (cause) => log.error('a delivery could not be noted', { delivery: row.delivery_id, cause }),
    })
  }

  /** Sends one attempt. The offline switch is checked here too, because a manual test skips the check of the queue. */
  async #sendOrStay(row: DeliveryRow, secret: string, atMs: number): Promise<Answer> {
    const { clock, deliveries, slots, ownPort, baseUrl, isOffline, resolveName = resolveBySystem, closing } = this.#deps
    const url = new URL(row.url)
    if (isOffline() && !isLoopbackUrl(url)) return OFFLINE
    const isFirst = row.last_attempt_at_ms === null
    const body = isFirst ? withBase(row.body, baseUrl) : row.body
    if (isFirst) deliveries.begin(row.delivery_id, body)
    const begunMs = clock.monotonicMs()
    const answer = await sendOnce({
      url,
      headers: { ...signedHeaders(secret, row.event_id, Math.floor(atMs / 1000), body) },
      body,
      ownPort,
      resolveName,
      clock,
      signal: closing,
    })
    slots.note(url.origin, clock.monotonicMs() - begunMs)
    return answer
  }

  /** Records the outcome of an attempt for its delivery and its receiver, in one transaction. */
  #record(row: DeliveryRow, attemptedAtMs: number, answer: Answer): void {
    const { db, clock, random, deliveries } = this.#deps
    db.transaction(() => {
      const isTest = row.event === TEST_EVENT
      // Read again: a delivery requeued by the user meanwhile has all its attempts before it.
      const { attempts } = deliveries.row(row.delivery_id)
      const jitter = random.randomBytes(1).readUInt8() / 256
      const plan = planAttempt(answer, { attempts, isTest }, jitter, clock.now())
      if (plan.kind === 'delivered') {
        deliveries.recordDelivered(row.delivery_id, attemptedAtMs, answer)
      } else {
        const nextMs = plan.waitMs === undefined ? undefined : clock.now() + plan.waitMs
        deliveries.recordFailed(row.delivery_id, attemptedAtMs, answer, nextMs)
      }
      if (row.webhook_id !== null) this.#noteReceiver(row.webhook_id, plan, isTest)
    })()
  }

  #noteReceiver(webhookId: string, plan: AttemptPlan, isTest: boolean): void {
    const { clock, webhooks } = this.#deps
    if (plan.kind === 'failed') {
      if (plan.isGone) webhooks.noteGone(webhookId)
      return
    }
    webhooks.noteDelivered(webhookId, clock.now())
    // Only a test reactivates a receiver: an ordinary attempt may have been under way when another got its 410.
    if (isTest) webhooks.noteTested(webhookId)
  }
}

/**
 * Returns a body with `download_url` below `baseUrl`: a link written by a run on another port then leads to this one. Other bodies stay as
 * they are.
 */
function withBase(body: string, baseUrl: string): string {
  const event = JSON.parse(body) as { download_url?: string }
  const path = /\/api\/v1\/jobs\/[^/]+\/download$/.exec(event.download_url ?? '')?.[0]
  return path === undefined ? body : JSON.stringify({ ...event, download_url: baseUrl + path })
}
