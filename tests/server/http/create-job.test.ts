import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Warning } from '../../../src-contract/report.ts'
import { systemClock } from '../../../src-system/system.ts'
import { locateFfmpeg } from '../../../src-worker/media/locate.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { masterForm, noFile, type Service, startService } from '../../support/service.ts'
import { in24Bits, inAiff, wavSong } from '../../support/songs.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const blob = (bytes: Uint8Array) => new Blob([new Uint8Array(bytes)])
const engine = createHeldEngine({ answersLooks: true })
let service: Service
let credential: string

beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
  credential = await service.newKey()
})
afterAll(() => service.stop())

/** Ends every job so that the next test finds all slots free. */
async function clear(): Promise<void> {
  const { body } = await service.get('/api/v1/jobs?status=queued&limit=100')
  for (const { job_id } of body.jobs) await service.call('DELETE', `/api/v1/jobs/${job_id}`)
}

async function refused(fields: Parameters<Service['master']>[0], init = {}) {
  const { status, body } = await service.master(fields, init)
  return [status, body.error?.code, body.error?.param]
}

describe('POST /api/v1/master', () => {
  test('answers 201 with the specified five fields, a queued status, one credit, and a Location (spec 4.1, contract 1)', async () => {
    const answer = await service.master({ platforms: 'spotify,melon' }, { credential })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      status: 'queued',
      platforms: ['spotify', 'melon'],
      credits_used: 1,
      credits_remaining: 499,
    })
    expect(answer.body.job_id).toMatch(UUID)
    expect(answer.headers.get('location')).toBe(`${service.baseUrl}/api/v1/jobs/${answer.body.job_id}`)
    expect(answer.headers.get('x-request-id')).toMatch(UUID)
    await clear()
  })

  test('takes platforms trimmed, each once, in their first order, and joins repeated fields (contract 1)', async () => {
    const { body } = await service.master({ platforms: [' melon ,spotify', 'melon', 'youtube'] })
    expect(body.platforms).toEqual(['melon', 'spotify', 'youtube'])
    await clear()
  })

  test.each([['Spotify'], [''], ['spotify,'], ['spotify,,melon'], [' '], ['nowhere'], ['spotify;melon']])(
    'refuses platforms %j with INVALID_PLATFORM (spec 7)',
    async (platforms) => {
      expect(await refused({ platforms })).toEqual([400, 'INVALID_PLATFORM', 'platforms'])
    },
  )

  test('refuses a missing list of platforms with INVALID_PLATFORM (contract 1)', async () => {
    expect(await refused({ platforms: [] })).toEqual([400, 'INVALID_PLATFORM', 'platforms'])
  })

  test.each([
    [{ genre: 'rock' }, 'genre'],
    [{ ai_service: 'Suno' }, 'ai_service'],
    [{ tier: 'gold' }, 'tier'],
    [{ genre: ['pop', 'pop'] }, 'genre'],
    [{ intensity: '101' }, 'intensity'],
    [{ intensity: '5e1' }, 'intensity'],
    [{ reference_amount: '-1' }, 'reference_amount'],
    [{ loudness: 'max' }, 'loudness'],
    [{ batch_id: 'x' }, 'batch_id'],
    [{ dry_run: 'yes' }, 'dry_run'],
    [{ title: 'x'.repeat(201) }, 'title'],
    [{ client_reference: 'x'.repeat(201) }, 'client_reference'],
    [{ metadata: '[1]' }, 'metadata'],
    [{ metadata: '{' }, 'metadata'],
    [{ metadata: JSON.stringify({ note: '가'.repeat(350) }) }, 'metadata'],
    [{ file: noFile }, 'file'],
    [{ cover: blob(wavSong()) }, 'cover'],
  ])('refuses %j as INVALID_REQUEST and names the field (contract 1)', async (fields, param) => {
    expect(await refused(fields as never)).toEqual([400, 'INVALID_REQUEST', param])
  })

  test('ignores unknown text fields and takes an empty optional one as absent (contract 1)', async () => {
    const { job_id } = await service.newJob({ colour: 'blue', genre: '', title: '', webhook_url: '', intensity: '' })
    const job = await service.job(job_id)
    expect(job).toMatchObject({
      genre: 'other',
      ai_service: 'other',
      tier: 'standard',
      intensity: 50,
      reference_amount: 70,
    })
    await clear()
  })

  test('what a client keeps with its job comes back in job and list, is found, and goes on with a retry (contract 9)', async () => {
    const metadata = { order: 17, 담당: '하늘', nested: { list: [1, null, true] } }
    const { job_id } = await service.newJob({ client_reference: 'ORD-2026/17', metadata: JSON.stringify(metadata) })
    await service.call('DELETE', `/api/v1/jobs/${job_id}`)
    expect(await service.job(job_id)).toMatchObject({ client_reference: 'ORD-2026/17', metadata })
    for (const words of ['ord-2026', '하늘']) {
      const { body } = await service.get(`/api/v1/jobs?q=${encodeURIComponent(words)}`)
      expect(body.jobs).toMatchObject([{ job_id, client_reference: 'ORD-2026/17', metadata }])
    }
    const retry = (change: object) => service.post(`/api/v1/jobs/${job_id}/retry`, change)
    const [kept, changed] = [(await retry({})).body.job_id, (await retry({ metadata: { order: 18 } })).body.job_id]
    expect(await service.job(kept)).toMatchObject({ client_reference: 'ORD-2026/17', metadata })
    expect(await service.job(changed)).toMatchObject({ client_reference: 'ORD-2026/17', metadata: { order: 18 } })
    const { status, body } = await retry({ metadata: { note: '가'.repeat(350) } })
    expect([status, body.error.param]).toEqual([400, 'metadata'])
    await clear()
  })

  test('refuses a file that is not MP3, WAV or FLAC by its content, whatever it is called (spec 7)', async () => {
    const text = new File(['not audio at all'], 'song.mp3', { type: 'audio/mpeg' })
    expect(await refused({ file: text })).toEqual([400, 'UNSUPPORTED_FORMAT', 'file'])
    expect(await refused({ file: new File([], 'song.wav') })).toEqual([400, 'UNSUPPORTED_FORMAT', 'file'])
    expect(await refused({ file: blob(wavSong({ channels: 3 })) })).toEqual([400, 'UNSUPPORTED_FORMAT', 'file'])
  })

  test('refuses a song over ten minutes with FILE_TOO_LONG and takes one of exactly ten minutes (spec 7)', async () => {
    const tooLong = blob(wavSong({ seconds: 601, sampleRateHz: 8000, channels: 1 }))
    expect(await refused({ file: tooLong })).toEqual([400, 'FILE_TOO_LONG', 'file'])
    const exact = blob(wavSong({ seconds: 600, sampleRateHz: 8000, channels: 1 }))
    expect((await service.master({ file: exact })).status).toBe(201)
    await clear()
  })

  test('holds a reference to the same rules under its own name, and to five seconds (contract 1)', async () => {
    expect(await refused({ reference_file: new File(['x'], 'r.wav') })).toEqual([
      400,
      'UNSUPPORTED_FORMAT',
      'reference_file',
    ])
    expect(await refused({ reference_file: blob(wavSong({ seconds: 4.9 })) })).toEqual([
      400,
      'INVALID_REQUEST',
      'reference_file',
    ])
    const song = blob(wavSong({ seconds: 5 }))
    const { job_id } = await service.newJob({ file: song, reference_file: song })
    const job = await service.job(job_id)
    expect(job.warnings.map(({ code }) => code)).toContain('REFERENCE_IS_TARGET')
    expect(job.reference_filename).toBe('song.wav')
    await clear()
  })

  test('shows a Korean file name as it was sent and never uses it as a path (contract 7)', async () => {
    const { job_id } = await service.newJob({ file: new File([new Uint8Array(wavSong())], '../../밤의 노래.wav') })
    expect((await service.job(job_id)).filename).toBe('밤의 노래.wav')
    await clear()
  })

  test.each([
    'ftp://example.org/x',
    '/callback',
    'http://user:pw@example.org/',
    'http://169.254.169.254/latest',
    'http://[::ffff:a9fe:a9fe]/',
    'http://2852039166/',
  ])('refuses the callback address %s with INVALID_WEBHOOK_URL (contract 4)', async (webhook_url) => {
    expect(await refused({ webhook_url })).toEqual([400, 'INVALID_WEBHOOK_URL', 'webhook_url'])
  })

  test('refuses our own port as a callback address (contract 4)', async () => {
    expect(await refused({ webhook_url: `http://localhost:${service.port}/x` })).toEqual([
      400,
      'INVALID_WEBHOOK_URL',
      'webhook_url',
    ])
  })

  test('answers 415 to anything but multipart/form-data (contract 1)', async () => {
    const { status, body } = await service.post('/api/v1/master', { platforms: 'spotify' })
    expect([status, body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  test('checks in the order of contract 1: key, fields, platforms, callback, format', async () => {
    const everythingWrong = {
      genre: 'rock',
      platforms: 'nowhere',
      webhook_url: 'nonsense',
      file: new File(['x'], 'x.wav'),
    }
    expect((await refused(everythingWrong, { credential: 'ams_live_wrong' }))[1]).toBe('INVALID_API_KEY')
    expect((await refused(everythingWrong))[1]).toBe('INVALID_REQUEST')
    expect((await refused({ ...everythingWrong, genre: 'pop' }))[1]).toBe('INVALID_PLATFORM')
    expect((await refused({ ...everythingWrong, genre: 'pop', platforms: 'melon' }))[1]).toBe('INVALID_WEBHOOK_URL')
    expect((await refused({ file: new File(['x'], 'x.wav'), reference_file: new File(['y'], 'y.wav') }))[2]).toBe(
      'file',
    )
  })

  test('keeps source_id for the app: a key may not use it', async () => {
    expect(await refused({ source_id: 'abc', file: noFile }, { credential })).toEqual([
      400,
      'INVALID_REQUEST',
      'source_id',
    ])
    expect(await refused({ source_id: 'abc', file: noFile })).toEqual([400, 'INVALID_REQUEST', 'source_id'])
  })

  test('takes a song, and a reference, from one place only', async () => {
    const song = blob(wavSong({ seconds: 5 }))
    const form = new FormData()
    form.append('file', song, 'stored.wav')
    const { source_id } = (await service.call('POST', '/app/sources', { body: form })).body
    expect(await refused({ source_id })).toEqual([400, 'INVALID_REQUEST', 'source_id'])
    expect(await refused({ reference_file: song, reference_source_id: source_id })).toEqual([
      400,
      'INVALID_REQUEST',
      'reference_source_id',
    ])
  })

  test('says what can be said of the songs before they are measured (contract 1)', async () => {
    const { path } = await locateFfmpeg()
    const encoded = ['-v', 'error', '-f', 'lavfi', '-i', 'sine=duration=6', '-f', 'mp3', 'pipe:1']
    const mp3 = blob(execFileSync(path, encoded))
    const warningsOf = async (fields: Parameters<Service['master']>[0]) => {
      const { job_id } = await service.newJob(fields)
      const { warnings } = await service.job(job_id)
      await clear()
      return warnings.map(({ code }) => code)
    }
    expect(await warningsOf({})).toEqual([])
    expect(await warningsOf({ file: mp3 })).toEqual(['INPUT_LOSSY', 'INPUT_MONO'])
    expect(await warningsOf({ file: blob(wavSong({ channels: 1 })), reference_file: mp3 })).toEqual([
      'INPUT_MONO',
      'REFERENCE_LOSSY',
    ])
    const song = wavSong()
    expect(await warningsOf({ file: blob(song.subarray(0, song.length / 2)) })).toEqual(['INPUT_CUT_SHORT'])
    const counted = Buffer.from(song)
    counted.writeUInt32LE((song.length - 44) / 2, 40)
    expect(await warningsOf({ file: blob(counted) })).toEqual(['INPUT_HOLDS_MORE'])
  })

  test('names the text fields that it ignores, in the answer, in a dry run, by an analysis and by a preview, and in both languages', async () => {
    const unknown = { gerne: 'edm', words: 'la la la', ['x'.repeat(150)]: 'y' }
    const names = ['gerne', 'words', 'x'.repeat(100)]
    const accepted = await service.master(unknown)
    expect([accepted.status, accepted.body.warnings.map(({ values }: Warning) => values?.field)]).toEqual([201, names])
    expect(accepted.body.warnings[0]).toEqual({
      code: 'IGNORED_FIELD',
      message: 'The field "gerne" does not exist and was ignored. Check its spelling.',
      values: { field: 'gerne' },
    })
    const headers = { 'accept-language': 'ko' }
    const dry = await service.master({ ...unknown, dry_run: 'true' }, { headers })
    expect(dry.body.warnings.map(({ values }: Warning) => values?.field)).toEqual(names)
    expect(dry.body.warnings[0].message).toMatch(/"gerne"은\(는\) 없는 필드/)
    const form = masterForm({ platforms: 'spotify' })
    const looked = await service.call('POST', '/api/v1/analyze', { body: form })
    expect(looked.body.warnings.map(({ values }: Warning) => values?.field)).toEqual(['platforms'])
    engine.rendersAlone = in24Bits(wavSong({ seconds: 2 }))
    const preview = (fields: Parameters<typeof masterForm>[0]) =>
      service.call('POST', '/api/v1/preview', { body: masterForm(fields) })
    const heard = await preview({ ...unknown, 'a,b 밤': '1' })
    expect([heard.status, heard.headers.get('preview-ignored-fields')]).toEqual([
      200,
      [...names, 'a%2Cb%20%EB%B0%A4'].join(','),
    ])
    const many = await preview(
      Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`${'밤'.repeat(100)}${index}`, ''])),
    )
    expect(many.headers.get('preview-ignored-fields')?.split(',')).toHaveLength(10)
    expect((await preview({})).headers.get('preview-ignored-fields')).toBeNull()
    delete engine.rendersAlone
    // The plain call is answered as the specification says.
    const plain = await service.master({ genre: '' })
    expect(plain.body.warnings).toBeUndefined()
    // A finding about the request is none about the song.
    expect((await service.job(accepted.body.job_id)).warnings).toEqual([])
    await clear()
  })

  test.each([
    ['dry_run', 'true'],
    ['platforms', 'melon'],
    ['genre', 'edm'],
    ['webhook_url', 'http://127.0.0.1:9/'],
    ['file', 'song.wav'],
    ['reference_file', 'a.wav'],
  ])('refuses %s in the query, where it would be ignored and a credit spent', async (name, value) => {
    const before = (await service.get('/api/v1/account')).body.credits
    for (const address of ['/api/v1/master']) {
      const { status, body } = await service.call('POST', `${address}?${name}=${value}`, { body: masterForm() })
      expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', name])
      expect(body.error.message).toContain('body')
    }
    expect((await service.get('/api/v1/account')).body.credits).toBe(before)
  })

  test('refuses fields of other bodies in the query too, and lets an unknown name there pass', async () => {
    const asked = async (address: string, init: RequestInit) => {
      const { status, body } = await service.call('POST', address, init)
      return [status, body.error?.param]
    }
    const json = { headers: { 'content-type': 'application/json' } }
    expect(await asked('/api/v1/analyze?ai_service=suno', { body: masterForm() })).toEqual([400, 'ai_service'])
    expect(await asked('/app/sources?purpose=reference', { body: masterForm() })).toEqual([400, 'purpose'])
    expect(await asked('/api/v1/webhooks?url=http://x/', { ...json, body: '{}' })).toEqual([400, 'url'])
    expect(await asked('/api/v1/jobs/x/retry?webhook_url=http://x/', {})).toEqual([400, 'webhook_url'])
    expect(await asked('/api/v1/master?utm_source=n8n', { body: masterForm() })).toEqual([201, undefined])
    await clear()
  })

  test('makes every check in a dry run, charges nothing and makes no job (contract 1)', async () => {
    const before = (await service.get('/api/v1/account')).body.credits
    const { status, body } = await service.master({ dry_run: 'true', platforms: 'melon,youtube' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      dry_run: true,
      would_charge: 1,
      credits_remaining: before,
      platforms: ['melon', 'youtube'],
    })
    expect(await refused({ dry_run: 'true', platforms: 'x' })).toEqual([400, 'INVALID_PLATFORM', 'platforms'])
    expect((await service.get('/api/v1/account')).body.credits).toBe(before)
    expect((await service.get('/api/v1/jobs?status=queued')).body.total).toBe(0)
  })

  test('takes other containers as song and as reference only with accept=any, wherever it comes in the form (contract 10)', async () => {
    const [aiff, long] = [blob(inAiff(wavSong())), blob(inAiff(wavSong({ seconds: 6 })))]
    const unsupported = (param: string) => [400, 'UNSUPPORTED_FORMAT', param]
    expect(await refused({ file: aiff })).toEqual(unsupported('file'))
    expect(await refused({ reference_file: long })).toEqual(unsupported('reference_file'))
    expect(await refused({ file: aiff, accept: '' })).toEqual(unsupported('file'))
    for (const accept of ['all', 'ANY', ['any', 'any']])
      expect(await refused({ file: aiff, accept })).toEqual([400, 'INVALID_REQUEST', 'accept'])
    const ends = ['before', 'after'] as const
    for (const end of ends) {
      const form = new FormData()
      if (end === 'before') form.append('accept', 'any')
      form.append('file', aiff, 'Lamp.aiff')
      form.append('reference_file', long, 'Light.aif')
      form.append('platforms', 'spotify')
      if (end === 'after') form.append('accept', 'any')
      const { status, body } = await service.call('POST', '/api/v1/master', { body: form })
      expect([end, status, body.error]).toEqual([end, 201, undefined])
      const job = await service.job(body.job_id)
      expect(job).toMatchObject({ title: 'Lamp', codec: 'pcm_s16', warnings: [] })
      expect(job.source_sha256).toBe(createHash('sha256').update(inAiff(wavSong())).digest('hex'))
    }
    const dry = await service.master({ file: aiff, accept: 'any', dry_run: 'true' })
    expect([dry.status, dry.body.warnings]).toEqual([200, []])
    const form = masterForm({ file: aiff, accept: 'any' })
    form.delete('platforms')
    expect((await service.call('POST', '/api/v1/analyze', { body: form })).status).toBe(200)
    form.delete('accept')
    const bare = await service.call('POST', '/api/v1/analyze', { body: form })
    expect([bare.status, bare.body.error.code]).toEqual([400, 'UNSUPPORTED_FORMAT'])
    const { job_id } = (await service.get('/api/v1/jobs?status=queued&limit=1')).body.jobs[0]
    await service.call('DELETE', `/api/v1/jobs/${job_id}`)
    const retry = (body: object) => service.post(`/api/v1/jobs/${job_id}/retry`, body)
    expect((await retry({ accept: 'all' })).body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'accept' })
    const again = await retry({ accept: 'any' })
    expect([again.status, (await service.job(again.body.job_id)).title]).toEqual([201, 'Lamp'])
    await clear()
  })

  test('answers a plain call with such a file as ever, to the byte but for the id of the request (spec 7)', async () => {
    const { status, body } = await service.master({ file: blob(inAiff(wavSong())) })
    const { request_id: _, ...error } = body.error
    expect(status).toBe(400)
    expect(JSON.stringify({ error })).toBe(
      '{"error":{"code":"UNSUPPORTED_FORMAT","message":"This is an AIFF file. Export MP3, WAV or FLAC with one or two channels and send it again.","param":"file","values":{"param":"file","field":"file","reason":"aiff"}}}',
    )
  })

  test('leaves nothing on the disk after refusals', async () => {
    await refused({ platforms: 'x' })
    await refused({ file: new File(['x'], 'x.wav') })
    expect(service.temporary()).toEqual([])
  })
})

