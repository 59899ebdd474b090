/** Hostile requests of every kind of caller to what programs may call, links and /mcp among them. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Value from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codesOf, type Endpoint } from '../../../src-contract/endpoint.ts'
import { ENDPOINTS } from '../../../src-contract/endpoints.ts'
import { type ErrorCode, ErrorEnvelope } from '../../../src-contract/errors.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { shiftedClock } from '../../support/shifted-clock.ts'
import { in24Bits, wavSong } from '../../support/songs.ts'
import { seededRandom } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const SEED = 1_955
/** A small part of a campaign; `npm run campaign` sets the whole number. */
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 500)
/** More than any answer takes on a busy machine: what takes longer hangs. */
const HANGING_MS = 120_000

const folder = temporaryFolder()
const [music, outside] = [path.join(folder, 'music'), path.join(folder, 'outside')] as const
const engine = createHeldEngine({ isAutomatic: true, answersLooks: true })
engine.rendersAlone = in24Bits(wavSong({ seconds: 2 }))
engine.masterBytes = in24Bits(wavSong({ seconds: 2, sampleRateHz: 44_100 }))
const clock = shiftedClock()
let service: Service

const bipolar = seededRandom(SEED)
const random = () => Math.min(0.999_999, Math.abs(bipolar()))
const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value

/** Callers by what they may do; those that may do nothing, or only read, also name what must not be lost. */
const keys = {
  read: '',
  master: '',
  all: '',
  expired: '',
  revoked: '',
  unknown: `ams_live_${'0'.repeat(32)}`,
  none: '',
}
const OFTEN = ['read', 'master', 'master', 'master', 'all', 'all', 'all'] as const
const HARMLESS = ['read', 'expired', 'revoked', 'unknown', 'none'] as const
/** Identifiers that any caller may name, and those of what must be there at the end. */
const known: string[] = []
const kept = { jobId: '', releaseId: '', webhookId: '', linkId: '', url: '', sha256: '' }
const sessions: { readonly key: string; readonly id: string }[] = []
const tools: { readonly name: string; readonly inputSchema: object }[] = []

const sha256Of = async (response: Response) =>
  createHash('sha256')
    .update(new Uint8Array(await response.arrayBuffer()))
    .digest('hex')

beforeAll(async () => {
  service = await startService({ clock, forkEngine: engine.fork })
  for (const one of [music, outside]) {
    mkdirSync(one)
    writeFileSync(path.join(one, 'song.wav'), wavSong())
  }
  symlinkSync(outside, path.join(music, 'way'))
  await service.patch('/app/settings', { allowed_folders: [music] }, { credential: service.controlCredential })
  await service.post('/app/account/credits', { amount: 50_000 })
  const made = async (wish: object) => (await service.post('/app/keys', { name: 'hostile', ...wish })).body
  for (const scope of ['read', 'master', 'all'] as const) keys[scope] = (await made({ scope })).key
  keys.expired = (await made({ expires_in: 1 })).key
  const revoked = await made({})
  keys.revoked = revoked.key
  await service.call('DELETE', `/app/keys/${revoked.key_id}`)
  clock.shiftMs = 2000
  const own = await newThings()
  kept.jobId = own.job_id
  kept.releaseId = own.release_id
  kept.webhookId = own.webhook_id
  kept.linkId = own.link.link_id
  kept.url = own.link.url
  kept.sha256 = await sha256Of(await fetch(own.link.url))
  await renewKnown()
  for (const scope of ['read', 'master', 'all'] as const) sessions.push(await newSession(keys[scope]))
})
afterAll(() => service.stop())

/** Puts new things in the place of those that any caller may name, and may have deleted. */
async function renewKnown() {
  if (known[2] !== undefined) await service.call('DELETE', `/api/v1/webhooks/${known[2]}`)
  const { job_id, release_id, webhook_id, link } = await newThings()
  known.splice(0, known.length, job_id, release_id, webhook_id, link.link_id, link.url.split('/l/')[1])
}

/** Makes a job with a link, a release of it, and a webhook. */
async function newThings() {
  const { job_id } = await service.newJob()
  await service.ended(job_id)
  const release = { title: `Of ${job_id}`, artist: 'Band', kind: 'single', tracks: [{ job_id }] }
  const { release_id } = (await service.post('/api/v1/releases', release)).body
  const { webhook_id } = (await service.post('/api/v1/webhooks', { url: 'http://127.0.0.1:9/' })).body
  const life = { expires_in: 604_800 }
  const link = (await service.post(`/api/v1/jobs/${job_id}/links`, life)).body
  return { job_id, release_id, webhook_id, link }
}

const mcpHeaders = (key: string, session?: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  ...(session === undefined ? {} : { 'mcp-session-id': session }),
})

