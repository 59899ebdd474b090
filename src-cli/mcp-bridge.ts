/** Forwards the messages of a host from standard input to `/mcp`, and the answers back. */
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  parseJSONRPCMessage,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
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
/** Code of the protocol's libraries for a call that lost its connection. */
const CONNECTION_CLOSED = -32000

/**
 * Creates the bridge, for hosts of each era of the protocol. If the service is gone or has forgotten the session, pending requests get an
 * error, and the next message opens an equal session at the service then running.
 */
export function createMcpBridge(deps: McpBridgeDeps): McpBridge {
  return new Bridge(deps)
}

class Bridge implements McpBridge {
  readonly #deps: McpBridgeDeps
  readonly #host = new StdioServerTransport()
  /** Requests without an answer. Aborting one cancels it in the stateless era, whose service hears of no cancellation. */
  readonly #pending = new Map<JSONRPCRequest['id'], AbortController>()
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
    if (!this.#initialize && cancels(message)) return this.#cancel(message)
    const waiting = isJSONRPCRequest(message) ? [message.id] : []
    try {
      await this.#send(message)
    } catch (error) {
      const answer = answerIn(error)
      if (answer) return this.#toHost(this.#service, answer)
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
    const call = new AbortController()
    if (isJSONRPCRequest(message)) this.#pending.set(message.id, call)
    if (!this.#service) {
      const service = await this.#open()
      const first = this.#initialize
      if (first && message !== first) await this.#reinitialize(service, first)
      this.#service = service
    }
    if (this.#initialize || !isJSONRPCRequest(message)) return this.#service.send(message)
    const onRequestStreamEnd = () => void this.#loseCall(message.id)
    await this.#service.send(message, { requestSignal: call.signal, onRequestStreamEnd })
  }

  #cancel({ params }: Cancellation): void {
    const call = this.#pending.get(params.requestId)
    this.#pending.delete(params.requestId)
    call?.abort()
  }

  /** Answers a call of the stateless era whose stream ended first. */
  async #loseCall(id: JSONRPCRequest['id']): Promise<void> {
    if (this.#pending.has(id)) await this.#answer([id], new Error(this.#deps.lostMessage))
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

  #toHost(service: StreamableHTTPClientTransport | undefined, message: JSONRPCMessage): void {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      const version = isJSONRPCResultResponse(message) ? message.result.protocolVersion : undefined
      if (typeof version === 'string') service?.setProtocolVersion(version)
      const own = message.id === undefined ? undefined : this.#own.get(message.id)
      own?.(message)
      if (own) return
      if (message.id !== undefined) this.#pending.delete(message.id)
    }
    void this.#host.send(message)
  }

  /** Checks whether the session still exists after a connection fault. */
  async #check(service: StreamableHTTPClientTransport): Promise<void> {
    if (service !== this.#service || !this.#initialize) return
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
    await this.#answer([...this.#pending.keys()], new Error(this.#deps.lostMessage))
  }

  /** Answers requests of the host with a failure. */
  async #answer(ids: readonly JSONRPCRequest['id'][], error: unknown): Promise<void> {
    const message = sentenceOf(error)
    for (const id of ids) {
      this.#pending.delete(id)
      await this.#host.send({ jsonrpc: '2.0', id, error: { code: CONNECTION_CLOSED, message } })
    }
  }
}

/** Returns the sentence of a failure: the service's own, if it sent one. */
function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const sent = message.indexOf('{')
  return sent < 0 ? message : readFailure(0, message.slice(sent), () => null).message
}

interface Cancellation {
  readonly params: { readonly requestId: JSONRPCRequest['id'] }
}

function cancels(message: object): message is Cancellation {
  return 'method' in message && message.method === 'notifications/cancelled'
}

/** Returns the answer of the protocol in a refusal of the stateless era; undefined if there is none. */
function answerIn(error: unknown): JSONRPCMessage | undefined {
  try {
    return error instanceof SdkHttpError ? parseJSONRPCMessage(JSON.parse(String(error.data.text))) : undefined
  } catch {
    return undefined
  }
}

/** Returns the HTTP status of a failed message; undefined without an answer. */
function statusOf(error: unknown): number | undefined {
  return error instanceof SdkHttpError ? error.status : undefined
}

/** Returns whether the service itself refuses, as any other would. */
function isRefusal(error: unknown): boolean {
  return [400, 401, 403, 429].includes(statusOf(error) ?? 0)
}

/** Returns whether the service is running but has lost the session. */
function isForgotten(error: unknown): boolean {
  return statusOf(error) === 404
}
