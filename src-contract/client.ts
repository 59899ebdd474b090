/** Typed calls of the endpoints and the reader of the event stream, over fetch: for the page, the shell and the terminal. */
import { type Endpoint, fillPath, writeQuery } from './endpoint.ts'
import {
  type AnswerOf,
  type BodyOf,
  ENDPOINTS,
  type EndpointName,
  type FieldsOf,
  type ParamsOf,
  type QueryOf,
} from './endpoints.ts'
import { ERROR_CODES, type ErrorCode, type ErrorEnvelope, type ErrorParams } from './errors.ts'

type Needed<Key extends string, Value> = [Value] extends [never] ? unknown : { [K in Key]: Value }

/** A file part of a form. */
export interface FilePart {
  readonly content: Blob
  readonly name: string
}

/** Fields of a form: its JSON object may be passed as an object. */
type SentFields<Fields> = {
  [Name in keyof Fields]?: Name extends 'metadata' ? Fields[Name] | Readonly<Record<string, unknown>> : Fields[Name]
}

/** Path parameters, query, JSON body or form of a call to the endpoint `Name`, as the table declares them. */
export type CallArguments<Name extends EndpointName> = Needed<'params', ParamsOf<Name>> &
  ([QueryOf<Name>] extends [never] ? unknown : { query?: QueryOf<Name> }) &
  Needed<'body', BodyOf<Name>> &
  ([FieldsOf<Name>] extends [never]
    ? unknown
    : { fields?: SentFields<FieldsOf<Name>>; files?: Record<string, FilePart> }) & {
    signal?: AbortSignal
    headers?: Record<string, string>
    /** Lets a request outlive the page, such as one sent while it closes. */
    keepalive?: boolean
  }

/** The last parameter of a call: optional if the endpoint requires no arguments. */
export type CallParameters<Name extends EndpointName> =
  Record<string, never> extends CallArguments<Name> ? [args?: CallArguments<Name>] : [args: CallArguments<Name>]

/**
 * Code of a failure: the server's, `UNREACHABLE` without a complete answer, `FILE_GONE` for an unreadable upload file, `MASTERS_GONE` if
 * the desktop found no masters to show, or `STEMS_GONE` if a mix has lost its stems.
 */
export type ClientErrorCode = ErrorCode | 'UNREACHABLE' | 'FILE_GONE' | 'MASTERS_GONE' | 'STEMS_GONE'

/** Sentences for failures without an answer from the server. */
const SENTENCES: Partial<Record<ClientErrorCode, string>> = {
  UNREACHABLE:
    'No whole answer came from Loudsmith. Start it ("loudsmith serve", or its window), check the address and the port, and try again.',
}

/** A failed call. Its message is the server's, in the requested language, or the code if the server sent no message. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: ClientErrorCode
  readonly status: number
  readonly param: string | undefined
  /** Values that the sentence of the code mentions. */
  readonly values: ErrorParams | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** The envelope from the server; undefined without one. */
  readonly envelope: ErrorEnvelope | undefined

  constructor(fields: {
    code: ClientErrorCode
    status?: number
    param?: string | undefined
    values?: ErrorParams | undefined
    requestId?: string | undefined
    retryAfterSeconds?: number | undefined
    envelope?: ErrorEnvelope | undefined
    cause?: unknown
  }) {
    super(
      fields.envelope?.error.message ?? SENTENCES[fields.code] ?? fields.code,
      'cause' in fields ? { cause: fields.cause } : {},
    )
    this.code = fields.code
    this.status = fields.status ?? 0
    this.param = fields.param
    this.values = fields.values
    this.requestId = fields.requestId
    this.retryAfterSeconds = fields.retryAfterSeconds
    this.envelope = fields.envelope
  }
}

/** Returns the error of an envelope. */
export function errorOf(envelope: ErrorEnvelope): ApiError {
  const { code, param, values, request_id: requestId } = envelope.error
  return new ApiError({ code, param, values, requestId, envelope })
}

/** Reads a failed answer's envelope; an answer without one (a proxy, a crash) becomes INTERNAL_ERROR. Never throws. */
export function readFailure(status: number, body: string, header: (name: string) => string | null): ApiError {
  const retryAfter = Number(header('retry-after') ?? Number.NaN)
  const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined
  const sentId = header('x-request-id') ?? undefined
  try {
    const envelope = JSON.parse(body) as ErrorEnvelope
    const { code: sentCode, param, values, request_id: requestId = sentId } = envelope.error
    const code = ERROR_CODES.find((known) => known === sentCode) ?? 'INTERNAL_ERROR'
    return new ApiError({ code, status, param, values, requestId, retryAfterSeconds, envelope })
  } catch {
    return new ApiError({ code: 'INTERNAL_ERROR', status, requestId: sentId, retryAfterSeconds })
  }
}

interface LooseArguments {
  params?: Readonly<Record<string, unknown>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  fields?: Readonly<Record<string, unknown>>
  files?: Readonly<Record<string, FilePart>>
  signal?: AbortSignal
  headers?: Readonly<Record<string, string>>
  keepalive?: boolean
}

function writeForm({ fields = {}, files = {} }: LooseArguments): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    form.append(name, isObject ? JSON.stringify(value) : String(value))
  }
  for (const [part, { content, name }] of Object.entries(files)) form.append(part, content, name)
  return form
}