describe('Idempotency-Key (contract 3)', () => {
  const headers = { 'idempotency-key': 'order-1' }

  test('gives the first answer again to the same request and charges once', async () => {
    const first = await service.master({ genre: 'edm' }, { credential, headers })
    const again = await service.master({ genre: 'edm' }, { credential, headers })
    expect(again.status).toBe(201)
    expect(again.body).toEqual(first.body)
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect((await service.get('/api/v1/jobs?status=queued')).body.total).toBe(1)
    await clear()
  })

  test('refuses another request with the same key, in fields, in the file or in the reference', async () => {
    for (const other of [
      { genre: 'pop' },
      { genre: 'edm', batch_id: '0b4c3f9e-52d0-4d67-8a35-0f6f6f6f6f60' },
      { genre: 'edm', file: blob(wavSong({ hertz: 330 })) },
      { genre: 'edm', reference_file: blob(wavSong({ seconds: 6 })) },
    ])
      expect((await refused(other, { credential, headers })).slice(0, 2)).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
  })

  test('does not mix up two callers', async () => {
    const { status, headers: answered } = await service.master({ genre: 'pop' }, { headers })
    expect([status, answered.get('idempotent-replayed')]).toEqual([201, null])
    await clear()
  })

  test('is kept for 24 hours, over a restart, and is then free for another request', async () => {
    let nowMs = Date.now()
    // Both of its times pass alike: a clock that is set alone makes nothing older.
    const clock = { ...systemClock, now: () => nowMs, monotonicMs: () => nowMs }
    let one = await startService({ forkEngine: createHeldEngine({ isAutomatic: true }).fork, clock, keepsData: true })
    const { dataDir } = one
    const { job_id } = await one.newJob({ genre: 'edm' }, { headers })
    await one.ended(job_id)
    await one.stop()
    one = await startService({ forkEngine: createHeldEngine({ isAutomatic: true }).fork, clock, dataDir })
    nowMs += 24 * 3_600_000 - 1
    expect((await one.master({ genre: 'edm' }, { headers })).body.job_id).toBe(job_id)
    expect((await one.master({ genre: 'pop' }, { headers })).status).toBe(422)
    nowMs += 1
    const { status, headers: answered } = await one.master({ genre: 'pop' }, { headers })
    expect([status, answered.get('idempotent-replayed')]).toEqual([201, null])
    const db = new Database(path.join(dataDir, 'loudsmith.db'), { readonly: true })
    await one.newJob({}, { headers: { 'idempotency-key': 'order-4' } })
    nowMs += 24 * 3_600_000
    await one.newJob({}, { headers: { 'idempotency-key': 'order-5' } })
    expect(db.prepare('SELECT idempotency_key FROM idempotency').pluck().all()).toEqual(['order-5'])
    db.close()
    await one.stop()
  })

  test('stores no refusal: the corrected request goes through', async () => {
    const fresh = { 'idempotency-key': 'order-2' }
    expect((await refused({ platforms: 'x' }, { headers: fresh }))[0]).toBe(400)
    expect((await service.master({}, { headers: fresh })).status).toBe(201)
    await clear()
  })

  test('makes one job of two requests at once: one is told that it still runs, or gets the same answer', async () => {
    const fresh = { 'idempotency-key': 'order-3' }
    const answers = await Promise.all([1, 2, 3].map(() => service.master({}, { headers: fresh })))
    const ids = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.job_id))
    expect(ids.size).toBe(1)
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, body.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
    }
    await clear()
  })
})
