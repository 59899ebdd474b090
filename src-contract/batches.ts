/** Batches of the API: many songs of this machine from one manifest (extension). They are unrelated to the page's batch in app.ts. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, Timestamp, Uuid } from './common.ts'
import { endpoints } from './endpoint.ts'
import { ERROR_CODES, FAILURE_CODES } from './errors.ts'
import { RetryChanges } from './jobs.ts'
import { MAX_MANIFEST_SONGS } from './limits.ts'
import { PLATFORMS } from './platforms/index.ts'

export const DELIVERIES = ['zip', 'folder'] as const
export const MANIFEST_STATUSES = ['running', 'paused', 'ended'] as const
export const PAUSE_REASONS = ['caller', 'credits', 'disk', 'folder'] as const
export const MANIFEST_SONG_STATUSES = ['waiting', 'queued', 'done', 'failed', 'cancelled'] as const
export type PauseReason = (typeof PAUSE_REASONS)[number]
export type ManifestSongStatus = (typeof MANIFEST_SONG_STATUSES)[number]

/** Settings of a song, as in a retry: unnamed ones stay. */
const changes = RetryChanges.properties

/** Optional first line of a manifest: values for all of its songs. */
export const ManifestHead = exactly({
  batch_id: Type.Optional(
    Type.String({ ...Uuid, description: 'A UUID of your own: the same manifest sent again is the same batch.' }),
  ),
  delivery: Type.Optional(
    oneOf(DELIVERIES, '`folder` writes the masters into `folder` and keeps no ZIP; `zip` when absent.'),
  ),
  folder: Type.Optional(
    Type.String({ description: 'Full path of the folder for the masters, inside the folders that the owner allowed.' }),
  ),
  ...changes,
})
export type ManifestHead = Static<typeof ManifestHead>

/** Line of a manifest: one song, given by exactly one of `path`, `job_id` and `source_id`, and its deviations from the head. */
export const ManifestLine = exactly({
  path: Type.Optional(
    Type.String({ description: 'Full path of a file of this machine, inside the folders that the owner allowed.' }),
  ),
  job_id: Type.Optional(Type.String({ description: 'A job whose song is mastered again.' })),
  source_id: Type.Optional(
    Type.String({ description: 'A set of stems of `POST /api/v1/sources`; for the app, any stored song.' }),
  ),
  subfolder: Type.Optional(
    Type.String({
      maxLength: 1000,
      pattern: '^(?!.*(^|/)\\.{1,2}(/|$))[^/\\\\\\u0000][^\\\\\\u0000]*$',
      description: 'Folder below `folder` for the masters of this song, with `/` between names.',
    }),
  ),
  ...changes,
})
export type ManifestLine = Static<typeof ManifestLine>

const counts = Object.fromEntries(
  MANIFEST_SONG_STATUSES.map((status) => [status, Type.Integer({ description: `Songs that are ${status}.` })]),
) as Record<ManifestSongStatus, ReturnType<typeof Type.Integer>>

/** A batch in answers. */
export const Manifest = exactly({
  batch_id: Uuid,
  status: oneOf(MANIFEST_STATUSES),
  paused_because: Type.Optional(
    oneOf(
      PAUSE_REASONS,
      'Only while it is paused: by a caller, or for want of credits, of disk space, or of the folder. A batch that lacked credits or disk space goes on by itself once there is enough for all of its songs.',
    ),
  ),
  delivery: oneOf(DELIVERIES, 'Place of the masters: the ZIP of each job, or a folder.'),
  songs: exactly({ total: Type.Integer({ description: 'All songs.' }), ...counts }, 'Songs by their status.'),
  progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Percent of the songs that have ended.' }),
  credits_needed: Type.Integer({ description: 'Credits that the waiting songs will cost.' }),
  credits_remaining: Type.Integer({ description: 'The balance at this moment.' }),
  bytes_needed: Type.Integer({
    description: 'Bytes that the waiting songs will take, estimated by the size of their files.',
  }),
  bytes_free: Type.Integer({ description: 'Bytes that may still be written at this moment.' }),
  created_at: Timestamp,
  ended_at: Type.Optional(Type.String({ ...Timestamp, description: 'End of its last song.' })),
})
export type Manifest = Static<typeof Manifest>

/** One song of a batch: a row of its result table. */
export const ManifestSong = exactly({
  line: Type.Integer({ minimum: 1, description: 'Number of the song in the manifest, without the head.' }),
  status: oneOf(MANIFEST_SONG_STATUSES),
  path: Type.Optional(Type.String()),
  source_id: Type.Optional(Uuid),
  source_job_id: Type.Optional(Type.String({ description: 'The job whose song it is.' })),
  job_id: Type.Optional(Type.String({ ...Uuid, description: 'Its job, once there is one.' })),
  title: Type.Optional(Type.String()),
  folder: Type.Optional(Type.String({ description: 'Folder to which its masters were delivered.' })),
  masters: Type.Optional(
    Type.Array(
      exactly({
        platform: oneOf(PLATFORMS),
        integrated_lufs: Type.Number(),
        true_peak_dbtp: Type.Number(),
        verdict: Type.String(),
      }),
    ),
  ),
  error_code: Type.Optional(
    oneOf([...ERROR_CODES, ...FAILURE_CODES], 'Reason for which it failed: of a request, or of a job.'),
  ),
  error_message: Type.Optional(Type.String()),
})
export type ManifestSong = Static<typeof ManifestSong>

