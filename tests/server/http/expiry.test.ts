import { existsSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../../src-system/system.ts'
import { createHeldEngine, type HeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'

const DAY_MS = 86_400_000
const RETENTION_MS = 30 * DAY_MS

/** A time that a test may set ahead; no timer becomes due by it, so the sweep does not come round. */
let aheadMs: number
const clock = {
  ...systemClock,
  now: () => systemClock.now() + aheadMs,
  monotonicMs: () => systemClock.monotonicMs() + aheadMs,
}
let engine: HeldEngine
let service: Service
beforeEach(async () => {
  aheadMs = 0
  engine = createHeldEngine({ isAutomatic: true })
  service = await startService({ forkEngine: engine.fork, clock })
})
afterEach(() => service.stop())

test('an expired job is expired everywhere from that moment on, though its files have not been removed yet', async () => {
  const { job_id } = await service.newJob()
  const job = await service.ended(job_id)
  const at = (name: string) => `/api/v1/jobs/${job_id}/${name}`
  const given = ['download', 'files/spotify', 'files/source']
  for (const name of given) expect((await service.get(at(name))).status).toBe(200)
  expect(job).not.toHaveProperty('expired')

  aheadMs = RETENTION_MS - (systemClock.now() - Date.parse(job.completed_at ?? ''))
  for (const name of given) {
    const answer = await service.get(at(name))
    expect([name, answer.status, answer.body.error?.code]).toEqual([name, 410, 'RESULT_EXPIRED'])
  }
  const retry = await service.post(at('retry'), {})
  expect([retry.status, retry.body.error.code]).toEqual([410, 'RESULT_EXPIRED'])
  expect(await service.job(job_id)).toMatchObject({ status: 'done', expired: true, download_url: expect.any(String) })
  expect(await service.job(job_id)).not.toHaveProperty('download_size_bytes')
  expect((await service.get('/api/v1/jobs')).body.jobs).toMatchObject([{ job_id, expired: true }])
  expect(existsSync(path.join(service.dataDir, 'jobs', job_id))).toBe(true)
})

test('the song of a failed job is over at its time too', async () => {
  engine.isAutomatic = false
  const { job_id } = await service.newJob()
  await service.call('DELETE', `/api/v1/jobs/${job_id}`)
  const source = () => service.get(`/api/v1/jobs/${job_id}/files/source`)
  expect((await source()).status).toBe(200)
  aheadMs = RETENTION_MS + 1000
  expect((await source()).body.error.code).toBe('RESULT_EXPIRED')
  expect((await service.get(`/api/v1/jobs/${job_id}/download`)).body.error.code).toBe('JOB_FAILED')
})

test('a start sweeps what became over while nothing ran, once a day has borne the clock out; the record stays', async () => {
  const before = await startService({ forkEngine: engine.fork, clock, keepsData: true })
  const { job_id } = await before.newJob()
  await before.ended(job_id)
  await before.stop()
  const files = path.join(before.dataDir, 'jobs', job_id)
  const given = { forkEngine: engine.fork, clock, dataDir: before.dataDir }
  aheadMs = RETENTION_MS + 60_000
  const held = await startService({ ...given, keepsData: true })
  expect((await held.get(`/api/v1/jobs/${job_id}/download`)).status).toBe(200)
  await held.stop()
  expect(existsSync(files)).toBe(true)
  aheadMs += DAY_MS
  const after = await startService(given)
  await expect.poll(() => existsSync(files)).toBe(false)
  expect(await after.job(job_id)).toMatchObject({ status: 'done', expired: true })
  await after.stop()
})
