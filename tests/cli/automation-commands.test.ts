/** Commands for other programs: webhooks, events, previews, watched folders, batches, single files, and releases changed in place. */
import { spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { startReceiver } from '../server/notify/fixture.ts'
import { CLI } from '../support/built.ts'
import { commandsOf } from '../support/commands.ts'
import { createHeldEngine } from '../support/held-engine.ts'
import { pngPicture } from '../support/pictures.ts'
import { type Service, startService } from '../support/service.ts'
import { inAiff, wavSong } from '../support/songs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = path.join(import.meta.dirname, '../..')
const engine = createHeldEngine({ isAutomatic: true })
const folder = temporaryFolder()
let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
  writeFileSync(path.join(folder, 'song.wav'), wavSong({ seconds: 6 }))
})
afterAll(() => service.stop())

const { call, json } = commandsOf(folder, () => service.dataDir)

test('everything that a key may do has a command', () => {
  const sources = globSync('src-cli/*.ts', { cwd: root }).map((file) => readFileSync(path.join(root, file), 'utf8'))
  const source = sources.join('\n')
  const missing = Object.entries(ENDPOINTS)
    .filter(([, { access }]) => access === 'caller')
    .map(([name]) => name)
    // The stream of events is opened in the contract.
    .filter((name) => name !== 'streamEvents' && !source.includes(`'${name}'`))
  expect([missing, source.includes('followEvents(')]).toEqual([[], true])
})

test('a webhook is registered, tested, told of a job, read in the log, sent again, given another secret and removed', async () => {
  const receiver = await startReceiver()
  expect((await call('C', 'webhooks', 'list')).out).toBe('There are no webhooks.\n')
  const added = await call('C', 'webhooks', 'add', receiver.url, '--event', 'job.completed')
  const [, id = ''] = /^Webhook ([\w-]{36})\. Its secret is shown only once:\nwhsec_\S+\n$/.exec(added.out) ?? []
  expect((await json('webhooks', 'list')).webhooks).toMatchObject([
    { webhook_id: id, url: receiver.url, events: ['job.completed'] },
  ])
  const tested = await call('C', 'webhooks', 'test', id)
  expect([tested.code, tested.out]).toEqual([
    0,
    expect.stringMatching(/delivered {2}webhook\.test {2}1 attempt {2}answered 204/),
  ])
  const { job_id } = await service.newJob()
  await service.ended(job_id)
  await expect
    .poll(async () => (await json('webhooks', 'deliveries', '--job', job_id)).deliveries)
    .toMatchObject([{ event: 'job.completed', state: 'delivered', job_id }])
  const [{ delivery_id }] = (await json('webhooks', 'deliveries', '--webhook', id, '--limit', '1')).deliveries
  expect(await json('webhooks', 'redeliver', delivery_id)).toMatchObject({ event: 'job.completed' })
  const first = await json('webhooks', 'secret', '--show')
  expect(await json('webhooks', 'secret', '--show')).toEqual(first)
  expect((await json('webhooks', 'secret')).secret).not.toBe(first.secret)
  expect(await json('webhooks', 'secret', id)).toMatchObject({
    webhook_id: id,
    secret: expect.stringMatching(/^whsec_/),
  })
  expect(await call('ko_KR.UTF-8', 'webhooks', 'secret', id, '--show')).toMatchObject({ code: 1 })
  expect((await call('C', 'webhooks', 'remove', id)).out).toBe('The webhook is removed.\n')
  expect(await call('C', 'webhooks', 'test', id)).toMatchObject({ code: 1 })
})

