/** `loudsmith jobs …` and `loudsmith analyse`, as a person and as a script call them. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandsOf } from '../support/commands.ts'
import { createHeldEngine } from '../support/held-engine.ts'
import { type Service, startService } from '../support/service.ts'
import { wavSong } from '../support/songs.ts'

const engine = createHeldEngine({ isAutomatic: true })
const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-jobs-'))
let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true })
})

const { call, json } = commandsOf(folder, () => service.dataDir)

test('jobs are listed, searched, shown, reported, mastered again and deleted', async () => {
  expect((await call('C', 'jobs', 'list')).out).toBe('There are no jobs.\n')
  const { job_id: id } = await service.newJob({ title: '첫차', artist: '하늘', platforms: 'spotify,melon' })
  expect(await json('jobs', 'show', id, '--wait')).toMatchObject({ job_id: id, status: 'done' })
  expect(await json('jobs', 'show', id.slice(0, 8))).toMatchObject({ job_id: id })
  expect((await call('C', 'jobs', 'list')).out).toMatch(
    new RegExp(`^${id}  \\d{4}-\\d\\d-\\d\\d  done  하늘 - 첫차\n$`),
  )
  expect(await json('jobs', 'list', '--search', '첫차', '--status', 'done')).toMatchObject({ total: 1 })
  expect(await json('jobs', 'list', '--search', 'nothing')).toMatchObject({ total: 0 })
  expect((await call('C', 'jobs', 'list', '--limit', '0')).problem).toContain('from 1 to 100')
  const shown = (await call('ko_KR.UTF-8', 'jobs', 'show', id)).out
  expect(shown).toMatch(/하늘 - 첫차\nspotify +−?[-\d.]+ LUFS[\s\S]*\nmelon /)

  expect(await json('jobs', 'report', id)).toMatchObject({ job_id: id })

  const retry = await call('C', 'jobs', 'retry', id, '--platforms', 'youtube', '--genre', 'edm', '--air-db', '1.5')
  const [, again = ''] = /^([\w-]{36}) is on its way; \d+ credits are left\.\n$/.exec(retry.out) ?? []
  expect(await json('jobs', 'show', again, '--wait')).toMatchObject({
    ...{ platforms: ['youtube'], genre: 'edm', air_db: 1.5, retry_of: id, title: '첫차' },
  })
  const refused = await call('C', 'jobs', 'retry', id, '--air-db', 'much')
  expect([refused.code, refused.problem]).toEqual([
    1,
    expect.stringMatching(/^The value of --air-db cannot be used\. It must be a number/),
  ])

  expect((await call('C', 'jobs', 'delete', again)).out).toBe('The job is deleted.\n')
  expect(await call('C', 'jobs', 'show', again)).toMatchObject({
    code: 1,
    problem: 'There is no such job. It may have been deleted; "loudsmith jobs list" lists all jobs.\n',
  })
})

test('a link to the masters is printed, which needs no key, and none without a running service', async () => {
  const { job_id: id } = await service.newJob()
  await service.ended(id)
  const { out } = await call('C', 'jobs', 'link', id, '--expires', '2h')
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/l\/[\w-]{22}\n$/)
  expect((await fetch(out.trim())).headers.get('content-type')).toBe('application/zip')
  const made = await json('jobs', 'link', id)
  expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(86_400_000)
  expect((await call('C', 'jobs', 'link', id, '--expires', '8d')).problem).toContain(
    'The value of --expires cannot be used',
  )
  const alone = await commandsOf(folder, () => path.join(folder, 'nobody')).call('C', 'jobs', 'link', id)
  expect([alone.code, alone.problem]).toEqual([1, expect.stringContaining('not running')])
})

test('a job that has not ended is cancelled, and only such a one', async () => {
  engine.isAutomatic = false
  const { job_id: id } = await service.newJob({ title: 'Night' })
  const ended = await call('C', 'jobs', 'cancel', id)
  expect([ended.code, ended.out]).toEqual([0, expect.stringMatching(/Night\nCancelled\. The credit was returned\.\n$/)])
  expect(await json('jobs', 'cancel', id)).toMatchObject({ job_id: id, status: 'failed' })
  expect((await call('C', 'jobs', 'cancel', id)).out).toMatch(/\nIt had ended before; nothing was cancelled\.\n$/)
  expect(await json('jobs', 'list', '--status', 'failed')).toMatchObject({ total: 1 })
  engine.isAutomatic = true
})

test('a song is measured, and nothing is kept', async () => {
  writeFileSync(path.join(folder, 'song.wav'), wavSong({ seconds: 2 }))
  const { total } = await json('jobs', 'list')
  const measured = await call('C', 'analyse', 'song.wav')
  expect([measured.code, measured.out]).toEqual([
    0,
    expect.stringMatching(/^loudness +\S+ LUFS\ntrue peak +\S+ dBTP\n/),
  ])
  expect(await json('analyze', 'song.wav')).toHaveProperty('measurement.loudness_range_lu')
  expect(await call('ko_KR.UTF-8', 'analyse', 'nothing.wav')).toMatchObject({
    ...{ code: 1, problem: expect.stringMatching(/nothing\.wav 파일이 없어요/) },
  })
  const refused = await call('C', 'master', 'song.wav', '--platforms', 'nothing', '--out', 'new/masters')
  expect([refused.code, existsSync(path.join(folder, 'new'))]).toEqual([1, false])
  expect((await json('jobs', 'list')).total).toBe(total)
})
