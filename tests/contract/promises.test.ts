/** Promises of the HTTP contract that belong to no other folder's topic, on a real socket. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src-system/system.ts'
import { locateFfmpeg } from '../../src-worker/media/locate.ts'
import { createHeldEngine, type HeldEngine } from '../support/held-engine.ts'
import { type Service, startService } from '../support/service.ts'
import { wavSong } from '../support/songs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const HOUR_MS = 3_600_000

let shiftMs: number
let engine: HeldEngine
let service: Service
let credential: string
beforeEach(async () => {
  shiftMs = 0
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + shiftMs,
    monotonicMs: () => systemClock.monotonicMs() + shiftMs,
  }
  engine = createHeldEngine()
  service = await startService({ clock, forkEngine: engine.fork })
  credential = await service.newKey()
})
afterEach(() => service.stop())

const started = (count: number) => expect.poll(() => engine.processes.length).toBe(count)

test('an MP3, a WAV and a native FLAC each make a job', async () => {
  const folder = temporaryFolder(onTestFinished)
  const ffmpeg = await locateFfmpeg()
  for (const name of ['song.mp3', 'song.wav', 'song.flac']) {
    const at = path.join(folder, name)
    execFileSync(ffmpeg.path, ['-v', 'error', '-f', 'lavfi', '-i', 'sine=duration=3', at])
    const { status, body } = await service.master({ file: new File([readFileSync(at)], name) }, { credential })
    expect([name, status, body.status]).toEqual([name, 201, 'queued'])
  }
})

test('conditional members are absent, not null, in every state of a job', async () => {
  service.expectFault('a job failed')
  const [queued, done, failed] = [await service.newJob(), await service.newJob(), await service.newJob()]
  await service.patch('/app/settings', { engine_workers: 3 })
  await started(3)
  const processOf = (jobId: string) => engine.processes.find(({ order }) => order?.jobId === jobId)
  processOf(done.job_id)?.finish()
  processOf(failed.job_id)?.fail('DIGITAL_SILENCE')
  const jobs = [await service.job(queued.job_id), await service.ended(done.job_id), await service.ended(failed.job_id)]
  expect(jobs.map(({ status }) => status)).toEqual(['queued', 'done', 'failed'])
  expect(jobs.map((job) => ['download_url' in job, 'error_message' in job])).toEqual([
    [false, false],
    [true, false],
    [false, true],
  ])
  for (const job of jobs) expect(Object.values(job)).not.toContain(null)
})

test('every valid key and the app see all jobs, and each job keeps the balance of its own charge', async () => {
  const other = await service.newKey('other')
  const first = await service.newJob({}, { credential })
  const second = await service.newJob({}, { credential: other })
  const third = await service.newJob()
  expect([first, second, third].map(({ credits_remaining }) => credits_remaining)).toEqual([499, 498, 497])
  for (const caller of [credential, other, service.sessionCredential]) {
    for (const { job_id, credits_remaining } of [first, second, third]) {
      const { status, body } = await service.get(`/api/v1/jobs/${job_id}`, { credential: caller })
      expect([status, body.credits_remaining]).toEqual([200, credits_remaining])
    }
  }
  expect((await service.get('/api/v1/account', { credential })).body.credits).toBe(497)
})

test('every answer to a key has the rest of the rate limit, refusals too; open addresses do not', async () => {
  for (const [method, address, status] of [
    ['GET', '/api/v1/account', 200],
    ['GET', '/api/v1/jobs/none', 404],
    ['GET', '/api/v1/jobs?limit=0', 400],
    ['POST', '/api/v1/master', 415],
  ] as const) {
    const answer = await service.call(method, address, { credential })
    expect([address, answer.status]).toEqual([address, status])
    expect(answer.headers.get('ratelimit-policy')).toBe('"studio";q=100;w=60')
    expect(answer.headers.get('ratelimit')).toMatch(/^"studio";r=\d+;t=\d+$/)
  }
  expect((await service.get('/healthz')).headers.has('ratelimit')).toBe(false)
})

test('on studio the 101st request in a minute is refused', async () => {
  const statuses: number[] = []
  for (let sent = 1; sent <= 101; sent++) statuses.push((await service.get('/api/v1/account', { credential })).status)
  expect(statuses).toEqual([...Array(100).fill(200), 429])
})

test('credits are checked before free slots, and free slots before room on the disk', async () => {
  const refusal = async () => (await service.master()).body.error.code
  await service.patch('/app/account', { plan: 'free' })
  await service.newJob()
  const { credits } = (await service.get('/api/v1/account')).body
  const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
  db.prepare("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('charge', ?, 0)").run(-credits)
  db.close()
  await service.patch('/app/settings', { disk_quota_bytes: 1 })
  expect(await refusal()).toBe('INSUFFICIENT_CREDITS')
  await service.post('/app/account/credits', { amount: 1 })
  expect(await refusal()).toBe('CONCURRENT_LIMIT')
  await service.patch('/app/account', { plan: 'studio' })
  expect(await refusal()).toBe('INSUFFICIENT_STORAGE')
})

test('no key is made through /api/v1', async () => {
  for (const address of ['/api/v1/keys', '/api/v1/account/keys']) {
    expect((await service.post(address, { name: 'x' }, { credential })).status).toBe(404)
  }
})

test('an Idempotency-Key counts for 24 hours and then no longer', async () => {
  const send = () => service.master({ title: 'once' }, { credential, headers: { 'idempotency-key': 'daily' } })
  const first = await send()
  shiftMs += 23 * HOUR_MS
  const again = await send()
  expect([again.status, again.body.job_id]).toEqual([201, first.body.job_id])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  shiftMs += 2 * HOUR_MS
  const later = await send()
  expect([later.status, later.headers.has('idempotent-replayed')]).toEqual([201, false])
  expect(later.body.job_id).not.toBe(first.body.job_id)
})

test('download_url is the configured address, whatever Host the client wrote', async () => {
  const { job_id } = await service.newJob()
  await started(1)
  engine.processes[0]?.finish()
  await service.ended(job_id)
  const host = `localhost:${service.port}`
  const seen = await new Promise<string>((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${credential}` }
    const sent = request({ host: '127.0.0.1', port: service.port, path: `/api/v1/jobs/${job_id}`, headers }, (answer) =>
      answer.setEncoding('utf8').on('data', resolve),
    )
    sent.on('error', reject).end()
  })
  expect(JSON.parse(seen).download_url).toBe(`${service.baseUrl}/api/v1/jobs/${job_id}/download`)
  expect(seen).not.toContain('localhost')
})

test('an internal error is 500 INTERNAL_ERROR in the envelope, with its request id and without its cause', async () => {
  const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
  db.exec('ALTER TABLE webhooks RENAME TO gone')
  db.close()
  const { status, body, headers } = await service.get('/api/v1/webhooks', { credential })
  expect([status, body.error.code]).toEqual([500, 'INTERNAL_ERROR'])
  expect(body.error.request_id).toBe(headers.get('x-request-id'))
  expect(JSON.stringify(body)).not.toMatch(/webhooks|sqlite|no such|\.ts/i)
  expect(service.lines).toContainEqual(
    expect.objectContaining({
      ...{ level: 'error', message: 'INTERNAL_ERROR', requestId: body.error.request_id, route: '/api/v1/webhooks' },
      cause: expect.objectContaining({ message: 'no such table: webhooks' }),
    }),
  )
  for (const { level, message } of service.lines) if (level === 'error') service.expectFault(message)
})

test('the service is not there at any other address of this machine', async (context) => {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')
  if (!outside) return context.skip('this machine has no address but loopback')
  const outcome = await new Promise((resolve) => {
    const socket = connect({ host: outside.address, port: service.port, timeout: 3000 })
    for (const event of ['connect', 'error', 'timeout'] as const) socket.on(event, () => resolve(event))
    socket.on('connect', () => socket.destroy())
  })
  expect(outcome).not.toBe('connect')
})

test('a song under a second and one of silence are accepted, fail with their reason, and are refunded', async () => {
  const real = await startService()
  real.expectFault('a job failed')
  const songs = [
    [wavSong({ seconds: 0.5 }), 'TOO_SHORT'],
    [wavSong({ hertz: 0 }), 'DIGITAL_SILENCE'],
  ] as const
  for (const [bytes, failure_code] of songs) {
    const { job_id } = await real.newJob({ file: new Blob([new Uint8Array(bytes)]) })
    const job = await real.ended(job_id)
    expect(job).toMatchObject({ status: 'failed', failure_code, credits_used: 1, credits_refunded: 1 })
    expect(job.error_message).toMatch(/\w+ .*\.$/)
  }
  expect((await real.get('/api/v1/account')).body.credits).toBe(500)
  await real.stop()
})