/** Opens a session of the protocol, and notes the tools that it lists. */
async function newSession(key: string) {
  const say = (message: object, session?: string) =>
    fetch(`${service.baseUrl}/mcp`, {
      method: 'POST',
      headers: mcpHeaders(key, session),
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const clientInfo = { name: 'hostile', version: '1' }
  const begun = await say({
    ...{ id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  })
  await begun.text()
  const id = begun.headers.get('mcp-session-id') ?? ''
  await (await say({ method: 'notifications/initialized' }, id)).text()
  const listed = await (await say({ id: 2, method: 'tools/list' }, id)).text()
  const { result } = JSON.parse(/^data: (.*)$/m.exec(listed)?.[1] ?? '{}')
  for (const tool of result.tools) if (!tools.some(({ name }) => name === tool.name)) tools.push(tool)
  return { key, id }
}

const TEXTS = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    'null',
    '\u0000',
    '한글',
    '\ud800',
    '__proto__',
    'constructor',
    '../..',
    '%00',
    "' OR 1=1 --",
  ],
  ...['x'.repeat(5000), 'spotify', 'csv', 'read', 'all', 'single', '/', '/etc/passwd', 'C:\\', 'http://127.0.0.1:1/'],
]
const places = () => [
  ...[music, path.join(music, 'song.wav'), path.join(music, 'way'), path.join(music, 'way', 'song.wav')],
  ...[outside, path.join(outside, 'song.wav'), path.join(music, '..', 'outside'), service.dataDir],
]

interface MemberSchema extends ObjectSchema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: MemberSchema
}
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, MemberSchema>>
  readonly required?: readonly string[]
}

/** Values for the requests of one caller. */
function valuesOf(isHarmless: boolean) {
  const ids = isHarmless ? [...known, kept.jobId, kept.releaseId, kept.webhookId, kept.linkId] : known
  const scalar = (): unknown =>
    pick<() => unknown>([
      () => pick(TEXTS),
      () => pick([0, -1, 1, 60, 604_800, 604_801, 1.5, 1e308, 2 ** 53]),
      () => pick([true, false, null]),
      () => pick(ids),
      () => pick(places()),
    ])()
  const value = (depth: number): unknown => {
    const kind = random()
    if (depth === 0 || kind < 0.6) return scalar()
    if (kind < 0.8) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth - 1))
    return Object.fromEntries(Array.from({ length: Math.floor(random() * 4) }, () => [pick(TEXTS), value(depth - 1)]))
  }
  /** A value that a member may have, as far as its schema tells. */
  const fitting = (name: string, schema: MemberSchema): unknown => {
    if (schema.enum) return pick(schema.enum)
    if (schema.type === 'boolean') return random() < 0.5
    if (schema.type === 'integer' || schema.type === 'number') {
      const { minimum = 0, maximum = 100 } = schema
      return schema.type === 'integer' ? Math.round(minimum + random() * Math.min(50, maximum - minimum)) : minimum
    }
    if (schema.type === 'array') return schema.items ? [fitting(name, schema.items)] : []
    if (schema.type === 'object') return members(schema, scalar)
    if (/_ids?$/.test(name)) return pick(ids)
    if (/folder|file/.test(name)) return pick(places())
    return name === 'platforms' ? 'spotify' : pick(['a', '밤', 'night'])
  }
  /** Some of the names that a schema knows, and sometimes one that it does not; many values fit, the others are anything. */
  const members = (schema: unknown, make: () => unknown): Record<string, unknown> => {
    const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema
    const isFitting = random() < 0.6
    const chosen = Object.keys(properties).filter(
      (name) => random() < (required.includes(name) ? (isFitting ? 1 : 0.8) : isFitting ? 0.2 : 0.5),
    )
    const named = chosen.map((name) => [name, isFitting ? fitting(name, properties[name] ?? {}) : make()])
    return Object.fromEntries([...named, ...(random() < 0.05 ? [[pick(TEXTS), make()]] : [])])
  }
  return { ids, scalar, value, members }
}

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['range', ['bytes=0-', 'bytes=-1', 'bytes=9999999999-', 'bytes=1-0', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=x']],
  ['if-none-match', ['*', '"x"', 'W/"x"', ',,,']],
  ['if-match', ['*', '"x"', '']],
  ['if-range', ['"x"', 'Thu, 01 Jan 1970 00:00:00 GMT']],
  ['accept-language', ['ko', 'xx;q=9', ';;;', 'x'.repeat(500)]],
  ['idempotency-key', ['a', 'x'.repeat(255), 'x'.repeat(256), '']],
  ['last-event-id', ['0', '-1', '9'.repeat(40), 'x']],
  ['origin', ['null', 'http://evil.example']],
  ['mcp-protocol-version', ['2025-06-18', '1999-01-01', '']],
  ['content-type', ['text/plain', 'application/json; charset=x', 'multipart/form-data']],
  ['accept', ['text/html', 'application/json', '']],
]
const hostileHeaders = () =>
  Object.fromEntries(HEADERS.flatMap(([name, values]) => (random() < 0.04 ? [[name, pick(values)]] : [])))

/** Endpoints that programs may call, but for streams without an end, tests of receivers, and a report that this engine does not write. */
const LEFT_OUT = /streamEvents|streamBatch|testWebhook|readReport/
const endpoints = Object.entries<Endpoint>(ENDPOINTS).filter(
  ([name, { access }]) => (access === 'caller' || name === 'openLink') && !LEFT_OUT.test(name),
)

interface Sent {
  readonly told: string
  readonly address: string
  readonly init: RequestInit
  readonly endpoint?: Endpoint
}

function bodyOf({ body, form, isBodyOptional }: Endpoint, { value, members }: ReturnType<typeof valuesOf>) {
  if (body) {
    if (isBodyOptional && random() < 0.2) return {}
    const text = random() < 0.05 ? '{"a":' : JSON.stringify(random() < 0.1 ? value(2) : members(body, () => value(2)))
    return { type: 'application/json', body: text }
  }
  if (!form) return {}
  const sent = new FormData()
  for (const [name, one] of Object.entries(members(form.fields, () => value(1)))) sent.append(name, String(one))
  for (const name of Object.keys(form.files)) {
    if (random() < 0.8)
      sent.append(name, new Blob([new Uint8Array(wavSong()).subarray(0, random() < 0.5 ? 300 : undefined)]), 'a.wav')
  }
  return { body: sent }
}

/** Returns a request to one of the endpoints. */
function apiRequest(key: string, values: ReturnType<typeof valuesOf>): Sent {
  const [name, endpoint] = pick(endpoints)
  const address = endpoint.path.replace(/\{[^}]+\}/g, () =>
    encodeURIComponent((random() < 0.85 ? pick(values.ids) : pick(TEXTS)).toWellFormed()),
  )
  const query = new URLSearchParams(
    Object.entries(values.members(endpoint.query, values.scalar)).map(([member, one]) => [member, String(one)]),
  )
  const { type, body } = bodyOf(endpoint, values)
  const method = endpoint.method === 'GET' && random() < 0.2 ? 'HEAD' : endpoint.method
  const headers = {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    ...hostileHeaders(),
  }
  return {
    ...{ told: name, endpoint, address: `${address}${query.size > 0 ? `?${query}` : ''}` },
    init: { method, headers, ...(body === undefined ? {} : { body }) },
  }
}

