/** Sender of the outbox: starts due deliveries within the limits of slots, follows the retry schedule, and resumes after a restart. */

import type { WebhookTest } from '../../src-contract/events.ts'
import type { Delivery } from '../../src-contract/webhooks.ts'
import { type AttemptDeps, createAttempt, TEST_EVENT } from './attempt.ts'
import type { DeliveryRow } from './deliveries.ts'
import { createSlots } from './slots.ts'
import { isLoopbackUrl } from './target-policy.ts'

export type DelivererDeps = Omit<AttemptDeps, 'slots' | 'closing'>

/** Longest pause between two checks of the outbox while anything waits, ms: the wall clock may have jumped. */
const LOOK_AGAIN_MS = 30_000
/** Pause after a fault of the database, ms: an immediate attempt would meet it again. */
const FAULT_PAUSE_MS = 5000
/** Job identifier in the body of a test event. */
const NO_JOB = '00000000-0000-0000-0000-000000000000'

/** Creates the deliverer. It does nothing before `start`; call `wake` when a delivery may have become due. */
export function createDeliverer(deps: DelivererDeps) {
  const { clock, random, log, webhooks, deliveries, baseUrl, isOffline } = deps
  const closing = new AbortController()
  const slots = createSlots()
  const attempt = createAttempt({ ...deps, slots, closing: closing.signal })
  const underWay = new Map<string, { origin: string; ended: Promise<void> }>()
  let isStarted = false
  let stopTimer: (() => void) | undefined

  function wake(): void {
    if (!isStarted || closing.signal.aborted) return
    try {
      send()
    } catch (cause) {
      log.error('the outbox could not be read', { cause })
      wakeIn(FAULT_PAUSE_MS)
    }
  }

  function wakeIn(ms: number): void {
    stopTimer?.()
    stopTimer = clock.after(ms, wake)
  }

  function send(): void {
    stopTimer?.()
    const suspended = webhooks.suspendedIds()
    for (const row of deliveries.due(clock.now())) {
      if (row.webhook_id !== null && suspended.has(row.webhook_id)) continue
      if (mayGo(row)) launch(row)
    }
    const waitMs = deliveries.msUntilNext(clock.now())
    if (waitMs !== undefined) wakeIn(Math.min(waitMs, LOOK_AGAIN_MS))
  }

  function mayGo(row: DeliveryRow): boolean {
    const url = new URL(row.url)
    if (underWay.has(row.delivery_id)) return false
    if (isOffline() && !isLoopbackUrl(url)) return false
    const taken = [...underWay.values()].map(({ origin }) => origin)
    return slots.isFree(url.origin, taken)
  }

  function launch(row: DeliveryRow): void {
    const ended = attempt(row)
      .then(
        () => wake,
        (cause: unknown) => {
          log.error('a delivery broke off', { delivery: row.delivery_id, cause })
          return () => wakeIn(FAULT_PAUSE_MS)
        },
      )
      .then((goOn) => {
        underWay.delete(row.delivery_id)
        if (!closing.signal.aborted) goOn()
      })
    underWay.set(row.delivery_id, { origin: new URL(row.url).origin, ended })
  }

  return {
    wake,

    /** Begins to send. */
    start(): void {
      isStarted = true
      for (const url of deliveries.unanswered()) slots.note(new URL(url).origin, Number.POSITIVE_INFINITY)
      wake()
    },

    /**
     * Sends a test event to a receiver once, whatever its state, and returns the finished delivery; one that was gone is back with
     * it. Throws NOT_FOUND.
     */
    async test(webhookId: string): Promise<Delivery> {
      const url = webhooks.urlOf(webhookId)
      const download_url = `${baseUrl}/api/v1/jobs/${NO_JOB}/download`
      const test: WebhookTest = { event: TEST_EVENT, job_id: NO_JOB, status: 'done', download_url }
      const body = JSON.stringify(test)
      const eventId = `msg_${random.newUuid()}`
      const deliveryId = deliveries.add({ eventId, event: TEST_EVENT, webhookId, url, body })
      const ended = attempt(deliveries.row(deliveryId))
      underWay.set(deliveryId, { origin: new URL(url).origin, ended })
      await ended.finally(() => underWay.delete(deliveryId))
      return deliveries.find(deliveryId)
    },

    /** Breaks off what is under way and stops. */
    async close(): Promise<void> {
      closing.abort(new Error('Loudsmith is stopping'))
      stopTimer?.()
      await Promise.allSettled([...underWay.values()].map(({ ended }) => ended))
    },
  }
}
