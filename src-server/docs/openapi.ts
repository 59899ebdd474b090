/** The OpenAPI 3.1 description of the service, made only from the endpoint table. */
import type { TObject, TSchema } from 'typebox'
import * as account from '../../src-contract/account.ts'
import * as app from '../../src-contract/app.ts'
import * as auditions from '../../src-contract/auditions.ts'
import * as batches from '../../src-contract/batches.ts'
import { codesOf, type Endpoint, type Form, LINES_MEDIA_TYPES } from '../../src-contract/endpoint.ts'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import * as errors from '../../src-contract/errors.ts'
import * as events from '../../src-contract/events.ts'
import * as jobs from '../../src-contract/jobs.ts'
import * as links from '../../src-contract/links.ts'
import * as settings from '../../src-contract/master-settings-schema.ts'
import * as presets from '../../src-contract/presets.ts'
import * as recipes from '../../src-contract/recipe-schemas.ts'
import * as releaseExports from '../../src-contract/release-exports.ts'
import * as releases from '../../src-contract/releases.ts'
import * as report from '../../src-contract/report.ts'
import * as savedTargets from '../../src-contract/saved-targets.ts'
import { errorText } from '../../src-contract/text/text.ts'
import * as webhooks from '../../src-contract/webhooks.ts'
import * as words from '../../src-contract/words.ts'
import { MEMBER_DESCRIPTIONS, OPERATION_DESCRIPTIONS, TAG_DESCRIPTIONS } from './descriptions.ts'
import { exampleParams } from './example-params.ts'

type Json = { [key: string]: unknown }

/** Schemas that become named components: every exported object schema of these modules, known by its `properties`. */
const NAMES = new Map<unknown, string>(
  [
    account,
    app,
    auditions,
    batches,
    errors,
    events,
    jobs,
    links,
    presets,
    recipes,
    releaseExports,
    releases,
    report,
    savedTargets,
    settings,
    webhooks,
    words,
  ].flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) =>
      isObjectSchema(value) ? [[value.properties, name] as [unknown, string]] : [],
    ),
  ),
)

function isObjectSchema(value: unknown): value is TObject {
  return typeof value === 'object' && value !== null && 'properties' in value && 'type' in value
}

/**
 * Returns the OpenAPI 3.1 document as a plain object: every endpoint of the table with its parameters, bodies, answers, failures and
 * headers, the two webhook bodies, and the schemas they name. `baseUrl` is this process's address and `version` that of the application.
 * The same arguments give the same bytes. Never throws.
 */
export function buildOpenApi(baseUrl: string, version: string): Json {
  const components = new Map<string, unknown>()
  const schema: Schemas = {
    sent: (value) => toReferences(value, { components, nameOf: (name) => name, isClosed: false }, true),
    taken: (value, mayBeNamed = true) =>
      toReferences(value, { components, nameOf: takenName, isClosed: true }, mayBeNamed),
  }
  const paths: Record<string, Json> = {}
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [string, Endpoint][]) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(name, endpoint, schema),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loudsmith',
      version,
      description: INTRODUCTION,
      contact: { name: 'The owner of this installation' },
      license: { name: 'All rights reserved', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [...new Set(Object.values(ENDPOINTS).map((endpoint) => endpoint.tag))].map((name) => ({
      name,
      description: TAG_DESCRIPTIONS[name],
    })),
    paths,
    webhooks: Object.fromEntries(
      Object.entries(CALLBACKS).map(([name, { summary, body }]) => [
        name,
        { post: callback(name, summary, schema.sent(body)) },
      ]),
    ),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key: ams_live_ and 32 hexadecimal characters. The name beside it is the least scope that the key needs: read, master or all.',
        },
        session: { type: 'http', scheme: 'bearer', description: "The app's own credential, made at each start." },
      },
      examples: allExamples(),
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

const INTRODUCTION = [
  'Masters songs on this computer: one song in, one measured master per platform out.',
  'Every request carries `Authorization: Bearer <API key>`. Every failure has the envelope `{"error":{"code","message"}}`.',
  'Create a job, then poll it, follow `/api/v1/events` or receive a callback, and download the result.',
  'Extensions of every answer: `X-Request-Id` names it, `RateLimit` tells a key what is left of its minute, and messages come in English or Korean as `Accept-Language` asks.',
].join('\n\n')

