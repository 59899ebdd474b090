import { execFileSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Batch, type Source, summaryOf } from '../../../src-contract/app.ts'
import type { Job } from '../../../src-contract/jobs.ts'
import { WatchFolderStore } from '../../../src-server/watch/watch-folder-store.ts'
import { locateFfmpeg } from '../../../src-worker/media/locate.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { createHeldEngine, type HeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { inAiff, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { eventually } from '../notify/fixture.ts'

// As the user has it before the first service of this process.
process.umask(0o027)

let folder: string
let engine: HeldEngine
let service: Service

beforeEach(async () => {
  folder = temporaryFolder(onTestFinished)
  engine = createHeldEngine()
  service = await startService({ forkEngine: engine.fork, dataDir: path.join(folder, 'data') })
})

afterEach(() => service.stop())

const blob = (bytes: Buffer) => new Blob([new Uint8Array(bytes)])

function upload(bytes: Buffer, filename: string, fields: Record<string, string> = {}, credential?: string) {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  body.append('file', blob(bytes), filename)
  return service.call('POST', '/app/sources', { body, ...(credential === undefined ? {} : { credential }) })
}

const song = async (filename: string, hertz = 220): Promise<Source> => {
  const { status, body } = await upload(wavSong({ hertz }), filename)
  expect(status).toBe(201)
  return body
}

const batch = async (): Promise<Batch> => (await service.get('/app/desk')).body
const states = async () => (await batch()).songs.map(({ state }) => state)

/** A WAV of 24 bit, 96 kHz, stereo: 576 000 bytes a second. */
function longWav(seconds: number): Buffer {
  const size = seconds * 576_000
  const header = Buffer.alloc(44)
  header.write('RIFF')
  header.writeUInt32LE(36 + size, 4)
  header.write('WAVEfmt ', 8)
  for (const [value, at] of [
    [16, 16],
    [96_000, 24],
    [576_000, 28],
    [size, 40],
  ] as const)
    header.writeUInt32LE(value, at)
  for (const [value, at] of [
    [1, 20],
    [2, 22],
    [6, 32],
    [24, 34],
  ] as const)
    header.writeUInt16LE(value, at)
  header.write('data', 36)
  return Buffer.concat([header, Buffer.alloc(size, 7)])
}

test('a song is stored with what it is, lies in the batch, and can be read back by range', async () => {
  const bytes = wavSong()
  const source = await song('첫 곡.wav')
  expect(source).toMatchObject({
    filename: '첫 곡.wav',
    title: '첫 곡',
    size_bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    codec: 'pcm_s16',
    channels: 2,
    bit_depth: 16,
    has_cover: false,
  })
  expect((await batch()).songs.map((one) => one.source.source_id)).toEqual([source.source_id])
  expect((await service.get(`/app/sources/${source.source_id}`)).body).toEqual(source)
  const response = await fetch(`${service.baseUrl}/app/sources/${source.source_id}/file`, {
    headers: { authorization: `Bearer ${service.sessionCredential}`, range: 'bytes=44-99' },
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([206, 'audio/wav'])
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes.subarray(44, 100))).toBe(true)
  expect((await service.get('/app/sources/unknown')).status).toBe(404)
  expect((await service.get(`/app/sources/${source.source_id}/cover`)).status).toBe(404)
})

