/** A proxy of the environment is never asked for the service on this machine. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { withDirectLoopback } from '../../../src-system/direct-loopback.ts'
import { CLI } from '../../support/built.ts'
import { startService } from '../../support/service.ts'

const FETCH = path.join(import.meta.dirname, '../../../src-system/direct-loopback.ts')

/** A proxy that passes nothing on, the environment that leads to it, and what it was asked for. */
async function startProxy() {
  const asked: string[] = []
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(502).end('the proxy answers')
  })
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const { NO_PROXY: _, no_proxy: __, ...rest } = process.env
  const env = { ...rest, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: address, http_proxy: address, LC_ALL: 'C' }
  return { asked, env }
}

test('a command goes to its own service directly, whichever it is: one that runs, or one of its own', async () => {
  const { asked, env } = await startProxy()
  const service = await startService({ keepsData: true })
  const show = () =>
    promisify(execFile)(process.execPath, [CLI, 'account', 'show', '--json', '--data-dir', service.dataDir], { env })
  expect(JSON.parse((await show()).stdout)).toMatchObject({ credits: 500 })
  await service.stop()
  expect(JSON.parse((await show()).stdout)).toMatchObject({ credits: 500 })
  rmSync(service.dataDir, { recursive: true })
  expect(asked).toEqual([])
})

test('requests to other machines go through the proxy as before', async () => {
  const { asked, env } = await startProxy()
  const script = `import ${JSON.stringify(FETCH)}; await fetch('http://example.invalid/').catch(() => {})`
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env })
  expect(asked.join()).toContain('example.invalid')
})

test.each([
  [{}, '127.0.0.1,localhost,[::1],::1'],
  [{ NO_PROXY: 'studio.example, 10.0.0.0/8' }, 'studio.example,10.0.0.0/8,127.0.0.1,localhost,[::1],::1'],
  [{ NO_PROXY: 'localhost' }, 'localhost,127.0.0.1,[::1],::1'],
  [{ NO_PROXY: 'ignored.example', no_proxy: 'studio.example' }, 'studio.example,127.0.0.1,localhost,[::1],::1'],
  [{ no_proxy: '*' }, '*'],
])('the exceptions that an environment names stay: %o', (environment, list) => {
  expect(withDirectLoopback(environment)).toEqual({ NO_PROXY: list, no_proxy: list })
})
