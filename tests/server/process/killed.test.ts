import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, watch } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import yauzl from 'yauzl'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Delivery } from '../../../src-contract/webhooks.ts'
import { WORK_STAGES } from '../../../src-worker/mastering/work-order.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { childrenOf, isAlive } from '../../support/processes.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { startReceiver } from '../notify/fixture.ts'

const onLinux = process.platform === 'linux'
const song = new Blob([new Uint8Array(wavSong({ seconds: 1, sampleRateHz: 44_100 }))])
const request = { file: song, platforms: 'spotify', title: 'Kill' }

const dataDir = temporaryFolder()
/** The one that was started after the last kill: each test begins with what the one before it left. */
let server: ServerProcess
beforeAll(async () => {
  server = await spawnServer(dataDir)
})
beforeEach(async () => {
  if (!isAlive(server.pid)) server = await spawnServer(dataDir)
})
afterAll(() => server.end('SIGKILL'))

const credits = async () => (await server.get<{ credits: number }>('/api/v1/account')).credits

/** Names in a ZIP; rejects when its directory or any checksum is broken. */
function namesIn(zip: Buffer): Promise<string[]> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(zip, { lazyEntries: true }, (error, file) => {
      if (error || !file) return reject(error)
      const names: string[] = []
      file.on('entry', (entry: yauzl.Entry) => {
        names.push(entry.fileName)
        file.openReadStream(entry, (failure, stream) => {
          if (failure || !stream) return reject(failure)
          stream.on('error', reject).on('end', () => file.readEntry())
          stream.resume()
        })
      })
      file.on('end', () => resolve(names)).on('error', reject)
      file.readEntry()
    })
  })
}

/** Checks everything that must hold of an accepted job that is done, whatever happened in between. */
async function expectWhole(job: Job): Promise<void> {
  expect(job).toMatchObject({ status: 'done', credits_used: 1, credits_refunded: 0 })
  const zip = await server.download(`/api/v1/jobs/${job.job_id}/download`)
  const names = (await namesIn(zip)).map((name) => path.basename(name))
  for (const { file } of job.results) expect(names).toContain(file)
  for (const name of ['report.json', 'report.html', 'SHA256SUMS']) expect(names).toContain(name)
  for (const { platform, sha256 } of job.results) {
    const master = await server.download(`/api/v1/jobs/${job.job_id}/files/${platform}`)
    expect(createHash('sha256').update(master).digest('hex')).toBe(sha256)
  }
  const db = new Database(path.join(dataDir, 'loudsmith.db'), { readonly: true })
  const counts = db
    .prepare(
      `SELECT (SELECT count(*) FROM ledger WHERE job_id = :id AND kind = 'charge') AS charges,
        (SELECT count(*) FROM ledger WHERE job_id = :id AND kind = 'refund') AS refunds,
        (SELECT count(*) FROM events WHERE job_id = :id AND name IN ('job.completed', 'job.failed')) AS ends`,
    )
    .get({ id: job.job_id })
  db.close()
  expect(counts).toEqual({ charges: 1, refunds: 0, ends: 1 })
  expect(readdirSync(path.join(dataDir, 'jobs', job.job_id)).sort()).toEqual(['result', 'source'])
}

describe.runIf(onLinux)('kill −9 (contract 8; only where /proc tells who is whose child)', () => {
  test('of the engine process: the job starts again by itself and ends whole, with one charge', async () => {
    const { job_id } = await server.newJob(request)
    await server.until(job_id, ({ progress }) => progress > 0)
    const engines = childrenOf(server.pid)
    expect(engines.length).toBe(1)
    for (const engine of engines) process.kill(engine, 'SIGKILL')
    await expectWhole(await server.until(job_id))
    expect(server.log()).toContain('killed by SIGKILL')
  })

  test('of the server right after the 201, at a stage (each one in npm run campaign) and between the moment a result is put in place and its commit: no fault of the song, one charge', async () => {
    const before = await credits()
    const { job_id } = await server.newJob(request)
    const folder = path.join(dataDir, 'jobs', job_id)
    const changes = watch(folder)
    const moments: (() => Promise<unknown>)[] = [
      async () => {},
      // The shorter stages may be over between two looks.
      ...(IS_CAMPAIGN ? WORK_STAGES : WORK_STAGES.slice(1, 2)).map((stage) => async () => {
        const following = WORK_STAGES.slice(WORK_STAGES.indexOf(stage))
        await server.until(job_id, (job) => following.some((one) => one === job.stage))
      }),
      async () => {
        while (!existsSync(path.join(folder, 'result'))) await once(changes, 'change')
      },
    ]
    for (const moment of moments) {
      await moment()
      const engines = childrenOf(server.pid)
      expect(await server.end('SIGKILL')).toBe('SIGKILL')
      await expect.poll(() => engines.filter(isAlive)).toEqual([])
      server = await spawnServer(dataDir)
    }
    changes.close()
    await expectWhole(await server.until(job_id))
    expect(await credits()).toBe(before - 1)
  })

  test.each([
    ['when a callback has arrived and is not answered', false],
    ['in the moment in which a callback is answered', true],
  ])(
    'of the server %s: the next start delivers it under the same id, and the job stays as it is',
    async (_when, isAnswered) => {
      let isFirst = true
      const receiver = await startReceiver(async (response) => {
        if (!isFirst) return void response.writeHead(204).end()
        isFirst = false
        if (isAnswered) await new Promise((resolve) => response.writeHead(204).end(() => resolve(undefined)))
        process.kill(server.pid, 'SIGKILL')
      })
      const { job_id } = await server.newJob({ ...request, webhook_url: receiver.url })
      await receiver.until(1)
      await server.end('SIGKILL')
      server = await spawnServer(dataDir)
      await expectWhole(await server.until(job_id))
      const deliveries = async () =>
        (await server.get<{ deliveries: Delivery[] }>(`/api/v1/webhooks/deliveries?job_id=${job_id}`)).deliveries
      await expect.poll(deliveries).toMatchObject([{ state: 'delivered' }])
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
      expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
    },
  )

  test('for the tenth time: the job is given up and refunded', async () => {
    const before = await credits()
    const { job_id } = await server.newJob(request)
    await server.until(job_id, ({ started_at }) => started_at !== undefined)
    await server.end('SIGKILL')
    const db = new Database(path.join(dataDir, 'loudsmith.db'))
    db.prepare('UPDATE jobs SET interruptions = 9 WHERE job_id = ?').run(job_id)
    db.close()
    server = await spawnServer(dataDir)
    const job = await server.until(job_id)
    expect(job).toMatchObject({ status: 'failed', failure_code: 'ENGINE_CRASHED', credits_refunded: 1 })
    expect(await credits()).toBe(before)
  })

  test('an orderly end in the middle of a job leaves no process and no owner behind, and the next start finishes it', async () => {
    const { job_id } = await server.newJob(request)
    const { started_at: first = '' } = await server.until(job_id, ({ progress }) => progress > 0)
    const engines = childrenOf(server.pid)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(engines.filter(isAlive)).toEqual([])
    expect(readdirSync(dataDir)).not.toContain('owner.json')
    server = await spawnServer(dataDir)
    const ended = await server.until(job_id)
    await expectWhole(ended)
    // The time in between, and work that was lost, are no part of how long it took.
    expect(Date.parse(ended.started_at ?? '')).toBeGreaterThan(Date.parse(first))
  })
})
