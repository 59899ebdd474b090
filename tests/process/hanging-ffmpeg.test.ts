import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { locateFfmpeg } from '../../src-server/media/locate.ts'
import { masterForm, startService } from '../support/service.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-hanging-ffmpeg-'))
afterEach(() => {
  delete process.env.MASTER_FFMPEG_PATH
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Sets an ffmpeg that hangs on every call whose arguments hold `text`, and does its work otherwise. */
async function setHanging(text: string): Promise<void> {
  const { path: real } = await locateFfmpeg()
  const file = path.join(folder, 'ffmpeg')
  writeFileSync(file, `#!/bin/sh\ncase "$*" in *${text}*) exec sleep 600;; *) exec '${real}' "$@";; esac\n`, {
    mode: 0o755,
  })
  process.env.MASTER_FFMPEG_PATH = file
}

const isPosix = process.platform !== 'win32'

test.runIf(isPosix)(
  'a job whose ffmpeg hangs fails within half a minute, with its reason, a refund and an event',
  async () => {
    await setHanging('pcm_f32le')
    const service = await startService()
    service.expectFault('a job failed')
    const { job_id } = await service.newJob()
    const job = await service.ended(job_id, 40_000)
    expect(job).toMatchObject({ status: 'failed', failure_code: 'ENGINE_TIMEOUT', credits_refunded: 1 })
    expect(job.error_message).toMatch(/longer than it may/)
    expect((await service.get('/api/v1/account')).body.credits).toBe(500)
    expect(JSON.stringify(service.lines)).toContain('nothing came for 20 s')
    await service.stop()
  },
  60_000,
)

test.runIf(isPosix)(
  'a look at a song whose ffmpeg hangs is answered 503 UNAVAILABLE within half a minute',
  async () => {
    await setHanging('pcm_f32le')
    const service = await startService()
    const { status, body, headers } = await service.call('POST', '/api/v1/analyze', { body: masterForm() })
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '5'])
    await service.stop()
  },
  60_000,
)

test.runIf(isPosix)(
  'an upload whose ffmpeg hangs is answered 503 UNAVAILABLE within half a minute, and the next one is looked at',
  async () => {
    await setHanging('pcm_u8')
    const service = await startService()
    // As many at once as are looked at: none may be held up for good.
    const hung = await Promise.all([service.master(), service.master()])
    for (const { status, body, headers } of hung) {
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '5'])
    }
    expect(service.temporary()).toEqual([])
    await setHanging('nothing-at-all')
    expect((await service.master({ dry_run: 'true' })).status).toBe(200)
    await service.stop()
  },
  60_000,
)
