/** Sessions of MCP clients. Each belongs to the API key that opened it. */
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { createClient } from '../../src-contract/client.ts'
import type { Scope } from '../../src-contract/endpoint.ts'
import type { Language } from '../../src-contract/text/text.ts'
import { AppError } from '../http/app-error.ts'
import { createMcpServer, type McpServerDeps } from './server.ts'

/** Caller of a request. */
export interface McpCaller {
  readonly keyId: string
  readonly scope: Scope
  readonly key: string
  readonly language: Language
  /** Its `User-Agent`, under which the uses of its key are listed. */
  readonly program: string
}

export interface SessionsDeps extends Omit<McpServerDeps, 'client' | 'scope' | 'language' | 'isOver'> {
  /** Address of the API, without a trailing slash. */
  readonly baseUrl: string
}

interface Session {
  readonly keyId: string
  readonly transport: WebStandardStreamableHTTPServerTransport
}

/** Sessions at once; one more ends the one that was unused for longest, whose client opens another. */
const MAX_SESSIONS = 64

/** The open sessions, the one that was unused for longest first. */
export class McpSessions {
  readonly #deps: SessionsDeps
  readonly #sessions = new Map<string, Session>()

  constructor(deps: SessionsDeps) {
    this.#deps = deps
  }

  /** Answers one request. Throws NOT_FOUND for a session that has ended or is another key's. */
  async answer(request: Request, parsedBody: unknown, caller: McpCaller): Promise<Response> {
    const sessionId = request.headers.get('mcp-session-id')
    const transport = sessionId === null ? await this.#open(caller) : this.#find(sessionId, caller)
    return transport.handleRequest(request, parsedBody === undefined ? {} : { parsedBody })
  }

  /** Ends all sessions. Jobs that they began go on. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()))
  }

  #find(sessionId: string, { keyId }: McpCaller): WebStandardStreamableHTTPServerTransport {
    const session = this.#sessions.get(sessionId)
    if (session?.keyId !== keyId) throw new AppError('NOT_FOUND', { reason: 'session' })
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, session)
    return session.transport
  }

  async #open({ keyId, key, scope, language, program }: McpCaller): Promise<WebStandardStreamableHTTPServerTransport> {
    const { baseUrl, newUuid } = this.#deps
    let isOver = false
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: newUuid,
      onsessioninitialized: (id) => this.#add(id, { keyId, transport }),
    })
    transport.onclose = () => {
      isOver = true
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
    }
    const client = createClient({
      ...{ baseUrl, session: key, language: () => language },
      fetch: (url, init) =>
        fetch(url, { ...init, headers: { ...(init?.headers as Record<string, string>), 'User-Agent': program } }),
    })
    const server = createMcpServer({ ...this.#deps, client, scope, language, isOver: () => isOver })
    await server.connect(transport as Transport)
    return transport
  }

  #add(id: string, session: Session): void {
    this.#sessions.set(id, session)
    const [oldest] = this.#sessions.values()
    if (this.#sessions.size > MAX_SESSIONS) void oldest?.transport.close()
  }
}
