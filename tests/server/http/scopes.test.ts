/** Scopes and ends of API keys, on a real socket over a real database. */
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { CreatedKey } from '../../../src-contract/account.ts'
import { type Endpoint, SCOPES, type Scope } from '../../../src-contract/endpoint.ts'
import { ENDPOINTS } from '../../../src-contract/endpoints.ts'
import type { ErrorEnvelope } from '../../../src-contract/errors.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { shiftedClock } from '../../support/shifted-clock.ts'

/** Endpoints for keys by the least scope that may call them (contract 9). */
const OF_SCOPE: Readonly<Record<Scope, readonly string[]>> = {
  read: [
    ...[
      'listJobs',
      'readJob',
      'downloadResult',
      'readReport',
      'readJobFile',
      'analyze',
      'readAccount',
      'exportLedger',
      'streamEvents',
    ],
    ...['listBatches', 'readBatch', 'readBatchSongs', 'streamBatch', 'listWebhooks', 'listDeliveries', 'listLinks'],
    ...['readWords', 'readPresets', 'readListeningTest', 'listStemSets', 'readStemSet', 'readReadiness'],
    ...['listReleases', 'readRelease', 'planRelease', 'readReleaseCsv', 'readReleaseCover', 'verifyFolder'],
  ],
  master: [
    ...['createJob', 'deleteJob', 'retryJob', 'preview', 'createLink', 'deleteLink'],
    ...['createBatch', 'pauseBatch', 'resumeBatch', 'cancelBatch', 'retryBatch'],
    ...['createRelease', 'changeRelease', 'deleteRelease', 'duplicateRelease', 'masterRelease', 'cancelRelease'],
    ...['addTracks', 'orderTracks', 'changeTrack', 'removeTrack', 'importReleases', 'changeReleaseByCsv'],
    ...['createStemSet', 'deleteStemSet', 'createListeningTest', 'addListeningResult'],
    ...['putReleaseCover', 'removeReleaseCover', 'exportRelease', 'nameExport'],
  ],
  all: [
    'savePreset',
    'deletePreset',
    'createWebhook',
    'deleteBatch',
    'deleteWebhook',
    'replaceWebhookSecret',
    'testWebhook',
    'redeliver',
  ],
}

let service: Service
let clock: ReturnType<typeof shiftedClock>
let engine: ReturnType<typeof createHeldEngine>
beforeEach(async () => {
  clock = shiftedClock()
  engine = createHeldEngine()
  service = await startService({ clock, forkEngine: engine.fork })
})
afterEach(() => service.stop())

const newKey = async (wish: object) => (await service.post('/app/keys', { name: 'test', ...wish })).body as CreatedKey

/** Calls an address with nothing else and returns status and code; the body of a stream is not waited for. */
async function tried(method: string, address: string, credential: string | undefined) {
  const response = await fetch(service.baseUrl + address, {
    method,
    headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
  })
  if (response.status < 400) await response.body?.cancel()
  const code = response.status < 400 ? undefined : ((await response.json()) as ErrorEnvelope).error.code
  return { status: response.status, code }
}

