import { describe, expect, it, vi } from 'vitest'
import { fillPath, writeQuery } from '../../src-contract/endpoint.ts'
import { linkOf, ticketIn } from '../../src-contract/session.ts'
import { ApiError, createClient, readFailure } from '../../src-renderer/api/client.ts'
import { createSaver, filenameIn } from '../../src-renderer/api/save.ts'
import { openSession } from '../../src-renderer/api/session.ts'

const none = () => null

function recorded(answer: () => Response | Promise<Response>) {
  const calls: { path: string; init: RequestInit }[] = []
  const client = createClient({
    session: 'secret',
    language: () => 'ko',
    fetch: (path, init) => {
      calls.push({ path: String(path), init: init ?? {} })
      return Promise.resolve(answer())
    },
  })
  return { client, calls }
}

describe('the client', () => {
  it('sends the credential and the language with every call, and parameters where the table puts them', async () => {
    const { client, calls } = recorded(() => Response.json({ jobs: [], total: 0 }))
    await client.call('listJobs', { query: { q: '바다 & co', limit: 5, sort: 'title' } })
    expect(calls[0]?.path).toBe('/api/v1/jobs?q=%EB%B0%94%EB%8B%A4+%26+co&limit=5&sort=title')
    expect(calls[0]?.init).toMatchObject({
      method: 'GET',
      headers: { Authorization: 'Bearer secret', 'Accept-Language': 'ko' },
    })
  })

  it('sends no credential where the desktop adds it', async () => {
    let headers: unknown
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: (_path, init) => {
        headers = init?.headers
        return Promise.resolve(Response.json({}))
      },
    })
    await client.call('readAccount', {})
    expect(headers).not.toHaveProperty('Authorization')
  })

  it('cannot be led to another path by what stands in an identifier', () => {
    expect(fillPath('/api/v1/jobs/{job_id}', { job_id: '../keys?x=1' })).toBe('/api/v1/jobs/..%2Fkeys%3Fx%3D1')
    expect(() => fillPath('/api/v1/jobs/{job_id}')).toThrow('job_id')
  })

  it('leaves out what has no value from a query', () => {
    expect(writeQuery({ q: '', status: undefined, limit: 0 })).toBe('?limit=0')
    expect(writeQuery({})).toBe('')
  })

  it('writes a form as multipart and leaves its content type to the browser', async () => {
    const { client, calls } = recorded(() => Response.json({}))
    await client.call('analyze', { fields: { source_id: 's1', ai_service: 'suno' } })
    const body = calls[0]?.init.body
    expect(body).toBeInstanceOf(FormData)
    expect([...(body as FormData)]).toEqual([
      ['source_id', 's1'],
      ['ai_service', 'suno'],
    ])
    expect(calls[0]?.init.headers).not.toHaveProperty('Content-Type')
  })

  it('was not reached where its answer breaks off, unless nobody waits for it any more', async () => {
    const brokenOff = () =>
      new Response(new ReadableStream({ pull: (stream) => stream.error(new TypeError('broken off')) }))
    const { client } = recorded(brokenOff)
    await expect(client.call('readDesk', {})).rejects.toMatchObject({ name: 'ApiError', code: 'UNREACHABLE' })
    const stop = new AbortController()
    const call = client.call('readDesk', { signal: stop.signal })
    stop.abort()
    await expect(call).rejects.toThrow('broken off')
  })

  it('says what the server named, with what its sentence mentions, the request to quote and the time to wait', async () => {
    const values = { limit: 20 }
    const body = { error: { code: 'CONCURRENT_LIMIT', message: '20 jobs are unfinished', values, request_id: 'r7' } }
    const { client } = recorded(() => Response.json(body, { status: 429, headers: { 'retry-after': '3' } }))
    await expect(client.call('startSongs', { body: { source_ids: ['a'] } })).rejects.toMatchObject({
      code: 'CONCURRENT_LIMIT',
      values,
      status: 429,
      requestId: 'r7',
      retryAfterSeconds: 3,
    })
  })

  it('tells an unreachable server from one that answers', async () => {
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: () => Promise.reject(new TypeError('failed')),
    })
    const error = await client.call('readAccount', {}).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: 'UNREACHABLE' })
  })

  it('turns an answer without an envelope or with an unknown code into an internal error', () => {
    expect(readFailure(502, '<html>', none)).toMatchObject({ code: 'INTERNAL_ERROR', status: 502 })
    expect(readFailure(400, '{"error":{"code":"NEW_CODE","message":"later"}}', none)).toMatchObject({
      code: 'INTERNAL_ERROR',
    })
  })

  it('answers nothing for a 204', async () => {
    const { client } = recorded(() => new Response(null, { status: 204 }))
    expect(await client.call('deleteWebhook', { params: { webhook_id: 'w' } })).toBeUndefined()
  })
})

