/** Account webhooks and their deliveries (extension; plan counts from specification section 8). */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, PageSize, Timestamp, Uuid } from './common.ts'
import { endpoints } from './endpoint.ts'
import { WEBHOOK_EVENTS } from './events.ts'
import { MAX_URL_LENGTH } from './limits.ts'

export const Webhook = exactly({
  webhook_id: Uuid,
  url: Type.String({ format: 'uri' }),
  events: Type.Array(oneOf(WEBHOOK_EVENTS)),
  state: oneOf(
    ['active', 'suspended', 'gone'],
    '`gone`: the receiver answered 410 and gets nothing, until it takes a test.',
  ),
  created_at: Timestamp,
  last_delivery_at: Type.Optional(Timestamp),
})
export type Webhook = Static<typeof Webhook>

/** The only answers that hold the signing secret. */
export const WebhookSecret = exactly({ webhook_id: Uuid, secret: Type.String({ pattern: '^whsec_' }) })

const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const
const STOP_REASONS = ['job_deleted', 'webhook_removed', 'receiver_gone'] as const
export type StopReason = (typeof STOP_REASONS)[number]

export const Delivery = exactly({
  delivery_id: Uuid,
  event_id: Type.String({ description: 'The `webhook-id` header, the same on every attempt.' }),
  event: Type.String(),
  job_id: Type.Optional(Uuid),
  webhook_id: Type.Optional(Uuid),
  url: Type.String(),
  state: oneOf(DELIVERY_STATES),
  attempts: Type.Integer(),
  next_attempt_at: Type.Optional(Timestamp),
  last_attempt_at: Type.Optional(Timestamp),
  last_status: Type.Optional(Type.Integer()),
  last_error: Type.Optional(Type.String()),
  stop_reason: Type.Optional(
    oneOf(
      STOP_REASONS,
      'Reason for which a `failed` delivery is not sent again although attempts are left; absent otherwise.',
    ),
  ),
  created_at: Timestamp,
})
export type Delivery = Static<typeof Delivery>

const WebhookPath = exactly({ webhook_id: Type.String() })
const tag = 'Webhooks'

export const webhookEndpoints = endpoints({
  listWebhooks: {
    method: 'GET',
    path: '/api/v1/webhooks',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'List webhooks (extension)',
    answers: { 200: { description: 'Webhooks.', schema: exactly({ webhooks: Type.Array(Webhook) }) } },
    errors: [],
  },
  createWebhook: {
    method: 'POST',
    path: '/api/v1/webhooks',
    access: 'caller',
    scope: 'all',
    tag,
    summary: 'Register a webhook; its secret is shown only once (extension)',
    body: exactly({
      url: Type.String({ minLength: 1, maxLength: MAX_URL_LENGTH }),
      events: Type.Optional(Type.Array(oneOf(WEBHOOK_EVENTS), { minItems: 1, uniqueItems: true })),
    }),
    answers: {
      201: {
        description: 'The webhook with its secret.',
        schema: exactly({ ...Webhook.properties, secret: Type.String() }),
      },
    },
    errors: ['INVALID_WEBHOOK_URL', 'WEBHOOK_LIMIT'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/api/v1/webhooks/{webhook_id}',
    access: 'caller',
    scope: 'all',
    tag,
    summary: 'Remove a webhook; its waiting deliveries stop (extension)',
    params: WebhookPath,
    answers: { 204: { description: 'Removed.' } },
    errors: ['NOT_FOUND'],
  },
  replaceWebhookSecret: {
    method: 'POST',
    path: '/api/v1/webhooks/{webhook_id}/secret',
    access: 'caller',
    scope: 'all',
    tag,
    summary: 'Replace the signing secret (extension)',
    params: WebhookPath,
    answers: { 200: { description: 'The new secret.', schema: WebhookSecret } },
    errors: ['NOT_FOUND'],
  },
  testWebhook: {
    method: 'POST',
    path: '/api/v1/webhooks/{webhook_id}/test',
    access: 'caller',
    scope: 'all',
    tag,
    summary: 'Send a signed test event and report the result (extension)',
    description: 'A webhook in the state `gone` is active again when the test succeeds.',
    params: WebhookPath,
    answers: { 200: { description: 'The finished delivery.', schema: Delivery } },
    errors: ['NOT_FOUND'],
  },
  listDeliveries: {
    method: 'GET',
    path: '/api/v1/webhooks/deliveries',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Read the delivery log, newest first (extension)',
    query: exactly({
      webhook_id: Type.Optional(Uuid),
      job_id: Type.Optional(Uuid),
      limit: Type.Optional(PageSize),
    }),
    answers: { 200: { description: 'Deliveries.', schema: exactly({ deliveries: Type.Array(Delivery) }) } },
    errors: [],
  },
  redeliver: {
    method: 'POST',
    path: '/api/v1/webhooks/deliveries/{delivery_id}/redeliver',
    access: 'caller',
    scope: 'all',
    tag,
    summary: 'Send the same bytes again now (extension)',
    params: exactly({ delivery_id: Type.String() }),
    answers: { 202: { description: 'Queued.', schema: Delivery } },
    errors: ['NOT_FOUND'],
  },
  readJobSigningSecret: {
    method: 'GET',
    path: '/app/webhook-secret',
    access: 'session',
    tag,
    summary: 'Read the secret that signs the callbacks of jobs with a webhook_url',
    answers: { 200: { description: 'The secret.', schema: exactly({ secret: Type.String() }) } },
    errors: [],
  },
  replaceJobSigningSecret: {
    method: 'POST',
    path: '/app/webhook-secret',
    access: 'session',
    tag,
    summary: 'Replace that secret',
    answers: { 200: { description: 'The new secret.', schema: exactly({ secret: Type.String() }) } },
    errors: [],
  },
})
