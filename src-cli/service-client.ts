/** Client of the command line to the service that owns the data directory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Client, createClient } from '../src-contract/client.ts'
import { ENDPOINTS, type EndpointName } from '../src-contract/endpoints.ts'
import type { JobPage } from '../src-contract/jobs.ts'
import { MAX_PAGE_SIZE } from '../src-contract/limits.ts'
import type { Messages } from './messages.ts'
import { unusable } from './unusable-input.ts'

/** Calls of the service. They throw ApiError with the envelope of a refusal, or an Error with a sentence if no answer comes. */
export type ServiceClient = Pick<Client, 'call' | 'open'>

/** Address of a service, and the credential for acting as the application. */
export interface Place {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly credential: string
}

/** Retries, at the interval below, while a stopping service answers 503. */
const UNAVAILABLE_TRIES = 30
const TRY_AGAIN_MS = 1000
/** Calls that may outlast fetch's limit for an answer, 300 s (undici, `headersTimeout`): repeating one waits for the first. */
const LASTING: readonly EndpointName[] = ['exportRelease']

/**
 * Creates a client of the service at `place` that acts as the application and asks for texts in the language of `messages`. If that service
 * is gone, reading calls, and calls that never reached it, are repeated at the service that `findAnother` returns.
 */
export function createServiceClient(
  place: Place,
  messages: Messages,
  findAnother?: (lost: Place) => Promise<Place>,
): ServiceClient {
  let current = place

  async function ask<Answer>(name: EndpointName, call: (client: Client) => Promise<Answer>): Promise<Answer> {
    const isReading = ENDPOINTS[name].method === 'GET'
    for (let tries = 1; ; tries++) {
      const asked = current
      try {
        const { baseUrl, credential: session } = asked
        return await call(createClient({ baseUrl, session, language: () => messages.language }))
      } catch (cause) {
        if (!(cause instanceof ApiError)) throw cause
        const isEnding = cause.status === 503 && isReading && tries < UNAVAILABLE_TRIES
        if (isEnding) {
          await sleep(TRY_AGAIN_MS)
          continue
        }
        if (cause.envelope) throw cause
        if (LASTING.includes(name) && codeOf(cause) === 'UND_ERR_HEADERS_TIMEOUT') continue
        const mayRepeat = isReading || isRefusedConnection(cause)
        if (!findAnother || !mayRepeat) throw new Error(messages.stoppedAnswering(asked.baseUrl), { cause })
        current = await findAnother(asked)
      }
    }
  }

  const client: ServiceClient = {
    open: async (name, ...args) => {
      await completeJobId(client, args[0], messages)
      return ask(name, (one) => one.open(name, ...args))
    },
    call: async (name, ...args) => {
      await completeJobId(client, args[0], messages)
      return ask(name, (one) => one.call(name, ...args))
    },
  }
  return client
}

/** First characters of a job's identifier, as in the name of its masters' folder. */
const SHORT_ID = /^[0-9a-f]{8}$/i

/** Completes the first eight characters of a job's identifier; unknown ones stay. Throws a sentence if two jobs match. */
async function completeJobId(client: ServiceClient, given: object | undefined, { jobs: say }: Messages): Promise<void> {
  const { params } = (given ?? {}) as { readonly params?: { job_id?: string } }
  const short = params?.job_id
  if (params === undefined || short === undefined || !SHORT_ID.test(short)) return
  const found: string[] = []
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const query = { limit: MAX_PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) }
    const page: JobPage = await client.call('listJobs', { query })
    found.push(...page.jobs.map(({ job_id }) => job_id).filter((id) => id.startsWith(short.toLowerCase())))
    cursor = page.next_cursor
    isLast = cursor === undefined
  }
  if (found.length > 1) throw unusable(say.severalJobs(short, found.join(', ')))
  params.job_id = found[0] ?? short
}

/** Returns whether a call never reached a service. */
function isRefusedConnection(failure: ApiError): boolean {
  return codeOf(failure) === 'ECONNREFUSED'
}

/** Returns the error code that kept a call from its answer. */
function codeOf({ cause: failure }: ApiError): string | undefined {
  return ((failure as Error | undefined)?.cause as NodeJS.ErrnoException | undefined)?.code
}
