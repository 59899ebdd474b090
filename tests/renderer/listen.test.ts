import { describe, expect, it } from 'vitest'
import { createClient } from '../../src-contract/client.ts'
import type { Report } from '../../src-contract/report.ts'
import { ListenStore } from '../../src-renderer/state/listen.ts'
import { commonRateHz } from '../../src-renderer/state/listen-versions.ts'
import { settle } from '../support/fake-clock.ts'

const job = (job_id: string, platforms: readonly string[], source_sha256 = 'song', title = job_id) => ({
  ...{ job_id, title, platforms, source_sha256 },
  status: 'done',
  created_at: job_id === 'old' ? '2026-01-01T00:00:00.000Z' : '2026-02-01T00:00:00.000Z',
})
const JOBS = [
  job('new', ['spotify', 'melon']),
  job('old', ['youtube', 'melon']),
  job('apart', ['youtube']),
  job('stranger', ['spotify'], 'another song'),
]

/** A visit to the job `new`, compared with `otherId`; the search finds nothing but the job itself. */
async function visitOf(otherId?: string) {
  const client = createClient({
    session: null,
    language: () => 'en',
    fetch: async (path) => {
      const [, id, part] = /^\/api\/v1\/jobs\/([^/?]+)\/?(\w*)/.exec(String(path)) ?? []
      const query = new URL(String(path), 'http://server').searchParams
      const from = Number(query.get('cursor') ?? 0)
      if (!id && query.has('q')) return Response.json({ jobs: JOBS.slice(0, 1), total: 1 })
      if (!id) return Response.json({ jobs: [JOBS[from]], ...(from < 3 ? { next_cursor: String(from + 1) } : {}) })
      const found = JOBS.find((one) => one.job_id === id)
      if (part === 'report' && found) return Response.json({ of: id })
      const error = { error: { code: 'JOB_NOT_FOUND', message: 'no such job' } }
      return found ? Response.json(found) : Response.json(error, { status: 404 })
    },
  })
  const listen = new ListenStore({ client, jobId: 'new', otherId })
  await listen.read()
  return listen
}
const visit = async (otherId: string) => (await visitOf(otherId)).store.getState()

describe('a visit that compares two versions of a song', () => {
  it('brings the other version on a platform that both have, under whatever title it was mastered', async () => {
    const { other, siblings, report } = await visit('old')
    expect(report).toEqual({ of: 'new' })
    expect([other?.job.job_id, other?.platform]).toEqual(['old', 'melon'])
    expect(siblings.map((one) => one.job_id)).toEqual(['new', 'old'])
  })

  it('brings it on its own platform where the two share none', async () => {
    expect((await visit('apart')).other?.platform).toBe('youtube')
  })

  it('does not compare with another song, nor a version with itself', async () => {
    for (const id of ['stranger', 'new']) {
      const { other, report } = await visit(id)
      expect([other, report]).toEqual([null, { of: 'new' }])
    }
  })

  it('plays the song, and shows why the other version cannot be played', async () => {
    const { other, otherFailure, report, failure } = await visit('gone')
    expect([other, failure, report]).toEqual([null, null, { of: 'new' }])
    expect(otherFailure?.code).toBe('JOB_NOT_FOUND')
  })

  it('keeps the ended job when an older state of it is answered later', async () => {
    const answers: (() => void)[] = []
    let status = 'queued'
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path) => {
        if (String(path).endsWith('/report'))
          return status === 'done' ? Response.json({ of: 'new' }) : Response.json({}, { status: 409 })
        if (!String(path).endsWith('/jobs/new')) return Response.json({ jobs: [], total: 0 })
        const answer = Response.json({ ...JOBS[0], status })
        await new Promise<void>((resolve) => answers.push(resolve))
        return answer
      },
    })
    const listen = new ListenStore({ client, jobId: 'new' })
    const readings = [listen.read()]
    await settle()
    status = 'done'
    readings.push(listen.read())
    await settle()
    for (; answers.length > 0; await settle(20)) answers.pop()?.()
    await Promise.all(readings)
    expect(listen.store.getState()).toMatchObject({ job: { status: 'done' }, report: { of: 'new' }, failure: null })
  })

  it('is read once when it is asked for twice, so that playback is not interrupted', async () => {
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path) => {
        if (String(path).endsWith('/report')) return Response.json({ of: 'new' })
        return Response.json(String(path).endsWith('/jobs/new') ? JOBS[0] : { jobs: [], total: 0 })
      },
    })
    const listen = new ListenStore({ client, jobId: 'new' })
    const shown = new Set<unknown>()
    listen.store.subscribe(({ job, report }) => report && shown.add(job).add(report))
    await Promise.all([listen.read(), listen.read()])
    expect(shown.size).toBe(2)
  })

  it('finds every version of the song, on every page of the list and under every title', async () => {
    const listen = await visitOf()
    expect(listen.store.getState()).toMatchObject({ siblings: [{ job_id: 'new' }], hasAllSiblings: false })
    await listen.findSiblings()
    expect(listen.store.getState().siblings.map((one) => one.job_id)).toEqual(['new', 'old', 'apart'])
    expect(listen.store.getState().hasAllSiblings).toBe(true)
  })
})

describe('the rate at which a job is played', () => {
  it('is that of most of its masters', () => {
    const rateOf = (...rates: number[]) =>
      commonRateHz({ masters: rates.map((sample_rate_hz) => ({ result: { sample_rate_hz } })) } as Report)
    expect(rateOf(44_100, 44_100, 48_000)).toBe(44_100)
    expect(rateOf(44_100, 48_000, 48_000)).toBe(48_000)
    expect(rateOf()).toBe(48_000)
  })
})