const METHODS = [
  ...[
    'tools/call',
    'tools/call',
    'tools/call',
    'tools/list',
    'resources/list',
    'resources/read',
    'prompts/get',
    'ping',
  ],
  ...[
    'resources/templates/list',
    'initialize',
    'notifications/cancelled',
    'notifications/initialized',
    'logging/setLevel',
  ],
  ...['completion/complete', 'x', '__proto__'],
]

/** Returns a message of the protocol, or something like one. */
function message({ ids, value, members }: ReturnType<typeof valuesOf>): unknown {
  if (random() < 0.1) return value(3)
  const method = pick(METHODS)
  const tool = pick(tools)
  const uri = pick([
    'loudsmith://openapi.json',
    `loudsmith://jobs/${pick(ids)}/report`,
    'file:///etc/passwd',
    pick(TEXTS),
  ])
  const params =
    method === 'tools/call' && random() < 0.9
      ? { name: tool.name, arguments: random() < 0.1 ? value(2) : members(tool.inputSchema, () => value(2)) }
      : method === 'resources/read' && random() < 0.8
        ? { uri }
        : value(2)
  const id = random() < 0.1 ? {} : { id: random() < 0.8 ? Math.floor(random() * 1e9) : pick(TEXTS) }
  return {
    jsonrpc: random() < 0.95 ? '2.0' : '1.0',
    ...(method.startsWith('notifications/') ? {} : id),
    method,
    params,
  }
}

/** Returns a request to /mcp, mostly of a session that is there. */
function mcpRequest(key: string, values: ReturnType<typeof valuesOf>): Sent {
  const own = sessions.find((session) => session.key === key)?.id
  const kind = random()
  const session = kind < 0.93 ? own : kind < 0.97 ? pick(sessions).id : pick(TEXTS).replace(/[^\x20-\x7e]/g, '?')
  const one = message(values)
  const body = random() < 0.03 ? '{"jsonrpc":' : JSON.stringify(random() < 0.05 ? [one, message(values)] : one)
  const method = random() < 0.93 ? 'POST' : pick(['GET', 'PUT', 'PATCH'])
  return {
    told: 'mcp',
    address: '/mcp',
    init: {
      method,
      headers: { ...mcpHeaders(key, session), ...hostileHeaders() },
      ...(method === 'GET' ? {} : { body }),
    },
  }
}

