import { afterAll, beforeAll, expect, test } from 'vitest'
import { codesOf, type Endpoint } from '../../../src-contract/endpoint.ts'
import { ENDPOINTS } from '../../../src-contract/endpoints.ts'
import type { ErrorCode } from '../../../src-contract/errors.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { checkAgainstContract, masterForm, type Service, startService } from '../../support/service.ts'
import { seededRandom } from '../../support/sounds.ts'

const SEED = 31_337
/** A tenth of a campaign; `npm run campaign` sets the whole number. */
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 1000)

let service: Service
const known: string[] = []
beforeAll(async () => {
  service = await startService({ forkEngine: createHeldEngine({ isAutomatic: true }).fork })
  const { job_id } = await service.newJob()
  const source = await service.call('POST', '/app/sources', { body: masterForm() })
  const hook = await service.post('/api/v1/webhooks', { url: 'http://127.0.0.1:9/' })
  known.push(job_id, source.body.source_id, hook.body.webhook_id)
})
afterAll(() => service.stop())

const bipolar = seededRandom(SEED)
const random = () => Math.min(0.999_999, Math.abs(bipolar()))
const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value

/**
 * Left out because they reach beyond the service (folders anywhere on the machine, webhook receivers), never end, or are tested elsewhere
 * (uploads; the report, which a silent engine does not really write).
 */
const REACHING_OUT = /watch|streamEvents|createSource|createJob|createBatch|streamBatch|analyze|testWebhook|readReport/i
const endpoints = Object.entries<Endpoint>(ENDPOINTS).filter(([name]) => !REACHING_OUT.test(name))
const FIELDS_REACHING_OUT = ['output_folder', 'ffmpeg_path']

const TEXTS = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    'null',
    'true',
    '\u0000',
    '한글',
    '\ud800',
    '😀',
    '__proto__',
    'constructor',
    '../..',
    '%00',
  ],
  ...[
    "' OR 1=1 --",
    '%',
    '_',
    'x'.repeat(5000),
    'spotify',
    'title',
    'newest',
    'done',
    'http://127.0.0.1:1/',
    'job.completed',
  ],
]
const scalar = (): unknown =>
  pick<() => unknown>([
    () => pick(TEXTS),
    () => pick([0, -0, -1, 1, 50, 101, 1.5, 1e308, -1e308, 2 ** 53, 2 ** 31, 1e-9]),
    () => pick([true, false, null]),
    () => pick(known),
  ])()
function value(depth: number): unknown {
  const kind = random()
  if (depth === 0 || kind < 0.6) return scalar()
  if (kind < 0.8) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth - 1))
  return Object.fromEntries(Array.from({ length: Math.floor(random() * 4) }, () => [pick(TEXTS), value(depth - 1)]))
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, unknown>>
}

/** Some of the names that a schema knows, and sometimes one that it does not, each with a value that may be anything. */
function membersOf(schema: unknown, make: () => unknown): Record<string, unknown> {
  const names = Object.keys((schema as ObjectSchema).properties ?? {}).filter(
    (name) => !FIELDS_REACHING_OUT.includes(name),
  )
  const chosen = names.filter(() => random() < 0.7)
  return Object.fromEntries([...chosen, ...(random() < 0.1 ? [pick(TEXTS)] : [])].map((name) => [name, make()]))
}

test(`${ROUNDS} requests of hostile values to every endpoint (seed ${SEED}): each answer is one that the endpoint declares, and none is our fault`, async () => {
  const seen = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const [name, endpoint] = pick(endpoints)
    const address = endpoint.path.replace(/\{[^}]+\}/g, () =>
      encodeURIComponent((random() < 0.5 ? pick(known) : pick(TEXTS)).toWellFormed()),
    )
    const query = new URLSearchParams(
      endpoint.query ? Object.entries(membersOf(endpoint.query, scalar)).map(([key, one]) => [key, String(one)]) : [],
    )
    const body = endpoint.body && JSON.stringify(random() < 0.1 ? value(2) : membersOf(endpoint.body, () => value(2)))
    const url = `${service.baseUrl}${address}${query.size > 0 ? `?${query}` : ''}`
    const response = await fetch(url, {
      method: endpoint.method,
      headers: {
        authorization: `Bearer ${service.sessionCredential}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    const code = response.status >= 400 ? (JSON.parse(text).error.code as ErrorCode) : undefined
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
    checkAgainstContract(endpoint.method, url, answer)
    seen.add(`${name} ${code ?? response.status}`)
    // An empty identifier is another address.
    const isElsewhere = code === 'NOT_FOUND' || code === 'METHOD_NOT_ALLOWED' || code === 'JOB_NOT_FOUND'
    const isDeclared =
      code === undefined ? response.status in endpoint.answers : isElsewhere || codesOf(endpoint).includes(code)
    const isOurFault = response.status >= 500
    if (isOurFault || !isDeclared) {
      throw new Error(
        `round ${round}: ${name} ${url.slice(0, 300)} ${body?.slice(0, 500)}: ${response.status} ${text.slice(0, 300)}`,
      )
    }
  }
  if (ROUNDS >= 1000) expect(seen.size).toBeGreaterThan(endpoints.length)
  expect((await service.get('/healthz')).status).toBe(200)
})
