import { describe, expect, it } from 'vitest'
import { createClient } from '../../src-contract/client.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { groupsOf, HistoryStore } from '../../src-renderer/state/history.ts'
import { JobsStore } from '../../src-renderer/state/jobs.ts'
import { createNotices } from '../../src-renderer/state/notices.ts'
import { settle } from '../support/fake-clock.ts'

/** A history over a server with `jobs`, newest first, whose cursor is the place in the list. */
function shelf(jobs: readonly { job_id: string; status: string; expired?: true }[]) {
  const asked: string[] = []
  const client = createClient({
    session: null,
    language: () => 'en',
    fetch: async (path) => {
      const address = new URL(String(path), 'http://server')
      asked.push(address.search)
      const of = jobs.filter((job) => [null, job.status].includes(address.searchParams.get('status')))
      const from = Number(address.searchParams.get('cursor') ?? 0)
      const to = from + Number(address.searchParams.get('limit'))
      return Response.json({
        jobs: of.slice(from, to),
        total: of.length,
        ...(to < of.length ? { next_cursor: String(to) } : {}),
      })
    },
  })
  const history = new HistoryStore({ client, jobs: new JobsStore(client), notices: createNotices() })
  return { history, asked, ids: () => history.store.getState().ids }
}

const settled = () => settle(50)

describe('the groups of the history', () => {
  const job = (job_id: string, created_at: string, batch_id?: string) => ({ job_id, created_at, batch_id }) as Job
  const jobs = [
    job('a', '2026-03-02T10:00', 'late'),
    job('b', '2026-03-02T09:00'),
    job('c', '2026-03-02T08:00', 'late'),
    job('d', '2026-03-02T07:00'),
    job('e', '2026-03-01T06:00'),
    job('f', '2026-03-01T05:00', 'early'),
  ]
  const groups = (isFiltered: boolean, hasMore: boolean) =>
    groupsOf(jobs, { dayOf: (iso) => iso.slice(0, 10), isFiltered, hasMore })

  it('hold a batch or the single songs of a day, and are whole where none of their jobs can be missing', () => {
    expect(groups(false, true).map((one) => [one.batchId, one.jobs.map(({ job_id }) => job_id), one.isWhole])).toEqual([
      ['late', ['a', 'c'], true],
      [null, ['b', 'd'], true],
      [null, ['e'], true],
      ['early', ['f'], false],
    ])
    expect(groups(false, false).every(({ isWhole }) => isWhole)).toBe(true)
    expect(groups(true, false).some(({ isWhole }) => isWhole)).toBe(false)
  })
})

describe('the expired jobs of the history', () => {
  const jobs = Array.from({ length: 950 }, (_, i) => ({
    job_id: `job-${i}`,
    status: i % 5 === 4 ? 'failed' : 'done',
    ...(i % 5 === 0 ? { expired: true as const } : {}),
  }))
  const expired = jobs.filter((job) => job.expired).map((job) => job.job_id)

  it('are found on every page of the list, each once and in order, and are shown a page at a time', async () => {
    const { history, asked, ids } = shelf(jobs)
    history.filter({ status: 'expired' })
    await settled()
    expect(ids().length).toBeGreaterThanOrEqual(100)
    expect(ids()).toEqual(expired.slice(0, ids().length))
    expect(asked.every((query) => query.includes('status=done'))).toBe(true)
    while (history.store.getState().nextCursor) await history.readMore()
    expect(ids()).toEqual(expired)
  })

  it('are no longer looked for once another filter is chosen', async () => {
    const { history, asked, ids } = shelf(jobs)
    history.filter({ status: 'expired' })
    history.filter({ status: 'failed' })
    await settled()
    expect(ids()).toEqual(
      jobs
        .filter((job) => job.status === 'failed')
        .slice(0, 100)
        .map((job) => job.job_id),
    )
    expect(asked).toHaveLength(2)
  })
})

