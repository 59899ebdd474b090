import { beforeEach, describe, expect, it } from 'vitest'
import type { Batch, BatchSong, Source } from '../../src-contract/app.ts'
import { ApiError, createClient } from '../../src-contract/client.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { type BatchActions, type BatchDeps, createBatch } from '../../src-renderer/state/batch.ts'
import { inTurnOfPages } from '../../src-renderer/state/batch-analyses.ts'
import { mergedBatch, mergedOrder } from '../../src-renderer/state/batch-merge.ts'
import { sendingFor } from '../../src-renderer/state/batch-references.ts'
import { JobsStore } from '../../src-renderer/state/jobs.ts'
import { createNotices } from '../../src-renderer/state/notices.ts'
import { songRows } from '../../src-renderer/state/song-rows.ts'
import { someSettings, batchSong as song, sourceOf as source } from '../support/batch-songs.ts'
import { settle } from '../support/fake-clock.ts'

const emptyBatch = (): Batch => ({
  is_paused: false,
  release_songs: [],
  presets: [],
  songs: [],
  settings: someSettings,
})
const file = (name: string) => new File(['x'], name)

/** The songs of a server that is told their order: those that are named first, the others behind them. */
function ordered(songs: readonly BatchSong[], order: readonly string[] = []): BatchSong[] {
  const named = order.flatMap((id) => songs.filter((one) => one.source.source_id === id))
  return [...new Set([...named, ...songs])]
}

/** A batch over a server that keeps songs in memory; `refuse` names files that it does not take. */
function setUp(refuse: readonly string[] = []) {
  const server = emptyBatch()
  const calls: { path: string; body: unknown }[] = []
  const kept = new Map<string, string>()
  const gate: {
    wait: Promise<void> | null
    look: Promise<void> | null
    /** Holds back the answer to a removal or its undoing. */
    command?: () => Promise<void>
    isTooLate?: boolean
  } = { wait: null, look: null }
  const client = createClient({
    session: null,
    language: () => 'en',
    fetch: async (path, init) => {
      const body = typeof init?.body === 'string' ? JSON.parse(init.body) : init?.body
      calls.push({ path: String(path), body })
      if (path === '/api/v1/analyze') {
        await gate.look
        return Response.json({ warnings: [], waveform: [1], measurement: {}, spectrum: { band_hz: [], mid_db: [] } })
      }
      if (path === '/app/desk/remove')
        server.songs = server.songs.filter((s) => !body.source_ids.includes(s.source.source_id))
      if (path === '/app/desk/restore' && gate.isTooLate)
        return Response.json(
          { error: { code: 'NOT_FOUND', message: 'gone', request_id: 'r', retryable: false } },
          { status: 404 },
        )
      if (path === '/app/desk/restore') for (const id of body.source_ids) server.songs.push(song(id))
      if (body?.settings && path === '/app/desk') server.settings = body.settings
      server.songs = ordered(server.songs, body?.order)
      const answer = Response.json(server)
      if (init?.method === 'GET' && gate.wait) await gate.wait
      if (path === '/app/desk/remove' || path === '/app/desk/restore') await gate.command?.()
      return answer
    },
  })
  const notices = createNotices()
  let count = 0
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (k: string, v: string) => void kept.set(k, v),
  }
  const options: BatchDeps = {
    client,
    uploadsAtOnce: 1,
    jobs: new JobsStore(client),
    notices,
    newId: () => `upload-${++count}`,
    storage,
    upload: async ({ file: sent }) => {
      const id = sent.name.replace('.wav', '')
      if (refuse.includes(sent.name)) throw new ApiError({ code: 'UNSUPPORTED_FORMAT', values: { reason: 'aac' } })
      server.songs.push(song(id))
      return source(id)
    },
  }
  const make = () => createBatch(options)
  return { batch: make(), again: make, options, server, calls, notices, gate }
}