test('a song in another container is stored when the page accepts it, and is played as a WAV of the same samples', async () => {
  const wav = wavSong()
  const aiff = inAiff(wav)
  expect((await upload(aiff, 'Lamp.aiff')).body.error.code).toBe('UNSUPPORTED_FORMAT')
  const { status, body: source } = await upload(aiff, 'Lamp.aiff', { accept: 'any' })
  const sha256 = createHash('sha256').update(aiff).digest('hex')
  expect([status, source]).toMatchObject([201, { title: 'Lamp', sha256, size_bytes: aiff.length }])
  const response = await fetch(`${service.baseUrl}/app/sources/${source.source_id}/file`, {
    headers: { authorization: `Bearer ${service.sessionCredential}`, range: 'bytes=0-65535' },
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav'])
  const played = Buffer.from(await response.arrayBuffer())
  const samples = played.subarray(played.indexOf('data') + 8)
  const wanted = Array.from({ length: (wav.length - 44) / 2 }, (_, i) => wav.readInt16LE(44 + 2 * i) / 32_768)
  expect(Array.from({ length: samples.length / 4 }, (_, i) => samples.readFloatLE(4 * i))).toEqual(wanted)
  expect(service.temporary()).toEqual([])
})

test('a song is called the same in the batch and in its job, whatever dots its name has', async () => {
  engine.isAutomatic = true
  const sources = []
  for (const filename of ['Mix 2024.05', 'Take v1.2.WAV', '.flac']) sources.push(await song(filename))
  const titles = ['Mix 2024.05', 'Take v1.2', 'Untitled']
  expect(sources.map(({ title }) => title)).toEqual(titles)
  await service.post('/app/desk/start', { source_ids: sources.map(({ source_id }) => source_id) })
  const jobs = async () => (await service.get('/api/v1/jobs?sort=oldest')).body.jobs as Job[]
  await expect.poll(async () => (await jobs()).map(({ title }) => title)).toEqual(titles)
})

test('a song over 50 MB is taken from the app, and mastered as a job like any other', async () => {
  const { status, body: source } = await upload(longWav(95), 'long.wav')
  expect(status).toBe(201)
  expect(source.size_bytes).toBeGreaterThan(52_428_800)
  await service.post('/app/desk/start', { source_ids: [source.source_id] })
  await eventually(() => engine.processes.length === 1)
  expect(engine.processes[0]?.order?.source.sha256).toBe(source.sha256)
  engine.processes[0]?.finish()
  const [jobId] = (await batch()).songs[0]?.job_ids ?? []
  expect((await service.ended(jobId ?? '')).status).toBe('done')
  expect((await service.get('/api/v1/account')).body.credits).toBe(499)
})

test('a file that is no song is refused with the reason, and nothing of it stays', async () => {
  const notes = await upload(Buffer.from('these are only notes'), 'notes.wav')
  expect([notes.status, notes.body.error.code]).toEqual([400, 'UNSUPPORTED_FORMAT'])
  const nothing = new FormData()
  nothing.append('purpose', 'song')
  const missing = await service.call('POST', '/app/sources', { body: nothing })
  expect([missing.status, missing.body.error.param]).toEqual([400, 'file'])
  expect(missing.body.error.message).toMatch(/There is no song/)
  const purpose = await upload(wavSong(), 'a.wav', { purpose: 'gift' })
  expect([purpose.status, purpose.body.error.param]).toEqual([400, 'purpose'])
  const short = await upload(wavSong({ seconds: 3 }), 'short.wav', { purpose: 'reference' })
  expect([short.status, short.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  expect((await batch()).songs).toEqual([])
  expect(service.temporary()).toEqual([])
  expect(readdirSync(path.join(folder, 'data', 'sources'))).toEqual([])
})

test('a reference is stored and does not lie in the batch', async () => {
  const { status, body } = await upload(wavSong({ seconds: 6 }), 'reference.wav', { purpose: 'reference' })
  expect(status).toBe(201)
  expect((await batch()).songs).toEqual([])
  const source = await song('a.wav')
  const { settings } = await batch()
  await service.patch(`/app/desk/${source.source_id}`, {
    settings: { ...settings, reference_source_id: body.source_id },
  })
  await service.post('/app/desk/start', { source_ids: [source.source_id] })
  await eventually(() => engine.processes.length === 1)
  expect(engine.processes[0]?.order?.reference?.filename).toBe('reference.wav')
})

test('an MP3 is shown with its bit rate and its cover picture', async () => {
  const ffmpeg = await locateFfmpeg()
  const run = (...options: string[]) => execFileSync(ffmpeg.path, ['-v', 'error', '-y', ...options])
  const at = (name: string) => path.join(folder, name)
  run('-f', 'lavfi', '-i', 'color=red:size=32x32', '-frames:v', '1', at('cover.png'))
  run('-f', 'lavfi', '-i', 'sine=duration=3', '-b:a', '96k', at('plain.mp3'))
  run(
    '-i',
    at('plain.mp3'),
    '-i',
    at('cover.png'),
    '-map',
    '0',
    '-map',
    '1',
    '-c',
    'copy',
    '-disposition:v',
    'attached_pic',
    '-metadata',
    'title=봄날',
    // As Suno writes it.
    '-metadata',
    'comment=made by suno; created=2026-01-17T05:59:17Z',
    at('song.mp3'),
  )
  const { body: source } = await upload(readFileSync(at('song.mp3')), 'song.mp3')
  expect(source).toMatchObject({ has_cover: true, title: '봄날', codec: 'mp3', bit_rate_bps: 96_000 })
  expect(source).toMatchObject({ made_with: 'suno' })
  expect((await batch()).songs).toMatchObject([{ settings: { ai_service: 'suno' } }])
  await service.patch('/app/desk', { settings: { ...(await batch()).settings, ai_service: 'udio' } })
  const { body: later } = await upload(readFileSync(at('song.mp3')), 'later.mp3')
  expect(later).toMatchObject({ made_with: 'suno' })
  const plain = await song('plain.wav')
  expect(plain).not.toHaveProperty('made_with')
  expect((await batch()).songs).toMatchObject([
    { settings: { ai_service: 'suno' } },
    { settings: null },
    { settings: null },
  ])
  engine.answersLooks = true
  const asked = new FormData()
  asked.append('source_id', source.source_id)
  const look = await service.call('POST', '/api/v1/analyze', { body: asked })
  expect(look.body).toMatchObject({ made_with: 'suno' })
  const response = await fetch(`${service.baseUrl}/app/sources/${source.source_id}/cover`, {
    headers: { authorization: `Bearer ${service.sessionCredential}` },
  })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(at('cover.png')))).toBe(true)
  rmSync(path.join(folder, 'data', 'sources', `${source.sha256}.cover`))
  expect((await service.get(`/app/sources/${source.source_id}/cover`)).status).toBe(404)
})

test('a stored song that somebody removed from the data folder is named as gone, charged for nowhere, and whole when it is added again', async () => {
  const source = await song('a.wav')
  const other = await song('b.wav', 330)
  const { body: reference } = await upload(wavSong({ seconds: 6 }), 'reference.wav', { purpose: 'reference' })
  const inFolder = (sha256: string) => path.join(folder, 'data', 'sources', sha256)
  for (const { sha256 } of [source, reference]) rmSync(inFolder(sha256))
  const credits = async () => (await service.get('/api/v1/account')).body.credits
  const before = await credits()

  const form = (fields: Record<string, string>) => {
    const body = new FormData()
    for (const [name, value] of Object.entries({ platforms: 'melon', ...fields })) body.append(name, value)
    return body
  }
  const send = (address: string, fields: Record<string, string>) =>
    service.call('POST', address, { body: form(fields), headers: { 'accept-language': 'ko' } })
  const gone = { source_id: source.source_id }
  const answers = [
    await send('/api/v1/master', gone),
    await send('/api/v1/master', { ...gone, dry_run: 'true' }),
    await send('/api/v1/analyze', gone),
    await send('/api/v1/master', { source_id: other.source_id, reference_source_id: reference.source_id }),
  ]
  expect(answers.map(({ status, body }) => [status, body.error.code, body.error.param])).toEqual([
    [400, 'INVALID_REQUEST', 'source_id'],
    [400, 'INVALID_REQUEST', 'source_id'],
    [400, 'INVALID_REQUEST', 'source_id'],
    [400, 'INVALID_REQUEST', 'reference_source_id'],
  ])
  for (const { body } of answers) expect(body.error.message).toMatch(/디스크에서 사라졌어요/)

  await service.post('/app/desk/start', { source_ids: [source.source_id] })
  expect((await batch()).songs[0]).toMatchObject({
    state: 'refused',
    error: { code: 'INVALID_REQUEST', message: expect.stringMatching(/gone from the disk/) },
  })
  expect((await service.get(`/app/sources/${source.source_id}/file`)).status).toBe(404)
  expect([await credits(), engine.processes.length]).toEqual([before, 0])

  await song('a again.wav')
  await service.post('/app/desk/start', { source_ids: [source.source_id] })
  await eventually(() => engine.processes.length === 1)
})

test('a job that lost its reference says which of the two is gone, and its song can be started again with the stored one', async () => {
  await service.patch('/app/settings', { engine_workers: 1 })
  const { body: reference } = await upload(wavSong({ seconds: 6 }), 'reference.wav', { purpose: 'reference' })
  const source = await song('a.wav')
  await service.patch('/app/desk', {
    settings: { ...(await batch()).settings, reference_source_id: reference.source_id },
  })
  await service.newJob()
  await service.post('/app/desk/start', { source_ids: [source.source_id] })
  const jobIds = async () => (await batch()).songs[0]?.job_ids ?? []
  const [jobId = ''] = await jobIds()
  rmSync(path.join(service.dataDir, 'jobs', jobId, 'reference'))
  engine.processes[0]?.finish()
  expect(await service.ended(jobId)).toMatchObject({ failure_code: 'REFERENCE_LOST', credits_refunded: 1 })
  await service.post('/app/desk/start', { source_ids: [source.source_id] })
  await eventually(() => engine.processes.length === 2)
  engine.processes[1]?.finish()
  const [again = ''] = await jobIds()
  expect(again).not.toBe(jobId)
  expect(await service.ended(again)).toMatchObject({ status: 'done', reference_filename: 'reference.wav' })
})

test('a batch is fed into the plan’s slots as jobs end, each song charged once', async () => {
  await service.patch('/app/account', { plan: 'starter' })
  await service.patch('/app/settings', { engine_workers: 4 })
  const ids = []
  for (const hertz of [220, 330, 440, 550]) ids.push((await song(`${hertz}.wav`, hertz)).source_id)
  await service.post('/app/desk/start', { source_ids: ids })
  expect(await states()).toEqual(['submitted', 'submitted', 'waiting', 'waiting'])
  const before = (await service.get('/api/v1/account')).body.credits
  for (let ended = 0; ended < 4; ended++) {
    await eventually(() => engine.processes.length > ended)
    engine.processes[ended]?.finish()
  }
  let total = 0
  for (const { job_ids } of (await batch()).songs) {
    for (const jobId of job_ids) total += (await service.ended(jobId)).status === 'done' ? 1 : 0
  }
  expect([await states(), total]).toEqual([Array(4).fill('submitted'), 4])
  expect((await service.get('/api/v1/account')).body.credits).toBe(before - 2)
})

test('a retried job belongs to the same song and batch', async () => {
  const { source_id } = await song('a.wav')
  await service.post('/app/desk/start', { source_ids: [source_id] })
  const [first = ''] = (await batch()).songs[0]?.job_ids ?? []
  await service.call('DELETE', `/api/v1/jobs/${first}`)
  const { body } = await service.call('POST', `/api/v1/jobs/${first}/retry`)
  expect((await batch()).songs[0]?.job_ids).toEqual([body.job_id, first])
  const [again, before] = [await service.job(body.job_id), await service.job(first)]
  expect(again.batch_id).toBe((await batch()).songs[0]?.batch_id)
  expect([again.source_id, again.batch_id]).toEqual([before.source_id, before.batch_id])
})

test('a paused batch finishes what began, holds the rest through a restart, and goes on where it was', async () => {
  await service.stop()
  const dataDir = path.join(folder, 'paused')
  engine = createHeldEngine()
  service = await startService({ forkEngine: engine.fork, dataDir, keepsData: true })
  await service.patch('/app/settings', { engine_workers: 1 })
  const ids = []
  for (const hertz of [220, 330, 440]) ids.push((await song(`${hertz}.wav`, hertz)).source_id)
  await service.post('/app/desk/start', { source_ids: ids })
  await eventually(() => engine.processes.length === 1)
  await service.patch('/app/desk', { is_paused: true })
  engine.processes[0]?.finish()
  const [first] = (await batch()).songs[0]?.job_ids ?? []
  expect((await service.ended(first ?? '')).status).toBe('done')
  expect([engine.processes.length, await states()]).toEqual([1, ['submitted', 'waiting', 'waiting']])
  const { credits } = (await service.get('/api/v1/account')).body
  await service.stop()
  service = await startService({ forkEngine: engine.fork, dataDir, keepsData: true })
  expect([(await batch()).is_paused, await states()]).toEqual([true, ['submitted', 'waiting', 'waiting']])
  expect(engine.processes.length).toBe(1)
  await service.patch('/app/desk', { is_paused: false })
  await eventually(() => engine.processes.length === 2)
  expect(await states()).toEqual(['submitted', 'submitted', 'waiting'])
  expect((await service.get('/api/v1/account')).body.credits).toBe(credits - 1)
})

test('more engine processes let more of a batch begin at once', async () => {
  await service.patch('/app/settings', { engine_workers: 1 })
  const ids = []
  for (const hertz of [220, 330, 440]) ids.push((await song(`${hertz}.wav`, hertz)).source_id)
  await service.post('/app/desk/start', { source_ids: ids })
  expect(await states()).toEqual(['submitted', 'waiting', 'waiting'])
  await service.patch('/app/settings', { engine_workers: 3 })
  await eventually(() => engine.processes.length === 3)
  expect(await states()).toEqual(['submitted', 'submitted', 'submitted'])
})

test('a batch goes on in a new start on the same data folder, and no song is charged twice', async () => {
  await service.stop()
  const dataDir = path.join(folder, 'kept')
  service = await startService({ forkEngine: engine.fork, dataDir, keepsData: true })
  await service.patch('/app/account', { plan: 'free' })
  const ids = [(await song('a.wav', 220)).source_id, (await song('b.wav', 330)).source_id]
  const { body } = await service.get('/api/v1/account')
  await service.post('/app/desk/start', { source_ids: ids })
  expect(await states()).toEqual(['submitted', 'waiting'])
  await service.stop()
  engine = createHeldEngine({ isAutomatic: true })
  service = await startService({ forkEngine: engine.fork, dataDir, keepsData: true })
  for (let index = 0; index < 2; index++) {
    let jobId: string | undefined
    while (!jobId) jobId = (await batch()).songs[index]?.job_ids[0]
    expect((await service.ended(jobId)).status).toBe('done')
  }
  expect((await service.get('/api/v1/account')).body.credits).toBe(body.credits - 2)
})

test('the plain masters of a done job lie in the output folder, and the job says where', async () => {
  const output = path.join(folder, 'Music', 'Loudsmith')
  await service.patch('/app/settings', { output_folder: output })
  const source = await song('봄날.wav')
  await service.post('/app/desk/start', { source_ids: [source.source_id] })
  await eventually(() => engine.processes.length === 1)
  engine.processes[0]?.finish()
  const jobId = (await batch()).songs[0]?.job_ids[0] ?? ''
  await service.ended(jobId)
  await eventually(() => existsSync(path.join(output, `song_master_${jobId.slice(0, 8)}`, 'song_melon.wav')))
  await eventually(() => readdirSync(path.join(output, `song_master_${jobId.slice(0, 8)}`)).length === 5)
  let job = await service.job(jobId)
  for (let tries = 0; !job.output_folder && tries < 100; tries++) job = await service.job(jobId)
  expect(job.output_folder).toBe(path.join(output, `song_master_${jobId.slice(0, 8)}`))
  for (const { file, size_bytes } of job.results) {
    expect(readFileSync(path.join(job.output_folder ?? '', file)).length).toBe(size_bytes)
  }
  if (process.platform !== 'win32') {
    // The music is shared as the user's other files are; the data are for him alone.
    const rights = (name: string) => (statSync(name).mode & 0o777).toString(8)
    const [master = ''] = readdirSync(job.output_folder ?? '')
    const delivered = [
      path.dirname(output),
      output,
      job.output_folder ?? '',
      path.join(job.output_folder ?? '', master),
    ]
    expect(delivered.map(rights)).toEqual(['750', '750', '750', '640'])
    expect(rights(path.join(folder, 'data', 'jobs', jobId))).toBe('700')
  }
  const key = await service.newKey()
  const { body: seenByKey } = await service.get(`/api/v1/jobs/${jobId}`, { credential: key })
  expect(seenByKey.output_folder).toBeUndefined()
  expect([job.source_id, seenByKey.source_id]).toEqual([source.source_id, undefined])
  await service.call('DELETE', `/api/v1/jobs/${jobId}`)
  expect(readdirSync(job.output_folder ?? '').length).toBe(5)
})

test('the masters of a watched folder’s song lie in that folder’s own place for them, those of other songs in the common one', async () => {
  const [watched, own, common] = ['watched', 'own', 'common'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(watched)
  await service.patch('/app/settings', { output_folder: common })
  const added = await service.post('/app/watch-folders', { path: watched, output_folder: own })
  const [taken, other] = [await song('taken.wav', 220), await song('other.wav', 330)]
  const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
  const look = { sizeBytes: 1, modifiedMs: 1, changedMs: 1, inode: null }
  new WatchFolderStore(db).addHandled(added.body.folder_id, 'taken.wav', look, { sourceId: taken.source_id }, 1)
  db.close()
  engine.isAutomatic = true
  await service.post('/app/desk/start', { source_ids: [taken.source_id, other.source_id] })
  const places = async () => {
    const jobs = (await service.get('/api/v1/jobs?sort=oldest')).body.jobs as { output_folder?: string }[]
    return jobs.map(({ output_folder }) => output_folder && path.dirname(output_folder))
  }
  await expect.poll(places).toEqual([own, common])
  expect([readdirSync(own).length, readdirSync(common).length]).toEqual([1, 1])
})

test('a song of a watched folder whose masters have no room yet waits with the reason, and is mastered once there is room', async () => {
  const watched = path.join(folder, 'watched')
  mkdirSync(watched)
  await service.post('/app/watch-folders', { path: watched })
  await service.patch('/app/settings', { disk_quota_bytes: wavSong().length + 10 })
  writeFileSync(path.join(watched, 'song.wav'), wavSong())
  const waits = { state: 'waiting', error: { code: 'INSUFFICIENT_STORAGE' } }
  await expect.poll(async () => (await batch()).songs).toMatchObject([waits])
  engine.isAutomatic = true
  await service.patch('/app/settings', { disk_quota_bytes: null })
  const jobs = async () => (await service.get('/api/v1/jobs')).body.jobs
  await expect.poll(jobs).toMatchObject([{ status: 'done', filename: 'song.wav' }])
  expect((await batch()).songs).toMatchObject([{ state: 'submitted' }])
  expect((await batch()).songs[0]?.error).toBeUndefined()
})

test.runIf(IS_CAMPAIGN)(
  'the song that a watched folder brought goes with its masters when their time is over, and is not taken again',
  async () => {
    await service.stop()
    const [watched, dataDir] = [path.join(folder, 'watched'), path.join(folder, 'kept')]
    mkdirSync(watched)
    engine = createHeldEngine({ isAutomatic: true })
    service = await startService({ forkEngine: engine.fork, dataDir, keepsData: true })
    await service.post('/app/watch-folders', { path: watched })
    writeFileSync(path.join(watched, 'song.wav'), wavSong())
    const jobs = async () => (await service.get('/api/v1/jobs')).body.jobs
    await expect.poll(jobs).toMatchObject([{ status: 'done' }])
    const stored = () => readdirSync(path.join(dataDir, 'sources')).length
    expect([(await batch()).songs.length, stored()]).toEqual([1, 1])
    await service.stop()
    const db = new Database(path.join(dataDir, 'loudsmith.db'))
    db.prepare('UPDATE jobs SET completed_at_ms = completed_at_ms - :age, expires_at_ms = completed_at_ms').run({
      age: 31 * 86_400_000,
    })
    db.close()
    service = await startService({ forkEngine: engine.fork, dataDir, keepsData: true })
    await expect.poll(async () => [(await batch()).songs.length, stored()]).toEqual([0, 0])
    expect(await jobs()).toMatchObject([{ status: 'done', expired: true }])
    // Looked at in the order of their names: who takes the second has passed the first.
    writeFileSync(path.join(watched, 'song2.wav'), wavSong({ hertz: 330 }))
    const titles = async () => (await batch()).songs.map(({ source }) => source.title)
    await expect.poll(titles).toEqual(['song2'])
    expect((await service.get('/app/watch-folders')).body.folders).toMatchObject([
      { taken: 2, waiting: [], refused: [] },
    ])
  },
)

test('an output folder that vanished costs the job nothing', async () => {
  const output = path.join(folder, 'stick')
  await service.patch('/app/settings', { output_folder: output })
  rmSync(output, { recursive: true })
  execFileSync('touch', [output])
  const source = await song('a.wav')
  await service.post('/app/desk/start', { source_ids: [source.source_id] })
  await eventually(() => engine.processes.length === 1)
  engine.processes[0]?.finish()
  const jobId = (await batch()).songs[0]?.job_ids[0] ?? ''
  expect((await service.ended(jobId)).status).toBe('done')
  await eventually(() => service.lines.some(({ level }) => level === 'warn'))
  expect((await service.job(jobId)).output_folder).toBeUndefined()
})

test('settings are kept, and a folder or program that cannot be used is refused by name', async () => {
  const asOwner = { credential: service.controlCredential }
  const { body: before } = await service.get('/app/settings')
  expect(before).toMatchObject({ language: 'system', retention_days: 30, output_folder: null, is_offline: false })
  const change = { language: 'ko', retention_days: null, disk_quota_bytes: 5_000_000_000, is_offline: true }
  expect((await service.patch('/app/settings', change)).body).toEqual({ ...before, ...change })
  for (const [name, value] of [
    ['output_folder', 'relative/folder'],
    ['output_folder', '/proc/no'],
    ['output_folder', ''],
    ['ffmpeg_path', ''],
    ['ffmpeg_path', path.join(folder, 'no-such-program')],
    ['ffmpeg_path', folder],
    ['ffmpeg_path', process.execPath],
    ['retention_days', 366],
    ['retention_days', 0],
    ['theme', 'pink'],
    ['unknown', 1],
  ] as const) {
    const { status, body } = await service.patch('/app/settings', { [name]: value }, asOwner)
    expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', name])
  }
  expect((await service.get('/app/settings')).body).toEqual({ ...before, ...change })
  const { path: ffmpeg_path } = await locateFfmpeg()
  expect((await service.patch('/app/settings', { ffmpeg_path }, asOwner)).body.ffmpeg_path).toBe(ffmpeg_path)
})

test('masters cannot be put into the data folder, where they would be swept: not into a folder in it, nor by a link', async () => {
  const dataDir = path.join(folder, 'data')
  const link = path.join(folder, 'link')
  symlinkSync(dataDir, link)
  const watched = path.join(folder, 'watched-for-own')
  mkdirSync(watched)
  for (const output_folder of [dataDir, path.join(dataDir, 'jobs', 'new', 'masters'), path.join(link, 'masters')]) {
    for (const refused of [
      await service.patch('/app/settings', { output_folder }),
      await service.post('/app/watch-folders', { path: watched, output_folder }),
    ]) {
      expect([refused.status, refused.body.error.param]).toEqual([400, 'output_folder'])
      expect(refused.body.error.message).toContain("Loudsmith's own data")
    }
  }
  expect(existsSync(path.join(dataDir, 'jobs', 'new'))).toBe(false)
})

test('the state of the machine names versions, ffmpeg, folders and room', async () => {
  await song('a.wav')
  const { body } = await service.get('/app/system')
  expect(body).toMatchObject({ base_url: service.baseUrl, data_dir: path.join(folder, 'data'), host: 'browser' })
  expect(body.ffmpeg.version).toMatch(/^n?\d/)
  expect(body.used_bytes).toBe(wavSong().length)
  expect(body.free_bytes).toBeGreaterThan(0)
})

test('a song and the jobs that were made of it share its bytes, and they count once', async () => {
  const { source_id } = await song('a.wav')
  const unfinished = async () => (await service.get('/api/v1/account')).body.usage.unfinished_jobs
  const master = async (count: number) => {
    await service.post('/app/desk/start', { source_ids: [source_id] })
    await eventually(() => engine.processes.length === count)
    engine.processes[count - 1]?.finish()
    await expect.poll(unfinished).toBe(0)
  }
  await master(1)
  await master(2)
  const data = path.join(folder, 'data')
  const names = ['sources', 'jobs'].flatMap((room) =>
    readdirSync(path.join(data, room), { recursive: true, encoding: 'utf8' }).map((name) =>
      path.join(data, room, name),
    ),
  )
  const songs = names.map((name) => statSync(name)).filter((file) => file.isFile() && file.size === wavSong().length)
  const results = names.filter((name) => path.basename(path.dirname(name)) === 'result')
  const made = results.map((name) => statSync(name).size)
  expect([songs.length, new Set(songs.map(({ ino }) => ino)).size]).toEqual([3, 1])
  const { used_bytes } = (await service.get('/app/system')).body
  expect(used_bytes).toBe(wavSong().length + made.reduce((sum, size) => sum + size))
})

test('a full quota refuses further songs with 507 and takes nothing away', async () => {
  const source = await song('a.wav')
  await service.patch('/app/settings', { disk_quota_bytes: wavSong().length + 10 })
  const { status, body } = await upload(wavSong({ hertz: 330 }), 'b.wav')
  expect([status, body.error.code]).toEqual([507, 'INSUFFICIENT_STORAGE'])
  expect((await service.get(`/app/sources/${source.source_id}`)).status).toBe(200)
})

test('songs sent side by side do not get past the quota together', async () => {
  await service.patch('/app/settings', { disk_quota_bytes: wavSong().length * 2 - 1 })
  const answers = await Promise.all([220, 330, 440].map((hertz) => upload(wavSong({ hertz }), `${hertz}.wav`)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 507, 507])
  expect((await batch()).songs).toHaveLength(1)
})

test('an analysis of a stored song is kept with it', async () => {
  const source = await song('a.wav')
  const body = new FormData()
  body.append('source_id', source.source_id)
  const answer = service.call('POST', '/api/v1/analyze', { body })
  await eventually(() => engine.processes.length === 1)
  engine.processes[0]?.finish()
  const { status, body: analysis } = await answer
  expect(status).toBe(200)
  expect((await batch()).songs[0]?.analysis).toEqual(summaryOf(analysis))
})

test('stored songs are analysed one after another, whichever pages ask for them', async () => {
  const sources = [await song('a.wav'), await song('b.wav', 330)]
  const analyse = ({ source_id }: Source) => {
    const body = new FormData()
    body.append('source_id', source_id)
    return service.call('POST', '/api/v1/analyze', { body })
  }
  const answers = Promise.all(sources.map(analyse))
  await eventually(() => engine.processes.length === 1)
  engine.processes[0]?.finish()
  await eventually(() => engine.processes.length === 2)
  engine.processes[1]?.finish()
  expect((await answers).map(({ status }) => status)).toEqual([200, 200])
  expect(engine.processes).toHaveLength(2)
})

test('while a stored song is looked at the app hears stage and percent, and a key hears nothing of it', async () => {
  const source = await song('a.wav')
  const listen = async (credential: string) => {
    const stop = new AbortController()
    const headers = { authorization: `Bearer ${credential}` }
    const response = await fetch(`${service.baseUrl}/api/v1/events`, { headers, signal: stop.signal })
    const heard = { text: '', stop: () => stop.abort() }
    void (async () => {
      for await (const chunk of response.body ?? []) heard.text += Buffer.from(chunk).toString('utf8')
    })().catch(() => undefined)
    return heard
  }
  const app = await listen(service.sessionCredential)
  const key = await listen(await service.newKey())
  const body = new FormData()
  body.append('source_id', source.source_id)
  const answer = service.call('POST', '/api/v1/analyze', { body })
  await eventually(() => engine.processes.length === 1)
  engine.processes[0]?.progress('decoding', 0.127)
  await eventually(() => app.text.includes('source.progress'))
  const [, news = ''] = /event: source\.progress\ndata: (.+)\n/.exec(app.text) ?? []
  expect(JSON.parse(news)).toMatchObject({ source_id: source.source_id, stage: 'decoding', progress: 12 })
  engine.processes[0]?.finish()
  expect((await answer).status).toBe(200)
  expect(key.text).not.toContain('source.progress')
  app.stop()
  key.stop()
})

test('an API key reaches nothing below /app', async () => {
  const credential = await service.newKey()
  for (const at of ['/app/desk', '/app/settings', '/app/system', '/app/sources/x', '/app/webhook-secret']) {
    const { status, body } = await service.get(at, { credential })
    expect([status, body.error.code]).toEqual([403, 'FORBIDDEN'])
  }
  expect((await upload(wavSong(), 'a.wav', {}, credential)).status).toBe(403)
})

test('batch commands name unknown songs as not found', async () => {
  for (const at of ['start', 'stop', 'remove', 'restore']) {
    const { status, body } = await service.post(`/app/desk/${at}`, { source_ids: ['unknown'] })
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND'])
  }
})

test('a batch of any size can be put in order, started, stopped, taken off and put back as a whole', async () => {
  const { source_id } = await song('one.wav')
  await service.patch('/app/desk', { is_paused: true })
  const db = new Database(path.join(folder, 'data', 'loudsmith.db'))
  const row = db.prepare<[string], Record<string, unknown>>('SELECT * FROM sources WHERE source_id = ?').get(source_id)
  const names = Object.keys(row ?? {})
  const copy = db.prepare(`INSERT INTO sources (${names}) VALUES (${names.map((name) => `@${name}`)})`)
  const lay = db.prepare("INSERT INTO desk_songs (source_id, place, state) VALUES (?, ?, 'ready')")
  const more = Array.from({ length: 2500 }, () => randomUUID())
  db.transaction(() => {
    for (const [index, id] of more.entries()) {
      copy.run({ ...row, source_id: id })
      lay.run(id, index + 2)
    }
  })()
  db.close()
  const backwards = [...more.reverse(), source_id]
  const shown = ({ body }: { body: Batch }) => body.songs.map(({ source }) => source.source_id)
  expect(shown(await service.patch('/app/desk', { order: backwards }))).toEqual(backwards)
  const command = (name: string) => service.post(`/app/desk/${name}`, { source_ids: backwards })
  for (const [name, state] of [
    ['start', 'waiting'],
    ['stop', 'ready'],
  ] as const) {
    const { songs } = (await command(name)).body as Batch
    expect([name, songs.length, new Set(songs.map((one) => one.state))]).toEqual([name, 2501, new Set([state])])
  }
  expect(shown(await command('remove'))).toEqual([])
  expect(shown(await command('restore'))).toEqual(backwards)
})
