/** POST /api/v1/preview on a real socket: a passage of the master, before there is a job. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loudestStartSeconds } from '../../../src-server/jobs/preview.ts'
import { type AuditionService, pcmOf, startAuditionService, writeSong } from '../../support/audition-service.ts'
import { type MasterFields, masterForm } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const file = writeSong(temporaryFolder(), 12)
const song = new File([new Uint8Array(readFileSync(file))], 'song.wav')
let service: AuditionService
let key: string
beforeAll(async () => {
  service = await startAuditionService()
  key = await service.newKey()
})
afterAll(() => service.stop())

async function preview(fields: MasterFields) {
  const answer = await fetch(`${service.baseUrl}/api/v1/preview`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: masterForm({ file: song, ...fields }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, headers: answer.headers, bytes }
}

const errorOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).error

describe('a preview', () => {
  it('is a cut out of the file that a job writes, and is free', async () => {
    const settings = { genre: 'edm', loudness: 'competitive' }
    const cut = await preview({ ...settings, start_seconds: '2.5', seconds: '3' })
    expect([cut.status, cut.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    expect((await service.get('/api/v1/account')).body.credits).toBe(500)
    const stored = await service.addSong(file)
    const master = await service.mastered(stored.source_id, settings)
    const first = 2.5 * 44_100 * 6
    expect(pcmOf(cut.bytes).equals(master.subarray(first, first + 3 * 44_100 * 6))).toBe(true)
    const [job] = (await service.get('/api/v1/jobs')).body.jobs
    expect(cut.headers.get('preview-start-seconds')).toBe('2.500')
    expect(Number(cut.headers.get('preview-loudness-lufs'))).toBeCloseTo(job.results[0].integrated_lufs, 2)
    expect(Number(cut.headers.get('preview-gain-db'))).toBeCloseTo(job.results[0].gain_db, 2)
    expect(service.temporary()).toEqual([])
  })

  it('is made one at a time for each caller', async () => {
    const answers = await Promise.all([preview({ seconds: '1' }), preview({ seconds: '1' })])
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 429])
    expect(errorOf(answers.find(({ status }) => status === 429)!).code).toBe('CONCURRENT_LIMIT')
  })

  it.each([
    [{ genre: 'polka' }],
    [{ platforms: 'nowhere' }],
    [{ tilt_db: '9' }],
    [{ webhook_url: 'http://169.254.169.254/' }],
    [{ source_id: '00000000-0000-4000-8000-000000000000' }],
  ])('refuses %j as a job does', async (fields: MasterFields) => {
    const { body } = await service.master({ file: song, ...fields }, { credential: key })
    const { request_id: _, ...expected } = body.error
    expect(errorOf(await preview(fields))).toMatchObject(expected)
  })

  it.each([
    [{ platforms: 'spotify,melon' }, 'platforms'],
    [{ seconds: '31' }, 'seconds'],
    [{ start_seconds: '-1' }, 'start_seconds'],
    [{ start_seconds: '12' }, 'start_seconds'],
  ])('refuses %j and names the field', async (fields, param) => {
    expect(errorOf(await preview(fields))).toMatchObject({ code: 'INVALID_REQUEST', param })
  })
})

describe('the loudest passage', () => {
  const curve = (...lufs: (number | null)[]) => ({ shortTermLufs: lufs, stepSeconds: 1, durationSeconds: lufs.length })
  it('begins so that what is loud lies in it', () => {
    // Loud from 6 s on: the 3 s that end with the eighth second are the first that are loud throughout.
    const levels = Array.from({ length: 20 }, (_, second) => (second >= 8 && second < 14 ? -10 : -30))
    expect(loudestStartSeconds(curve(...levels), 8)).toBe(6)
  })
  it('is the beginning of silence and of a song that is no longer', () => {
    expect(loudestStartSeconds(curve(null, null, null, null, null), 3)).toBe(0)
    expect(loudestStartSeconds(curve(-30, -20, -10), 20)).toBe(0)
  })
})
