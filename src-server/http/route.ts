/** Registration of the routes of the endpoint table: address, access, schemas, types and failure codes come from the table. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import {
  type Endpoint,
  isRead,
  jsonBodyOf,
  LINES_MEDIA_TYPES,
  permits,
  type Scope,
} from '../../src-contract/endpoint.ts'
import { type Language, preferredLanguage } from '../../src-contract/text/language.ts'
import { wholeNumber } from '../../src-contract/whole-number.ts'
import { AppError, invalidRequest, unusable } from './app-error.ts'
import { type BodyReading, bodyChunks } from './body.ts'
import { schemaFault } from './schema-fault.ts'

/** Maker of a job: a program with an API key, or the application. */
export type Maker = { readonly via: 'key'; readonly keyId: string } | { readonly via: 'session' }

/**
 * Caller of a request: a program with an API key and its permissions, or the application. `isOwner` means that the request carried the
 * control credential, which the page and other HTTP clients never hold: only the shell and the command line confirm with it.
 */
export type Caller =
  | { readonly via: 'key'; readonly keyId: string; readonly scope: Scope }
  | { readonly via: 'session'; readonly isOwner?: boolean }

type Typed<E, Part extends string> = E extends { readonly [key in Part]: infer Schema extends TSchema }
  ? Static<Schema>
  : undefined

/** One request, read and checked. */
export interface Call<E extends Endpoint> {
  readonly params: Typed<E, 'params'>
  readonly query: Typed<E, 'query'>
  readonly headers: Typed<E, 'headers'>
  readonly body: Typed<E, 'body'>
  readonly caller: E['access'] extends 'open' ? undefined : Caller
  /** Language of messages for people. */
  readonly language: Language
  /** Aborted when the client leaves before it has its answer. */
  readonly signal: AbortSignal
  /** For details outside the table: multipart bodies and ranges. */
  readonly request: FastifyRequest
}

type Headers = Readonly<Record<string, string | number>>

/** Answer of a handler as a read-only value, which allows constant arrays and objects. */
type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T

/** An answer with the JSON body of its status in the table. */
type JsonOutcome<E extends Endpoint> = {
  [S in keyof E['answers'] & number]: E['answers'][S] extends { readonly schema: infer Schema extends TSchema }
    ? { readonly status: S; readonly body: Frozen<Static<Schema>>; readonly headers?: Headers }
    : { readonly status: S; readonly headers?: Headers }
}[keyof E['answers'] & number]

/** A serialised answer; its `content-type` belongs in the headers. */
interface RawOutcome<E extends Endpoint> {
  readonly status: keyof E['answers'] & number
  readonly bytes: Readable | Buffer | string
  readonly headers?: Headers
}

/** Answer of a handler. */
export type Outcome<E extends Endpoint> = JsonOutcome<E> | RawOutcome<E>

/** Authenticates a request for the needed access; throws INVALID_API_KEY, FORBIDDEN or RATE_LIMIT. It may set headers on the reply. */
export type Admit = (request: FastifyRequest, reply: FastifyReply, needed: Scope | 'session') => Caller

/** Returns whether a request contains JSON lines, if its endpoint accepts them, instead of a form. */
export function hasLines({ headers }: FastifyRequest): boolean {
  return LINES_MEDIA_TYPES.includes(mediaTypeOf(headers) ?? '')
}

/** Byte order marks of UTF-8 and UTF-16, one character per byte: RFC 8259 section 8.1 does not allow them in JSON. */
const BYTE_ORDER_MARKS = ['\u00ef\u00bb\u00bf', '\u00fe\u00ff', '\u00ff\u00fe']

/** Largest JSON body. */
const MAX_JSON_BYTES = 1_048_576

const callers = new WeakMap<FastifyRequest, Caller>()
const clocks = new WeakMap<FastifyInstance, BodyReading['clock']>()

/** Returns the caller of `request`; undefined before authentication, and on routes without it. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return callers.get(request)
}

/** Returns whether the request carried the control credential. */
export function isOwner(caller: Caller): boolean {
  return caller.via === 'session' && caller.isOwner === true
}

/** Throws OWNER_REQUIRED unless the request carried the control credential. `param` names the setting that it would change. */
export function requireOwner(caller: Caller, param?: string): void {
  if (isOwner(caller)) return
  throw new AppError('OWNER_REQUIRED', {}, param === undefined ? {} : { param })
}

