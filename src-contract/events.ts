/** The two webhook bodies, exactly as specified (section 6), and apart from them the richer live events of the app. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, Uuid } from './common.ts'
import { endpoints } from './endpoint.ts'
import { MAX_STREAMS_PER_KEY } from './limits.ts'

export const WEBHOOK_EVENTS = ['job.completed', 'job.failed'] as const
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number]

/** Body of the callback when a job is done: these four members and no other. */
export const JobCompleted = exactly({
  event: Type.Literal('job.completed'),
  job_id: Uuid,
  status: Type.Literal('done'),
  download_url: Type.String({ format: 'uri' }),
})
export type JobCompleted = Static<typeof JobCompleted>

/** Body of the callback when a job failed: these four members and no other. */
export const JobFailed = exactly({
  event: Type.Literal('job.failed'),
  job_id: Uuid,
  status: Type.Literal('failed'),
  error_message: Type.String(),
})
export type JobFailed = Static<typeof JobFailed>

/** Body of a test, sent from the settings to one webhook: the shape of a completed job, of a job that does not exist. */
export const WebhookTest = exactly({
  event: Type.Literal('webhook.test'),
  job_id: Uuid,
  status: Type.Literal('done'),
  download_url: Type.String({ format: 'uri' }),
})
export type WebhookTest = Static<typeof WebhookTest>

/** Wire name of the event of the page's batch, as released. */
export const BATCH_CHANGED = 'desk.changed'

/**
 * Live events of `GET /api/v1/events`. Stored ones have an id that a client sends back as `Last-Event-ID`; `job.progress`,
 * `source.progress`, `audition.changed`, `release.changed` and `export.progress` are not stored and have none: their content is repeated in
 * the next stored event, in the resource itself or in the answer. `job.delivered` (the masters are in the output folder), `source.progress`
 * (a stored song is being analysed), `export.progress` (files of a release are being written), `audition.changed`, {@link BATCH_CHANGED} and
 * `settings.changed` are sent only to the app.
 */
export const LIVE_EVENTS = [
  'job.created',
  'job.progress',
  'job.completed',
  'job.failed',
  'job.deleted',
  'job.expired',
  'job.delivered',
  'source.progress',
  'audition.changed',
  'release.changed',
  'export.progress',
  'account.changed',
  BATCH_CHANGED,
  'settings.changed',
] as const
export type LiveEventName = (typeof LIVE_EVENTS)[number]
/** Stored events; all others are transient. */
export type StoredEventName = Exclude<
  LiveEventName,
  'job.progress' | 'source.progress' | 'audition.changed' | 'release.changed' | 'export.progress'
>

/** The `data` of a live event. `seq` orders all events of one job: an older one than already seen is ignored. */
export const LiveEvent = exactly({
  event: oneOf(LIVE_EVENTS),
  seq: Type.Integer({ description: 'Order of events; of progress that of the last stored event.' }),
  job_id: Type.Optional(Uuid),
  source_id: Type.Optional(Uuid),
  audition_id: Type.Optional(Type.String()),
  release_id: Type.Optional(Uuid),
  progress: Type.Optional(Type.Integer()),
  stage: Type.Optional(Type.String()),
  files_done: Type.Optional(Type.Integer({ description: 'Sound files of an export that are complete.' })),
  files: Type.Optional(Type.Integer({ description: 'All of its sound files.' })),
  file: Type.Optional(Type.String({ description: 'The one that is being made; absent behind the last.' })),
})
export type LiveEvent = Static<typeof LiveEvent>

export const eventEndpoints = endpoints({
  streamEvents: {
    method: 'GET',
    path: '/api/v1/events',
    access: 'caller',
    scope: 'read',
    tag: 'Events',
    summary: 'Follow events as server-sent events (extension)',
    description: `A key has at most ${MAX_STREAMS_PER_KEY} event streams open at once, those of batches among them: one more is 429 CONCURRENT_LIMIT until one is closed. A stream that is not read for 30 s is closed. Each message has \`event\`, \`data\` (JSON, see LiveEvent) and, when stored, \`id\`. A comment every 15 s keeps the connection open. With \`Last-Event-ID\` the events stored after it are sent first.`,
    headers: Type.Object({ 'last-event-id': Type.Optional(Type.String()) }),
    answers: { 200: { description: 'The stream.', mediaTypes: ['text/event-stream'], messages: LiveEvent } },
    errors: ['CONCURRENT_LIMIT'],
  },
})