describe('the batch', () => {
  let it_: ReturnType<typeof setUp>
  beforeEach(async () => {
    it_ = setUp(['bad.m4a'])
    await it_.batch.read()
  })
  const order = () => it_.batch.store.getState().order
  const uploads = () => it_.batch.uploads.store.getState().uploads

  it('takes the good songs of a drop, keeps the bad one in its place and says why', async () => {
    it_.batch.addFiles([file('a.wav'), file('bad.m4a'), file('b.wav')])
    await expect.poll(() => order()).toEqual(['a', 'upload-2', 'b'])
    await expect.poll(() => uploads().map((one) => one.state)).toEqual(['refused'])
    expect(uploads()[0]?.error).toEqual({ code: 'UNSUPPORTED_FORMAT', values: { reason: 'aac' } })
  })

  it('keeps a chosen file chosen once it is a song', async () => {
    it_.batch.addFiles([file('a.wav'), file('b.wav')])
    it_.batch.select({ ids: ['upload-2'], anchorId: null })
    await expect.poll(() => order()).toEqual(['a', 'b'])
    expect(it_.batch.store.getState().selection.ids).toEqual(['b'])
  })

  it('says nothing to the server of a refused file that is taken off', async () => {
    it_.batch.addFiles([file('bad.m4a')])
    await expect.poll(() => uploads()[0]?.state).toBe('refused')
    const before = it_.calls.length
    it_.batch.remove(['upload-1'], 'removed')
    await settle()
    expect([order(), it_.calls.length]).toEqual([[], before])
  })

  it('still shows the refused file after a reload', async () => {
    it_.batch.addFiles([file('bad.m4a')])
    await expect.poll(() => uploads()[0]?.state).toBe('refused')
    expect(it_.again().uploads.store.getState().uploads).toMatchObject([{ filename: 'bad.m4a', state: 'refused' }])
  })

  it('measures every song once, without being asked', async () => {
    it_.batch.addFiles([file('a.wav'), file('b.wav')])
    const measured = () => it_.calls.filter((call) => call.path === '/api/v1/analyze').length
    await expect.poll(measured).toBe(2)
    await it_.batch.read()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(measured()).toBe(2)
    expect(it_.batch.store.getState().batch?.songs.every((one) => one.analysis)).toBe(true)
  })

  it('measures songs of releases after its own, and has no row for them', async () => {
    it_.server.songs = [song('a', { analysis: null })]
    it_.server.release_songs = [song('r', { analysis: null })]
    await it_.batch.read()
    const measured = () => it_.calls.flatMap(({ path, body }) => (path === '/api/v1/analyze' ? [body] : []))
    await expect.poll(() => measured().map((form) => (form as FormData).get('source_id'))).toEqual(['a', 'r'])
    await settle()
    const { batch } = it_.batch.store.getState()
    expect([order(), batch?.release_songs.map(({ analysis }) => analysis !== null)]).toEqual([['a'], [true]])
  })

  it('does not look at a song that is too short to be mastered', async () => {
    it_.server.songs.push({ ...song('a'), source: { ...source('a'), duration_seconds: 0.5 } }, song('b'))
    await it_.batch.read()
    const measured = () => it_.calls.filter((call) => call.path === '/api/v1/analyze').length
    await expect
      .poll(() => it_.batch.store.getState().batch?.songs.map((one) => one.analysis !== null))
      .toEqual([false, true])
    expect(measured()).toBe(1)
  })

  it('shows how far the look at a song is, only ever more, and one song after the other', async () => {
    const { batch, gate } = it_
    let find: () => void = () => undefined
    gate.look = new Promise<void>((resolve) => {
      find = resolve
    })
    const analysing = () => batch.analyses.store.getState().analysing
    const hear = (progress: number, stage = 'decoding', source_id = 'a') =>
      batch.analyses.apply({ event: 'source.progress', seq: 1, source_id, progress, stage })
    batch.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(analysing).toEqual({ a: { stage: 'decoding', percent: 0 } })
    hear(30)
    hear(12, 'decoding', 'b')
    hear(45, 'analysing')
    hear(31, 'decoding')
    expect(analysing(), 'that of another page as well').toEqual({
      a: { stage: 'analysing', percent: 45 },
      b: { stage: 'decoding', percent: 12 },
    })
    find()
    await expect.poll(() => batch.store.getState().batch?.songs.filter((one) => one.analysis).length).toBe(2)
    expect(analysing()).toEqual({})
  })

  it('is measured by one page at a time, and the next one begins with what the first has found', async () => {
    const { server, options, calls, gate } = setUp()
    server.songs.push(song('a'))
    let find: () => void = () => undefined
    gate.look = new Promise<void>((resolve) => (find = resolve))
    const [here, there] = [1, 2].map(() => createBatch({ ...options, alone: inTurnOfPages })) as [
      BatchActions,
      BatchActions,
    ]
    await Promise.all([here.read(), there.read()])
    const asked = () => calls.filter(({ path }) => path === '/api/v1/analyze').length
    await expect.poll(asked).toBe(1)
    there.analyses.apply({ event: 'source.progress', seq: 1, source_id: 'a', progress: 40, stage: 'decoding' })
    server.songs = [song('a', { analysis: { warnings: [] } as never })]
    find()
    const isKnown = (batch: BatchActions) => Boolean(batch.store.getState().batch?.songs[0]?.analysis)
    await expect.poll(() => [isKnown(here), isKnown(there)]).toEqual([true, true])
    await expect.poll(() => [here, there].map((batch) => batch.analyses.store.getState().analysing)).toEqual([{}, {}])
    expect(asked()).toBe(1)
  })

  it('refuses a file over the limit before sending a byte of it', () => {
    const huge = new File([], 'huge.wav')
    Object.defineProperty(huge, 'size', { value: 1_073_741_825 })
    it_.batch.addFiles([huge])
    expect(uploads()).toMatchObject([{ state: 'refused', error: { code: 'FILE_TOO_LARGE' } }])
  })

  it('undoes and redoes settings, order and removal in one history, and the server follows', async () => {
    it_.batch.addFiles([file('a.wav'), file('b.wav'), file('c.wav')])
    await expect.poll(() => order()).toEqual(['a', 'b', 'c'])
    const { edits } = it_.notices
    const state = () => {
      const { batch } = it_.batch.store.getState()
      return [
        order().join(),
        batch?.settings.genre,
        batch?.songs.find((s) => s.source.source_id === 'a')?.settings?.genre,
      ]
    }
    const steps = [state()]
    for (const step of [
      () => it_.batch.changeSettings({ genre: 'edm' }, []),
      () => it_.batch.changeSettings({ genre: 'ballad' }, ['a', 'b']),
      () => it_.batch.move('a', 1),
      () => it_.batch.remove(['b'], 'removed'),
    ]) {
      step()
      steps.push(state())
    }
    expect(steps.at(-1)).toEqual(['a,c', 'edm', 'ballad'])
    for (const step of steps.toReversed().slice(1)) {
      edits.undo()
      expect(state()).toEqual(step)
    }
    for (const step of steps.slice(1)) {
      edits.redo()
      expect(state()).toEqual(step)
    }
    await expect
      .poll(() => [it_.server.songs.map((s) => s.source.source_id).join(), it_.server.settings.genre])
      .toEqual(['a,c', 'edm'])
  })

  it('puts a removed song back where it was when that is undone', async () => {
    it_.batch.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(() => order()).toEqual(['a', 'b'])
    it_.batch.remove(['a'], 'removed')
    expect(order()).toEqual(['b'])
    it_.notices.undo()
    expect(order()).toEqual(['a', 'b'])
    await expect.poll(() => it_.calls.some((call) => call.path === '/app/desk/restore')).toBe(true)
  })

  it('keeps the place of a song that is put back before the server has answered its removal', async () => {
    const { batch, gate, notices } = it_
    batch.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(order).toEqual(['a', 'b'])
    await expect.poll(() => uploads()).toEqual([])
    const answers: (() => void)[] = []
    gate.command = () => new Promise<void>((resolve) => answers.push(resolve))
    batch.remove(['a'], 'a removed')
    expect(order()).toEqual(['b'])
    notices.undo()
    await expect.poll(() => answers.length).toBe(1)
    answers[0]?.()
    await expect.poll(() => answers.length).toBe(2)
    expect(order()).toEqual(['a', 'b'])
    expect(
      batch.store
        .getState()
        .batch?.songs.map((one) => one.source.source_id)
        .sort(),
    ).toEqual(['a', 'b'])
    answers[1]?.()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(order()).toEqual(['a', 'b'])
  })

  it('leaves a failure to be read that came while the server was still answering', async () => {
    const { batch, gate, server } = it_
    batch.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(order).toEqual(['a', 'b'])
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
    gate.command = () => isAnswered
    batch.remove(['a'], 'a removed')
    await expect.poll(() => server.songs.length).toBe(1)
    batch.fail(new ApiError({ code: 'RESULT_EXPIRED' }))
    answer()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(batch.store.getState().failure?.code).toBe('RESULT_EXPIRED')
  })

  it('leaves a failure to be read when the batch is read again, and until something else is done by hand', async () => {
    const { batch } = it_
    const failure = () => batch.store.getState().failure?.code
    batch.fail(new ApiError({ code: 'RESULT_EXPIRED' }))
    await batch.read()
    expect(failure()).toBe('RESULT_EXPIRED')
    batch.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(order).toEqual(['a', 'b'])
    expect(failure(), 'songs that arrive are no deed of the hand').toBe('RESULT_EXPIRED')
    for (const deed of [
      () => batch.setPaused(true),
      () => batch.move('a', 1),
      () => batch.arrange(['a', 'b'], 'title'),
      () => batch.changeSettings({ intensity: 10 }, []),
      () => batch.changePresets((all) => [...all]),
      () => batch.start(['a']),
      () => batch.stop(['a']),
      () => batch.remove(['a'], 'a removed'),
    ]) {
      batch.fail(new ApiError({ code: 'RESULT_EXPIRED' }))
      void deed()
      expect(failure(), String(deed)).toBeUndefined()
    }
  })

  it('no longer says that the program is away once it has answered, but still that something could not be saved', async () => {
    const { batch, gate } = it_
    const failure = () => batch.store.getState().failure?.code
    batch.addFiles([file('a.wav')])
    await expect.poll(order).toEqual(['a'])
    gate.command = () => Promise.reject(new TypeError('connection refused'))
    batch.remove(['a'], 'a removed')
    await expect.poll(failure).toBe('UNREACHABLE')
    gate.command = () => Promise.resolve()
    await batch.read()
    expect(failure()).toBeUndefined()
    batch.fail(new ApiError({ code: 'UNREACHABLE' }))
    await batch.read()
    expect(failure()).toBe('UNREACHABLE')
  })

  it('lets go of a song that could not be put back', async () => {
    const { batch, gate, notices } = it_
    batch.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(order).toEqual(['a', 'b'])
    batch.remove(['a'], 'a removed')
    await expect.poll(() => it_.server.songs.length).toBe(1)
    gate.isTooLate = true
    notices.undo()
    await expect.poll(() => batch.store.getState().failure?.code).toBe('NOT_FOUND')
    await batch.read()
    expect(order()).toEqual(['b'])
  })

  it('stops sending a file that is removed on its way, and sends it again when that is undone', async () => {
    const signals: AbortSignal[] = []
    const { options, notices } = setUp()
    const slow = createBatch({
      ...options,
      upload: ({ signal }) =>
        new Promise((_resolve, reject) => {
          if (!signal) return
          signals.push(signal)
          signal.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')))
        }),
    })
    await slow.read()
    slow.addFiles([file('a.wav'), file('b.wav')])
    slow.remove(['upload-1'], 'removed')
    expect(signals[0]?.aborted).toBe(true)
    await expect.poll(() => slow.uploads.store.getState().uploads.map((one) => one.state)).toEqual(['sending'])
    notices.undo()
    expect(slow.store.getState().order).toEqual(['upload-1', 'upload-2'])
    const states = () => slow.uploads.store.getState().uploads.map(({ uploadId, state }) => [uploadId, state])
    expect(states()).toEqual([
      ['upload-2', 'sending'],
      ['upload-1', 'queued'],
    ])
  })

  it('sends settings once when the hand rests, and never loses the last value', async () => {
    const settings = emptyBatch().settings
    for (const intensity of [51, 60, 72]) it_.batch.changeSettings({ ...settings, intensity }, [])
    expect(it_.batch.store.getState().batch?.settings.intensity).toBe(72)
    const sent = () => it_.calls.filter((call) => (call.body as { settings?: unknown })?.settings)
    await expect.poll(() => sent().length).toBe(1)
    expect(sent()[0]?.body).toMatchObject({ settings: { intensity: 72 } })
  })

  it('keeps a setting that is being changed when the batch is read in between', async () => {
    it_.batch.changeSettings({ ...emptyBatch().settings, intensity: 90 }, [])
    await it_.batch.read()
    expect(it_.batch.store.getState().batch?.settings.intensity).toBe(90)
  })
})

