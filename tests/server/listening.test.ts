import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { listen } from '../../src-server/http/listen.ts'
import { createStartupListener } from '../../src-server/server/startup-listener.ts'

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
/** A grace that is never over: what closes did not wait for it. */
const forever = () => new Promise<void>(() => {})

/** A server whose one response is written by the test, and a client that keeps its connection. */
async function openConnection() {
  const answered = Promise.withResolvers<ServerResponse>()
  const listening = await listen((_request, response) => answered.resolve(response), 0)
  const client = connect(listening.port, '127.0.0.1')
  let text = ''
  client.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  client.write(GET)
  const ended = once(client, 'end')
  return { listening, client, response: await answered.promise, ended, text: () => text }
}

test('a stream that ends while the server closes does not hold it up with its connection', async () => {
  const { listening, response, ended, text } = await openConnection()
  response.write('first ')
  const closed = listening.close(1, forever)
  response.end('last')
  await Promise.all([closed, ended])
  expect(text()).toMatch(/first [\s\S]*last/)
})

test('a connection that waits for its next request does not hold up the close', async () => {
  const { listening, response, client, ended } = await openConnection()
  response.end('all')
  await once(client, 'data')
  await Promise.all([listening.close(1, forever), ended])
})

test('an answer under way while the server closes arrives whole', async () => {
  const { listening, response, ended, text } = await openConnection()
  const closed = listening.close(1, forever)
  const body = 'x'.repeat(20_000_000)
  response.writeHead(200, { 'content-length': body.length }).end(body)
  await Promise.all([closed, ended])
  expect(text().length - body.length).toBe(text().indexOf('\r\n\r\n') + 4)
})

test('connections still open after the grace period are cut', async () => {
  const { listening, client, response } = await openConnection()
  response.write('begun')
  const cut = once(client, 'close')
  client.on('error', () => {})
  const grace: number[] = []
  await listening.close(3000, async (ms) => void grace.push(ms))
  await cut
  expect(grace).toEqual([3000])
})

test('a port that another program has is named, and nothing of the try stays open', async () => {
  const first = await listen(() => {}, 0)
  const refused = { name: 'PortTakenError', code: 'EADDRINUSE', port: first.port }
  await expect(listen(() => {}, first.port)).rejects.toMatchObject(refused)
  await first.close(0, forever)
  const again = await listen(() => {}, first.port)
  expect(again.port).toBe(first.port)
  await again.close(0, forever)
})

test('a service that is still being built says that it is well; whatever else is asked waits for it', async () => {
  let port = 0
  const startupListener = createStartupListener({ version: '1.2.3', port: () => port, newUuid: () => 'an-id' })
  const listening = await listen(startupListener.answer, 0)
  port = listening.port
  const get = async (address: string, host = `127.0.0.1:${port}`) => {
    const asked = request({ port, host: '127.0.0.1', path: address, headers: { host }, agent: false }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    const body = (await answer.setEncoding('utf8').toArray()).join('')
    return { status: answer.statusCode, headers: answer.headers, body }
  }
  const jobs = get('/api/v1/jobs')
  const stranger = get('/healthz', 'evil.example')
  const health = await get('/healthz')
  expect([health.status, JSON.parse(health.body)]).toEqual([200, { status: 'ok', version: '1.2.3' }])
  expect(health.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': 'an-id',
  })
  startupListener.open(({ url, headers }, response) => response.end(`${headers.host?.split(':')[0]} ${url}`))
  expect((await jobs).body).toBe('127.0.0.1 /api/v1/jobs')
  expect((await stranger).body).toBe('evil.example /healthz')
  expect((await get('/healthz')).body).toBe('127.0.0.1 /healthz')
  await listening.close(0, forever)
})