function operation(name: string, endpoint: Endpoint, schema: Schemas): Json {
  return {
    operationId: name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description ?? OPERATION_DESCRIPTIONS[name],
    ...securityOf(endpoint),
    parameters: [
      ...parameters('path', endpoint.params, schema),
      ...parameters('query', endpoint.query, schema),
      ...parameters('header', endpoint.headers, schema),
      ...(hasRanges(endpoint) ? RANGE_PARAMETERS : []),
    ],
    ...requestBody(endpoint, schema),
    responses: { ...answers(endpoint, schema), ...failures(endpoint, schema) },
  }
}

function securityOf(endpoint: Endpoint): Json {
  if (endpoint.access === 'open') return { security: [] }
  return endpoint.access === 'session'
    ? { security: [{ session: [] }] }
    : // OpenAPI 3.1 allows names of roles here, also for bearers: the scope that a key needs.
      { security: [{ apiKey: endpoint.access === 'caller' ? [endpoint.scope] : [] }, { session: [] }] }
}

function parameters(place: string, object: TObject | undefined, schema: Schemas): Json[] {
  return Object.entries(object?.properties ?? {}).map(([name, value]) => ({
    name: place === 'header' ? headerName(name) : name,
    in: place,
    required: place === 'path' || requiredOf(object).includes(name),
    ...describedBy(value, place === 'query' && name === 'status' ? 'JobQuery.status' : name),
    schema: schema.taken(value),
  }))
}

/** Returns a header as its standard writes it, such as `Last-Event-ID`. */
const headerName = (name: string) => name.replace(/\bid$|\b[a-z]/g, (letters) => letters.toUpperCase())

// TypeBox types `required` by the literal names; here any name is asked for.
function requiredOf(object: TObject | undefined): readonly string[] {
  return (object?.required as readonly string[] | undefined) ?? []
}

function describedBy(value: TSchema, name: string): Json {
  return { description: 'description' in value ? value.description : MEMBER_DESCRIPTIONS[name] }
}

const hasRanges = (endpoint: Endpoint) => 206 in endpoint.answers

const RANGE_PARAMETERS: Json[] = [
  ['Range', 'One range of bytes, such as `bytes=0-1023`.'],
  ['If-Range', 'An entity tag: the range counts only while the file is this one.'],
  ['If-Match', 'An entity tag: the answer is 412 unless the file is this one.'],
  ['If-None-Match', 'An entity tag: the answer is 304 while the file is this one.'],
].map(([name, description]) => ({ name, in: 'header', required: false, description, schema: { type: 'string' } }))

function requestBody(endpoint: Endpoint, schema: Schemas): Json {
  if (endpoint.form) {
    return {
      requestBody: {
        required: true,
        content: {
          ...linesContent(endpoint, schema),
          'multipart/form-data': { schema: formSchema(endpoint.form, schema) },
        },
      },
    }
  }
  if (!endpoint.body) return {}
  return {
    requestBody: {
      required: !endpoint.isBodyOptional,
      content: { 'application/json': { schema: schema.taken(endpoint.body) } },
    },
  }
}

/** Returns the content of JSON lines: the schemas are those of single lines, since OpenAPI 3.1 cannot describe the stream. */
function linesContent({ lines }: Endpoint, schema: Schemas): Json {
  const [mediaType = ''] = LINES_MEDIA_TYPES
  if (!lines) return {}
  return { [mediaType]: { schema: { anyOf: lines.schemas.map((one) => schema.taken(one)) }, example: lines.example } }
}

function formSchema(form: Form, schema: Schemas): Json {
  const files = Object.entries(form.files)
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        // `format: binary` makes today's tools show a file picker; contentMediaType is the 3.1 equivalent.
        files.map(([name, { description }]) => [
          name,
          { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream', description },
        ]),
      ),
      ...(schema.taken(form.fields, false) as { properties: Json }).properties,
    },
    required: [...files.filter(([, file]) => file.required).map(([name]) => name), ...requiredOf(form.fields)],
  }
}

