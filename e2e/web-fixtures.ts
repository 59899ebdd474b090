/** Provides the specs of the page with a running program and a page opened by its link. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test as base, type Page } from 'playwright/test'
import type { Batch } from '../src-contract/app.ts'
import type { Job } from '../src-contract/jobs.ts'
import type { Platform } from '../src-contract/platforms/index.ts'
import { untilUp } from './page-hand.ts'
import { type Program, startProgram } from './program.ts'

export { expect } from 'playwright/test'
export { cellOf, drop, makeOf, openScreen, openStart, rowOf, untilOpen } from './page-hand.ts'
export { noSong, oneSided, type Program, silence, song } from './program.ts'

/** Masters a song through the API and returns its job when it is done. */
export async function master(program: Program, parts: Readonly<Record<string, string | File>>): Promise<Job> {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) form.append(name, value)
  const headers = { Authorization: `Bearer ${program.credential}` }
  const created = await fetch(`${program.baseUrl}/api/v1/master`, { method: 'POST', headers, body: form })
  if (created.status !== 201) throw new Error(`${created.status} ${await created.text()}`)
  let job = (await created.json()) as Job
  for (const end = performance.now() + 240_000; job.status !== 'done'; ) {
    if (job.status === 'failed' || performance.now() > end) throw new Error(`not mastered: ${JSON.stringify(job)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
    job = await program.call<Job>('GET', `/api/v1/jobs/${job.job_id}`)
  }
  return job
}

type Use<Value> = (value: Value) => Promise<void>

async function keepHome(use: Use<string>): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'loudsmith-web-'))
  await use(home)
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}

async function keepProgram(program: Program, use: Use<Program>): Promise<void> {
  await use(program)
  await program.stop()
}

async function openPage({ page, program }: { page: Page; program: Program }, use: Use<Page>): Promise<void> {
  const failures: string[] = []
  page.on('pageerror', (error) => failures.push(error.message))
  // The browser intercepts its file dialogs only once there is a listener: added with the key press, it may come too
  // late.
  page.on('filechooser', () => undefined)
  await page.goto(await program.newLink())
  await untilUp(page)
  await use(page)
  if (failures.length > 0) throw new Error(`the page threw: ${failures.join('; ')}`)
}

/** `home` is the folder of the program's data; `platforms` those chosen in its batch, all by default. */
export const test = base.extend<{ home: string; platforms: readonly Platform[] | undefined; program: Program }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern
  home: ({}, use) => keepHome(use),
  platforms: [undefined, { option: true }],
  program: async ({ home, platforms }, use) => {
    const program = await startProgram(home)
    if (platforms) {
      const { settings } = await program.call<Batch>('GET', '/app/desk')
      await program.call('PATCH', '/app/desk', { settings: { ...settings, platforms } })
    }
    await keepProgram(program, use)
  },
  page: ({ page, program }, use) => openPage({ page, program }, use),
})

/** For tests that read songs and leave the program unchanged: they share one. */
// biome-ignore lint/complexity/noBannedTypes: Playwright's word for no fixtures of one test
export const lookingTest = base.extend<{}, { home: string; program: Program }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern
  home: [({}, use) => keepHome(use), { scope: 'worker' }],
  program: [async ({ home }, use) => keepProgram(await startProgram(home), use), { scope: 'worker' }],
  page: ({ page, program }, use) => openPage({ page, program }, use),
})
