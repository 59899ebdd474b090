import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { locateFfmpeg } from '../../../src-worker/media/locate.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { startService } from '../../support/service.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-no-ffmpeg-'))
afterEach(() => {
  delete process.env.MASTER_FFMPEG_PATH
})

test('without an ffmpeg an upload is answered 503 UNAVAILABLE with Retry-After, and nothing is charged', async () => {
  process.env.MASTER_FFMPEG_PATH = path.join(folder, 'nowhere')
  const service = await startService({ forkEngine: createHeldEngine().fork })
  const { status, body, headers } = await service.master()
  expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '5'])
  expect(body.error.message).toBe('No ffmpeg was found. Install ffmpeg 5.1 or newer, or select one in Settings.')
  expect((await service.get('/api/v1/account')).body.credits).toBe(500)
  expect(service.temporary()).toEqual([])
  await service.stop()
})

test('an ffmpeg that goes away while the service runs is looked for again', async () => {
  const { path: real } = await locateFfmpeg()
  const resourcesDir = path.join(folder, 'resources')
  const packaged = path.join(resourcesDir, 'bin', process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg')
  mkdirSync(path.dirname(packaged), { recursive: true })
  symlinkSync(real, packaged)
  const service = await startService({ resourcesDir, forkEngine: createHeldEngine().fork })
  const ffmpegInUse = async () => (await service.get('/app/system')).body.ffmpeg.path
  await service.newJob()
  expect(await ffmpegInUse()).toBe(packaged)
  rmSync(packaged)
  await service.newJob()
  expect(await ffmpegInUse()).not.toBe(packaged)
  await service.stop()
})

test('a job that was accepted fails with its reason and a refund when ffmpeg is gone at the next start', async () => {
  const first = await startService({ forkEngine: createHeldEngine().fork, keepsData: true })
  const { job_id } = await first.newJob()
  await first.stop()
  process.env.MASTER_FFMPEG_PATH = path.join(folder, 'nowhere')
  const second = await startService({ dataDir: first.dataDir, forkEngine: createHeldEngine().fork })
  second.expectFault('a job could not be worked on')
  expect(await second.ended(job_id)).toMatchObject({ failure_code: 'FFMPEG_MISSING', credits_refunded: 1 })
  await second.stop()
})

test('an ffmpeg that breaks on every song is our fault, not the file’s: 503 or a clear refusal, never a crash', async () => {
  const broken = path.join(folder, 'ffmpeg')
  writeFileSync(broken, '#!/bin/sh\n[ "$2" = -version ] && echo "ffmpeg version 7.0" && exit 0\nexit 1\n', {
    mode: 0o755,
  })
  process.env.MASTER_FFMPEG_PATH = broken
  const service = await startService({ forkEngine: createHeldEngine().fork })
  const { status, body } = await service.master()
  expect([400, 503]).toContain(status)
  expect(['UNSUPPORTED_FORMAT', 'UNAVAILABLE']).toContain(body.error.code)
  expect((await service.get('/healthz')).status).toBe(200)
  await service.stop()
  rmSync(folder, { recursive: true })
})
