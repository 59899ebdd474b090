/** The client package in a real browser, on a page served from the service's own address. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type * as Client from '../packages/client/src/index.ts'
import { buildClient } from '../scripts/build-client.ts'
import { songBytes } from './desktop-songs.ts'
import { expect, test } from './web-fixtures.ts'

test.use({ page: ({ context }, use) => context.newPage().then(use) })

test('the client package masters a song in a page, tells how much was sent, and verifies a callback', async ({
  page,
  program,
}) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-client-page-'))
  await buildClient(folder)
  const script = readFileSync(path.join(folder, 'index.js'), 'utf8')
  rmSync(folder, { recursive: true })
  await page.route('**/client.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }))
  await page.route('**/try.html', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  await page.goto(`${program.baseUrl}/try.html`)
  const { key } = await program.call<{ key: string }>('POST', '/app/keys', { name: 'page' })
  const base64 = Buffer.from(songBytes(4)).toString('base64')
  const seen = await page.evaluate(
    async ([key, base64]) => {
      const { createLoudsmith, verifyWebhook } = (await import('/client.js' as string)) as typeof Client
      const loudsmith = createLoudsmith({ key, baseUrl: location.origin })
      const song = new Blob([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))])
      const sent: number[] = []
      const { job_id } = await loudsmith.master(song, {
        platforms: 'spotify',
        onSent: (bytes, all) => sent.push(bytes / all),
      })
      const { status } = await loudsmith.wait(job_id)
      const zip = new Uint8Array(await (await loudsmith.download(job_id)).arrayBuffer())
      const refused = await loudsmith.master(new Blob(['notes']), { platforms: 'spotify', onSent: () => {} }).then(
        () => 'taken',
        (error) => error.code,
      )
      const forged = await verifyWebhook(
        '{}',
        { 'webhook-id': 'a', 'webhook-timestamp': `${Math.round(Date.now() / 1000)}`, 'webhook-signature': 'v1,AAAA' },
        'whsec_AAAA',
      ).catch((error) => error.reason)
      return { status, lastSent: sent.at(-1), magic: String.fromCharCode(...zip.subarray(0, 2)), refused, forged }
    },
    [key, base64] as const,
  )
  expect(seen).toEqual({ status: 'done', lastSent: 1, magic: 'PK', refused: 'UNSUPPORTED_FORMAT', forged: 'signature' })
})
