import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright/test'
import type { Batch } from '../src-contract/app.ts'
import type { JobPage } from '../src-contract/jobs.ts'
import { violations } from './axe.ts'
import type { GivenFile } from './program.ts'
import { drop, expect, makeOf, noSong, openStart, rowOf, silence, song, test } from './web-fixtures.ts'

/** Drops files and folders of the disk on the window, like a file manager. */
async function dropFromDisk(page: Page, files: string[]): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const at = { x: 400, y: 400, data: { items: [], files, dragOperationsMask: 1 } }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await devtools.send('Input.dispatchDragEvent', { ...at, type })
}

/** Drops songs that are too long to pass to the page as text. */
async function dropLong(page: Page, home: string, songs: readonly GivenFile[]): Promise<void> {
  const files = songs.map(({ name }) => path.join(home, name))
  for (const [i, { buffer }] of songs.entries()) writeFileSync(files[i] as string, buffer)
  await expect(page.locator('.first')).toBeVisible()
  await dropFromDisk(page, files)
}

test('a first song goes from a drop to a saved ZIP and a saved master', async ({ page }) => {
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Drop a song.')
  expect(page.url()).not.toContain('session')
  await drop(page, [song('종이 등불.wav')])
  await expect(rowOf(page, '종이 등불')).toContainText(/Ready|warning/)
  await expect(page.locator('.action-bar')).toContainText('1 credit')
  await page.locator('.action-bar .btn.primary').click()
  await expect(rowOf(page, '종이 등불')).toContainText('5 masters')
  await expect(page.locator('.bar .credits')).toContainText('499')
  await page.getByRole('button', { name: 'More: show in folder, copy as curl, report' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^Save ZIP/ }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^종이 등불_master_[0-9a-f]{8}\.zip$/)
  await page.getByRole('button', { name: 'More: 종이 등불' }).click()
  const [one] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Save Melon' }).click(),
  ])
  expect(one.suggestedFilename()).toBe('종이 등불_melon.wav')
})

test('twelve files with two broken ones end as ten results and two clear reasons', async ({ page, program }) => {
  // One platform and the standard tier: this journey tests the batch, not the engine's best.
  const { settings } = await program.call<Batch>('GET', '/app/desk')
  const quick = { ...settings, platforms: ['spotify'], tier: 'standard' }
  await program.call('PATCH', '/app/desk', { settings: quick })
  await page.reload()
  const good = Array.from({ length: 10 }, (_, i) => song(`Take ${i + 1}.wav`, i + 1, 3))
  await drop(page, [...good.slice(0, 4), noSong('broken.mp3'), ...good.slice(4), noSong('notes.wav')])
  await expect(page.locator('.song')).toHaveCount(12)
  await expect(page.locator('.song.refused')).toHaveCount(2)
  for (const name of ['broken.mp3', 'notes.wav']) {
    await expect(rowOf(page, name)).toContainText('Unsupported format')
    await expect(rowOf(page, name)).toContainText('Export MP3, WAV or FLAC')
  }
  await expect(page.locator('.song').nth(4)).toContainText('broken.mp3')
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(10)
  for (let left = 2; left > 0 && (await page.locator('.song.ready, .song.warning').count()) > 0; left--) {
    await page.locator('.action-bar .btn.primary').click()
    await page.waitForTimeout(300)
  }

  await test.step('a reload in the middle loses nothing', async () => {
    await expect(page.locator('.song.rendering, .song.done, .song.below').first()).toBeVisible()
    await page.reload()
    await expect(page.locator('.song')).toHaveCount(12)
    await expect(page.locator('.song.refused')).toHaveCount(2)
  })
  await expect(page.locator('.song.done, .song.below')).toHaveCount(10)
  await expect(page.locator('.batch-said p')).toHaveText('10 done, 2 not accepted')
  const { jobs } = await program.call<JobPage>('GET', '/api/v1/jobs?limit=100')
  expect(jobs.map((job) => job.status)).toEqual(Array.from({ length: 10 }, () => 'done'))
  expect(new Set(jobs.map((job) => job.batch_id)).size).toBe(1)
})