function answers(endpoint: Endpoint, schema: Schemas): Json {
  return Object.fromEntries(
    Object.entries(endpoint.answers).map(([status, answer]) => {
      const headers = { ...RATE_HEADERS_OF[endpoint.access], ...ownHeaders(endpoint, Number(status)) }
      const content = {
        ...(answer.schema ? { 'application/json': { schema: schema.sent(answer.schema) } } : {}),
        ...Object.fromEntries(
          (answer.mediaTypes ?? []).map((mediaType) => [
            mediaType,
            // Schema of one message: OpenAPI 3.1 cannot describe the stream.
            answer.messages ? { schema: schema.sent(answer.messages) } : {},
          ]),
        ),
      }
      return [
        status,
        {
          description: answer.description,
          ...(Object.keys(headers).length > 0 ? { headers } : {}),
          ...(Object.keys(content).length > 0 ? { content } : {}),
        },
      ]
    }),
  )
}

const header = (description: string): Json => ({ description, schema: { type: 'string' } })

const RATE_HEADERS = {
  'RateLimit-Policy': header('Requests a minute of the plan, e.g. `"pro";q=30;w=60`.'),
  RateLimit: header('Requests left and seconds until more, e.g. `"pro";r=29;t=41`.'),
}
const RATE_HEADERS_OF = { open: {}, caller: RATE_HEADERS, session: {} }

const SAVE_NAME = header('A name to save under, with `filename*` for names beyond ASCII.')

/** Name of the thing that a 201 with a Location made, by the group of the endpoint. */
const MADE: Readonly<Record<string, string>> = { Jobs: 'new job', Batches: 'batch', Releases: 'release' }

function ownHeaders(endpoint: Endpoint, status: number): Json {
  if (hasRanges(endpoint) && (status === 200 || status === 206)) {
    return {
      'Content-Length': header('Bytes of this answer.'),
      'Accept-Ranges': header('`bytes`.'),
      ETag: header('Strong entity tag: the SHA-256 of the file.'),
      'Content-Disposition': SAVE_NAME,
      ...(status === 206 ? { 'Content-Range': header('The range sent and the size of the file.') } : {}),
    }
  }
  if (endpoint === ENDPOINTS.preview && status === 200) {
    return {
      'Content-Length': header('Bytes of this answer.'),
      'Content-Disposition': SAVE_NAME,
      'Preview-Start-Seconds': header('Start of the passage in the song, s.'),
      'Preview-Loudness-LUFS': header('Integrated loudness of the whole master, LUFS.'),
      'Preview-Gain-dB': header('Gain from the song to the master before limiting, dB.'),
      'Preview-Ignored-Fields': header(
        'Names of up to ten text fields that do not exist and were ignored, percent-encoded, with commas; absent without any.',
      ),
    }
  }
  if (endpoint === ENDPOINTS.readReport && status === 200) return { 'Content-Disposition': SAVE_NAME }
  const made = MADE[endpoint.tag]
  if (status !== 201 || !made) return {}
  return {
    ...(endpoint === ENDPOINTS.importReleases ? {} : { Location: header(`Address of the ${made}.`) }),
    ...(endpoint.headers && 'idempotency-key' in endpoint.headers.properties
      ? { 'Idempotent-Replayed': header('`true` where an earlier request with this Idempotency-Key was answered so.') }
      : {}),
  }
}

/** Headers of a refusal by its status, beside `Retry-After`. */
const REFUSAL_HEADERS: Readonly<Record<number, Json>> = {
  401: { 'WWW-Authenticate': header('`Bearer`.') },
  416: { 'Content-Range': header('The size of the file, e.g. `bytes */1234`.') },
}

function failures(endpoint: Endpoint, schema: Schemas): Json {
  const byStatus = new Map<number, errors.ErrorCode[]>()
  for (const code of codesOf(endpoint)) {
    const { status } = errors.ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const isRetryLater = codes.some((code) => errors.ERRORS[code].retryAfterSeconds !== undefined)
      const headers = {
        ...REFUSAL_HEADERS[status],
        ...(isRetryLater ? { 'Retry-After': header('Seconds to wait.') } : {}),
      }
      return [
        status,
        {
          description: codes.join(', '),
          ...(Object.keys(headers).length > 0 ? { headers } : {}),
          content: {
            'application/json': { schema: schema.sent(errors.ErrorEnvelope), examples: examplesOf(codes) },
          },
        },
      ]
    }),
  )
}

