/** Client of the command line to the service that owns the data directory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Client, createClient } from '../src-contract/client.ts'
import { ENDPOINTS, type EndpointName } from '../src-contract/endpoints.ts'
import type { JobPage } from '../src-contract/jobs.ts'
import { MAX_PAGE_SIZE } from '../src-contract/limits.ts'
import type { Messages } from './messages.ts'
import { unusable } from './unusable-input.ts'

/** Calls of the service. They throw ApiError with the envelope of a refusal, and an Error with a sentence where none comes. */
export type ServiceClient = Pick<Client, 'call' | 'open'>

/** Address of a service, and the credential with which its client acts as the application. */
export interface Place {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly credential: string
}

/** A service that is ending answers 503 for this long at most before it is gone. */
const UNAVAILABLE_TRIES = 30
const TRY_AGAIN_MS = 1000
/** Calls that may last longer than fetch waits for an answer, 300 s (undici, `headersTimeout`): the same again waits for the first. */
const LASTING: readonly EndpointName[] = ['exportRelease']

/**
 * Creates a client of the service at `place` that acts as the application and asks for texts in the language of `messages`. When that
 * service is gone, reading calls are repeated at the one that `findAnother` returns, and so are calls that never reached it.
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

/** First characters of the identifier of a job, as the folder of its masters has them. */
const SHORT_ID = /^[0-9a-f]{8}$/i

/** Replaces the first eight characters of a job's identifier by all of them; one that is no job's stays. Throws a sentence for two jobs. */
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

/** Tells whether a call never reached a service. */
function isRefusedConnection(failure: ApiError): boolean {
  return codeOf(failure) === 'ECONNREFUSED'
}

/** Returns the code of what kept a call from its answer. */
function codeOf({ cause: failure }: ApiError): string | undefined {
  return ((failure as Error | undefined)?.cause as NodeJS.ErrnoException | undefined)?.code
}
