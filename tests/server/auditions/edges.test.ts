/** Edges of a song on a real socket: asked for, heard before the job, proposed, and refused where the song cannot have them. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Source } from '../../../src-contract/app.ts'
import { type AuditionService, drawnOf, pcmOf, startAuditionService } from '../../support/audition-service.ts'
import { type MasterFields, masterForm } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { songLike, writeFloatWav } from '../../worker/media/make-audio.ts'

const RATE_HZ = 44_100
const folder = temporaryFolder()

/** Six seconds of music with 1.5 s of silence before it and 3.3 s behind it. */
function writeSilentEdges(): string {
  const channels = songLike(6, RATE_HZ).map((samples) => {
    const padded = new Float32Array(Math.round(10.8 * RATE_HZ))
    padded.set(samples, 1.5 * RATE_HZ)
    return padded
  })
  return writeFloatWav(path.join(folder, 'edges.wav'), channels, RATE_HZ)
}

const file = writeSilentEdges()
const upload = () => new File([new Uint8Array(readFileSync(file))], 'song.wav')
let service: AuditionService
let song: Source
beforeAll(async () => {
  service = await startAuditionService()
  song = await service.addSong(file)
})
afterAll(() => service.stop())

const isExact = ({ state }: { state: string }) => state !== 'estimated'
const post = (address: string, fields: MasterFields) =>
  service.call('POST', address, { body: masterForm({ file: upload(), ...fields }) })
const credits = async () => (await service.get('/api/v1/account')).body.credits

const EDGES = {
  trim_start_seconds: 1.3,
  trim_end_seconds: 2.3,
  fade_in_seconds: 0.4,
  fade_in_shape: 'smooth',
  fade_out_seconds: 2,
  fade_out_shape: 'equal_power',
  pad_start_seconds: 0.5,
  pad_end_seconds: 0.7,
} as const
const AS_FIELDS = Object.fromEntries(Object.entries(EDGES).map(([name, value]) => [name, String(value)]))
const SECONDS = 10.8 - 1.3 - 2.3 + 0.5 + 0.7

describe('the audition of a song with edges', () => {
  it('is the file of its job, and says where in the song it begins', async () => {
    const { body } = await service.hear(song.source_id, EDGES)
    expect(body.error).toBeUndefined()
    expect(body.start_seconds).toBeCloseTo(0.8, 9)
    expect(body.duration_seconds).toBeCloseTo(SECONDS, 4)
    const exact = await service.until(body.audition_id, isExact)
    expect(exact).toMatchObject({ state: 'exact' })
    expect(exact.duration_seconds).toBeCloseTo(SECONDS, 4)
    expect(Math.abs(body.loudness_lufs - exact.loudness_lufs)).toBeLessThan(0.5)
    const heard = pcmOf((await service.bytes(`/app/auditions/${body.audition_id}/exact.wav`)).bytes)
    const job = await service.masterStored(song.source_id, AS_FIELDS)
    expect(heard.equals(job.pcm)).toBe(true)
    expect(await service.picture(body.audition_id)).toMatchObject(drawnOf(job.report))
    const priced = await service.until(body.audition_id, ({ price }) => price !== undefined)
    const plain = (await service.hear(song.source_id)).body
    const plainPriced = await service.until(plain.audition_id, ({ price }) => price !== undefined)
    expect(priced.price).not.toEqual(plainPriced.price)
  })

  it('is another for every change of an edge, and its estimate has them', async () => {
    const changes = [{}, { fade_out_seconds: 3 }, { fade_out_seconds: 3, fade_out_shape: 'smooth' }, EDGES] as const
    const ids = new Set<string>()
    for (const change of changes) ids.add((await service.hear(song.source_id, change)).body.audition_id)
    expect(ids.size).toBe(changes.length)
    const { body } = await service.hear(song.source_id, { fade_out_seconds: 4, pad_start_seconds: 0.5 })
    const pcm = pcmOf((await service.bytes(`/app/auditions/${body.audition_id}/estimate.wav`)).bytes)
    const frameBytes = (2 * body.bit_depth) / 8
    expect(pcm.length).toBe(Math.round(11.3 * RATE_HZ) * frameBytes)
    expect(pcm.subarray(0, 0.5 * RATE_HZ * frameBytes).every((byte) => byte === 0)).toBe(true)
    const peakAt = (seconds: number) => {
      const first = Math.round(seconds * RATE_HZ) * frameBytes
      const samples = Array.from({ length: RATE_HZ / 10 }, (_, i) =>
        Math.abs(pcm.readIntLE(first + i * frameBytes, frameBytes / 2)),
      )
      return Math.max(...samples)
    }
    // The music ends at 8.0 s, where 3.3 of 4 s of the fade are left; at 7.3 s it has just begun.
    expect(peakAt(7.8)).toBeLessThan(0.9 * peakAt(7))
    expect(peakAt(9)).toBeLessThan(peakAt(7) / 100)
  })

  it('is refused where the song cannot have them', async () => {
    const { status, body } = await service.hear(song.source_id, { trim_end_seconds: 10 })
    expect([status, body.error.code, body.error.param]).toEqual([400, 'TRIMMED_AWAY', 'settings.trim_end_seconds'])
  })
})

