/** The one way to the server: every call of the interface is typed from the endpoint table and made here. */
import type { Static, TSchema } from 'typebox'
import { fillPath, writeQuery } from '../../src-contract/endpoint.ts'
import { type AnswerOf, ENDPOINTS, type EndpointName } from '../../src-contract/endpoints.ts'
import { ERROR_CODES, type ErrorCode, type ErrorEnvelope, type ErrorParams } from '../../src-contract/errors.ts'

type Table = typeof ENDPOINTS
type Part<Name extends EndpointName, Key extends string> = Table[Name] extends { readonly [K in Key]: infer Schema }
  ? Schema extends TSchema
    ? Static<Schema>
    : never
  : never
type Fields<Name extends EndpointName> = Table[Name] extends { readonly form: { readonly fields: infer Schema } }
  ? Schema extends TSchema
    ? Static<Schema>
    : never
  : never
type Given<Key extends string, Value> = [Value] extends [never] ? unknown : { [K in Key]: Value }

/** What a call to the endpoint `Name` needs: its path parameters, query, JSON body or form, as the table declares them. */
export type CallArguments<Name extends EndpointName> = Given<'params', Part<Name, 'params'>> &
  ([Part<Name, 'query'>] extends [never] ? unknown : { query?: Part<Name, 'query'> }) &
  Given<'body', Part<Name, 'body'>> &
  ([Fields<Name>] extends [never] ? unknown : { fields?: Partial<Fields<Name>>; files?: Record<string, File> }) & {
    signal?: AbortSignal
    headers?: Record<string, string>
    /** Lets the request outlive the page, for what must be sent while it closes. */
    keepalive?: boolean
  }

type FailureCode = ErrorCode | 'UNREACHABLE' | 'FILE_GONE' | 'MASTERS_GONE'

/**
 * A failure that the server named, `UNREACHABLE` when no whole answer came, `FILE_GONE` when a file could not be read to be sent, or
 * `MASTERS_GONE` when the desktop found none to show.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: FailureCode
  readonly status: number
  readonly param: string | undefined
  /** What the sentence of the code mentions. */
  readonly values: ErrorParams | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(fields: {
    code: FailureCode
    status?: number
    param?: string | undefined
    values?: ErrorParams | undefined
    requestId?: string | undefined
    retryAfterSeconds?: number | undefined
  }) {
    super(fields.code)
    this.code = fields.code
    this.status = fields.status ?? 0
    this.param = fields.param
    this.values = fields.values
    this.requestId = fields.requestId
    this.retryAfterSeconds = fields.retryAfterSeconds
  }
}

/** Reads a failed answer's envelope; an answer that has none (a proxy, a crash) becomes INTERNAL_ERROR. Never throws. */
export function readFailure(status: number, body: string, header: (name: string) => string | null): ApiError {
  const retryAfter = Number(header('retry-after') ?? Number.NaN)
  const retryAfterSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined
  try {
    const { error } = JSON.parse(body) as { error: Partial<ErrorEnvelope['error']> }
    const code = ERROR_CODES.find((known) => known === error.code) ?? 'INTERNAL_ERROR'
    const requestId = error.request_id ?? header('x-request-id') ?? undefined
    return new ApiError({
      code,
      status,
      param: error.param,
      values: error.values,
      requestId,
      retryAfterSeconds,
    })
  } catch {
    const requestId = header('x-request-id') ?? undefined
    return new ApiError({ code: 'INTERNAL_ERROR', status, requestId, retryAfterSeconds })
  }
}

interface LooseArguments {
  params?: Readonly<Record<string, unknown>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  fields?: Readonly<Record<string, unknown>>
  files?: Readonly<Record<string, File>>
  signal?: AbortSignal
  headers?: Readonly<Record<string, string>>
  keepalive?: boolean
}

function writeForm({ fields = {}, files = {} }: LooseArguments): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, String(value))
  for (const [name, file] of Object.entries(files)) form.append(name, file, file.name)
  return form
}

export interface ClientOptions {
  /** Bearer credential, or null where the main process adds it. */
  readonly session: string | null
  /** Language in which the server shall word its messages. */
  readonly language: () => string
  readonly fetch?: typeof fetch
}

/** Makes the client. Every method throws ApiError and nothing else, except AbortError when its signal fires. */
export function createClient({
  session: given,
  language,
  fetch: send = (...request) => fetch(...request),
}: ClientOptions) {
  let session = given
  const ownHeaders = (): Record<string, string> => ({
    'Accept-Language': language(),
    ...(session ? { Authorization: `Bearer ${session}` } : {}),
  })

  async function request(path: string, init: RequestInit): Promise<Response> {
    let response: Response
    try {
      response = await send(path, {
        ...init,
        headers: { ...ownHeaders(), ...(init.headers as Record<string, string>) },
      })
    } catch (cause) {
      if (init.signal?.aborted) throw cause
      throw new ApiError({ code: 'UNREACHABLE' })
    }
    if (response.ok || response.status === 304) return response
    throw readFailure(response.status, await response.text().catch(() => ''), (name) => response.headers.get(name))
  }

  /** Answers the raw response of an endpoint: streams, files and pictures. */
  function open<Name extends EndpointName>(name: Name, args: CallArguments<Name>): Promise<Response> {
    const { method, path, form } = ENDPOINTS[name] as { method: string; path: string; form?: unknown }
    const loose = args as LooseArguments
    const isJson = loose.body !== undefined
    return request(fillPath(path, loose.params) + writeQuery(loose.query), {
      method,
      headers: { ...(isJson ? { 'Content-Type': 'application/json' } : {}), ...loose.headers },
      ...(isJson ? { body: JSON.stringify(loose.body) } : form ? { body: writeForm(loose) } : {}),
      ...(loose.signal ? { signal: loose.signal } : {}),
      ...(loose.keepalive ? { keepalive: true } : {}),
    })
  }

  return {
    open,
    ownHeaders,
    /** The credential of every call from here on; null where the main process adds it. */
    session: () => session,
    /** Goes on with the credential of a newer start. */
    renew(fresh: string) {
      session = fresh
    },
    /** Calls an endpoint and answers its JSON; undefined for 204. */
    async call<Name extends EndpointName>(name: Name, args: CallArguments<Name>): Promise<AnswerOf<Name>> {
      const response = await open(name, args)
      if (response.status === 204) return undefined as AnswerOf<Name>
      try {
        return (await response.json()) as AnswerOf<Name>
      } catch (cause) {
        throw args.signal?.aborted ? cause : new ApiError({ code: 'UNREACHABLE' })
      }
    },
  }
}

export type Client = ReturnType<typeof createClient>
