/** `loudsmith jobs …` and `loudsmith analyse`, as a person and as a script call them. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { terminalMessages } from '../../src-cli/messages.ts'
import { createServiceClient } from '../../src-cli/service-client.ts'
import { unpackResult } from '../../src-cli/unpack.ts'
import { commandsOf } from '../support/commands.ts'
import { listing } from '../support/folder-listing.ts'
import { createHeldEngine } from '../support/held-engine.ts'
import { type Service, startService } from '../support/service.ts'
import { inAiff, wavSong } from '../support/songs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const engine = createHeldEngine({ isAutomatic: true })
const folder = temporaryFolder()
let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
})
afterAll(() => service.stop())

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
  expect(shown).toMatch(/하늘 - 첫차\nspotify +−?[-\d.]+ LUFS[\s\S]*\nmelon .*\n음량만: Spotify, /)

  expect(await json('jobs', 'report', id)).toMatchObject({ job_id: id })

  const retry = await call('C', 'jobs', 'retry', id, '--platforms', 'youtube', '--genre', 'edm', '--air-db', '1.5')
  const [, again = ''] = /^([\w-]{36}) is queued; \d+ credits left\.\n$/.exec(retry.out) ?? []
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
  expect((await call('C', 'jobs', 'link', id, '--expires', '8d')).problem).toContain('--expires can be at most 7d')
  const alone = await commandsOf(folder, () => path.join(folder, 'nobody')).call('C', 'jobs', 'link', id)
  expect([alone.code, alone.problem]).toEqual([1, expect.stringContaining('not running')])
})

/** Puts the masters of a job into a folder with a credential, and returns their paths and the endpoints that were asked. */
async function takeMasters(id: string, out: string, credential: string) {
  const words = terminalMessages({}, 'en')
  const { call: ask, open } = createServiceClient({ baseUrl: service.baseUrl, credential }, words)
  const asked: string[] = []
  const client: ReturnType<typeof createServiceClient> = {
    call: (name, ...args) => {
      asked.push(name)
      return ask(name, ...args)
    },
    open: (name, ...args) => {
      asked.push(name)
      return open(name, ...args)
    },
  }
  mkdirSync(out)
  const files = await unpackResult(client, id, out, words)
  return { asked, files: files.map((file) => path.relative(out, file)) }
}

test.skipIf(process.platform === 'win32')(
  'masters are copied by the service into its own folder alone, and are those that a download brings',
  async () => {
    const { job_id: id } = await service.newJob({ title: '첫차', platforms: 'spotify,melon' })
    await service.ended(id)
    const [copied, loaded] = [path.join(folder, 'copied'), path.join(folder, 'loaded')]
    const byCopy = await takeMasters(id, copied, service.controlCredential)
    const { asked, files } = await takeMasters(id, loaded, service.sessionCredential)
    expect([byCopy.asked, asked]).toEqual([['handOverResult'], ['handOverResult', 'downloadResult']])
    expect(byCopy.files).toEqual(files)
    expect(files.length).toBeGreaterThan(3)
    const rights = (out: string) => files.map((file) => statSync(path.join(out, file)).mode & 0o777)
    expect(rights(copied)).toEqual(rights(loaded))
    // The rest of a killed run is removed, and a file of the same name is replaced.
    const leftOver = path.join(copied, `.${id}.part`)
    mkdirSync(leftOver)
    writeFileSync(path.join(leftOver, 'half'), '')
    writeFileSync(path.join(copied, files[0]!), 'earlier')
    await json('jobs', 'download', id, '--out', copied)
    expect(listing(copied, /^$/)).toEqual(listing(loaded, /^$/))
    // The command inherits the umask of this process.
    expect(rights(copied)).toEqual(files.map(() => 0o666 & ~process.umask()))
    expect(files.map((file) => statSync(path.join(copied, file)).nlink)).toEqual(files.map(() => 1))
  },
)

