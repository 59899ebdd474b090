/**
 * Publication of events. An event and all its deliveries are written in the transaction that makes it true (outbox), so
 * nothing is lost and nothing is invented; live followers and receivers are served from those rows after the commit.
 */

import type { Plan } from '../../src-contract/plans.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { createDeliverer } from './deliverer.ts'
import { createDeliveries } from './deliveries.ts'
import { createEventLog, type JobProgress, type NewEvent, type SourceProgress } from './events.ts'
import type { ResolveName } from './send.ts'
import { createWebhooks, requireAllowed } from './webhooks.ts'

export interface NotifyDeps {
  readonly db: Db
  readonly clock: Clock
  /** Time by which entries are pruned, milliseconds since 1970; the clock's own when absent. */
  readonly trustedNow?: () => number
  readonly random: Random
  readonly log: Log
  /** The account's plan of this moment. */
  readonly plan: () => Plan
  /** The port this server listens on. */
  readonly ownPort: number
  /** Base URL of this server, without a trailing slash. */
  readonly baseUrl: string
  /** Returns whether deliveries may go to this machine only. */
  readonly isOffline: () => boolean
  /** Finds the addresses of a name; the system's resolver when absent. */
  readonly resolveName?: ResolveName
}

/** Days for which events can be replayed and finished deliveries are listed. */
const KEPT_DAYS = 30
const DAY_MS = 86_400_000

/** Makes the outward half over an open database. Deliveries start with `start` and end with `close`. */
export function createNotify(deps: NotifyDeps) {
  const { clock, log, ownPort } = deps
  const events = createEventLog(deps)
  const deliveries = createDeliveries(deps)
  const webhooks = createWebhooks({ ...deps, deliveries })
  const deliverer = createDeliverer({ ...deps, webhooks, deliveries })

  let stopTimer: (() => void) | undefined

  /** Forgets events and finished deliveries older than 30 days. */
  function prune(): void {
    const before = (deps.trustedNow ?? clock.now)() - KEPT_DAYS * DAY_MS
    events.prune(before)
    deliveries.prune(before)
  }

  function tick(): void {
    try {
      prune()
    } catch (cause) {
      log.error('old events could not be forgotten', { cause })
    }
    stopTimer = clock.after(DAY_MS, tick)
  }

  return {
    webhooks,
    deliveries,
    events,

    /** Throws INVALID_WEBHOOK_URL unless callbacks may be sent to a job's `webhook_url`. */
    checkWebhookUrl: (url: string): void => requireAllowed(url, ownPort, 'webhook_url'),

    /**
     * Records an event, and one delivery per target: the job's own `webhookUrl` and each active account webhook that wants
     * the event. The event of a deleted job stops the deliveries that wait for it. Call it inside the transaction of the change, and
     * `committed` after it. Returns the number of the event.
     */
    record(newEvent: NewEvent & { readonly webhookUrl?: string }): number {
      const stored = events.append(newEvent)
      if (newEvent.event === 'job.deleted' && newEvent.jobId !== undefined)
        deliveries.stop({ jobId: newEvent.jobId }, 'job_deleted')
      if (newEvent.body !== undefined) {
        const targets = webhooks.targetsOf(newEvent.event).map(({ webhookId, url }) => ({ webhookId, url }))
        const own = newEvent.webhookUrl === undefined ? [] : [{ url: newEvent.webhookUrl }]
        const jobId = newEvent.jobId === undefined ? {} : { jobId: newEvent.jobId }
        const delivery = {
          eventId: stored.eventId,
          event: newEvent.event,
          body: JSON.stringify(newEvent.body),
          ...jobId,
        }
        for (const target of [...own, ...targets]) deliveries.add({ ...delivery, ...target })
      }
      return stored.seq
    },

    /**
     * Serves what has been committed to followers and receivers, also where the plan, the offline switch or anything else has
     * changed on which waiting deliveries depend. Never throws: the change is committed already.
     */
    committed(): void {
      try {
        events.publish()
      } catch (cause) {
        log.error('an event could not be published', { cause })
      }
      deliverer.wake()
    },

    /** Publishes the progress of a job or an analysis to followers: not stored, at most ten times a second. */
    progress: (latest: JobProgress | SourceProgress): void => events.progress(latest),

    /** Sends a signed test event to a receiver, once, and returns how it went. Throws NOT_FOUND. */
    test: (webhookId: string) => deliverer.test(webhookId),

    /** Sends the same bytes again now, with the schedule from its start. Throws NOT_FOUND. */
    redeliver(deliveryId: string) {
      deliveries.requeue(deliveryId)
      deliverer.wake()
      return deliveries.find(deliveryId)
    },

    prune,

    /** Begins to deliver what waits, that of earlier runs included, and forgets what is old, once a day. */
    start(): void {
      tick()
      deliverer.start()
    },

    /** Ends the live streams and breaks off attempts under way; they are made again at the next start. */
    async close(): Promise<void> {
      stopTimer?.()
      events.close()
      await deliverer.close()
    },
  }
}

export type Notify = ReturnType<typeof createNotify>