const BatchPath = exactly({ batch_id: Type.String() })

/** Message of the stream of results: a song that has ended, or the end of the batch. */
export const ManifestEvent = exactly({
  event: oneOf(['song.ended', 'batch.ended']),
  batch_id: Uuid,
  song: Type.Optional(ManifestSong),
})
export type ManifestEvent = Static<typeof ManifestEvent>

const EXAMPLE = [
  {
    batch_id: '7b0a3a3e-6b1f-4b8e-9a51-0f3d0a7f4a10',
    platforms: PLATFORMS.slice(0, 2),
    delivery: 'folder',
    folder: '/music/masters',
  },
  { path: '/music/in/one.wav' },
  { path: '/music/in/two.flac', genre: 'pop', title: 'Two' },
]
  .map((line) => JSON.stringify(line))
  .join('\n')

const tag = 'Batches'
const answers = { 200: { description: 'The batch.', schema: Manifest } }

export const batchEndpoints = endpoints({
  createBatch: {
    method: 'POST',
    path: '/api/v1/batches',
    access: 'caller',
    scope: 'master',
    tag,
    summary: `Master up to ${MAX_MANIFEST_SONGS} songs of this machine by one manifest (extension)`,
    form: {
      fields: exactly({}),
      files: { manifest: { required: true, description: 'The manifest: JSON lines.' } },
    },
    lines: { schemas: [ManifestHead, ManifestLine], example: EXAMPLE },
    answers: {
      201: { description: 'The batch: it begins, or is paused and says why.', schema: Manifest },
      200: { description: 'The batch that was made by this very manifest before.', schema: Manifest },
    },
    errors: ['INVALID_PLATFORM', 'INVALID_WEBHOOK_URL', 'PATH_NOT_ALLOWED', 'FILE_TOO_LARGE', 'IDEMPOTENCY_MISMATCH'],
  },
  listBatches: {
    method: 'GET',
    path: '/api/v1/batches',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'List the newest 100 batches (extension)',
    answers: {
      200: {
        description: 'The batches.',
        schema: exactly({ batches: Type.Array(Manifest, { description: 'Newest first.' }) }),
      },
    },
    errors: [],
  },
  readBatch: {
    method: 'GET',
    path: '/api/v1/batches/{batch_id}',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Read how far a batch is (extension)',
    params: BatchPath,
    answers,
    errors: ['BATCH_NOT_FOUND'],
  },
  readBatchSongs: {
    method: 'GET',
    path: '/api/v1/batches/{batch_id}/songs',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Read the result table of a batch (extension)',
    params: BatchPath,
    query: exactly({
      format: Type.Optional(oneOf(['json', 'csv'], '`csv` is the whole table.')),
      status: Type.Optional(oneOf(MANIFEST_SONG_STATUSES)),
      after_line: Type.Optional(Type.Integer({ minimum: 0, description: '`next_line` of the page before.' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Songs of a page.' })),
    }),
    answers: {
      200: {
        description: 'A page of the table, in the order of the manifest, or all of it as CSV.',
        schema: exactly({
          songs: Type.Array(ManifestSong),
          next_line: Type.Optional(Type.Integer({ description: 'Absent on the last page.' })),
        }),
        mediaTypes: ['text/csv'],
      },
    },
    errors: ['BATCH_NOT_FOUND'],
  },
  streamBatch: {
    method: 'GET',
    path: '/api/v1/batches/{batch_id}/events',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'Follow the results of a batch as server-sent events (extension)',
    params: BatchPath,
    headers: Type.Object({ 'last-event-id': Type.Optional(Type.String()) }),
    answers: { 200: { description: 'The stream.', mediaTypes: ['text/event-stream'], messages: ManifestEvent } },
    errors: ['BATCH_NOT_FOUND'],
  },
  deleteBatch: {
    method: 'DELETE',
    path: '/api/v1/batches/{batch_id}',
    access: 'caller',
    scope: 'all',
    tag,
    summary: 'Cancel an unfinished batch, or delete the record of an ended one (extension)',
    description:
      'Its jobs and masters stay. A manifest that is sent again after its record was deleted is a new batch, and charged. To cancel only, use `cancel`.',
    params: BatchPath,
    answers: {
      200: { description: 'The batch: what had not ended is cancelled and refunded.', schema: Manifest },
      204: { description: 'The record of the ended batch is deleted.' },
    },
    errors: ['BATCH_NOT_FOUND'],
  },
  pauseBatch: {
    method: 'POST',
    path: '/api/v1/batches/{batch_id}/pause',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Pause a batch (extension)',
    params: BatchPath,
    answers,
    errors: ['BATCH_NOT_FOUND'],
  },
  resumeBatch: {
    method: 'POST',
    path: '/api/v1/batches/{batch_id}/resume',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Let a paused batch go on (extension)',
    params: BatchPath,
    answers,
    errors: ['BATCH_NOT_FOUND'],
  },
  cancelBatch: {
    method: 'POST',
    path: '/api/v1/batches/{batch_id}/cancel',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Cancel what of a batch has not ended (extension)',
    params: BatchPath,
    answers,
    errors: ['BATCH_NOT_FOUND'],
  },
  retryBatch: {
    method: 'POST',
    path: '/api/v1/batches/{batch_id}/retry',
    access: 'caller',
    scope: 'master',
    tag,
    summary: 'Master the failed songs of a batch again (extension)',
    params: BatchPath,
    answers,
    errors: ['BATCH_NOT_FOUND'],
  },
})
