/** A refused request is read to its end, so its client can read the answer, but not for ever. */
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { drain } from '../../../src-server/http/drain.ts'
import { createFakeClock, settle } from '../../support/fake-clock.ts'

/** Sends a request that announces 1000 bytes, and `sent` of them; returns what draining it comes to, and its client. */
async function refused(sent: number) {
  const clock = createFakeClock()
  const outcome = Promise.withResolvers<boolean>()
  const begun = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    void drain(request, clock).then((isRead) => {
      outcome.resolve(isRead)
      response.end()
    })
    begun.resolve()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(sent)}`)
  await begun.promise
  return { clock, client, isRead: outcome.promise }
}

test('a body that comes to its end is read', async () => {
  expect(await (await refused(1000)).isRead).toBe(true)
})

test('a client that goes away in the middle needs no answer', async () => {
  const { client, isRead } = await refused(10)
  client.destroy()
  expect(await isRead).toBe(true)
})

test('one that goes on for more than 30 s is not waited for', async () => {
  const { clock, isRead } = await refused(10)
  let isOver = false
  void isRead.then(() => {
    isOver = true
  })
  await clock.advance(29_999)
  expect(isOver).toBe(false)
  await clock.advance(1)
  await settle()
  expect(await isRead).toBe(false)
})
