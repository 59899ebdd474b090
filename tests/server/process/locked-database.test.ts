import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHeldEngine, type HeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'
import { startReceiver } from '../notify/fixture.ts'

let engine: HeldEngine
let service: Service
const ends: (() => Promise<void>)[] = []
beforeEach(async () => {
  engine = createHeldEngine()
  service = await startService({ forkEngine: engine.fork })
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  await service.stop()
})

/** Has another process take the lock; the returned function ends that process and with it the lock. */
async function lock(): Promise<() => Promise<void>> {
  const file = path.join(service.dataDir, 'loudsmith.db')
  const other = fork(path.join(import.meta.dirname, '../../support/lock-process.ts'), [file], { execArgv: [] })
  await once(other, 'message')
  let isEnded = false
  const end = async () => {
    if (isEnded) return
    isEnded = true
    other.kill('SIGKILL')
    await once(other, 'exit')
  }
  ends.push(end)
  return end
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const logged = (message: string) => service.lines.some((line) => line.message === message)

test('while another program holds the database for good, what must be written is 503 UNAVAILABLE with Retry-After, what is read comes meanwhile, and nothing is charged', async () => {
  const { job_id } = await service.newJob()
  const key = await service.newKey()
  const unlock = await lock()
  const refused = service.master({}, { credential: key })
  const removed = service.call('DELETE', `/api/v1/jobs/${job_id}`)
  let reads = 0
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      const { status } = await service.get(`/api/v1/jobs/${job_id}`, { credential: key })
      expect(status).toBe(200)
      reads++
      await pause(10)
    }
  })()
  for (const { status, body, headers } of await Promise.all([refused, removed])) {
    expect([status, body.error.code]).toEqual([503, 'UNAVAILABLE'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  // Were the thread held up as long as the writes wait, no reader would have had a turn between.
  expect(reads).toBeGreaterThan(1)
  isOver = true
  await reading
  await unlock()
  expect((await service.get('/api/v1/account')).body).toMatchObject({ credits: 499, usage: { unfinished_jobs: 1 } })
  expect(service.temporary()).toEqual([])
})

test('an upload that arrives while another program holds the database for a second is taken all the same, and charged once', async () => {
  const unlock = await lock()
  const [answer] = await Promise.all([service.master(), pause(1000).then(unlock)])
  expect(answer.status).toBe(201)
  expect((await service.get('/api/v1/account')).body.credits).toBe(499)
})

test('a song that the app stores while another program holds the database for a second lies in the batch, and one that cannot be stored leaves nothing', async () => {
  const store = (hertz: number) => {
    const body = new FormData()
    body.append('file', new Blob([new Uint8Array(wavSong({ hertz }))]), 'song.wav')
    return service.call('POST', '/app/sources', { body })
  }
  const unlock = await lock()
  const [stored] = await Promise.all([store(220), pause(1000).then(unlock)])
  expect(stored.status).toBe(201)
  expect((await service.get('/app/desk')).body.songs).toMatchObject([{ source: stored.body }])
  const unlockLater = await lock()
  const refused = await store(440)
  expect([refused.status, refused.body.error.code]).toEqual([503, 'UNAVAILABLE'])
  await unlockLater()
  expect((await service.get('/app/desk')).body.songs).toHaveLength(1)
  expect(readdirSync(path.join(service.dataDir, 'sources'))).toHaveLength(1)
  expect(service.temporary()).toEqual([])
})

test('an analysis that ends while another program holds the database for a second is kept with its song', async () => {
  const song = new FormData()
  song.append('file', new Blob([new Uint8Array(wavSong())]), 'song.wav')
  const { source_id } = (await service.call('POST', '/app/sources', { body: song })).body
  const form = new FormData()
  form.append('source_id', source_id)
  const answer = service.call('POST', '/api/v1/analyze', { body: form })
  await expect.poll(() => engine.processes.length).toBe(1)
  const unlock = await lock()
  engine.processes[0]?.finish()
  const [{ status }] = await Promise.all([answer, pause(1000).then(unlock)])
  expect(status).toBe(200)
  expect((await service.get('/app/desk')).body.songs[0].analysis).not.toBeNull()
})

test('a job that ends while another program holds the database is settled afterwards: done, with one charge and one event', async () => {
  const { job_id } = await service.newJob()
  await expect.poll(() => engine.processes.length).toBe(1)
  const unlock = await lock()
  service.expectFault('a job could not be settled')
  engine.processes[0]?.finish()
  await expect.poll(() => logged('a job could not be settled')).toBe(true)
  expect((await service.job(job_id)).status).toBe('queued')
  await unlock()
  expect(await service.ended(job_id)).toMatchObject({ status: 'done', credits_refunded: 0 })
  const db = new Database(path.join(service.dataDir, 'loudsmith.db'), { readonly: true })
  expect(
    db.prepare('SELECT name, count(*) AS times FROM events WHERE job_id = ? GROUP BY name ORDER BY name').all(job_id),
  ).toEqual([
    { name: 'job.completed', times: 1 },
    { name: 'job.created', times: 1 },
  ])
  db.close()
})

test('a receiver that took a callback while another program holds the database is not told again', async () => {
  let unlock = async () => {}
  const receiver = await startReceiver(async (response) => {
    unlock = await lock()
    response.writeHead(204).end()
  })
  service.expectFault('a delivery could not be noted')
  const { job_id } = await service.newJob({ webhook_url: receiver.url })
  await expect.poll(() => engine.processes.length).toBe(1)
  engine.processes[0]?.finish()
  await expect.poll(() => logged('a delivery could not be noted')).toBe(true)
  await pause(1000)
  await unlock()
  const delivery = async () => (await service.get(`/api/v1/webhooks/deliveries?job_id=${job_id}`)).body.deliveries[0]
  await expect.poll(delivery).toMatchObject({ state: 'delivered', attempts: 1 })
  expect(receiver.received.length).toBe(1)
})
