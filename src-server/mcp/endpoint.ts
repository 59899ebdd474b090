/** `/mcp` in both eras of the protocol: sessions up to 2025-11-25, single requests from 2026-07-28, one table of tools for both. */
import {
  createMcpHandler,
  isLegacyRequest,
  LATEST_PROTOCOL_VERSION,
  type McpHttpHandler,
  type Server,
} from '@modelcontextprotocol/server'
import { atMost } from '../../src-contract/at-most.ts'
import { createClient } from '../../src-contract/client.ts'
import type { Clock } from '../../src-system/system.ts'
import { createMcpServer, type McpServerDeps } from './server.ts'
import { type McpCaller, type McpRequest, McpSessions } from './sessions.ts'

/** Time between two comments on the stream of a call, ms. Only a write shows that its client has closed, which cancels the call. */
const KEEP_ALIVE_MS = 1000

export interface McpEndpointDeps
  extends Omit<McpServerDeps, 'client' | 'era' | 'scope' | 'language' | 'isOver' | 'inTurn'> {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Address of the API, without a trailing slash. */
  readonly baseUrl: string
}

/** Answer to one request. */
export interface McpAnswer {
  readonly response: Response
  /** True if a refusal keeps the form of the protocol, by which clients choose its revision. */
  readonly isModern: boolean
}

export class McpEndpoint {
  readonly #deps: McpEndpointDeps
  readonly #sessions: McpSessions
  readonly #modern: McpHttpHandler
  /** Queue of free work for each key. */
  readonly #turns = new Map<string, McpServerDeps['inTurn']>()
  #isClosed = false

  constructor(deps: McpEndpointDeps) {
    this.#deps = deps
    this.#sessions = new McpSessions({
      ...deps,
      serverFor: (caller, isOver) => this.#serverFor(caller, 'legacy', isOver),
    })
    this.#modern = createMcpHandler(
      ({ authInfo }) => this.#serverFor(authInfo?.extra?.caller as McpCaller, 'modern', () => this.#isClosed),
      // Streams from the start, so that a proxy learns at once that the call has arrived.
      { legacy: 'reject', responseMode: 'sse', keepAliveMs: KEEP_ALIVE_MS, onerror: deps.onRefused },
    )
  }

  /** Answers one request. Throws as {@link McpSessions.answer} for one of the protocol with sessions. */
  async answer(given: McpRequest, caller: McpCaller): Promise<McpAnswer> {
    const { request, parsedBody } = given
    if (await isLegacyRequest(request, parsedBody))
      return { response: await this.#sessions.answer(given, caller), isModern: false }
    const authInfo = { token: caller.key, clientId: caller.keyId, scopes: [caller.scope], extra: { caller } }
    return { response: await this.#modern.fetch(request, { parsedBody, authInfo }), isModern: namesModern(request) }
  }

  /** Ends all sessions and calls. Their jobs continue. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([this.#sessions.close(), this.#modern.close()])
  }

  #serverFor(
    { keyId, key, scope, language, program }: McpCaller,
    era: McpServerDeps['era'],
    isOver: () => boolean,
  ): Server {
    const { baseUrl } = this.#deps
    const client = createClient({
      ...{ baseUrl, session: key, language: () => language },
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), 'User-Agent': program } }),
    })
    const inTurn = this.#turns.get(keyId) ?? atMost(1)
    this.#turns.set(keyId, inTurn)
    return createMcpServer({ ...this.#deps, client, era, scope, language, inTurn, isOver })
  }
}

/** Returns whether the headers name a revision without sessions; revisions are dates. */
function namesModern({ headers }: Request): boolean {
  const revision = headers.get('mcp-protocol-version')
  return revision !== null && revision > LATEST_PROTOCOL_VERSION
}