describe('a page that goes while files are on their way', () => {
  /** A batch whose uploads never end, left with a in the batch and b and c under way, in this order: b, a, c. */
  async function leftBatch() {
    const { options, server, calls } = setUp()
    server.songs.push(song('a'))
    const left = createBatch({ ...options, upload: () => new Promise(() => undefined) })
    await left.read()
    left.addFiles([file('b.wav'), file('c.wav')])
    left.move('upload-1', -1)
    left.changeSettings({ ...emptyBatch().settings, genre: 'edm' }, ['upload-2'])
    left.uploads.leave()
    return { options, server, calls, again: createBatch(options) }
  }
  const names = (batch: ReturnType<typeof createBatch>) =>
    batch.uploads.store.getState().uploads.map(({ filename, state }) => [filename, state])

  it('finds them again as interrupted, in their places', async () => {
    const { again } = await leftBatch()
    await again.read()
    expect(names(again)).toEqual([
      ['b.wav', 'interrupted'],
      ['c.wav', 'interrupted'],
    ])
    expect(again.store.getState().order).toEqual(['upload-1', 'a', 'upload-2'])
    expect(again.uploads.hasPending()).toBe(false)
  })

  it('goes on in the same place and with the same settings when the file is given again, and takes others as new', async () => {
    const { again, calls } = await leftBatch()
    await again.read()
    again.addFiles([file('c.wav'), file('d.wav'), new File(['other'], 'b.wav')])
    await expect.poll(() => again.store.getState().order.slice(0, 4)).toEqual(['upload-1', 'a', 'c', 'd'])
    expect(names(again)[0]).toEqual(['b.wav', 'interrupted'])
    const own = again.store.getState().batch?.songs.find((one) => one.source.source_id === 'c')?.settings
    expect(own?.genre).toBe('edm')
    await expect
      .poll(() => calls.find((call) => call.path === '/app/desk/c')?.body)
      .toMatchObject({
        settings: { genre: 'edm' },
      })
  })

  it('waits in the same way for a file that the server never got, and still says why it refused another', async () => {
    const { options } = setUp(['bad.m4a'])
    const send = options.upload
    const left = createBatch({
      ...options,
      upload: async (given) => {
        if (given.file.name === 'a.wav') throw new ApiError({ code: 'UNREACHABLE' })
        return send(given)
      },
    })
    await left.read()
    left.addFiles([file('a.wav'), file('bad.m4a')])
    await expect.poll(() => names(left).map(([, state]) => state)).toEqual(['refused', 'refused'])
    left.uploads.leave()
    const again = createBatch(options)
    await again.read()
    expect(names(again)).toEqual([
      ['a.wav', 'interrupted'],
      ['bad.m4a', 'refused'],
    ])
    expect(again.uploads.store.getState().uploads[1]?.error?.values).toEqual({ reason: 'aac' })
  })

  it('sends what never got there once the program is there again, and keeps it from other pages meanwhile', async () => {
    const { options } = setUp(['bad.m4a'])
    const send = options.upload
    let code: 'UNREACHABLE' | 'INVALID_API_KEY' | null = 'UNREACHABLE'
    const batch = createBatch({
      ...options,
      upload: async (given) => {
        if (code) throw new ApiError({ code })
        return send(given)
      },
    })
    await batch.read()
    batch.addFiles([file('a.wav')])
    await expect.poll(() => batch.uploads.unreached()).toBe(1)
    code = 'INVALID_API_KEY'
    batch.addFiles([file('b.wav')])
    await expect.poll(() => batch.uploads.unreached()).toBe(2)
    code = null
    batch.addFiles([file('bad.m4a')])
    await expect.poll(() => names(batch).map(([, state]) => state)).toEqual(['refused', 'refused', 'refused'])
    expect(options.storage.getItem('loudsmith.uploads')).toContain('bad.m4a')
    expect(options.storage.getItem('loudsmith.uploads')).not.toContain('a.wav')
    batch.uploads.resendUnreached()
    await expect.poll(() => names(batch)).toEqual([['bad.m4a', 'refused']])
    expect(batch.uploads.unreached()).toBe(0)
  })

  it('shows no interrupted file that had arrived all the same', async () => {
    const { again, server } = await leftBatch()
    const arrived = song('c')
    server.songs.push({ ...arrived, source: { ...arrived.source, created_at: '2999-01-01T00:00:00.000Z' } })
    await again.read()
    expect(names(again)).toEqual([['b.wav', 'interrupted']])
    expect(again.store.getState().order).toEqual(['upload-1', 'a', 'c'])
    expect(again.store.getState().batch?.songs.find((one) => one.source.source_id === 'c')?.settings?.genre).toBe('edm')
  })

  it('is not what another page in the same browser sees', async () => {
    const { options } = setUp()
    const first = createBatch({ ...options, upload: () => new Promise(() => undefined) })
    await first.read()
    first.addFiles([file('b.wav')])
    expect(names(createBatch(options))).toEqual([])
  })
})

describe('a song that takes the place of another', () => {
  it('keeps its own settings', async () => {
    const { batch, server, calls } = setUp()
    server.songs.push({ ...song('a'), settings: { ...emptyBatch().settings, genre: 'ballad' } })
    await batch.read()
    batch.addFiles([file('b.wav')], 'a')
    await expect
      .poll(() => calls.find((call) => call.path === '/app/desk/b')?.body)
      .toMatchObject({
        settings: { genre: 'ballad' },
      })
  })
})

describe('songs with settings of their own', () => {
  it('take those of all songs again together, and get their own back', async () => {
    const { batch, server, calls, notices } = setUp()
    const own = { ...emptyBatch().settings, genre: 'ballad' as const }
    server.songs.push({ ...song('a'), settings: own }, { ...song('b'), settings: own }, song('c'))
    await batch.read()
    const told = () => calls.filter(({ path, body }) => /desk\/[ab]$/.test(path) && body).map(({ body }) => body)
    batch.clearOwnSettings(['a', 'b'], 'sound', 'as all songs')
    await expect.poll(told).toEqual([{ settings: null }, { settings: null }])
    expect(notices.store.getState().toast?.text).toBe('as all songs')
    notices.undo()
    await expect.poll(() => told().slice(2)).toEqual([{ settings: own }, { settings: own }])
  })
})

