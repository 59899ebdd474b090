import { describe, expect, it } from 'vitest'
import { ApiError, createClient, readFailure } from '../../src-renderer/api/client.ts'
import { createSaver, filenameIn } from '../../src-renderer/api/save.ts'
import { sessionInFragment } from '../../src-renderer/api/session.ts'
import { fillPath, writeQuery } from '../../src-server/contract/endpoint.ts'

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

describe('the credential in the address', () => {
  it('is found in the fragment that the program prints and nowhere else', () => {
    expect(sessionInFragment('#session=abc_-1')).toBe('abc_-1')
    expect(sessionInFragment('#x=1&session=a%2Bb')).toBe('a+b')
    expect(sessionInFragment('#/history')).toBeNull()
    expect(sessionInFragment('#mysession=abc')).toBeNull()
    expect(sessionInFragment('#session=%')).toBeNull()
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
