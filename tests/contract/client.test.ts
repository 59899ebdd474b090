import { describe, expect, it } from 'vitest'
import { ApiError, createClient, createStreamParser, openEventStream, readFailure } from '../../src-contract/client.ts'
import { fillPath, writeQuery } from '../../src-contract/endpoint.ts'
import { recorded } from '../support/recorded-client.ts'

const none = () => null

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
    expect(new URL(fillPath('/a/{name}', { name: '..' }), 'http://x').pathname).toBe('/a/..%20')
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

  it('writes the JSON object of a form as JSON', async () => {
    const { client, calls } = recorded(() => Response.json({}))
    await client.call('createJob', { fields: { platforms: 'spotify', metadata: { a: 1, b: ['밤'] } } })
    const body = calls[0]?.init.body
    expect([...(body as FormData)]).toContainEqual(['metadata', '{"a":1,"b":["밤"]}'])
  })

  it('says what to do where the service was not reached', async () => {
    const { client } = recorded(() => Promise.reject(new TypeError('fetch failed')))
    await expect(client.call('readAccount')).rejects.toThrow(/No whole answer.*Start it.*try again/)
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

describe('the event stream', () => {
  it('is read the same however the network cuts it', () => {
    const text = ': hello\n\nid: 7\nevent: job.completed\ndata: {"a":1}\n\ndata: one\ndata: two\r\n\r\n'
    const whole = createStreamParser()(text)
    expect(whole).toEqual([
      { id: '7', data: '{"a":1}' },
      { id: undefined, data: 'one\ntwo' },
    ])
    const parse = createStreamParser()
    expect([...text].flatMap((letter) => parse(letter)).map((one) => one.data)).toEqual(['{"a":1}', 'one\ntwo'])
  })

  it('begins after the last stored event, and is read as it comes', async () => {
    const { client, calls } = recorded(() => new Response('id: 8\ndata: one\n\n: heartbeat\n\ndata: two\n\n'))
    const { messages } = await openEventStream(client, '7', new AbortController().signal)
    const read: string[] = []
    for await (const batch of messages) for (const { data } of batch) read.push(data)
    expect(read).toEqual(['one', 'two'])
    expect(calls[0]).toMatchObject({ path: '/api/v1/events', init: { headers: { 'Last-Event-ID': '7' } } })
  })
})
