/** The service with a key: every call of the API, and the steps from a song to its masters. */
import { type CallArguments, type Client, createClient, type FilePart } from '../../../src-contract/client.ts'
import type { AnswerOf } from '../../../src-contract/endpoints.ts'
import { type FollowedEvent, type FollowOptions, followEvents } from '../../../src-contract/follow-events.ts'
import { DEFAULT_PORT } from '../../../src-contract/limits.ts'
import { waitForJob } from '../../../src-contract/wait-for-job.ts'
import { type OnSent, sendingFetch } from './sending.ts'

export interface LoudsmithOptions {
  /** API key, `ams_live_…`. */
  readonly key: string
  /** Address of the service, without a trailing slash; `http://127.0.0.1:47310` when absent. */
  readonly baseUrl?: string
  /** Language of messages, `en` (when absent) or `ko`. */
  readonly language?: string
}

type CreatedJob = Extract<AnswerOf<'createJob'>, { status: unknown }>
type Fields = NonNullable<CallArguments<'createJob'>['fields']>

/** Options of a song to master: the text fields of `POST /api/v1/master` by their names, and these. */
export type Mastering = Omit<Fields, 'platforms' | 'dry_run'> & {
  /** Platforms, as a list or separated by commas. */
  readonly platforms: string | readonly string[]
  /** File name; when absent that of a `File`, else `song`. */
  readonly name?: string
  /** Track whose tone to match. */
  readonly reference?: FilePart
  /** Cover of the masters, JPEG or PNG. */
  readonly cover?: FilePart
  /** Key that makes a repeated call safe for 24 hours: it returns the same job and is not charged again. */
  readonly idempotencyKey?: string
  /** Called with the progress of the upload. */
  readonly onSent?: OnSent
  readonly signal?: AbortSignal
}

type Interruptible = { readonly signal?: AbortSignal }

/** A service at `baseUrl`. Every method throws ApiError, or the reason of its signal when that fires. */
export interface Loudsmith {
  /** Calls an endpoint of the API and returns its JSON; undefined for 204. */
  readonly call: Client['call']
  /** Calls an endpoint of the API and returns its raw response: files, pictures, streams. */
  readonly open: Client['open']
  /** Sends a song and returns its job, which is charged and runs on the service. */
  readonly master: (song: Blob, options: Mastering) => Promise<CreatedJob>
  /**
   * Waits for the end of a job, done or failed, and returns it. Plan limits and restarts of the service only delay it.
   */
  readonly wait: (jobId: string, options?: Interruptible) => Promise<AnswerOf<'readJob'>>
  /** Returns the response with the ZIP of a job's masters. A failed job throws ApiError with its reason. */
  readonly download: (jobId: string, options?: Interruptible) => Promise<Response>
  /** Follows the live events indefinitely, across restarts of the service. */
  readonly events: (options?: FollowOptions) => AsyncGenerator<FollowedEvent, void, undefined>
}

/** Creates the client of a service. Sends no request; never throws. */
export function createLoudsmith({
  key,
  baseUrl = `http://127.0.0.1:${DEFAULT_PORT}`,
  language = 'en',
}: LoudsmithOptions): Loudsmith {
  const common = { baseUrl, session: key, language: () => language }
  const client = createClient(common)
  return {
    call: client.call,
    open: client.open,
    async master(song, options) {
      const { onSent, ...rest } = options
      const sender = onSent ? createClient({ ...common, fetch: sendingFetch(onSent) }) : client
      return (await sender.call('createJob', formOf(song, rest))) as Extract<AnswerOf<'createJob'>, { status: unknown }>
    },
    wait: (jobId, { signal } = {}) => waitForJob(client, jobId, signal),
    download: (jobId, { signal } = {}) =>
      client.open('downloadResult', { params: { job_id: jobId }, ...(signal ? { signal } : {}) }),
    events: (options) => followEvents(client, options),
  }
}

function formOf(song: Blob, options: Omit<Mastering, 'onSent'>): CallArguments<'createJob'> {
  const { platforms, name, reference, cover, idempotencyKey, signal, ...fields } = options
  const ownName = 'name' in song ? String(song.name) : 'song'
  return {
    fields: { ...fields, platforms: typeof platforms === 'string' ? platforms : platforms.join(',') },
    files: {
      file: { content: song, name: name ?? ownName },
      ...(reference ? { reference_file: reference } : {}),
      ...(cover ? { cover_file: cover } : {}),
    },
    ...(idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } }),
    ...(signal ? { signal } : {}),
  }
}