function examplesOf(codes: readonly errors.ErrorCode[]): Json {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
}

/** One envelope per code of the catalogue, as it reads in English. */
function allExamples(): Json {
  return Object.fromEntries(
    [...new Set((Object.values(ENDPOINTS) as Endpoint[]).flatMap(codesOf))].map((code) => [
      code,
      { value: { error: { code, message: errorText(code, exampleParams(code)) } } },
    ]),
  )
}

const TO_WHOM = 'Callback to the webhook_url of the job and to every account webhook that wants this event'
const CALLBACKS = {
  'job.completed': { summary: TO_WHOM, body: events.JobCompleted },
  'job.failed': { summary: TO_WHOM, body: events.JobFailed },
  'webhook.test': { summary: 'Test of one account webhook (extension); sent once', body: events.WebhookTest },
}

function callback(name: string, summary: string, body: unknown): Json {
  return {
    operationId: name,
    summary,
    description:
      'Signed as Standard Webhooks 1.0 describes. Answer 2xx within 15 s; anything else is tried again: eight attempts in 24 hours. 410 stops. Redirects are not followed.',
    tags: ['Webhooks'],
    security: [],
    parameters: [
      ['webhook-id', 'The same on every attempt: handle each id once.'],
      ['webhook-timestamp', 'Unix time of this attempt, seconds.'],
      ['webhook-signature', '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`.'],
    ].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } })),
    requestBody: { required: true, content: { 'application/json': { schema: body } } },
    responses: {
      '2XX': { description: 'Taken.' },
      '410': { description: 'Never send here again.' },
    },
  }
}

/** Makes schemas of outgoing and incoming bodies. */
interface Schemas {
  /** Open: a client that validates answers with it keeps working when they gain a member. */
  readonly sent: (value: TSchema) => unknown
  /** Closed, like the service itself. */
  readonly taken: (value: TSchema, mayBeNamed?: boolean) => unknown
}

interface Referencing {
  /** Named schemas that were met so far. */
  readonly components: Map<string, unknown>
  readonly nameOf: (name: string) => string
  readonly isClosed: boolean
}

/** Copies a schema, replaces named schemas by `$ref`, and collects their copies. */
function toReferences(value: unknown, to: Referencing, mayBeNamed: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => toReferences(item, to, true))
  if (typeof value !== 'object' || value === null) return value
  const known = isObjectSchema(value) ? NAMES.get(value.properties) : undefined
  if (known === undefined || !mayBeNamed) return copied(value, to, known)
  const name = to.nameOf(known)
  if (!to.components.has(name)) {
    to.components.set(name, undefined)
    to.components.set(name, copied(value, to, known))
  }
  return { $ref: `#/components/schemas/${name}` }
}

function copied(schema: object, to: Referencing, schemaName: string | undefined): Json {
  const members = Object.entries(schema).filter(([key]) => key !== 'additionalProperties' || to.isClosed)
  return Object.fromEntries(
    members.map(([key, member]) => [
      key,
      key === 'properties' && isObjectSchema(schema)
        ? described(schema.properties, to, schemaName)
        : toReferences(member, to, true),
    ]),
  )
}

/** Returns the members of an object, each with a description. */
function described(properties: TObject['properties'], to: Referencing, schemaName: string | undefined): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => {
      const schema = toReferences(member, to, true) as Json
      const description = MEMBER_DESCRIPTIONS[`${schemaName}.${name}`] ?? MEMBER_DESCRIPTIONS[name]
      const isDescribed = 'description' in schema || '$ref' in schema || description === undefined
      return [name, isDescribed ? schema : { ...schema, description }]
    }),
  )
}

/** Names of the schemas that the service sends. */
const SENT = namesSent()

/** If it is also sent, it is open under its own name. */
const takenName = (name: string) => (SENT.has(name) ? `${name}Input` : name)

function namesSent(): ReadonlySet<string> {
  const components = new Map<string, unknown>()
  for (const { answers } of Object.values(ENDPOINTS) as Endpoint[]) {
    for (const { schema } of Object.values(answers)) {
      if (schema) toReferences(schema, { components, nameOf: (name) => name, isClosed: false }, true)
    }
  }
  return new Set(components.keys())
}