describe('scopes (contract 9)', () => {
  test('a key that may not change webhooks does not get the paths of their addresses, which are often secrets', async () => {
    await service.post('/api/v1/webhooks', { url: 'http://127.0.0.2:9/hooks/SECRET?sig=x' })
    const shown = async (scope: string) => {
      const { key } = await newKey({ scope })
      return (await service.get('/api/v1/webhooks', { credential: key })).body.webhooks[0].url
    }
    expect([await shown('read'), await shown('master'), await shown('all')]).toEqual([
      ...['http://127.0.0.2:9/', 'http://127.0.0.2:9/'],
      'http://127.0.0.2:9/hooks/SECRET?sig=x',
    ])
  })

  test('every endpoint for keys is in the table of scopes', () => {
    const rows = Object.entries(ENDPOINTS) as [string, Endpoint][]
    for (const scope of SCOPES) {
      const found = rows.flatMap(([name, row]) => (row.access === 'caller' && row.scope === scope ? [name] : []))
      expect(found.sort(), scope).toEqual([...OF_SCOPE[scope]].sort())
    }
  })

  test('every route answers every credential as docs/access.md has it', async () => {
    engine.isAutomatic = true
    const { job_id } = await service.newJob()
    await service.ended(job_id)
    const { url } = (await service.post(`/api/v1/jobs/${job_id}/links`, {})).body
    const revoked = await newKey({})
    await service.call('DELETE', `/app/keys/${revoked.key_id}`)
    const credentials: Record<string, string | undefined> = {
      none: undefined,
      ...{ read: (await newKey({ scope: 'read' })).key, master: (await newKey({ scope: 'master' })).key },
      ...{ all: (await newKey({})).key, expired: (await newKey({ expires_in: 1 })).key, revoked: revoked.key },
      ...{ page: service.sessionCredential, owner: service.controlCredential, link: url.split('/').at(-1) },
    }
    const rows = readFileSync('docs/access.md', 'utf8').matchAll(/^\| `(\w+) (\S+)` \| (.+) \|$/gm)
    const expected: string[] = []
    const found: string[] = []
    for (const [, method = '', path = '', cells = ''] of rows) {
      for (const [place, [name, credential]] of Object.entries(credentials).entries()) {
        const cell = cells.split(' | ')[place]
        const { status, code } = await tried(method, path.replace(/\{[^}]+\}/g, 'x'), credential)
        const isRefused = (status === 401 && code === 'INVALID_API_KEY') || (status === 403 && code === 'FORBIDDEN')
        const isInPart = cell === 'in part' && status !== 401
        expected.push(`${method} ${path} ${name}: ${cell}`)
        found.push(`${method} ${path} ${name}: ${isInPart ? cell : isRefused ? status : 'yes'}`)
        // The plan's requests per minute are not the question here.
        clock.shiftMs += 2000
      }
    }
    expect(found).toEqual(expected)
    expect(found.length).toBe(Object.keys(credentials).length * Object.keys(ENDPOINTS).length)
  })

  test('the refusal says in both languages what the key permits and what is needed, and is not counted', async () => {
    const { key } = await newKey({ scope: 'read' })
    const ask = (language: string) =>
      service.call('POST', '/api/v1/master', { credential: key, headers: { 'accept-language': language } })
    expect((await ask('en')).body.error.message).toMatch(/scope "read".*needs "master"/)
    expect((await ask('ko')).body.error.message).toMatch(/"read"인데, "master" 권한이 필요/)
    const { headers } = await service.get('/api/v1/account', { credential: key })
    expect(headers.get('ratelimit')).toMatch(/r=99/)
  })

  test('a key without a scope permits everything, and no request can change the scope of a key', async () => {
    const made = await newKey({})
    expect(made).toMatchObject({ scope: 'all' })
    expect(made).not.toHaveProperty('expires_at')
    expect((await service.get('/app/keys')).body.keys).toMatchObject([{ scope: 'all', state: 'active' }])
    const refused = await service.post('/app/keys', { name: 'x', scope: 'owner' })
    expect([refused.status, refused.body.error.param]).toEqual([400, 'scope'])
  })

  test('a key with the scope master cancels the jobs that it made; others, and deletions, need all', async () => {
    const { key } = await newKey({ scope: 'master' })
    const { key: second } = await newKey({ scope: 'master' })
    const cancel = (jobId: string, query = '', credential = key) =>
      service.call('DELETE', `/api/v1/jobs/${jobId}${query}`, { credential })
    const own = (await service.newJob({}, { credential: key })).job_id
    const others = [(await service.newJob({}, { credential: second })).job_id, (await service.newJob()).job_id]
    for (const jobId of others) {
      for (const query of ['', '?status=queued']) {
        const { status, body } = await cancel(jobId, query)
        expect([status, body.error.code]).toEqual([403, 'FORBIDDEN'])
        expect(body.error.message).toContain('needs "all"')
      }
      expect((await service.job(jobId)).status).toBe('queued')
    }
    expect((await cancel(own, '?status=queued')).body).toMatchObject({ status: 'failed', failure_code: 'CANCELLED' })
    // Ended: without `status` it would be deleted.
    expect((await cancel(own)).status).toBe(403)
    expect((await cancel(own, '?status=queued')).status).toBe(200)
    expect((await cancel('unknown')).body.error.code).toBe('JOB_NOT_FOUND')
    const { key: whole } = await newKey({})
    expect((await cancel(own, '', whole)).status).toBe(204)
    expect((await cancel(others[0] ?? '', '', whole)).status).toBe(200)
  })
})

describe('ends of keys (contract 9)', () => {
  test('a key ends at its moment for every request, and its slot is free', async () => {
    await service.patch('/app/account', { plan: 'pro' })
    const made = await newKey({ expires_in: 3600 })
    expect(Date.parse(made.expires_at ?? '') - Date.parse(made.created_at)).toBe(3_600_000)
    for (let count = 1; count < 5; count++) await newKey({})
    expect((await service.post('/app/keys', { name: 'sixth' })).body.error.code).toBe('KEY_LIMIT')
    const status = async () => (await service.get('/api/v1/account', { credential: made.key })).status
    clock.shiftMs = 3_590_000
    expect(await status()).toBe(200)
    clock.shiftMs = 3_600_000
    expect(await status()).toBe(401)
    expect((await service.get('/app/keys')).body.keys.at(-1)).toMatchObject({ key_id: made.key_id, state: 'expired' })
    expect((await service.get('/api/v1/account')).body.usage.keys).toBe(4)
    expect(await newKey({})).toMatchObject({ state: 'active' })
    expect((await service.call('DELETE', `/app/keys/${made.key_id}`)).body.state).toBe('revoked')
  })

  test('a key works in its last millisecond and not in the next', async () => {
    const made = await newKey({ expires_in: 60 })
    const status = async (nowMs: number) => {
      clock.now = () => nowMs
      return (await service.get('/api/v1/account', { credential: made.key })).status
    }
    const endMs = Date.parse(made.expires_at ?? '')
    expect([await status(endMs - 1), await status(endMs), await status(endMs + 400 * 86_400_000)]).toEqual([
      200, 401, 401,
    ])
  })

  test.each([0, -1, 1.5, 315_360_001, '60'])('a life of %j is refused', async (expires_in) => {
    const { status, body } = await service.post('/app/keys', { name: 'x', expires_in })
    expect([status, body.error.param]).toEqual([400, 'expires_in'])
  })
})