/** Throws FORBIDDEN with both scopes unless a key with the scope `given` may do something that needs the scope `needed`. */
export function requireScope(given: Scope, needed: Scope): void {
  if (!permits(given, needed)) throw new AppError('FORBIDDEN', { scope: given, neededScope: needed })
}

/** Returns the table's row of the route that `request` reached; undefined for requests outside the table (unknown address, page files). */
export function endpointOf(request: FastifyRequest): Endpoint | undefined {
  return (request.routeOptions.config as { endpoint?: Endpoint } | undefined)?.endpoint
}

/**
 * Prepares `app` for {@link route}: access is decided before any of the body is read, and bodies are left to the routes, which use `clock`
 * for their timeouts.
 */
export function installAdmission(app: FastifyInstance, admit: Admit, clock: BodyReading['clock']): void {
  clocks.set(app, clock)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))
  app.addHook('onRequest', (request, reply, done) => {
    const endpoint = endpointOf(request)
    if (endpoint && endpoint.access !== 'open') {
      callers.set(request, admit(request, reply, endpoint.access === 'caller' ? endpoint.scope : 'session'))
    }
    // An optional body can only be detected by reading it.
    if (endpoint && !isRead(endpoint) && !jsonBodyOf(endpoint)?.isOptional) checkMediaType(request, endpoint)
    done()
  })
}

function checkMediaType(request: FastifyRequest, endpoint: Endpoint): void {
  const expected = endpoint.form ? 'multipart/form-data' : 'application/json'
  const given = mediaTypeOf(request.headers)
  const encoding = encodingOf(request.headers)
  // RFC 9110 section 15.5.16: the header names the accepted encoding.
  if (encoding !== undefined)
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { encoding }, { headers: { 'accept-encoding': 'identity' } })
  if (endpoint.lines && hasLines(request)) return
  if (given !== expected) throw new AppError('UNSUPPORTED_MEDIA_TYPE', { expected })
}

function mediaTypeOf(headers: IncomingHttpHeaders): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
}

/** Returns the encoding of a body; undefined for an unencoded one. */
function encodingOf(headers: IncomingHttpHeaders): string | undefined {
  const codings = [headers['content-encoding'], headers['transfer-encoding']].join(',').toLowerCase().split(',')
  return codings.map((coding) => coding.trim()).find((coding) => !['', 'identity', 'chunked'].includes(coding))
}

/**
 * Returns the query of a request. A read ignores undeclared parameters, such as cache busters. Other requests with declared
 * parameters accept no others, and no request accepts a field of its body here: ignored, either might cost a credit or delete a job. Throws
 * INVALID_REQUEST with the name.
 */
function queryOf({ query }: FastifyRequest, endpoint: Endpoint): unknown {
  const { form, body, query: known } = endpoint
  const given = Object.entries(query as object)
  const declared = known?.properties ?? {}
  if (isRead(endpoint))
    return known && checkedTexts(known, Object.fromEntries(given.filter(([name]) => Object.hasOwn(declared, name))))
  const ofBody = { ...form?.fields.properties, ...form?.files, ...(body as Partial<TObject> | undefined)?.properties }
  const misplaced = given.find(([name]) => Object.hasOwn(ofBody, name) && !Object.hasOwn(declared, name))?.[0]
  if (misplaced !== undefined) throw unusable(misplaced, { rule: 'not_in_query' })
  return known && checkedTexts(known, query)
}

/** Returns the JSON body of a request; undefined for an endpoint without one. Throws INVALID_REQUEST or UNSUPPORTED_MEDIA_TYPE. */
async function bodyOf(request: FastifyRequest, endpoint: Endpoint, reading: BodyReading): Promise<unknown> {
  const json = jsonBodyOf(endpoint)
  if (!json) return undefined
  const bytes = await readBytes(request, reading)
  if (json.isOptional && bytes.length === 0) return {}
  if (json.isOptional) checkMediaType(request, endpoint)
  return checked(json.schema, parseJson(bytes))
}

