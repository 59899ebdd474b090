/** Calls of the command line to the service that owns the data directory. */
import type { Endpoint } from '../contract/endpoint.ts'
import { ENDPOINTS, type EndpointName } from '../contract/endpoints.ts'
import type { ErrorEnvelope } from '../contract/errors.ts'
import { ServiceError } from './service-error.ts'
import type { Words } from './words.ts'

export interface CallOptions {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: object | FormData
}

export interface ServiceClient {
  /** Calls an endpoint and returns its JSON answer. Throws ServiceError with the envelope of a failure, a sentence where none comes. */
  call<Answer>(name: EndpointName, options?: CallOptions): Promise<Answer>
  /** Calls an endpoint and returns the raw successful answer, for bodies that are not JSON. Throws ServiceError. */
  fetch(name: EndpointName, options?: CallOptions): Promise<Response>
}

/** Returns a client of the service at `baseUrl` that acts with the session's own credential and asks for texts in the language of `words`. */
export function createServiceClient(baseUrl: string, sessionCredential: string, words: Words): ServiceClient {
  async function request(name: EndpointName, options: CallOptions = {}): Promise<Response> {
    const endpoint: Endpoint = ENDPOINTS[name]
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, key: string) =>
      encodeURIComponent(options.params?.[key] ?? ''),
    )
    const headers: Record<string, string> = {
      authorization: `Bearer ${sessionCredential}`,
      'accept-language': words.language,
    }
    const init: RequestInit = { method: endpoint.method, headers }
    if (options.body instanceof FormData) init.body = options.body
    else if (options.body) {
      headers['content-type'] = 'application/json'
      init.body = JSON.stringify(options.body)
    }
    const response = await fetch(`${baseUrl}${path}`, init).catch((cause: unknown) => {
      throw new Error(words.stoppedAnswering(baseUrl), { cause })
    })
    if (!response.ok) throw new ServiceError((await response.json()) as ErrorEnvelope)
    return response
  }
  return {
    fetch: request,
    async call<Answer>(name: EndpointName, options?: CallOptions) {
      const response = await request(name, options)
      return (response.status === 204 ? undefined : await response.json()) as Answer
    },
  }
}
