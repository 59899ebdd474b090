import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { CLI } from '../../support/built.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { masterForm, startService } from '../../support/service.ts'

test.runIf(process.platform !== 'win32')(
  'a pipe in the place of a stored song keeps the service from nothing: it is refused, and the service ends when it is told (needs mkfifo)',
  async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'loudsmith-hanging-drive-'))
    const service = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--data-dir', dataDir])
    onTestFinished(() => void service.kill('SIGKILL'))
    const ended = once(service, 'exit')
    let baseUrl = ''
    for await (const line of createInterface(service.stdout)) {
      baseUrl = /listening on (http:\S+)/.exec(line)?.[1] ?? ''
      if (baseUrl !== '') break
    }
    const { controlToken } = JSON.parse(readFileSync(path.join(dataDir, 'owner.json'), 'utf8'))
    const ask = (address: string, body?: FormData) =>
      fetch(baseUrl + address, {
        headers: { authorization: `Bearer ${controlToken}` },
        ...(body ? { method: 'POST', body } : {}),
      })
    const form = masterForm()
    form.delete('platforms')
    const uploaded = await ask('/app/sources', form)
    expect(uploaded.status).toBe(201)
    const { source_id } = (await uploaded.json()) as { source_id: string }
    const [name = ''] = readdirSync(path.join(dataDir, 'sources'))
    const stored = path.join(dataDir, 'sources', name)
    // To open it with waiting takes until somebody writes to it: never.
    rmSync(stored)
    execFileSync('mkfifo', [stored])
    expect((await ask(`/app/sources/${source_id}/file`)).status).toBeGreaterThanOrEqual(400)
    expect((await ask('/app/desk')).status).toBe(200)
    service.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    rmSync(dataDir, { recursive: true })
  },
  60_000,
)

test('a part that never ends holds up the others for a quarter of a minute', async () => {
  const clock = createFakeClock()
  const immortal = () => ({ send() {}, kill() {} })
  const { newJob, close, dataDir, baseUrl } = await startService({ forkEngine: immortal, clock })
  await newJob()
  let isClosed = false
  const closing = close().then(() => {
    isClosed = true
  })
  await clock.advance(14_000)
  expect(isClosed).toBe(false)
  await clock.advance(20_000)
  await closing
  await expect(fetch(`${baseUrl}/healthz`)).rejects.toThrow()
  rmSync(dataDir, { recursive: true })
})