test('events are lines that another program reads while they happen, from a stored one on, and end with a signal or a count', async () => {
  const words = ['events', '--follow', '--json', '--after', '0', '--data-dir', service.dataDir]
  const child = spawn(process.execPath, [CLI, ...words], { env: { ...process.env, LC_ALL: 'C' } })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const { job_id } = await service.newJob()
  const names: string[] = []
  while (names.at(-1) !== 'job.completed') {
    const event = JSON.parse((await lines.next()).value ?? '')
    if (event.job_id === job_id) names.push(event.event)
  }
  expect(names.filter((name) => name !== 'job.progress')).toEqual(['job.created', 'job.completed'])
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  expect(await ended).toBe(0)
  const two = await call('C', 'events', '--after', '0', '--count', '2')
  expect([two.code, two.out]).toEqual([0, expect.stringMatching(/^\d+ {2}\S+.*\n\d+ {2}\S+.*\n$/)])
  expect(await call('C', 'events', '--count', '0')).toMatchObject({ code: 1 })
})

test('words become a sentence and the options that ask for the same', async () => {
  const said = await call('C', 'words', 'warmer,', 'crispy-lofi')
  expect([said.code, said.out]).toEqual([0, 'Warmth 25. Not understood: “crispy-lofi”.\n--warmth 25\n'])
  expect((await call('ko_KR.UTF-8', 'words', '더 밝게')).out).toBe('틸트 +1.0 dB.\n--tilt-db 1\n')
  expect(await json('words', 'louder')).toMatchObject({ settings: { target_lufs: -9.5 }, unknown: [] })
})

test('a passage of the master is written as a WAV, with settings, and never over a file', async () => {
  const own = await startService()
  onTestFinished(() => own.stop())
  const { call, json } = commandsOf(folder, () => own.dataDir)
  const heard = await json(
    'preview',
    'song.wav',
    '--platform',
    'melon',
    '--start',
    '1',
    '--seconds',
    '5',
    '--air-db',
    '1',
  )
  expect(heard).toMatchObject({ file: path.join(folder, 'song_preview.wav'), start_seconds: 1 })
  expect(heard.integrated_lufs).toBeLessThan(0)
  expect(readFileSync(heard.file).subarray(0, 4).toString()).toBe('RIFF')
  expect(await call('C', 'preview', 'song.wav')).toMatchObject({
    code: 1,
    problem: expect.stringContaining('already exists and is not overwritten'),
  })
  expect(await call('C', 'preview', 'song.wav', '--out', 'x.wav', '--seconds', '99')).toMatchObject({
    ...{ code: 1, problem: expect.stringContaining('seconds') },
  })
  expect([existsSync(path.join(folder, 'x.wav')), (await json('jobs', 'list')).total]).toEqual([false, 0])
})

test('a folder is watched with settings of its own, paused, found again by its path, and let go', async () => {
  const inbox = path.join(folder, 'inbox')
  mkdirSync(inbox)
  expect((await call('C', 'watch', 'list')).out).toBe('No folder is watched.\n')
  const added = await json(
    'watch',
    'add',
    'inbox',
    '--out',
    'outbox',
    '--platforms',
    'melon,spotify',
    '--genre',
    'kpop',
  )
  expect(added).toMatchObject({
    ...{ path: inbox, output_folder: path.join(folder, 'outbox'), is_active: true },
    settings: { platforms: ['melon', 'spotify'], genre: 'kpop', tier: 'standard' },
  })
  writeFileSync(path.join(inbox, 'new.wav'), wavSong())
  await expect.poll(async () => (await json('jobs', 'list', '--search', 'new')).total).toBe(1)
  expect((await call('C', 'watch', 'pause', 'inbox')).out).toContain('paused')
  expect(await json('watch', 'resume', added.folder_id)).toMatchObject({ is_active: true, accept: null })
  expect(await json('watch', 'convert', 'inbox')).toMatchObject({ is_active: true, accept: 'any' })
  expect((await call('C', 'watch', 'remove', inbox)).out).toBe('The folder is no longer watched.\n')
  expect(await call('C', 'watch', 'remove', inbox)).toMatchObject({
    code: 1,
    problem: expect.stringContaining('not watched'),
  })
  expect(await call('C', 'watch', 'add', 'inbox', '--air-db', 'much')).toMatchObject({ code: 1 })
})

