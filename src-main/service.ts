/** The shell as a client of its own server: calls from the endpoint table, songs from disk, and the stream of live events. */
import { openAsBlob } from 'node:fs'
import path from 'node:path'
import { type Endpoint, fillPath } from '../src-contract/endpoint.ts'
import { type AnswerOf, ENDPOINTS, type EndpointName } from '../src-contract/endpoints.ts'
import type { ErrorCode, ErrorEnvelope, ErrorParams } from '../src-contract/errors.ts'
import type { LiveEvent } from '../src-contract/events.ts'

/** The server answered that it will not; the message is in the language of the window, `values` are what it mentions. */
export class RefusedError extends Error {
  readonly code: ErrorCode
  readonly values: ErrorParams | undefined
  constructor({ error }: ErrorEnvelope) {
    super(error.message)
    this.code = error.code
    this.values = error.values
  }
}

export interface CallParts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number>>
  readonly body?: object
}

export interface Service {
  /** Calls an endpoint and returns its JSON. Throws RefusedError for an answer that is none of its successes. */
  call<Name extends EndpointName>(name: Name, parts?: CallParts): Promise<AnswerOf<Name>>
  /** Stores a file as a song in the batch, streamed from disk. Throws RefusedError, or the error of the file system. */
  storeSong(file: string): Promise<Pick<AnswerOf<'createSource'>, 'source_id'>>
  /** Calls back for every live event until the signal fires, over interruptions; `onConnect` runs at each new connection. */
  follow(onEvent: (event: LiveEvent) => void, onConnect: () => void, signal: AbortSignal): Promise<void>
}

const RECONNECT_MS = 1000

/** Splits a text stream of server-sent events into their `data` lines (HTML standard, section 9.2.6). Pure over its chunks. */
export function createEventReader(onData: (text: string) => void): (chunk: string) => void {
  let rest = ''
  return (chunk) => {
    const blocks = (rest + chunk).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const lines = block.split(/\r?\n/).filter((line) => line.startsWith('data:'))
      if (lines.length > 0) onData(lines.map((line) => line.slice(5).trimStart()).join('\n'))
    }
  }
}

/** Returns the client of the server at `baseUrl`, acting as the app itself. */
export function createService(baseUrl: string, credential: string, language: () => string): Service {
  const headers = () => ({ authorization: `Bearer ${credential}`, 'accept-language': language() })

  async function request(name: EndpointName, init: RequestInit, parts: CallParts = {}): Promise<Response> {
    const endpoint: Endpoint = ENDPOINTS[name]
    const address = new URL(fillPath(endpoint.path, parts.params), baseUrl)
    for (const [key, value] of Object.entries(parts.query ?? {})) address.searchParams.set(key, String(value))
    const response = await fetch(address, {
      method: endpoint.method,
      ...init,
      headers: { ...headers(), ...(init.headers as Record<string, string>) },
    })
    if (!response.ok) throw new RefusedError((await response.json()) as ErrorEnvelope)
    return response
  }

  async function readStream(onEvent: (event: LiveEvent) => void, onConnect: () => void, signal: AbortSignal) {
    const response = await request('streamEvents', { signal })
    onConnect()
    const read = createEventReader((text) => onEvent(JSON.parse(text) as LiveEvent))
    for await (const chunk of (response.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
    ))
      read(chunk)
  }

  return {
    async call<Name extends EndpointName>(name: Name, parts: CallParts = {}) {
      const json = parts.body
        ? { body: JSON.stringify(parts.body), headers: { 'content-type': 'application/json' } }
        : {}
      const response = await request(name, json, parts)
      return (response.status === 204 ? undefined : await response.json()) as AnswerOf<Name>
    },
    async storeSong(file) {
      const form = new FormData()
      form.append('file', await openAsBlob(file), path.basename(file).normalize('NFC'))
      const response = await request('createSource', { body: form })
      return (await response.json()) as AnswerOf<'createSource'>
    },
    async follow(onEvent, onConnect, signal) {
      while (!signal.aborted) {
        try {
          await readStream(onEvent, onConnect, signal)
        } catch {
          // The server stops or the machine slept; what was missed is read again on the next connection.
        }
        if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS))
      }
    },
  }
}