describe('the loudness of a song before mastering', () => {
  const REPORT = { source: { measurement: { integrated_lufs: -20.4 } } }

  it('is read from the report once per song, one report at a time, and stays open where there is none', async () => {
    const asked: string[] = []
    let underWay = 0
    let most = 0
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path) => {
        asked.push(String(path))
        most = Math.max(most, ++underWay)
        await settled()
        underWay -= 1
        const isGone = String(path).includes('gone')
        return isGone ? Response.json({}, { status: 410 }) : Response.json(REPORT)
      },
    })
    const history = new HistoryStore({ client, jobs: new JobsStore(client), notices: createNotices() })
    const job = (job_id: string, source_sha256: string) => ({ job_id, source_sha256 }) as Job
    await Promise.all(
      [job('first', 'song'), job('second', 'song'), job('gone', 'other'), job('third', 'song')].map(history.readBefore),
    )
    expect(asked).toEqual(['/api/v1/jobs/first/report', '/api/v1/jobs/gone/report'])
    expect(most).toBe(1)
    expect(history.store.getState().before).toEqual({ song: -20.4, other: null })
  })

  it('is not recorded as unknown while the program is away', async () => {
    const answers = [() => Promise.reject(new TypeError('no network')), () => Promise.resolve(Response.json(REPORT))]
    const fetch = () => answers.shift()?.() ?? Promise.reject(new Error('asked too often'))
    const client = createClient({ session: null, language: () => 'en', fetch })
    const history = new HistoryStore({ client, jobs: new JobsStore(client), notices: createNotices() })
    const job = { job_id: 'first', source_sha256: 'song' } as Job
    await history.readBefore(job)
    expect(history.store.getState().before).toEqual({})
    await history.readBefore(job)
    expect(history.store.getState().before).toEqual({ song: -20.4 })
  })
})

describe('jobs that are deleted', () => {
  it('are all deleted at once when the page is left before the time to undo is over', async () => {
    const asked: (string | boolean | undefined)[][] = []
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: (path, init) => {
        asked.push([init?.method, String(path), init?.keepalive])
        return new Promise(() => undefined)
      },
    })
    const notices = createNotices()
    const history = new HistoryStore({ client, jobs: new JobsStore(client), notices })
    history.remove(['a', 'b'], 'deleted')
    expect(asked).toEqual([])
    notices.leave()
    expect(asked).toEqual([
      ['DELETE', '/api/v1/jobs/a', true],
      ['DELETE', '/api/v1/jobs/b', true],
    ])
    notices.undo()
    expect(history.store.getState().hidden).toEqual({ a: true, b: true })
  })
})

describe('jobs that the server does not delete', () => {
  const jobs = ['kept', 'gone', 'lost'].map((job_id) => ({ job_id, status: 'done' }))

  async function setUp() {
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path, init) => {
        if (init?.method !== 'DELETE') return Response.json({ jobs, total: jobs.length })
        if (String(path).endsWith('lost')) throw new TypeError('no network')
        const [code, status] = String(path).endsWith('gone') ? ['JOB_NOT_FOUND', 404] : ['UNAVAILABLE', 503]
        return Response.json({ error: { code, message: `${code} it is`, request_id: 'r' } }, { status: Number(status) })
      },
    })
    const notices = createNotices()
    const jobsOfPage = new JobsStore(client)
    const history = new HistoryStore({ client, jobs: jobsOfPage, notices })
    await history.read()
    const state = history.store.getState
    const shown = () => state().ids.filter((id) => !state().hidden[id] && jobsOfPage.store.getState().byId[id])
    return { history, notices, state, shown }
  }

  it('are shown again at once with the reason; jobs that no longer existed are not', async () => {
    const { history, notices, state, shown } = await setUp()
    history.remove(['kept', 'gone'], 'deleted')
    expect(shown()).toEqual(['lost'])
    notices.settle()
    await expect.poll(shown).toEqual(['kept', 'lost'])
    expect(state()).toMatchObject({ total: 2, refusal: { code: 'UNAVAILABLE', requestId: 'r', count: 1 } })
    history.clearRefusal()
    expect(state().refusal).toBeNull()
  })

  it('are shown again while the program is away, and the next deletion clears the reason of the last one', async () => {
    const { history, notices, state, shown } = await setUp()
    history.remove(['lost'], 'deleted')
    notices.settle()
    await expect.poll(() => state().refusal?.code).toBe('UNREACHABLE')
    expect(shown()).toEqual(['kept', 'gone', 'lost'])
    history.remove(['gone'], 'deleted')
    expect(state().refusal).toBeNull()
  })

  it('are not counted when the disk is freed', async () => {
    const { history, state, shown } = await setUp()
    const counts: number[] = []
    await history.deleteAll(['kept', 'gone'], (count) => counts.push(count))
    expect(counts).toEqual([0, 1])
    expect(shown()).toEqual(['kept', 'lost'])
    expect(state().refusal?.code).toBe('UNAVAILABLE')
  })
})

