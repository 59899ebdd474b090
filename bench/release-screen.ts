/**
 * `CHROMIUM_PATH=… node bench/release-screen.ts [WALKS]`: the screen Release of 5 releases with 100 tracks each, of 1000 stored songs, in a
 * real browser on the running program. For each action: the longest task of the page (ms of processor time, which excludes other work on
 * the machine), the longest time between two frames and from a press or a key to the resulting frame (ms on the clock). The goal is 50 ms;
 * the best walk counts. Needs `npm run build`.
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { type Browser, chromium, type Page } from 'playwright'
import { longestTask } from '../e2e/longest-task.ts'
import { drop } from '../e2e/page-hand.ts'
import { type Program, song, startProgram } from '../e2e/program.ts'
import { CHROMIUM_ARGUMENTS } from '../playwright.config.ts'
import type { Batch } from '../src-contract/app.ts'
import { referenceMs } from './reference-loop.ts'

const SONGS = 1000
const RELEASES = 5
const TRACKS = 100
const STANDARD_WALKS = 3
/** Pause between two keys, about that of a person, ms. */
const KEY_MS = 60
const SCROLLS = 40
const MOVES = 10

/** Multiplies the one stored song to `count` songs, each with its own title. */
function multiplySongs(file: string, count: number): void {
  const db = new Database(file)
  try {
    const copy = (table: string, changesOf: (at: number) => object) => {
      const model = db.prepare(`SELECT * FROM ${table}`).get() as object
      const names = Object.keys(model)
      const insert = db.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map((name) => `:${name}`)})`)
      for (let at = 1; at < count; at++) insert.run({ ...model, ...changesOf(at) })
    }
    const ids = Array.from({ length: count }, () => randomUUID())
    db.transaction(() => {
      copy('sources', (at) => ({ source_id: ids[at], title: `Paper Lanterns ${at}` }))
      copy('desk_songs', (at) => ({ source_id: ids[at], place: at }))
    })()
  } finally {
    db.close()
  }
}

async function makeReleases(program: Program): Promise<void> {
  const { songs } = await program.call<Batch>('GET', '/app/desk')
  const sources = songs.map(({ source }) => source)
  for (let at = 0; at < RELEASES; at++) {
    const tracks = sources
      .slice(at * TRACKS, (at + 1) * TRACKS)
      .map(({ source_id, title }) => ({ source_id, title, artists: ['Sora'], composers: ['Kim', 'Lee'] }))
    await program.call('POST', '/api/v1/releases', { title: `Record ${at + 1}`, artist: 'Sora', kind: 'album', tracks })
  }
}

interface Figures {
  readonly taskMs: number
  readonly frameMs: number
  readonly answerMs: number
}

declare global {
  var drawing: { longestMs: number; slowestMs: number }
}

/** Makes the page record its frames and response times; must be called before the page is opened. */
const recordFrames = (page: Page) =>
  page.addInitScript(() => {
    globalThis.drawing = { longestMs: 0, slowestMs: 0 }
    let last = performance.now()
    const note = (now: number) => {
      globalThis.drawing.longestMs = Math.max(globalThis.drawing.longestMs, now - last)
      last = now
      requestAnimationFrame(note)
    }
    requestAnimationFrame(note)
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        globalThis.drawing.slowestMs = Math.max(globalThis.drawing.slowestMs, duration)
    })
    observer.observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit)
  })

async function measured(page: Page, browser: Browser, act: () => Promise<unknown>): Promise<Figures> {
  await page.evaluate(() => {
    globalThis.drawing = { longestMs: 0, slowestMs: 0 }
  })
  const taskMs = await longestTask(page, browser, act)
  const { longestMs, slowestMs } = await page.evaluate(() => globalThis.drawing)
  return { taskMs, frameMs: longestMs, answerMs: slowestMs }
}

const cell = (page: Page, row: number, name: string) =>
  page.getByRole('grid').locator('tbody tr[data-row]').nth(row).locator(`.c-${name}`)

async function press(page: Page, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await page.keyboard.press(key)
    await page.waitForTimeout(KEY_MS)
  }
}

/** Drags the grip of a row over the next rows and back. */
async function dragOverRows(page: Page): Promise<void> {
  const box = await cell(page, 2, 'number').locator('.grip').boundingBox()
  if (!box) throw new Error('no row to drag')
  await page.mouse.move(box.x + 4, box.y + 8)
  await page.mouse.down()
  for (let step = 0; step < 2 * MOVES; step++) {
    await page.mouse.move(box.x + 4 + (step % 2), box.y + 8 + 20 * (step < MOVES ? step : 2 * MOVES - step))
    await page.waitForTimeout(KEY_MS)
  }
  await page.mouse.up()
}

const open = async (page: Page, title: string) => {
  await page.getByRole('link', { name: new RegExp(`^${title}`) }).click()
  await page.waitForFunction(
    (name) => document.querySelector<HTMLInputElement>('.is-title')?.value.startsWith(name),
    title,
  )
}

/** The actions in measuring order; each begins in the state left by the one before. */
const actionsOf = (page: Page): Record<string, () => Promise<unknown>> => ({
  'opening a release': () => open(page, 'Record 2'),
  'opening another': () => open(page, 'Record 3'),
  scrolling: async () => {
    await page.locator('.pane.mid').hover()
    for (let at = 0; at < SCROLLS; at++) {
      await page.mouse.wheel(0, at < SCROLLS / 2 ? 400 : -400)
      await page.waitForTimeout(30)
    }
  },
  'choosing a track': () => cell(page, 1, 'title').click(),
  'arrow keys': () => press(page, Array(20).fill('ArrowDown')),
  'moving by keys': async () => {
    await press(page, Array(MOVES).fill('Alt+ArrowDown'))
    await press(page, Array(MOVES).fill('Alt+ArrowUp'))
  },
  'writing a cell': async () => {
    await press(page, [...'Night Bus to Busan', 'Enter'])
    await page.waitForTimeout(1000)
  },
  'selecting all': () => press(page, ['Control+a']),
  'copying all': () => press(page, ['Control+c']),
  'to the first row': () => press(page, ['Control+Home']),
  'moving by hand': () => dragOverRows(page),
  'typing the title': async () => {
    await page.getByRole('textbox', { name: 'Title', exact: true }).click()
    await press(page, [...' and back'])
    await page.waitForTimeout(1000)
  },
  'back to Master': async () => {
    await page.getByRole('link', { name: 'Master', exact: true }).click()
    await page.locator('.song').first().waitFor()
  },
  'and to Release': async () => {
    await page.getByRole('link', { name: 'Release', exact: true }).click()
    await page.locator('.sheet').waitFor()
    await open(page, 'Record 1')
  },
})

const walks = Number(process.argv[2] ?? STANDARD_WALKS)
const home = mkdtempSync(path.join(tmpdir(), 'loudsmith-bench-'))
const program = await startProgram(home)
const browser = await chromium.launch({
  ...(process.env.CHROMIUM_PATH ? { executablePath: process.env.CHROMIUM_PATH } : {}),
  args: CHROMIUM_ARGUMENTS,
})
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  const page = await context.newPage()
  await recordFrames(page)
  await page.goto(await program.newLink())
  await drop(page, [song('Model.wav', 1, 3)])
  await page.locator('.song.ready, .song.warning').waitFor({ timeout: 600_000 })
  multiplySongs(path.join(home, 'data', 'loudsmith.db'), SONGS)
  await makeReleases(program)
  await page.reload()
  await page.getByRole('link', { name: 'Release', exact: true }).click()
  await page.locator('.sheet').waitFor({ timeout: 60_000 })
  const best: Record<string, Figures> = {}
  for (let walk = 0; walk < walks; walk++) {
    await open(page, 'Record 1')
    for (const [name, act] of Object.entries(actionsOf(page))) {
      const now = await measured(page, browser, act)
      const { taskMs, frameMs, answerMs } = best[name] ?? now
      best[name] = {
        taskMs: Math.min(taskMs, now.taskMs),
        frameMs: Math.min(frameMs, now.frameMs),
        answerMs: Math.min(answerMs, now.answerMs),
      }
    }
  }
  process.stdout.write(`${'longest'.padEnd(20)} task, ms  frame, ms  answer, ms\n`)
  for (const [name, { taskMs, frameMs, answerMs }] of Object.entries(best))
    process.stdout.write(
      `${name.padEnd(20)} ${taskMs.toFixed(0).padStart(8)}  ${frameMs.toFixed(0).padStart(9)}  ${answerMs.toFixed(0).padStart(10)}\n`,
    )
  process.stdout.write(`best of ${walks} walks; the reference loop takes ${(await referenceMs()).toFixed(0)} ms\n`)
} finally {
  await browser.close()
  await program.stop()
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}
