/** Batches of the API: many songs by one manifest, over HTTP, with an engine that the tests hold. */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Manifest, ManifestSong } from '../../../src-contract/batches.ts'
import type { ExportedFile } from '../../../src-contract/release-exports.ts'
import { MARKER_FILE } from '../../../src-server/db/data-directory.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { INTACT } from '../../support/exports.ts'
import { createHeldEngine, type HeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { in24Bits, inAiff, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let engine: HeldEngine
let service: Service
let folder: string
const inFolder = (...names: string[]) => path.join(folder, 'allowed', ...names)
beforeEach(async () => {
  folder = temporaryFolder(onTestFinished)
  mkdirSync(inFolder('in'), { recursive: true })
  engine = createHeldEngine()
  await start()
  await owner({ allowed_folders: [inFolder()] })
  await service.patch('/app/settings', { engine_workers: 1 })
})
afterEach(() => service.stop())

async function start(): Promise<void> {
  service = await startService({ forkEngine: engine.fork, dataDir: path.join(folder, 'data'), keepsData: true })
}
const owner = (change: object) => service.patch('/app/settings', change, { credential: service.controlCredential })
const songFile = (name: string, hertz = 220): string => {
  writeFileSync(inFolder('in', name), wavSong({ seconds: 1, hertz }))
  return inFolder('in', name)
}
const songs = (count: number) => Array.from({ length: count }, (_, at) => ({ path: songFile(`${at}.wav`, 200 + at) }))
const HEAD = { platforms: ['spotify'] }
const send = (lines: readonly object[], init: { credential?: string; headers?: Record<string, string> } = {}) =>
  service.call('POST', '/api/v1/batches', {
    ...init,
    headers: { 'content-type': 'application/x-ndjson', ...init.headers },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  })
async function newBatch(lines: readonly object[], init: { credential?: string } = {}): Promise<string> {
  const { status, body } = await send([HEAD, ...lines], init)
  expect([status, body.error]).toEqual([201, undefined])
  return body.batch_id
}
const read = async (batchId: string): Promise<Manifest> => (await service.get(`/api/v1/batches/${batchId}`)).body
const table = async (batchId: string): Promise<ManifestSong[]> =>
  (await service.get(`/api/v1/batches/${batchId}/songs`)).body.songs
const step = (batchId: string, name: string) => service.call('POST', `/api/v1/batches/${batchId}/${name}`)
const ended = (batchId: string) => expect.poll(async () => (await read(batchId)).status).toBe('ended')
const started = (count: number) => expect.poll(() => engine.processes.length).toBe(count)
const credits = async (): Promise<number> => (await service.get('/api/v1/account')).body.credits
const orderOf = (index: number) => engine.processes[index]?.order?.source.filename

test('files of an allowed folder are mastered; what is outside, behind a link that leads out, ours, or missing is refused alike and costs nothing', async () => {
  const outside = path.join(folder, 'outside.wav')
  writeFileSync(outside, wavSong())
  symlinkSync(outside, inFolder('in', 'link.wav'))
  symlinkSync(folder, inFolder('in', 'folder'))
  engine.isAutomatic = true
  const before = await credits()
  const refused = [
    outside,
    inFolder('in', 'link.wav'),
    inFolder('none.wav'),
    `${inFolder()}/../outside.wav`,
    inFolder(),
  ]
  refused.push(inFolder('in', 'folder', 'outside.wav'))
  const batchId = await newBatch([...songs(1), ...refused.map((one) => ({ path: one }))])
  await ended(batchId)
  const [good, ...others] = await table(batchId)
  expect(good).toMatchObject({ status: 'done', masters: [{ platform: 'spotify', integrated_lufs: -14 }] })
  const [first] = others
  expect(first).toMatchObject({ status: 'failed', error_code: 'PATH_NOT_ALLOWED' })
  for (const [index, one] of others.entries())
    expect(one).toEqual({ ...first, line: index + 2, path: refused[index], error_message: first?.error_message })
  expect(await credits()).toBe(before - 1)
  // The data directory of another service is no place for programs either.
  mkdirSync(inFolder('other', 'jobs'), { recursive: true })
  writeFileSync(inFolder('other', MARKER_FILE), '')
  writeFileSync(inFolder('other', 'jobs', 'song.wav'), wavSong())
  expect(await table(await newBatch([{ path: inFolder('other', 'jobs', 'song.wav') }]))).toMatchObject([
    { error_code: 'PATH_NOT_ALLOWED' },
  ])
  await owner({ allowed_folders: [folder] })
  const ours = path.join(folder, 'data', 'loudsmith.db')
  expect(await table(await newBatch([{ path: ours }]))).toMatchObject([{ error_code: 'PATH_NOT_ALLOWED' }])
  await owner({ allowed_folders: [] })
  expect(await table(await newBatch(songs(1)))).toMatchObject([{ error_code: 'PATH_NOT_ALLOWED' }])
})

test('files in other containers are mastered with accept=any in the head or in their line, and refused without', async () => {
  engine.isAutomatic = true
  const file = inFolder('in', 'song.aiff')
  writeFileSync(file, inAiff(wavSong()))
  const batchId = await newBatch([{ path: file, accept: 'any' }, { path: file }])
  await ended(batchId)
  expect(await table(batchId)).toMatchObject([{ status: 'done' }, { error_code: 'UNSUPPORTED_FORMAT' }])
  const { body } = await send([{ ...HEAD, accept: 'any' }, { path: file }])
  await ended(body.batch_id)
  expect(await table(body.batch_id)).toMatchObject([{ status: 'done', title: 'song' }])
  const other = await send([{ ...HEAD, accept: 'all' }, { path: file }])
  expect([other.status, other.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
})

test('the allowed folders are set by the owner alone, as real folders, none by default', async () => {
  const [real, link] = [inFolder('in'), path.join(folder, 'link')]
  symlinkSync(real, link)
  expect((await service.patch('/app/settings', { allowed_folders: [folder] })).body.error.code).toBe('OWNER_REQUIRED')
  expect((await owner({ allowed_folders: [link, real] })).body.allowed_folders).toEqual([real])
  for (const wrong of [path.join(folder, 'none'), path.join(folder, 'data'), 'relative'])
    expect((await owner({ allowed_folders: [wrong] })).body.error).toMatchObject({ param: 'allowed_folders' })
  expect((await service.patch('/app/settings', { retention_days: 7, allowed_folders: [real] })).status).toBe(200)
})

test('a manifest that cannot be read is refused with its line, in the language of the caller, and nothing is made', async () => {
  const path_ = songFile('a.wav')
  const refusals: [object[], string, string][] = [
    [[HEAD, { path: path_ }, { path: path_, intensity: 200 }], 'line 3: intensity', 'INVALID_REQUEST'],
    [[HEAD, { path: path_, job_id: 'x' }], 'line 2: path', 'INVALID_REQUEST'],
    [[HEAD, { path: path_, colour: 'red' }], 'line 2: colour', 'INVALID_REQUEST'],
    [[HEAD, { path: path_, subfolder: 'a/../../b' }], 'line 2: subfolder', 'INVALID_REQUEST'],
    [[{ path: path_ }], 'line 1: platforms', 'INVALID_PLATFORM'],
    [[{ ...HEAD, delivery: 'folder' }, { path: path_ }], 'line 1: folder', 'INVALID_REQUEST'],
    [
      [{ ...HEAD, webhook_url: 'http://169.254.169.254/' }, { path: path_ }],
      'line 1: webhook_url',
      'INVALID_WEBHOOK_URL',
    ],
    [[HEAD], 'manifest', 'INVALID_REQUEST'],
  ]
  for (const [lines, param, code] of refusals) expect((await send(lines)).body.error).toMatchObject({ code, param })
  const { body } = await send([HEAD, { path: path_ }, 5 as unknown as object], { headers: { 'accept-language': 'ko' } })
  expect(body.error).toMatchObject({ param: 'line 3: json', details: [expect.stringContaining('3번째 줄')] })
  const asKey = await send([HEAD, { source_id: 'x' }], { credential: await service.newKey() })
  expect(asKey.body.error).toMatchObject({ param: 'line 2: source_id' })
  expect((await service.get('/api/v1/batches')).body.batches).toEqual([])
})

test('the same manifest sent again, also as a form, is the same batch and charged once; another under its batch_id is refused', async () => {
  const head = { ...HEAD, batch_id: '7B0A3A3E-6b1f-4b8e-9a51-0f3d0a7f4a10' }
  const lines = [head, ...songs(2)]
  engine.isAutomatic = true
  const before = await credits()
  const [first, second] = await Promise.all([send(lines), send(lines)])
  expect([first.status, second.status].sort()).toEqual([200, 201])
  await ended(first.body.batch_id)
  const form = new FormData()
  form.append('manifest', new Blob([lines.map((line) => JSON.stringify(line)).join('\r\n')]), 'manifest')
  const again = await service.call('POST', '/api/v1/batches', { body: form })
  expect([again.status, again.body.songs.done, again.body.batch_id]).toEqual([200, 2, head.batch_id.toLowerCase()])
  expect(await credits()).toBe(before - 2)
  expect((await send([{ ...head, genre: 'pop' }, ...songs(2)])).body.error.code).toBe('IDEMPOTENCY_MISMATCH')
})

test('a batch that is short of credits waits and says so, goes on as far as they reach, and by itself once there are enough', async () => {
  const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
  db.prepare("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('charge', ?, 0)").run(1 - (await credits()))
  db.close()
  engine.isAutomatic = true
  const short = 3
  const batchId = await newBatch(songs(short))
  expect(await read(batchId)).toMatchObject({
    ...{ status: 'paused', paused_because: 'credits', credits_needed: short, credits_remaining: short - 2 },
    songs: { waiting: short, total: short },
  })
  expect((await read(batchId)).bytes_needed).toBeGreaterThan(short * 8000 * 6)
  await step(batchId, 'resume')
  await expect.poll(async () => (await read(batchId)).songs).toMatchObject({ done: short - 2, waiting: 2, failed: 0 })
  await expect
    .poll(() => read(batchId))
    .toMatchObject({ status: 'paused', paused_because: 'credits', credits_needed: 2 })
  await service.post('/app/account/credits', { amount: 1 })
  // A batch of a caller who paused it stays as it is, and one that is still short.
  const other = await newBatch(songs(1))
  await step(other, 'pause')
  expect(await read(batchId)).toMatchObject({ status: 'paused', paused_because: 'credits', credits_needed: 2 })
  await service.post('/app/account/credits', { amount: 1 })
  await ended(batchId)
  expect([(await read(batchId)).songs.done, await credits()]).toEqual([short, 0])
  expect(await read(other)).toMatchObject({ status: 'paused', paused_because: 'caller' })
}, 120_000)

test('DELETE cancels a batch with a refund, then removes its record: the jobs stay, and its manifest is a new one', async () => {
  const before = await credits()
  const [batchId, one] = ['6f3b9c1e-9a55-4c0e-8f0a-2d6a4c1b7e90', songs(3)]
  const remove = () => service.call('DELETE', `/api/v1/batches/${batchId}`)
  expect((await send([{ ...HEAD, batch_id: batchId }, ...one])).status).toBe(201)
  await started(1)
  engine.processes[0]?.finish()
  await expect.poll(async () => (await read(batchId)).songs.done).toBeGreaterThan(0)
  expect((await remove()).body).toMatchObject({ batch_id: batchId, songs: { waiting: 0, queued: 0 } })
  await ended(batchId)
  const { songs: counts } = await read(batchId)
  expect(await credits()).toBe(before - counts.done)
  const jobs = (await table(batchId)).flatMap(({ job_id = [], status }) => (status === 'done' ? job_id : []))
  expect((await remove()).status).toBe(204)
  for (const gone of [await remove(), await service.get(`/api/v1/batches/${batchId}`)])
    expect(gone.body.error.code).toBe('BATCH_NOT_FOUND')
  for (const jobId of jobs) expect((await service.get(`/api/v1/jobs/${jobId}`)).body.status).toBe('done')
  expect((await send([{ ...HEAD, batch_id: batchId }, ...one])).status).toBe(201)
})

test('few jobs are made of many songs, a single song goes before them, and callers take turns', async () => {
  await service.patch('/app/account', { plan: 'pro' })
  const [one, two] = [await service.newKey('one'), await service.newKey('two')]
  const ofOne = songs(6)
  await newBatch(ofOne, { credential: one })
  await started(1)
  const unfinished = async () => (await service.get('/api/v1/jobs?status=queued')).body.total
  await expect.poll(unfinished).toBe(2)
  const other = Array.from({ length: 2 }, (_, at) => ({ path: songFile(`two-${at}.wav`, 500 + at) }))
  await newBatch(other, { credential: two })
  const single = await service.newJob({ file: new File([new Uint8Array(wavSong())], 'single.wav') })
  expect((await service.job(single.job_id)).queue_position).toBe(1)
  for (let at = 0; at < 8; at++) {
    engine.processes[at]?.finish()
    await started(at + 2)
  }
  const order = Array.from({ length: 9 }, (_, at) => orderOf(at))
  expect(order.slice(0, 2)).toEqual(['0.wav', 'single.wav'])
  expect(order.slice(2)).toEqual(['1.wav', 'two-0.wav', '2.wav', 'two-1.wav', '3.wav', '4.wav', '5.wav'])
  engine.processes[8]?.finish()
})

test('ten thousand songs are taken in one request and cost no more jobs than two, which no plan bounds; the ten thousand and first refuses it', async () => {
  await service.post('/app/account/credits', { amount: 20_000 })
  // One job at once.
  await service.patch('/app/account', { plan: 'free' })
  const [song] = songs(1)
  const one = await newBatch(songs(1))
  await expect.poll(async () => (await read(one)).songs.queued).toBe(1)
  await service.newJob()
  const count = IS_CAMPAIGN ? 10_000 : 1000
  const many = Array.from({ length: count }, () => ({ path: song?.path }))
  const batchId = await newBatch(many)
  expect(await read(batchId)).toMatchObject({ status: 'running', credits_needed: count, songs: { total: count } })
  await expect.poll(async () => (await read(batchId)).songs).toMatchObject({ queued: 1, waiting: count - 1 })
  expect((await send([HEAD, ...Array.from({ length: 10_001 }, () => song ?? {})])).body.error.param).toBe('manifest')
  const csv = (await service.get(`/api/v1/batches/${batchId}/songs?format=csv`)).body as string
  expect(csv.trim().split('\r\n')).toHaveLength(count + 1)
  const page = (await service.get(`/api/v1/batches/${batchId}/songs?after_line=${count - 2}&limit=1`)).body
  expect([page.songs[0].line, page.next_line]).toEqual([count - 1, count - 1])
  await step(batchId, 'cancel')
  await ended(batchId)
  expect((await read(batchId)).songs).toMatchObject({ cancelled: count })
  expect(await credits()).toBe(20_498)
}, 120_000)

test('a batch is paused, resumed, cancelled with a refund, and its failed songs are mastered again', async () => {
  const before = await credits()
  const batchId = await newBatch(songs(4))
  await expect.poll(async () => (await read(batchId)).songs.queued).toBe(2)
  expect((await step(batchId, 'pause')).body).toMatchObject({ status: 'paused', paused_because: 'caller' })
  await started(1)
  engine.isAutomatic = true
  service.expectFault('a job failed')
  engine.processes[0]?.fail('DIGITAL_SILENCE')
  await expect.poll(async () => (await read(batchId)).songs).toMatchObject({ failed: 1, done: 1, waiting: 2 })
  engine.isAutomatic = false
  await step(batchId, 'resume')
  await expect.poll(async () => (await read(batchId)).songs.queued).toBe(2)
  expect((await step(batchId, 'cancel')).body.songs).toMatchObject({ done: 1, failed: 1, cancelled: 2 })
  await ended(batchId)
  expect(await credits()).toBe(before - 1)
  const failed = (await table(batchId)).find(({ status }) => status === 'failed')
  expect(failed).toMatchObject({
    line: 1,
    error_code: 'DIGITAL_SILENCE',
    error_message: expect.stringMatching(/silent/),
  })
  engine.isAutomatic = true
  expect((await step(batchId, 'retry')).body.status).toBe('running')
  await ended(batchId)
  expect((await read(batchId)).songs).toMatchObject({ done: 2, failed: 0, cancelled: 2 })
  expect(await credits()).toBe(before - 2)
  for (const name of ['pause', 'resume', 'cancel']) expect((await step(batchId, name)).body.status).toBe('ended')
  expect((await step('nobody', 'pause')).body.error.code).toBe('BATCH_NOT_FOUND')
})

test('masters are delivered to an allowed folder and its subfolders, no ZIP is kept, and a folder that went away pauses the batch', async () => {
  const out = inFolder('out')
  const head = { ...HEAD, delivery: 'folder', folder: out }
  expect((await send([{ ...head, folder: folder }, ...songs(1)])).body.error.code).toBe('PATH_NOT_ALLOWED')
  const [first, second] = songs(2)
  const { body } = await send([head, { ...first, subfolder: 'EP/one' }, { ...second }])
  await started(1)
  rmSync(out, { recursive: true, force: true })
  writeFileSync(out, 'in the way')
  engine.isAutomatic = true
  engine.processes[0]?.finish()
  await expect.poll(() => read(body.batch_id)).toMatchObject({ status: 'paused', paused_because: 'folder' })
  rmSync(out)
  await step(body.batch_id, 'resume')
  await ended(body.batch_id)
  const rows = await table(body.batch_id)
  expect(rows.map(({ status }) => status)).toEqual(['done', 'done'])
  expect(path.dirname(rows[0]?.folder ?? '')).toBe(path.join(out, 'EP', 'one'))
  for (const { folder: at = '', job_id = '' } of rows) {
    const files = readdirSync(at)
    expect(files).toEqual(['report.html', 'report.json', 'song_spotify.wav'])
    expect((await service.get(`/api/v1/jobs/${job_id}/download`)).status).toBe(200)
    await expect.poll(() => readdirSync(path.join(folder, 'data', 'jobs'))).toEqual([])
    // Moved, not copied, and yet no private files of ours.
    const facts = files.map((file) => statSync(path.join(at, file)))
    expect(facts.map(({ nlink, mode }) => [nlink, mode & 0o777])).toEqual(
      files.map(() => [1, statSync(at).mode & 0o666]),
    )
  }
  expect(service.temporary().filter((name) => !name.includes('-'))).toEqual([])
})

/** Masters two songs into a folder, and returns the first as it lies there. */
async function delivered(lines: readonly object[] = songs(1)) {
  engine.isAutomatic = true
  const head = { platforms: ['spotify', 'melon'], delivery: 'folder', folder: inFolder('out') }
  const { body } = await send([head, ...lines])
  await ended(body.batch_id)
  const [{ folder: at = '', job_id: jobId = '' } = {}] = await table(body.batch_id)
  await expect.poll(() => readdirSync(path.join(folder, 'data', 'jobs'))).toEqual([])
  return { at, jobId, batchId: body.batch_id as string }
}
const fileOf = async (jobId: string, name: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${service.baseUrl}/api/v1/jobs/${jobId}/files/${name}`, {
    headers: { authorization: `Bearer ${service.sessionCredential}`, ...headers },
  })
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
}
const codeOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).error.code

test('what a batch delivered is read where it lies: masters, song, ZIP, link, report, retry, and as the song of a batch', async () => {
  const own = songFile('own.wav')
  const { at, jobId, batchId } = await delivered([{ path: own }])
  // The record of the batch is not needed for it.
  expect((await service.call('DELETE', `/api/v1/batches/${batchId}`)).status).toBe(204)
  const job = (await service.get(`/api/v1/jobs/${jobId}`)).body
  expect([job.expired, job.output_folder]).toEqual([undefined, at])
  expect((await fileOf(jobId, 'source')).bytes).toEqual(readFileSync(own))
  expect((await fileOf(jobId, 'melon')).bytes).toEqual(readFileSync(path.join(at, 'song_melon.wav')))
  expect((await fileOf(jobId, 'melon', { range: 'bytes=5-7' })).bytes.toString()).toBe('mel')
  const download = `${service.baseUrl}/api/v1/jobs/${jobId}/download`
  const headers = { authorization: `Bearer ${service.sessionCredential}` }
  const whole = await fetch(download, { headers })
  const zip = Buffer.from(await whole.arrayBuffer())
  expect(zip.length).toBe(job.download_size_bytes)
  for (const name of readdirSync(at)) expect(zip.includes(readFileSync(path.join(at, name))), name).toBe(true)
  const part = await fetch(download, { headers: { ...headers, range: 'bytes=100-399' } })
  expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, zip.subarray(100, 400)])
  const link = (await service.post(`/api/v1/jobs/${jobId}/links`, {})).body
  expect(Buffer.from(await (await fetch(link.url)).arrayBuffer())).toEqual(zip)
  expect(await service.get(`/api/v1/jobs/${jobId}/report?format=html`)).toMatchObject({ body: '<!doctype html>' })
  const retried = (await service.call('POST', `/api/v1/jobs/${jobId}/retry`)).body
  expect((await service.ended(retried.job_id)).source_sha256).toBe(job.source_sha256)
  const again = await newBatch([{ job_id: jobId }])
  await ended(again)
  expect((await read(again)).songs.done).toBe(1)
  expect(service.temporary().filter((name) => !name.includes('-'))).toEqual([])
})

test('a file that was moved, changed or taken off the list is told as gone, each alone, and is back when it is', async () => {
  const own = songFile('own.wav')
  const { at, jobId } = await delivered([{ path: own }])
  const melon = path.join(at, 'song_melon.wav')
  const bytes = readFileSync(melon)
  // Of the same size: only the checksum tells.
  writeFileSync(melon, Buffer.from(bytes).fill(0, 5, 6))
  const [download, retry] = [`/api/v1/jobs/${jobId}/download`, `/api/v1/jobs/${jobId}/retry`]
  expect((await service.get(download)).body.error.code).toBe('FILE_GONE')
  expect((await service.post(`/api/v1/jobs/${jobId}/links`, {})).body.error.code).toBe('FILE_GONE')
  const gone = await fileOf(jobId, 'melon')
  expect([gone.status, codeOf(gone)]).toEqual([410, 'FILE_GONE'])
  expect(JSON.parse(gone.bytes.toString()).error.message).toContain('“song_melon.wav”')
  expect((await fileOf(jobId, 'spotify')).status).toBe(200)
  rmSync(melon)
  symlinkSync(path.join(folder, 'data', 'loudsmith.db'), melon)
  expect(codeOf(await fileOf(jobId, 'melon'))).toBe('FILE_GONE')
  rmSync(melon)
  writeFileSync(melon, bytes)
  expect((await service.get(download)).status).toBe(200)
  const before = await credits()
  writeFileSync(own, wavSong({ seconds: 1, hertz: 999 }))
  expect((await service.call('POST', retry)).body.error.code).toBe('FILE_GONE')
  expect(codeOf(await fileOf(jobId, 'source'))).toBe('FILE_GONE')
  const again = await newBatch([{ job_id: jobId }])
  await ended(again)
  expect(await table(again)).toMatchObject([{ status: 'failed', error_code: 'FILE_GONE' }])
  expect(await credits()).toBe(before)
  await owner({ allowed_folders: [] })
  expect((await service.get(download)).body.error.code).toBe('FILE_GONE')
  const report = () => service.get(`/api/v1/jobs/${jobId}/report?format=html`)
  expect((await report()).body.error.code).toBe('FILE_GONE')
  await owner({ allowed_folders: [inFolder()] })
  expect((await report()).status).toBe(200)
  writeFileSync(path.join(at, 'report.html'), '<!doctype HTML>')
  expect((await report()).body.error.code).toBe('FILE_GONE')
})

test('songs of a delivered batch are tracks of a release as any others, and a track whose song went is told as gone', async () => {
  engine.answersLooks = true
  const [own, other] = [songFile('own.wav'), songFile('other.wav', 500)]
  const first = await delivered([{ path: own }])
  const second = await delivered([{ path: other }])
  const tracks = [{ job_id: first.jobId }, { job_id: second.jobId }]
  const { release_id } = (await service.post('/api/v1/releases', { title: 'R', artist: 'A', kind: 'album', tracks }))
    .body
  const states = async () =>
    (await service.get(`/api/v1/releases/${release_id}`)).body.tracks.map((track: { state: string }) => track.state)
  expect(await states()).toEqual(['done', 'done'])
  renameSync(other, `${other}.away`)
  expect(await states()).toEqual(['done', 'gone'])
  expect((await service.get(`/api/v1/releases/${release_id}/plan`)).body.error.code).toBe('FILE_GONE')
  expect((await service.call('POST', `/api/v1/releases/${release_id}/master`)).body.error.code).toBe('FILE_GONE')
  renameSync(`${other}.away`, other)
  expect((await service.call('POST', `/api/v1/releases/${release_id}/master`)).status).toBe(202)
  await expect.poll(async () => (await service.get(`/api/v1/releases/${release_id}`)).body.mastering.state).toBe('done')
})

test('an export and coded copies are made of delivered masters; of one that was changed they say that it is gone', async () => {
  engine.answersLooks = true
  const wav = in24Bits(wavSong({ seconds: 1, sampleRateHz: 44_100 }))
  engine.masterBytes = wav
  const { at, jobId } = await delivered([{ path: songFile('own.wav') }])
  const tracks = [{ job_id: jobId }]
  const { release_id } = (await service.post('/api/v1/releases', { title: 'R', artist: 'A', kind: 'single', tracks }))
    .body
  const request = { folder: inFolder(), platform: 'melon', formats: ['wav24', 'flac16_44'] }
  const exportOf = () => service.post(`/api/v1/releases/${release_id}/export`, request)
  const copyOf = () => service.get(`/app/jobs/${jobId}/copies/melon/aac_256`)
  const melon = path.join(at, 'song_melon.wav')
  const bytes = readFileSync(melon)
  writeFileSync(melon, Buffer.from(bytes).fill(1, 500, 501))
  for (const answer of [await exportOf(), await copyOf()])
    expect([answer.status, answer.body.error.code]).toEqual([410, 'FILE_GONE'])
  writeFileSync(melon, bytes)
  const { body } = await exportOf()
  expect(body.certificate.files.filter(({ sound }: ExportedFile) => sound)).toHaveLength(2)
  expect((await service.post('/api/v1/releases/verify', { folder: body.folder })).body).toMatchObject(INTACT)
  expect((await copyOf()).status).toBe(200)
  expect(service.temporary().filter((name) => name !== jobId)).toEqual([])
})

test('the results stream as they end, from where a reader was, and the stream ends with the batch', async () => {
  const batchId = await newBatch(songs(2))
  const open = (after?: string) =>
    fetch(`${service.baseUrl}/api/v1/batches/${batchId}/events`, {
      headers: {
        authorization: `Bearer ${service.sessionCredential}`,
        ...(after === undefined ? {} : { 'last-event-id': after }),
      },
    })
  const stream = await open()
  await started(1)
  engine.isAutomatic = true
  engine.processes[0]?.finish()
  const text = await stream.text()
  const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data))
  expect(events.map(({ event, song }) => [event, song?.line, song?.status])).toEqual([
    ['song.ended', 1, 'done'],
    ['song.ended', 2, 'done'],
    ['batch.ended', undefined, undefined],
  ])
  expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(['1', '2'])
  const rest = await (await open('1')).text()
  expect([...rest.matchAll(/^event: (.+)$/gm)].map(([, event]) => event)).toEqual(['song.ended', 'batch.ended'])
})

test('a batch goes on after a restart: what had ended stays, nothing is charged twice, songs of jobs are songs too', async () => {
  const before = await credits()
  const [first, ...others] = songs(4)
  const single = await service.newJob({ file: new Blob([new Uint8Array(wavSong({ hertz: 700 }))]) })
  const batchId = await newBatch([first ?? {}, { job_id: single.job_id }, ...others])
  await started(1)
  engine.processes[0]?.finish()
  await started(2)
  engine.processes[1]?.finish()
  await expect.poll(async () => (await read(batchId)).songs.done).toBe(1)
  await service.close()
  engine.isAutomatic = true
  await start()
  await ended(batchId)
  const rows = await table(batchId)
  expect(rows.map(({ status }) => status)).toEqual(Array(5).fill('done'))
  expect(rows[1]).toMatchObject({ source_job_id: single.job_id })
  expect(new Set(rows.map(({ job_id }) => job_id)).size).toBe(5)
  expect(await credits()).toBe(before - 6)
})