/** Code of JSON-RPC 2.0 for a fault of the server (section 5.1). */
const INTERNAL_RPC_ERROR = -32_603
/** Failures that no request can be the cause of. */
const FAULTS: readonly unknown[] = ['INTERNAL_ERROR', 'UNAVAILABLE', INTERNAL_RPC_ERROR]

/** Returns the codes of the failures in an event stream of the protocol: ours, or those of JSON-RPC. */
function mcpCodes(stream: string): unknown[] {
  return [...stream.matchAll(/^data: (.*)$/gm)].flatMap(([, line = '']) => {
    const { result, error } = JSON.parse(line)
    if (result?.isError) return [JSON.parse(result.content[0].text).error.code]
    return error ? [error.data?.error?.code ?? error.code] : []
  })
}

/** Sends a request and throws unless what comes back is an answer that the contract allows. Returns its status, or its code. */
async function sendAndCheck({ told, address, init, endpoint }: Sent): Promise<string> {
  const response = await fetch(service.baseUrl + address, { ...init, signal: AbortSignal.timeout(HANGING_MS) })
  const isEndless = told === 'mcp' && init.method === 'GET' && response.ok
  if (isEndless) await response.body?.cancel()
  const text = isEndless ? '' : await response.text()
  const fail = (what: string): never => {
    const body = typeof init.body === 'string' ? init.body.slice(0, 500) : ''
    const shown = `${init.method} ${told} ${address.slice(0, 300)} ${JSON.stringify(init.headers)} ${body}`
    throw new Error(`${what}: ${shown}: ${response.status} ${text.slice(0, 500)}`)
  }
  if (response.status >= 500) fail('our fault')
  const codes = told === 'mcp' && response.ok ? mcpCodes(text) : []
  if (FAULTS.some((code) => codes.includes(code))) fail('our fault')
  if (response.status < 400) return codes.length > 0 ? codes.join(' ') : String(response.status)
  if (init.method === 'HEAD') return String(response.status)
  const envelope = JSON.parse(text)
  if (!Value.Check(ErrorEnvelope, envelope)) fail('no envelope')
  const code = envelope.error.code as ErrorCode
  // An empty or odd identifier is another address.
  const isElsewhere = code === 'NOT_FOUND' || code === 'METHOD_NOT_ALLOWED' || /_NOT_FOUND$/.test(code)
  if (endpoint && !isElsewhere && !codesOf(endpoint).includes(code)) fail('undeclared code')
  return code
}

test(`${ROUNDS} hostile requests of every kind of caller to what keys may call, and to /mcp (seed ${SEED}): no fault of ours, the envelope always, and nothing is lost`, async () => {
  const seen = new Map<string, number>()
  const names = [...(Object.keys(keys) as (keyof typeof keys)[]), ...OFTEN]
  for (let round = 0; round < ROUNDS; round++) {
    // The plan's requests per minute are not the question here.
    if (round % 50 === 0) clock.shiftMs += 61_000
    if (round % 250 === 249) await renewKnown()
    const name = pick(names)
    const values = valuesOf(HARMLESS.some((one) => one === name))
    const sent = random() < 0.35 ? mcpRequest(keys[name], values) : apiRequest(keys[name], values)
    const outcome = await sendAndCheck(sent).catch((error: Error) => {
      throw new Error(`round ${round}, ${name}: ${error.message}`, { cause: error })
    })
    seen.set(`${sent.told} ${outcome}`, (seen.get(`${sent.told} ${outcome}`) ?? 0) + 1)
  }
  expect(seen.size).toBeGreaterThan(Math.min(100, ROUNDS / 10))

  expect(await sha256Of(await fetch(kept.url))).toBe(kept.sha256)
  expect(await service.job(kept.jobId)).toMatchObject({ status: 'done' })
  expect((await service.get(`/api/v1/jobs/${kept.jobId}/links`)).body.links).toHaveLength(1)
  expect((await service.get(`/api/v1/releases/${kept.releaseId}`)).body.tracks).toHaveLength(1)
  const { webhooks } = (await service.get('/api/v1/webhooks')).body
  expect(webhooks.map(({ webhook_id }: { webhook_id: string }) => webhook_id)).toContain(kept.webhookId)
  expect((await service.get('/app/keys')).body.keys.map(({ state }: { state: string }) => state)).toEqual([
    ...['revoked', 'expired', 'active', 'active', 'active'],
  ])
  const { entries } = (await service.get('/api/v1/account/ledger')).body
  expect((await service.get('/api/v1/account')).body.credits).toBe(entries.at(-1).balance)
  expect(readdirSync(outside)).toEqual(['song.wav'])
  expect(service.temporary()).toEqual([])
  expect((await service.get('/healthz')).status).toBe(200)
})