describe('what arrives while the batch is read', () => {
  it('keeps the own settings of a song until the server has confirmed them', async () => {
    const { batch, calls } = setUp()
    await batch.read()
    batch.addFiles([file('a.wav')])
    await expect.poll(() => batch.store.getState().order).toEqual(['a'])
    const own = { ...emptyBatch().settings, genre: 'edm' as const }
    batch.changeSettings({ ...emptyBatch().settings, genre: 'ballad' }, [])
    batch.changeSettings(own, ['a'])
    await batch.read()
    expect(batch.store.getState().batch?.songs[0]?.settings?.genre).toBe('edm')
    await expect.poll(() => calls.map((call) => call.path)).toContain('/app/desk/a')
    expect(calls.find((call) => call.path === '/app/desk' && call.body)?.body).toMatchObject({
      settings: { genre: 'ballad' },
    })
  })

  it('does not fall back to an older reading that is answered after the confirmation', async () => {
    const { batch, calls, gate } = setUp()
    await batch.read()
    let answer: () => void = () => undefined
    gate.wait = new Promise<void>((resolve) => {
      answer = resolve
    })
    const old = batch.read()
    batch.changeSettings({ ...emptyBatch().settings, intensity: 80 }, [])
    await expect.poll(() => calls.some((call) => (call.body as { settings?: unknown })?.settings)).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 20))
    gate.wait = null
    answer()
    await old
    expect(batch.store.getState().batch?.settings.intensity).toBe(80)
  })

  it.each([false, true])('shows a song once, as its upload, until that is answered; stems: %s', async (isStems) => {
    const { options, server } = setUp()
    server.songs.push(song('old', { stem_count: 2 }))
    const created_at = '2999-01-01T00:00:00.000Z'
    // The song of stems has a name and a size of its own.
    const stored = isStems ? { ...source('a'), filename: 'Sum.wav', size_bytes: 9, created_at } : source('a')
    let answer: () => void = () => undefined
    const late = new Promise<void>((resolve) => {
      answer = resolve
    })
    const slow = createBatch({
      ...options,
      upload: async () => {
        server.songs.push({ ...song('a', isStems ? { stem_count: 2 } : {}), source: stored })
        await late
        return stored
      },
    })
    if (isStems) slow.addStems([file('a.wav'), file('b.wav')])
    else slow.addFiles([file('a.wav')])
    await slow.read()
    const [upload] = slow.uploads.store.getState().uploads
    expect(slow.store.getState().order).toEqual(['old', upload?.uploadId])
    answer()
    await expect.poll(() => slow.store.getState().order).toEqual(['old', 'a'])
    expect(slow.uploads.store.getState().uploads).toEqual([])
  })
})

describe('songs that arrive out of their order', () => {
  /** A batch whose uploads all run at once and are answered by `arrive`. */
  function parallelBench() {
    const given = setUp()
    const answers = new Map<string, () => void>()
    const batch = createBatch({
      ...given.options,
      uploadsAtOnce: 9,
      upload: ({ file: sent }) =>
        new Promise((resolve) => {
          const id = sent.name.replace('.wav', '')
          answers.set(id, () => {
            given.server.songs.push(song(id))
            resolve(source(id))
          })
        }),
    })
    const arrive = async (id: string) => {
      answers.get(id)?.()
      await expect.poll(() => batch.store.getState().order).toContain(id)
    }
    const toldOrders = () =>
      given.calls.map(({ body }) => (body as { order?: string[] } | undefined)?.order).filter((told) => told)
    return { ...given, batch, arrive, toldOrders }
  }

  it('stay in the order in which they were given, and the server hears of it', async () => {
    const { batch, arrive, toldOrders } = parallelBench()
    await batch.read()
    batch.addFiles([file('a.wav'), file('b.wav'), file('c.wav')])
    await arrive('b')
    await arrive('c')
    expect(toldOrders()).toEqual([])
    await arrive('a')
    expect(batch.store.getState().order).toEqual(['a', 'b', 'c'])
    await expect.poll(toldOrders).toEqual([['a', 'b', 'c']])
  })

  it('stay behind the older ones in the order in which they were given before the batch was read', async () => {
    const { batch, arrive, toldOrders, server } = parallelBench()
    server.songs.push(song('older'))
    batch.addFiles([file('a.wav'), file('b.wav'), file('c.wav')])
    await arrive('c')
    await arrive('a')
    await batch.read()
    expect(batch.store.getState().order).toEqual(['older', 'a', 'upload-2', 'c'])
    await expect.poll(toldOrders).toEqual([['older', 'a', 'c']])
    await arrive('b')
    expect(batch.store.getState().order).toEqual(['older', 'a', 'b', 'c'])
    await expect.poll(() => toldOrders().at(-1)).toEqual(['older', 'a', 'b', 'c'])
  })
})

describe('the jobs of the songs in the batch', () => {
  /** A batch of `count` songs whose jobs are done; the server lists the newest `listed` of them by pages, the others it answers singly. */
  async function read(count: number, listed: number, isListing = true) {
    const given = setUp()
    const ids = Array.from({ length: count }, (_, i) => `${i}`)
    const songs = ids.map((id) => song(id, { analysis: {} as never, state: 'submitted', job_ids: [`job-${id}`] }))
    const jobOf = (id: string) => ({ job_id: id, status: 'done', results: [] })
    const asked: string[] = []
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path) => {
        const { pathname, searchParams } = new URL(String(path), 'http://here')
        if (pathname === '/app/desk') return Response.json({ ...emptyBatch(), songs })
        asked.push(pathname)
        if (pathname !== '/api/v1/jobs') return Response.json(jobOf(pathname.slice('/api/v1/jobs/'.length)))
        if (!isListing) throw new TypeError('no answer')
        const from = Number(searchParams.get('cursor') ?? 0)
        const to = from + Number(searchParams.get('limit'))
        const page = { jobs: ids.slice(from, Math.min(to, listed)).map((id) => jobOf(`job-${id}`)), total: 500 }
        return Response.json({ ...page, next_cursor: `${to}` })
      },
    })
    const jobs = new JobsStore(client)
    const batch = createBatch({ ...given.options, client, jobs })
    const known: number[] = []
    batch.store.subscribe(() => known.push(Object.keys(jobs.store.getState().byId).length))
    await batch.read()
    return { asked, known: Math.min(...known) }
  }

  it('are read by pages and known when the songs are shown', async () => {
    const { asked, known } = await read(120, 120)
    expect(asked).toEqual(['/api/v1/jobs', '/api/v1/jobs'])
    expect(known).toBe(120)
  })

  it('are read singly where they are not among the newest, or the list does not answer', async () => {
    const old = await read(103, 101)
    expect(old.asked).toEqual([
      '/api/v1/jobs',
      '/api/v1/jobs',
      '/api/v1/jobs',
      '/api/v1/jobs/job-101',
      '/api/v1/jobs/job-102',
    ])
    expect(old.known).toBe(103)
    expect((await read(2, 2, false)).known).toBe(2)
    expect((await read(1, 1)).asked).toEqual(['/api/v1/jobs/job-0'])
  })

  it('keep their masters when they are cancelled too late', async () => {
    const asked: string[] = []
    const jobs = new JobsStore(
      createClient({
        session: null,
        language: () => 'en',
        fetch: async (address, init) => {
          asked.push(`${init?.method} ${new URL(String(address), 'http://here').search}`)
          return Response.json({ job_id: 'a', status: 'done', results: [] })
        },
      }),
    )
    await jobs.cancel('a')
    expect(asked).toEqual(['DELETE ?status=queued'])
    expect(jobs.store.getState().byId.a?.status).toBe('done')
  })
})

describe('the order of the list', () => {
  it('is still named after a reload, and no longer once a song was moved or added', async () => {
    const { batch, again } = setUp()
    await batch.read()
    const named = () => [batch.store.getState().sort, again().store.getState().sort]
    expect(named()).toEqual(['added', 'added'])
    batch.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(() => batch.store.getState().order).toEqual(['a', 'b'])
    expect(named()).toEqual(['added', 'added'])
    batch.arrange(['b', 'a'], 'title')
    expect(named()).toEqual(['title', 'title'])
    batch.move('a', -1)
    expect(named()).toEqual([null, null])
    batch.arrange(['a', 'b'], 'title')
    batch.addFiles([file('c.wav')])
    expect(named()).toEqual([null, null])
  })
})