describe('a history that is opened while the program is away', () => {
  it('shows the failure, and is read again when the program is back', async () => {
    let isAway = true
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async () => {
        if (isAway) throw new TypeError('no network')
        return Response.json({ jobs: [{ job_id: 'a', status: 'done' }], total: 1 })
      },
    })
    const history = new HistoryStore({ client, jobs: new JobsStore(client), notices: createNotices() })
    const state = history.store.getState
    await history.refresh()
    expect(state().failure).toBeNull()
    await history.read()
    expect(state()).toMatchObject({ failure: { code: 'UNREACHABLE' }, hasRead: false })
    isAway = false
    await history.refresh()
    expect(state()).toMatchObject({ failure: null, ids: ['a'], hasRead: true })
  })
})

describe('the next page of the history', () => {
  const jobs = Array.from({ length: 350 }, (_, i) => ({ job_id: `job-${i}`, status: 'done' }))
  /** A shelf whose requests are answered one by one, in the order that is wanted. */
  function slowShelf() {
    const open: { search: string; answer: () => void; fail: () => void }[] = []
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: (path) =>
        new Promise((resolve, reject) => {
          const { search, searchParams } = new URL(String(path), 'http://server')
          const of = jobs.filter((job) => [null, job.status].includes(searchParams.get('status')))
          const from = Number(searchParams.get('cursor') ?? 0)
          const next = from + 100 < of.length ? { next_cursor: String(from + 100) } : {}
          const answer = () => resolve(Response.json({ jobs: of.slice(from, from + 100), total: of.length, ...next }))
          open.push({ search, answer, fail: () => reject(new TypeError('no network')) })
        }),
    })
    const history = new HistoryStore({ client, jobs: new JobsStore(client), notices: createNotices() })
    const answerNext = async () => {
      open.shift()?.answer()
      await settled()
    }
    return { history, open, answerNext, state: history.store.getState }
  }

  it('is read after a refresh that was under way when the end came in view', async () => {
    const { history, open, answerNext, state } = slowShelf()
    void history.read()
    await answerNext()
    void history.refresh()
    void history.readMore()
    await answerNext()
    expect(open.map((one) => one.search)).toEqual([expect.stringContaining('cursor=100')])
    await answerNext()
    expect(state().ids).toHaveLength(200)
    expect(open).toHaveLength(0)
  })

  it('is read again when a refresh has overtaken it', async () => {
    const { history, open, answerNext, state } = slowShelf()
    void history.read()
    await answerNext()
    void history.readMore()
    void history.refresh()
    await answerNext()
    await answerNext()
    expect(open.map((one) => one.search)).toEqual([expect.stringContaining('cursor=100')])
    await answerNext()
    expect(state().ids).toHaveLength(200)
  })

  it('does not fail the list that has taken its place', async () => {
    const { history, open, answerNext, state } = slowShelf()
    void history.read()
    await answerNext()
    void history.readMore()
    history.filter({ status: 'failed' })
    const [late] = open.splice(0, 1)
    await answerNext()
    late?.fail()
    await settled()
    expect(state()).toMatchObject({ ids: [], failure: null, isReading: false })
    expect(open).toHaveLength(0)
  })

  it('is neither kept nor read for a list that another filter has replaced before it was read', async () => {
    const { history, open, answerNext, state } = slowShelf()
    void history.read()
    await answerNext()
    void history.readMore()
    await answerNext()
    expect(state().ids).toHaveLength(200)
    history.filter({ status: 'failed' })
    void history.refresh()
    await answerNext()
    await answerNext()
    expect(state()).toMatchObject({ ids: [], nextCursor: null })
    history.filter({ status: 'done' })
    await answerNext()
    history.filter({ status: 'failed' })
    open.shift()?.fail()
    await settled()
    await history.readMore()
    expect([open.length, state().ids.length]).toEqual([0, 100])
  })
})
