/**
 * `CHROMIUM_PATH=… node bench/hearing.ts SONG [CHANGES]`: time from the `input` event of a fader to the first sample of the changed sound,
 * in a real browser on the running program (goals for a song of 4:20 on an idle machine: a median of 120 ms, 250 ms in 95 of 100 changes).
 * The audio thread reports every 1024 frames which rendering it plays: a time is up to 23 ms too long, never too short. Each change has a
 * new value and mostly comes while the whole master of the previous one is still being rendered. The times of the single steps are printed
 * below. Needs `npm run build`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { drop } from '../e2e/page-hand.ts'
import { startProgram } from '../e2e/program.ts'
import { CHROMIUM_ARGUMENTS } from '../playwright.config.ts'
import { type Change, recordHearing } from './hearing-record.ts'
import { medianOf, referenceMs } from './reference-loop.ts'

const STANDARD_CHANGES = 50
/** Pauses after an audible change, in turn, ms. */
const PAUSES_MS = [100, 400, 900, 2000, 250]
/** Rest after the first change, ms. */
const FIRST_REST_MS = 5000
/** Time after which a change counts as unanswered. */
const MOST_MS = 10_000
/** Values of the fader, dB, without 0, the initial sound. */
const VALUES_DB = Array.from({ length: 60 }, (_, i) => (i - 29) / 10).filter((value) => value !== 0)
const FIRST_DB = -3

const percentile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))]!

async function openSong(context: BrowserContext, link: string, file: string): Promise<Page> {
  const page = await context.newPage()
  await recordHearing(page)
  await page.goto(link)
  const name = path.basename(file)
  await drop(page, [{ name, mimeType: 'audio/wav', buffer: readFileSync(file) }])
  await page.locator('.song.ready, .song.warning').waitFor({ timeout: 600_000 })
  await page.locator('.song .ti').click()
  await page.keyboard.press('Space')
  await page
    .getByRole('radio', { name: /^Spotify/ })
    .and(page.locator(':enabled'))
    .waitFor({ timeout: 600_000 })
  return page
}

/** Moves the fader and returns the times of the steps, ms after the event; null if it was not answered. */
async function changeOnce(page: Page, value: number): Promise<Change | null> {
  await page.evaluate(() => globalThis.hearing.begin())
  await page.getByRole('slider', { name: 'Tilt', exact: true }).fill(value.toFixed(1))
  const end = performance.now() + MOST_MS
  while (performance.now() < end) {
    const change = await page.evaluate(() => globalThis.hearing.heard())
    if (change) return change
    await page.waitForTimeout(30)
  }
  return null
}

const [file, count] = process.argv.slice(2)
const changes = Number(count ?? STANDARD_CHANGES)
const home = mkdtempSync(path.join(tmpdir(), 'loudsmith-bench-'))
const program = await startProgram(home)
const browser = await chromium.launch({
  ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
  args: CHROMIUM_ARGUMENTS,
})
try {
  const context = await browser.newContext({ bypassCSP: true, viewport: { width: 1280, height: 820 }, locale: 'en-GB' })
  const page = await openSong(context, await program.newLink(), file!)
  // The first change replaces the original, the others a rendering.
  await changeOnce(page, FIRST_DB)
  await page.waitForTimeout(FIRST_REST_MS)
  const heard: Change[] = []
  const references: number[] = []
  for (let i = 0; i < changes; i++) {
    references.push(await referenceMs())
    const change = await changeOnce(page, VALUES_DB[i % VALUES_DB.length]!)
    if (change) heard.push(change)
    if (process.env.VERBOSE) process.stdout.write(`${JSON.stringify(change)}\n`)
    await page.waitForTimeout(PAUSES_MS[i % PAUSES_MS.length]!)
  }
  const legs = Object.keys(heard[0] ?? {}) as (keyof Change)[]
  for (const leg of legs) {
    const times = heard.map((change) => change[leg])
    process.stdout.write(
      `${leg.padEnd(12)} middle ${medianOf(times).toFixed(0).padStart(5)} ms, 95 of 100 ${percentile(times, 0.95).toFixed(0).padStart(5)} ms\n`,
    )
  }
  process.stdout.write(
    `${changes - heard.length} of ${changes} not answered; the reference loop took ${medianOf(references).toFixed(0)} ms\n`,
  )
} finally {
  await browser.close()
  await program.stop()
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}
