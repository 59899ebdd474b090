import { randomUUID } from 'node:crypto'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { Request } from 'playwright/test'
import type { Job } from '../src-contract/jobs.ts'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import { violations } from './axe.ts'
import { longestTask } from './longest-task.ts'
import type { GivenFile } from './program.ts'
import { drop, expect, makeOf, master, rowOf, silence, song, test } from './web-fixtures.ts'

test.use({ platforms: ['spotify'] })

const JOBS = 5000
/** Pages of 100 filled by the finished jobs: one job in seventeen has failed. */
const DONE_PAGES = 48
/** Longest task of the page: a longer one is seen as a stutter. */
const MOST_TASK_MS = 50
/** Longest time from a press to the requested list, including the pause in typing. */
const MOST_SETTLING_MS = 2000
/** The same for expired jobs, which need all pages. */
const MOST_SEARCHING_MS = 10_000
/** Most walks until the times hold; judged only where this is set, on a quiet machine: `npm run campaign`. */
const WALKS = Number(process.env.HISTORY_WALKS ?? 0)

/** Makes `count` jobs from the existing one, of all kinds: done, failed, expired, alone and in batches. */
function multiplyJobs(file: string, count: number) {
  const db = new Database(file)
  try {
    const { serial: _serial, ...model } = db.prepare('SELECT * FROM jobs').get() as Record<string, unknown>
    const names = Object.keys(model)
    const insert = db.prepare(`INSERT INTO jobs (${names}) VALUES (${names.map((name) => `:${name}`)})`)
    const [words, batch] = [['Paper Lanterns', '봄밤', 'Low Tide', '모래시계'], { id: randomUUID() }]
    db.transaction(() => {
      for (let i = 1; i < count; i++) {
        if (i % 12 === 0) batch.id = randomUUID()
        const title = `${words[i % words.length]} ${i}`
        const hasFailed = i % 17 === 0
        insert.run({
          ...model,
          job_id: randomUUID(),
          batch_id: i % 5 === 0 ? null : batch.id,
          shown_title: title,
          search_text: title.toLowerCase(),
          source_sha256: i.toString(16).padStart(64, '0'),
          created_at_ms: Number(model.created_at_ms) - (count - i) * 600_000,
          stored_bytes: 0,
          is_expired: i < count / 10 && !hasFailed ? 1 : 0,
          ...(hasFailed
            ? { state: 'failed', result: null, failure_code: 'DIGITAL_SILENCE', failure_values: '{}' }
            : {}),
        })
      }
    })()
  } finally {
    db.close()
  }
}

/** Makes the results of every job expire at a time, epoch ms. */
function expireAt(file: string, atMs: number) {
  const db = new Database(file)
  db.prepare('UPDATE jobs SET expires_at_ms = ?').run(atMs)
  db.close()
}

test('a line of the history names every platform, why a song failed, and results that go soon, which a press keeps', async ({
  page,
  program,
  home,
}) => {
  const asFile = ({ name, mimeType, buffer }: GivenFile) => new File([new Uint8Array(buffer)], name, { type: mimeType })
  await master(program, { file: asFile(song('One.wav')), platforms: 'spotify,apple_music,youtube,melon' })
  await expect(master(program, { file: asFile(silence('Nothing.wav')), platforms: 'spotify' })).rejects.toThrow()
  await page.getByRole('link', { name: 'History' }).click()
  for (const width of [1280, 1440]) {
    await page.setViewportSize({ width, height: 820 })
    for (const [title, words] of [
      ['One', 'Spotify, Apple Music, YouTube, Melon'],
      ['Nothing', 'The song is silent or nearly silent. Export it again with sound. Refunded.'],
    ] as const) {
      const said = page.locator('tr', { hasText: title }).getByText(words, { exact: true })
      const hidden = await said.evaluate((one) => [
        one.scrollWidth - one.clientWidth,
        one.scrollHeight - one.clientHeight,
      ])
      expect(hidden, `${words} at ${width} px`).toEqual([0, 0])
    }
  }
  const mark = page.getByRole('link', { name: /^History/ }).getByTitle('2 results are removed soon')
  await expect(page.getByText('30 days')).toBeVisible()
  await expect(mark).toHaveCount(0)
  expireAt(path.join(home, 'data', 'loudsmith.db'), Date.now() + 2 * 86_400_000)
  await page.reload()
  await expect(mark).toBeVisible()
  await expect(page.getByText('2 days', { exact: true })).toHaveClass('c-warn')
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Keep for 30 more days' }).click()
  await expect(page.getByText('30 days', { exact: true })).toBeVisible()
  await expect(mark).toHaveCount(0)
})

