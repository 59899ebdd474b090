/**
 * Publication of events. An event and all its deliveries are written in the transaction of the change (outbox), so none is lost or
 * invented; live followers and receivers are served from those rows after the commit.
 */

import type { Plan } from '../../src-contract/plans.ts'
import type { Delivery } from '../../src-contract/webhooks.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { Deliverer } from './deliverer.ts'
import { Deliveries } from './deliveries.ts'
import { EventLog, type NewEvent, type PassingNews } from './events.ts'
import { OpenStreams } from './open-streams.ts'
import type { ResolveName } from './send.ts'
import { requireAllowed, Webhooks } from './webhooks.ts'

export interface NotifyDeps {
  readonly db: Db
  readonly clock: Clock
  /** Time for pruning entries, milliseconds since 1970; the clock's own when absent. */
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

/** Days that events can be replayed and finished deliveries are listed. */
const KEPT_DAYS = 30
const DAY_MS = 86_400_000

/** The outward half over an open database. Deliveries start with `start` and end with `close`. */
export class Notify {
  readonly events: EventLog
  readonly deliveries: Deliveries
  readonly streams = new OpenStreams()
  readonly webhooks: Webhooks
  readonly #deps: NotifyDeps
  readonly #deliverer: Deliverer
  #stopTimer: (() => void) | undefined

  constructor(deps: NotifyDeps) {
    this.#deps = deps
    this.events = new EventLog(deps)
    this.deliveries = new Deliveries(deps)
    this.webhooks = new Webhooks({ ...deps, deliveries: this.deliveries })
    this.#deliverer = new Deliverer({ ...deps, webhooks: this.webhooks, deliveries: this.deliveries })
  }

  /** Throws INVALID_WEBHOOK_URL unless callbacks may be sent to a job's `webhook_url`. */
  checkWebhookUrl(url: string): void {
    requireAllowed(url, this.#deps.ownPort, 'webhook_url')
  }

  /**
   * Records an event, and one delivery per target: the job's own `webhookUrl` and each active account webhook subscribed to the event. The
   * event of a deleted job stops the deliveries that wait for it. Call it inside the transaction of the change, and `committed` after it.
   * Returns the number of the event.
   */
  record(newEvent: NewEvent & { readonly webhookUrl?: string }): number {
    const { event, jobId, body, webhookUrl } = newEvent
    const { seq, eventId } = this.events.append(newEvent)
    if (event === 'job.deleted' && jobId !== undefined) this.deliveries.stop({ jobId }, 'job_deleted')
    if (body === undefined) return seq
    const delivery = { eventId, event, body: JSON.stringify(body), ...(jobId === undefined ? {} : { jobId }) }
    if (webhookUrl !== undefined) this.deliveries.add({ ...delivery, url: webhookUrl })
    for (const target of this.webhooks.targetsOf(event)) this.deliveries.add({ ...delivery, ...target })
    return seq
  }

  /**
   * Serves committed events to followers and receivers; also called when the plan, the offline switch or another condition of waiting
   * deliveries has changed. Never throws: the change is committed already.
   */
  committed(): void {
    try {
      this.events.publish()
    } catch (cause) {
      this.#deps.log.error('an event could not be published', { cause })
    }
    this.#deliverer.wake()
  }

  /** Publishes the progress of a job or an analysis, or news of an audition, to followers: not stored, at most ten times a second. */
  progress(latest: PassingNews): void {
    this.events.progress(latest)
  }

  /** Sends a signed test event to a receiver, once, and returns how it went. Throws NOT_FOUND. */
  test(webhookId: string): Promise<Delivery> {
    return this.#deliverer.test(webhookId)
  }

  /** Sends the same bytes again now, with the schedule from its start. Throws NOT_FOUND. */
  redeliver(deliveryId: string): Delivery {
    this.deliveries.requeue(deliveryId)
    this.#deliverer.wake()
    return this.deliveries.find(deliveryId)
  }

  /** Forgets events and finished deliveries older than 30 days. */
  prune(): void {
    const { clock, trustedNow = clock.now } = this.#deps
    const beforeMs = trustedNow() - KEPT_DAYS * DAY_MS
    this.events.prune(beforeMs)
    this.deliveries.prune(beforeMs)
  }

  /** Starts delivering waiting entries, including those of earlier runs, and prunes old ones once a day. */
  start(): void {
    this.#tick()
    this.#deliverer.start()
  }

  /** Ends the live streams and breaks off attempts under way; they are made again at the next start. */
  async close(): Promise<void> {
    this.#stopTimer?.()
    this.events.close()
    await this.#deliverer.close()
  }

  #tick(): void {
    const { clock, log } = this.#deps
    try {
      this.prune()
    } catch (cause) {
      log.error('old events could not be forgotten', { cause })
    }
    this.#stopTimer = clock.after(DAY_MS, () => this.#tick())
  }
}