describe('a job with edges', () => {
  it.each([
    ['trim_end_seconds', 'TRIMMED_AWAY', { trim_start_seconds: '5', trim_end_seconds: '4.9' }],
    ['trim_start_seconds', 'TRIMMED_AWAY', { trim_start_seconds: '11' }],
    ['fade_out_seconds', 'FADES_OVERLAP', { trim_start_seconds: '5', fade_in_seconds: '2', fade_out_seconds: '4' }],
    ['trim_start_seconds', 'INVALID_REQUEST', { trim_start_seconds: '-1' }],
    ['fade_out_shape', 'INVALID_REQUEST', { fade_out_shape: 'round' }],
    ['pad_end_seconds', 'INVALID_REQUEST', { pad_end_seconds: '61' }],
  ])('that it cannot have is refused by %s: %s, and nothing is charged', async (param, code, fields) => {
    const before = await credits()
    for (const [address, more] of [
      ['/api/v1/master', {}],
      ['/api/v1/master', { dry_run: 'true' }],
      ['/api/v1/preview', { platforms: 'spotify' }],
    ] as const) {
      const { status, body } = await post(address, { ...fields, ...more })
      expect([status, body.error.code, body.error.param]).toEqual([400, code, param])
    }
    expect(await credits()).toBe(before)
  })

  it('shows them, and its retry keeps those that it does not change', async () => {
    const { body: created } = await post('/api/v1/master', { platforms: 'spotify', ...AS_FIELDS })
    const job = await service.ended(created.job_id)
    expect(job).toMatchObject({ status: 'done', ...EDGES })
    const again = await service.post(`/api/v1/jobs/${job.job_id}/retry`, { pad_end_seconds: 0, fade_in_seconds: 0 })
    const { fade_in_seconds: _in, pad_end_seconds: _end, ...kept } = EDGES
    const retried = await service.ended(again.body.job_id)
    expect(retried).toMatchObject(kept)
    expect(retried).not.toHaveProperty('pad_end_seconds')
    const before = await credits()
    const refused = await service.post(`/api/v1/jobs/${job.job_id}/retry`, { trim_end_seconds: 9 })
    expect([refused.status, refused.body.error.param]).toEqual([400, 'trim_end_seconds'])
    expect(await credits()).toBe(before)
    const plain = await service.ended((await post('/api/v1/master', { platforms: 'spotify' })).body.job_id)
    for (const name of Object.keys(EDGES)) expect(plain).not.toHaveProperty(name)
  })

  it('is previewed with them', async () => {
    const answer = await fetch(`${service.baseUrl}/api/v1/preview`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.sessionCredential}` },
      body: masterForm({ file: upload(), platforms: 'spotify', ...AS_FIELDS, start_seconds: '6', seconds: '5' }),
    })
    const passage = pcmOf(new Uint8Array(await answer.arrayBuffer()))
    const master = await service.mastered(song.source_id, AS_FIELDS)
    const frameBytes = master.length / Math.round(SECONDS * RATE_HZ)
    expect(passage.equals(master.subarray(6 * RATE_HZ * frameBytes))).toBe(true)
  })
})

describe('proposed edges', () => {
  const PROPOSED = { trim_start_seconds: 1.3, trim_end_seconds: 2.3 }
  it('come with the analysis and with a dry run, worded in the language of the request', async () => {
    const analysed = await service.call('POST', '/api/v1/analyze', {
      body: masterForm({ file: upload() }),
      headers: { 'accept-language': 'ko' },
    })
    expect(analysed.body.proposed_edges).toMatchObject(PROPOSED)
    expect(analysed.body.proposed_edges.reasons.map(({ message }: { message: string }) => message)).toEqual([
      '처음에 무음 1.5초가 있어요. 0.2초만 남겨요.',
      '끝에 무음 3.3초가 있어요. 1초만 남겨요.',
    ])
    const dry = await post('/api/v1/master', { dry_run: 'true' })
    expect(dry.body.proposed_edges).toMatchObject(PROPOSED)
    expect(dry.body.proposed_edges.reasons[1].message).toBe('3.3 s of silence at the end; 1 s stays.')
  })

  it('are none for what was trimmed so', async () => {
    const trims = { trim_start_seconds: '1.3', trim_end_seconds: '2.3' }
    const dry = await post('/api/v1/master', { dry_run: 'true', ...trims })
    expect(dry.status).toBe(200)
    expect(dry.body).not.toHaveProperty('proposed_edges')
  })

  it('are part of what the batch knows of a stored song', async () => {
    const form = new FormData()
    form.append('source_id', song.source_id)
    await service.call('POST', '/api/v1/analyze', { body: form })
    const { songs } = (await service.get('/app/desk')).body
    expect(songs[0].analysis.proposed_edges).toMatchObject(PROPOSED)
  })
})

describe('the suggestion', () => {
  const analysed = async (fields: object, language = 'en') =>
    (
      await service.call('POST', '/api/v1/analyze', {
        body: masterForm({ file: upload(), ...fields }),
        headers: { 'accept-language': language },
      })
    ).body.suggestion

  it('has a price where it is asked for, the same once it is known', async () => {
    expect(await analysed({})).not.toHaveProperty('price')
    const found = await analysed({ price: 'true' })
    expect(found.price.targets.length).toBeGreaterThan(1)
    expect(await analysed({ price: 'true' })).toEqual(found)
    expect(await analysed({})).not.toHaveProperty('price')
  })

  it('is in the language of its reader, also in the batch', async () => {
    const { reasons } = await analysed({})
    expect(reasons[0].message).toMatch(/released music/)
    const korean = (await analysed({}, 'ko')).reasons
    expect(korean[0].message).toMatch(/발매된 음악/)
    const form = new FormData()
    form.append('source_id', song.source_id)
    await service.call('POST', '/api/v1/analyze', { body: form })
    const answer = await service.call('GET', '/app/desk', { headers: { 'accept-language': 'ko' } })
    expect(answer.body.songs[0].analysis.suggestion.reasons).toEqual(korean)
  })
})