describe('the order that another page gives the list', () => {
  async function twoPages() {
    const given = setUp()
    given.server.songs = ['a', 'b', 'c'].map((id) => song(id, { state: id === 'a' ? 'ready' : 'waiting' }))
    const [here, there] = [given.batch, given.again()]
    await here.read()
    await there.read()
    const [order, orderThere] = [here, there].map((page) => () => page.store.getState().order)
    const told = () => given.calls.filter(({ body }) => (body as { order?: string[] } | undefined)?.order).length
    return { ...given, here, there, order, orderThere, told }
  }

  it('is shown once the batch is read, with what it is ordered by', async () => {
    const { here, there, order, orderThere, told } = await twoPages()
    const sorts = () => [here.store.getState().sort, there.store.getState().sort]
    there.move('c', -2)
    await settle(20)
    await here.read()
    expect([order?.(), sorts()]).toEqual([
      ['c', 'a', 'b'],
      [null, null],
    ])
    here.arrange(['a', 'b', 'c'], 'title')
    await settle(20)
    await there.read()
    expect([orderThere?.(), sorts()]).toEqual([
      ['a', 'b', 'c'],
      ['title', 'title'],
    ])
    expect(told(), 'orders told the server').toBe(2)
  })

  it('leaves the row in the hand in its place, and the server hears of that once it is let go', async () => {
    const { here, there, order, server, told } = await twoPages()
    here.hold('b')
    there.arrange(['b', 'c', 'a'], 'length')
    await settle(20)
    await here.read()
    expect([order?.(), told()]).toEqual([['c', 'b', 'a'], 1])
    here.hold(null)
    await settle(20)
    expect([order?.(), told()]).toEqual([['c', 'b', 'a'], 2])
    expect(server.songs.map((one) => one.source.source_id)).toEqual(['c', 'b', 'a'])
    here.hold('c')
    here.hold(null)
    await settle(20)
    expect(told(), 'a row that was only held').toBe(2)
  })

  it('moves a row that was in the hand when it was taken off, and is put back', async () => {
    const { here, there, order, notices } = await twoPages()
    here.hold('a')
    there.remove(['a'], 'removed')
    await settle(20)
    await here.read()
    notices.undo()
    there.move('a', 2)
    await settle(20)
    await here.read()
    there.move('a', -2)
    await settle(20)
    await here.read()
    expect(order?.()).toEqual(['a', 'b', 'c'])
  })
})

describe('a song that is to be mastered again', () => {
  const say = (title: string, others: number, isReferenceGone: boolean) => `${title} ${others} ${isReferenceGone}`
  const made = {
    ...someSettings,
    job_id: 'old',
    source_id: 'a',
    status: 'done',
    results: [],
    intensity: 80,
  } as never as Job
  /** The batch with its song as the list shows it. */
  async function again(refuse: readonly string[] = []) {
    const given = setUp(refuse)
    given.server.songs.push(song('a', { analysis: { warnings: [] } as never, state: 'submitted', job_ids: ['old'] }))
    given.options.jobs.keep([made])
    await given.batch.read()
    const row = () => {
      const { batch } = given.batch.store.getState()
      const { accepted, again } = given.batch.marks.store.getState()
      const { byId } = given.options.jobs.store.getState()
      const none = { uploads: [], order: [], analysing: {}, analysisErrors: {} }
      return songRows({ ...none, songs: batch?.songs ?? [], settings: someSettings, jobs: byId, accepted, again })[0]
    }
    const sent = () => given.calls.filter(({ path }) => path === '/app/desk/a').map(({ body }) => body)
    const started = () => given.calls.filter(({ path }) => path === '/app/desk/start').length
    return { ...given, row, sent, started }
  }

  it('is ready with the settings it had, and nothing is spent', async () => {
    const { batch, row, sent, started } = await again()
    expect(row()?.kind).toBe('done')
    await batch.masterAgain([made], say)
    expect([row()?.kind, row()?.song?.settings?.intensity]).toEqual(['ready', 80])
    expect(batch.store.getState()).toMatchObject({ selection: { ids: ['a'] } })
    await expect.poll(sent).toMatchObject([{ settings: { intensity: 80 } }])
    expect(started()).toBe(0)
  })

  it('is done as before when that is undone, with the settings of all songs', async () => {
    const { batch, row, sent, notices } = await again()
    await batch.masterAgain([made], say)
    notices.undo()
    expect(row()?.kind).toBe('done')
    await expect.poll(() => sent().at(-1)).toEqual({ settings: null })
  })

  it('is shown with its new job once it was started', async () => {
    const { batch, row, server, options } = await again()
    await batch.masterAgain([made], say)
    options.jobs.keep([{ ...made, job_id: 'new' }])
    server.songs = [song('a', { state: 'submitted', job_ids: ['new', 'old'] })]
    await batch.read()
    expect(row()).toMatchObject({ kind: 'done', job: { job_id: 'new' } })
  })

  it('comes back from among those that were taken off', async () => {
    const { batch, row, calls, notices } = await again()
    batch.remove(['a'], 'removed')
    await batch.masterAgain([made], say)
    expect(calls.map(({ path }) => path)).toContain('/app/desk/restore')
    expect(row()?.song?.settings?.intensity).toBe(80)
    notices.undo()
    expect(row()).toBeUndefined()
  })

  it('is so after a reload and in another page of the browser, until it is undone', async () => {
    const { batch, notices, again: make } = await again()
    const other = make()
    await batch.masterAgain([made], say)
    other.marks.hearOthers()
    expect([make().marks.store.getState().again, other.marks.store.getState().again]).toEqual([
      { old: true },
      { old: true },
    ])
    notices.undo()
    other.marks.hearOthers()
    expect([make().marks.store.getState().again, other.marks.store.getState().again]).toEqual([{}, {}])
  })

  it('is refused for a mix of stems that the batch has forgotten; their plain sum comes back', async () => {
    const { batch, gate, started } = await again()
    gate.isTooLate = true
    const mixed = { ...made, job_id: 'far', source_id: 'gone', filename: 'far.wav', stem_count: 3 }
    const stem_mix = { stems: [{ stem: 1, mute: true }] }
    await expect(batch.masterAgain([{ ...mixed, stem_mix }], say)).rejects.toMatchObject({ code: 'STEMS_GONE' })
    expect([batch.store.getState().order, started()]).toEqual([['a'], 0])
    await batch.masterAgain([mixed], say)
    expect(batch.store.getState().selection.ids).toEqual(['far'])
  })

  it('comes from what its job has kept, with the reference, where the batch has forgotten it', async () => {
    const { batch, gate, calls, started, notices, server } = await again()
    gate.isTooLate = true
    const forgotten = {
      ...made,
      job_id: 'far',
      source_id: 'gone',
      filename: 'far.wav',
      reference_filename: 'guide.wav',
    }
    await batch.masterAgain([{ ...forgotten, title: 'Far' }], say)
    const paths = calls.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['/api/v1/jobs/far/files/source', '/api/v1/jobs/far/files/reference']))
    expect(notices.store.getState().toast?.text).toBe('Far 0 false')
    await expect
      .poll(() => batch.store.getState().batch?.songs.find((one) => one.source.source_id === 'far')?.settings)
      .toMatchObject({ intensity: 80, reference_source_id: 'guide' })
    expect([batch.store.getState().selection.ids, started()]).toEqual([['far'], 0])
    notices.undo()
    expect(batch.store.getState().order).not.toContain('far')
    await expect.poll(() => server.songs.map((one) => one.source.source_id)).not.toContain('far')
  })

  it('is one of several: each once, as its newest job made it, and one undo for all', async () => {
    const { batch, row, notices, server } = await again()
    const at = (hour: number) => `2026-01-01T0${hour}:00:00.000Z`
    const older = { ...made, job_id: 'oldest', created_at: at(1), intensity: 10, title: 'a' }
    const newer = { ...made, created_at: at(2), title: 'a' }
    server.songs.push(song('b', { analysis: { warnings: [] } as never, state: 'submitted', job_ids: ['b1'] }))
    await batch.read()
    await batch.masterAgain([older, newer, { ...newer, job_id: 'b1', source_id: 'b', title: 'b' }], say)
    expect(row()?.song?.settings?.intensity).toBe(80)
    expect(batch.marks.store.getState().again).toEqual({ old: true, b1: true })
    expect(notices.store.getState().toast?.text).toBe('a 1 false')
    notices.undo()
    expect(batch.marks.store.getState().again).toEqual({})
  })

  const guided = { ...made, title: 'a', reference_filename: 'guide.wav' }
  /** A batch whose server answers what ends so with a failure. */
  async function failing(end: string, code: string, status: number) {
    const { options, notices } = await again()
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path) => {
        if (!String(path).endsWith(end)) return options.client.open('readDesk', {})
        return Response.json({ error: { code, message: '', request_id: 'r', retryable: false } }, { status })
      },
    })
    const batch = createBatch({ ...options, client })
    await batch.read()
    return { batch, toast: () => notices.store.getState().toast?.text }
  }

  /** The batch over one whose references arrive only when they are let; `refuse` lets them be refused. */
  async function slowReference() {
    const given = await again()
    let let_: (source: Source) => void = () => {}
    let refuse: () => void = () => {}
    const upload: BatchDeps['upload'] = () =>
      new Promise((resolve, reject) => {
        let_ = resolve
        refuse = () => reject(new ApiError({ code: 'UNSUPPORTED_FORMAT', values: { reason: 'aac' } }))
      })
    const batch = createBatch({ ...given.options, upload })
    await batch.read()
    const song = () => batch.store.getState().batch?.songs[0]
    const isSending = () => batch.references.store.getState().sending[0]?.sent === 0
    const told = () =>
      given.calls.filter(({ path }) => /desk\/(a|start)$/.test(path)).map(({ path, body }) => ({ path, body }))
    return { ...given, batch, song, isSending, told, arrive: () => let_(source('guide')), refuse: () => refuse() }
  }

  it('is the one whose settings are shown and changed at once, before its reference has arrived', async () => {
    const { batch, song, isSending, told, arrive } = await slowReference()
    const coming = batch.masterAgain([guided], say)
    expect(batch.store.getState()).toMatchObject({ selection: { ids: ['a'] } })
    expect([batch.marks.store.getState().again, song()?.settings?.intensity, isSending()]).toEqual([
      { old: true },
      80,
      true,
    ])
    batch.changeSettings({ genre: 'edm' }, ['a'])
    await settle(20)
    arrive()
    await coming
    expect(song()?.settings).toMatchObject({ genre: 'edm', intensity: 80, reference_source_id: 'guide' })
    await expect
      .poll(() => told().at(-1)?.body)
      .toMatchObject({ settings: { genre: 'edm', intensity: 80, reference_source_id: 'guide' } })
    expect(batch.store.getState().batch?.settings).toEqual(someSettings)
  })

  it('is started with what was changed and with its reference, however early the press', async () => {
    const { batch, song, told, server, arrive, options } = await slowReference()
    const earlier = { ...made, batch_id: 'earlier' }
    options.jobs.keep([earlier])
    server.songs = server.songs.map((one) => ({ ...one, batch_id: 'earlier' }))
    await batch.read()
    const kind = () => {
      const none = {
        uploads: [],
        order: [],
        analysing: {},
        analysisErrors: {},
        accepted: {},
        again: { old: true as const },
      }
      const songs = batch.store.getState().batch?.songs ?? []
      return songRows({ ...none, songs, settings: someSettings, jobs: { old: earlier } })[0]?.kind
    }
    const coming = batch.masterAgain([guided], say)
    batch.changeSettings({ genre: 'edm' }, ['a'])
    const started = batch.start(['a'])
    await batch.read()
    await settle(20)
    expect([song()?.state, kind()], 'it waits, whatever is read').toEqual(['waiting', 'waiting'])
    expect(told().filter(({ path }) => path.endsWith('start'))).toEqual([])
    arrive()
    await Promise.all([coming, started])
    const [last, start] = told().slice(-2)
    expect(last?.body).toMatchObject({ settings: { genre: 'edm', intensity: 80, reference_source_id: 'guide' } })
    expect(start).toEqual({ path: '/app/desk/start', body: { source_ids: ['a'] } })
    expect(server.settings).toEqual(someSettings)
  })

  it('is not started by an early press where its reference is gone in the end, or when that is cancelled', async () => {
    for (const end of ['refused', 'cancelled', 'taken off'] as const) {
      const { batch, song, told, arrive, refuse } = await slowReference()
      const coming = batch.masterAgain([guided], say)
      const started = batch.start(['a'])
      expect(song()?.state).toBe('waiting')
      await settle(20)
      if (end === 'cancelled') await batch.stop(['a'])
      if (end === 'taken off') batch.remove(['a'], 'removed')
      if (end === 'refused') refuse()
      else arrive()
      await Promise.all([coming, started])
      expect(
        told().map(({ path }) => path),
        end,
      ).not.toContain('/app/desk/start')
      expect(song()?.state, end).toBe(end === 'taken off' ? undefined : 'submitted')
    }
  })

  it('says that the reference is gone', async () => {
    const { batch, toast } = await failing('/files/reference', 'RESULT_EXPIRED', 410)
    await batch.masterAgain([guided], say)
    expect(toast()).toBe('a 0 true')
  })

  it('says so too of a reference that is not taken any more', async () => {
    const { batch, notices } = await again(['guide.wav'])
    await batch.masterAgain([guided], say)
    expect(notices.store.getState().toast?.text).toBe('a 0 true')
  })

  it.each([
    ['its reference', '/files/reference', guided],
    ['the song', '/app/desk/restore', { ...made, source_id: 'taken off' }],
  ])('stays where it is while %s cannot be asked for', async (_, end, job) => {
    const { batch, toast } = await failing(end, 'UNAVAILABLE', 503)
    await expect(batch.masterAgain([job], say)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect([batch.marks.store.getState().again, toast()]).toEqual([{}, undefined])
  })
})