test.skipIf(process.platform === 'win32')(
  'the service copies masters only for the owner, into a folder that proves itself, and over nothing',
  async () => {
    const { job_id: id } = await service.newJob()
    await service.ended(id)
    const probe = createHash('sha256').update('random').digest('hex')
    const make = (name: string, text = probe, mode = 0o600) => {
      const made = path.join(folder, name)
      mkdirSync(made)
      writeFileSync(path.join(made, 'probe'), text)
      chmodSync(path.join(made, 'probe'), mode)
      return made
    }
    const proven = make('proven')
    const ask = async (at: string, credential = service.controlCredential) => {
      const answer = await service.post(`/app/jobs/${id}/files`, { folder: at, probe }, { credential })
      return answer.body.error?.code ?? answer.status
    }
    expect(await ask(proven, service.sessionCredential)).toBe('OWNER_REQUIRED')
    expect(await ask(proven, await service.newKey())).toBe('FORBIDDEN')
    const linked = make('linked')
    rmSync(path.join(linked, 'probe'))
    symlinkSync(path.join(proven, 'probe'), path.join(linked, 'probe'))
    symlinkSync(proven, path.join(folder, 'link'))
    const refused = [make('other', 'f'.repeat(64)), make('longer', `${probe} `), make('open', probe, 0o644), linked]
    for (const at of [...refused, path.join(folder, 'link'), path.join(folder, 'none'), 'proven', '\0'])
      expect([at, await ask(at)]).toEqual([at, 'PATH_NOT_ALLOWED'])
    expect([...refused, proven].flatMap((at) => readdirSync(at)).join()).toBe(Array(5).fill('probe').join())

    const target = path.join(folder, 'target')
    writeFileSync(target, 'theirs')
    symlinkSync(target, path.join(proven, 'report.json'))
    expect(await ask(proven)).toBe('FOLDER_TAKEN')
    expect(readFileSync(target, 'utf8')).toBe('theirs')
    rmSync(proven, { recursive: true })
    expect(await ask(make('proven'))).toBe(200)
    await service.call('DELETE', `/api/v1/jobs/${id}`)
    expect(await ask(make('deleted'))).toBe('JOB_NOT_FOUND')
  },
)

test('a job that has not ended is cancelled, and only such a one', async () => {
  engine.isAutomatic = false
  const { job_id: id } = await service.newJob({ title: 'Night' })
  const ended = await call('C', 'jobs', 'cancel', id)
  expect([ended.code, ended.out]).toEqual([0, expect.stringMatching(/Night\nCancelled\. The credit was refunded\.\n$/)])
  expect(await json('jobs', 'cancel', id)).toMatchObject({ job_id: id, status: 'failed' })
  expect((await call('C', 'jobs', 'cancel', id)).out).toMatch(/\nThe job had already ended; nothing was cancelled\.\n$/)
  expect(await json('jobs', 'list', '--status', 'failed')).toMatchObject({ total: 1 })
  engine.isAutomatic = true
})

test('files in other containers are taken with --convert alone', async () => {
  writeFileSync(path.join(folder, 'Lamp.aiff'), inAiff(wavSong({ seconds: 2 })))
  expect(await json('analyse', 'Lamp.aiff')).toMatchObject({ error: { code: 'UNSUPPORTED_FORMAT' } })
  expect(await json('analyse', 'Lamp.aiff', '--convert')).toMatchObject({ codec: 'pcm_s16' })
  expect((await call('C', 'master', 'Lamp.aiff')).problem).toContain('This is an AIFF file.')
  await call('C', 'master', 'Lamp.aiff', '--convert')
  const [job] = (await json('jobs', 'list', '--search', 'Lamp')).jobs
  expect(job).toMatchObject({ title: 'Lamp', filename: 'Lamp.aiff', status: 'done' })
})

test('a song is measured, and nothing is kept', async () => {
  writeFileSync(path.join(folder, 'song.wav'), wavSong({ seconds: 2 }))
  const { total } = await json('jobs', 'list')
  const measured = await call('C', 'analyse', 'song.wav')
  expect([measured.code, measured.out]).toEqual([
    0,
    expect.stringMatching(/^loudness +\S+ LUFS\ntrue peak +\S+ dBTP\n[\s\S]*Nothing is changed\./),
  ])
  expect(await json('analyze', 'song.wav')).toHaveProperty('measurement.loudness_range_lu')
  const priced = await call('C', 'analyse', 'song.wav', '--price')
  expect(priced.out).toMatch(/\nsuggested:\n {2}Up to −10.0\sLUFS little is lost: /)
  expect(await call('ko_KR.UTF-8', 'analyse', 'nothing.wav')).toMatchObject({
    ...{ code: 1, problem: expect.stringMatching(/nothing\.wav 파일이 없어요/) },
  })
  const refused = await call('C', 'master', 'song.wav', '--platforms', 'nothing', '--out', 'new/masters')
  expect([refused.code, existsSync(path.join(folder, 'new'))]).toEqual([1, false])
  expect((await json('jobs', 'list')).total).toBe(total)
})