test('a batch is listed, followed song by song, read as a table, and taken in hand', async () => {
  const songs = path.join(folder, 'songs')
  mkdirSync(songs)
  for (const name of ['one.wav', 'two.wav']) writeFileSync(path.join(songs, name), wavSong())
  for (const name of ['three.aiff', 'film.mp4']) writeFileSync(path.join(songs, name), inAiff(wavSong()))
  await call('C', 'batch', 'songs', '--platforms', 'melon', '--out', 'done', '--allow')
  const { batches } = await json('batches', 'list')
  const id = batches[0].batch_id
  expect((await call('C', 'batches', 'show', id)).out).toMatch(/ended {2}2 of 2 done\n$/)
  const followed = (await call('C', 'batches', 'follow', id, '--json')).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(followed.map(({ event }) => event)).toEqual(['song.ended', 'song.ended', 'batch.ended'])
  const [{ job_id, folder: masters }, second] = (await json('batches', 'songs', id)).songs
  expect(second.status).toBe('done')
  expect((await call('C', 'jobs', 'show', job_id)).out).toContain(`The masters are in ${masters}.\n`)
  expect(await json('jobs', 'report', job_id)).toMatchObject({ job_id })
  expect(await json('batches', 'songs', id, '--failed')).toEqual({ songs: [] })
  expect((await call('C', 'batches', 'songs', id, '--csv')).out).toMatch(/^\ufeff?line,/)
  await call('C', 'batch', 'songs', '--platforms', 'melon', '--out', 'done', '--convert')
  expect((await json('batches', 'list')).batches[0].songs).toMatchObject({ total: 3, done: 3 })
  for (const word of ['pause', 'resume', 'retry', 'cancel'])
    expect(await json('batches', word, id)).toMatchObject({ batch_id: id })
  expect((await call('C', 'batches', 'cancel', id)).out).toMatch(
    /\nThe batch had already ended; nothing was changed\.\n$/,
  )
  expect((await call('C', 'batches', 'retry', id)).out).toMatch(/\nNone of its songs has failed\.\n$/)
  expect(await call('C', 'batches', 'show', 'x')).toMatchObject({ code: 1 })
})

test('one master of a job, or its song, is saved as a new file', async () => {
  const { job_id } = await service.newJob({ title: '봄날' })
  await service.ended(job_id)
  const { file } = await json('jobs', 'file', job_id, 'source', '--out', 'source.wav')
  expect(readFileSync(file)).toEqual(wavSong())
  expect(await call('C', 'jobs', 'file', job_id, 'source', '--out', 'source.wav')).toMatchObject({ code: 1 })
  expect(await call('C', 'jobs', 'file', job_id, 'nothing')).toMatchObject({ code: 1 })
})

test('a release is changed in place: facts as the API has them, order, tracks, cover and copy', async () => {
  const jobs = await Promise.all(['One', 'Two'].map((title) => service.newJob({ title })))
  const made = await json('release', 'new', '1989', '--artist', 'Ana', '--job', ...jobs.map(({ job_id }) => job_id))
  const id = made.release_id
  const changed = await json('release', 'set', id, 'title=2026', 'label=Own')
  expect(changed).toMatchObject({ title: '2026', label: 'Own' })
  const [one, two] = made.tracks.map(({ track_id }: { track_id: string }) => track_id)
  expect((await json('release', 'track', id, one, 'title=1', 'gap_before_seconds=1.5')).tracks[0]).toMatchObject({
    ...{ title: '1', gap_before_seconds: 1.5 },
  })
  const ordered = await json('release', 'order', id, two, one)
  expect(ordered.tracks.map(({ track_id }: { track_id: string }) => track_id)).toEqual([two, one])
  writeFileSync(path.join(folder, 'cover.png'), pngPicture(1400, 1400))
  expect((await call('C', 'release', 'cover', id, 'cover.png')).code).toBe(0)
  expect(await json('release', 'cover', id, '--save', 'saved.png')).toEqual({ file: path.join(folder, 'saved.png') })
  expect((await call('C', 'release', 'cover', id, '--remove')).out).toBe('The release has no cover.\n')
  expect(await call('C', 'release', 'cover', id)).toMatchObject({ code: 1 })
  const copy = await json('release', 'duplicate', id, '--title', 'Copy')
  expect(copy).toMatchObject({ title: 'Copy', tracks: [{}, {}] })
  expect((await json('release', 'remove', id, one)).tracks).toHaveLength(1)
  expect(await call('C', 'release', 'set', id, 'title')).toMatchObject({
    code: 1,
    problem: '"title" is not FIELD=VALUE.\n',
  })
})

