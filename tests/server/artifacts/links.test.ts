/** Links to results, on a real socket over a real database. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { globSync, mkdirSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { CreatedKey } from '../../../src-contract/account.ts'
import type { CreatedLink } from '../../../src-contract/links.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemClock } from '../../../src-system/system.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { shiftedClock } from '../../support/shifted-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let dataDir: string
let service: Service
let clock: ReturnType<typeof shiftedClock> & { jumpMs: number }
let jobId: string
const engine = createHeldEngine({ isAutomatic: true })
const start = async () => {
  service = await startService({ clock, dataDir, keepsData: true, forkEngine: engine.fork })
}
beforeEach(async () => {
  dataDir = temporaryFolder(onTestFinished)
  const shifted = Object.assign(shiftedClock(), { jumpMs: 0 })
  clock = Object.assign(shifted, { now: () => systemClock.now() + shifted.shiftMs + shifted.jumpMs })
  await start()
  jobId = await newDone()
})
afterEach(() => service.stop())

async function newDone(): Promise<string> {
  const { job_id } = await service.newJob()
  await service.ended(job_id)
  return job_id
}

const newKey = async (wish: object = {}) =>
  (await service.post('/app/keys', { name: 'test', ...wish })).body as CreatedKey

/** Makes a link that must be accepted; as the application without a key. */
async function newLink(body: object = {}, credential = service.sessionCredential, of = jobId): Promise<CreatedLink> {
  const answer = await service.post(`/api/v1/jobs/${of}/links`, body, { credential })
  expect([answer.status, answer.body.error]).toEqual([201, undefined])
  return answer.body
}

/** Calls an address with no credential and these headers only. */
function open(url: string, { method = 'GET', headers = {} }: { method?: string; headers?: object } = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: object; bytes: Buffer }>()
  const sent = request(url, { method, headers: { ...headers } }, async (answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) })
  })
  sent.on('error', reject).end()
  return promise
}

const codeOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).error.code
const dead = async (url: string, init?: Parameters<typeof open>[1]) => {
  const answer = await open(url, init)
  return [answer.status, codeOf(answer)]
}
const DEAD = [404, 'LINK_NOT_FOUND']

