import { describe, expect, it, vi } from 'vitest'
import type { LiveEvent } from '../../src-contract/events.ts'
import {
  type Activity,
  ActivityFollower,
  type EndedBatch,
  endedBatch,
  overallFraction,
} from '../../src-main/activity.ts'
import { batchNotice, placeOfBatch } from '../../src-main/batch-notice.ts'
import { deliveredPaths } from '../../src-main/masters.ts'
import type { Service } from '../../src-main/service.ts'
import { wordsOf } from '../../src-main/text.ts'

const job = (id: string, status: 'queued' | 'done' | 'failed', failureCode?: 'CANCELLED' | 'DIGITAL_SILENCE') => ({
  job_id: id,
  status,
  title: `Song ${id}`,
  ...(failureCode ? { failure_code: failureCode } : {}),
})

const song = (batchId: string, state: 'waiting' | 'refused', title = 'A song') => ({
  batch_id: batchId,
  state,
  source: { title },
})

describe('the progress of all work', () => {
  it('is nothing when nothing is in work, so that the taskbar shows no bar', () => {
    expect(overallFraction([], 3, 0)).toBeNull()
  })

  it('counts ended and waiting songs, so that it does not jump back when one song ends', () => {
    expect(overallFraction([50], 0, 1)).toBe(0.25)
    expect(overallFraction([0], 1, 0)).toBe(0.5)
    expect(overallFraction([100, 50], 2, 0)).toBe(0.875)
  })
})

describe('the end of a batch', () => {
  it('is told when its last song has ended and none waits in the batch', () => {
    const jobs = [job('a', 'done'), job('b', 'failed', 'DIGITAL_SILENCE')]
    expect(endedBatch('x', [...jobs, job('c', 'queued')], [])).toBeUndefined()
    expect(endedBatch('x', jobs, [song('x', 'waiting')])).toBeUndefined()
    expect(endedBatch('x', jobs, [song('other', 'waiting')])).toEqual({
      batchId: 'x',
      done: ['Song a'],
      failed: ['Song b'],
    })
  })

  it('counts songs that were refused before they became jobs, as without credits, among the failed', () => {
    const ended = endedBatch('x', [job('a', 'done')], [song('x', 'refused', 'Broke'), song('other', 'refused')])
    expect(ended).toEqual({ batchId: 'x', done: ['Song a'], failed: ['Broke'] })
  })

  it('is not told when the user cancelled all of it', () => {
    expect(endedBatch('x', [job('a', 'failed', 'CANCELLED')], [])).toBeUndefined()
  })

  it('says how many songs succeeded and failed, in both languages, and leads to the right screen', () => {
    const mixed: EndedBatch = { batchId: 'x', done: ['A', 'B'], failed: ['C'] }
    expect(batchNotice(mixed, wordsOf('en'))).toEqual({ title: '2 mastered, 1 failed', body: 'C and 2 more' })
    expect(batchNotice(mixed, wordsOf('ko'))).toEqual({ title: '2곡 완료, 1곡 실패', body: 'C 외 2곡' })
    expect(placeOfBatch(mixed)).toEqual({ screen: 'batch', batchId: 'x' })
    expect(placeOfBatch({ batchId: 'x', done: ['A'], failed: [], onlyJobId: 'j' })).toEqual({
      screen: 'listen',
      jobId: 'j',
    })
  })
})