test('presets are saved of a job and a file, exported, and deleted; an analysis saves a target', async () => {
  expect((await call('C', 'presets', 'list')).out).toBe('There are no presets.\n')
  const { job_id } = await service.newJob({ platforms: 'melon', air_db: '2', title: 'Preset' })
  await service.ended(job_id)
  expect((await call('C', 'presets', 'save', 'Airy', '--job', job_id)).out).toBe('Preset “Airy” saved.\n')
  expect(await json('presets', 'export', 'Airy', 'airy.json')).toMatchObject({ settings: { air_db: 2 } })
  expect(await json('presets', 'save', 'Copy', '--file', 'airy.json')).toMatchObject({
    name: 'Copy',
    settings: { air_db: 2, platforms: ['melon'] },
  })
  expect((await call('C', 'presets', 'list')).out).toBe('Airy\nCopy\n')
  expect((await call('C', 'presets', 'delete', 'Copy')).out).toBe('Preset “Copy” deleted.\n')
  expect((await call('C', 'presets', 'delete', 'Copy')).problem).toMatch(/No preset .*"loudsmith presets list"/)
  expect(await call('C', 'presets', 'save', 'Odd')).toMatchObject({
    code: 1,
    problem: 'Name either --job or --file.\n',
  })
  const problemOf = async (...words: string[]) => (await call('C', ...words)).problem
  expect(await problemOf('presets', 'save', 'Odd', '--file', 'none.json')).toMatch(/no file .*none\.json/)
  for (const words of [['--recipe'], ['--cover'], ['--target']])
    expect(await problemOf('master', 'song.wav', ...words, 'none.json')).toMatch(/no file .*none\.json/)
  expect(await problemOf('preview', 'song.wav', '--platform', 'melon', '--target', 'song.wav')).toMatch(
    /song\.wav is not a target/,
  )
  expect((await call('C', 'analyse', 'song.wav', '--target', 'target.json')).code).toBe(0)
  const out = ['--platforms', 'melon', '--out', path.join(folder, 'preset-masters'), '--preset', 'Airy']
  const mastered = await json('master', 'song.wav', ...out, '--target', 'target.json', '--reference-weights', '1')
  expect(mastered).toMatchObject({ error: { code: 'INVALID_REQUEST', param: 'reference_weights' } })
  const { job } = await json('master', 'song.wav', ...out, '--target', 'target.json')
  expect(job).toMatchObject({ air_db: 2, saved_targets: [{ name: 'song.wav' }] })
})

test('sets of stems are listed, and a listening test without its jobs is refused', async () => {
  expect((await call('C', 'stems', 'list')).out).toBe('No stem sets are stored.\n')
  expect(await json('stems', 'show', 'nothing')).toMatchObject({ error: { code: 'NOT_FOUND' } })
  expect(await json('listening-test', 'new', 'one', 'two')).toMatchObject({ error: { code: 'JOB_NOT_FOUND' } })
  expect(await json('listening-test', 'show', 'nothing')).toMatchObject({ error: { code: 'NOT_FOUND' } })
  const refused = await call('C', 'listening-test', 'add', 'nothing', 'song.wav')
  expect([refused.code, refused.problem]).toEqual([1, expect.stringContaining('is not a result file')])
})