describe('what a link gives', () => {
  test('whoever has the address gets the ZIP, whole or a range, without a key; no cache and no referrer keep it', async () => {
    const { key } = await newKey({ scope: 'master' })
    const { url, expires_at, created_at } = await newLink({}, key)
    expect(url).toMatch(new RegExp(`^${service.baseUrl}/l/[\\w-]{22}$`))
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(86_400_000)
    const own = await fetch(`${service.baseUrl}/api/v1/jobs/${jobId}/download`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const zip = Buffer.from(await own.arrayBuffer())
    const whole = await open(url)
    expect([whole.status, whole.bytes.equals(zip)]).toEqual([200, true])
    expect(whole.headers).toMatchObject({
      'content-type': 'application/zip',
      'content-length': String(zip.length),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      etag: own.headers.get('etag'),
      'content-disposition': expect.stringMatching(/^attachment; filename="/),
    })
    const part = await open(url, { headers: { range: 'bytes=2-5' } })
    expect([part.status, part.bytes.equals(zip.subarray(2, 6))]).toEqual([206, true])
    expect(part.headers).toMatchObject({ 'content-range': `bytes 2-5/${zip.length}`, 'cache-control': 'no-store' })
    const outside = await open(url, { headers: { range: `bytes=${zip.length}-` } })
    expect([outside.status, codeOf(outside)]).toEqual([416, 'RANGE_NOT_SATISFIABLE'])
    const { etag } = whole.headers as { etag: string }
    expect((await open(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
    const head = await open(url, { method: 'HEAD' })
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(head.headers).toMatchObject({ 'content-length': String(zip.length), etag })
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const refused = await open(url, { method })
      expect([method, refused.status, codeOf(refused)]).toEqual([method, 405, 'METHOD_NOT_ALLOWED'])
      expect(refused.headers).toMatchObject({ allow: 'GET, HEAD' })
    }
  })

  test('a page of another site may lead to it, and load nothing from it', async () => {
    const { url } = await newLink()
    const from = (mode: string, dest: string, method = 'GET') =>
      open(url, { method, headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } })
    expect((await from('navigate', 'document')).status).toBe(200)
    for (const [mode, dest] of [
      ['navigate', 'iframe'],
      ['no-cors', 'image'],
      ['cors', 'empty'],
      ['no-cors', 'empty'],
    ] as const) {
      const refused = await from(mode, dest)
      expect([mode, dest, refused.status, codeOf(refused)]).toEqual([mode, dest, 403, 'FORBIDDEN'])
    }
    expect((await from('navigate', 'document', 'HEAD')).status).toBe(403)
    expect((await open(url, { headers: { host: 'evil.example' } })).status).toBe(403)
    expect((await open(url, { headers: { origin: 'http://evil.example' } })).status).toBe(403)
    // The download itself stays behind the key.
    const download = `${service.baseUrl}/api/v1/jobs/${jobId}/download`
    const navigation = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await open(download, { headers: navigation })).status).toBe(403)
  })

  test('the database holds a hash and the log no token, also where a link fails', async () => {
    const lines: string[] = []
    await service.stop()
    const log = createLog('debug', clock, (line) => lines.push(line))
    service = await startService({
      ...{ clock, dataDir, keepsData: true, log, forkEngine: createHeldEngine({ isAutomatic: true }).fork },
    })
    const { url } = await newLink()
    const token = url.split('/l/')[1] ?? ''
    const db = new Database(path.join(dataDir, 'loudsmith.db'), { readonly: true })
    const rows = JSON.stringify(db.prepare('SELECT * FROM links').all())
    db.close()
    expect(rows).toContain(createHash('sha256').update(token).digest('hex'))
    expect(rows).not.toContain(token)
    const [file = ''] = globSync(`jobs/${jobId}/**/*.wav`, { cwd: dataDir })
    rmSync(path.join(dataDir, file))
    mkdirSync(path.join(dataDir, file))
    expect((await open(url, { headers: { range: 'bytes=0-1' } })).status).toBe(500)
    log.info('told', { url, cause: new Error(`cannot open ${url}`) })
    expect(lines.join('')).toContain('INTERNAL_ERROR')
    expect(lines.join('')).toContain('/l/[redacted]')
    expect(lines.join('')).not.toContain(token)
  })
})

describe('how a link ends: 404 LINK_NOT_FOUND, one answer for all', () => {
  test('with its time, a week at most', async () => {
    const { url } = await newLink({ expires_in: 60 })
    const week = await newLink({ expires_in: 604_800 })
    clock.shiftMs = 59_000
    expect((await open(url)).status).toBe(200)
    clock.shiftMs = 60_000
    expect(await dead(url)).toEqual(DEAD)
    clock.shiftMs = 604_799_000
    expect((await open(week.url)).status).toBe(200)
    clock.shiftMs = 604_800_000
    expect(await dead(week.url)).toEqual(DEAD)
    expect((await service.get(`/api/v1/jobs/${jobId}/links`)).body.links).toEqual([])
    for (const expires_in of [604_801, 0, -1, 1.5, '60', null]) {
      const { status, body } = await service.post(`/api/v1/jobs/${jobId}/links`, { expires_in })
      expect([expires_in, status, body.error.param]).toEqual([expires_in, 400, 'expires_in'])
    }
  })

  test('not in the middle of a download: what has begun arrives whole, and is not gone on with afterwards', async () => {
    // More than the sockets between service and client hold.
    engine.masterBytes = Buffer.alloc(24_000_000, 7)
    onTestFinished(() => void delete engine.masterBytes)
    const done = await newDone()
    const { url } = await newLink({ expires_in: 60 }, service.sessionCredential, done)
    const [answer] = (await once(request(url).end(), 'response')) as [IncomingMessage]
    await once(answer, 'readable')
    clock.shiftMs = 60_000
    expect(await dead(url, { headers: { range: 'bytes=1000-', 'if-range': answer.headers.etag } })).toEqual(DEAD)
    const bytes = await buffer(answer)
    expect(bytes.length).toBe(Number(answer.headers['content-length']))
    const own = await fetch(`${service.baseUrl}/api/v1/jobs/${done}/download`, {
      headers: { authorization: `Bearer ${service.sessionCredential}` },
    })
    expect(bytes.equals(Buffer.from(await own.arrayBuffer()))).toBe(true)
  })

  test('with the key that made it: revoked, expired, or suspended by the plan for as long', async () => {
    const revoked = await newKey()
    const short = await newKey({ expires_in: 100 })
    const kept = await newKey()
    const urls = { revoked: '', short: '', kept: '' }
    for (const [name, { key }] of Object.entries({ revoked, short, kept })) {
      urls[name as keyof typeof urls] = (await newLink({}, key)).url
    }
    await service.call('DELETE', `/app/keys/${revoked.key_id}`)
    expect(await dead(urls.revoked)).toEqual(DEAD)
    clock.shiftMs = 100_000
    expect(await dead(urls.short)).toEqual(DEAD)
    await service.patch('/app/account', { plan: 'free' })
    expect(await dead(urls.kept)).toEqual(DEAD)
    await service.patch('/app/account', { plan: 'studio' })
    expect((await open(urls.kept)).status).toBe(200)
  })

  test('that of the application with a restart, that of a key not', async () => {
    const ofApp = new URL((await newLink()).url).pathname
    const { key } = await newKey()
    const ofKey = new URL((await newLink({}, key)).url).pathname
    await service.stop()
    await start()
    expect(await dead(service.baseUrl + ofApp)).toEqual(DEAD)
    expect((await open(service.baseUrl + ofKey)).status).toBe(200)
  })

  test('with the job, also for whoever has seen it before, and with its result', async () => {
    const { url } = await newLink()
    const second = await newDone()
    const other = await newLink({}, service.sessionCredential, second)
    expect((await open(url)).status).toBe(200)
    expect((await service.call('DELETE', `/api/v1/jobs/${jobId}`)).status).toBe(204)
    expect(await dead(url)).toEqual(DEAD)
    expect((await open(other.url)).status).toBe(200)
    const db = new Database(path.join(dataDir, 'loudsmith.db'))
    expect(db.prepare('SELECT count(*) FROM links').pluck().get()).toBe(1)
    db.prepare('UPDATE jobs SET expires_at_ms = ? WHERE job_id = ?').run(clock.now() - 1, second)
    db.close()
    expect(await dead(other.url)).toEqual(DEAD)
    const { status, body } = await service.post(`/api/v1/jobs/${second}/links`, {})
    expect([status, body.error.code]).toEqual([410, 'RESULT_EXPIRED'])
    expect((await service.get(`/api/v1/jobs/${second}/links`)).body.links).toEqual([])
  })

  test('when it is taken back, and an address that was changed was never one', async () => {
    const { url, link_id } = await newLink()
    const kept = await newLink()
    const { links } = (await service.get(`/api/v1/jobs/${jobId}/links`)).body
    expect(links.map((link: { link_id: string }) => link.link_id)).toEqual([kept.link_id, link_id])
    expect(JSON.stringify(links)).not.toContain('/l/')
    expect((await service.call('DELETE', `/api/v1/jobs/${jobId}/links/${link_id}`)).status).toBe(204)
    expect(await dead(url)).toEqual(DEAD)
    expect((await service.call('DELETE', `/api/v1/jobs/${jobId}/links/${link_id}`)).body.error.code).toBe(
      'LINK_NOT_FOUND',
    )
    const { pathname } = new URL(kept.url)
    const swapped = pathname.endsWith('A') ? 'Q' : 'A'
    for (const address of [
      pathname.slice(0, -1) + swapped,
      `${pathname}=`,
      pathname.slice(0, -1),
      pathname.toLowerCase() === pathname ? pathname.toUpperCase() : pathname.toLowerCase().replace('/L/', '/l/'),
      '/l/..%2f..%2fhealthz',
      `/l/${'x'.repeat(9000)}`,
      '/l/%00',
      '/l/',
    ]) {
      expect([address, ...(await dead(service.baseUrl + address))]).toEqual([address, ...DEAD])
    }
    expect((await open(kept.url)).status).toBe(200)
  })

  test('a link of one job is none of another, and only its maker or the scope all takes it back', async () => {
    const second = await newDone()
    const { key } = await newKey({ scope: 'master' })
    const { key: stranger } = await newKey({ scope: 'master' })
    const { key: whole } = await newKey()
    const { link_id, url } = await newLink({}, key)
    const takeBack = (job: string, credential: string) =>
      service.call('DELETE', `/api/v1/jobs/${job}/links/${link_id}`, { credential })
    expect((await takeBack(second, whole)).body.error.code).toBe('LINK_NOT_FOUND')
    expect((await takeBack(jobId, stranger)).body.error.code).toBe('FORBIDDEN')
    expect((await open(url)).status).toBe(200)
    expect((await takeBack(jobId, key)).status).toBe(204)
    expect(await dead(url)).toEqual(DEAD)
  })

  test('by the time that has passed, whatever the wall clock is set to; a link that was made before the start needs it', async () => {
    const { key } = await newKey()
    const { url } = await newLink({ expires_in: 3600 }, key)
    const again = () => open(service.baseUrl + new URL(url).pathname)
    for (const jumpDays of [-40, 400]) {
      clock.jumpMs = jumpDays * 86_400_000
      expect([jumpDays, (await again()).status]).toEqual([jumpDays, jumpDays < 0 ? 200 : 404])
      await newLink({}, key)
    }
    clock.jumpMs = 0
    expect((await again()).status).toBe(200)
    clock.jumpMs = -40 * 86_400_000
    clock.shiftMs = 3_600_000
    expect((await again()).status).toBe(404)
    clock.shiftMs = 0
    await service.stop()
    await start()
    expect((await again()).status).toBe(404)
    clock.jumpMs = 0
    expect((await again()).status).toBe(200)
  })
})

describe('more links than a key may have: 429 that says which to end', () => {
  const make = async (credential: string, of = jobId) => {
    const { status, body } = await service.post(`/api/v1/jobs/${of}/links`, {}, { credential })
    clock.shiftMs += 1000
    return { status, ...body }
  }

  test('twenty to one result, each key its own; one that is taken back or over makes room', async () => {
    const [{ key }, { key: other }] = [await newKey(), await newKey()]
    const made = []
    for (let count = 0; count < 20; count++) made.push(await newLink({ expires_in: 50 }, key))
    const { status, error } = await make(key)
    expect([status, error.code]).toEqual([429, 'CONCURRENT_LIMIT'])
    expect(error.message).toMatch(/20 working links to this result.*DELETE .*links/)
    expect((await make(other)).status).toBe(201)
    expect((await make(service.sessionCredential)).status).toBe(201)
    expect((await open(made[0]?.url ?? '')).status).toBe(200)
    const at = `/api/v1/jobs/${jobId}/links/${made[0]?.link_id}`
    expect((await service.call('DELETE', at, { credential: key })).status).toBe(204)
    expect((await make(key)).status).toBe(201)
    expect((await make(key)).status).toBe(429)
    clock.shiftMs += 60_000
    expect((await make(key)).status).toBe(201)
  })

  test('a hundred to all results', async () => {
    for (let job = 0; job < 5; job++) {
      if (job > 0) jobId = await newDone()
      for (let count = 0; count < 20; count++) await newLink()
    }
    const { status, error } = await make(service.sessionCredential, await newDone())
    expect([status, error.message]).toEqual([429, expect.stringContaining('100 working links')])
  })
})

test('a job without a result has no link', async () => {
  await service.patch('/app/settings', { engine_workers: 1 })
  await service.stop()
  service = await startService({ ...{ clock, dataDir, keepsData: true, forkEngine: createHeldEngine().fork } })
  const { job_id } = await service.newJob()
  const refused = async (id: string) => (await service.post(`/api/v1/jobs/${id}/links`, {})).body.error.code
  expect(await refused(job_id)).toBe('JOB_NOT_READY')
  await service.call('DELETE', `/api/v1/jobs/${job_id}`)
  expect(await refused(job_id)).toBe('JOB_FAILED')
  expect(await refused('nobody')).toBe('JOB_NOT_FOUND')
})
