/** Calls of the command line to the service that owns the data directory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Endpoint, fillPath, writeQuery } from '../src-contract/endpoint.ts'
import { type AnswerOf, ENDPOINTS, type EndpointName } from '../src-contract/endpoints.ts'
import type { ErrorEnvelope } from '../src-contract/errors.ts'
import { ServiceError } from './service-error.ts'
import type { Words } from './words.ts'

export interface CallOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object | FormData
}

export interface ServiceClient {
  /** Calls an endpoint and returns its JSON answer. Throws ServiceError with the envelope of a failure, a sentence where none comes. */
  call<Name extends EndpointName>(name: Name, options?: CallOptions): Promise<AnswerOf<Name>>
  /** Calls an endpoint and returns the raw successful answer, for bodies that are not JSON. Throws ServiceError. */
  fetch(name: EndpointName, options?: CallOptions): Promise<Response>
}

/** Where a service listens, and what lets its client act as the app. */
export interface Place {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly credential: string
}

/** A service that is ending answers 503 for this long at most before it is gone. */
const UNAVAILABLE_TRIES = 30
const TRY_AGAIN_MS = 1000

/**
 * Returns a client of the service at `place` that acts as the app and asks for texts in the language of `words`. When that service is
 * gone, what only reads is asked again of the one that `findAnother` returns, and so is what never reached it.
 */
export function createServiceClient(
  place: Place,
  words: Words,
  findAnother?: (lost: Place) => Promise<Place>,
): ServiceClient {
  let current = place
  async function send(name: EndpointName, options: CallOptions, { baseUrl, credential }: Place): Promise<Response> {
    const endpoint: Endpoint = ENDPOINTS[name]
    const headers: Record<string, string> = {
      authorization: `Bearer ${credential}`,
      'accept-language': words.language,
    }
    const init: RequestInit = { method: endpoint.method, headers }
    if (options.body instanceof FormData) init.body = options.body
    else if (options.body) {
      headers['content-type'] = 'application/json'
      init.body = JSON.stringify(options.body)
    }
    return fetch(baseUrl + fillPath(endpoint.path, options.params) + writeQuery(options.query), init)
  }
  async function request(name: EndpointName, options: CallOptions = {}): Promise<Response> {
    const isReading = ENDPOINTS[name].method === 'GET'
    for (let tries = 1; ; tries++) {
      const asked = current
      try {
        const response = await send(name, options, asked)
        if (response.ok) return response
        const isEnding = response.status === 503 && isReading && tries < UNAVAILABLE_TRIES
        if (!isEnding) throw new ServiceError((await response.json()) as ErrorEnvelope)
        await response.body?.cancel()
        await sleep(TRY_AGAIN_MS)
      } catch (cause) {
        if (cause instanceof ServiceError) throw cause
        const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException
        const mayRepeat = isReading || code === 'ECONNREFUSED'
        if (!findAnother || !mayRepeat) throw new Error(words.stoppedAnswering(asked.baseUrl), { cause })
        current = await findAnother(asked)
      }
    }
  }
  return {
    fetch: request,
    async call<Name extends EndpointName>(name: Name, options?: CallOptions) {
      const response = await request(name, options)
      return (response.status === 204 ? undefined : await response.json()) as AnswerOf<Name>
    },
  }
}
