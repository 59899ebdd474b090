/** Releases over a real socket and a real database: made, changed, kept over restarts, and refused with a reason. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Release } from '../../../src-contract/releases.ts'
import { createHeldEngine, type HeldEngine } from '../../support/held-engine.ts'
import { jpegPicture, pngPicture } from '../../support/pictures.ts'
import { type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'

let engine: HeldEngine
let service: Service
beforeEach(async () => {
  engine = createHeldEngine({ isAutomatic: true })
  service = await startService({ forkEngine: engine.fork })
})
afterEach(() => service.stop())

const FACTS = { title: '밤의 정원', artist: '하늘', kind: 'ep' }
const AT = '/api/v1/releases'
const at = ({ release_id }: Release, rest = '') => `${AT}/${release_id}${rest}`
const titles = ({ tracks }: Release) => tracks.map(({ title }) => title).join('')
const put = (address: string, body: unknown) =>
  service.call('PUT', address, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
const remove = (address: string) => service.call('DELETE', address)

async function newRelease(more: object = {}): Promise<Release> {
  const { status, body } = await service.post(AT, { ...FACTS, ...more })
  expect(status).toBe(201)
  return body
}

async function newSource(title = 'song'): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(wavSong())]), `${title}.wav`)
  return (await service.call('POST', '/app/sources', { body: form })).body.source_id
}

const withTracks = (letters: string) => newRelease({ tracks: [...letters].map((title) => ({ title })) })

describe('a release', () => {
  test('is made, read, listed, changed and deleted', async () => {
    const facts = { ...FACTS, release_date: '2026-05-01', label: '  Label\n', upc: '0 36000 29145 2', language: 'ko' }
    const { status, body, headers } = await service.post(AT, facts)
    expect(status).toBe(201)
    expect(body).toMatchObject({ ...facts, label: 'Label', upc: '036000291452', tracks: [] })
    expect(headers.get('location')).toBe(`${service.baseUrl}${at(body)}`)
    expect((await service.get(at(body))).body).toEqual(body)
    const changed = (await service.patch(at(body), { label: '', genre: '발라드', title: '새 정원' })).body
    expect(changed).toMatchObject({ title: '새 정원', genre: '발라드', upc: '036000291452', artist: '하늘' })
    expect(changed).not.toHaveProperty('label')
    const { tracks: _, mastering: _mastering, ...summary } = changed
    expect((await service.get(AT)).body).toEqual({ releases: [{ ...summary, track_count: 0 }], total: 1 })
    expect((await remove(at(body))).status).toBe(204)
    expect((await service.get(at(body))).body.error.code).toBe('RELEASE_NOT_FOUND')
    expect((await service.get(AT)).body).toEqual({ releases: [], total: 0 })
  })

  test('is refused with the field, and for a track with its place, in the language of the caller', async () => {
    const refusal = async (more: object, language = 'en') => {
      const init = { body: JSON.stringify({ ...FACTS, ...more }), headers: { 'content-type': 'application/json' } }
      const headers = { ...init.headers, 'accept-language': language }
      const { status, body } = await service.call('POST', AT, { ...init, headers })
      return [status, body.error.code, body.error.param, body.error.details?.[0]]
    }
    const wrong = (param: string, detail: unknown = expect.any(String)) => [400, 'INVALID_REQUEST', param, detail]
    expect(await refusal({ title: ' ' })).toEqual(wrong('title'))
    expect(await refusal({ kind: 'mixtape' })).toEqual(wrong('kind'))
    expect(await refusal({ upc: '036000291453' })).toEqual(wrong('upc', expect.stringContaining('12 digits')))
    expect(await refusal({ language: 'the language of the birds' })).toEqual(
      wrong('language', 'Write one language, such as Korean, English or ja.'),
    )
    expect(await refusal({ release_date: '2026-02-30' })).toEqual(wrong('release_date'))
    expect(await refusal({ tracks: [{ title: 'a' }, { title: 'b', isrc: 'KR-123' }] })).toEqual(
      wrong('tracks[1].isrc', expect.stringMatching(/^An ISRC has twelve/)),
    )
    expect(await refusal({ tracks: [{ title: 'a', isrc: 'KR-123' }] }, 'ko')).toEqual(
      wrong('tracks[0].isrc', expect.stringMatching(/^ISRC는/)),
    )
    expect(await refusal({ tracks: [{}] })).toEqual(wrong('tracks[0].title'))
    expect(await refusal({ tracks: Array.from({ length: 101 }, () => ({ title: 'a' })) })).toEqual(wrong('tracks'))
    expect((await service.get(AT)).body.total).toBe(0)
  })

  test('that is asked for again with its Idempotency-Key is made once; another with that key is refused', async () => {
    const post = (address: string, body: object) =>
      service.call('POST', address, {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
      })
    const first = await post(AT, FACTS)
    const again = await post(AT, FACTS)
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true'])
    expect((await post(AT, { ...FACTS, kind: 'album' })).body.error.code).toBe('IDEMPOTENCY_MISMATCH')
    expect((await post(at(first.body, '/duplicate'), FACTS)).status).toBe(400)
    expect((await post(at(first.body, '/duplicate'), {})).body.error.code).toBe('IDEMPOTENCY_MISMATCH')
    expect((await service.get(AT)).body.total).toBe(1)
  })

  test('is duplicated with its cover and its songs, and tracks of its own', async () => {
    const first = await withTracks('ab')
    await putCover(first, pngPicture(1400, 1400))
    const { body: copy } = await service.post(at(first, '/duplicate'), { title: 'Copy' })
    expect(copy).toMatchObject({ title: 'Copy', artist: '하늘', cover: { width_px: 1400 } })
    expect(titles(copy)).toBe('ab')
    await remove(at(copy, `/tracks/${copy.tracks[0].track_id}`))
    expect(titles((await service.get(at(first))).body)).toBe('ab')
    expect(copy.tracks[1].track_id).not.toBe(first.tracks[1]?.track_id)
  })

  test('is found by words, and lists go page by page without gaps', async () => {
    for (const title of ['One', 'Two', 'Three', '네 번째']) await newRelease({ title })
    const found = async (query: string) =>
      (await service.get(`${AT}?${query}`)).body.releases.map(({ title }: Release) => title)
    expect(await found('q=네+하늘')).toEqual(['네 번째'])
    const { body } = await service.get(`${AT}?limit=3`)
    expect(body.releases.map(({ title }: Release) => title)).toEqual(['네 번째', 'Three', 'Two'])
    expect(await found(`limit=3&cursor=${body.next_cursor}`)).toEqual(['One'])
    expect((await service.get(`${AT}?cursor=x`)).body.error.param).toBe('cursor')
  })

  test('is seen by every key as by the application', async () => {
    const credential = await service.newKey()
    const { body } = await service.post(AT, FACTS, { credential })
    expect((await service.get(at(body))).body).toEqual(body)
    expect((await service.get(at(body), { credential: await service.newKey() })).body).toEqual(body)
    expect((await service.get(AT, { credential: '' })).status).toBe(401)
  })
})

describe('the tracks of a release', () => {
  test('are added at a place, put into order and taken out', async () => {
    const release = await withTracks('abc')
    const { body, status } = await service.post(at(release, '/tracks'), { tracks: [{ title: 'd' }], position: 2 })
    expect([status, titles(body)]).toEqual([201, 'adbc'])
    expect(body.tracks.map(({ position }: { position: number }) => position)).toEqual([1, 2, 3, 4])
    const ids = body.tracks.map(({ track_id }: { track_id: string }) => track_id)
    expect(titles((await put(at(release, '/tracks'), { track_ids: [...ids].reverse() })).body)).toBe('cbda')
    expect((await put(at(release, '/tracks'), { track_ids: ids.slice(1) })).body.error.param).toBe('track_ids')
    expect(titles((await remove(at(release, `/tracks/${ids[0]}`))).body)).toBe('cbd')
    expect((await remove(at(release, `/tracks/${ids[0]}`))).body.error.code).toBe('RELEASE_NOT_FOUND')
  })

  test('are a hundred at most', async () => {
    const release = await withTracks('x'.repeat(100))
    const { status, body } = await service.post(at(release, '/tracks'), { tracks: [{ title: 'y' }] })
    expect([status, body.error.code]).toEqual([409, 'TRACK_LIMIT'])
    expect((await service.get(at(release))).body.tracks).toHaveLength(100)
  })

  test('have title, artist and state of their song, and keep everything else when it is replaced', async () => {
    const source = await newSource('first')
    const job = await service.newJob({ title: 'Second', artist: 'Band' })
    await service.ended(job.job_id)
    const release = await newRelease({
      tracks: [{ source_id: source, isrc: 'kr-a38-24-00001', settings: { air_db: 2 } }],
    })
    const [track] = release.tracks
    expect(track).toMatchObject({ title: 'first', state: 'stored', source_id: source, isrc: 'KRA382400001' })
    expect(track).toMatchObject({
      duration_seconds: 3,
      explicit: false,
      gap_before_seconds: 0,
      settings: { air_db: 2 },
    })
    const own = { composers: ['김하늘'], fade_out_seconds: 2, fade_out_shape: 'smooth', explicit: true }
    const address = at(release, `/tracks/${track?.track_id}`)
    expect((await service.patch(address, own)).body.tracks[0]).toEqual({ ...track, ...own })
    const { source_id: _, ...kept } = { ...track, ...own }
    const { body } = await service.patch(address, { job_id: job.job_id })
    expect(body.tracks[0]).toEqual({ ...kept, job_id: job.job_id, state: 'done' })
    const added = await service.post(at(release, '/tracks'), { tracks: [{ job_id: job.job_id }] })
    expect(added.body.tracks[1]).toMatchObject({ title: 'Second', artists: ['Band'] })
    const cleared = { isrc: '', settings: null, job_id: null }
    const { isrc: _isrc, settings: _settings, ...rest } = kept
    expect((await service.patch(address, cleared)).body.tracks[0]).toEqual({
      ...rest,
      state: 'no_song',
      duration_seconds: undefined,
    })
  })

  test('name a job that exists, and a stored song only for the application', async () => {
    const release = await newRelease()
    const credential = await service.newKey()
    const source = await newSource()
    const unknown = '00000000-0000-4000-8000-000000000000'
    const detail = async (track: object, init = {}) => {
      const { body } = await service.post(at(release, '/tracks'), { tracks: [track] }, init)
      return body.error && `${body.error.param}: ${body.error.details[0]}`
    }
    expect(await detail({ job_id: unknown })).toMatch(/tracks\[0\].job_id: There is no such job/)
    expect(await detail({ source_id: unknown })).toMatch(/tracks\[0\].source_id: There is no such stored song/)
    expect(await detail({ source_id: source }, { credential })).toMatch(/Only the application/)
    const job = await service.newJob()
    expect(await detail({ source_id: source, job_id: job.job_id })).toMatch(/not both/)
    expect(await detail({ job_id: job.job_id }, { credential })).toBeUndefined()
  })

  test('say so when their job is deleted, and stay', async () => {
    const job = await service.newJob()
    await service.ended(job.job_id)
    const release = await newRelease({ tracks: [{ job_id: job.job_id, title: 'a' }] })
    expect((await service.job(job.job_id)).expires_at).toBeUndefined()
    await remove(`/api/v1/jobs/${job.job_id}`)
    expect((await service.get(at(release))).body.tracks[0]).toMatchObject({ state: 'gone', job_id: job.job_id })
  })

  test('keep the files of their jobs from expiring until they are taken out', async () => {
    const job = await service.newJob()
    const { expires_at } = await service.ended(job.job_id)
    expect(expires_at).toBeDefined()
    const release = await newRelease({ tracks: [{ job_id: job.job_id }] })
    expect((await service.job(job.job_id)).expires_at).toBeUndefined()
    await remove(at(release))
    expect(Date.parse((await service.job(job.job_id)).expires_at ?? '')).toBeGreaterThanOrEqual(
      Date.parse(expires_at ?? ''),
    )
  })
})

async function putCover(release: Release, bytes: Buffer) {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(bytes)]), 'cover')
  return service.call('PUT', at(release, '/cover'), { body: form })
}

describe('the cover of a release', () => {
  test('is set, read, replaced and removed', async () => {
    const release = await newRelease()
    expect((await service.get(at(release, '/cover'))).body.error.code).toBe('NOT_FOUND')
    // Data that a camera appended is not stored.
    const sent = Buffer.concat([pngPicture(3000, 3000), Buffer.from('37.5 N 127 E')])
    expect((await putCover(release, sent)).body.cover).toMatchObject({
      ...{ media_type: 'image/png', width_px: 3000, height_px: 3000, size_bytes: pngPicture(1, 1).length },
    })
    const jpeg = jpegPicture(1400, 1400, { components: 4 })
    const cmyk = { media_type: 'image/jpeg', width_px: 1400, color_model: 'cmyk' }
    expect((await putCover(release, jpeg)).body.cover).toMatchObject(cmyk)
    expect((await service.get(at(release))).body.cover).toMatchObject(cmyk)
    const response = await fetch(`${service.baseUrl}${at(release, '/cover')}`, {
      headers: { authorization: `Bearer ${service.sessionCredential}` },
    })
    expect(response.headers.get('content-type')).toBe('image/jpeg')
    expect(Buffer.from(await response.arrayBuffer()).equals(jpeg)).toBe(true)
    expect((await remove(at(release, '/cover'))).body).not.toHaveProperty('cover')
  })

  test('is a whole JPEG or PNG of 10 MB at most, and what is not leaves the one before', async () => {
    const release = await newRelease()
    await putCover(release, pngPicture(1400, 1400))
    const refused = await putCover(release, Buffer.from('GIF89a'))
    expect([refused.status, refused.body.error.param]).toEqual([400, 'file'])
    const large = Buffer.concat([pngPicture(9, 9), Buffer.alloc(10_000_000)])
    expect((await putCover(release, large)).body.error.code).toBe('FILE_TOO_LARGE')
    expect((await service.get(at(release))).body.cover.width_px).toBe(1400)
    expect(service.temporary()).toEqual([])
  })
})

test('releases, tracks and covers are there after a restart', async () => {
  const release = await withTracks('ab')
  const before = (await putCover(release, pngPicture(1400, 1400))).body
  const { dataDir } = service
  await service.close()
  service = await startService({ dataDir, forkEngine: engine.fork })
  expect((await service.get(at(release))).body).toEqual(before)
})
