/** `/mcp`: the Model Context Protocol over Streamable HTTP, for programs with an API key. */
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../../src-contract/endpoint.ts'
import { preferredLanguage } from '../../src-contract/text/language.ts'
import type { Clock } from '../../src-system/system.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import { readJson, untilGone } from '../http/route.ts'
import type { McpEndpoint, McpEndpointDeps } from './endpoint.ts'

export interface McpRoutesDeps extends Omit<McpEndpointDeps, 'clock'> {
  readonly clock: Clock
  /** Returns the API key of a request; throws INVALID_API_KEY without one, also if there is another credential. */
  readonly keyOf: (request: FastifyRequest) => { readonly keyId: string; readonly scope: Scope; readonly key: string }
}

/** First bytes of an event stream, a comment: without them a client would see no answer until there is a message. */
const OPENING = ':\n\n'

/** Serves `/mcp`. The protocol library is loaded with the first request. Returns a function that ends its sessions and calls. */
export function mcpRoutes(app: FastifyInstance, { keyOf, ...deps }: McpRoutesDeps): () => Promise<void> {
  let endpoint: Promise<McpEndpoint> | undefined
  const load = async () => new (await import('./endpoint.ts')).McpEndpoint(deps)
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { headers, method } = request
      const caller = {
        ...keyOf(request),
        language: preferredLanguage(headers['accept-language']),
        program: headers['user-agent'] ?? 'mcp',
      }
      const signal = untilGone(reply)
      const body = method === 'POST' ? await readJson(request, { clock: deps.clock, signal }) : undefined
      endpoint ??= load()
      const { response, isModern } = await (await endpoint).answer(
        {
          request: webRequest(request, deps.baseUrl, signal),
          parsedBody: body,
          onClosed: (listener) => void reply.raw.once('close', listener),
        },
        caller,
      )
      if (response.status >= 400 && !isModern) throw await refusalOf(response)
      return send(reply, response)
    },
  })
  return async () => (await endpoint)?.close()
}

function webRequest({ method, headers }: FastifyRequest, baseUrl: string, signal: AbortSignal): Request {
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as [string, string]] : [],
  )
  return new Request(`${baseUrl}/mcp`, { method, headers: texts, signal })
}

/** Converts a refusal of the protocol library: unsuccessful answers of the service have one form, except where clients read the protocol's. */
async function refusalOf({ status, body }: Response): Promise<AppError> {
  await body?.cancel()
  if (status === 404) return new AppError('NOT_FOUND')
  if (status === 415) return new AppError('UNSUPPORTED_MEDIA_TYPE', { expected: 'application/json' })
  return status < 500 ? invalidRequest('mcp_message') : new AppError('INTERNAL_ERROR', {}, { cause: status })
}

function send(reply: FastifyReply, { status, headers, body }: Response): FastifyReply {
  reply.code(status)
  for (const [name, value] of headers) if (name !== 'connection') reply.header(name, value)
  if (!body) return reply.send('')
  const out = new PassThrough()
  if (headers.get('content-type') === 'text/event-stream') out.write(OPENING)
  pipeline(Readable.fromWeb(body as ReadableStream), out).catch(() => {
    // The client is gone; its work continues.
  })
  return reply.send(out)
}