/** Returns the path and the content of a call. */
function requestOf({ method, path, form }: Endpoint, args: LooseArguments): { path: string; init: RequestInit } {
  const { params, query, body, signal, headers, keepalive } = args
  const isJson = body !== undefined
  return {
    path: fillPath(path, params) + writeQuery(query),
    init: {
      method,
      headers: { ...(isJson ? { 'Content-Type': 'application/json' } : {}), ...headers },
      ...(isJson ? { body: JSON.stringify(body) } : form ? { body: writeForm(args) } : {}),
      ...(signal ? { signal } : {}),
      ...(keepalive ? { keepalive: true } : {}),
    },
  }
}

export interface ClientOptions {
  /** Address of the server, without a trailing slash; empty in a page that the server served. */
  readonly baseUrl?: string
  /** Bearer credential, or null if the main process adds it. */
  readonly session: string | null
  /** Language of the server's messages. */
  readonly language: () => string
  readonly fetch?: typeof fetch
}

/** Creates the client. Every method throws only ApiError, or AbortError when its signal fires. */
export function createClient({
  baseUrl = '',
  session: firstSession,
  language,
  fetch: send = (...request) => fetch(...request),
}: ClientOptions) {
  let session = firstSession
  const ownHeaders = (): Record<string, string> => ({
    'Accept-Language': language(),
    ...(session ? { Authorization: `Bearer ${session}` } : {}),
  })

  async function request(path: string, init: RequestInit): Promise<Response> {
    let response: Response
    try {
      response = await send(baseUrl + path, {
        ...init,
        headers: { ...ownHeaders(), ...(init.headers as Record<string, string>) },
      })
    } catch (cause) {
      if (init.signal?.aborted) throw cause
      throw new ApiError({ code: 'UNREACHABLE', cause })
    }
    if (response.ok || response.status === 304) return response
    throw readFailure(response.status, await response.text().catch(() => ''), (name) => response.headers.get(name))
  }

  /** Calls an endpoint and returns its raw response: streams, files and pictures. */
  function open<Name extends EndpointName>(name: Name, ...[args]: CallParameters<Name>): Promise<Response> {
    const { path, init } = requestOf(ENDPOINTS[name], args ?? {})
    return request(path, init)
  }

  return {
    open,
    ownHeaders,
    /** Returns the credential of every call from here on; null if the main process adds it. */
    session: () => session,
    /** Replaces the credential after a restart of the server. */
    renew(fresh: string) {
      session = fresh
    },
    /** Calls an endpoint and returns its JSON; undefined for 204. */
    async call<Name extends EndpointName>(name: Name, ...parameters: CallParameters<Name>): Promise<AnswerOf<Name>> {
      const response = await open(name, ...parameters)
      if (response.status === 204) return undefined as AnswerOf<Name>
      try {
        return (await response.json()) as AnswerOf<Name>
      } catch (cause) {
        throw parameters[0]?.signal?.aborted ? cause : new ApiError({ code: 'UNREACHABLE', cause })
      }
    },
  }
}

export type Client = ReturnType<typeof createClient>

/** One message of an event stream. */
export interface StreamMessage {
  readonly id: string | undefined
  readonly data: string
}

/** Messages as they arrive, in batches; an empty batch is a sign of life. Ends with the connection, or rejects. */
export type MessageStream = AsyncIterable<readonly StreamMessage[]>

/**
 * Creates a parser of the event-stream format (WHATWG HTML, section 9.2.6): it takes text in chunks and returns the messages completed by
 * each. Comments, unknown fields and messages without data are skipped.
 */
export function createStreamParser(): (text: string) => StreamMessage[] {
  let rest = ''
  let id: string | undefined
  let lines: string[] = []
  return (text) => {
    const parts = (rest + text).split(/\r\n|\r|\n/)
    rest = parts.pop() ?? ''
    const messages: StreamMessage[] = []
    for (const line of parts) {
      if (line === '') {
        if (lines.length > 0) messages.push({ id, data: lines.join('\n') })
        lines = []
        id = undefined
      } else if (line.startsWith('data:')) lines.push(line.slice(line.charAt(5) === ' ' ? 6 : 5))
      else if (line.startsWith('id:')) id = line.slice(3).trim()
    }
    return messages
  }
}

/** An open event stream. A caller that does not read it, or stops reading, calls `close`. */
export interface OpenedStream {
  readonly messages: MessageStream
  readonly close: () => Promise<void>
}

/** Opens the event stream after the stored event `lastId`, or from now on. Throws ApiError if the server refuses it. */
export async function openEventStream(
  client: Pick<Client, 'open'>,
  lastId: string | undefined,
  signal: AbortSignal,
): Promise<OpenedStream> {
  const headers: Record<string, string> = lastId === undefined ? {} : { 'Last-Event-ID': lastId }
  return openedStream(await client.open('streamEvents', { headers, signal }))
}

/** Returns the event stream of an answer. */
export function openedStream({ body }: Response): OpenedStream {
  const reader = body?.getReader()
  return {
    messages: parsed(reader),
    close: async () => reader?.cancel().catch(() => undefined),
  }
}

async function* parsed(reader: ReadableStreamDefaultReader<Uint8Array> | undefined): MessageStream {
  const parse = createStreamParser()
  const decoder = new TextDecoder()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) return
    yield parse(decoder.decode(value, { stream: true }))
  }
}