describe('the ticket in the address', () => {
  it('is found in the fragment of a link and nowhere else', () => {
    expect(ticketIn(new URL(linkOf('http://127.0.0.1:1', 'abc_-1')).hash)).toBe('abc_-1')
    expect(ticketIn('#x=1&ticket=a%2Bb')).toBe('a+b')
    expect(ticketIn('#/history')).toBeNull()
    expect(ticketIn('#myticket=abc')).toBeNull()
    expect(ticketIn('#ticket=%')).toBeNull()
  })
})

describe('a tab opened by a link', () => {
  /** What became of the tab, of its address and of what it keeps, when the service answers the exchange of its ticket so. */
  async function opened(hash: string, kept: string | null, answer: () => Response) {
    const stored = new Map(kept === null ? [] : [['loudsmith.session', kept]])
    let address = `/${hash}`
    vi.stubGlobal('location', { hash, pathname: '/', search: '' })
    vi.stubGlobal('history', { replaceState: (_: unknown, __: string, to: string) => (address = to) })
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => void stored.set(name, value),
    })
    const sent: unknown[] = []
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: async (path, init) => {
        sent.push([path, init?.method, JSON.parse(String(init?.body))])
        return answer()
      },
    })
    const opening = await openSession(client)
    vi.unstubAllGlobals()
    return { ...opening, address, sent, kept: stored.get('loudsmith.session') ?? null }
  }
  const granted = () => Response.json({ credential: 'new' })
  const spent = () => Response.json({ error: { code: 'TICKET_SPENT', message: '' } }, { status: 410 })

  it('exchanges its ticket, which leaves the address, and keeps the credential for a reload', async () => {
    expect(await opened('#ticket=abc', 'old', granted)).toEqual({
      ...{ session: 'new', kept: 'new', isTicketSpent: false, address: '/#/' },
      sent: [['/app/session', 'POST', { ticket: 'abc' }]],
    })
  })

  it('goes on with what it has where the ticket is spent, and says so where it has nothing', async () => {
    expect(await opened('#ticket=abc', 'old', spent)).toMatchObject({ session: 'old', isTicketSpent: false })
    expect(await opened('#ticket=abc', null, spent)).toMatchObject({
      session: null,
      isTicketSpent: true,
      address: '/#/',
    })
  })

  it('asks for nothing without a ticket', async () => {
    expect(await opened('#/history', 'old', spent)).toMatchObject({ session: 'old', sent: [], address: '/#/history' })
  })

  it('does not call a ticket spent that never reached the service', async () => {
    const unreachable = () => {
      throw new TypeError('fetch failed')
    }
    expect(await opened('#ticket=abc', null, unreachable)).toMatchObject({ session: null, isTicketSpent: false })
  })
})

describe('the name of a saved file', () => {
  it('is the encoded one, so that Korean titles survive', () => {
    const header = `attachment; filename="___master.zip"; filename*=UTF-8''${encodeURIComponent('모래시계_master.zip')}`
    expect(filenameIn(header)).toBe('모래시계_master.zip')
  })

  it('falls back to the plain one, and to nothing', () => {
    expect(filenameIn('attachment; filename="a b.zip"')).toBe('a b.zip')
    expect(filenameIn('attachment; filename=a.zip')).toBe('a.zip')
    expect(filenameIn('inline')).toBeNull()
    expect(filenameIn(null)).toBeNull()
  })
})

describe('a file that is asked for again while it is on its way', () => {
  it('is fetched once, and once more afterwards', async () => {
    const asked: string[] = []
    const { promise: failure, reject: fail } = Promise.withResolvers<Response>()
    const client = createClient({
      session: null,
      language: () => 'en',
      fetch: (path) => {
        asked.push(String(path))
        return failure
      },
    })
    const saver = createSaver(client)
    const saves = [saver.saveZip('a'), saver.saveZip('a'), saver.saveMaster('a', 'spotify'), saver.saveZip('b')]
    const ends = Promise.allSettled(saves)
    expect(asked).toEqual(['/api/v1/jobs/a/download', '/api/v1/jobs/a/files/spotify', '/api/v1/jobs/b/download'])
    fail(new TypeError('no network'))
    expect((await ends).map((end) => end.status)).toEqual(Array(4).fill('rejected'))
    await expect(saver.saveZip('a')).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(asked).toHaveLength(4)
  })
})

describe('masters that the desktop shows in its file manager', () => {
  it('are missed aloud where they are no longer there', async () => {
    const { client } = recorded(() => Response.json({}))
    const saver = createSaver(client, { revealMasters: async (jobId) => jobId === 'there' })
    await expect(saver.reveal('there')).resolves.toBeUndefined()
    await expect(saver.reveal('gone')).rejects.toMatchObject({ code: 'MASTERS_GONE' })
  })
})
