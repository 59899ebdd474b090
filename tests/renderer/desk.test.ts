import { beforeEach, describe, expect, it } from 'vitest'
import type { Desk, DeskSong, Source } from '../../src-contract/app.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { ApiError, createClient } from '../../src-renderer/api/client.ts'
import { createDesk, type DeskActions, type DeskOptions } from '../../src-renderer/state/desk.ts'
import { inTurnOfPages } from '../../src-renderer/state/desk-looks.ts'
import { mergedDesk, mergedOrder } from '../../src-renderer/state/desk-merge.ts'
import { sendingFor } from '../../src-renderer/state/desk-references.ts'
import { createJobs } from '../../src-renderer/state/jobs.ts'
import { createNotices } from '../../src-renderer/state/notices.ts'
import { songRows } from '../../src-renderer/state/song-rows.ts'
import { someSettings, deskSong as song, sourceOf as source } from '../support/desk-songs.ts'
import { settle } from '../support/fake-clock.ts'

const emptyDesk = (): Desk => ({
  is_paused: false,
  presets: [],
  songs: [],
  settings: someSettings,
})
const file = (name: string) => new File(['x'], name)

/** The songs of a server that is told their order: those that are named first, the others behind them. */
function ordered(songs: readonly DeskSong[], order: readonly string[] = []): DeskSong[] {
  const named = order.flatMap((id) => songs.filter((one) => one.source.source_id === id))
  return [...new Set([...named, ...songs])]
}

