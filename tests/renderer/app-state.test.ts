import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LiveEventName } from '../../src-contract/events.ts'
import { createAppState } from '../../src-renderer/state/app-state.ts'
import { settle } from '../support/fake-clock.ts'

/** A page in a browser whose requests `serve` answers; a stream stays open until the page goes. */
function page(serve: (path: string, method: string, bearer: string | null) => Response | Promise<Response> | null) {
  const heard: (string | null)[] = []
  const stop = new AbortController()
  const streams: ReadableStreamDefaultController[] = []
  const kept = new Map<string, string>()
  vi.stubGlobal('window', {})
  // A page alone in its browser, with a stream of its own.
  vi.stubGlobal('BroadcastChannel', undefined)
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  })
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }))
  vi.stubGlobal('document', { documentElement: { dataset: {} } })
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    const bearer = new Headers(init?.headers).get('authorization')
    heard.push(bearer)
    const answer = (await serve(String(path), init?.method ?? 'GET', bearer)) ?? answerOf(String(path))
    if (!String(path).includes('/events')) return answer
    const body = new ReadableStream({ start: (controller) => void streams.push(controller) })
    return answer.ok ? new Response(body) : answer
  })
  const app = createAppState({ session: 'credential', isTicketSpent: false })
  void app.start(stop.signal)
  const send = (event: object) =>
    streams.at(-1)?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`))
  return { app, stop, heard, send, cut: () => streams.pop()?.close() }
}

const SETTINGS = { language: 'ko', theme: 'light' }
const answers: Record<string, object> = {
  '/app/settings': SETTINGS,
  '/app/system': { base_url: 'http://here' },
  '/app/desk': { songs: [], release_songs: [], presets: [], settings: { reference_source_id: null }, is_paused: false },
}
const answerOf = (path: string) => Response.json(answers[path] ?? { jobs: [], total: 0, credits: 1 })
const refusal = (status: number, code: string) =>
  Response.json({ error: { code, message: code, request_id: 'r', retryable: false } }, { status })

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a page', () => {
  it('reads settings and system once the server answers, when it did not at first', async () => {
    let isBusy = true
    const { app, stop } = page((path) =>
      isBusy && path.startsWith('/app/s') ? refusal(503, 'UNAVAILABLE') : answerOf(path),
    )
    await settle(5)
    isBusy = false
    await expect.poll(() => app.service.store.getState().settings).toEqual(SETTINGS)
    expect(app.service.store.getState().system).toEqual(answers['/app/system'])
    expect(app.preferences.getState().language).toBe('ko')
    stop.abort()
  })

  it('says that its link is no longer valid when the server was started anew', async () => {
    let isNew = false
    const { app, cut } = page((path) => (isNew ? refusal(401, 'INVALID_API_KEY') : answerOf(path)))
    await expect.poll(() => app.service.store.getState().link).toBe('live')
    isNew = true
    cut()
    await expect.poll(() => app.service.store.getState().isLockedOut).toBe(true)
  })

  it('goes on in its place with the credential of the newer start', async () => {
    let valid = 'Bearer credential'
    vi.stubGlobal('sessionStorage', { setItem: () => undefined })
    const { app, stop, cut, heard } = page((_, __, bearer) =>
      bearer === valid ? null : refusal(401, 'INVALID_API_KEY'),
    )
    const state = () => app.service.store.getState()
    await expect.poll(() => state().link).toBe('live')
    valid = 'Bearer newer'
    cut()
    await expect.poll(() => state().isLockedOut).toBe(true)
    app.renew('newer')
    await expect.poll(() => [state().isLockedOut, state().link]).toEqual([false, 'live'])
    expect(heard.at(-1)).toBe('Bearer newer')
    stop.abort()
  })

  it('reads the history again after events were missed', async () => {
    let readings = 0
    const { app, stop, cut } = page((path) => {
      // The jobs that tell how fast this machine is are read once beside it.
      if (path.startsWith('/api/v1/jobs') && !path.endsWith('?limit=20')) readings += 1
      return answerOf(path)
    })
    await expect.poll(() => app.service.store.getState().link).toBe('live')
    await app.history.read()
    expect(readings).toBe(1)
    cut()
    await expect.poll(() => readings).toBe(2)
    stop.abort()
  })

  const [account, batch, history] = ['/api/v1/account', '/app/desk', '/api/v1/jobs']
  const READ_AGAIN: Record<LiveEventName, string[]> = {
    'job.created': [account, batch, history],
    'job.progress': [],
    'job.completed': [account, history],
    'job.failed': [account, history],
    // Its song can be started anew.
    'job.deleted': [batch, history],
    'job.expired': [history],
    'job.delivered': [history],
    'source.progress': [],
    'audition.changed': [],
    'export.progress': [],
    'release.changed': [batch],
    'account.changed': [account],
    'desk.changed': [batch],
    'settings.changed': ['/app/settings'],
  }

  it.each(Object.entries(READ_AGAIN))(
    'reads again what %s makes out of date, and nothing else',
    async (event, paths) => {
      const read = new Set<string>()
      const { app, stop, send } = page((path) => {
        // The job of the event itself is asked for by its name.
        if (!path.includes('/j1')) read.add(path.split('?')[0]!)
        return answerOf(path)
      })
      await expect.poll(() => app.service.store.getState().link).toBe('live')
      await app.history.read()
      await settle(5)
      read.clear()
      send({ event, seq: 1, ...(event.startsWith('job.') ? { job_id: 'j1' } : {}) })
      // Read after all that came before it.
      await expect.poll(() => [...read].sort()).toEqual(paths.toSorted())
      if (paths.length === 0) {
        send({ event: 'settings.changed', seq: 2 })
        await expect.poll(() => [...read]).toEqual(['/app/settings'])
      }
      stop.abort()
    },
  )

  it('shows a setting that was changed elsewhere, also while it could not be told', async () => {
    let settings = { ...SETTINGS, is_offline: false }
    const { app, stop, cut, send } = page((path) => (path === '/app/settings' ? Response.json(settings) : null))
    const isOffline = () => app.service.store.getState().settings?.is_offline
    await expect.poll(() => app.service.store.getState().link).toBe('live')
    expect(isOffline()).toBe(false)
    settings = { ...settings, is_offline: true }
    send({ event: 'settings.changed', seq: 1 })
    await expect.poll(isOffline).toBe(true)
    settings = { ...settings, is_offline: false }
    cut()
    await expect.poll(isOffline).toBe(false)
    stop.abort()
  })

  it('shows what a song has cost from the moment its job is made', async () => {
    let credits = 500
    const { app, stop, send } = page((path) => (path === '/api/v1/account' ? Response.json({ credits }) : null))
    const shown = () => app.service.store.getState().account?.credits
    await expect.poll(() => app.service.store.getState().link).toBe('live')
    expect(shown()).toBe(500)
    credits = 499
    send({ event: 'job.created', seq: 1, job_id: 'j1' })
    await expect.poll(shown).toBe(499)
    stop.abort()
  })
})