test('a song that arrives moves no other, and songs out of view are as high as those in it', async ({ page }) => {
  await page.evaluate(() => {
    const moved: string[] = []
    Object.assign(window, { moved })
    new PerformanceObserver((list) => {
      for (const { sources } of list.getEntries() as (PerformanceEntry & { sources: { node: Node | null }[] })[])
        for (const { node } of sources)
          if (node instanceof Element && node.matches('.song')) moved.push(node.textContent ?? '')
    }).observe({ type: 'layout-shift' })
  })
  const songs = Array.from({ length: 12 }, (_, i) => song(`Take ${i + 1}.wav`, i + 1, 3))
  await drop(page, songs)
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(12)
  expect(await page.evaluate(() => (window as unknown as { moved: string[] }).moved)).toEqual([])
  const heights = await page
    .locator('.song')
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
  expect(new Set(heights).size).toBe(1)
})

test('percents of a song walk up and never back, from the first byte to the last master', { tag: '@long' }, async ({
  page,
  home,
}) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    new MutationObserver(() => {
      const head = document.querySelector('.song .st > b')
      const text = head?.textContent ?? ''
      if (text !== seen.at(-1)) seen.push(text)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  await dropLong(page, home, [song('Long.wav', 1, 120)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.done, .song.below')).toHaveCount(1)
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen)
  const percentsOf = (words: RegExp) =>
    seen
      .filter((text) => words.test(text))
      .flatMap((text) => /(\d+) %$/.exec(text)?.[1] ?? [])
      .map(Number)
  const analysed = percentsOf(/^Analysing/)
  const rendered = percentsOf(/^(Decoding|Measuring|Rendering|Verifying|Packing)/)
  for (const percents of [analysed, rendered]) {
    expect(percents).toEqual([...percents].sort((a, b) => a - b))
    expect(percents.length).toBeGreaterThan(10)
  }
  const steps = rendered.slice(1).map((percent, i) => percent - (rendered[i] ?? 0))
  expect(Math.max(...steps)).toBeLessThanOrEqual(5)
})

test('between two songs nobody says that nothing is rendered', async ({ page }) => {
  await drop(page, [song('One.wav', 1, 3), song('Two.wav', 2, 3), song('Three.wav', 3, 3)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(3)
  await page.evaluate(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    new MutationObserver(() => {
      const text = document.querySelector('.batch-said p')?.textContent ?? ''
      if (text !== seen.at(-1)) seen.push(text)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.done, .song.below')).toHaveCount(3)
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen)
  expect(seen.filter((text) => /\b0 /.test(text))).toEqual([])
  expect(seen.filter((text) => /\brendering\b/.test(text)).length).toBeGreaterThan(0)
})

test('a silent song is refused with its reason, and costs nothing', async ({ page }) => {
  await drop(page, [silence('nothing.wav')])
  const row = rowOf(page, 'nothing')
  await expect(row).toBeVisible()
  const primary = page.locator('.action-bar .btn.primary')
  await expect(row).toHaveClass(/refused/)
  await expect(row).toContainText('nearly silent')
  await expect(page.getByRole('button', { name: 'Replace: nothing' })).toBeVisible()
  await expect(primary).toHaveAttribute('aria-disabled', 'true')
  await expect(page.locator('.bar .credits')).toContainText('500')
})

test('settings of one song differ from those of all, and both survive a reload', async ({ page, program }) => {
  await drop(page, [song('One.wav', 1), song('Two.wav', 2)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(2)
  await openStart(page)
  await page.getByRole('radio', { name: 'Ballad' }).check({ force: true })
  const genres = page.getByRole('radiogroup', { name: 'Genre' })
  const scope = page.getByRole('radiogroup', { name: 'Sound applies to' })
  await expect(page.locator('.sound-part .scope')).toContainText('All 2')
  await rowOf(page, 'Two').locator('.ti').click()
  await expect(scope.getByRole('radio', { name: 'This song' })).toBeChecked()
  const edm = page.getByRole('radio', { name: 'EDM' })
  await edm.scrollIntoViewIfNeeded()
  const place = await genres.boundingBox()
  await edm.check({ force: true })
  await expect(page.getByRole('button', { name: 'Same as all' })).toBeVisible()
  expect(await genres.boundingBox(), 'what is under the hand').toEqual(place)
  const delivery = page.getByRole('radiogroup', { name: 'Delivery applies to' })
  await expect(delivery.getByRole('radio', { name: 'All 2' })).toBeChecked()
  await delivery.getByRole('radio', { name: 'This song' }).check({ force: true })
  await makeOf(page, 'SoundCloud').click()
  await expect(rowOf(page, 'Two')).toContainText('own settings')
  await expect
    .poll(async () => {
      const batch = await program.call<Batch>('GET', '/app/desk')
      return [batch.settings.genre, batch.songs[1]?.settings?.genre, batch.songs[1]?.settings?.platforms.length]
    })
    .toEqual(['ballad', 'edm', 4])
  await page.reload()
  const start = page.getByRole('button', { name: 'Starting point' })
  await expect(start, 'folded to one line').toContainText('Ballad')
  await start.click()
  await expect(page.getByRole('radio', { name: 'Ballad' })).toBeChecked()
  await expect(rowOf(page, 'Two')).toContainText('own settings')
  for (const part of ['.sound-part', '.delivery-part'])
    await page.locator(part).getByRole('button', { name: 'Also the 1 with their own' }).click()
  await expect(rowOf(page, 'Two')).not.toContainText('own settings')
  await expect(page.locator('.toast')).toContainText('1 song now like all songs')
  await page.locator('.toast').getByRole('button', { name: /^Undo/ }).click()
  await expect(rowOf(page, 'Two')).toContainText('own settings')
})

test('songs are selected, removed, put back, reordered and started by keyboard alone, and another tab shows it', async ({
  page,
  program,
  context,
}) => {
  await drop(page, [song('One.wav', 1), song('Two.wav', 2), song('Three.wav', 3)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(3)
  const other = await context.newPage()
  await other.goto(await program.newLink())
  const titles = (tab: Page) => tab.locator('.song .ti').allTextContents()
  await expect.poll(() => titles(other)).toEqual(['One', 'Two', 'Three'])
  await rowOf(other, 'One').focus()
  await page.bringToFront()
  await page.locator('.song').first().focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.locator('.song').nth(1)).toBeFocused()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Two')
  await page.keyboard.press('Shift+ArrowDown')
  await expect(page.locator('.sound-part .scope')).toContainText('2 selected')
  await expect(page.getByRole('row', { selected: true })).toHaveCount(2)
  await page.keyboard.press('Control+a')
  await expect(page.getByRole('row', { selected: true })).toHaveCount(3)
  await page.keyboard.press('Escape')
  await expect(page.locator('.sound-part .scope')).toContainText('All 3')
  await page.locator('.song').nth(1).focus()
  await page.keyboard.press('Alt+ArrowUp')
  await expect(page.locator('.vh[aria-live=polite]')).toHaveText('Two is now number 1')
  await expect.poll(() => titles(other)).toEqual(['Two', 'One', 'Three'])
  await expect(rowOf(other, 'One')).toBeFocused()
  await expect(page.locator('.song').first()).toContainText('Two')
  await expect
    .poll(async () => (await program.call<Batch>('GET', '/app/desk')).songs.map((one) => one.source.title))
    .toEqual(['Two', 'One', 'Three'])
  await other.bringToFront()
  const last = await other.locator('.song').last().boundingBox()
  await rowOf(other, 'One').hover()
  await rowOf(other, 'One').locator('.grip').hover()
  await other.mouse.down()
  await rowOf(other, 'One').hover()
  await expect(rowOf(other, 'One')).toHaveClass(/is-held/)
  await page.keyboard.press('Alt+ArrowDown')
  await page.keyboard.press('Alt+ArrowDown')
  await expect.poll(() => titles(page)).toEqual(['One', 'Three', 'Two'])
  await expect.poll(() => titles(other), 'with One in the hand').toEqual(['Three', 'One', 'Two'])
  let told = 0
  other.on('request', (request) => {
    if (request.method() === 'PATCH') told += 1
  })
  // Longer than the slide of the rows, which pass under the pointer meanwhile.
  for (let move = 0; move < 60; move++) {
    await other.mouse.move((last?.x ?? 0) + 120 + (move % 2), (last?.y ?? 0) + 30)
    await other.waitForTimeout(10)
  }
  await expect.poll(() => titles(page)).toEqual(['Three', 'Two', 'One'])
  expect(told, 'orders told by a row that was dragged to one place').toBe(1)
  await other.mouse.up()
  await page.bringToFront()
  await expect(rowOf(page, 'Two')).toBeFocused()
  await page.keyboard.press('Alt+ArrowDown')
  await expect.poll(() => titles(other), 'with One let go').toEqual(['Three', 'One', 'Two'])
  await page.keyboard.press('Delete')
  await expect(page.locator('.song')).toHaveCount(2)
  await expect(page.locator('.toast')).toContainText('removed')
  await page.keyboard.press('Control+z')
  await expect.poll(() => titles(page)).toEqual(['Three', 'One', 'Two'])
  await page.locator('.song').first().focus()
  await page.keyboard.press('Enter')
  await expect(page.locator('.song.done, .song.below').first()).toBeVisible()
})

test('a pause lets the running song finish, holds the others over a reload and a restart, and goes on', {
  tag: '@long',
}, async ({ page, program }) => {
  await drop(
    page,
    ['One', 'Two', 'Three'].map((name, i) => song(`${name}.wav`, i + 1, 12)),
  )
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(3)
  await program.call('PATCH', '/app/settings', { engine_workers: 1 })
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.rendering')).toHaveCount(1)
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await expect(page.locator('.action-bar')).toContainText('Paused: 1 finishing, 2 waiting')
  await expect(page.locator('.song.waiting').filter({ hasText: 'Paused' })).toHaveCount(2)
  const wide = page.viewportSize()
  await page.setViewportSize({ width: 400, height: 800 })
  const said = page.locator('.batch-said p')
  expect(await said.evaluate((one) => one.scrollHeight - one.clientHeight), 'what is said on a small screen').toBe(0)
  if (wide) await page.setViewportSize(wide)
  await page.reload()
  await expect(page.locator('.action-bar')).toContainText(/Paused: (1 finishing, )?2 waiting/)
  await expect(page.locator('.song.done, .song.below')).toHaveCount(1)
  await expect(page.locator('.action-bar')).toContainText('Paused: 2 waiting')

  await program.killAndRestart()
  await page.goto('about:blank')
  await page.goto(await program.newLink())
  await expect(page.locator('.action-bar')).toContainText('Paused: 2 waiting')
  await expect(page.locator('.bar .credits')).toContainText('499')
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(page.locator('.song.done, .song.below')).toHaveCount(3)
  await expect(page.locator('.bar .credits')).toContainText('497')
})

test('a running song that is cancelled is refunded in its row, and mastered after all with undo', async ({ page }) => {
  await drop(page, [song('One.wav', 1, 20)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.rendering')).toBeVisible()
  await page.getByRole('button', { name: /^Cancel: / }).click()
  await expect(page.locator('.song.cancelled')).toContainText('1 credit refunded')
  expect(await violations(page)).toEqual([])
  await expect(page.locator('.action-bar')).toContainText('1 cancelled')
  await expect(page.getByRole('button', { name: /Try again.*1 credit/ })).toBeVisible()
  await page.locator('.toast').getByRole('button', { name: /^Undo/ }).click()
  await expect(page.locator('.song.done, .song.below')).toBeVisible()
})

test('an upload that a reload cuts off, which the browser asks about, waits in its place with its settings, and goes on when the file is dropped again', {
  tag: '@long',
}, async ({ page }) => {
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.accept()
  })
  await drop(page, [song('First.wav', 1)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  await page.route('**/app/sources', () => undefined)
  await drop(page, [song('종이 등불.wav', 2), song('Last.wav', 3)])
  const cutOff = rowOf(page, '종이 등불.wav')
  await cutOff.locator('.ti').click()
  await openStart(page)
  await page.getByRole('radio', { name: 'EDM' }).check({ force: true })
  await expect(cutOff).toContainText('own settings')
  await page.reload()
  await expect(page.locator('.song.interrupted')).toHaveCount(2)
  // Not before: requests held by the route would still reach the service as the page closes.
  await page.unroute('**/app/sources')
  await expect(page.locator('.song').nth(1)).toContainText('종이 등불.wav')
  await expect(cutOff).toContainText('Upload interrupted')
  await expect(cutOff).toContainText('Drop the file again')
  await page.reload()
  await expect(page.locator('.song.interrupted')).toHaveCount(2)
  expect(asked, 'before what is on its way is cut off, and not once it is').toEqual(['beforeunload'])

  await drop(page, [song('종이 등불.wav', 2)])
  await expect(page.locator('.song')).toHaveCount(3)
  await expect(page.locator('.song').nth(1)).toHaveClass(/ready|warning/)
  await expect(page.locator('.song').nth(1)).toContainText('own settings')
  await expect(page.locator('.song.interrupted')).toHaveCount(1)
  await page.reload()
  await expect(page.locator('.song').nth(1)).toContainText('own settings')
  await expect(rowOf(page, 'Last.wav')).toContainText('Upload interrupted')
})

test('a killed program goes on with the batch when it is started again', async ({ page, program }) => {
  await drop(page, [song('One.wav', 1, 20)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.rendering')).toBeVisible()
  await program.killAndRestart()
  await page.goto('about:blank')
  await page.goto(await program.newLink())
  await expect(page.locator('.song.done, .song.below')).toBeVisible()
  await expect(page.locator('.bar .credits')).toContainText('499')
})

test('a folder dropped from the disk brings the songs below it in the order of their names, and nothing else', async ({
  page,
}) => {
  const root = mkdtempSync(path.join(tmpdir(), 'loudsmith-drop-'))
  try {
    const album = path.join(root, '앨범 1')
    mkdirSync(path.join(album, 'Disc 2'), { recursive: true })
    const write = (name: string, seed: number) => writeFileSync(path.join(album, name), song(name, seed, 3).buffer)
    write('10 Last.wav', 1)
    write('2 종이 등불.wav', 2)
    write(path.join('Disc 2', '1 First.wav'), 3)
    writeFileSync(path.join(album, 'cover.png'), 'no picture')
    writeFileSync(path.join(album, '.hidden.wav'), 'no song')
    await expect(page.locator('.first')).toBeVisible()
    await dropFromDisk(page, [album])
    await expect(page.locator('.song.ready, .song.warning')).toHaveCount(3)
    const titles = ['2 종이 등불', '10 Last', '1 First']
    await expect(page.locator('.song .ti')).toHaveText(titles)
    await page.reload()
    await expect(page.locator('.song .ti')).toHaveText(titles)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

test('a copied file is pasted into the window, and what is no song is refused with its reason', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate(async () => {
    const canvas = document.createElement('canvas')
    const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    if (picture) await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })])
  })
  await page.keyboard.press('Control+v')
  await expect(page.locator('.song.refused')).toContainText('Unsupported format')
  await expect(page.locator('.song.refused .ti')).toHaveText(/\.png$/)
})

test('with the keyboard alone an empty batch becomes a running batch', async ({ page }) => {
  const pressTab = async (until: () => Promise<boolean>, key = 'Tab') => {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press(key)
      if (await until()) return
    }
    throw new Error('the keyboard did not get there')
  }
  const isFocused = (name: string) => () =>
    page.evaluate((text) => document.activeElement?.closest('button')?.textContent?.includes(text) ?? false, name)
  await expect(page.locator('.first')).toBeVisible()
  await pressTab(isFocused('Choose files'))
  const [first] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')])
  await first.setFiles([song('One.wav', 1, 4)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  const [second] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Control+o')])
  await second.setFiles([silence('Two.wav')])
  await expect(page.locator('.song.refused')).toContainText('silent')

  await pressTab(() => page.evaluate(() => document.activeElement?.closest('.vers') !== null))
  for (const key of ['Home', 'ArrowRight', 'Space']) await page.keyboard.press(key)
  await expect(makeOf(page, 'Spotify')).not.toBeChecked()
  await pressTab(() => page.evaluate(() => document.activeElement?.matches('.song') ?? false), 'Shift+Tab')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Delete')
  await expect(page.locator('.song')).toHaveCount(1)
  await expect(page.locator('.song').first()).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('.song.done, .song.below')).toHaveCount(1)
  await expect(page.locator('.song')).toContainText('4 masters')
})

test('nothing moves where less motion is wanted', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const moving = () =>
    page.evaluate(() => {
      const longest = (list: string) => Math.max(...list.split(',').map((one) => Number.parseFloat(one)))
      const styled = [...document.querySelectorAll('*')].flatMap((element) =>
        [null, '::before', '::after'].flatMap((part) => {
          const { transitionDuration, animationDuration, animationName } = getComputedStyle(element, part)
          const isMoving = longest(transitionDuration) > 0.001
          const isAnimated = animationName !== 'none' && longest(animationDuration) > 0.001
          return isMoving || isAnimated ? [`${element.tagName}.${element.getAttribute('class')}${part ?? ''}`] : []
        }),
      )
      const running = document.getAnimations().map((one) => Number(one.effect?.getComputedTiming().duration ?? 0))
      return { styled: [...new Set(styled)], running: running.filter((ms) => ms > 1) }
    })
  const still = { styled: [], running: [] }
  await expect(page.locator('.first')).toBeVisible()
  expect(await moving()).toEqual(still)
  await drop(page, [song('One.wav', 1, 20), song('Two.wav', 2, 20), noSong('Three.mp3')])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(2)
  await page.locator('.song').first().focus()
  await page.keyboard.press('Alt+ArrowDown')
  expect(await moving()).toEqual(still)
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.rendering')).toHaveCount(1)
  expect(await moving()).toEqual(still)
  await page.getByRole('button', { name: 'Batch actions' }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  expect(await moving()).toEqual(still)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Remove: Three/ }).click()
  await expect(page.locator('.toast')).toBeVisible()
  expect(await moving()).toEqual(still)
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toBeVisible()
  expect(await moving()).toEqual(still)
})

test('focus, choices and progress are seen in forced colours, dark and light', async ({ page, home }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await dropLong(page, home, [song('One.wav', 1, 90), song('Two.wav', 2, 20)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(2)
  await makeOf(page, 'SoundCloud').click()
  await page.getByRole('button', { name: /^Quality/ }).click()
  await page.locator('.action-bar .btn.primary').click()

  const isApart = (one: string, other: string, property: string) =>
    page.evaluate(
      ([a = '', b = '', name = '']) => {
        const read = (selector: string) => {
          const element = document.querySelector(selector)
          if (!element) throw new Error(`nothing is ${selector}`)
          return getComputedStyle(element).getPropertyValue(name)
        }
        return read(a) !== read(b)
      },
      [one, other, property],
    )
  await expect(page.locator('.stages i.d').first()).toBeAttached()
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ forcedColors: 'active', colorScheme })
    expect(await isApart('.stages i.d', '.song', 'background-color'), 'a stage that is over').toBe(true)
    expect(await isApart('.stages i.a', '.stages i.d', 'background-image'), 'the stage under way').toBe(true)
    expect(await isApart('.seg > :has(:checked)', '.seg > :not(:has(:checked))', 'background-color')).toBe(true)
    expect(await isApart('.choice > :has(:checked)', '.choice > :not(:has(:checked))', 'background-color')).toBe(true)
    const made = ['.make[aria-checked="true"] i', '.make[aria-checked="false"] i'] as const
    expect(await isApart(...made, 'background-color')).toBe(true)
    const [box, check] = await page.evaluate((selector) => {
      const element = document.querySelector(selector)
      const svg = element?.querySelector('svg')
      return element && svg ? [getComputedStyle(element).backgroundColor, getComputedStyle(svg).stroke] : []
    }, made[0])
    expect(check, 'the check in its box').not.toBe(box)
  }

  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ forcedColors: 'active', colorScheme })
    for (let presses = 0; presses < 45; presses++) {
      await page.keyboard.press('Tab')
      const ring = await page.evaluate(() => {
        const element = document.activeElement
        if (!element || element === document.body) return null
        const shown = element.matches('.vh') ? element.parentElement : (element.closest('.input') ?? element)
        const { outlineStyle, outlineWidth } = getComputedStyle(shown ?? element)
        return { name: `${element.tagName} ${element.textContent?.slice(0, 30)}`, outlineStyle, outlineWidth }
      })
      if (!ring) continue
      expect(ring.outlineStyle, ring.name).not.toBe('none')
      expect(Number.parseFloat(ring.outlineWidth), ring.name).toBeGreaterThanOrEqual(2)
    }
  }
})
