/**
 * `node scripts/screenshots.ts`: pictures of every screen, in both languages and both themes, of the served program with the real
 * engine. They go to screenshots/, which git ignores. Build first.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Browser, chromium, type Page } from 'playwright'
import { noSong, type Program, silence, song, startProgram } from '../e2e/program.ts'
import { CHROMIUM_ARGUMENTS } from '../playwright.config.ts'
import type { Batch } from '../src-contract/app.ts'
import type { JobPage } from '../src-contract/jobs.ts'

const folder = path.join(import.meta.dirname, '..', 'screenshots')
const LOOKS = [
  { language: 'en', locale: 'en-GB', theme: 'dark' },
  { language: 'en', locale: 'en-GB', theme: 'light' },
  { language: 'ko', locale: 'ko-KR', theme: 'dark' },
  { language: 'ko', locale: 'ko-KR', theme: 'light' },
] as const
const SIZES = {
  normal: { width: 1280, height: 820 },
  small: { width: 900, height: 600 },
  zoomed: { width: 640, height: 410 },
}

type Look = (typeof LOOKS)[number]

async function withPage(
  browser: Browser,
  program: Program,
  look: Look,
  size: keyof typeof SIZES,
  act: (page: Page) => Promise<void>,
) {
  const context = await browser.newContext({ viewport: SIZES[size], locale: look.locale, colorScheme: look.theme })
  const page = await context.newPage()
  await page.goto(await program.newLink())
  await page.waitForSelector('.first, .songs')
  await act(page)
  await context.close()
}

/** Takes one picture per appearance and size; `address` is the fragment of the screen. */
async function shoot(
  browser: Browser,
  program: Program,
  name: string,
  address: string,
  sizes: readonly (keyof typeof SIZES)[] = ['normal'],
) {
  for (const size of sizes) {
    for (const look of size === 'normal' ? LOOKS : LOOKS.slice(0, 1)) {
      await withPage(browser, program, look, size, async (page) => {
        await page.goto(`${program.baseUrl}/${address}`)
        await page.waitForTimeout(900)
        const suffix = size === 'normal' ? '' : `-${size}`
        await page.screenshot({ path: path.join(folder, `${name}${suffix}-${look.language}-${look.theme}.png`) })
      })
    }
  }
}

async function giveSongs(browser: Browser, program: Program): Promise<Batch> {
  const files = [
    song('Paper Lanterns.wav', 1, 24),
    song('Low Tide.wav', 4, 20),
    song('모래시계.wav', 7, 22),
    song('Night Bus to Busan.wav', 9, 26),
    silence('take_07_final.wav'),
    noSong('Rooftop demo.mp3'),
  ]
  await withPage(browser, program, LOOKS[0], 'normal', async (page) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('.first .btn.primary')])
    await chooser.setFiles(files)
    await page.waitForFunction(() => document.querySelectorAll('.song.refused').length === 1)
    await page.waitForFunction(() => document.querySelectorAll('.song.ready, .song.warning').length === 5, undefined, {
      timeout: 120_000,
    })
  })
  return program.call<Batch>('GET', '/app/desk')
}

async function untilEnded(program: Program, count: number): Promise<JobPage> {
  for (;;) {
    const page = await program.call<JobPage>('GET', '/api/v1/jobs?sort=oldest')
    if (page.jobs.filter((job) => job.status !== 'queued').length >= count) return page
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

const home = mkdtempSync(path.join(tmpdir(), 'loudsmith-pictures-'))
mkdirSync(folder, { recursive: true })
const program = await startProgram(home)
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const browser = await chromium.launch({ executablePath, chromiumSandbox: false, args: CHROMIUM_ARGUMENTS })
try {
  await shoot(browser, program, 'first-run', '#/', ['normal', 'small', 'zoomed'])
  const batch = await giveSongs(browser, program)
  const ids = batch.songs.map((one) => one.source.source_id)
  await shoot(browser, program, 'ready', '#/')
  await program.call('POST', '/app/desk/start', { source_ids: [ids[0], ids[4]] })
  const { jobs } = await untilEnded(program, 2)
  await program.call('POST', '/app/desk/start', { source_ids: ids.slice(1, 4) })
  await shoot(browser, program, 'master', '#/')
  await untilEnded(program, 5)
  await program.call('POST', '/app/keys', { name: 'n8n, studio Mac' })
  await program.call('POST', '/api/v1/webhooks', { url: 'http://127.0.0.1:5678/webhook/masters' })
  await shoot(browser, program, 'done', '#/', ['normal', 'small', 'zoomed'])
  const done = jobs.find((job) => job.status === 'done')
  await shoot(browser, program, 'listen', `#/listen/${done?.job_id}`, ['normal', 'small', 'zoomed'])
  await shoot(browser, program, 'history', '#/history', ['normal', 'small', 'zoomed'])
  await shoot(browser, program, 'automate', '#/automate', ['normal', 'small', 'zoomed'])
  for (const section of ['account', 'webhooks', 'storage', 'language'])
    await shoot(
      browser,
      program,
      `settings-${section}`,
      `#/settings/${section}`,
      section === 'account' ? ['normal', 'small', 'zoomed'] : ['normal'],
    )
} finally {
  await browser.close()
  await program.stop()
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}
