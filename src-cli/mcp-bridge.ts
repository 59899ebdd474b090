/** Forwards the messages of a host from standard input to `/mcp`, and the answers back. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import {
  ErrorCode,
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { atMost } from '../src-contract/at-most.ts'
import { readFailure } from '../src-contract/client.ts'
import type { Place } from './service-client.ts'

export interface McpBridgeDeps {
  readonly key: string
  readonly place: Place
  /** Finds or starts the successor of a lost service. */
  readonly findAnother: (lost: Place) => Promise<Place>
  /** Sentence for a call whose service ended before its answer. */
  readonly lostMessage: string
}

export interface McpBridge {
  start(): Promise<void>
  /** Ends the session; its jobs continue. */
  close(): Promise<void>
}

/** Prefix of the ids of the bridge's own requests. */
const OWN = 'loudsmith-bridge-'

/**
 * Creates the bridge. If the service is gone or has forgotten the session, pending requests get an error, and the next message opens an
 * equal session at the service then running.
 */
export function createMcpBridge(deps: McpBridgeDeps): McpBridge {
  return new Bridge(deps)
}

class Bridge implements McpBridge {
  readonly #deps: McpBridgeDeps
  readonly #host = new StdioServerTransport()
  readonly #pending = new Set<JSONRPCRequest['id']>()
  readonly #own = new Map<JSONRPCRequest['id'], (answer: JSONRPCMessage) => void>()
  #place: Place
  #service: StreamableHTTPClientTransport | undefined
  #initialize: JSONRPCRequest | undefined
  #ownIds = 0
  /** Sends messages one at a time: each finds the session opened by an earlier one. */
  readonly #inTurn = atMost(1)

  constructor(deps: McpBridgeDeps) {
    this.#deps = deps
    this.#place = deps.place
  }

  async start(): Promise<void> {
    this.#host.onmessage = (message) => {
      void this.#inTurn(() => this.#toService(message))
    }
    await this.#host.start()
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => {})
    await this.#service?.terminateSession().catch(() => undefined)
    await this.#service?.close()
  }

  async #toService(message: JSONRPCMessage): Promise<void> {
    if (isInitializeRequest(message)) this.#initialize = message as JSONRPCRequest
    const waiting = isJSONRPCRequest(message) ? [message.id] : []
    try {
      await this.#send(message)
    } catch (error) {
      if (isRefusal(error)) return this.#answer(waiting, error)
      for (const id of waiting) this.#pending.delete(id)
      await this.#lose()
      try {
        if (!isForgotten(error)) this.#place = await this.#deps.findAnother(this.#place)
        await this.#send(message)
      } catch (again) {
        await this.#answer(waiting, again)
      }
    }
  }

  async #send(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message)) this.#pending.add(message.id)
    if (!this.#service) {
      const service = await this.#open()
      const first = this.#initialize
      if (first && message !== first) await this.#reinitialize(service, first)
      this.#service = service
    }
    await this.#service.send(message)
  }

  async #open(): Promise<StreamableHTTPClientTransport> {
    const service = new StreamableHTTPClientTransport(new URL(`${this.#place.baseUrl}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${this.#deps.key}`, 'User-Agent': 'loudsmith-mcp' } },
    })
    service.onmessage = (message) => this.#toHost(service, message)
    service.onerror = () => void this.#check(service)
    await service.start()
    return service
  }

  /** Reopens the session of the host, transparently. */
  async #reinitialize(service: StreamableHTTPClientTransport, first: JSONRPCRequest): Promise<void> {
    await this.#ask(service, first.method, first.params)
    await service.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }

  async #ask(service: StreamableHTTPClientTransport, method: string, params: JSONRPCRequest['params']): Promise<void> {
    const id = `${OWN}${this.#ownIds++}`
    const { promise, resolve } = Promise.withResolvers<JSONRPCMessage>()
    this.#own.set(id, resolve)
    try {
      await service.send({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) })
      await promise
    } finally {
      this.#own.delete(id)
    }
  }

  #toHost(service: StreamableHTTPClientTransport, message: JSONRPCMessage): void {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      const version = isJSONRPCResultResponse(message) ? message.result.protocolVersion : undefined
      if (typeof version === 'string') service.setProtocolVersion(version)
      const own = message.id === undefined ? undefined : this.#own.get(message.id)
      own?.(message)
      if (own) return
      if (message.id !== undefined) this.#pending.delete(message.id)
    }
    void this.#host.send(message)
  }

  /** Checks whether the session still exists after a connection fault. */
  async #check(service: StreamableHTTPClientTransport): Promise<void> {
    if (service !== this.#service) return
    try {
      const response = await fetch(`${this.#place.baseUrl}/mcp`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${this.#deps.key}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'Mcp-Session-Id': service.sessionId ?? '',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: `${OWN}ping`, method: 'ping' }),
      })
      await response.body?.cancel()
      if (response.ok) return
    } catch {
      // The service no longer answers.
    }
    if (service === this.#service) await this.#lose()
  }

  /** Closes the connection to a lost service, and answers the pending requests. */
  async #lose(): Promise<void> {
    const lost = this.#service
    this.#service = undefined
    await lost?.close()
    await this.#answer([...this.#pending], new Error(this.#deps.lostMessage))
  }

  /** Answers requests of the host with a failure. */
  async #answer(ids: readonly JSONRPCRequest['id'][], error: unknown): Promise<void> {
    const message = sentenceOf(error)
    for (const id of ids) {
      this.#pending.delete(id)
      await this.#host.send({ jsonrpc: '2.0', id, error: { code: ErrorCode.ConnectionClosed, message } })
    }
  }
}

/** Returns the sentence of a failure: the service's own, if it sent one. */
function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const sent = message.indexOf('{')
  return sent < 0 ? message : readFailure(0, message.slice(sent), () => null).message
}

/** Returns the HTTP status of a failed message; undefined without an answer. */
function statusOf(error: unknown): number | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'number' ? code : undefined
}

/** Returns whether the service itself refuses, as any other would. */
function isRefusal(error: unknown): boolean {
  return [400, 401, 403, 429].includes(statusOf(error) ?? 0)
}

/** Returns whether the service is running but has lost the session. */
function isForgotten(error: unknown): boolean {
  return statusOf(error) === 404
}