/** A desk over a server that keeps songs in memory; `refuse` names files that it does not take. */
function bench(refuse: readonly string[] = []) {
  const server = emptyDesk()
  const calls: { path: string; body: unknown }[] = []
  const kept = new Map<string, string>()
  const gate: {
    wait: Promise<void> | null
    look: Promise<void> | null
    /** What an answer to a removal or a return waits for. */
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
        return Response.json({ warnings: [], waveform: [1], measurement: {} })
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
  const options: DeskOptions = {
    client,
    uploadsAtOnce: 1,
    jobs: createJobs(client),
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
  const make = () => createDesk(options)
  return { desk: make(), again: make, options, server, calls, notices, gate }
}

describe('the desk', () => {
  let it_: ReturnType<typeof bench>
  beforeEach(async () => {
    it_ = bench(['bad.m4a'])
    await it_.desk.read()
  })
  const order = () => it_.desk.store.getState().order
  const uploads = () => it_.desk.uploads.store.getState().uploads

  it('takes the good songs of a drop, keeps the bad one in its place and says why', async () => {
    it_.desk.addFiles([file('a.wav'), file('bad.m4a'), file('b.wav')])
    await expect.poll(() => order()).toEqual(['a', 'upload-2', 'b'])
    await expect.poll(() => uploads().map((one) => one.state)).toEqual(['refused'])
    expect(uploads()[0]?.error).toEqual({ code: 'UNSUPPORTED_FORMAT', values: { reason: 'aac' } })
  })

  it('keeps a chosen file chosen once it is a song', async () => {
    it_.desk.addFiles([file('a.wav'), file('b.wav')])
    it_.desk.select('upload-2')
    await expect.poll(() => order()).toEqual(['a', 'b'])
    expect(it_.desk.store.getState().selectedId).toBe('b')
  })

  it('says nothing to the server of a refused file that is taken off', async () => {
    it_.desk.addFiles([file('bad.m4a')])
    await expect.poll(() => uploads()[0]?.state).toBe('refused')
    const before = it_.calls.length
    it_.desk.remove(['upload-1'], 'removed')
    await settle()
    expect([order(), it_.calls.length]).toEqual([[], before])
  })

  it('still shows the refused file after a reload', async () => {
    it_.desk.addFiles([file('bad.m4a')])
    await expect.poll(() => uploads()[0]?.state).toBe('refused')
    expect(it_.again().uploads.store.getState().uploads).toMatchObject([{ filename: 'bad.m4a', state: 'refused' }])
  })

  it('measures every song once, without being asked', async () => {
    it_.desk.addFiles([file('a.wav'), file('b.wav')])
    const measured = () => it_.calls.filter((call) => call.path === '/api/v1/analyze').length
    await expect.poll(measured).toBe(2)
    await it_.desk.read()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(measured()).toBe(2)
    expect(it_.desk.store.getState().desk?.songs.every((one) => one.analysis)).toBe(true)
  })

  it('does not look at a song that is too short to be mastered', async () => {
    it_.server.songs.push({ ...song('a'), source: { ...source('a'), duration_seconds: 0.5 } }, song('b'))
    await it_.desk.read()
    const measured = () => it_.calls.filter((call) => call.path === '/api/v1/analyze').length
    await expect
      .poll(() => it_.desk.store.getState().desk?.songs.map((one) => one.analysis !== null))
      .toEqual([false, true])
    expect(measured()).toBe(1)
  })

  it('shows how far the look at a song is, only ever more, and one song after the other', async () => {
    const { desk, gate } = it_
    let find: () => void = () => undefined
    gate.look = new Promise<void>((resolve) => {
      find = resolve
    })
    const looks = () => desk.looks.store.getState().looks
    const hear = (progress: number, stage = 'decoding', source_id = 'a') =>
      desk.looks.apply({ event: 'source.progress', seq: 1, source_id, progress, stage })
    desk.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(looks).toEqual({ a: { stage: 'decoding', percent: 0 } })
    hear(30)
    hear(12, 'decoding', 'b')
    hear(45, 'analysing')
    hear(31, 'decoding')
    expect(looks(), 'that of another page as well').toEqual({
      a: { stage: 'analysing', percent: 45 },
      b: { stage: 'decoding', percent: 12 },
    })
    find()
    await expect.poll(() => desk.store.getState().desk?.songs.filter((one) => one.analysis).length).toBe(2)
    expect(looks()).toEqual({})
  })

  it('is measured by one page at a time, and the next one begins with what the first has found', async () => {
    const { server, options, calls, gate } = bench()
    server.songs.push(song('a'))
    let find: () => void = () => undefined
    gate.look = new Promise<void>((resolve) => (find = resolve))
    const [here, there] = [1, 2].map(() => createDesk({ ...options, alone: inTurnOfPages })) as [
      DeskActions,
      DeskActions,
    ]
    await Promise.all([here.read(), there.read()])
    const asked = () => calls.filter(({ path }) => path === '/api/v1/analyze').length
    await expect.poll(asked).toBe(1)
    there.looks.apply({ event: 'source.progress', seq: 1, source_id: 'a', progress: 40, stage: 'decoding' })
    server.songs = [song('a', { analysis: { warnings: [] } as never })]
    find()
    const isKnown = (desk: DeskActions) => Boolean(desk.store.getState().desk?.songs[0]?.analysis)
    await expect.poll(() => [isKnown(here), isKnown(there)]).toEqual([true, true])
    await expect.poll(() => [here, there].map((desk) => desk.looks.store.getState().looks)).toEqual([{}, {}])
    expect(asked()).toBe(1)
  })

  it('refuses a file over the limit before sending a byte of it', () => {
    const huge = new File([], 'huge.wav')
    Object.defineProperty(huge, 'size', { value: 1_073_741_825 })
    it_.desk.addFiles([huge])
    expect(uploads()).toMatchObject([{ state: 'refused', error: { code: 'FILE_TOO_LARGE' } }])
  })

  it('puts a removed song back where it was when that is undone', async () => {
    it_.desk.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(() => order()).toEqual(['a', 'b'])
    it_.desk.remove(['a'], 'removed')
    expect(order()).toEqual(['b'])
    it_.notices.undo()
    expect(order()).toEqual(['a', 'b'])
    await expect.poll(() => it_.calls.some((call) => call.path === '/app/desk/restore')).toBe(true)
  })

  it('keeps the place of a song that is put back before the server has answered its removal', async () => {
    const { desk, gate, notices } = it_
    desk.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(order).toEqual(['a', 'b'])
    await expect.poll(() => uploads()).toEqual([])
    const answers: (() => void)[] = []
    gate.command = () => new Promise<void>((resolve) => answers.push(resolve))
    desk.remove(['a'], 'a removed')
    expect(order()).toEqual(['b'])
    notices.undo()
    await expect.poll(() => answers.length).toBe(1)
    answers[0]?.()
    await expect.poll(() => answers.length).toBe(2)
    expect(order()).toEqual(['a', 'b'])
    expect(
      desk.store
        .getState()
        .desk?.songs.map((one) => one.source.source_id)
        .sort(),
    ).toEqual(['a', 'b'])
    answers[1]?.()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(order()).toEqual(['a', 'b'])
  })

  it('leaves a failure to be read that came while the server was still answering', async () => {
    const { desk, gate, server } = it_
    desk.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(order).toEqual(['a', 'b'])
    const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>()
    gate.command = () => isAnswered
    desk.remove(['a'], 'a removed')
    await expect.poll(() => server.songs.length).toBe(1)
    desk.fail(new ApiError({ code: 'RESULT_EXPIRED' }))
    answer()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(desk.store.getState().failure?.code).toBe('RESULT_EXPIRED')
  })

  it('leaves a failure to be read when the desk is read again, and until something else is done by hand', async () => {
    const { desk } = it_
    const failure = () => desk.store.getState().failure?.code
    desk.fail(new ApiError({ code: 'RESULT_EXPIRED' }))
    await desk.read()
    expect(failure()).toBe('RESULT_EXPIRED')
    desk.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(order).toEqual(['a', 'b'])
    expect(failure(), 'songs that arrive are no deed of the hand').toBe('RESULT_EXPIRED')
    for (const deed of [
      () => desk.setPaused(true),
      () => desk.move('a', 1),
      () => desk.arrange(['a', 'b'], 'title'),
      () => desk.changeSettings({ intensity: 10 }, null),
      () => desk.changePresets((all) => [...all]),
      () => desk.start(['a']),
      () => desk.stop(['a']),
      () => desk.remove(['a'], 'a removed'),
    ]) {
      desk.fail(new ApiError({ code: 'RESULT_EXPIRED' }))
      void deed()
      expect(failure(), String(deed)).toBeUndefined()
    }
  })

  it('no longer says that the program is away once it has answered, but still that something could not be saved', async () => {
    const { desk, gate } = it_
    const failure = () => desk.store.getState().failure?.code
    desk.addFiles([file('a.wav')])
    await expect.poll(order).toEqual(['a'])
    gate.command = () => Promise.reject(new TypeError('connection refused'))
    desk.remove(['a'], 'a removed')
    await expect.poll(failure).toBe('UNREACHABLE')
    gate.command = () => Promise.resolve()
    await desk.read()
    expect(failure()).toBeUndefined()
    desk.fail(new ApiError({ code: 'UNREACHABLE' }))
    await desk.read()
    expect(failure()).toBe('UNREACHABLE')
  })

  it('lets go of a song that could not be put back', async () => {
    const { desk, gate, notices } = it_
    desk.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(order).toEqual(['a', 'b'])
    desk.remove(['a'], 'a removed')
    await expect.poll(() => it_.server.songs.length).toBe(1)
    gate.isTooLate = true
    notices.undo()
    await expect.poll(() => desk.store.getState().failure?.code).toBe('NOT_FOUND')
    await desk.read()
    expect(order()).toEqual(['b'])
  })

  it('stops sending a file that is removed on its way, and sends it again when that is undone', async () => {
    const signals: AbortSignal[] = []
    const { options, notices } = bench()
    const slow = createDesk({
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
    const settings = emptyDesk().settings
    for (const intensity of [51, 60, 72]) it_.desk.changeSettings({ ...settings, intensity }, null)
    expect(it_.desk.store.getState().desk?.settings.intensity).toBe(72)
    const sent = () => it_.calls.filter((call) => (call.body as { settings?: unknown })?.settings)
    await expect.poll(() => sent().length).toBe(1)
    expect(sent()[0]?.body).toMatchObject({ settings: { intensity: 72 } })
  })

  it('keeps a setting that is being changed when the desk is read in between', async () => {
    it_.desk.changeSettings({ ...emptyDesk().settings, intensity: 90 }, null)
    await it_.desk.read()
    expect(it_.desk.store.getState().desk?.settings.intensity).toBe(90)
  })
})

describe('a page that goes while files are on their way', () => {
  /** A desk whose uploads never end, left with a on the desk and b and c under way, in this order: b, a, c. */
  async function leftDesk() {
    const { options, server, calls } = bench()
    server.songs.push(song('a'))
    const left = createDesk({ ...options, upload: () => new Promise(() => undefined) })
    await left.read()
    left.addFiles([file('b.wav'), file('c.wav')])
    left.move('upload-1', -1)
    left.changeSettings({ ...emptyDesk().settings, genre: 'edm' }, 'upload-2')
    left.uploads.leave()
    return { options, server, calls, again: createDesk(options) }
  }
  const names = (desk: ReturnType<typeof createDesk>) =>
    desk.uploads.store.getState().uploads.map(({ filename, state }) => [filename, state])

  it('finds them again as interrupted, in their places', async () => {
    const { again } = await leftDesk()
    await again.read()
    expect(names(again)).toEqual([
      ['b.wav', 'interrupted'],
      ['c.wav', 'interrupted'],
    ])
    expect(again.store.getState().order).toEqual(['upload-1', 'a', 'upload-2'])
    expect(again.uploads.hasPending()).toBe(false)
  })

  it('goes on in the same place and with the same settings when the file is given again, and takes others as new', async () => {
    const { again, calls } = await leftDesk()
    await again.read()
    again.addFiles([file('c.wav'), file('d.wav'), new File(['other'], 'b.wav')])
    await expect.poll(() => again.store.getState().order.slice(0, 4)).toEqual(['upload-1', 'a', 'c', 'd'])
    expect(names(again)[0]).toEqual(['b.wav', 'interrupted'])
    const own = again.store.getState().desk?.songs.find((one) => one.source.source_id === 'c')?.settings
    expect(own?.genre).toBe('edm')
    await expect
      .poll(() => calls.find((call) => call.path === '/app/desk/c')?.body)
      .toMatchObject({
        settings: { genre: 'edm' },
      })
  })

  it('waits in the same way for a file that the server never got, and still says why it refused another', async () => {
    const { options } = bench(['bad.m4a'])
    const send = options.upload
    const left = createDesk({
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
    const again = createDesk(options)
    await again.read()
    expect(names(again)).toEqual([
      ['a.wav', 'interrupted'],
      ['bad.m4a', 'refused'],
    ])
    expect(again.uploads.store.getState().uploads[1]?.error?.values).toEqual({ reason: 'aac' })
  })

  it('sends what never got there once the program is there again, and keeps it from other pages meanwhile', async () => {
    const { options } = bench(['bad.m4a'])
    const send = options.upload
    let code: 'UNREACHABLE' | 'INVALID_API_KEY' | null = 'UNREACHABLE'
    const desk = createDesk({
      ...options,
      upload: async (given) => {
        if (code) throw new ApiError({ code })
        return send(given)
      },
    })
    await desk.read()
    desk.addFiles([file('a.wav')])
    await expect.poll(() => desk.uploads.unreached()).toBe(1)
    code = 'INVALID_API_KEY'
    desk.addFiles([file('b.wav')])
    await expect.poll(() => desk.uploads.unreached()).toBe(2)
    code = null
    desk.addFiles([file('bad.m4a')])
    await expect.poll(() => names(desk).map(([, state]) => state)).toEqual(['refused', 'refused', 'refused'])
    expect(options.storage.getItem('loudsmith.uploads')).toContain('bad.m4a')
    expect(options.storage.getItem('loudsmith.uploads')).not.toContain('a.wav')
    desk.uploads.resendUnreached()
    await expect.poll(() => names(desk)).toEqual([['bad.m4a', 'refused']])
    expect(desk.uploads.unreached()).toBe(0)
  })

  it('shows no interrupted file that had arrived all the same', async () => {
    const { again, server } = await leftDesk()
    const arrived = song('c')
    server.songs.push({ ...arrived, source: { ...arrived.source, created_at: '2999-01-01T00:00:00.000Z' } })
    await again.read()
    expect(names(again)).toEqual([['b.wav', 'interrupted']])
    expect(again.store.getState().order).toEqual(['upload-1', 'a', 'c'])
    expect(again.store.getState().desk?.songs.find((one) => one.source.source_id === 'c')?.settings?.genre).toBe('edm')
  })

  it('is not what another page in the same browser sees', async () => {
    const { options } = bench()
    const first = createDesk({ ...options, upload: () => new Promise(() => undefined) })
    await first.read()
    first.addFiles([file('b.wav')])
    expect(names(createDesk(options))).toEqual([])
  })
})

describe('a song that takes the place of another', () => {
  it('keeps its own settings', async () => {
    const { desk, server, calls } = bench()
    server.songs.push({ ...song('a'), settings: { ...emptyDesk().settings, genre: 'ballad' } })
    await desk.read()
    desk.addFiles([file('b.wav')], 'a')
    await expect
      .poll(() => calls.find((call) => call.path === '/app/desk/b')?.body)
      .toMatchObject({
        settings: { genre: 'ballad' },
      })
  })
})

describe('songs with settings of their own', () => {
  it('take those of all songs again together, and get their own back', async () => {
    const { desk, server, calls, notices } = bench()
    const own = { ...emptyDesk().settings, genre: 'ballad' as const }
    server.songs.push({ ...song('a'), settings: own }, { ...song('b'), settings: own }, song('c'))
    await desk.read()
    const told = () => calls.filter(({ path, body }) => /desk\/[ab]$/.test(path) && body).map(({ body }) => body)
    desk.clearOwnSettings(['a', 'b'], 'as all songs')
    await expect.poll(told).toEqual([{ settings: null }, { settings: null }])
    expect(notices.store.getState().toast?.text).toBe('as all songs')
    notices.undo()
    await expect.poll(() => told().slice(2)).toEqual([{ settings: own }, { settings: own }])
  })
})

describe('what arrives while the desk is read', () => {
  it('keeps the own settings of a song until the server has confirmed them', async () => {
    const { desk, calls } = bench()
    await desk.read()
    desk.addFiles([file('a.wav')])
    await expect.poll(() => desk.store.getState().order).toEqual(['a'])
    const own = { ...emptyDesk().settings, genre: 'edm' as const }
    desk.changeSettings({ ...emptyDesk().settings, genre: 'ballad' }, null)
    desk.changeSettings(own, 'a')
    await desk.read()
    expect(desk.store.getState().desk?.songs[0]?.settings?.genre).toBe('edm')
    await expect.poll(() => calls.map((call) => call.path)).toContain('/app/desk/a')
    expect(calls.find((call) => call.path === '/app/desk' && call.body)?.body).toMatchObject({
      settings: { genre: 'ballad' },
    })
  })

  it('does not fall back to an older reading that is answered after the confirmation', async () => {
    const { desk, calls, gate } = bench()
    await desk.read()
    let answer: () => void = () => undefined
    gate.wait = new Promise<void>((resolve) => {
      answer = resolve
    })
    const old = desk.read()
    desk.changeSettings({ ...emptyDesk().settings, intensity: 80 }, null)
    await expect.poll(() => calls.some((call) => (call.body as { settings?: unknown })?.settings)).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 20))
    gate.wait = null
    answer()
    await old
    expect(desk.store.getState().desk?.settings.intensity).toBe(80)
  })

  it('shows a song once, as its upload, while the answer to that upload is on its way', async () => {
    const { options, server } = bench()
    let answer: () => void = () => undefined
    const late = new Promise<void>((resolve) => {
      answer = resolve
    })
    const slow = createDesk({
      ...options,
      upload: async () => {
        server.songs.push(song('a'))
        await late
        return source('a')
      },
    })
    await slow.read()
    slow.addFiles([file('a.wav')])
    await slow.read()
    expect(slow.store.getState().order).toEqual(slow.uploads.store.getState().uploads.map((one) => one.uploadId))
    answer()
    await expect.poll(() => slow.store.getState().order).toEqual(['a'])
    expect(slow.uploads.store.getState().uploads).toEqual([])
  })
})

describe('songs that arrive out of their order', () => {
  /** A desk whose uploads all run at once and are answered by `arrive`. */
  function parallelBench() {
    const given = bench()
    const answers = new Map<string, () => void>()
    const desk = createDesk({
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
      await expect.poll(() => desk.store.getState().order).toContain(id)
    }
    const toldOrders = () =>
      given.calls.map(({ body }) => (body as { order?: string[] } | undefined)?.order).filter((told) => told)
    return { ...given, desk, arrive, toldOrders }
  }

  it('stay in the order in which they were given, and the server hears of it', async () => {
    const { desk, arrive, toldOrders } = parallelBench()
    await desk.read()
    desk.addFiles([file('a.wav'), file('b.wav'), file('c.wav')])
    await arrive('b')
    await arrive('c')
    expect(toldOrders()).toEqual([])
    await arrive('a')
    expect(desk.store.getState().order).toEqual(['a', 'b', 'c'])
    await expect.poll(toldOrders).toEqual([['a', 'b', 'c']])
  })

  it('stay behind the older ones in the order in which they were given before the desk was read', async () => {
    const { desk, arrive, toldOrders, server } = parallelBench()
    server.songs.push(song('older'))
    desk.addFiles([file('a.wav'), file('b.wav'), file('c.wav')])
    await arrive('c')
    await arrive('a')
    await desk.read()
    expect(desk.store.getState().order).toEqual(['older', 'a', 'upload-2', 'c'])
    await expect.poll(toldOrders).toEqual([['older', 'a', 'c']])
    await arrive('b')
    expect(desk.store.getState().order).toEqual(['older', 'a', 'b', 'c'])
    await expect.poll(() => toldOrders().at(-1)).toEqual(['older', 'a', 'b', 'c'])
  })
})

describe('the jobs of the songs on the desk', () => {
  /** A desk of `count` songs whose jobs are done; the server lists the newest `listed` of them by pages, the others it answers singly. */
  async function read(count: number, listed: number, isListing = true) {
    const given = bench()
    const ids = Array.from({ length: count }, (_, i) => `${i}`)
    const songs = ids.map((id) => song(id, { analysis: {} as never, state: 'submitted', job_ids: [`job-${id}`] }))
    const jobOf = (id: string) => ({ job_id: id, status: 'done', results: [] })
    const asked: string[] = []
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path) => {
        const { pathname, searchParams } = new URL(String(path), 'http://here')
        if (pathname === '/app/desk') return Response.json({ ...emptyDesk(), songs })
        asked.push(pathname)
        if (pathname !== '/api/v1/jobs') return Response.json(jobOf(pathname.slice('/api/v1/jobs/'.length)))
        if (!isListing) throw new TypeError('no answer')
        const from = Number(searchParams.get('cursor') ?? 0)
        const to = from + Number(searchParams.get('limit'))
        const page = { jobs: ids.slice(from, Math.min(to, listed)).map((id) => jobOf(`job-${id}`)), total: 500 }
        return Response.json({ ...page, next_cursor: `${to}` })
      },
    })
    const jobs = createJobs(client)
    const desk = createDesk({ ...given.options, client, jobs })
    const known: number[] = []
    desk.store.subscribe(() => known.push(Object.keys(jobs.store.getState().byId).length))
    await desk.read()
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
    const jobs = createJobs(
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
    const { desk, again } = bench()
    await desk.read()
    const named = () => [desk.store.getState().sort, again().store.getState().sort]
    expect(named()).toEqual(['added', 'added'])
    desk.addFiles([file('a.wav'), file('b.wav')])
    await expect.poll(() => desk.store.getState().order).toEqual(['a', 'b'])
    expect(named()).toEqual(['added', 'added'])
    desk.arrange(['b', 'a'], 'title')
    expect(named()).toEqual(['title', 'title'])
    desk.move('a', -1)
    expect(named()).toEqual([null, null])
    desk.arrange(['a', 'b'], 'title')
    desk.addFiles([file('c.wav')])
    expect(named()).toEqual([null, null])
  })
})

describe('the order that another page gives the list', () => {
  async function twoPages() {
    const given = bench()
    given.server.songs = ['a', 'b', 'c'].map((id) => song(id, { state: id === 'a' ? 'ready' : 'waiting' }))
    const [here, there] = [given.desk, given.again()]
    await here.read()
    await there.read()
    const [order, orderThere] = [here, there].map((page) => () => page.store.getState().order)
    const told = () => given.calls.filter(({ body }) => (body as { order?: string[] } | undefined)?.order).length
    return { ...given, here, there, order, orderThere, told }
  }

  it('is shown once the desk is read, with what it is ordered by', async () => {
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
  /** The desk with its song as the list shows it. */
  async function again(refuse: readonly string[] = []) {
    const given = bench(refuse)
    given.server.songs.push(song('a', { analysis: { warnings: [] } as never, state: 'submitted', job_ids: ['old'] }))
    given.options.jobs.keep([made])
    await given.desk.read()
    const row = () => {
      const { desk } = given.desk.store.getState()
      const { accepted, again } = given.desk.marks.store.getState()
      const { byId } = given.options.jobs.store.getState()
      const none = { uploads: [], order: [], looks: {}, analysisErrors: {} }
      return songRows({ ...none, songs: desk?.songs ?? [], settings: someSettings, jobs: byId, accepted, again })[0]
    }
    const sent = () => given.calls.filter(({ path }) => path === '/app/desk/a').map(({ body }) => body)
    const started = () => given.calls.filter(({ path }) => path === '/app/desk/start').length
    return { ...given, row, sent, started }
  }

  it('is ready with the settings it had, and nothing is spent', async () => {
    const { desk, row, sent, started } = await again()
    expect(row()?.kind).toBe('done')
    await desk.masterAgain([made], say)
    expect([row()?.kind, row()?.song?.settings?.intensity]).toEqual(['ready', 80])
    expect(desk.store.getState()).toMatchObject({ selectedId: 'a', isWholeBatch: false })
    await expect.poll(sent).toMatchObject([{ settings: { intensity: 80 } }])
    expect(started()).toBe(0)
  })

  it('is done as before when that is undone, with the settings of all songs', async () => {
    const { desk, row, sent, notices } = await again()
    await desk.masterAgain([made], say)
    notices.undo()
    expect(row()?.kind).toBe('done')
    await expect.poll(() => sent().at(-1)).toEqual({ settings: null })
  })

  it('is shown with its new job once it was started', async () => {
    const { desk, row, server, options } = await again()
    await desk.masterAgain([made], say)
    options.jobs.keep([{ ...made, job_id: 'new' }])
    server.songs = [song('a', { state: 'submitted', job_ids: ['new', 'old'] })]
    await desk.read()
    expect(row()).toMatchObject({ kind: 'done', job: { job_id: 'new' } })
  })

  it('comes back from among those that were taken off', async () => {
    const { desk, row, calls, notices } = await again()
    desk.remove(['a'], 'removed')
    await desk.masterAgain([made], say)
    expect(calls.map(({ path }) => path)).toContain('/app/desk/restore')
    expect(row()?.song?.settings?.intensity).toBe(80)
    notices.undo()
    expect(row()).toBeUndefined()
  })

  it('is so after a reload and in another page of the browser, until it is undone', async () => {
    const { desk, notices, again: make } = await again()
    const other = make()
    await desk.masterAgain([made], say)
    other.marks.hearOthers()
    expect([make().marks.store.getState().again, other.marks.store.getState().again]).toEqual([
      { old: true },
      { old: true },
    ])
    notices.undo()
    other.marks.hearOthers()
    expect([make().marks.store.getState().again, other.marks.store.getState().again]).toEqual([{}, {}])
  })

  it('comes from what its job has kept, with the reference, where the desk has forgotten it', async () => {
    const { desk, gate, calls, started, notices, server } = await again()
    gate.isTooLate = true
    const forgotten = {
      ...made,
      job_id: 'far',
      source_id: 'gone',
      filename: 'far.wav',
      reference_filename: 'guide.wav',
    }
    await desk.masterAgain([{ ...forgotten, title: 'Far' }], say)
    const paths = calls.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['/api/v1/jobs/far/files/source', '/api/v1/jobs/far/files/reference']))
    expect(notices.store.getState().toast?.text).toBe('Far 0 false')
    await expect
      .poll(() => desk.store.getState().desk?.songs.find((one) => one.source.source_id === 'far')?.settings)
      .toMatchObject({ intensity: 80, reference_source_id: 'guide' })
    expect([desk.store.getState().selectedId, started()]).toEqual(['far', 0])
    notices.undo()
    expect(desk.store.getState().order).not.toContain('far')
    await expect.poll(() => server.songs.map((one) => one.source.source_id)).not.toContain('far')
  })

  it('is one of several: each once, as its newest job made it, and one undo for all', async () => {
    const { desk, row, notices, server } = await again()
    const at = (hour: number) => `2026-01-01T0${hour}:00:00.000Z`
    const older = { ...made, job_id: 'oldest', created_at: at(1), intensity: 10, title: 'a' }
    const newer = { ...made, created_at: at(2), title: 'a' }
    server.songs.push(song('b', { analysis: { warnings: [] } as never, state: 'submitted', job_ids: ['b1'] }))
    await desk.read()
    await desk.masterAgain([older, newer, { ...newer, job_id: 'b1', source_id: 'b', title: 'b' }], say)
    expect(row()?.song?.settings?.intensity).toBe(80)
    expect(desk.marks.store.getState().again).toEqual({ old: true, b1: true })
    expect(notices.store.getState().toast?.text).toBe('a 1 false')
    notices.undo()
    expect(desk.marks.store.getState().again).toEqual({})
  })

  const guided = { ...made, title: 'a', reference_filename: 'guide.wav' }
  /** A desk whose server answers what ends so with a failure. */
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
    const desk = createDesk({ ...options, client })
    await desk.read()
    return { desk, toast: () => notices.store.getState().toast?.text }
  }

  /** The desk over one whose references arrive only when they are let; `refuse` lets them be refused. */
  async function slowReference() {
    const given = await again()
    let let_: (source: Source) => void = () => {}
    let refuse: () => void = () => {}
    const upload: DeskOptions['upload'] = () =>
      new Promise((resolve, reject) => {
        let_ = resolve
        refuse = () => reject(new ApiError({ code: 'UNSUPPORTED_FORMAT', values: { reason: 'aac' } }))
      })
    const desk = createDesk({ ...given.options, upload })
    await desk.read()
    const song = () => desk.store.getState().desk?.songs[0]
    const isSending = () => desk.references.store.getState().sending[0]?.sent === 0
    const told = () =>
      given.calls.filter(({ path }) => /desk\/(a|start)$/.test(path)).map(({ path, body }) => ({ path, body }))
    return { ...given, desk, song, isSending, told, arrive: () => let_(source('guide')), refuse: () => refuse() }
  }

  it('is the one whose settings are shown and changed at once, before its reference has arrived', async () => {
    const { desk, song, isSending, told, arrive } = await slowReference()
    const coming = desk.masterAgain([guided], say)
    expect(desk.store.getState()).toMatchObject({ selectedId: 'a', isWholeBatch: false })
    expect([desk.marks.store.getState().again, song()?.settings?.intensity, isSending()]).toEqual([
      { old: true },
      80,
      true,
    ])
    desk.changeSettings({ genre: 'edm' }, 'a')
    await settle(20)
    arrive()
    await coming
    expect(song()?.settings).toMatchObject({ genre: 'edm', intensity: 80, reference_source_id: 'guide' })
    await expect
      .poll(() => told().at(-1)?.body)
      .toMatchObject({ settings: { genre: 'edm', intensity: 80, reference_source_id: 'guide' } })
    expect(desk.store.getState().desk?.settings).toEqual(someSettings)
  })

  it('is started with what was changed and with its reference, however early the press', async () => {
    const { desk, song, told, server, arrive, options } = await slowReference()
    const earlier = { ...made, batch_id: 'earlier' }
    options.jobs.keep([earlier])
    server.songs = server.songs.map((one) => ({ ...one, batch_id: 'earlier' }))
    await desk.read()
    const kind = () => {
      const none = {
        uploads: [],
        order: [],
        looks: {},
        analysisErrors: {},
        accepted: {},
        again: { old: true as const },
      }
      const songs = desk.store.getState().desk?.songs ?? []
      return songRows({ ...none, songs, settings: someSettings, jobs: { old: earlier } })[0]?.kind
    }
    const coming = desk.masterAgain([guided], say)
    desk.changeSettings({ genre: 'edm' }, 'a')
    const started = desk.start(['a'])
    await desk.read()
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
      const { desk, song, told, arrive, refuse } = await slowReference()
      const coming = desk.masterAgain([guided], say)
      const started = desk.start(['a'])
      expect(song()?.state).toBe('waiting')
      await settle(20)
      if (end === 'cancelled') await desk.stop(['a'])
      if (end === 'taken off') desk.remove(['a'], 'removed')
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
    const { desk, toast } = await failing('/files/reference', 'RESULT_EXPIRED', 410)
    await desk.masterAgain([guided], say)
    expect(toast()).toBe('a 0 true')
  })

  it('says so too of a reference that is not taken any more', async () => {
    const { desk, notices } = await again(['guide.wav'])
    await desk.masterAgain([guided], say)
    expect(notices.store.getState().toast?.text).toBe('a 0 true')
  })

  it.each([
    ['its reference', '/files/reference', guided],
    ['the song', '/app/desk/restore', { ...made, source_id: 'taken off' }],
  ])('stays where it is while %s cannot be asked for', async (_, end, job) => {
    const { desk, toast } = await failing(end, 'UNAVAILABLE', 503)
    await expect(desk.masterAgain([job], say)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect([desk.marks.store.getState().again, toast()]).toEqual([{}, undefined])
  })
})

describe('what is done while the server is slow', () => {
  /** A desk with a and b whose server answers every request only when it is let; `fail` names paths that it cannot serve. */
  async function slowBench() {
    const given = bench()
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
        const of = (ids: string[], state: DeskSong['state']) =>
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
    const desk = createDesk({ ...given.options, client, jobs: createJobs(client) })
    await desk.read()
    isSlow = true
    /** Answers what is asked until nothing more is. */
    const answerAll = async () => {
      isSlow = false
      for (const one of open.splice(0)) one.answer()
      await settle(50)
    }
    const paths = () => open.map((one) => one.path)
    const state = () => desk.store.getState()
    const stateOf = (id: string) => state().desk?.songs.find((one) => one.source.source_id === id)?.state
    return { ...given, desk, open, fail, answerAll, paths, state, stateOf }
  }

  it('starts songs only after the settings that are on their way', async () => {
    const { desk, paths, open, answerAll, server } = await slowBench()
    desk.changeSettings({ intensity: 80 }, null)
    await expect.poll(paths).toEqual(['/app/desk'])
    void desk.start(['a'])
    await settle(20)
    expect(paths()).toEqual(['/app/desk'])
    open[0]?.answer()
    await expect.poll(paths).toEqual(['/app/desk', '/app/desk/start'])
    await answerAll()
    expect(server.settings.intensity).toBe(80)
  })

  it('starts songs only once the reference that was dropped for them is among their settings', async () => {
    const given = bench()
    given.server.songs.push({ ...song('a'), analysis: {} as never }, { ...song('b'), settings: someSettings })
    let arrive = () => {}
    const upload: DeskOptions['upload'] = () => new Promise((resolve) => (arrive = () => resolve(source('guide'))))
    const desk = createDesk({ ...given.options, upload })
    await desk.read()
    const started = () =>
      given.calls
        .filter(({ path }) => path === '/app/desk/start')
        .map(({ body }) => (body as { source_ids: string[] }).source_ids)
    void desk.references.take(file('guide.wav'), null)
    await settle(20)
    const one = desk.start(['a'])
    await desk.start(['b'])
    expect(started(), 'one with settings of its own does not wait for those of all').toEqual([['b']])
    arrive()
    await one
    expect([started(), given.server.settings.reference_source_id]).toEqual([[['b'], ['a']], 'guide'])
  })

  it('starts no song whose settings did not arrive, and says why', async () => {
    const { desk, fail, server, state, stateOf, answerAll } = await slowBench()
    await answerAll()
    fail.add('/app/desk')
    desk.changeSettings({ intensity: 80 }, null)
    const started = desk.start(['a'])
    expect(stateOf('a')).toBe('waiting')
    await settle(20)
    fail.clear()
    await started
    expect(server.songs.map((one) => one.state)).toEqual(['ready', 'ready'])
    expect(state().failure?.code).toBe('UNAVAILABLE')
    await desk.read()
    expect(stateOf('a')).toBe('ready')
  })

  it('sends a later value of a setting after the earlier one', async () => {
    const { desk, open, paths } = await slowBench()
    desk.changeSettings({ intensity: 60 }, null)
    await expect.poll(paths).toEqual(['/app/desk'])
    desk.changeSettings({ intensity: 80 }, null)
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(open).toHaveLength(1)
    open[0]?.answer()
    await expect.poll(() => open.length).toBe(2)
    expect(open[1]?.body).toMatchObject({ settings: { intensity: 80 } })
  })

  it('starts a song again after its cancelling has ended', async () => {
    const { desk, open, paths, answerAll, stateOf, server } = await slowBench()
    void desk.stop(['a'])
    void desk.start(['a'])
    await settle(20)
    expect(paths()).toEqual(['/app/desk/stop'])
    open[0]?.answer()
    await answerAll()
    expect(server.songs[0]?.state).toBe('waiting')
    expect(stateOf('a')).toBe('waiting')
  })

  it('stays paused or not as the last press had it', async () => {
    const { desk, open, state, answerAll } = await slowBench()
    const seen: unknown[] = []
    desk.store.subscribe(() => seen.push(state().desk?.is_paused))
    void desk.setPaused(true)
    void desk.setPaused(false)
    await expect.poll(() => open.length).toBe(1)
    await answerAll()
    expect(state().desk?.is_paused).toBe(false)
    expect(seen.lastIndexOf(true)).toBeLessThan(seen.indexOf(false))
  })

  it('shows a started song as started while an older reading is answered', async () => {
    const { desk, open, stateOf, answerAll } = await slowBench()
    const reading = desk.read()
    await expect.poll(() => open.length).toBe(1)
    void desk.start(['a'])
    const seen: unknown[] = []
    desk.store.subscribe(() => seen.push(stateOf('a')))
    open[0]?.answer()
    await settle(20)
    await answerAll()
    await reading
    expect(seen).not.toContain('ready')
    expect(stateOf('a')).toBe('waiting')
  })

  it('keeps what a newer reading brought when an older one is answered after it', async () => {
    const { desk, open, server, state, answerAll } = await slowBench()
    const older = desk.read()
    await expect.poll(() => open.length).toBe(1)
    server.songs.push(song('c'))
    const newer = desk.read()
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
    const desk = createDesk({
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
    await desk.read()
    isHeld = true
    const reading = desk.read()
    await expect.poll(() => held.length).toBe(1)
    desk.addFiles([file('c.wav'), file('d.wav')])
    await expect.poll(() => desk.store.getState().order.slice(0, 3)).toEqual(['a', 'b', 'c'])
    isHeld = false
    held[0]?.()
    await reading
    const [, , third, fourth] = desk.store.getState().order
    expect([third, fourth?.slice(0, 6)]).toEqual(['c', 'upload'])
  })

  it('puts back what was taken off and nothing else', async () => {
    const { desk, notices, state, server, answerAll } = await slowBench()
    await answerAll()
    server.songs.push(song('c'))
    await desk.read()
    desk.remove(['a'], 'removed')
    desk.move('c', -1)
    desk.changeSettings({ intensity: 80 }, null)
    desk.addFiles([file('d.wav')])
    await expect.poll(() => state().order).toEqual(['c', 'b', 'd'])
    notices.undo()
    expect(state().order).toEqual(['a', 'c', 'b', 'd'])
    expect(state().desk?.settings.intensity).toBe(80)
    expect(
      state()
        .desk?.songs.map((one) => one.source.source_id)
        .sort(),
    ).toEqual(['a', 'b', 'c', 'd'])
    await answerAll()
    expect(state().order).toEqual(['a', 'c', 'b', 'd'])
  })

  it('puts a song back behind one that arrived meanwhile in its place', async () => {
    const { options, notices } = await slowBench()
    let arrive: () => void = () => undefined
    const server = emptyDesk()
    const desk = createDesk({
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
    await desk.read()
    desk.addFiles([file('s.wav')])
    const [, uploadId = ''] = desk.store.getState().order
    desk.move(uploadId, -1)
    expect(desk.store.getState().order).toEqual([uploadId, 'x'])
    server.songs = []
    desk.remove(['x'], 'removed')
    arrive()
    await expect.poll(() => desk.store.getState().order).toEqual(['s'])
    notices.undo()
    expect(desk.store.getState().order).toEqual(['s', 'x'])
  })

  it('gives a reference to the song for which it was dropped, and leaves what was changed since', async () => {
    const { desk, state, answerAll } = await slowBench()
    await answerAll()
    desk.changeSettings({ genre: 'edm' }, null)
    desk.changeSettings({ reference_source_id: 'r' }, null)
    expect(state().desk?.settings).toMatchObject({ genre: 'edm', reference_source_id: 'r' })
    desk.addFiles([file('c.wav')])
    const uploadId = state().order[2] ?? ''
    await expect.poll(() => state().order).toEqual(['a', 'b', 'c'])
    desk.changeSettings({ reference_source_id: 'own' }, uploadId)
    expect(state().desk?.songs[2]?.settings).toMatchObject({ genre: 'edm', reference_source_id: 'own' })
  })

  it('shows a reference on its way in the settings for which it is, also of a song that is stored meanwhile', async () => {
    const { options } = bench()
    const arrive: Record<string, () => void> = {}
    const upload: DeskOptions['upload'] = ({ file: sent }) =>
      new Promise((resolve) => {
        arrive[sent.name] = () => resolve(source(sent.name.replace('.wav', '')))
      })
    const desk = createDesk({ ...options, upload, uploadsAtOnce: 2 })
    await desk.read()
    desk.addFiles([file('c.wav')])
    const uploadId = desk.store.getState().order[0] ?? ''
    const shown = (rowId: string | null, isOwn = true) =>
      sendingFor(desk.references.store.getState(), rowId, isOwn)?.filename
    const taken = desk.references.take(file('own.wav'), uploadId)
    void desk.references.take(file('common.wav'), null)
    expect([shown(uploadId, false), shown('other', false), shown('other'), shown(null)]).toEqual([
      'own.wav',
      'common.wav',
      undefined,
      'common.wav',
    ])
    arrive['c.wav']?.()
    await expect.poll(() => desk.store.getState().order).toEqual(['c'])
    expect([shown('c'), shown(uploadId)]).toEqual(['own.wav', undefined])
    arrive['own.wav']?.()
    await taken
    expect(desk.store.getState().desk?.songs[0]?.settings?.reference_source_id).toBe('own')
    expect([shown('c'), shown(null)]).toEqual([undefined, 'common.wav'])
  })

  it('knows the file of every reference that settings name, and asks for each once', async () => {
    const { desk, open, server, answerAll } = await slowBench()
    const own = { ...server.settings, reference_source_id: 'own' }
    server.settings = { ...server.settings, reference_source_id: 'common' }
    server.songs = server.songs.map((one, i) => (i === 0 ? { ...one, settings: own } : one))
    const asked = () => open.filter(({ path }) => path.startsWith('/app/sources/')).map(({ path }) => path)
    for (let reading = 0; reading < 2; reading++) {
      const read = desk.read()
      await expect.poll(() => open.at(-1)?.path).toBe('/app/desk')
      open.pop()?.answer()
      await read
    }
    expect(asked()).toEqual(['/app/sources/common', '/app/sources/own'])
    await answerAll()
    expect(Object.keys(desk.references.store.getState().known).sort()).toEqual(['common', 'own'])
  })

  it('deletes one preset after another without waiting for the answers', async () => {
    const { desk, state, server, answerAll } = await slowBench()
    const { settings } = server
    const names = () => state().desk?.presets.map((one) => one.name)
    const without = (name: string) => desk.changePresets((all) => all.filter((one) => one.name !== name))
    void desk.changePresets(() => ['one', 'two', 'three'].map((name) => ({ name, settings })))
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
    const { options } = bench()
    const sent: unknown[] = []
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path, init) => {
        if (typeof init?.body === 'string') sent.push([path, JSON.parse(init.body).settings?.intensity, init.keepalive])
        return Response.json({ ...emptyDesk(), songs: [song('a')] })
      },
    })
    const desk = createDesk({ ...options, client })
    await desk.read()
    desk.changeSettings({ intensity: 80 }, null)
    desk.changeSettings({ intensity: 90 }, 'a')
    desk.leave()
    expect(sent).toEqual([
      ['/app/desk', 80, true],
      ['/app/desk/a', 90, true],
    ])
  })
})

describe('two pages of one browser', () => {
  it('accept warnings side by side, and neither takes back what the other accepted', async () => {
    const { desk, again } = bench()
    const other = again()
    desk.marks.accept(['a'])
    other.marks.accept(['b'])
    desk.marks.accept(['c'])
    expect(again().marks.store.getState().accepted).toEqual({ a: true, b: true, c: true })
    other.marks.hearOthers()
    expect(other.marks.store.getState().accepted).toEqual({ a: true, b: true, c: true })
    const known = other.marks.store.getState().accepted
    other.marks.hearOthers()
    expect(other.marks.store.getState().accepted).toBe(known)
  })

  it('keep the refused files of both, in the places that each gave them', async () => {
    const { desk, again, options } = bench(['one.m4a', 'two.m4a'])
    const other = again()
    desk.addFiles([file('one.m4a')])
    await expect.poll(() => desk.uploads.store.getState().uploads[0]?.state).toBe('refused')
    other.addFiles([file('two.m4a')])
    await expect.poll(() => other.uploads.store.getState().uploads[0]?.state).toBe('refused')
    const names = () => {
      const { uploads } = again()
      const { uploads: shown } = uploads.store.getState()
      return uploads.keptOrder.map((id) => shown.find((one) => one.uploadId === id)?.filename)
    }
    expect(names().sort()).toEqual(['one.m4a', 'two.m4a'])
    desk.remove(desk.store.getState().order, 'removed')
    expect(names()).toEqual(['two.m4a'])
    expect(options.storage.getItem('loudsmith.uploads')).not.toContain('one.m4a')
  })
})

describe('nonsense in the storage of the browser', () => {
  it('is passed over', async () => {
    const { options } = bench()
    for (const text of ['null', '7', '{}', '[]', '{', '{"uploads":[{}],"order":[]}', '{"uploads":{},"order":null}']) {
      const desk = createDesk({ ...options, storage: { getItem: () => text, setItem: () => undefined } })
      await desk.read()
      expect([desk.uploads.store.getState().uploads, desk.store.getState().order]).toEqual([[], []])
      expect(desk.marks.store.getState().accepted.a).toBeUndefined()
    }
  })
})

describe('a new reading of the desk', () => {
  it('does not take an analysis away that has just arrived', () => {
    const measured = { ...song('a'), analysis: { warnings: [] } as never }
    const known = { ...emptyDesk(), songs: [measured] }
    expect(mergedDesk(known, { ...emptyDesk(), songs: [song('a')] }, () => false).songs[0]?.analysis).toBe(
      measured.analysis,
    )
  })

  it('leaves songs of which nothing new is read as they are', () => {
    const known = { ...emptyDesk(), songs: [song('a'), song('b')] }
    const read = { ...emptyDesk(), songs: [song('a'), { ...song('b'), state: 'waiting' as const }] }
    const merged = mergedDesk(known, read, () => false).songs
    expect(merged[0]).toBe(known.songs[0])
    expect(merged[1]?.state).toBe('waiting')
  })

  it('drops what is gone and puts what is new at the end', () => {
    const read = { ...emptyDesk(), songs: [song('a'), song('new')] }
    expect(mergedOrder(['gone', 'a', 'upload'], read, ['upload'])).toEqual(['a', 'upload', 'new'])
  })

  it('puts known songs in the order of the server, and leaves uploads and the row in the hand in their places', () => {
    const read = { ...emptyDesk(), songs: [song('c'), song('new'), song('b'), song('a')] }
    const uploads = ['first', 'last']
    const shown = ['first', 'a', 'b', 'c', 'last']
    expect(mergedOrder(shown, read, uploads)).toEqual(['first', 'c', 'new', 'b', 'a', 'last'])
    expect(mergedOrder(shown, read, uploads, 'a')).toEqual(['first', 'a', 'c', 'new', 'b', 'last'])
  })

  it('puts a song that another page took back where the server has it', () => {
    const read = { ...emptyDesk(), songs: [song('b'), song('back'), song('too'), song('a'), song('new')] }
    expect(mergedOrder(['upload', 'b', 'a'], read, ['upload'])).toEqual(['upload', 'b', 'back', 'too', 'a', 'new'])
  })
})
