/** The shape of one endpoint: the source of the route, the client call, the OpenAPI document and the documentation. */
import type { TObject, TSchema } from 'typebox'
import { exactly } from './common.ts'
import { ERROR_CODES, type ErrorCode } from './errors.ts'

/** Callers of an endpoint: any program on this machine, callers with a key and the app, or only the app's session. */
export type Access = 'open' | 'caller' | 'session'

/** Scopes of API keys; each includes those before it. */
export const SCOPES = ['read', 'master', 'all'] as const
export type Scope = (typeof SCOPES)[number]

/** Returns whether a key with the scope `given` may do something that needs the scope `needed`. */
export const permits = (given: Scope, needed: Scope): boolean => SCOPES.indexOf(given) >= SCOPES.indexOf(needed)

export interface Answer {
  readonly description: string
  /** Schema of a JSON answer. */
  readonly schema?: TSchema
  /** Media types of an answer that is not, or not always, JSON. */
  readonly mediaTypes?: readonly string[]
  /** Schema of one message of an event stream. */
  readonly messages?: TSchema
}

/** Media types of JSON lines; the first is ours. */
export const LINES_MEDIA_TYPES: readonly string[] = ['application/x-ndjson', 'application/jsonl']

/** A multipart/form-data request: text fields and file parts. */
export interface Form {
  readonly fields: TObject
  readonly files: Readonly<Record<string, { readonly required: boolean; readonly description: string }>>
}

interface EndpointFacts {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Path with parameters in braces, as OpenAPI writes them. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly tag: string
  readonly params?: TObject
  readonly query?: TObject
  readonly headers?: TObject
  readonly body?: TSchema
  /** True if a request without a body means an empty object. */
  readonly isBodyOptional?: boolean
  readonly form?: Form
  /**
   * JSON lines accepted as the body instead of the form, which then takes them as its file: schemas of the first line and of the others.
   */
  readonly lines?: { readonly schemas: readonly TSchema[]; readonly example: string }
  readonly answers: Readonly<Record<number, Answer>>
  /** Expected failures, beyond those common to its access. */
  readonly errors: readonly ErrorCode[]
}

/** An endpoint; one for programs names the scope that a key needs at least. */
export type Endpoint = EndpointFacts &
  ({ readonly access: 'caller'; readonly scope: Scope } | { readonly access: Exclude<Access, 'caller'> })

/** Failures that any endpoint of an access can return, besides its own. */
export const ERRORS_OF_ACCESS: Record<Access, readonly ErrorCode[]> = {
  open: ['FORBIDDEN', 'INTERNAL_ERROR', 'UNAVAILABLE'],
  caller: [
    'FORBIDDEN',
    'INVALID_REQUEST',
    'INVALID_API_KEY',
    'RATE_LIMIT',
    'INTERNAL_ERROR',
    'UNAVAILABLE',
    'INSUFFICIENT_STORAGE',
  ],
  session: ['FORBIDDEN', 'INVALID_REQUEST', 'INVALID_API_KEY', 'INTERNAL_ERROR', 'UNAVAILABLE', 'INSUFFICIENT_STORAGE'],
}

/** Returns whether an endpoint only reads: HEAD is answered by the route of GET. */
export const isRead = ({ method }: Pick<Endpoint, 'method'>): boolean => method === 'GET'

/** Body of an endpoint without parameters: it may be absent or an empty object. */
const NO_MEMBERS = exactly({})

/** Returns the JSON body of an endpoint; undefined if it takes a form, or only reads. */
export function jsonBodyOf(endpoint: Endpoint): { readonly schema: TSchema; readonly isOptional: boolean } | undefined {
  if (endpoint.body) return { schema: endpoint.body, isOptional: endpoint.isBodyOptional ?? false }
  return endpoint.form || isRead(endpoint) ? undefined : { schema: NO_MEMBERS, isOptional: true }
}

/**
 * Returns every code that an endpoint can answer with: its own, and those of its access and its body, each once, in the catalogue's order.
 */
export function codesOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>([...endpoint.errors, ...ERRORS_OF_ACCESS[endpoint.access]])
  if (!isRead(endpoint)) codes.add('UNSUPPORTED_MEDIA_TYPE').add('REQUEST_TIMEOUT')
  return ERROR_CODES.filter((code) => codes.has(code))
}

/** Checks a table against `Endpoint` and keeps its literal types. */
export function endpoints<const Table extends Readonly<Record<string, Endpoint>>>(table: Table): Table {
  return table
}

/** Returns a path of the table with its parameters filled in and escaped. Throws when one is missing: that is a fault of the caller. */
export function fillPath(path: string, params: Readonly<Record<string, unknown>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`path parameter ${name} is missing for ${path}`)
    // An unpaired surrogate cannot be escaped; as U+FFFD it names nothing.
    const text = String(value).toWellFormed()
    // Clients drop the segments `.` and `..` from an address, however escaped; the server trims names.
    return encodeURIComponent(/^\.\.?$/.test(text) ? `${text} ` : text)
  })
}

/** Writes the non-empty members of a query, in order, with a leading `?`; empty without any. */
export function writeQuery(query: Readonly<Record<string, unknown>> = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString()
  return text && `?${text}`
}
