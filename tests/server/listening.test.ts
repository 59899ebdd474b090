import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { listen } from '../../src-server/http/listen.ts'

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

test('an answer under way while the server closes arrives whole', async () => {
  const { listening, response, ended, text } = await openConnection()
  const closed = listening.close(1, forever)
  const body = 'x'.repeat(20_000_000)
  response.writeHead(200, { 'content-length': body.length }).end(body)
  await Promise.all([closed, ended])
  expect(text().length - body.length).toBe(text().indexOf('\r\n\r\n') + 4)
})

test('what is still open when the grace is over is cut', async () => {
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
