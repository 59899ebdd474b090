import { describe, expect, it, vi } from 'vitest'
import { createClient } from '../../src-contract/client.ts'
import type { LiveEvent } from '../../src-contract/events.ts'
import { ownStream } from '../../src-contract/follow-events.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { jobSettings, shownSettings } from '../../src-contract/settings.ts'
import { followForPage } from '../../src-renderer/api/events.ts'
import { JobsStore, newerJob, withProgress } from '../../src-renderer/state/jobs.ts'

const job = (change: Partial<Job> = {}): Job => ({
  ...shownSettings(jobSettings({ platforms: ['spotify'], genre: 'pop', ai_service: 'suno' })),
  job_id: 'j1',
  status: 'queued',
  credits_used: 1,
  credits_remaining: 4,
  progress: 40,
  stage: 'rendering',
  source_sha256: 'x',
  created_at: '2026-01-01T00:00:00.000Z',
  title: 'Song',
  filename: 'song.wav',
  duration_seconds: 100,
  codec: 'wav',
  warnings: [],
  results: [],
  credits_refunded: 0,
  ...change,
})

const progress = (seq: number, percent: number, more: Partial<LiveEvent> = {}): LiveEvent => ({
  event: 'job.progress',
  seq,
  job_id: 'j1',
  progress: percent,
  ...more,
})

describe('the event stream', () => {
  it('reconnects with the last stored event it saw, and reads the present state again', async () => {
    const stop = new AbortController()
    const asked: (string | undefined)[] = []
    const seen: number[] = []
    let readings = 0
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: (_path, init) => {
        asked.push(new Headers(init?.headers).get('Last-Event-ID') ?? undefined)
        if (asked.length === 2) stop.abort()
        return Promise.resolve(
          new Response(
            'id: 41\ndata: {"event":"job.completed","seq":41}\n\ndata: {"event":"job.progress","seq":41}\n\n',
          ),
        )
      },
    })
    await followForPage({
      open: ownStream(client),
      signal: stop.signal,
      onLink: () => undefined,
      onEvent: (event) => seen.push(event.seq),
      onCatchUp: () => {
        readings += 1
        return Promise.resolve()
      },
    })
    expect(asked).toEqual([undefined, '41'])
    expect(seen.slice(0, 2)).toEqual([41, 41])
    expect(readings).toBeGreaterThanOrEqual(1)
  })
})

describe('a stream whose beginning fails', () => {
  it('is closed when the present state cannot be read', async () => {
    const stop = new AbortController()
    let cancelled = 0
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: () =>
        Promise.resolve(
          new Response(
            new ReadableStream({
              cancel: () => {
                cancelled += 1
              },
            }),
          ),
        ),
    })
    await followForPage({
      open: ownStream(client),
      signal: stop.signal,
      onLink: () => undefined,
      onEvent: () => undefined,
      onCatchUp: async () => {
        stop.abort()
        throw new Error('busy')
      },
    })
    expect(cancelled).toBe(1)
  })
})

describe('a program that stays away', () => {
  it('is tried again and again without anything accumulating in the page', async () => {
    vi.useFakeTimers()
    const stop = new AbortController()
    const listeners = { added: 0, removed: 0 }
    const { addEventListener, removeEventListener } = stop.signal
    stop.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners.added += 1
      addEventListener.apply(stop.signal, args)
    }
    stop.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners.removed += 1
      removeEventListener.apply(stop.signal, args)
    }
    const links: string[] = []
    const client = createClient({ session: null, language: () => 'en', fetch: () => Promise.reject(new TypeError()) })
    const away = () => Promise.reject(new Error('away'))
    const brokenAtMs: number[] = []
    const onLink = (link: string) => {
      links.push(link)
      if (link === 'connecting') brokenAtMs.push(Date.now())
    }
    const following = followForPage({
      open: ownStream(client),
      signal: stop.signal,
      onLink,
      onEvent: () => undefined,
      onCatchUp: away,
    })
    await vi.advanceTimersByTimeAsync(600_000)
    expect(links.filter((link) => link === 'lost').length).toBeGreaterThan(200)
    const pausesMs = brokenAtMs.slice(1).map((at, i) => 100 * Math.round((at - brokenAtMs[i]!) / 100))
    expect(pausesMs.slice(0, 7)).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000])
    expect(listeners.added - listeners.removed).toBe(1)
    stop.abort()
    await following
    vi.useRealTimers()
  })
})

describe('a job that is followed', () => {
  it('never loses progress and never leaves its final state', () => {
    expect(withProgress(job(), progress(1, 30)).progress).toBe(40)
    expect(withProgress(job(), progress(1, 62)).progress).toBe(62)
    const done = job({ status: 'done', progress: 100 })
    expect(withProgress(done, progress(1, 50))).toBe(done)
    expect(newerJob(done, job({ progress: 99 }))).toBe(done)
    expect(newerJob(job({ progress: 70 }), job({ progress: 60 })).progress).toBe(70)
  })

  it('forgets its place in the queue once it is worked on', () => {
    const waiting = job({ stage: 'waiting', queue_position: 2, progress: 0 })
    expect(withProgress(waiting, progress(1, 1, { stage: 'decoding' }))).not.toHaveProperty('queue_position')
  })

  it('is read again when it ends while an older reading is on its way', async () => {
    const answers: (() => void)[] = []
    let now = job()
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async () => {
        const answer = Response.json(now)
        await new Promise<void>((resolve) => answers.push(resolve))
        return answer
      },
    })
    const jobs = new JobsStore(client)
    const first = jobs.readMissing(['j1'])
    await expect.poll(() => answers.length).toBe(1)
    now = job({ status: 'done', progress: 100 })
    jobs.apply({ event: 'job.completed', seq: 7, job_id: 'j1' })
    jobs.apply({ event: 'job.completed', seq: 7, job_id: 'j1' })
    answers[0]?.()
    await first
    await expect.poll(() => answers.length).toBe(2)
    answers[1]?.()
    await expect.poll(() => jobs.store.getState().byId.j1?.status).toBe('done')
    expect(answers).toHaveLength(2)
  })

  it('ignores an event older than what it knows, so that a replay is harmless', async () => {
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: () => Promise.resolve(Response.json(job({ status: 'done', progress: 100 }))),
    })
    const jobs = new JobsStore(client)
    jobs.keep([job()])
    jobs.apply(progress(9, 55))
    jobs.apply(progress(3, 99))
    expect(jobs.store.getState().byId.j1?.progress).toBe(55)
    jobs.apply({ event: 'job.completed', seq: 10, job_id: 'j1' })
    await expect.poll(() => jobs.store.getState().byId.j1?.status).toBe('done')
  })
})