describe('what is done while the server is slow', () => {
  /** A batch with a and b whose server answers every request only when it is let; `fail` names paths that it cannot serve. */
  async function slowBench() {
    const given = setUp()
    given.server.songs.push({ ...song('a'), analysis: {} as never }, { ...song('b'), analysis: {} as never })
    const open: { path: string; body: unknown; answer: () => void }[] = []
    const fail = new Set<string>()
    let isSlow = false
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path, init) => {
        const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined
        const { server } = given
        if (fail.has(String(path))) {
          const error = { code: 'UNAVAILABLE', message: 'busy', request_id: 'r', retryable: true }
          return Response.json({ error }, { status: 503 })
        }
        if (body?.is_paused !== undefined) server.is_paused = body.is_paused
        if (body?.settings && path === '/app/desk') server.settings = body.settings
        if (body?.presets) server.presets = body.presets
        server.songs = ordered(server.songs, body?.order)
        const of = (ids: string[], state: BatchSong['state']) =>
          server.songs.map((one) => (ids.includes(one.source.source_id) ? { ...one, state } : one))
        if (path === '/app/desk/start') server.songs = of(body.source_ids, 'waiting')
        if (path === '/app/desk/stop') server.songs = of(body.source_ids, 'ready')
        if (path === '/app/desk/remove')
          server.songs = server.songs.filter((one) => !body.source_ids.includes(one.source.source_id))
        if (path === '/app/desk/restore') server.songs.push(...body.source_ids.map(song))
        const answer = Response.json(
          String(path).startsWith('/app/sources/') ? source(String(path).slice(13)) : given.server,
        )
        if (isSlow) await new Promise<void>((resolve) => open.push({ path: String(path), body, answer: resolve }))
        return answer
      },
    })
    const batch = createBatch({ ...given.options, client, jobs: new JobsStore(client) })
    await batch.read()
    isSlow = true
    /** Answers what is asked until nothing more is. */
    const answerAll = async () => {
      isSlow = false
      for (const one of open.splice(0)) one.answer()
      await settle(50)
    }
    const paths = () => open.map((one) => one.path)
    const state = () => batch.store.getState()
    const stateOf = (id: string) => state().batch?.songs.find((one) => one.source.source_id === id)?.state
    return { ...given, batch, open, fail, answerAll, paths, state, stateOf }
  }

  it('starts songs only after the settings that are on their way', async () => {
    const { batch, paths, open, answerAll, server } = await slowBench()
    batch.changeSettings({ intensity: 80 }, [])
    await expect.poll(paths).toEqual(['/app/desk'])
    void batch.start(['a'])
    await settle(20)
    expect(paths()).toEqual(['/app/desk'])
    open[0]?.answer()
    await expect.poll(paths).toEqual(['/app/desk', '/app/desk/start'])
    await answerAll()
    expect(server.settings.intensity).toBe(80)
  })

  it('starts songs only once the reference that was dropped for them is among their settings', async () => {
    const given = setUp()
    given.server.songs.push({ ...song('a'), analysis: {} as never }, { ...song('b'), settings: someSettings })
    let arrive = () => {}
    const upload: BatchDeps['upload'] = () => new Promise((resolve) => (arrive = () => resolve(source('guide'))))
    const batch = createBatch({ ...given.options, upload })
    await batch.read()
    const started = () =>
      given.calls
        .filter(({ path }) => path === '/app/desk/start')
        .map(({ body }) => (body as { source_ids: string[] }).source_ids)
    void batch.references.take(file('guide.wav'), null)
    await settle(20)
    const one = batch.start(['a'])
    await batch.start(['b'])
    expect(started(), 'one with settings of its own does not wait for those of all').toEqual([['b']])
    arrive()
    await one
    expect([started(), given.server.settings.reference_source_id]).toEqual([[['b'], ['a']], 'guide'])
  })

  it('starts no song whose settings did not arrive, and says why', async () => {
    const { batch, fail, server, state, stateOf, answerAll } = await slowBench()
    await answerAll()
    fail.add('/app/desk')
    batch.changeSettings({ intensity: 80 }, [])
    const started = batch.start(['a'])
    expect(stateOf('a')).toBe('waiting')
    await settle(20)
    fail.clear()
    await started
    expect(server.songs.map((one) => one.state)).toEqual(['ready', 'ready'])
    expect(state().failure?.code).toBe('UNAVAILABLE')
    await batch.read()
    expect(stateOf('a')).toBe('ready')
  })

  it('sends a later value of a setting after the earlier one', async () => {
    const { batch, open, paths } = await slowBench()
    batch.changeSettings({ intensity: 60 }, [])
    await expect.poll(paths).toEqual(['/app/desk'])
    batch.changeSettings({ intensity: 80 }, [])
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(open).toHaveLength(1)
    open[0]?.answer()
    await expect.poll(() => open.length).toBe(2)
    expect(open[1]?.body).toMatchObject({ settings: { intensity: 80 } })
  })

  it('starts a song again after its cancelling has ended', async () => {
    const { batch, open, paths, answerAll, stateOf, server } = await slowBench()
    void batch.stop(['a'])
    void batch.start(['a'])
    await settle(20)
    expect(paths()).toEqual(['/app/desk/stop'])
    open[0]?.answer()
    await answerAll()
    expect(server.songs[0]?.state).toBe('waiting')
    expect(stateOf('a')).toBe('waiting')
  })

  it('stays paused or not as the last press had it', async () => {
    const { batch, open, state, answerAll } = await slowBench()
    const seen: unknown[] = []
    batch.store.subscribe(() => seen.push(state().batch?.is_paused))
    void batch.setPaused(true)
    void batch.setPaused(false)
    await expect.poll(() => open.length).toBe(1)
    await answerAll()
    expect(state().batch?.is_paused).toBe(false)
    expect(seen.lastIndexOf(true)).toBeLessThan(seen.indexOf(false))
  })

  it('shows a started song as started while an older reading is answered', async () => {
    const { batch, open, stateOf, answerAll } = await slowBench()
    const reading = batch.read()
    await expect.poll(() => open.length).toBe(1)
    void batch.start(['a'])
    const seen: unknown[] = []
    batch.store.subscribe(() => seen.push(stateOf('a')))
    open[0]?.answer()
    await settle(20)
    await answerAll()
    await reading
    expect(seen).not.toContain('ready')
    expect(stateOf('a')).toBe('waiting')
  })

  it('keeps what a newer reading brought when an older one is answered after it', async () => {
    const { batch, open, server, state, answerAll } = await slowBench()
    const older = batch.read()
    await expect.poll(() => open.length).toBe(1)
    server.songs.push(song('c'))
    const newer = batch.read()
    await settle(20)
    for (const one of open.splice(1)) one.answer()
    await settle(20)
    await answerAll()
    await Promise.all([older, newer])
    expect(state().order).toEqual(['a', 'b', 'c'])
  })

  it('keeps the place of a song that was stored while an older reading was on its way', async () => {
    const { options, server } = await slowBench()
    let isHeld = false
    const held: (() => void)[] = []
    const batch = createBatch({
      ...options,
      client: createClient({
        session: null,
        language: () => 'en',
        fetch: async () => {
          const answer = Response.json(server)
          if (isHeld) await new Promise<void>((resolve) => held.push(resolve))
          return answer
        },
      }),
      upload: async (sent) => (sent.file.name === 'd.wav' ? new Promise<never>(() => undefined) : options.upload(sent)),
    })
    await batch.read()
    isHeld = true
    const reading = batch.read()
    await expect.poll(() => held.length).toBe(1)
    batch.addFiles([file('c.wav'), file('d.wav')])
    await expect.poll(() => batch.store.getState().order.slice(0, 3)).toEqual(['a', 'b', 'c'])
    isHeld = false
    held[0]?.()
    await reading
    const [, , third, fourth] = batch.store.getState().order
    expect([third, fourth?.slice(0, 6)]).toEqual(['c', 'upload'])
  })

  it('puts back what was taken off and nothing else', async () => {
    const { batch, notices, state, server, answerAll } = await slowBench()
    await answerAll()
    server.songs.push(song('c'))
    await batch.read()
    batch.remove(['a'], 'removed')
    batch.move('c', -1)
    batch.changeSettings({ intensity: 80 }, [])
    batch.addFiles([file('d.wav')])
    await expect.poll(() => state().order).toEqual(['c', 'b', 'd'])
    notices.undo()
    expect(state().order).toEqual(['a', 'c', 'b', 'd'])
    expect(state().batch?.settings.intensity).toBe(80)
    expect(
      state()
        .batch?.songs.map((one) => one.source.source_id)
        .sort(),
    ).toEqual(['a', 'b', 'c', 'd'])
    await answerAll()
    expect(state().order).toEqual(['a', 'c', 'b', 'd'])
  })

  it('puts a song back behind one that arrived meanwhile in its place', async () => {
    const { options, notices } = await slowBench()
    let arrive: () => void = () => undefined
    const server = emptyBatch()
    const batch = createBatch({
      ...options,
      client: createClient({
        session: null,
        language: () => 'en',
        fetch: async (path) => {
          if (path === '/app/desk/restore') server.songs.push(song('x'))
          return Response.json(server)
        },
      }),
      upload: () =>
        new Promise((resolve) => {
          arrive = () => {
            server.songs.push(song('s'))
            resolve(source('s'))
          }
        }),
    })
    server.songs.push(song('x'))
    await batch.read()
    batch.addFiles([file('s.wav')])
    const [, uploadId = ''] = batch.store.getState().order
    batch.move(uploadId, -1)
    expect(batch.store.getState().order).toEqual([uploadId, 'x'])
    server.songs = []
    batch.remove(['x'], 'removed')
    arrive()
    await expect.poll(() => batch.store.getState().order).toEqual(['s'])
    notices.undo()
    expect(batch.store.getState().order).toEqual(['s', 'x'])
  })

  it('gives a reference to the song for which it was dropped, and leaves what was changed since', async () => {
    const { batch, state, answerAll } = await slowBench()
    await answerAll()
    batch.changeSettings({ genre: 'edm' }, [])
    batch.changeSettings({ reference_source_id: 'r' }, [])
    expect(state().batch?.settings).toMatchObject({ genre: 'edm', reference_source_id: 'r' })
    batch.addFiles([file('c.wav')])
    const uploadId = state().order[2] ?? ''
    await expect.poll(() => state().order).toEqual(['a', 'b', 'c'])
    batch.changeSettings({ reference_source_id: 'own' }, [uploadId])
    expect(state().batch?.songs[2]?.settings).toMatchObject({ genre: 'edm', reference_source_id: 'own' })
  })

  it('shows a reference on its way in the settings for which it is, also of a song that is stored meanwhile', async () => {
    const { options } = setUp()
    const arrive: Record<string, () => void> = {}
    const upload: BatchDeps['upload'] = ({ file: sent }) =>
      new Promise((resolve) => {
        arrive[sent.name] = () => resolve(source(sent.name.replace('.wav', '')))
      })
    const batch = createBatch({ ...options, upload, uploadsAtOnce: 2 })
    await batch.read()
    batch.addFiles([file('c.wav')])
    const uploadId = batch.store.getState().order[0] ?? ''
    const shown = (rowId: string | null, isOwn = true) =>
      sendingFor(batch.references.store.getState(), rowId, isOwn)?.filename
    const taken = batch.references.take(file('own.wav'), uploadId)
    void batch.references.take(file('common.wav'), null)
    expect([shown(uploadId, false), shown('other', false), shown('other'), shown(null)]).toEqual([
      'own.wav',
      'common.wav',
      undefined,
      'common.wav',
    ])
    arrive['c.wav']?.()
    await expect.poll(() => batch.store.getState().order).toEqual(['c'])
    expect([shown('c'), shown(uploadId)]).toEqual(['own.wav', undefined])
    arrive['own.wav']?.()
    await taken
    expect(batch.store.getState().batch?.songs[0]?.settings?.reference_source_id).toBe('own')
    expect([shown('c'), shown(null)]).toEqual([undefined, 'common.wav'])
  })

  it('knows the file of every reference that settings name, and asks for each once', async () => {
    const { batch, open, server, answerAll } = await slowBench()
    const own = { ...server.settings, reference_source_id: 'own' }
    server.settings = { ...server.settings, reference_source_id: 'common' }
    server.songs = server.songs.map((one, i) => (i === 0 ? { ...one, settings: own } : one))
    const asked = () => open.filter(({ path }) => path.startsWith('/app/sources/')).map(({ path }) => path)
    for (let reading = 0; reading < 2; reading++) {
      const read = batch.read()
      await expect.poll(() => open.at(-1)?.path).toBe('/app/desk')
      open.pop()?.answer()
      await read
    }
    expect(asked()).toEqual(['/app/sources/common', '/app/sources/own'])
    await answerAll()
    expect(Object.keys(batch.references.store.getState().known).sort()).toEqual(['common', 'own'])
  })

  it('deletes one preset after another without waiting for the answers', async () => {
    const { batch, state, server, answerAll } = await slowBench()
    const { settings } = server
    const names = () => state().batch?.presets.map((one) => one.name)
    const without = (name: string) => batch.changePresets((all) => all.filter((one) => one.name !== name))
    void batch.changePresets(() => ['one', 'two', 'three'].map((name) => ({ name, settings })))
    void without('one')
    void without('two')
    expect(names()).toEqual(['three'])
    await answerAll()
    expect(names()).toEqual(['three'])
    expect(server.presets.map((one) => one.name)).toEqual(['three'])
  })
})

