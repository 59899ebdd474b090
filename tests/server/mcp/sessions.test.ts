/** Sessions of MCP clients, and how many a key may have. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { MAX_MCP_SESSIONS } from '../../../src-contract/limits.ts'
import { McpEndpoint } from '../../../src-server/mcp/endpoint.ts'
import { createFakeClock } from '../../support/fake-clock.ts'

const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

test('a key has its own sessions: one more is refused, until one ends or is idle', async () => {
  const clock = createFakeClock()
  const unused = () => Promise.reject(new Error('unused'))
  const endpoint = new McpEndpoint({
    ...{ clock, baseUrl: 'http://127.0.0.1:1', version: '1', newUuid: randomUUID },
    ...{ filesOfCall: () => ({ openFile: unused, discard: unused }), openFolder: unused, onFault: unused },
    onRefused: () => undefined,
  })
  const send = async (keyId: string, method: 'POST' | 'DELETE', session?: string) => {
    const closed: (() => void)[] = []
    const headers = {
      ...{ accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    }
    const request = new Request('http://127.0.0.1:1/mcp', { method, headers })
    const { response: answer } = await endpoint.answer(
      { request, parsedBody: method === 'POST' ? INITIALIZE : undefined, onClosed: (one) => closed.push(one) },
      { keyId, key: 'k', scope: 'all', language: 'en', program: 'test' },
    )
    return {
      status: answer.status,
      id: answer.headers.get('mcp-session-id') ?? '',
      end() {
        for (const one of closed) one()
      },
    }
  }
  const full = { code: 'CONCURRENT_LIMIT', status: 429, values: { limit: MAX_MCP_SESSIONS, reason: 'sessions' } }
  const other = await send('other', 'POST')
  // All begin at once.
  const own = await Promise.all(Array.from({ length: MAX_MCP_SESSIONS }, () => send('own', 'POST')))
  await expect(send('own', 'POST')).rejects.toMatchObject(full)
  // The others of a key are of no matter to it.
  expect((await send('other', 'POST')).status).toBe(200)

  expect((await send('own', 'DELETE', own[0]!.id)).status).toBe(200)
  expect((await send('own', 'POST')).status).toBe(200)
  // Those whose streams are open are in use, however long.
  await clock.advance(3_600_000)
  await expect(send('own', 'POST')).rejects.toMatchObject(full)
  own[1]!.end()
  await clock.advance(599_999)
  await expect(send('own', 'POST')).rejects.toMatchObject(full)
  await clock.advance(1)
  expect((await send('own', 'POST')).status).toBe(200)
  await expect(send('own', 'DELETE', own[1]!.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await send('other', 'DELETE', other.id)).status).toBe(200)
  await endpoint.close()
})
