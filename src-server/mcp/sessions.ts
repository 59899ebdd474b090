/** Sessions of MCP clients of the protocol up to 2025-11-25. Each belongs to the API key that opened it. */
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Scope } from '../../src-contract/endpoint.ts'
import { MAX_MCP_SESSIONS } from '../../src-contract/limits.ts'
import type { Language } from '../../src-contract/text/language.ts'
import type { Clock } from '../../src-system/system.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'

/**
 * Idle time after which a session without an open answer may be evicted for another one of its key, ms. Its client is told to start a new one.
 */
const IDLE_MS = 600_000

/** Caller of a request. */
export interface McpCaller {
  readonly keyId: string
  readonly scope: Scope
  readonly key: string
  readonly language: Language
  /** Its `User-Agent`, which identifies it in the list of the key's uses. */
  readonly program: string
}

/** One request, and how long its answer lasts. */
export interface McpRequest {
  /** Its signal fires when the client is gone. */
  readonly request: Request
  readonly parsedBody: unknown
  /** Calls `listener` when the answer has been sent, or the client is gone. */
  readonly onClosed: (listener: () => void) => void
}

export interface SessionsDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly newUuid: () => string
  /** Returns the server of a session; `isOver` says whether the session has ended. */
  readonly serverFor: (caller: McpCaller, isOver: () => boolean) => Server
}

interface Session {
  readonly keyId: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  /** Answers that are not finished, streams among them. */
  openAnswers: number
  lastUsedMs: number
}

/** The open sessions. */
export class McpSessions {
  readonly #deps: SessionsDeps
  readonly #sessions = new Map<string, Session>()

  constructor(deps: SessionsDeps) {
    this.#deps = deps
  }

  /**
   * Answers one request. Throws NOT_FOUND for an ended or another key's session, CONCURRENT_LIMIT for one more than a key may have, and
   * INVALID_REQUEST for a message that neither begins a session nor belongs to one.
   */
  async answer({ request, parsedBody, onClosed }: McpRequest, caller: McpCaller): Promise<Response> {
    const sessionId = request.headers.get('mcp-session-id')
    const begins = [parsedBody].flat().some((message) => methodOf(message) === 'initialize')
    // The library would answer a second, malformed initialisation with its validator's messages.
    if (begins !== (sessionId === null)) throw invalidRequest('mcp_message')
    if (sessionId === null) return this.#begin(caller, { request, parsedBody, onClosed })
    return this.#handle(this.#find(sessionId, caller), { request, parsedBody, onClosed })
  }

  /** Ends all sessions. Their jobs continue. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()))
  }

  #find(sessionId: string, { keyId }: McpCaller): Session {
    const session = this.#sessions.get(sessionId)
    if (session?.keyId !== keyId) throw new AppError('NOT_FOUND', { reason: 'session' })
    return session
  }

  async #handle(session: Session, { request, parsedBody, onClosed }: McpRequest): Promise<Response> {
    session.openAnswers++
    onClosed(() => {
      session.openAnswers--
      session.lastUsedMs = this.#deps.clock.monotonicMs()
    })
    return session.transport.handleRequest(request, parsedBody === undefined ? {} : { parsedBody })
  }

  /** Opens a session from its first message. */
  async #begin(caller: McpCaller, first: McpRequest): Promise<Response> {
    const { keyId } = caller
    this.#requireRoom(keyId)
    const id = this.#deps.newUuid()
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id })
    const session = { keyId, transport, openAnswers: 0, lastUsedMs: this.#deps.clock.monotonicMs() }
    // Counted before it is open: several may start at once.
    this.#sessions.set(id, session)
    try {
      await this.#connect(id, transport, caller)
      const answer = await this.#handle(session, first)
      if (transport.sessionId === undefined) await transport.close()
      return answer
    } catch (error) {
      this.#sessions.delete(id)
      throw error
    }
  }

  /** Ends the key's idle session that was unused for longest, if the key has reached its limit. Throws CONCURRENT_LIMIT. */
  #requireRoom(keyId: string): void {
    const own = [...this.#sessions].filter(([, session]) => session.keyId === keyId)
    if (own.length < MAX_MCP_SESSIONS) return
    const idleSince = this.#deps.clock.monotonicMs() - IDLE_MS
    const [idle] = own
      .filter(([, { openAnswers, lastUsedMs }]) => openAnswers === 0 && lastUsedMs <= idleSince)
      .sort(([, one], [, other]) => one.lastUsedMs - other.lastUsedMs)
    if (!idle) throw new AppError('CONCURRENT_LIMIT', { limit: MAX_MCP_SESSIONS, reason: 'sessions' })
    const [id, { transport }] = idle
    this.#sessions.delete(id)
    void transport.close()
  }

  async #connect(id: string, transport: WebStandardStreamableHTTPServerTransport, caller: McpCaller): Promise<void> {
    let isOver = false
    transport.onclose = () => {
      isOver = true
      this.#sessions.delete(id)
    }
    await this.#deps.serverFor(caller, () => isOver).connect(transport)
  }
}

function methodOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined
}
