/** Client of the command line to the service that owns the data directory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, type Client, createClient } from '../src-contract/client.ts'
import { ENDPOINTS, type EndpointName } from '../src-contract/endpoints.ts'
import type { Messages } from './messages.ts'

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

  return {
    open: (name, ...args) => ask(name, (client) => client.open(name, ...args)),
    call: (name, ...args) => ask(name, (client) => client.call(name, ...args)),
  }
}

/** Tells whether a call never reached a service. */
function isRefusedConnection(failure: ApiError): boolean {
  return codeOf(failure) === 'ECONNREFUSED'
}

/** Returns the code of what kept a call from its answer. */
function codeOf({ cause: failure }: ApiError): string | undefined {
  return ((failure as Error | undefined)?.cause as NodeJS.ErrnoException | undefined)?.code
}