test('a history that cannot be read says so and can be read again', async ({ page }) => {
  await page.route('**/api/v1/jobs?*', (route) => route.fulfill({ status: 500, body: '{}' }))
  await page.getByRole('link', { name: 'History' }).click()
  await expect(page.getByRole('alert')).toHaveText('The history could not be loaded.')
  await page.getByRole('button', { name: 'Free up disk space' }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('Something failed inside Loudsmith.')
  await page.keyboard.press('Escape')
  // The number of jobs is unknown.
  await expect(page.getByRole('radio', { name: 'All', exact: true })).toBeAttached()
  await page.unroute('**/api/v1/jobs?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText('Nothing mastered yet.')).toBeVisible()
  await expect(page.getByRole('radio', { name: 'All 0' })).toBeAttached()
  await page.getByRole('button', { name: 'Go to Master' }).click()
  await expect(page.locator('.first')).toBeVisible()
})

test('only a song that another try can help is offered to be mastered again', async ({ page, program }) => {
  const send = async (name: string, file: GivenFile) => {
    const form = new FormData()
    form.append('file', new File([new Uint8Array(file.buffer)], name))
    form.append('platforms', 'spotify')
    const headers = { Authorization: `Bearer ${program.credential}` }
    const answer = await fetch(`${program.baseUrl}/api/v1/master`, { method: 'POST', headers, body: form })
    const { job_id } = (await answer.json()) as Job
    const read = () => program.call<Job>('GET', `/api/v1/jobs/${job_id}`)
    await expect.poll(async () => (await read()).status).toBe('failed')
    return read()
  }
  const short = await send('Short.wav', song('Short.wav', 1, 0.5))
  expect(short.failure_code).toBe('TOO_SHORT')
  await page.getByRole('link', { name: 'History' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Short' })
  await expect(row).toContainText('0:00.5')
  await row.getByRole('button', { name: 'More: Short' }).click()
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Master again' })).toBeHidden()
  await page.keyboard.press('Escape')
  await row.getByRole('checkbox').check({ force: true })
  await expect(page.getByRole('button', { name: 'Delete' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Master again' })).toBeHidden()
  await page.goto(`${program.baseUrl}/#/listen/${short.job_id}`)
  await expect(page.getByText('Failed: The song is shorter than one second.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Nothing to hear', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Try again' })).toBeHidden()
  await expect(page.getByRole('button', { name: 'Master again' })).toBeHidden()

  // Its own files are its only source in the history: they are gone with the reference, or after expiry.
  const results = PLATFORMS.map((platform) => ({
    ...{ platform, verdict: platform === 'melon' ? 'below_target' : 'on_target', size_bytes: 1 },
    ...{ integrated_lufs: -14, gain_db: platform === 'melon' ? 9 : 8.8 },
  }))
  const { failure_code: _code, error_message: _message, ...ended } = short
  const without = [
    { ...short, title: 'Unguided', failure_code: 'REFERENCE_LOST' },
    { ...ended, job_id: randomUUID(), title: 'Swept', status: 'done', results, expired: true },
    { ...ended, job_id: randomUUID(), title: 'Shelved', status: 'done', results },
  ]
  await page.route('**/api/v1/jobs?*', (route) => route.fulfill({ json: { jobs: without, total: 3 } }))
  await page.goto(`${program.baseUrl}/#/history`)
  for (const [title, isOffered] of [
    ['Unguided', false],
    ['Swept', false],
    ['Shelved', true],
  ] as const) {
    await page.getByRole('button', { name: `More: ${title}` }).click()
    await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible()
    await expect(page.getByRole('menuitem', { name: 'Master again' }), title).toHaveCount(isOffered ? 1 : 0)
    await page.keyboard.press('Escape')
  }
  // For several, each button gives their number.
  await page.getByRole('checkbox', { name: 'Select all shown' }).check({ force: true })
  const buttons = page.locator('.action-bar .btn')
  await expect(buttons).toHaveText(['Save 1 ZIP', 'Master 1 again', 'Make a release', 'Delete 3', 'Free up disk space'])
  await page.getByRole('row').filter({ hasText: 'Unguided' }).getByRole('checkbox').uncheck({ force: true })
  await page.getByRole('row').filter({ hasText: 'Swept' }).getByRole('checkbox').uncheck({ force: true })
  await expect(buttons).toHaveText(['Save ZIP', 'Master again', 'Make a release', 'Delete', 'Free up disk space'])
  const shelved = page.getByRole('row').filter({ hasText: 'Shelved' })
  await expect(shelved).toContainText('+9.0 dB')
  const wide = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 640 })
  const [verdict, menu] = await Promise.all([
    shelved.locator('td > .row > .dim').boundingBox(),
    shelved.getByRole('button', { name: /^More/ }).boundingBox(),
  ])
  expect((verdict?.x ?? 0) + (verdict?.width ?? 0), 'the verdict leaves the menu free').toBeLessThanOrEqual(
    menu?.x ?? 0,
  )
  if (wide) await page.setViewportSize(wide)
  await page.unroute('**/api/v1/jobs?*')

  await page.goto(`${program.baseUrl}/#/`)
  await drop(page, [silence('Quiet.wav')])
  const quiet = rowOf(page, 'Quiet')
  await expect(quiet.locator('.st > b')).toHaveText('Silent')
  await expect(page.getByRole('button', { name: 'Try again: Quiet' })).toBeHidden()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Replace: Quiet' }).click()
  await (await chooser).setFiles([song('Loud.wav', 4)])
  await expect(rowOf(page, 'Loud')).toContainText('Ready')
  await expect(quiet).toBeHidden()
})

test('the address of the search brings the hand there each time', async ({ page }) => {
  const search = page.getByRole('textbox', { name: 'Search history' })
  for (let time = 0; time < 2; time++) {
    await page.evaluate(() => {
      location.hash = '#/history/search'
    })
    await expect(search).toBeFocused()
    await page.locator('#content').focus()
  }
})

test('a screen that is opened while the program is gone says so and is there when the program is', async ({ page }) => {
  await expect(page.locator('.first')).toBeVisible()
  await page.route('**/*', (route) => route.abort())
  await page.getByRole('link', { name: 'History' }).click()
  await expect(page.locator('main').getByRole('alert')).toHaveText(
    'Loudsmith does not answer. Start it again; nothing is lost.',
  )
  await expect(page.locator('#content')).toHaveCount(1)
  await page.unroute('**/*')
  await expect(page.getByText('Nothing mastered yet.')).toBeVisible()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

const alpha = () => new File([new Uint8Array(song('Alpha.wav', 1, 2).buffer)], 'Alpha.wav')

test('the history is put in order, filtered and searched, and one master of a song is saved from it', async ({
  page,
  program,
}) => {
  await master(program, { file: alpha(), platforms: 'spotify,melon' })
  const other = song('Beta.wav', 2, 2)
  await master(program, { file: new File([new Uint8Array(other.buffer)], other.name), platforms: 'youtube' })
  await page.getByRole('link', { name: 'History' }).click()
  const titles = page.locator('.hist .title')
  const door = page.locator('.tools').getByRole('button')
  const choose = async (item: string) => {
    await door.click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  await expect(titles).toHaveText(['Beta', 'Alpha'])
  await choose('Oldest first')
  await expect(titles).toHaveText(['Alpha', 'Beta'])
  await choose('Newest first')
  await expect(titles).toHaveText(['Beta', 'Alpha'])
  const sorter = page.getByRole('columnheader', { name: 'Song' })
  for (const [order, sorted] of [
    [['Alpha', 'Beta'], 'ascending'],
    [['Beta', 'Alpha'], 'none'],
  ] as const) {
    await sorter.getByRole('button').click()
    await expect(titles).toHaveText(order)
    await expect(sorter).toHaveAttribute('aria-sort', sorted)
  }
  await expect(page.locator('.grp')).toHaveText(/^Single songs/)
  await choose('Batch')
  await expect(page.locator('.grp')).toHaveCount(0)
  await choose('Melon')
  await expect(titles).toHaveText(['Alpha'])
  await expect(door).toHaveText('Melon')
  await page.getByRole('button', { name: 'More: Alpha' }).click()
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Save Melon' }).click(),
  ])
  expect(saved.suggestedFilename()).toBe('Alpha_melon.wav')
  await page.getByRole('textbox', { name: 'Search history' }).fill('beta')
  await expect(page.locator('.empty')).toContainText('No songs match.')
  await expect(page.locator('.vh[aria-live=polite]')).toHaveText('No songs match.')
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect(titles).toHaveText(['Beta', 'Alpha'])
  await expect(page.locator('.vh[aria-live=polite]')).toHaveText('2 songs')
  await page.getByRole('checkbox', { name: 'Select all shown' }).check({ force: true })
  await expect(page.locator('.action-bar')).toContainText('2 selected')
  await page.keyboard.press('Escape')
  await expect(page.locator('.action-bar')).not.toContainText('selected')
  // The charge of each song is in the ledger.
  await page.goto(new URL('#/settings/account', page.url()).href)
  await expect(page.getByRole('table', { name: 'Ledger' }).getByRole('row', { name: /Charge/ })).toHaveText([
    /Beta/,
    /Alpha/,
  ])
})

test('the disk is freed of songs of the age that was chosen, and of no other', async ({ page, program, home }) => {
  const old = await master(program, { file: alpha(), platforms: 'spotify' })
  const other = song('Beta.wav', 2, 2)
  await master(program, { file: new File([new Uint8Array(other.buffer)], other.name), platforms: 'spotify' })
  const db = new Database(path.join(home, 'data', 'loudsmith.db'))
  db.prepare('UPDATE jobs SET created_at_ms = created_at_ms - 8 * 86400000 WHERE job_id = ?').run(old.job_id)
  db.close()
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('button', { name: 'Free up disk space' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.locator('.option')).toHaveText([
    /^Older than 30 days0 songs/,
    /^Older than 7 days1 song, \d/,
    /^All finished songs2 songs, \d/,
  ])
  await expect(dialog.getByRole('button', { name: 'Delete' })).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByRole('radio', { name: /^Older than 7 days/ }).check()
  await dialog.getByRole('button', { name: 'Delete 1 song' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.locator('.hist .title')).toHaveText(['Beta'])
})

test('a song that waits is cancelled from the history', async ({ page, program }) => {
  await program.call('PATCH', '/app/settings', { engine_workers: 1 })
  const headers = { Authorization: `Bearer ${program.credential}` }
  for (const [i, name] of ['First.wav', 'Second.wav'].entries()) {
    const form = new FormData()
    form.append('file', new File([new Uint8Array(song(name, i + 1, 20).buffer)], name))
    form.append('platforms', 'spotify')
    await fetch(`${program.baseUrl}/api/v1/master`, { method: 'POST', headers, body: form })
  }
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('button', { name: 'More: Second' }).click()
  await page.getByRole('menuitem', { name: 'Cancel' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'Second' })).toContainText('Cancelled, refunded')
})

test('a job that the server does not delete comes back with the reason', async ({ page, program }) => {
  await master(program, { file: alpha(), platforms: 'spotify' })
  await page.getByRole('link', { name: 'History' }).click()
  const row = page.getByRole('row', { name: /Alpha/ })
  await page.route('**/api/v1/jobs/*', (route) =>
    route.request().method() === 'DELETE' ? route.abort() : route.fallback(),
  )
  await page.getByRole('checkbox', { name: 'Select Alpha' }).check({ force: true })
  await page.keyboard.press('Meta+Backspace')
  await expect(row).toHaveCount(0)
  await expect(row).toHaveCount(1)
  await expect(page.getByRole('alert')).toContainText('1 song could not be deleted. Loudsmith does not answer.')
  const [strip, table] = await Promise.all([
    page.getByRole('alert').boundingBox(),
    page.locator('.scroll').boundingBox(),
  ])
  expect(strip && table && strip.y + strip.height, 'the reason stands above the list').toBeLessThanOrEqual(
    table?.y ?? 0,
  )
  expect(table?.width).toBeGreaterThan(1200)
  await page.getByRole('alert').getByRole('button', { name: 'Close' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

const isList = (request: Request) => request.url().includes('/api/v1/jobs?')

test('Korean is composed in peace: the search waits for the word and keeps the hand', async ({ page }) => {
  await drop(page, [song('사랑의 테마.wav', 3, 5)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  await expect(page.getByText('사랑의 테마').first()).toBeVisible()
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.done, .song.below')).toHaveCount(1)
  await page.getByRole('link', { name: 'History' }).click()
  const rows = page.locator('.hist tbody tr:not(.grp):not(.gap)')
  await expect(rows).toHaveCount(1)
  const searches: (string | null)[] = []
  page.on('request', (request) => {
    if (isList(request)) searches.push(new URL(request.url()).searchParams.get('q'))
  })
  await page.keyboard.press('/')
  const input = await page.context().newCDPSession(page)
  for (const text of ['ㅅ', '사', '살', '사라', '사랑']) {
    await input.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
    await page.waitForTimeout(300)
  }
  expect(searches).toEqual([])
  await page.keyboard.press('Escape')
  const box = page.getByRole('textbox', { name: /search|find|song/i }).first()
  await expect(box).toBeFocused()
  const before = await box.boundingBox()
  await input.send('Input.insertText', { text: '사랑' })
  await expect.poll(() => searches.at(-1)).toBe('사랑')
  expect(await box.boundingBox(), 'the search box stays where it is').toEqual(before)
  await expect(rows).toHaveCount(1)
  await expect(rows.first()).toContainText('사랑의 테마')
})

test(
  `${JOBS} jobs are scrolled, searched and filtered without a stutter`,
  { tag: ['@alone', '@long'] },
  async ({ page, browser, home }, info) => {
    test.setTimeout(1_200_000)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await drop(page, [song('Model.wav', 1, 3)])
    await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
    await page.locator('.action-bar .btn.primary').click()
    await expect(page.locator('.song.done, .song.below')).toHaveCount(1)
    multiplyJobs(path.join(home, 'data', 'loudsmith.db'), JOBS)
    await page.getByRole('link', { name: 'History' }).click()
    await expect(page.getByRole('radio', { name: `All ${JOBS.toLocaleString('en-GB')}` })).toBeAttached()
    const rows = page.locator('.hist tbody tr:not(.grp):not(.gap)')
    const tasks: Record<string, number> = {}
    const settling: Record<string, number> = {}
    let lists = 0
    page.on('request', (request) => {
      if (isList(request)) lists += 1
    })
    const measure = async (name: string, act: () => Promise<unknown>) => {
      if (WALKS === 0) return void (await act())
      tasks[name] = Math.min(tasks[name] ?? Number.POSITIVE_INFINITY, Math.round(await longestTask(page, browser, act)))
    }
    /** Also measures the time from a press to the requested list. */
    const measureList = (name: string, act: () => Promise<unknown>) =>
      measure(name, async () => {
        lists = 0
        const from = performance.now()
        await Promise.all([page.waitForEvent('requestfinished', isList), act()])
        await page.waitForFunction(() => document.querySelector('.scroll')?.getAttribute('aria-busy') === 'false')
        settling[name] = Math.min(settling[name] ?? Number.POSITIVE_INFINITY, Math.round(performance.now() - from))
        await page.waitForTimeout(300)
        expect(lists, `pages read for ${name}`).toBeLessThanOrEqual(name === 'filter Expired' ? DONE_PAGES : 1)
      })

    const scroller = page.locator('.scroll')
    const all = page.getByRole('checkbox', { name: 'Select all' })
    const toggleGroups = async () => {
      await page.getByRole('button', { name: 'Newest first' }).click()
      await page.getByRole('menuitem', { name: 'Batch' }).click()
    }
    const walk = async () => {
      await scroller.hover()
      await measure('scrolling', async () => {
        for (let i = 0; i < 60; i++) {
          await page.mouse.wheel(0, 900)
          await page.waitForTimeout(30)
        }
      })
      await page.keyboard.press('/')
      for (const letter of 'lanterns 41') await measureList(`typing ${letter}`, () => page.keyboard.type(letter))
      await expect(rows.first()).toContainText('Paper Lanterns')
      await expect(rows.first()).toBeInViewport()
      await measureList('search cleared', () => page.keyboard.press('Escape'))
      const choose = (name: string) => page.getByRole('radio', { name: new RegExp(`^${name}`) }).check({ force: true })
      for (const name of ['Failed', 'Expired', 'Done', 'All']) {
        await measureList(`filter ${name}`, () => choose(name))
        if (name === 'Expired') await expect(rows.first()).toContainText('Files removed')
      }
      await measure('reading to the end', async () => {
        const isAtTheEnd = () => {
          const one = document.querySelector('.scroll')
          one?.scrollTo(0, one.scrollHeight)
          return [...(one?.querySelectorAll('tbody tr:not(.grp):not(.gap)') ?? [])]
            .at(-1)
            ?.textContent.includes('Model')
        }
        await page.waitForFunction(isAtTheEnd, undefined, { timeout: 240_000, polling: 100 })
      })
      await measure('grouping off', toggleGroups)
      await measure('everything selected', () => all.check({ force: true }))
    }
    const isSmooth = () =>
      Math.max(...Object.values(tasks)) < MOST_TASK_MS &&
      Object.entries(settling).every(
        ([name, ms]) => ms < (name === 'filter Expired' ? MOST_SEARCHING_MS : MOST_SETTLING_MS),
      )
    await walk()
    // Other work on the machine evicts the page's caches too: the best of a few walks is the page's own time.
    for (let walks = 1; walks < WALKS && !isSmooth(); walks++) {
      await all.uncheck({ force: true })
      await toggleGroups()
      await walk()
    }
    if (WALKS === 0) return
    const say = (figures: Record<string, number>) => JSON.stringify(figures)
    info.annotations.push({ type: 'longest tasks, ms of processor time', description: say(tasks) })
    info.annotations.push({ type: 'from press to list, ms', description: say(settling) })
    const { 'filter Expired': searching = 0, ...others } = settling
    expect(Math.max(...Object.values(others)), say(settling)).toBeLessThan(MOST_SETTLING_MS)
    expect(searching).toBeLessThan(MOST_SEARCHING_MS)
    expect(Math.max(...Object.values(tasks)), say(tasks)).toBeLessThan(MOST_TASK_MS)
  },
)

test('a song of the history is heard on the stage, also where it is not in the list', async ({ page, program }) => {
  await master(program, { file: alpha(), platforms: 'spotify' })
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('button', { name: 'More: Alpha' }).click()
  await page.getByRole('menuitem', { name: 'Listen' }).click()
  await expect(page.locator('.nav [aria-current]')).toHaveText('Master')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Alpha')
  await expect(page.locator('.song')).toHaveCount(0)
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'History' })).toBeVisible()
})

test('a song that came over the API is mastered again at the end of a long list, and is in view there', async ({
  page,
  program,
}) => {
  await master(program, { file: alpha(), platforms: 'melon' })
  // More than are rendered at once.
  const others = Array.from({ length: 24 }, (_, i) => song(`Song ${i}.wav`, i + 2, 2))
  await drop(page, others)
  await expect(page.locator('.song')).toHaveCount(24)
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('button', { name: 'More: Alpha' }).click()
  await page.getByRole('menuitem', { name: 'Master again' }).click()
  await expect(page.locator('.toast')).toContainText('“Alpha” back on the list, no credit spent yet')
  const row = rowOf(page, 'Alpha')
  await expect(row).toBeInViewport({ ratio: 1 })
  const covered = () =>
    row.evaluate((element) => {
      const toast = document.querySelector('.toast')?.getBoundingClientRect().top ?? Number.NaN
      return element.getBoundingClientRect().bottom - toast
    })
  await expect.poll(covered).toBeLessThanOrEqual(0)
  // With its former settings: a platform that is not on for all songs.
  await expect(makeOf(page, 'Melon')).toBeChecked()
})
