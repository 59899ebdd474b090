import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { BatchSong } from '../../../src-contract/app.ts'
import { ENDPOINTS } from '../../../src-contract/endpoints.ts'
import type { Delivery } from '../../../src-contract/webhooks.ts'
import { pageRoutes } from '../../../src-server/http/page.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type MasterFields, masterForm, type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { listen } from '../notify/listen.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: createHeldEngine().fork })
})
afterAll(() => service.stop())

/** Sends bytes as they are and resolves with status, headers and body of the answer. */
function raw(text: string): Promise<{ status: number; head: string; error: { code: string; request_id: string } }> {
  return new Promise((resolve, reject) => {
    const socket = connect(service.port, '127.0.0.1', () => socket.write(text))
    let answered = ''
    socket.on('data', (chunk) => {
      answered += chunk
    })
    socket.on('close', () => {
      const [head = '', body = ''] = answered.split('\r\n\r\n')
      resolve({ status: Number(head.split(' ')[1]), head, error: JSON.parse(body).error })
    })
    socket.on('error', reject)
  })
}

const lines = (...parts: string[]) => [...parts, 'Connection: close', '', ''].join('\r\n')
const host = () => `Host: 127.0.0.1:${service.port}`

describe('every answer that is no success is the envelope (spec 7, contract 2)', () => {
  test.each(['/nowhere', '/api/v1/nowhere', '/app/nowhere', '/api/v2/jobs', '/%E0%A4%A', '/%', '/api/v1/jobs/x/y/z'])(
    'unknown address %s: 404 NOT_FOUND',
    async (address) => {
      const { status, body, headers } = await service.get(address)
      expect([status, body.error.code]).toEqual([404, 'NOT_FOUND'])
      expect(headers.get('x-request-id')).toBe(body.error.request_id)
    },
  )

  test.each([
    ['PUT', '/api/v1/jobs', 'GET, HEAD'],
    ['POST', '/api/v1/jobs/abc', 'DELETE, GET, HEAD'],
    ['GET', '/api/v1/master', 'POST'],
    ['OPTIONS', '/api/v1/master', 'POST'],
    ['DELETE', '/healthz', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['POST', '/docs/', 'GET, HEAD'],
  ])('%s %s: 405 METHOD_NOT_ALLOWED with Allow', async (method, address, allow) => {
    const { status, body, headers } = await service.call(method, address)
    expect([status, body.error.code, headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', allow])
  })

  test('a file of the page with another method: 405 with Allow; one that was not built stays unknown', async () => {
    const folder = temporaryFolder(onTestFinished)
    mkdirSync(path.join(folder, 'assets'))
    writeFileSync(path.join(folder, 'index.html'), '<!doctype html>')
    writeFileSync(path.join(folder, 'assets', 'a+b.js'), '')
    const { baseUrl } = await listen((app) => pageRoutes(app, folder))
    for (const address of ['/', '/?song=1', '/index.html', '/assets/a+b.js']) {
      expect((await fetch(baseUrl + address)).status).toBe(200)
      for (const method of ['PUT', 'POST', 'DELETE', 'OPTIONS']) {
        const answer = await fetch(baseUrl + address, { method })
        expect([method, address, answer.status, answer.headers.get('allow')]).toEqual([
          method,
          address,
          405,
          'GET, HEAD',
        ])
        expect(await answer.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } })
      }
    }
    for (const address of ['/assets/aab.js', '/assets', '/nowhere'])
      expect((await fetch(baseUrl + address, { method: 'PUT' })).status).toBe(404)
  })

  test('a page that is built anew under a running service stays the one that was there, whole', async () => {
    const folder = temporaryFolder(onTestFinished)
    const build = (name: string) => {
      rmSync(folder, { recursive: true })
      mkdirSync(path.join(folder, 'assets'), { recursive: true })
      writeFileSync(path.join(folder, 'index.html'), `<script type="module" src="/assets/${name}.js"></script>`)
      writeFileSync(path.join(folder, 'assets', `${name}.js`), `say('${name}')`)
    }
    const files = (baseUrl: string) =>
      Promise.all(
        ['/', '/index.html', '/assets/first.js'].map(async (address) => {
          const answer = await fetch(baseUrl + address)
          const kept = ['content-type', 'cache-control', 'content-security-policy', 'content-length']
          return [answer.status, ...kept.map((name) => answer.headers.get(name)), await answer.text()]
        }),
      )
    build('first')
    const { baseUrl } = await listen((app) => pageRoutes(app, folder))
    const before = await files(baseUrl)
    expect(before.map(([status, type]) => [status, type])).toEqual([
      [200, 'text/html; charset=utf-8'],
      [200, 'text/html; charset=utf-8'],
      [200, expect.stringMatching(/^(text|application)\/javascript/)],
    ])
    build('second')
    expect(await files(baseUrl)).toEqual(before)
  })

  test('the page may load and run what is its own alone; it is asked for anew each time, its files are kept', async () => {
    const folder = temporaryFolder(onTestFinished)
    mkdirSync(path.join(folder, 'assets'))
    for (const name of ['index.html', 'assets/a.js']) writeFileSync(path.join(folder, name), '')
    const { baseUrl } = await listen((app) => pageRoutes(app, folder))
    for (const [address, kept] of [
      ['/', 'no-cache'],
      ['/assets/a.js', 'public, max-age=31536000, immutable'],
    ] as const) {
      const { headers } = await fetch(baseUrl + address)
      const policy = Object.fromEntries(
        (headers.get('content-security-policy') ?? '').split('; ').map((rule) => rule.split(/ (.*)/, 2)),
      )
      expect(policy).toMatchObject({
        ...{ 'default-src': "'none'", 'script-src': "'self' 'wasm-unsafe-eval'", 'connect-src': "'self'" },
        ...{ 'frame-ancestors': "'none'", 'form-action': "'none'", 'base-uri': "'none'" },
      })
      expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([kept, 'no-referrer'])
    }
  })

  test('a program gets the members of the contract; the page also what the message mentions, to word it in the language it shows', async () => {
    const ask = async (credential: string) =>
      (
        await service.call('POST', '/api/v1/webhooks', {
          credential,
          body: 'x',
          headers: { 'content-type': 'text/plain' },
        })
      ).body.error
    const [program, page] = [await ask(await service.newKey()), await ask(service.sessionCredential)]
    expect(Object.keys(program).sort()).toEqual(['code', 'message', 'request_id'])
    expect(page).toEqual({ ...program, request_id: page.request_id, values: { expected: 'application/json' } })
  })

  test('a job that never was, a malformed identifier and a very long one: 404 JOB_NOT_FOUND, one body for all', async () => {
    const identifiers = [
      '11111111-1111-4111-8111-111111111111',
      'x',
      '%00',
      '%',
      '%zz',
      '%ff',
      '%ed%a0%80',
      'y'.repeat(500),
      'y'.repeat(9000),
    ]
    const answers = await Promise.all(identifiers.map((id) => service.get(`/api/v1/jobs/${id}`)))
    for (const { status, body } of answers) {
      const { request_id, ...rest } = body.error
      expect([status, rest]).toEqual([404, { code: 'JOB_NOT_FOUND', message: answers[0]?.body.error.message }])
    }
  })

  test('an identifier is the same in capital letters', async () => {
    const { job_id } = await service.newJob()
    const read = await service.get(`/api/v1/jobs/${job_id.toUpperCase()}`)
    expect([read.status, read.body.job_id]).toEqual([200, job_id])
    const { body } = await service.post('/api/v1/webhooks', { url: 'http://127.0.0.1:9/' })
    const tested = await service.call('POST', `/api/v1/webhooks/${body.webhook_id.toUpperCase()}/test`)
    const log = await service.get(`/api/v1/webhooks/deliveries?webhook_id=${body.webhook_id.toUpperCase()}`)
    expect(log.body.deliveries.map(({ delivery_id }: Delivery) => delivery_id)).toEqual([tested.body.delivery_id])
    await service.call('DELETE', `/api/v1/webhooks/${body.webhook_id}`)
    await service.call('DELETE', `/api/v1/jobs/${job_id}`)
  })

  test('an identifier in a body is the same in capital letters, and is kept in small ones', async () => {
    const add = async (purpose: string) => {
      const form = new FormData()
      form.append('purpose', purpose)
      form.append('file', new Blob([new Uint8Array(wavSong({ seconds: 6 }))]), `${purpose}.wav`)
      return (await service.call('POST', '/app/sources', { body: form })).body.source_id as string
    }
    const [first, second, reference] = [await add('song'), await add('song'), await add('reference')]
    const before = (await service.get('/app/desk')).body
    const settings = { ...before.settings, reference_source_id: reference.toUpperCase() }
    const presets = [{ name: 'Night', settings }]
    const order = [second, first].map((id) => id.toUpperCase())
    const batch = (await service.patch('/app/desk', { is_paused: true, settings, presets, order })).body
    expect(batch.songs.map(({ source }: BatchSong) => source.source_id)).toEqual([second, first])
    for (const shown of [batch, batch.presets[0]]) expect(shown.settings.reference_source_id).toBe(reference)
    for (const [command, state] of [
      ['start', 'waiting'],
      ['stop', 'ready'],
    ]) {
      const { status, body } = await service.post(`/app/desk/${command}`, { source_ids: order })
      const states = body.songs?.map((song: BatchSong) => song.state)
      expect([command, status, states]).toEqual([command, 200, [state, state]])
    }
    await service.post('/app/desk/remove', { source_ids: order })
    await service.patch('/app/desk', { is_paused: false, settings: before.settings, presets: [] })
  })

  test('an address with escapes that mean nothing needs a key like any other', async () => {
    const { status, body } = await service.get('/api/v1/jobs/%zz', { credential: 'ams_live_wrong' })
    expect([status, body.error.code]).toEqual([401, 'INVALID_API_KEY'])
  })

  test('a request target that is no path, or names another host than the Host header', async () => {
    expect((await raw(lines('GET * HTTP/1.1', host()))).error.code).toBe('NOT_FOUND')
    expect((await raw(lines('OPTIONS * HTTP/1.1', host()))).error.code).toBe('NOT_FOUND')
    expect((await raw(lines('GET http://evil.example/healthz HTTP/1.1', host()))).error.code).toBe('FORBIDDEN')
    expect((await raw(lines(`GET http://127.0.0.1:${service.port}/nowhere HTTP/1.1`, 'Host: x'))).error.code).toBe(
      'NOT_FOUND',
    )
  })

  test('a whole address that the router cannot take apart: no host in it, or a fragment', async () => {
    for (const [address, code] of [
      ['http:///healthz', 'FORBIDDEN'],
      [`http://127.0.0.1:${service.port}/healthz#part`, 'NOT_FOUND'],
    ]) {
      const { head, error } = await raw(lines(`GET ${address} HTTP/1.1`, host()))
      expect(error.code).toBe(code)
      expect(head).toContain(`x-request-id: ${error.request_id}`)
    }
  })

  test('a second Host, or a second credential', async () => {
    const account = 'GET /api/v1/account HTTP/1.1'
    const credential = `Authorization: Bearer ${service.sessionCredential}`
    expect((await raw(lines(account, host(), 'Host: evil.example', credential))).error.code).toBe('FORBIDDEN')
    expect((await raw(lines(account, host(), credential, credential))).error.code).toBe('INVALID_API_KEY')
  })

  test('bytes that are not HTTP', async () => {
    expect(await raw('HELLO\r\n\r\n')).toMatchObject({ status: 400, error: { code: 'INVALID_REQUEST' } })
  })

  test('headers beyond all bounds', async () => {
    const answer = await raw(lines('GET /healthz HTTP/1.1', host(), `X-Long: ${'x'.repeat(40_000)}`))
    expect(answer).toMatchObject({ status: 400, error: { code: 'INVALID_REQUEST' } })
    expect(answer.head.toLowerCase()).toContain('x-request-id: ')
  })

  test('a connection that has had a good answer and then sends what cannot be read, or breaks off a body it was asked for', async () => {
    const good = `GET /healthz HTTP/1.1\r\n${host()}\r\n\r\n`
    const overflow = lines('GET /healthz HTTP/1.1', host(), `X-Long: ${'x'.repeat(40_000)}`)
    const upload = [
      ...['POST /api/v1/webhooks HTTP/1.1', host(), `Authorization: Bearer ${service.sessionCredential}`],
      ...['Content-Type: application/json', 'Transfer-Encoding: chunked', 'Expect: 100-continue', '', ''],
    ].join('\r\n')
    for (const [first, second] of [
      [good, overflow],
      [good, 'HELLO\r\n\r\n'],
      [upload, 'no chunk\r\n'],
    ] as const) {
      const answered = await new Promise<string>((resolve, reject) => {
        const socket = connect(service.port, '127.0.0.1', () => socket.write(first))
        let text = ''
        socket.on('data', (chunk) => {
          if (text === '') socket.write(second)
          text += chunk
        })
        socket.on('close', () => resolve(text)).on('error', reject)
      })
      expect(answered).toMatch(/^HTTP\/1\.1 (100|200) .*HTTP\/1\.1 400 .*"code":"INVALID_REQUEST"/s)
    }
  })

  test('an unknown method, and an expectation nobody knows', async () => {
    expect((await raw(lines('PROPFIND /healthz HTTP/1.1', host()))).error.code).toBe('METHOD_NOT_ALLOWED')
    expect((await raw(lines('GET /nowhere HTTP/1.1', host(), 'Expect: magic'))).error.code).toBe('NOT_FOUND')
    expect((await raw(lines('CONNECT example.org:443 HTTP/1.1', host()))).error.code).toBe('INVALID_REQUEST')
  })

  test('no answer is taken for another type or kept by a browser, whether it is good or not', async () => {
    for (const address of ['/healthz', '/openapi.json', '/api/v1/jobs', '/api/v1/jobs/x', '/nowhere', '/docs']) {
      const { headers } = await service.get(address)
      expect([address, headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual([
        address,
        'nosniff',
        'no-store',
      ])
    }
  })

  test('a JSON body that cannot be read, is too large, or is of another type', async () => {
    const send = (body: string, type = 'application/json') =>
      service.call('POST', '/app/keys', { body, headers: { 'content-type': type } })
    expect((await send('{')).body.error.code).toBe('INVALID_REQUEST')
    expect((await send(JSON.stringify({ name: 'x'.repeat(2_000_000) }))).body.error.code).toBe('INVALID_REQUEST')
    expect((await send('{}', 'text/plain')).status).toBe(415)
    expect((await send('{}', 'Application/JSON ; Charset=UTF-8')).body.error, 'the same type').toMatchObject({
      param: 'name',
    })
    expect((await send('{}')).body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'name' })
    expect((await send('{"name":"a","colour":1}')).body.error).toMatchObject({
      code: 'INVALID_REQUEST',
      param: 'colour',
    })
  })

  test('a query that does not fit names the parameter', async () => {
    for (const [query, param] of [
      ['limit=0', 'limit'],
      ['limit=x', 'limit'],
      ['status=running', 'status'],
      ['sort=1', 'sort'],
      ['cursor=zzz', 'cursor'],
      ['limit=1&limit=2', 'limit'],
    ] as const) {
      const { status, body } = await service.get(`/api/v1/jobs?${query}`)
      expect([status, body.error.param]).toEqual([400, param])
    }
  })

  test('messages follow Accept-Language, English without one, and carry no path and no stack', async () => {
    const message = async (language?: string) =>
      (await service.get('/nowhere', language ? { headers: { 'accept-language': language } } : {})).body.error.message
    expect(await message('ko-KR,ko;q=0.9,en;q=0.5')).toMatch(/[가-힣]/)
    expect(await message('fr')).toMatch(/^Nothing exists/)
    expect(await message()).toBe(await message('en'))
    expect(await message()).not.toContain(service.dataDir)
  })
})

test('reasons follow Accept-Language too, wherever a request goes wrong', async () => {
  const headers = { 'accept-language': 'ko', 'content-type': 'application/json' }
  const json = (method: string, address: string, body: unknown, credential = service.sessionCredential) =>
    service.call(method, address, { headers, credential, body: typeof body === 'string' ? body : JSON.stringify(body) })
  const form = (fields: MasterFields) =>
    service.call('POST', '/api/v1/master', { headers: { 'accept-language': 'ko' }, body: masterForm(fields) })
  const answers = [
    await json('PATCH', '/app/desk', '{'),
    await json('PATCH', '/app/desk', `"${'x'.repeat(1_100_000)}"`),
    await json('PATCH', '/app/settings', { output_folder: 'relative' }),
    await json('PATCH', '/app/settings', { ffmpeg_path: 'relative' }, service.controlCredential),
    await json('POST', '/app/watch-folders', { path: 'relative' }),
    await json('POST', '/app/watch-folders', { path: service.dataDir }),
    await json('POST', '/app/watch-folders', { path: path.join(tmpdir(), 'no-such-folder') }),
    await json('POST', '/api/v1/webhooks', { url: 'ftp://example.org/x' }),
    await form({ reference_file: new Blob([new Uint8Array(wavSong({ seconds: 1 }))]) }),
    await form({ ['x'.repeat(201)]: 'y' }),
    await form({ webhook_url: 'http://169.254.169.254/' }),
    await service.call('POST', '/api/v1/master', {
      headers: { ...headers, 'content-type': 'multipart/form-data' },
      body: 'x',
    }),
  ]
  for (const { status, body } of answers) {
    expect(status).toBe(400)
    expect(body.error.message.replace(/Loudsmith|\/docs|ffmpeg|multipart|form-data|boundary|https?/g, '')).not.toMatch(
      /[a-z]{4,}/,
    )
    expect(body.error.message).toMatch(/[가-힣].*[.]$/)
  }
})

describe('nobody but this machine and no page of another site gets in (contract 7)', () => {
  const addresses = [
    ...new Set(Object.values(ENDPOINTS).map(({ path }) => path.replace(/\{[^}]+\}/g, 'x'))),
    '/',
    '/nowhere',
  ]

  /** fetch refuses to send some of these headers, so this goes lower. */
  const send = (method: string, address: string, headers: Record<string, string>) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: service.port, method, path: address, headers }, (response) => {
        let body = ''
        response.on('data', (chunk) => {
          body += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      })
      sent.on('error', reject)
      sent.end()
    })
  const own = () => ({ host: `127.0.0.1:${service.port}`, authorization: `Bearer ${service.sessionCredential}` })

  test.each([
    ['a foreign Host', () => ({ host: 'evil.example' })],
    ['a Host that resolves here, with our port', () => ({ host: `evil.example:${service.port}` })],
    ['a Host with another port', () => ({ host: '127.0.0.1:1' })],
    ['a foreign Origin', () => ({ origin: 'https://evil.example' })],
    ['a null Origin', () => ({ origin: 'null' })],
    ['another local port as Origin', () => ({ origin: 'http://localhost:3000' })],
    ['a cross-site fetch', () => ({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' })],
  ])('%s: 403 FORBIDDEN on every path, known or not', async (_name, headers) => {
    for (const address of addresses) {
      const { status, body } = await send('GET', address, { ...own(), ...headers() })
      expect([address, status, JSON.parse(body).error.code]).toEqual([address, 403, 'FORBIDDEN'])
    }
  })

  test('a request without any Host is refused in our words', async () => {
    expect(await raw('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatchObject({
      status: 403,
      error: { code: 'FORBIDDEN' },
    })
  })

  test('the three names of this machine and our own Origin are fine, and there is no CORS header', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      const headers = { ...own(), host: `${name}:${service.port}`, origin: `http://${name}:${service.port}` }
      expect((await send('GET', '/api/v1/account', headers)).status).toBe(200)
    }
    const { headers } = await service.get('/healthz')
    expect([...headers.keys()].filter((name) => name.startsWith('access-control') || name === 'set-cookie')).toEqual([])
  })

  test('a link on another site may open the page, /docs and /healthz, and nothing else', async () => {
    const link = { host: `127.0.0.1:${service.port}`, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    // The page itself is there only where it was built.
    expect((await send('GET', '/', link)).status).not.toBe(403)
    for (const address of ['/docs', '/docs/', '/healthz', '/healthz?from=there'])
      expect([address, (await send('GET', address, link)).status]).toEqual([address, 200])
    for (const address of ['/api/v1/jobs', '/docs/start.js', '/openapi.json', '/index.html'])
      expect([address, (await send('GET', address, link)).status]).toEqual([address, 403])
    expect((await send('POST', '/healthz', link)).status).toBe(403)
    expect((await send('GET', '/healthz', { ...link, 'sec-fetch-mode': 'no-cors' })).status).toBe(403)
  })

  test('the service answers on ::1 too, on the same port', async (context) => {
    const answer = await fetch(`http://[::1]:${service.port}/healthz`).catch(() => undefined)
    if (!answer) context.skip('this machine has no IPv6 loopback')
    expect(await answer?.json()).toMatchObject({ status: 'ok' })
  })
})
