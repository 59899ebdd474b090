import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { MAX_INTERRUPTIONS } from '../../../src-server/jobs/job.ts'
import { locateFfmpeg } from '../../../src-worker/media/locate.ts'
import { createHeldEngine, type HeldEngine } from '../../support/held-engine.ts'
import { type Answer, type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let engine: HeldEngine
let service: Service
beforeEach(async () => {
  engine = createHeldEngine()
  service = await startService({ forkEngine: engine.fork })
  await service.patch('/app/settings', { engine_workers: 2 })
})
afterEach(() => service.stop())

const credits = async () => (await service.get('/api/v1/account')).body.credits
const started = (count: number) => expect.poll(() => engine.processes.length).toBe(count)
const ledgerOf = async (jobId: string) =>
  (await service.get('/app/account/ledger?limit=100')).body.entries
    .filter((entry: { job_id?: string }) => entry.job_id === jobId)
    .map(({ kind, amount }: { kind: string; amount: number }) => [kind, amount])

/** The callbacks stored for a job, as they would be sent. */
function callbacksOf(jobId: string): unknown[] {
  const db = new Database(path.join(service.dataDir, 'loudsmith.db'), { readonly: true })
  const bodies = db
    .prepare('SELECT body FROM events WHERE job_id = ? AND body IS NOT NULL')
    .pluck()
    .all(jobId) as string[]
  db.close()
  return bodies.map((body) => JSON.parse(body))
}

describe('a job that succeeds (spec 3)', () => {
  test('is queued while it runs, shows its stage, and ends as done with download_url and the specified callback', async () => {
    const { job_id } = await service.newJob({ platforms: 'melon,spotify' })
    await started(1)
    engine.processes[0]?.progress('rendering', 0.5)
    expect(await service.job(job_id)).toMatchObject({
      status: 'queued',
      stage: 'rendering',
      progress: 50,
      started_at: expect.any(String),
    })
    expect((await service.get(`/api/v1/jobs/${job_id}/download`)).body.error.code).toBe('JOB_NOT_READY')
    engine.processes[0]?.finish()
    const job = await service.ended(job_id)
    const download_url = `${service.baseUrl}/api/v1/jobs/${job_id}/download`
    expect(job).toMatchObject({ status: 'done', progress: 100, download_url, credits_used: 1, credits_refunded: 0 })
    expect(job.results.map(({ platform }) => platform)).toEqual(['melon', 'spotify'])
    const inKorean = await service.get(`/api/v1/jobs/${job_id}`, { headers: { 'accept-language': 'ko' } })
    expect([job.summary, inKorean.body.summary]).toEqual([
      expect.stringMatching(/^Only the level: /),
      expect.stringMatching(/^음량만: /),
    ])
    for (const absent of ['error_message', 'failure_code', 'stage', 'queue_position'])
      expect(job).not.toHaveProperty(absent)
    expect(Date.parse(job.expires_at ?? '') - Date.parse(job.completed_at ?? '')).toBe(30 * 86_400_000)
    expect(callbacksOf(job_id)).toEqual([{ event: 'job.completed', job_id, status: 'done', download_url }])
    expect((await service.get(`/api/v1/jobs/${job_id}/download`)).status).toBe(200)
    expect(await ledgerOf(job_id)).toEqual([['charge', -1]])
  })

  test('is answered when it has ended where its reader waits, as one request', async () => {
    const credential = await service.newKey()
    const { job_id } = await service.newJob()
    await started(1)
    const left = (answer: Answer) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
    const before = await service.get(`/api/v1/jobs/${job_id}?wait=0`, { credential })
    expect(before.body.status).toBe('queued')
    const waiting = service.get(`/api/v1/jobs/${job_id}?wait=30`, { credential })
    const refused = await service.get(`/api/v1/jobs/${job_id}?wait=31`)
    expect([refused.status, refused.body.error.param]).toEqual([400, 'wait'])
    engine.processes[0]?.finish()
    expect((await waiting).body.status).toBe('done')
    expect(left(before) - left(await waiting)).toBe(1)
  })

  test('is worked on with what was asked for', async () => {
    await service.newJob({
      platforms: 'melon',
      genre: 'edm',
      ai_service: 'suno',
      tier: 'premium',
      intensity: '80',
      loudness: 'competitive',
      title: '밤',
      artist: 'A',
    })
    await started(1)
    expect(engine.processes[0]?.order).toMatchObject({
      settings: {
        platforms: ['melon'],
        genre: 'edm',
        ai_service: 'suno',
        tier: 'premium',
        intensity: 80,
        loudness: 'competitive',
        reference_amount: 70,
      },
      title: '밤',
      artist: 'A',
      seed: 0,
    })
  })
})

describe('a job that fails (spec 3)', () => {
  test('ends as failed with its reason, is refunded once, and sends the specified callback', async () => {
    const { job_id } = await service.newJob()
    const before = await credits()
    await started(1)
    service.expectFault('a job failed')
    engine.processes[0]?.fail('CEILING_BROKEN', { platform: 'spotify' })
    const job = await service.ended(job_id)
    expect(job).toMatchObject({
      status: 'failed',
      failure_code: 'CEILING_BROKEN',
      error_message: expect.stringContaining('spotify'),
      credits_used: 1,
      credits_refunded: 1,
    })
    expect(job).not.toHaveProperty('download_url')
    expect(await credits()).toBe(before + 1)
    expect(await ledgerOf(job_id)).toEqual([
      ['refund', 1],
      ['charge', -1],
    ])
    expect(callbacksOf(job_id)).toEqual([
      { event: 'job.failed', job_id, status: 'failed', error_message: job.error_message },
    ])
    expect((await service.get(`/api/v1/jobs/${job_id}/download`)).body.error.code).toBe('JOB_FAILED')
    expect(
      (await service.get(`/api/v1/jobs/${job_id}`, { headers: { 'accept-language': 'ko' } })).body.error_message,
    ).toMatch(/[가-힣]/)
  })

  test('is given three engine processes when they die, and one that answers ends it well', async () => {
    service.expectFault('an engine process died')
    const { job_id } = await service.newJob()
    for (const attempt of [0, 1]) {
      await started(attempt + 1)
      engine.processes[attempt]?.crash()
    }
    await started(3)
    engine.processes[2]?.finish()
    expect((await service.ended(job_id)).status).toBe('done')
    expect(await ledgerOf(job_id)).toEqual([['charge', -1]])
    expect(readdirSync(path.join(service.dataDir, 'jobs', job_id)).sort()).toEqual(['result', 'source'])
  })

  test('is given up after the third dead engine process, with one refund and one event', async () => {
    service.expectFault('an engine process died')
    const { job_id } = await service.newJob()
    for (const attempt of [0, 1, 2]) {
      await started(attempt + 1)
      engine.processes[attempt]?.crash()
    }
    expect(await service.ended(job_id)).toMatchObject({ failure_code: 'ENGINE_CRASHED', credits_refunded: 1 })
    expect(engine.processes.length).toBe(3)
    expect(callbacksOf(job_id).length).toBe(1)
  })

  test('fails when its masters do not lie whole on the disk: refunded, and nothing is given out', async () => {
    service.expectFault('a job could not be worked on')
    const { job_id } = await service.newJob()
    await started(1)
    engine.processes[0]?.finish()
    const attempt = path.join(service.dataDir, 'jobs', job_id, 'attempt-1')
    const master = readdirSync(attempt).find((name) => name.endsWith('.wav')) ?? ''
    truncateSync(path.join(attempt, master), 5)
    expect(await service.ended(job_id)).toMatchObject({ failure_code: 'ENGINE_FAILED', credits_refunded: 1 })
    expect((await service.get(`/api/v1/jobs/${job_id}/download`)).body.error.code).toBe('JOB_FAILED')
    await expect.poll(() => readdirSync(path.join(service.dataDir, 'jobs', job_id))).toEqual(['source'])
  })

  test('says so when its stored song is gone', async () => {
    await service.patch('/app/settings', { engine_workers: 1 })
    await service.newJob()
    const { job_id } = await service.newJob()
    rmSync(path.join(service.dataDir, 'jobs', job_id, 'source'))
    engine.processes[0]?.finish()
    expect(await service.ended(job_id)).toMatchObject({ failure_code: 'SOURCE_LOST', credits_refunded: 1 })
  })

  test('says so when its stored reference is gone', async () => {
    await service.patch('/app/settings', { engine_workers: 1 })
    await service.newJob()
    const reference_file = new Blob([new Uint8Array(wavSong({ seconds: 6 }))])
    const { job_id } = await service.newJob({ reference_file })
    rmSync(path.join(service.dataDir, 'jobs', job_id, 'reference'))
    await started(1)
    engine.processes[0]?.finish()
    expect(await service.ended(job_id)).toMatchObject({
      failure_code: 'REFERENCE_LOST',
      credits_refunded: 1,
      error_message: expect.stringMatching(/reference is gone/),
    })
  })
})

describe('cancel, delete, retry (contract 6)', () => {
  test('a waiting job is cancelled as failed and refunded, and never starts', async () => {
    await service.patch('/app/settings', { engine_workers: 1 })
    await service.newJob()
    const { job_id } = await service.newJob()
    expect((await service.job(job_id)).queue_position).toBe(1)
    const { status, body } = await service.call('DELETE', `/api/v1/jobs/${job_id}`)
    expect([status, body.status, body.failure_code, body.credits_refunded]).toEqual([200, 'failed', 'CANCELLED', 1])
    engine.processes[0]?.finish()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(engine.processes.length).toBe(1)
  })

  test('a running job is cancelled at once, its process is stopped, and its late answer changes nothing', async () => {
    engine.isStubborn = true
    const { job_id } = await service.newJob()
    await started(1)
    const { body } = await service.call('DELETE', `/api/v1/jobs/${job_id}`)
    expect(body).toMatchObject({ status: 'failed', failure_code: 'CANCELLED', error_message: 'cancelled' })
    expect(engine.processes[0]?.isAborted).toBe(true)
    engine.processes[0]?.finish()
    await expect.poll(() => readdirSync(path.join(service.dataDir, 'jobs', job_id))).toEqual(['source'])
    expect((await service.job(job_id)).status).toBe('failed')
    expect(await ledgerOf(job_id)).toEqual([
      ['refund', 1],
      ['charge', -1],
    ])
    expect(callbacksOf(job_id).length).toBe(1)
  })

  test('a job that is cancelled while its finished masters are put in place leaves none of them', async () => {
    engine.isLingering = true
    const { job_id } = await service.newJob()
    await started(1)
    engine.processes[0]?.finish()
    await service.call('DELETE', `/api/v1/jobs/${job_id}`)
    engine.processes[0]?.crash()
    await expect.poll(() => readdirSync(path.join(service.dataDir, 'jobs', job_id))).toEqual(['source'])
    expect(await service.job(job_id)).toMatchObject({ failure_code: 'CANCELLED', credits_refunded: 1 })
  })

  test('a job that is cancelled and deleted while its finished masters are put in place is no fault', async () => {
    engine.isLingering = true
    const { job_id } = await service.newJob()
    await started(1)
    engine.processes[0]?.finish()
    for (const status of [200, 204])
      expect((await service.call('DELETE', `/api/v1/jobs/${job_id}`)).status).toBe(status)
    engine.processes[0]?.crash()
    const next = await service.newJob()
    await started(2)
    engine.processes[1]?.finish()
    engine.processes[1]?.crash()
    expect((await service.ended(next.job_id)).status).toBe('done')
    expect(readdirSync(path.join(service.dataDir, 'jobs'))).toEqual([next.job_id])
    expect(service.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('an ended job is deleted with its files: 204, then 404', async () => {
    const { job_id } = await service.newJob()
    await started(1)
    engine.processes[0]?.finish()
    await service.ended(job_id)
    expect((await service.call('DELETE', `/api/v1/jobs/${job_id}`)).status).toBe(204)
    expect((await service.get(`/api/v1/jobs/${job_id}`)).status).toBe(404)
    expect(existsSync(path.join(service.dataDir, 'jobs', job_id))).toBe(false)
    expect((await service.call('DELETE', `/api/v1/jobs/${job_id}`)).body.error.code).toBe('JOB_NOT_FOUND')
  })

  test('a request to cancel removes no masters when the job ends first', async () => {
    const { job_id } = await service.newJob()
    await started(1)
    engine.processes[0]?.finish()
    await service.ended(job_id)
    const late = await service.call('DELETE', `/api/v1/jobs/${job_id}?status=queued`)
    expect([late.status, late.body.status, late.body.credits_refunded]).toEqual([200, 'done', 0])
    expect((await service.get(`/api/v1/jobs/${job_id}/download`)).status).toBe(200)

    const second = await service.newJob()
    const inTime = await service.call('DELETE', `/api/v1/jobs/${second.job_id}?status=queued`)
    expect(inTime.body).toMatchObject({ status: 'failed', failure_code: 'CANCELLED', credits_refunded: 1 })
    const misspelt = await service.call('DELETE', `/api/v1/jobs/${job_id}?status=qeued`)
    expect([misspelt.status, misspelt.body.error.param]).toEqual([400, 'status'])
    expect((await service.job(job_id)).status).toBe('done')
  })

  test('a retry is a new, charged job of the same songs and settings that names the old one', async () => {
    const reference = new Blob([new Uint8Array(wavSong({ seconds: 5 }))])
    const batch_id = '0191f3a0-1111-4222-8333-000000000001'
    const { job_id } = await service.newJob({ genre: 'edm', platforms: 'melon', batch_id, reference_file: reference })
    expect((await service.call('POST', `/api/v1/jobs/${job_id}/retry`)).body.error.code).toBe('JOB_NOT_READY')
    await service.call('DELETE', `/api/v1/jobs/${job_id}`)
    const { status, body, headers } = await service.call('POST', `/api/v1/jobs/${job_id}/retry`)
    expect(status).toBe(201)
    expect(headers.get('location')).toContain(body.job_id)
    expect(await service.job(body.job_id)).toMatchObject({
      retry_of: job_id,
      batch_id,
      genre: 'edm',
      platforms: ['melon'],
      reference_filename: 'song.wav',
    })
    expect((await service.job(job_id)).status).toBe('failed')
    expect((await service.call('POST', '/api/v1/jobs/x/retry')).body.error.code).toBe('JOB_NOT_FOUND')
  })

  test('a retry may be mastered otherwise, and calls its own address alone', async () => {
    const called: { job_id: string; path: string }[] = []
    const receiver = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        called.push({ ...JSON.parse(text), path: request.url })
        response.end()
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const { job_id } = await service.newJob({
      genre: 'edm',
      title: '밤',
      artist: '나',
      webhook_url: `${address}/first`,
    })
    await service.call('DELETE', `/api/v1/jobs/${job_id}`)
    const retry = (body: unknown) => service.post(`/api/v1/jobs/${job_id}/retry`, body)
    const changes = { platforms: ['melon', 'youtube'], tier: 'premium', intensity: 80, title: '낮', artist: '' }
    const { status, body } = await retry({ ...changes, webhook_url: `${address}/second` })
    expect([status, body.platforms]).toEqual([201, ['melon', 'youtube']])
    const made = await service.job(body.job_id)
    expect(made).toMatchObject({ genre: 'edm', tier: 'premium', intensity: 80, title: '낮', retry_of: job_id })
    expect(made.artist).toBeUndefined()
    const plain = await service.call('POST', `/api/v1/jobs/${job_id}/retry`)
    expect(plain.status).toBe(201)
    for (const one of [body, plain.body]) await service.call('DELETE', `/api/v1/jobs/${one.job_id}`)
    await expect.poll(() => called.length).toBe(2)
    expect(called.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      expect.objectContaining({ job_id, path: '/first' }),
      expect.objectContaining({ job_id: body.job_id, path: '/second' }),
    ])
    receiver.close()

    const before = await credits()
    for (const [given, code, param] of [
      [{ platforms: ['nowhere'] }, 'INVALID_PLATFORM', 'platforms'],
      [{ platforms: [] }, 'INVALID_REQUEST', 'platforms'],
      [{ intensity: 101 }, 'INVALID_REQUEST', 'intensity'],
      [{ webhook_url: 'http://169.254.169.254/' }, 'INVALID_WEBHOOK_URL', 'webhook_url'],
      [{ webhok_url: address }, 'INVALID_REQUEST', 'webhok_url'],
    ] as const) {
      const refused = await retry(given)
      expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([400, code, param])
    }
    const form = await service.call('POST', `/api/v1/jobs/${job_id}/retry`, {
      body: 'tier=premium',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect([form.status, form.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    expect(await credits()).toBe(before)
  })

  test('a retry without a body is taken, whatever its head says of one', async () => {
    const { job_id } = await service.newJob()
    await service.call('DELETE', `/api/v1/jobs/${job_id}`)
    for (const init of [
      {},
      { body: '' },
      { body: '', headers: { 'content-type': 'application/json' } },
      { body: '{}', headers: { 'content-type': 'application/json' } },
    ]) {
      expect((await service.call('POST', `/api/v1/jobs/${job_id}/retry`, init)).status).toBe(201)
    }
  })

  test('a retry with an Idempotency-Key makes and charges one job, also when the first one is deleted meanwhile', async () => {
    const { job_id } = await service.newJob()
    await service.call('DELETE', `/api/v1/jobs/${job_id}`)
    const headers = { 'idempotency-key': 'again', 'content-type': 'application/json' }
    const retry = (body: string) => service.call('POST', `/api/v1/jobs/${job_id}/retry`, { headers, body })
    const before = await credits()
    const first = await retry('{"tier":"premium"}')
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
    await service.call('DELETE', `/api/v1/jobs/${job_id}`)
    const second = await retry('{"tier":"premium"}')
    expect([second.status, second.headers.get('idempotent-replayed'), second.body]).toEqual([201, 'true', first.body])
    expect((await retry('{"tier":"standard"}')).body.error.code).toBe('IDEMPOTENCY_MISMATCH')
    expect(await credits()).toBe(before - 1)
    const upload = await service.master({}, { headers: { 'idempotency-key': 'again' } })
    expect(upload.body.error.code).toBe('IDEMPOTENCY_MISMATCH')
  })

  test('a job whose song is gone cannot be retried: RESULT_EXPIRED, nothing charged', async () => {
    const { job_id } = await service.newJob()
    await service.call('DELETE', `/api/v1/jobs/${job_id}`)
    rmSync(path.join(service.dataDir, 'jobs', job_id), { recursive: true })
    const before = await credits()
    expect((await service.call('POST', `/api/v1/jobs/${job_id}/retry`)).body.error.code).toBe('RESULT_EXPIRED')
    expect(await credits()).toBe(before)
  })
})

describe('many at once', () => {
  test('one credit and two parallel creates: one 201 and one 402', async () => {
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
    await credits()
    db.prepare("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('charge', -499, 0)").run()
    db.close()
    const answers = await Promise.all([service.master(), service.master()])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 402])
    expect(await credits()).toBe(0)
  })

  test('with the engine held, exactly as many parallel creates are taken as the plan has slots (contract 3)', async () => {
    await service.patch('/app/account', { plan: 'pro' })
    const answers = await Promise.all(Array.from({ length: 7 }, () => service.master()))
    expect(answers.filter(({ status }) => status === 201).length).toBe(5)
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual([
      [429, 'CONCURRENT_LIMIT'],
      [429, 'CONCURRENT_LIMIT'],
    ])
    expect(readdirSync(path.join(service.dataDir, 'jobs')).length).toBe(5)
  })

  test('jobs run in their order, as many at once as there are workers', async () => {
    const ids = []
    for (let made = 0; made < 4; made++) ids.push((await service.newJob()).job_id)
    await started(2)
    expect(engine.processes.map(({ order }) => order?.jobId)).toEqual(ids.slice(0, 2))
    expect((await service.job(ids[3] as string)).queue_position).toBe(2)
    engine.processes[1]?.finish()
    await started(3)
    expect(engine.processes[2]?.order?.jobId).toBe(ids[2])
  })
})

describe('the list of jobs (contract 6)', () => {
  test('filters by words, status, platform and batch, sorts, and pages without gaps', async () => {
    const batch_id = '0b4c3f9e-52d0-4d67-8a35-0f6f6f6f6f60'
    const titles = ['Beta', 'alpha', 'Gamma Ray', '밤의 노래', 'delta']
    const ids: string[] = []
    for (const [index, title] of titles.entries()) {
      const platforms = index % 2 === 0 ? 'spotify' : 'melon,youtube'
      ids.push((await service.newJob({ title, platforms, ...(index < 2 ? { batch_id } : {}) })).job_id)
    }
    await service.call('DELETE', `/api/v1/jobs/${ids[4]}`)
    const list = async (query: string) => (await service.get(`/api/v1/jobs?${query}`)).body
    const names = async (query: string) => (await list(query)).jobs.map(({ title }: { title: string }) => title)
    expect(await names('')).toEqual([...titles].reverse())
    expect(await names('sort=oldest')).toEqual(titles)
    expect(await names('sort=title')).toEqual(['alpha', 'Beta', 'delta', 'Gamma Ray', '밤의 노래'])
    expect(await names('q=RAY%20gam')).toEqual(['Gamma Ray'])
    expect(await names(`q=${encodeURIComponent('노래'.normalize('NFD'))}`)).toEqual(['밤의 노래'])
    expect(await names('status=failed')).toEqual(['delta'])
    expect(await names('platform=youtube')).toEqual(['밤의 노래', 'alpha'])
    expect(await names(`batch_id=${batch_id}&sort=title`)).toEqual(['alpha', 'Beta'])
    expect(await names(`batch_id=${batch_id.toUpperCase()}&sort=title`)).toEqual(['alpha', 'Beta'])
    expect(await names('q=%25')).toEqual([])
    for (const sort of ['newest', 'oldest', 'title']) {
      const seen: string[] = []
      let cursor = ''
      do {
        const page = await list(`sort=${sort}&limit=2${cursor && `&cursor=${cursor}`}`)
        expect(page.total).toBe(5)
        seen.push(...page.jobs.map((job: { job_id: string }) => job.job_id))
        cursor = page.next_cursor ?? ''
      } while (cursor)
      expect(seen).toEqual((await list(`sort=${sort}`)).jobs.map((job: { job_id: string }) => job.job_id))
    }
    const { next_cursor } = await list('sort=newest&limit=2')
    expect((await list(`sort=oldest&cursor=${next_cursor}`)).error).toMatchObject({ param: 'cursor' })
  })
})

test('a list by title pages on past a song whose tag is as long as a story', async () => {
  const ffmpeg = await locateFfmpeg()
  const folder = temporaryFolder(onTestFinished)
  const [plain, tagged] = ['plain.wav', 'tagged.flac'].map((name) => path.join(folder, name)) as [string, string]
  writeFileSync(plain, wavSong())
  execFileSync(ffmpeg.path, ['-v', 'error', '-i', plain, '-metadata', `title=${'밤의 노래 🌙 '.repeat(2000)}`, tagged])
  await service.newJob({ file: new File([new Uint8Array(readFileSync(tagged))], 'tagged.flac') })
  await service.newJob({ title: '힘' })
  const first = (await service.get('/api/v1/jobs?sort=title&limit=1')).body
  expect(first.jobs[0].title).toMatch(/^밤의 노래 🌙/)
  const { status, body } = await service.get(`/api/v1/jobs?sort=title&limit=1&cursor=${first.next_cursor}`)
  expect([status, body.jobs?.[0]?.title]).toEqual([200, '힘'])
})

describe('POST /api/v1/analyze (contract 6)', () => {
  const analyse = (fields: Record<string, string | Blob>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value as string)
    return service.call('POST', '/api/v1/analyze', { body: form })
  }
  const file = new Blob([new Uint8Array(wavSong())])

  test('answers what was found, free of charge, without a job', async () => {
    const before = await credits()
    engine.isAutomatic = true
    const { status, body } = await analyse({ file, ai_service: 'suno' })
    expect([status, body.codec, body.summary]).toEqual([200, 'pcm_s16', 'Nothing is changed. No fault was found.'])
    expect(engine.processes[0]?.isAnalysis).toBe(true)
    expect(await credits()).toBe(before)
    expect((await service.get('/api/v1/jobs')).body.total).toBe(0)
    expect(service.temporary()).toEqual([])
  })

  test('finds the price of loudness where it is asked for, once for the same bytes', async () => {
    engine.isAutomatic = true
    const asked: unknown[] = []
    engine.hears = ({ price }) => {
      asked.push(price)
      return -20
    }
    const first = await analyse({ file, price: 'true' })
    const again = await analyse({ file, price: 'true' })
    expect(again.body.suggestion).toEqual(first.body.suggestion)
    await analyse({ file })
    await analyse({ file: new Blob([new Uint8Array(wavSong({ seconds: 2 }))]), price: 'true' })
    expect(asked).toEqual(['wanted', first.body.suggestion.price, undefined, 'wanted'])
  })

  test('looks at one song at a time per caller: CONCURRENT_LIMIT for the second', async () => {
    const first = analyse({ file })
    await started(1)
    expect((await analyse({ file })).body.error.code).toBe('CONCURRENT_LIMIT')
    engine.processes[0]?.finish()
    expect((await first).status).toBe(200)
  })

  test('refuses what it cannot read', async () => {
    expect((await analyse({ file: new Blob(['x']) })).body.error.code).toBe('UNSUPPORTED_FORMAT')
    expect((await analyse({ ai_service: 'suno' })).body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'file' })
    expect((await analyse({ source_id: 'x' })).body.error.code).toBe('NOT_FOUND')
  })

  test('says what keeps it from an answer, and that it can be asked again when that is not the song', async () => {
    const song = { code: 'UNSUPPORTED_FORMAT', param: 'file' }
    const moment = { code: 'UNAVAILABLE' }
    const ends = [
      ['UNREADABLE_AUDIO', { ...song, values: { reason: 'damaged' } }],
      ['INVALID_SAMPLES', { ...song, values: { reason: 'not_numbers' } }],
      ['TOO_SHORT', { ...song, values: { reason: 'short' } }],
      ['DIGITAL_SILENCE', { ...song, values: { reason: 'silent' } }],
      ['FFMPEG_MISSING', moment],
      ['ENGINE_TIMEOUT', moment],
      ['crash', moment],
    ] as const
    for (const [index, [end, error]] of ends.entries()) {
      const answer = analyse({ file })
      await started(index + 1)
      if (end === 'crash') engine.processes[index]?.crash()
      else engine.processes[index]?.fail(end)
      const { body, headers } = await answer
      expect([end, body.error]).toMatchObject([end, error])
      expect([end, headers.has('retry-after')]).toEqual([end, error === moment])
    }
  })
})

describe('stopping and starting again (contract 8)', () => {
  test('an orderly stop gives a running job back, costs it no start, and the next run finishes it with one charge', async () => {
    const { job_id } = await service.newJob()
    await started(1)
    const again = createHeldEngine()
    await service.close()
    await service.close()
    expect(engine.processes[0]?.isAborted).toBe(true)
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'), { readonly: true })
    expect(db.prepare('SELECT state, starts FROM jobs').get()).toEqual({ state: 'waiting', starts: 0 })
    db.close()
    const next = await startService({ dataDir: service.dataDir, forkEngine: again.fork, keepsData: true })
    await expect.poll(() => again.processes.length).toBe(1)
    again.processes[0]?.finish()
    expect(await next.ended(job_id)).toMatchObject({ status: 'done', credits_used: 1, credits_refunded: 0 })
    expect((await next.get('/api/v1/account')).body.credits).toBe(499)
    await next.stop()
  })

  test('a job that kills of the whole service end for good keeps nothing but its song', async () => {
    const { job_id } = await service.newJob()
    await started(1)
    await service.close()
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
    db.prepare("UPDATE jobs SET state = 'running', starts = 1, interruptions = ?").run(MAX_INTERRUPTIONS - 1)
    db.close()
    const job = path.join(service.dataDir, 'jobs', job_id)
    for (const name of [`attempt-${MAX_INTERRUPTIONS}`, 'result']) {
      mkdirSync(path.join(job, name))
      writeFileSync(path.join(job, name, 'half.wav'), 'half')
    }
    const next = await startService({ dataDir: service.dataDir, forkEngine: engine.fork, keepsData: true })
    expect(await next.ended(job_id)).toMatchObject({ failure_code: 'ENGINE_CRASHED', credits_refunded: 1 })
    await next.stop()
    expect(readdirSync(job)).toEqual(['source'])
  })

  test('requests during the stop are answered 503 UNAVAILABLE or not at all', async () => {
    engine.isStubborn = true
    await service.newJob()
    await started(1)
    const closing = service.close()
    const answer = await service.get('/api/v1/jobs').catch(() => undefined)
    if (answer) expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE'])
    await closing
    expect(engine.processes[0]?.isGone).toBe(true)
  })

  test('a second server on the same data folder, or on the same port, is told who has it', async () => {
    await expect(startService({ dataDir: service.dataDir, keepsData: true })).rejects.toThrow(String(service.port))
    await expect(startService({ port: service.port })).rejects.toMatchObject({ code: 'EADDRINUSE', port: service.port })
  })

  test('a port that the system keeps for others is told from a folder that cannot be written', async () => {
    const listen = vi.spyOn(NetServer.prototype, 'listen').mockImplementation(function (this: NetServer) {
      setImmediate(() => this.emit('error', Object.assign(new Error('listen EACCES'), { code: 'EACCES' })))
      return this
    })
    onTestFinished(() => listen.mockRestore())
    await expect(startService({ port: 47_310 })).rejects.toMatchObject({
      name: 'PortTakenError',
      port: 47_310,
      code: 'EACCES',
    })
  })
})

describe('a disk that fills up (contract 5)', () => {
  test('the quota refuses new jobs with 507 INSUFFICIENT_STORAGE and charges nothing', async () => {
    await service.patch('/app/settings', { disk_quota_bytes: 100_000 })
    const { status, body } = await service.master()
    expect([status, body.error.code]).toEqual([507, 'INSUFFICIENT_STORAGE'])
    expect(await credits()).toBe(500)
    expect(readdirSync(path.join(service.dataDir, 'jobs'))).toEqual([])
  })

  test('all files of a job count in full: its song, its reference and its result', async () => {
    const reference_file = new Blob([new Uint8Array(wavSong({ seconds: 12, hertz: 330 }))])
    const { job_id } = await service.newJob({ reference_file })
    await started(1)
    engine.processes[0]?.finish()
    await service.ended(job_id)
    const { headers } = await service.get(`/api/v1/jobs/${job_id}/download`)
    const { used_bytes } = (await service.get('/app/system')).body
    const result = path.join(service.dataDir, 'jobs', job_id, 'result')
    const keptBytes = readdirSync(result).reduce((sum, name) => sum + statSync(path.join(result, name)).size, 0)
    expect(used_bytes).toBe(wavSong().length + reference_file.size + keptBytes)
    const sizeBytes = Number(headers.get('content-length'))
    expect((await service.get(`/api/v1/jobs/${job_id}`)).body.download_size_bytes).toBe(sizeBytes)
  })

  test('masters of unfinished jobs have room reserved in the quota until the jobs have ended', async () => {
    // A song of 3 s and its masters: 96 044 bytes, and 793 800 at most.
    await service.patch('/app/settings', { disk_quota_bytes: 1_500_000 })
    const { job_id } = await service.newJob()
    const { status, body } = await service.master()
    expect([status, body.error.code]).toEqual([507, 'INSUFFICIENT_STORAGE'])
    await started(1)
    engine.processes[0]?.finish()
    await service.ended(job_id)
    expect((await service.master()).status).toBe(201)
  })

  test('a song at a high rate needs the room of its masters, whose rate is 96 kHz at most', async () => {
    // 1 728 000 bytes, twice while they are packaged.
    await service.patch('/app/settings', { disk_quota_bytes: 4_000_000 })
    const file = new Blob([new Uint8Array(wavSong({ sampleRateHz: 192_000 }))])
    expect((await service.master({ file })).status).toBe(201)
  })
})