/**
 * Serves `endpoint` with `handler`. Parameters, query, headers and JSON body are validated by the table first; a mismatch is
 * INVALID_REQUEST with the name at fault. In address and headers, decimal digits become a whole number if the schema requires one.
 * Identifiers (`…_id`, `…_ids`) may be in either case.
 */
export function route<const E extends Endpoint, const O extends Outcome<E>>(
  app: FastifyInstance,
  endpoint: E,
  handler: (call: Call<E>) => O | Promise<O>,
): void {
  const clock = clocks.get(app)
  if (!clock) throw new Error('installAdmission comes before the routes')
  app.route({
    method: endpoint.method,
    url: endpoint.path.replace(/\{([^}]+)\}/g, ':$1'),
    config: { endpoint },
    handler: async (request, reply) => {
      const signal = untilGone(reply)
      const query = queryOf(request, endpoint)
      const call = {
        params: endpoint.params && checkedTexts(endpoint.params, request.params),
        query,
        headers: endpoint.headers && checkedTexts(endpoint.headers, request.headers),
        body: await bodyOf(request, endpoint, { clock, signal }),
        caller: callerOf(request),
        language: preferredLanguage(request.headers['accept-language']),
        signal,
        request,
      }
      // The table's types are checked at compile time on both sides; only this call between them is untyped.
      return answer(reply, await handler(call as unknown as Call<E>))
    },
  })
}

function answer<E extends Endpoint>(reply: FastifyReply, outcome: Outcome<E>): FastifyReply {
  reply.code(outcome.status).headers(outcome.headers ?? {})
  if ('bytes' in outcome) return reply.send(outcome.bytes)
  if (!('body' in outcome)) return reply.send()
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(outcome.body))
}

function checkedTexts(schema: TObject, given: unknown): unknown {
  const value = { ...(given as Readonly<Record<string, unknown>>) }
  for (const [name, member] of Object.entries<TSchema & { readonly type?: string }>(schema.properties)) {
    const text = value[name]
    if (Array.isArray(text)) throw unusable(name, { rule: 'once' })
    if (typeof text !== 'string') continue
    value[name] = member.type === 'integer' ? (wholeNumber(text) ?? text) : inOneCase(name, text)
  }
  return checked(schema, value)
}

/** Returns the value of the member `name`, in lower case if it is one or several identifiers. */
export function inOneCase(name: string, value: unknown): unknown {
  if (name.endsWith('_ids') && Array.isArray(value)) return value.map((one) => inOneCase('_id', one))
  return name.endsWith('_id') && typeof value === 'string' ? value.toLowerCase() : value
}

/** Returns a value that fits a schema. Throws INVALID_REQUEST with the place at fault, or for the body as a whole. */
export function checked(schema: TSchema, value: unknown): unknown {
  const fault = schemaFault(schema, value)
  if (!fault) return value
  const { place: param, detail } = fault
  throw param ? unusable(param, detail) : invalidRequest('body_not_object', { details: [detail] })
}

/** Reads a body as JSON. Throws INVALID_REQUEST for anything else. */
export async function readJson(request: FastifyRequest, reading: BodyReading): Promise<unknown> {
  return parseJson(await readBytes(request, reading))
}

async function readBytes(request: FastifyRequest, reading: BodyReading): Promise<Buffer> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of bodyChunks(request.raw, reading)) {
    sizeBytes += chunk.length
    if (sizeBytes <= MAX_JSON_BYTES) chunks.push(chunk)
  }
  if (sizeBytes > MAX_JSON_BYTES) throw invalidRequest('body_too_large')
  return Buffer.concat(chunks)
}

function parseJson(bytes: Buffer): unknown {
  const marks = bytes.toString('latin1', 0, 3)
  if (BYTE_ORDER_MARKS.some((mark) => marks.startsWith(mark))) throw invalidRequest('byte_order_mark')
  try {
    return JSON.parse(bytes.toString('utf8'), inOneCase)
  } catch (cause) {
    throw invalidRequest('not_json', { cause })
  }
}

/** Returns a signal that is aborted when the client leaves before it has its answer. */
export function untilGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  const abort = () => gone.abort(invalidRequest('body_broken_off'))
  // A request that had to wait for the application may have lost its client meanwhile.
  if (raw.destroyed || raw.socket?.destroyed) abort()
  raw.once('close', () => {
    if (!raw.writableFinished) abort()
  })
  return gone.signal
}