describe('following the server', () => {
  it('tells a batch once although its last two songs end together', async () => {
    const batches: EndedBatch[] = []
    const states: Activity[] = []
    let send: (event: LiveEvent) => void = () => {}
    const ended = [
      { ...job('a', 'done'), batch_id: 'x', progress: 100 },
      { ...job('b', 'done'), batch_id: 'x', progress: 100 },
    ]
    const answers: Record<string, unknown> = {
      readJob: ended[0],
      readDesk: { is_paused: false, songs: [] },
      readSettings: { is_offline: false },
      listJobs: { jobs: ended, total: 2 },
    }
    const follower = new ActivityFollower(
      {
        call: (async (name, args: { query?: { status?: string } } = {}) =>
          args.query?.status === 'queued' ? { jobs: [], total: 0 } : answers[name]) as Service['call'],
        follow: async (onEvent) => {
          send = onEvent
        },
      },
      { onChange: (state) => states.push(state), onBatchEnd: (batch) => batches.push(batch) },
      new AbortController().signal,
    )
    follower.start()
    send({ event: 'job.completed', seq: 1, job_id: 'a' })
    send({ event: 'job.completed', seq: 2, job_id: 'b' })
    await vi.waitFor(() => expect(batches).toHaveLength(1))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(batches).toEqual([{ batchId: 'x', done: ['Song a', 'Song b'], failed: [] }])
    expect(states.at(-1)).toEqual({ unfinished: 0, waiting: 0, isPaused: false, isOffline: false, fraction: null })
  })

  it('moves on with the progress of the jobs that it knows', async () => {
    const fractions: (number | null)[] = []
    let send: (event: LiveEvent) => void = () => {}
    const answers: Record<string, unknown> = {
      readDesk: { is_paused: false, songs: [] },
      readSettings: { is_offline: false },
      listJobs: { jobs: [{ ...job('a', 'queued'), progress: 20 }], total: 1 },
    }
    const follower = new ActivityFollower(
      {
        call: (async (name) => answers[name]) as Service['call'],
        follow: async (onEvent) => {
          send = onEvent
        },
      },
      { onChange: ({ fraction }) => fractions.push(fraction), onBatchEnd: () => {} },
      new AbortController().signal,
    )
    follower.start()
    follower.refresh()
    await vi.waitFor(() => expect(fractions).toEqual([0.2]))
    send({ event: 'job.progress', seq: 1, job_id: 'a', progress: 60, stage: 'rendering' })
    send({ event: 'job.progress', seq: 1, job_id: 'gone', progress: 90, stage: 'rendering' })
    expect(fractions).toEqual([0.2, 0.6])
  })

  it('shows at once that deliveries wait, when that is chosen in the settings', async () => {
    const states: Activity[] = []
    let isOffline = false
    let send: (event: LiveEvent) => void = () => {}
    const call = async (name: string): Promise<unknown> =>
      name === 'readSettings'
        ? { is_offline: isOffline }
        : name === 'readDesk'
          ? { is_paused: false, songs: [] }
          : { jobs: [], total: 0 }
    const follower = new ActivityFollower(
      {
        call: call as Service['call'],
        follow: async (onEvent) => {
          send = onEvent
        },
      },
      { onChange: (state) => states.push(state), onBatchEnd: () => {} },
      new AbortController().signal,
    )
    follower.start()
    follower.refresh()
    await vi.waitFor(() => expect(states.at(-1)?.isOffline).toBe(false))
    isOffline = true
    send({ event: 'settings.changed', seq: 1 })
    await vi.waitFor(() => expect(states.at(-1)?.isOffline).toBe(true))
  })

  it('counts every song of a batch that is longer than a page', async () => {
    const ended = Array.from({ length: 250 }, (_, at) => ({ ...job(`${at}`, 'done'), batch_id: 'x' }))
    const batches: EndedBatch[] = []
    let send: (event: LiveEvent) => void = () => {}
    const call = async (name: string, parts: { query?: Record<string, unknown> } = {}): Promise<unknown> => {
      if (name === 'readJob') return ended[0]
      if (name === 'readDesk') return { is_paused: false, songs: [] }
      if (name === 'readSettings') return { is_offline: false }
      if (parts.query?.status === 'queued') return { jobs: [], total: 0 }
      const from = Number(parts.query?.cursor ?? 0)
      const next_cursor = from + 100 < ended.length ? String(from + 100) : undefined
      return { jobs: ended.slice(from, from + 100), total: ended.length, ...(next_cursor ? { next_cursor } : {}) }
    }
    const follower = new ActivityFollower(
      {
        call: call as Service['call'],
        follow: async (onEvent) => {
          send = onEvent
        },
      },
      { onChange: () => {}, onBatchEnd: (batch) => batches.push(batch) },
      new AbortController().signal,
    )
    follower.start()
    send({ event: 'job.completed', seq: 1, job_id: '0' })
    await vi.waitFor(() => expect(batches).toHaveLength(1))
    expect(batches[0]?.done).toHaveLength(250)
  })
})

describe('masters on disk', () => {
  it('are found in the folder that the job delivered to, and nowhere else whatever a file name says', () => {
    const results = [
      { platform: 'spotify', file: 'Song_spotify.wav' },
      { platform: 'melon', file: '../../etc/Song_melon.wav' },
    ] as unknown as Parameters<typeof deliveredPaths>[0]['results']
    expect(deliveredPaths({ output_folder: '/out', results }, null)).toEqual([
      '/out/Song_spotify.wav',
      '/out/Song_melon.wav',
    ])
    expect(deliveredPaths({ output_folder: '/out', results }, ['melon'])).toEqual(['/out/Song_melon.wav'])
    const release = { file: 'Song_release.wav' } as NonNullable<Parameters<typeof deliveredPaths>[0]['release']>
    expect(deliveredPaths({ output_folder: '/out', results, release }, null)[0]).toBe('/out/Song_release.wav')
    expect(deliveredPaths({ output_folder: '/out', results, release }, ['melon'])).toEqual(['/out/Song_melon.wav'])
    expect(deliveredPaths({ results }, null)).toEqual([])
  })
})
