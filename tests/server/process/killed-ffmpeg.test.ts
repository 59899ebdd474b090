import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test } from 'vitest'
import { locateFfmpeg } from '../../../src-worker/media/locate.ts'
import { tagChunks } from '../../../src-worker/media/wav-tags.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { masterForm } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { startTroubled } from '../../support/troubled-ffmpeg.ts'

const folder = temporaryFolder()

/** As a system does that is short of memory. */
const KILLED = 'kill -9 $$'

// Nothing is wrong with any of these songs.
describe.runIf(process.platform !== 'win32').concurrent('an ffmpeg that is killed (needs sh)', () => {
  const looks = [
    { what: 'measures an upload', text: 'pcm_u8' },
    { what: 'reads its tags', text: 'ffmetadata' },
  ]
  test.for(IS_CAMPAIGN ? looks : looks.slice(1))(
    'while it $what is 503 UNAVAILABLE, and the same song is taken afterwards',
    async ({ text }, { expect }) => {
      const { service, heal } = await startTroubled(text, KILLED)
      const file = new Blob([new Uint8Array(Buffer.concat([wavSong(), ...tagChunks({ title: 'Night Train' })]))])
      const { status, body, headers } = await service.master({ file })
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '5'])
      expect(service.temporary()).toEqual([])
      heal()
      expect((await service.master({ file, dry_run: 'true' })).status).toBe(200)
      await service.stop()
    },
  )

  test('while it converts the cover of a song that the app stores is 503 UNAVAILABLE, and nothing of it stays', async ({
    expect,
  }) => {
    const { service } = await startTroubled('image2pipe', KILLED)
    const { path: ffmpeg } = await locateFfmpeg()
    const at = (name: string) => path.join(folder, name)
    const run = (...options: string[]) => execFileSync(ffmpeg, ['-v', 'error', ...options])
    run('-f', 'lavfi', '-i', 'color=red:size=32x32', '-frames:v', '1', at('cover.gif'))
    run('-f', 'lavfi', '-i', 'sine=duration=3', at('plain.mp3'))
    run(...['-i', at('plain.mp3'), '-i', at('cover.gif'), '-map', '0', '-map', '1', '-c', 'copy', at('song.mp3')])
    const body = new FormData()
    body.append('file', new Blob([readFileSync(at('song.mp3'))]), 'song.mp3')
    const answer = await service.call('POST', '/app/sources', { body })
    expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE'])
    expect((await service.get('/app/desk')).body.songs).toEqual([])
    expect(service.temporary()).toEqual([])
    await service.stop()
  })

  test('leaves a song of a watched folder waiting, and it is mastered later', async ({ expect }) => {
    const { service, heal } = await startTroubled('pcm_u8', KILLED)
    const watched = path.join(folder, 'watched')
    mkdirSync(watched)
    await service.post('/app/watch-folders', { path: watched })
    writeFileSync(path.join(watched, 'song.wav'), wavSong())
    const seen = async () => (await service.get('/app/watch-folders')).body.folders[0]
    await expect.poll(async () => (await seen()).waiting).toMatchObject([{ code: 'UNAVAILABLE' }])
    expect((await seen()).refused).toEqual([])
    heal()
    await expect.poll(async () => (await seen()).taken).toBe(1)
    await service.stop()
  })

  test('is 503 UNAVAILABLE to a look at a song', async ({ expect }) => {
    const { service } = await startTroubled('pcm_f32le', KILLED)
    const { status, body, headers } = await service.call('POST', '/api/v1/analyze', { body: masterForm() })
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '5'])
    await service.stop()
  })

  const steps = [
    { what: 'decodes the song', text: 'pcm_f32le' },
    { what: 'tells its encoders', text: '-encoders' },
  ]
  test.for(IS_CAMPAIGN ? steps : steps.slice(0, 1))(
    'while it $what costs a job nothing but time',
    async ({ what, text }, { expect }) => {
      const once = path.join(folder, what)
      writeFileSync(once, '')
      const { service } = await startTroubled(text, `rm '${once}' 2>/dev/null && ${KILLED}`)
      service.expectFault('an engine process died')
      const { job_id } = await service.newJob({ tier: 'premium' })
      expect(await service.ended(job_id)).toMatchObject({ status: 'done', credits_refunded: 0 })
      await service.stop()
    },
  )

  test('three times in a row fails a job as one whose engine crashed, with a refund', async ({ expect }) => {
    const { service } = await startTroubled('pcm_f32le', KILLED)
    service.expectFault('an engine process died')
    const { job_id } = await service.newJob()
    const job = await service.ended(job_id)
    expect(job).toMatchObject({ status: 'failed', failure_code: 'ENGINE_CRASHED', credits_refunded: 1 })
    expect(JSON.stringify(service.lines)).toContain('SIGKILL')
    await service.stop()
  })
})
