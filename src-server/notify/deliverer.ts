/** Sends what the outbox holds: when it is due, some at a time, again on its schedule, and after a restart from where it stood. */

import type { WebhookTest } from '../../src-contract/events.ts'
import type { Delivery } from '../../src-contract/webhooks.ts'
import type { Log } from '../../src-system/log.ts'
import type { Chance, Clock } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { surely } from '../db/surely.ts'
import type { Deliveries, DeliveryRow } from './deliveries.ts'
import { retryAfterMs, waitAfter } from './retry-schedule.ts'
import { type Answer, type ResolveName, resolveBySystem, sendOnce } from './send.ts'
import { signedHeaders } from './signature.ts'
import { createSlots } from './slots.ts'
import { isLoopbackUrl } from './target-policy.ts'
import type { Webhooks } from './webhooks.ts'

export interface DelivererArguments {
  readonly db: Db
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly webhooks: Webhooks
  readonly deliveries: Deliveries
  readonly ownPort: number
  readonly baseUrl: string
  readonly isOffline: () => boolean
  readonly resolveName?: ResolveName
}

/** While anything waits, the outbox is looked at this often whatever the plan says: the wall clock may have jumped. */
const LOOK_AGAIN_MS = 30_000
/** After a fault of the database, which would be there again at once. */
const FAULT_PAUSE_MS = 5000

/** Makes the deliverer. It does nothing before `start`, and `wake` tells it that something may have become due. */
export function createDeliverer(arguments_: DelivererArguments) {
  const { db, clock, chance, log, webhooks, deliveries, ownPort, baseUrl, isOffline } = arguments_
  const { resolveName = resolveBySystem } = arguments_
  const closing = new AbortController()
  const slots = createSlots()
  const underWay = new Map<string, { origin: string; ended: Promise<void> }>()
  let isStarted = false
  let stopTimer: (() => void) | undefined

  function wake(): void {
    if (!isStarted || closing.signal.aborted) return
    try {
      send()
    } catch (cause) {
      log.error('the outbox could not be looked at', { cause })
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

  async function attempt(row: DeliveryRow): Promise<void> {
    const secret = webhooks.secretFor(row.webhook_id)
    const attemptedAtMs = clock.now()
    if (secret === undefined) return deliveries.stop({ deliveryId: row.delivery_id }, 'webhook_removed')
    const answer = await sendOrStay(row, secret, attemptedAtMs)
    // Broken off by an orderly stop: it does not count, and the row is still due at the next start.
    if (closing.signal.aborted) return
    // What is not noted would be sent again at once, and again.
    await surely(() => note(row, attemptedAtMs, answer), {
      clock,
      signal: closing.signal,
      onFailure: (cause) => log.error('a delivery could not be noted', { delivery: row.delivery_id, cause }),
    })
  }

  /** Sends one attempt. The offline switch is asked again because a test, sent by hand, does not pass {@link mayGo}. */
  async function sendOrStay(row: DeliveryRow, secret: string, atMs: number): Promise<Answer> {
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
      signal: closing.signal,
    })
    slots.note(url.origin, clock.monotonicMs() - begunMs)
    return answer
  }

  const note = db.transaction((row: DeliveryRow, attemptedAtMs: number, answer: Answer) => {
    const isTest = row.event === TEST_EVENT
    const { status, retryAfter } = answer
    if (status !== undefined && status >= 200 && status < 300) {
      deliveries.settleTaken(row.delivery_id, attemptedAtMs, answer)
      if (row.webhook_id === null) return
      webhooks.noteDelivered(row.webhook_id, clock.now())
      // An attempt to tell an event that was under way when another got its 410 brings nobody back.
      if (isTest) webhooks.noteTested(row.webhook_id)
      return
    }
    const asked = retryAfterMs(retryAfter, clock.now())
    const isOver = status === 410 || isTest
    // Sent again by hand meanwhile, it has all its attempts before it.
    const { attempts } = deliveries.row(row.delivery_id)
    const wait = isOver ? undefined : waitAfter(attempts + 1, chance.randomBytes(1).readUInt8() / 256, asked)
    const next = wait === undefined ? undefined : clock.now() + wait
    deliveries.settleFailed(row.delivery_id, attemptedAtMs, answer, next)
    if (status === 410 && row.webhook_id !== null) webhooks.noteGone(row.webhook_id)
  })

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
      const eventId = `msg_${chance.newUuid()}`
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

/** Returns a body with `download_url` below `baseUrl`: what a run on another port wrote leads to this one. Others as they are. */
function withBase(body: string, baseUrl: string): string {
  const event = JSON.parse(body) as { download_url?: string }
  const path = /\/api\/v1\/jobs\/[^/]+\/download$/.exec(event.download_url ?? '')?.[0]
  return path === undefined ? body : JSON.stringify({ ...event, download_url: baseUrl + path })
}

const OFFLINE = { error: 'Loudsmith is offline and reaches this machine only' }
/** It is tried once. */
const TEST_EVENT = 'webhook.test'
const NO_JOB = '00000000-0000-0000-0000-000000000000'