describe('settings of a page that goes before the hand has rested', () => {
  it('are sent with it', async () => {
    const { options } = setUp()
    const sent: unknown[] = []
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path, init) => {
        if (typeof init?.body === 'string') sent.push([path, JSON.parse(init.body).settings?.intensity, init.keepalive])
        return Response.json({ ...emptyBatch(), songs: [song('a')] })
      },
    })
    const batch = createBatch({ ...options, client })
    await batch.read()
    batch.changeSettings({ intensity: 80 }, [])
    batch.changeSettings({ intensity: 90 }, ['a'])
    batch.leave()
    expect(sent).toEqual([
      ['/app/desk', 80, true],
      ['/app/desk/a', 90, true],
    ])
  })
})

describe('two pages of one browser', () => {
  it('accept warnings side by side, and neither takes back what the other accepted', async () => {
    const { batch, again } = setUp()
    const other = again()
    batch.marks.accept(['a'])
    other.marks.accept(['b'])
    batch.marks.accept(['c'])
    expect(again().marks.store.getState().accepted).toEqual({ a: true, b: true, c: true })
    other.marks.hearOthers()
    expect(other.marks.store.getState().accepted).toEqual({ a: true, b: true, c: true })
    const known = other.marks.store.getState().accepted
    other.marks.hearOthers()
    expect(other.marks.store.getState().accepted).toBe(known)
  })

  it('keep the refused files of both, in the places that each gave them', async () => {
    const { batch, again, options } = setUp(['one.m4a', 'two.m4a'])
    const other = again()
    batch.addFiles([file('one.m4a')])
    await expect.poll(() => batch.uploads.store.getState().uploads[0]?.state).toBe('refused')
    other.addFiles([file('two.m4a')])
    await expect.poll(() => other.uploads.store.getState().uploads[0]?.state).toBe('refused')
    const names = () => {
      const { uploads } = again()
      const { uploads: shown } = uploads.store.getState()
      return uploads.keptOrder.map((id) => shown.find((one) => one.uploadId === id)?.filename)
    }
    expect(names().sort()).toEqual(['one.m4a', 'two.m4a'])
    batch.remove(batch.store.getState().order, 'removed')
    expect(names()).toEqual(['two.m4a'])
    expect(options.storage.getItem('loudsmith.uploads')).not.toContain('one.m4a')
  })
})

