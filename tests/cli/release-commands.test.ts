/** `loudsmith release …` and `loudsmith verify`, as a person and as a script call them. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandsOf } from '../support/commands.ts'
import { createHeldEngine } from '../support/held-engine.ts'
import { type Service, startService } from '../support/service.ts'
import { wavSong } from '../support/songs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const engine = createHeldEngine({ isAutomatic: true })
engine.masterBytes = wavSong({ seconds: 31, sampleRateHz: 44_100 })
const folder = temporaryFolder()
let service: Service
let jobId: string

beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
  jobId = (await service.newJob({ title: '첫차', artist: '하늘' })).job_id
  await service.ended(jobId)
})
afterAll(() => service.stop())

const { call, json } = commandsOf(folder, () => service.dataDir)

test('a release is made of jobs, listed, shown, exported, verified and deleted', async () => {
  const release = await json('release', 'new', 'Night', '--artist', '하늘', '--kind', 'ep', '--job', jobId)
  const id = release.release_id
  expect(release).toMatchObject({ title: 'Night', kind: 'ep', tracks: [{ title: '첫차', state: 'done' }] })
  expect((await json('release', 'add', id, jobId)).tracks).toHaveLength(2)
  expect((await call('C', 'release', 'list')).out).toMatch(new RegExp(`^${id}  ep  2 tracks  하늘 - Night`))
  expect((await call('ko_KR.UTF-8', 'release', 'show', id)).out).toMatch(/첫차\s+0:03\s+완료/)

  // They ask for plain names.
  const words = ['release', 'export', id, '--out', 'records', '--receiver', 'cd_baby', 'catapult']
  const made = await call('C', ...words)
  const target = path.join(folder, 'records', 'haneul_-_Night')
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining(` files are in ${target}`) })
  expect(made.out).toMatch(/not mastered as a whole: these are the masters of its jobs\.\n$/)
  expect(made.out).toMatch(/CD Baby {3}to be mended {2}WAV 16 bit 44\.1 kHz\nCatapult {2}to be mended/)
  expect(made.out).toMatch(/\nTo fix:\n[\s\S]* {2}There is no cover\. Add [^\n]+ \(CD Baby, Catapult\)\n/)
  const intact = await call('C', 'verify', 'records/haneul_-_Night')
  expect([intact.code, intact.out]).toEqual([0, expect.stringMatching(/ is unchanged\.[\s\S]*signed here/)])
  writeFileSync(path.join(target, 'metadata.csv'), 'x')
  const changed = await call('ko_KR.UTF-8', 'verify', 'records/haneul_-_Night')
  expect([changed.code, changed.out]).toEqual([1, expect.stringMatching(/달라요[\s\S]*바뀜: metadata\.csv/)])
  expect(await json('verify', target)).toMatchObject({ is_intact: false, changed: ['metadata.csv'] })
  expect(await call('C', ...words)).toMatchObject({
    ...{ code: 1, problem: expect.stringMatching(/^“metadata.csv” in the folder/) },
  })

  expect((await call('C', 'release', 'delete', id)).out).toBe('The release is deleted.\n')
  expect(await call('C', 'release', 'show', id)).toMatchObject({
    code: 1,
    problem: expect.stringMatching(/no such release/),
  })
})

test('releases are made of a table and changed by one, and no file is overwritten', async () => {
  writeFileSync(path.join(folder, 'in.csv'), '곡명,앨범,앨범 아티스트,Mood\n밤,정원,하늘,sad\n=1+1,정원,하늘,\n')
  const made = await call('C', 'release', 'import', 'in.csv')
  expect(made.out).toMatch(/하늘 - 정원 \(single\)[\s\S]*=1\+1[\s\S]*ignored: Mood/)
  const [{ release_id: id }] = (await json('release', 'list')).releases
  writeFileSync(path.join(folder, 'tracks.csv'), 'title,artists\n밤,Kim\n')
  const [named] = (await json('release', 'import', 'tracks.csv', '--title', 'Night')).releases
  expect(named).toMatchObject({ title: 'Night', artist: 'Kim' })
  expect(await call('C', 'release', 'import', 'tracks.csv')).toMatchObject({
    ...{ code: 1, problem: expect.stringMatching(/Row 2, release_title: It is missing/) },
  })
  expect(await call('C', 'release', 'csv', id, '--out', 'out.csv')).toMatchObject({ code: 0 })
  const table = readFileSync(path.join(folder, 'out.csv'), 'utf8')
  expect(table).toMatch(/^\ufefftrack_number,title/)
  expect(table).toContain("'=1+1")
  expect(await call('C', 'release', 'csv', id, '--out', 'out.csv')).toMatchObject({ code: 1 })
  writeFileSync(path.join(folder, 'out.csv'), table.replace('밤', '낮'))
  const updated = await json('release', 'update', id, 'out.csv')
  expect(updated.releases[0].tracks.map(({ title }: { title: string }) => title)).toEqual(['낮', '=1+1'])
  expect(await call('C', 'release', 'update', id, 'nothing.csv')).toMatchObject({
    ...{ code: 1, problem: expect.stringMatching(/There is no file .*nothing\.csv/) },
  })
})

test('a release is planned and mastered as one record, and a run is cancelled', async () => {
  const { release_id: id } = await json('release', 'new', 'Record', '--artist', 'A', '--kind', 'ep', '--job', jobId)
  const planned = await call('C', 'release', 'plan', id)
  expect(planned.out).toMatch(
    /planned at −14\.00 LUFS\. It costs 1 credit of \d+\.\n1 {2}첫차 {2}−20\.00 LUFS {2}−14\.00 LUFS/,
  )
  const made = await call('ko_KR.UTF-8', 'release', 'master', id, '--wait')
  expect([made.code, made.out]).toEqual([
    0,
    expect.stringMatching(/끝났어요\.\n1 {2}첫차 {2}완료 {2}[\s\S]*앨범의 음량은 −14\.0/),
  ])
  expect((await call('C', 'release', 'cancel', id)).out).toMatch(/^Mastered\.[\s\S]*Nothing was running\.\n$/)
  expect((await call('C', 'release', 'show', id)).out).toMatch(/LUFS[\s\S]*\nMastered\.\nThe record measures /)
  engine.isAutomatic = false
  const { release_id: other } = await json('release', 'new', 'Other', '--artist', 'A', '--job', jobId)
  expect((await call('C', 'release', 'master', other)).out).toMatch(/^Mastering: 0 %/)
  expect((await call('C', 'release', 'cancel', other)).out).toMatch(/^Mastering failed:[\s\S]*cancelled/i)
  engine.isAutomatic = true
})
