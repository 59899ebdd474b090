import { describe, test } from 'vitest'
import { masterForm } from '../../support/service.ts'
import { startTroubled } from '../../support/troubled-ffmpeg.ts'

const startHanging = (text: string) => startTroubled(text, 'exec sleep 600')

// Side by side: nearly all of it is waiting.
describe.runIf(process.platform !== 'win32').concurrent('an ffmpeg that hangs (needs sh)', () => {
  test('fails a job within half a minute, with its reason, a refund and an event', async ({ expect }) => {
    const { service } = await startHanging('pcm_f32le')
    service.expectFault('a job failed')
    const { job_id } = await service.newJob()
    const job = await service.ended(job_id)
    expect(job).toMatchObject({ status: 'failed', failure_code: 'ENGINE_TIMEOUT', credits_refunded: 1 })
    expect(job.error_message).toMatch(/exceeded its time limit/)
    expect((await service.get('/api/v1/account')).body.credits).toBe(500)
    expect(JSON.stringify(service.lines)).toContain('nothing came for 20 s')
    await service.stop()
  })

  test('is 503 UNAVAILABLE to a look at a song within half a minute', async ({ expect }) => {
    const { service } = await startHanging('pcm_f32le')
    const { status, body, headers } = await service.call('POST', '/api/v1/analyze', { body: masterForm() })
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '5'])
    await service.stop()
  })

  test('is 503 UNAVAILABLE to an upload within half a minute, and the next one is looked at', async ({ expect }) => {
    const { service, heal } = await startHanging('pcm_u8')
    // As many at once as are looked at: none may be held up for good.
    const hung = await Promise.all([service.master(), service.master()])
    for (const { status, body, headers } of hung) {
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '5'])
    }
    expect(service.temporary()).toEqual([])
    heal()
    expect((await service.master({ dry_run: 'true' })).status).toBe(200)
    await service.stop()
  })
})