describe('nonsense in the storage of the browser', () => {
  it('is passed over', async () => {
    const { options } = setUp()
    for (const text of ['null', '7', '{}', '[]', '{', '{"uploads":[{}],"order":[]}', '{"uploads":{},"order":null}']) {
      const batch = createBatch({ ...options, storage: { getItem: () => text, setItem: () => undefined } })
      await batch.read()
      expect([batch.uploads.store.getState().uploads, batch.store.getState().order]).toEqual([[], []])
      expect(batch.marks.store.getState().accepted.a).toBeUndefined()
    }
  })
})

describe('a new reading of the batch', () => {
  it('does not take an analysis away that has just arrived', () => {
    const measured = { ...song('a'), analysis: { warnings: [] } as never }
    const known = { ...emptyBatch(), songs: [measured] }
    expect(mergedBatch(known, { ...emptyBatch(), songs: [song('a')] }, () => false).songs[0]?.analysis).toBe(
      measured.analysis,
    )
  })

  it('leaves songs of which nothing new is read as they are', () => {
    const known = { ...emptyBatch(), songs: [song('a'), song('b')] }
    const read = { ...emptyBatch(), songs: [song('a'), { ...song('b'), state: 'waiting' as const }] }
    const merged = mergedBatch(known, read, () => false).songs
    expect(merged[0]).toBe(known.songs[0])
    expect(merged[1]?.state).toBe('waiting')
  })

  it('drops what is gone and puts what is new at the end', () => {
    const read = { ...emptyBatch(), songs: [song('a'), song('new')] }
    expect(mergedOrder(['gone', 'a', 'upload'], read, ['upload'])).toEqual(['a', 'upload', 'new'])
  })

  it('puts known songs in the order of the server, and leaves uploads and the row in the hand in their places', () => {
    const read = { ...emptyBatch(), songs: [song('c'), song('new'), song('b'), song('a')] }
    const uploads = ['first', 'last']
    const shown = ['first', 'a', 'b', 'c', 'last']
    expect(mergedOrder(shown, read, uploads)).toEqual(['first', 'c', 'new', 'b', 'a', 'last'])
    expect(mergedOrder(shown, read, uploads, 'a')).toEqual(['first', 'a', 'c', 'new', 'b', 'last'])
  })

  it('puts a song that another page took back where the server has it', () => {
    const read = { ...emptyBatch(), songs: [song('b'), song('back'), song('too'), song('a'), song('new')] }
    expect(mergedOrder(['upload', 'b', 'a'], read, ['upload'])).toEqual(['upload', 'b', 'back', 'too', 'a', 'new'])
  })
})
