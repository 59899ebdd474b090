/** Sender of the outbox: starts due deliveries within the limits of slots, follows the retry schedule, and resumes after a restart. */

import type { WebhookTest } from '../../src-contract/events.ts'
import type { Delivery } from '../../src-contract/webhooks.ts'
import { type AttemptDeps, Attempts, TEST_EVENT } from './attempt.ts'
import type { DeliveryRow } from './deliveries.ts'
import { Slots } from './slots.ts'
import { isLoopbackUrl } from './target-policy.ts'

export type DelivererDeps = Omit<AttemptDeps, 'slots' | 'closing'>

/** Longest pause between two checks of the outbox while deliveries are waiting, ms: the wall clock may have jumped. */
const LOOK_AGAIN_MS = 30_000
/** Pause after a fault of the database, ms: an immediate attempt would meet it again. */
const FAULT_PAUSE_MS = 5000
/** Job identifier in the body of a test event. */
const NO_JOB = '00000000-0000-0000-0000-000000000000'

/** An attempt that has not ended. */
interface UnderWay {
  readonly origin: string
  readonly ended: Promise<void>
}

/** The deliverer. It does nothing before `start`; call `wake` when a delivery may have become due. */
export class Deliverer {
  readonly #deps: DelivererDeps
  readonly #closing = new AbortController()
  readonly #slots = new Slots()
  readonly #attempts: Attempts
  readonly #underWay = new Map<string, UnderWay>()
  #isStarted = false
  #stopTimer: (() => void) | undefined

  constructor(deps: DelivererDeps) {
    this.#deps = deps
    this.#attempts = new Attempts({ ...deps, slots: this.#slots, closing: this.#closing.signal })
  }

  /** Starts sending. */
  start(): void {
    this.#isStarted = true
    for (const url of this.#deps.deliveries.unanswered())
      this.#slots.note(new URL(url).origin, Number.POSITIVE_INFINITY)
    this.wake()
  }

  /** Sends due deliveries. Never throws. */
  wake(): void {
    if (!this.#isStarted || this.#closing.signal.aborted) return
    try {
      this.#send()
    } catch (cause) {
      this.#deps.log.error('the outbox could not be read', { cause })
      this.#wakeIn(FAULT_PAUSE_MS)
    }
  }

  /**
   * Sends a test event to a receiver once, in any state, and returns the finished delivery; success reactivates a receiver marked as gone.
   * Throws NOT_FOUND.
   */
  async test(webhookId: string): Promise<Delivery> {
    const { random, webhooks, deliveries, baseUrl } = this.#deps
    const url = webhooks.urlOf(webhookId)
    const download_url = `${baseUrl}/api/v1/jobs/${NO_JOB}/download`
    const test: WebhookTest = { event: TEST_EVENT, job_id: NO_JOB, status: 'done', download_url }
    const body = JSON.stringify(test)
    const eventId = `msg_${random.newUuid()}`
    const deliveryId = deliveries.add({ eventId, event: TEST_EVENT, webhookId, url, body })
    const ended = this.#attempts.make(deliveries.row(deliveryId))
    this.#underWay.set(deliveryId, { origin: new URL(url).origin, ended })
    await ended.finally(() => this.#underWay.delete(deliveryId))
    return deliveries.find(deliveryId)
  }

  /** Aborts running attempts and stops. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('Loudsmith is stopping'))
    this.#stopTimer?.()
    await Promise.allSettled([...this.#underWay.values()].map(({ ended }) => ended))
  }

  #wakeIn(ms: number): void {
    this.#stopTimer?.()
    this.#stopTimer = this.#deps.clock.after(ms, () => this.wake())
  }

  #send(): void {
    const { clock, webhooks, deliveries } = this.#deps
    this.#stopTimer?.()
    const suspended = webhooks.suspendedIds()
    for (const row of deliveries.due(clock.now())) {
      if (row.webhook_id !== null && suspended.has(row.webhook_id)) continue
      if (this.#mayGo(row)) this.#launch(row)
    }
    const waitMs = deliveries.msUntilNext(clock.now())
    if (waitMs !== undefined) this.#wakeIn(Math.min(waitMs, LOOK_AGAIN_MS))
  }

  #mayGo(row: DeliveryRow): boolean {
    const url = new URL(row.url)
    if (this.#underWay.has(row.delivery_id)) return false
    if (this.#deps.isOffline() && !isLoopbackUrl(url)) return false
    const taken = [...this.#underWay.values()].map(({ origin }) => origin)
    return this.#slots.isFree(url.origin, taken)
  }

  #launch(row: DeliveryRow): void {
    const ended = this.#attempts
      .make(row)
      .then(
        () => 0,
        (cause: unknown) => {
          this.#deps.log.error('a delivery broke off', { delivery: row.delivery_id, cause })
          return FAULT_PAUSE_MS
        },
      )
      .then((pauseMs) => {
        this.#underWay.delete(row.delivery_id)
        if (this.#closing.signal.aborted) return
        if (pauseMs > 0) this.#wakeIn(pauseMs)
        else this.wake()
      })
    this.#underWay.set(row.delivery_id, { origin: new URL(row.url).origin, ended })
  }
}
