import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, type TestContext, test } from 'vitest'
import { startServer } from '../../../src-server/server.ts'
import { systemRandom } from '../../../src-system/system.ts'
import { markDirectory } from '../../support/data-directory.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { startService } from '../../support/service.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-read-only-'))
const mounted: string[] = []
afterEach(() => {
  for (const place of mounted.splice(0).reverse()) execFileSync('umount', [place])
  rmSync(folder, { recursive: true, force: true })
})

/** Makes a folder read-only as a disk does, also for the administrator; skips the test where nothing can be mounted. */
function makeReadOnly(context: TestContext, place: string): void {
  try {
    execFileSync('mount', ['--bind', place, place], { stdio: 'ignore' })
    mounted.push(place)
    execFileSync('mount', ['-o', 'remount,ro,bind', place], { stdio: 'ignore' })
  } catch {
    context.skip('nothing can be mounted here')
  }
}

function makeWritable(): void {
  for (const place of mounted.splice(0).reverse()) execFileSync('umount', ['-l', place])
}

test('a start on a read-only data folder says so and what to do, whether the folder is new or not', async (context) => {
  const dataDir = path.join(folder, 'data')
  mkdirSync(folder, { recursive: true })
  const service = await startService({ dataDir, keepsData: true, forkEngine: createHeldEngine().fork })
  await service.stop()
  makeReadOnly(context, folder)
  for (const place of [dataDir, path.join(folder, 'new', 'data')]) {
    await expect(startServer({ dataDir: place, port: 0 })).rejects.toMatchObject({
      name: 'DatabaseError',
      fault: 'read_only',
    })
  }
})

test('a start leaves a left-over upload that cannot be removed where it is, and clears the others', async (context) => {
  const dataDir = path.join(folder, 'data')
  markDirectory(dataDir)
  const [held, other] = [systemRandom.newUuid(), systemRandom.newUuid()].map((name) =>
    path.join(dataDir, 'tmp', name),
  ) as [string, string]
  for (const place of [held, other]) mkdirSync(place, { recursive: true })
  makeReadOnly(context, held)
  const service = await startService({ dataDir, keepsData: true, forkEngine: createHeldEngine().fork })
  await expect.poll(() => existsSync(other)).toBe(false)
  expect(existsSync(held)).toBe(true)
  await service.stop()
})

test('a start where a data folder cannot be is refused at once: below a file, in its place, and where the system lets nobody', async () => {
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, 'file')
  writeFileSync(file, '')
  const nowhere = process.platform === 'linux' ? ['/proc/loudsmith/data'] : []
  for (const place of [file, path.join(file, 'data'), ...nowhere]) {
    await expect(startServer({ dataDir: place, port: 0 }), place).rejects.toMatchObject({
      name: 'DatabaseError',
      fault: 'read_only',
    })
  }
})

test('a start that cannot write down where it listens gives its port back', async () => {
  const dataDir = path.join(folder, 'unannounced')
  markDirectory(dataDir)
  mkdirSync(path.join(dataDir, 'owner.json.new'))
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  await expect(startServer({ dataDir, port })).rejects.toMatchObject({
    cause: { code: expect.stringMatching(/EISDIR$/) },
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  server.close()
})

test('while the disk takes no songs, an upload is 503 UNAVAILABLE with Retry-After, reading goes on, and nothing is charged', async (context) => {
  const service = await startService({ dataDir: path.join(folder, 'data'), forkEngine: createHeldEngine().fork })
  const { job_id } = await service.newJob()
  for (const place of ['tmp', 'jobs']) {
    makeReadOnly(context, path.join(service.dataDir, place))
    const { status, body, headers } = await service.master()
    expect([place, status, body.error.code]).toEqual([place, 503, 'UNAVAILABLE'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await service.job(job_id)).status).toBe('queued')
    makeWritable()
  }
  expect(service.temporary()).toEqual([])
  expect(readdirSync(path.join(service.dataDir, 'jobs'))).toEqual([job_id])
  expect((await service.master()).status).toBe(201)
  expect((await service.get('/api/v1/account')).body.credits).toBe(498)
  await service.stop()
})

test('a job whose turn comes while the disk is read-only fails with a refund', async (context) => {
  const engine = createHeldEngine()
  const service = await startService({ dataDir: path.join(folder, 'data'), forkEngine: engine.fork })
  await service.patch('/app/settings', { engine_workers: 1 })
  const first = await service.newJob()
  const second = await service.newJob()
  await expect.poll(() => engine.processes.length).toBe(1)
  service.expectFault('a job failed')
  service.expectFault('a job could not be worked on')
  service.expectFault('a job was left behind')
  makeReadOnly(context, path.join(service.dataDir, 'jobs'))
  engine.processes[0]?.fail('DISK_FULL')
  expect(await service.ended(first.job_id)).toMatchObject({ failure_code: 'DISK_FULL', credits_refunded: 1 })
  expect(await service.ended(second.job_id)).toMatchObject({ status: 'failed', credits_refunded: 1 })
  makeWritable()
  expect((await service.get('/api/v1/account')).body).toMatchObject({ credits: 500, usage: { unfinished_jobs: 0 } })
  await service.stop()
})

test('a job whose files the system holds back is deleted all the same, and its files go with a later sweep', async (context) => {
  const engine = createHeldEngine({ isAutomatic: true })
  const given = { dataDir: path.join(folder, 'data'), forkEngine: engine.fork }
  const first = await startService({ ...given, keepsData: true })
  const { job_id } = await first.newJob()
  expect((await first.ended(job_id)).status).toBe('done')
  const files = path.join(first.dataDir, 'jobs', job_id)
  makeReadOnly(context, path.join(files, 'result'))
  expect((await first.call('DELETE', `/api/v1/jobs/${job_id}`)).status).toBe(204)
  expect((await first.get(`/api/v1/jobs/${job_id}`)).status).toBe(404)
  // It is out of the way, with the mount in it.
  expect(existsSync(files)).toBe(false)
  const [left = ''] = first.temporary()
  mounted.splice(0, 1, path.join(first.dataDir, 'tmp', left, 'result'))
  await first.stop()
  expect(existsSync(path.join(first.dataDir, 'tmp', left, 'result'))).toBe(true)
  makeWritable()
  const second = await startService(given)
  await expect.poll(() => second.temporary()).toEqual([])
  await second.stop()
})
