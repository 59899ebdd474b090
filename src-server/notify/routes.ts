/** The live stream, the register of receivers, the delivery log and the secret of per-job callbacks. */
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { DEFAULT_PAGE_SIZE } from '../../src-contract/common.ts'
import { permits } from '../../src-contract/endpoint.ts'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { BATCH_CHANGED, type LiveEventName } from '../../src-contract/events.ts'
import type { Clock } from '../../src-system/system.ts'
import { type Caller, route } from '../http/route.ts'
import type { Notify } from './notify.ts'
import { EventStream } from './sse.ts'
import { SSE_HEADERS } from './sse-stream.ts'

export interface NotifyRoutesDeps {
  readonly notify: Notify
  readonly clock: Clock
  /** Returns whether an admitted caller may go on: a stream can outlive the revocation of its key. */
  readonly isStillAllowed: (caller: Caller) => boolean
}

/** Serves the endpoints of events and webhooks. */
export function notifyRoutes(app: FastifyInstance, { notify, clock, isStillAllowed }: NotifyRoutesDeps): void {
  const { webhooks, deliveries } = notify

  route(app, ENDPOINTS.streamEvents, ({ caller, headers, request }) => ({
    status: 200,
    headers: SSE_HEADERS,
    bytes:
      request.method === 'HEAD'
        ? Readable.from([])
        : notify.streams.open(
            caller,
            () =>
              new EventStream({
                log: notify.events,
                clock,
                lastEventId: headers['last-event-id'],
                mayKnow: (event) => caller.via === 'session' || !APP_EVENTS.has(event),
                isStillAllowed: () => isStillAllowed(caller),
              }),
          ),
  }))

  route(app, ENDPOINTS.listWebhooks, ({ caller }) => ({
    status: 200,
    body: { webhooks: webhooks.list().map((webhook) => ({ ...webhook, url: shownTo(caller, webhook.url) })) },
  }))
  route(app, ENDPOINTS.createWebhook, ({ body }) => ({ status: 201, body: webhooks.create(body.url, body.events) }))
  route(app, ENDPOINTS.deleteWebhook, ({ params }) => {
    webhooks.remove(params.webhook_id)
    return { status: 204 }
  })
  route(app, ENDPOINTS.replaceWebhookSecret, ({ params: { webhook_id } }) => ({
    status: 200,
    body: { webhook_id, secret: webhooks.replaceSecret(webhook_id) },
  }))
  route(app, ENDPOINTS.testWebhook, async ({ params }) => ({ status: 200, body: await notify.test(params.webhook_id) }))

  route(app, ENDPOINTS.listDeliveries, ({ query: { webhook_id, job_id, limit = DEFAULT_PAGE_SIZE }, caller }) => {
    const filters = {
      ...(webhook_id === undefined ? {} : { webhookId: webhook_id }),
      ...(job_id === undefined ? {} : { jobId: job_id }),
    }
    const found = deliveries.list({ ...filters, limit })
    return { status: 200, body: { deliveries: found.map((one) => ({ ...one, url: shownTo(caller, one.url) })) } }
  })
  route(app, ENDPOINTS.redeliver, ({ params }) => ({ status: 202, body: notify.redeliver(params.delivery_id) }))

  route(app, ENDPOINTS.readJobSigningSecret, () => ({ status: 200, body: { secret: webhooks.jobSecret() } }))
  route(app, ENDPOINTS.replaceJobSigningSecret, () => ({ status: 200, body: { secret: webhooks.replaceJobSecret() } }))
}

/**
 * Returns an address in the form that a caller may see: its path is often a secret and is hidden from keys that may not change webhooks.
 */
function shownTo(caller: Caller, url: string): string {
  return caller.via === 'session' || permits(caller.scope, 'all') ? url : `${new URL(url).origin}/`
}

/** Events only for the application: callers with a key have no access to the batch or to folders of this machine. */
const APP_EVENTS: ReadonlySet<LiveEventName> = new Set([
  BATCH_CHANGED,
  'job.delivered',
  'settings.changed',
  'source.progress',
  'export.progress',
  'audition.changed',
])
