import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Endpoint } from '../../../src-contract/endpoint.ts'
import { ENDPOINTS } from '../../../src-contract/endpoints.ts'
import { locateFfmpeg } from '../../../src-worker/media/locate.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { POLL_LIMIT_MS } from '../../support/limits.ts'
import { type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let server: Service

beforeAll(async () => {
  server = await startService({ forkEngine: createHeldEngine({ isAutomatic: true }).fork })
})
afterAll(() => server?.stop())

test('/openapi.json needs no key and names the address at which the service really is', async () => {
  const response = await fetch(`${server.baseUrl}/openapi.json`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  expect(await response.json()).toMatchObject({ openapi: '3.1.0', servers: [{ url: server.baseUrl }] })
})

test('the page of the description is dark where the system is', async () => {
  const script = await (await fetch(`${server.baseUrl}/docs/start.js`)).text()
  const css = await (await fetch(`${server.baseUrl}/docs/swagger-ui.css`)).text()
  const name = /classList.toggle\('([\w-]+)'/.exec(script)?.[1]
  expect(css, 'the class is one that Swagger UI colours').toContain(`html.${name} .swagger-ui`)
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false, args: ['--disable-gpu'] })
  try {
    for (const colorScheme of ['dark', 'light'] as const) {
      const page = await browser.newPage({ colorScheme })
      page.setDefaultTimeout(POLL_LIMIT_MS)
      await page.goto(`${server.baseUrl}/docs`)
      const heading = page.locator('.swagger-ui .info .title').first()
      await heading.waitFor()
      const [ground, text] = await heading.evaluate((node) =>
        [getComputedStyle(document.body).backgroundColor, getComputedStyle(node).color].map(
          (colour) => (colour.match(/[\d.]+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3,
        ),
      )
      const isDark = colorScheme === 'dark'
      expect(text! > 128, `text in ${colorScheme}`).toBe(isDark)
      if (isDark) expect(ground).toBeLessThan(40)
      await page.close()
    }
  } finally {
    await browser.close()
  }
})

test('every endpoint of the description is served, and asks for a credential exactly where it says so', async () => {
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [string, Endpoint][]) {
    const at = endpoint.path.replaceAll(/\{\w+\}/g, 'start.js')
    const response = await fetch(`${server.baseUrl}${at}`, { method: endpoint.method })
    await response.body?.cancel()
    // A link is a credential of its own; there is none called so.
    const whenOpen = endpoint.body ? 415 : name === 'openLink' ? 404 : 200
    expect([name, response.status]).toEqual([name, endpoint.access === 'open' ? whenOpen : 401])
  }
})

test('every file of a job has a media type that the description names, for every kind of song', async () => {
  const folder = temporaryFolder(onTestFinished)
  const { path: ffmpeg } = await locateFfmpeg()
  const { body: document } = await server.get('/openapi.json')
  // Only the head: the held engine's report is not one.
  const typeOf = async (jobId: string, at: string) => {
    const headers = { authorization: `Bearer ${server.sessionCredential}` }
    const response = await fetch(`${server.baseUrl}/api/v1/jobs/${jobId}/${at}`, { method: 'HEAD', headers })
    return response.headers.get('content-type')?.split(';')[0]
  }
  const described = (at: string) =>
    Object.keys(document.paths[`/api/v1/jobs/{job_id}/${at}`].get.responses[200].content)
  for (const [name, type] of Object.entries({ 'a.mp3': 'audio/mpeg', 'a.flac': 'audio/flac', 'a.wav': 'audio/wav' })) {
    const at = path.join(folder, name)
    execFileSync(ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', 'sine=duration=3', at])
    const { job_id } = await server.newJob({ file: new File([readFileSync(at)], name) })
    await server.ended(job_id)
    expect(await typeOf(job_id, 'files/source')).toBe(type)
    expect(described('files/{file}')).toContain(type)
    expect(described('files/{file}')).toContain(await typeOf(job_id, 'files/spotify'))
    expect(described('download')).toContain(await typeOf(job_id, 'download'))
    expect(described('report')).toContain(await typeOf(job_id, 'report'))
    expect(described('report')).toContain(await typeOf(job_id, 'report?format=html'))
  }
})

test('an address that is not described is not there', async () => {
  for (const at of ['/api/v1/nothing', '/app/nothing', '/docs/package.json', '/docs/..%2f..%2fpackage.json']) {
    expect((await server.get(at)).status).toBe(404)
  }
})

const CHROMIUM = '/usr/bin/chromium'
const reason = existsSync(CHROMIUM) ? '' : ` (skipped: there is no browser at ${CHROMIUM})`

test.skipIf(reason !== '')(
  `the page loads everything from this machine, takes a key, and makes a job${reason}`,
  async () => {
    const browser: Browser = await chromium.launch({
      executablePath: CHROMIUM,
      chromiumSandbox: false,
      args: ['--disable-gpu', '--no-first-run', '--disable-background-networking'],
    })
    try {
      const page = await browser.newPage()
      page.setDefaultTimeout(POLL_LIMIT_MS)
      const hosts = new Set<string>()
      const complaints: string[] = []
      page.on('request', (request) => hosts.add(new URL(request.url()).host))
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      // By another name of this machine than the one in the description.
      const base = server.baseUrl.replace('127.0.0.1', 'localhost')
      await page.goto(`${base}/docs`)
      await page.locator('button.authorize').first().click()
      await page.locator('.auth-container input').first().fill(server.sessionCredential)
      await page.locator('.auth-btn-wrapper button.authorize').first().click()
      await page.locator('.btn-done').first().click()
      const operation = page.locator('#operations-Jobs-createJob')
      await operation.locator('.opblock-summary-control').click()
      const song = { name: 'song.wav', mimeType: 'audio/wav', buffer: wavSong() }
      await operation.locator('input[type=file]').first().setInputFiles(song)
      await operation.locator('[data-property-name="platforms"] input').fill('melon')
      await operation.locator('button.execute').click()
      const answer = operation.locator('.live-responses-table tbody')
      await answer.waitFor()
      expect(await answer.innerText()).toContain('201')
      expect(await answer.innerText()).toContain('"status": "queued"')
      expect([...hosts]).toEqual([new URL(base).host])
      expect(complaints).toEqual([])
    } finally {
      await browser.close()
    }
  },
  90_000,
)
