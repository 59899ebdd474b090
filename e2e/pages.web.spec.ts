import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright/test'
import type { Batch, Settings, SystemState } from '../src-contract/app.ts'
import { violations } from './axe.ts'
import { songBytes } from './desktop-songs.ts'
import { startProgram } from './program.ts'
import { drop, expect, master, noSong, oneSided, openScreen, openStart, rowOf, song, test } from './web-fixtures.ts'

test.use({ platforms: ['spotify'] })

const SCREENS = ['#/', '#/history', '#/automate', '#/settings/account', '#/settings/storage', '#/settings/watch']

for (const locale of ['en-GB', 'ko-KR']) {
  test.describe(locale, () => {
    test.use({ locale })

    test('no screen has a fault that axe finds, dark or light', async ({ page }) => {
      const expectNoFault = async (name: string) => {
        // The colours do not depend on the language, so Korean is checked in dark only.
        for (const colorScheme of locale === 'ko-KR' ? (['dark'] as const) : (['dark', 'light'] as const)) {
          await page.emulateMedia({ colorScheme })
          await expect(page.locator('html')).toHaveAttribute('data-theme', colorScheme)
          expect(await violations(page), `${name}, ${colorScheme}`).toEqual([])
        }
      }
      await expect(page.locator('.first')).toBeVisible()
      await expectNoFault('empty batch')
      await drop(page, [song('One.wav'), noSong('Two.mp3')])
      await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
      await page.locator('.song').first().locator('.ti').click()
      for (const screen of SCREENS) {
        await page.goto(new URL(screen, page.url()).href)
        await expect(page.locator('main h1')).toBeAttached()
        await expectNoFault(screen)
      }
      await page.keyboard.press('?')
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectNoFault('key sheet')
    })
  })
}

test('nothing is cut off at 900 × 600, nor at 200 and 400 % zoom of 1280 × 820', async ({ page }) => {
  await drop(page, [song('A song with a rather long title, as they are (final mix 3).wav')])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  for (const [width, height] of [
    [900, 600],
    [640, 410],
    [320, 480],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const screen of SCREENS) {
      await page.goto(new URL(screen, page.url()).href)
      await expect(page.locator('main h1')).toBeAttached()
      const size = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.scrollHeight,
      ])
      expect(size, screen).toEqual([width, height])
      expect(await violations(page), `${screen} at ${width} px`).toEqual([])
    }
    await page.goto(new URL('#/settings/about', page.url()).href)
    await expect(page.locator('.subnav [aria-current]')).toBeInViewport({ ratio: 1 })
    await page.goto(new URL('#/', page.url()).href)
    await expect(page.locator('.action-bar .btn.primary')).toBeInViewport()
    const said = page.locator('.batch-said p')
    expect(await said.evaluate((one) => one.scrollWidth - one.clientWidth), `what is said at ${width} px`).toBe(0)
    await expect(page.locator('.drop .btn')).toBeInViewport()
    const row = page.locator('.song').first()
    expect(await row.evaluate((one) => one.scrollWidth - one.clientWidth), `the row at ${width} px`).toBe(0)
  }
  await page.goto(new URL('#/automate', page.url()).href)
  const code = page.locator('.code').first()
  await code.focus()
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => code.evaluate((one) => one.scrollLeft)).toBeGreaterThan(0)
  await page.goto(new URL('#/', page.url()).href)
  await page.getByRole('button', { name: 'Sound', exact: true }).click()
  await expect(page.getByRole('dialog').getByText('Starting point', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
})

test('songs have room and platforms their names on every window', async ({ page }) => {
  await drop(page, [song('One.wav', 1), song('Two.wav', 2), song('Three.wav', 3)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(3)
  for (const [width, height, fewestSongs] of [
    [1280, 820, 3],
    [900, 600, 3],
    [768, 1024, 3],
    [720, 450, 3],
    [640, 360, 2],
  ] as const) {
    await page.setViewportSize({ width, height })
    const size = `${width} × ${height}`
    const names = page.locator('.vers [data-part=hear]')
    const cut = await names.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)
    const clipped = await names
      .locator('.clip')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length)
    expect(cut + clipped, `platform names at ${size}`).toBe(0)
    const inView = await page.evaluate(() => {
      const bar = document.querySelector('.action-bar')?.getBoundingClientRect().top ?? 0
      return [...document.querySelectorAll('.song')].filter((one) => one.getBoundingClientRect().bottom <= bar).length
    })
    expect(inView, `songs in view at ${size}`).toBeGreaterThanOrEqual(fewestSongs)
  }
  // If a song is shown only as its cover, clicking the middle selects it.
  await page.setViewportSize({ width: 900, height: 600 })
  await page.locator('.song').nth(1).click()
  await expect(page.locator('.stagepane h1')).toHaveText('Two')
})

test('a list with something to decide keeps its rows even and its menus in view in small windows', async ({ page }) => {
  const [one, two] = [song('One.wav', 1), song('Two.wav', 2)]
  const again = [one, two].map((file) => ({ ...file, name: `Copy of ${file.name}` }))
  const deaf = oneSided('Deaf.wav', 3, 8)
  const less = { ...deaf, name: 'Less.wav', buffer: deaf.buffer.subarray(0, deaf.buffer.length / 2) }
  await drop(page, [one, two, ...again, deaf, less])
  await expect(page.locator('.song:is(.ready, .warning, .repeated)')).toHaveCount(6)
  await expect(rowOf(page, 'Less')).toContainText('Two warnings')
  await page.setViewportSize({ width: 900, height: 600 })
  const heights = await page
    .locator('.song')
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
  expect(new Set(heights).size, heights.join()).toBe(1)
  await page.setViewportSize({ width: 320, height: 480 })
  await page.getByRole('button', { name: 'Batch actions' }).click()
  await expect(page.getByRole('menuitem', { name: 'Use all 2 with warnings' })).toBeVisible()
  expect(
    await page.locator('.stagepane').evaluate((pane) => [pane.scrollWidth - pane.clientWidth, pane.scrollLeft]),
  ).toEqual([0, 0])
})

test('a screen is drawn as soon as it is read', async ({ page }) => {
  await page.clock.install()
  await page.reload()
  await expect(page.getByRole('link', { name: 'History' })).toBeVisible()
  // Timers never fire while the clock is paused.
  await page.clock.pauseAt(Date.now() + 60_000)
  for (const screen of ['History', 'Automate', 'Settings']) {
    await openScreen(page, screen)
    await expect(page.getByRole('heading', { level: 1, name: screen })).toBeAttached()
  }
})

test('history finds, sorts, deletes with undo, and saves', async ({ page }) => {
  await drop(page, [song('Alpha.wav', 1, 3), song('베타.wav', 2, 3)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(2)
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.done, .song.below')).toHaveCount(2)
  await page.getByRole('link', { name: 'History' }).click()
  const rows = page.locator('.hist tbody tr:not(.grp)')
  await expect(rows).toHaveCount(2)
  const wide = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 640 })
  await expect(rows.first().getByRole('button', { name: /^More/ })).toBeInViewport({ ratio: 1 })
  if (wide) await page.setViewportSize(wide)
  await expect(page.locator('.grp')).toContainText('Alpha and 1 more')
  await expect(page.locator('.grp')).toContainText('2 songs · 2 credits')
  await page.keyboard.press('/')
  await page.keyboard.type('베타')
  await expect(rows).toHaveCount(1)
  await expect(page.locator('.grp')).not.toContainText('song')
  await expect(rows).toContainText('베타')
  await page.keyboard.press('Escape')
  await expect(rows).toHaveCount(2)
  await page.getByRole('checkbox', { name: 'Select Alpha' }).check({ force: true })
  await expect(page.locator('.action-bar')).toContainText('1 selected')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.action-bar').getByRole('button', { name: 'Save ZIP' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^Alpha_master_/)
  await page.locator('.action-bar').getByRole('button', { name: 'Delete' }).click()
  await expect(rows).toHaveCount(1)
  await expect(page.getByRole('radio', { name: 'All 1' })).toBeAttached()
  await page.locator('.toast').getByRole('button', { name: /Undo/ }).click()
  await expect(rows).toHaveCount(2)
  await expect(page.getByRole('radio', { name: 'All 2' })).toBeAttached()
  await page.getByRole('checkbox', { name: 'Select Alpha' }).check({ force: true })
  await page.getByRole('button', { name: 'Free up disk space' }).click()
  await page.getByRole('dialog').getByRole('radio').first().focus()
  for (const key of ['Delete', '/', '?']) await page.keyboard.press(key)
  await expect(page.getByRole('dialog')).toHaveCount(1)
  await expect(rows).toHaveCount(2)
  // The second key is pressed as soon as the dialog is gone, before the focus has returned.
  await page.evaluate(() => {
    const press = (key: string) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
    new MutationObserver((_, observer) => {
      if (document.querySelector('[role=dialog]')) return
      observer.disconnect()
      press('Delete')
    }).observe(document.body, { childList: true, subtree: true })
  })
  await page.keyboard.press('Escape')
  await expect(page.locator('.toast')).toContainText('“Alpha” deleted')
  await expect(rows).toBeFocused()
  await expect(page.locator('.toast')).toBeHidden()
  await page.reload()
  await expect(rows).toHaveCount(1)
})

test('the list of the settings brings its section there each time, and its mark follows the page', async ({ page }) => {
  await page.setViewportSize({ width: 1024, height: 700 })
  await page.goto(new URL('#/settings', page.url()).href)
  const nav = page.getByRole('navigation', { name: 'Settings' })
  const marked = nav.locator('[aria-current]')
  const pane = page.getByRole('region', { name: 'Settings', exact: true })
  for (const section of ['Webhooks', 'Appearance', 'About', 'Language']) {
    await nav.getByRole('link', { name: section }).click()
    await expect(page.getByRole('heading', { name: section, exact: true })).toBeInViewport()
    await expect(marked).toHaveText(section)
  }
  await nav.getByRole('link', { name: 'Webhooks' }).click()
  await pane.evaluate((element) => element.scrollTo(0, 0))
  await expect(marked).toHaveText('Account')
  await nav.getByRole('link', { name: 'Webhooks' }).click()
  await expect(page.getByRole('heading', { name: 'Webhooks', exact: true })).toBeInViewport()
  await expect(marked).toHaveText('Webhooks')
  await pane.evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await expect(marked).toHaveText('About')
})

test('what comes later above a section of the settings moves it neither on the screen nor from its mark', async ({
  page,
  program,
}) => {
  for (let amount = 1; amount <= 9; amount++) await program.call('POST', '/app/account/credits', { amount })
  await page.setViewportSize({ width: 1024, height: 700 })
  const nav = page.getByRole('navigation', { name: 'Settings' })
  for (const section of ['Webhooks', 'Appearance']) {
    const { promise: sectionChosen, resolve: sendLedger } = Promise.withResolvers<void>()
    await page.route('**/app/account/ledger*', async (route) => {
      await sectionChosen
      await route.continue()
    })
    await page.goto(new URL('#/settings', page.url()).href)
    await page.reload()
    await nav.getByRole('link', { name: section }).click()
    const heading = page.getByRole('heading', { name: section, exact: true })
    const expectInView = async () => {
      await expect(heading).toBeInViewport()
      await expect(nav.locator('[aria-current]')).toHaveText(section)
    }
    // Everything except the ledger has loaded.
    await expect(page.locator('.prefs .reading')).toHaveCount(1)
    await expectInView()
    const topOnScreen = () => heading.evaluate((element) => element.getBoundingClientRect().top)
    const before = await topOnScreen()
    sendLedger()
    await expect(page.getByRole('table', { name: 'Ledger' }).getByRole('row')).toHaveCount(9)
    // Until the page has been painted and has received its scroll event.
    await page.evaluate(() => new Promise((told) => requestAnimationFrame(() => requestAnimationFrame(told))))
    // The browser scrolls by whole pixels.
    expect(Math.abs((await topOnScreen()) - before)).toBeLessThanOrEqual(1)
    await expectInView()
    await page.unrouteAll({ behavior: 'wait' })
  }
})

test('what the settings still read moves nothing when it comes, and is not waited for', async ({ page, program }) => {
  for (let amount = 1; amount <= 9; amount++) await program.call('POST', '/app/account/credits', { amount })
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.setViewportSize({ width: 1280, height: 900 })
  // The account loads last: it must not push down the ledger below it.
  const { promise: everythingElse, resolve: sendAccount } = Promise.withResolvers<void>()
  await page.route('**/api/v1/account', async (route) => {
    await everythingElse
    await route.continue()
  })
  await page.reload()
  const nav = page.getByRole('navigation', { name: 'Screens' })
  await expect(nav).toBeVisible()
  await page.evaluate(() => {
    // Pauses the animations of the delayed placeholder.
    const still = new CSSStyleSheet()
    still.replaceSync('.prefs section { animation-play-state: paused !important }')
    document.adoptedStyleSheets = [still]
    const moved: string[] = []
    Object.assign(window, { moved })
    new PerformanceObserver((list) => {
      for (const { sources } of list.getEntries() as (PerformanceEntry & { sources: { node?: Node }[] })[]) {
        for (const { node } of sources) {
          const element = node instanceof Element ? node : node?.parentElement
          if (element?.closest('.prefs')) moved.push(`${element.className} ${element.textContent?.slice(0, 40)}`)
        }
      }
    }).observe({ type: 'layout-shift' })
    location.hash = '#/settings'
  })
  await expect(page.locator('.prefs .reading')).toHaveCount(1)
  sendAccount()
  await expect(page.getByRole('table', { name: 'Ledger' }).getByRole('row')).toHaveCount(9)
  for (const section of ['API keys', 'Webhooks']) {
    await expect(page.getByRole('heading', { name: section, exact: true })).toBeVisible()
  }
  // Until the last paint has been reported.
  await page.evaluate(() => new Promise((told) => requestAnimationFrame(() => setTimeout(told, 100))))
  expect(await page.evaluate(() => (window as unknown as { moved: string[] }).moved)).toEqual([])

  await page.getByRole('button', { name: 'Show earlier' }).click()
  await expect(page.getByRole('table', { name: 'Ledger' }).getByRole('row')).toHaveCount(11)
  await expect(page.getByRole('button', { name: 'Show earlier' })).toHaveCount(0)
  for (const format of ['CSV', 'JSON']) {
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: `Save all as ${format}` }).click()
    expect((await saved).suggestedFilename()).toBe(`loudsmith-ledger.${format.toLowerCase()}`)
  }

  await page.route('**/app/account/ledger*', () => {})
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Webhooks', exact: true })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Ledger' })).toBeHidden()
})

test('a key is shown once, works as its sample says, and stops when it is revoked', async ({
  page,
  program,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(new URL('#/settings/api-keys', page.url()).href)
  await page.getByRole('button', { name: 'Create key' }).click()
  const name = page.getByLabel('Name of the key')
  await name.fill('  ')
  await page.keyboard.press('Enter')
  await expect(name).toHaveAccessibleDescription('Enter a name for the key.')
  await expect(name).toBeFocused()
  await name.fill('릴리즈 데스크')
  await page.getByRole('radio', { name: /^Master/ }).check()
  await page.getByRole('dialog').getByText('30 days', { exact: true }).click()
  let asked = 0
  const { promise: pressedTwice, resolve: answer } = Promise.withResolvers<void>()
  await page.route('**/app/keys', async (route) => {
    if (route.request().method() === 'POST') asked += 1
    await pressedTwice
    await route.continue()
  })
  await page.keyboard.press('Enter')
  await expect.poll(() => asked).toBe(1)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').locator('[type=submit]').click()
  answer()
  const key = (await page.locator('.callout code').textContent()) ?? ''
  await expect(page.getByRole('button', { name: 'Create key' })).toBeFocused()
  expect(key).toMatch(/^ams_live_[0-9a-f]{32}$/)
  expect(asked).toBe(1)
  const read = () => fetch(`${program.baseUrl}/api/v1/account`, { headers: { Authorization: `Bearer ${key}` } })
  expect((await read()).status).toBe(200)
  const copied = async (name: string) => {
    await page.locator('.callout').getByRole('button', { name }).click()
    await expect(page.locator('.callout').getByRole('button', { name: 'Copied' })).toHaveCount(1)
    await expect(page.locator('.callout').getByRole('button', { name: 'Copied' })).toHaveCount(0)
    return page.evaluate(() => navigator.clipboard.readText())
  }
  expect(await copied('Copy key')).toBe(key)
  expect(await copied('Copy as curl')).toContain(`-H "Authorization: Bearer ${key}"`)
  await page.getByRole('button', { name: 'I saved it' }).press('Enter')
  await expect(page.locator('.callout')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Create key' })).toBeFocused()
  await page.reload()
  const row = page.getByRole('row', { name: /릴리즈 데스크/ })
  await expect(row).toContainText(/Master · Until \d+ \w+/)
  await expect(page.locator('.callout')).toHaveCount(0)
  await expect(page.locator('body')).not.toContainText(key)
  const revoke = page.getByRole('button', { name: 'Revoke “릴리즈 데스크”' })
  await revoke.click()
  await page.keyboard.press('Escape')
  await expect(revoke).toBeFocused()
  await revoke.click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await expect(row).toHaveCount(0)
  await expect(page.locator('#content')).toBeFocused()
  expect((await read()).status).toBe(401)
  // A key revoked at once can no longer be copied.
  await page.getByRole('button', { name: 'Create key' }).click()
  await name.fill('Night build')
  await page.keyboard.press('Enter')
  await expect(page.locator('.callout')).toContainText('Night build')
  await page.getByRole('button', { name: 'Revoke “Night build”' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await expect(page.locator('.callout')).toHaveCount(0)
})

test('a webhook is registered, tested and removed with undo', async ({ page, program }) => {
  await page.goto(new URL('#/settings/webhooks', page.url()).href)
  await page.getByRole('button', { name: 'Add address' }).click()
  const address = page.getByRole('dialog').getByLabel('Address')
  await page.keyboard.press('Enter')
  await expect(address).toHaveAccessibleDescription('Enter an address.')
  for (const [refused, why] of [
    ['on my batch', 'it is not a valid address'],
    [`${program.baseUrl}/hook`, 'it is Loudsmith itself'],
  ] as const) {
    await address.fill(refused)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toContainText(why)
  }
  await address.fill('http://127.0.0.1:9/hook')
  await page.keyboard.press('Enter')
  await expect(page.locator('.callout code')).toContainText('whsec_')
  const saved = page.getByRole('button', { name: 'I saved it' })
  await saved.press('Enter')
  await expect(page.getByRole('button', { name: 'Add address' })).toBeFocused()
  const more = page.getByRole('button', { name: /^More: http/ })
  await more.press('Enter')
  await page.getByRole('menuitem', { name: 'Replace secret' }).press('Enter')
  await saved.press('Enter')
  await expect(saved).toHaveCount(0)
  await expect(more).toBeFocused()
  await page.getByRole('button', { name: 'Send test' }).click()
  await expect(page.getByRole('table', { name: 'Delivery log' })).toContainText('No answer')
  await page.getByRole('button', { name: /^More: http/ }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await expect(page.locator('.hook')).toHaveCount(0)
  await page.locator('.toast').getByRole('button', { name: /Undo/ }).click()
  await expect(page.locator('.hook')).toHaveCount(1)
})

test('a webhook whose receiver has ended it says how it comes back, a test brings it back, and what failed is sent again', async ({
  page,
}) => {
  let status = 410
  const receiver = createServer((_request, response) => response.writeHead(status).end())
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  try {
    await page.goto(new URL('#/settings/webhooks', page.url()).href)
    await page.getByRole('button', { name: 'Add address' }).click()
    const { port } = receiver.address() as AddressInfo
    await page.getByRole('dialog').getByLabel('Address').fill(`http://127.0.0.1:${port}/hook`)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Send test' }).click()
    const row = page.locator('.hook')
    await expect(row).toContainText('Send a successful test to continue.')
    status = 204
    await page.getByRole('button', { name: 'Send test' }).click()
    await expect(row).not.toContainText('Stopped')
    const log = page.getByRole('table', { name: 'Delivery log' })
    await log.getByRole('button', { name: 'Send again' }).click()
    await expect(log.getByRole('cell', { name: '204' })).toHaveCount(2)
    await expect(log.getByRole('button')).toHaveCount(0)
  } finally {
    receiver.close()
  }
})

test('what is held back while Loudsmith stays offline is said to wait', async ({ page, program }) => {
  await program.call('PATCH', '/app/settings', { is_offline: true })
  await program.call('POST', '/api/v1/webhooks', { url: 'https://192.0.2.1/hook' })
  const { name, buffer } = song('One.wav', 1, 2)
  await master(program, { file: new File([new Uint8Array(buffer)], name), platforms: 'spotify' })
  await page.goto(new URL('#/settings/webhooks', page.url()).href)
  const sent = page.getByRole('table', { name: 'Delivery log' }).getByRole('row', { name: /One/ })
  await expect(sent.getByRole('cell', { name: 'Waiting', exact: true })).toHaveCount(1)
  await expect(sent.getByRole('cell', { name: '0 of 8' })).toHaveCount(1)
})

test('a watched folder takes a song that appears, keeps settings of its own, pauses, goes on and goes', async ({
  page,
}) => {
  const root = mkdtempSync(path.join(tmpdir(), 'loudsmith-watched-'))
  const [bounces, masters] = [path.join(root, 'Bounces 곡'), path.join(root, 'Masters')]
  for (const folder of [bounces, masters]) mkdirSync(folder)
  try {
    await page.goto(new URL('#/settings/watch', page.url()).href)
    await expect(page.getByText('No folder is watched.')).toBeVisible()
    const newPath = page.getByLabel('Full path of a folder')
    await newPath.fill(path.join(root, 'Nowhere'))
    await page.getByRole('button', { name: 'Watch a folder' }).click()
    await expect(page.locator('#watch').getByRole('alert')).toBeVisible()
    await newPath.fill(bounces)
    await page.getByRole('button', { name: 'Watch a folder' }).click()
    const entry = page.getByRole('region', { name: bounces })
    await expect(entry).toContainText('0 songs added')
    await entry.getByLabel(/^Path of the folder/).fill(masters)
    await entry.getByRole('button', { name: 'Apply' }).click()
    await entry.getByRole('button', { name: 'Keep the current settings' }).click()
    await expect(entry).toContainText('Only for this folder')
    writeFileSync(path.join(bounces, 'Arrived.wav'), song('Arrived.wav', 7).buffer)
    await expect(entry).toContainText('1 song added')
    await expect
      .poll(() => readdirSync(masters, { recursive: true }).map(String))
      .toContainEqual(expect.stringMatching(/Arrived_spotify\.wav$/))
    writeFileSync(path.join(bounces, 'Broken.wav'), 'no sound at all')
    await expect(entry).toContainText('1 file refused')
    await entry.getByRole('button', { name: /^Pause:/ }).click()
    await expect(entry).toContainText('paused')
    await entry.getByRole('button', { name: /^Resume:/ }).click()
    await expect(entry).not.toContainText('paused')
    await entry.getByRole('button', { name: 'Follow the Master screen' }).click()
    await expect(entry).toContainText('Same as the Master screen')
    await entry.getByRole('button', { name: /^Remove:/ }).click()
    await expect(page.getByText('No folder is watched.')).toBeVisible()
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

test('plan, credits, language and theme change at once and are remembered', async ({ page }) => {
  await page.goto(new URL('#/settings/account', page.url()).href)
  await page.getByRole('button', { name: 'Change plan' }).click()
  await page.getByRole('radio', { name: 'Starter' }).check()
  await page.getByRole('button', { name: 'Use Starter' }).click()
  await expect(page.locator('.facts').first()).toContainText('Starter')
  await expect(page.getByRole('button', { name: 'Create key' })).toHaveAttribute('aria-disabled', 'true')
  await openScreen(page, 'Automate')
  await expect(page.locator('.side')).toContainText('The Starter plan has no keys')
  await page.locator('.side').getByRole('link', { name: 'Change plan' }).click()
  await page.getByRole('button', { name: 'Add credits' }).click()
  await page.getByRole('radio', { name: '100' }).check()
  await page.getByRole('button', { name: 'Add 100 credits' }).click()
  await expect(page.getByRole('table', { name: 'Ledger' })).toContainText('+100')
  await page.getByRole('radio', { name: '한국어' }).check({ force: true })
  await expect(page.getByRole('link', { name: '마스터링' })).toBeVisible()
  // By key: the page still moves while its language changes.
  await page.getByRole('radio', { name: '밝게' }).press('Space')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('lang', 'ko')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  await expect(page.getByRole('radio', { name: '밝게' })).toBeChecked()
})

test('what is set for this machine is in force, and another tab shows it', async ({ page, program, home, context }) => {
  const other = await context.newPage()
  await other.goto(await program.newLink())
  await expect(other.locator('.bar .net')).toHaveText('Online')
  await page.bringToFront()
  await page.goto(new URL('#/settings/storage', page.url()).href)
  const choose = (name: string, one: string) =>
    page.getByRole('radiogroup', { name }).getByRole('radio', { name: one, exact: true }).press(' ')
  const apply = async (label: RegExp, text: string) => {
    const field = page.getByLabel(label)
    await field.fill(text)
    await field.press('Enter')
    await expect(page.getByRole('button', { name: 'Apply' })).toHaveCount(0)
  }
  const settings = () => program.call<Settings>('GET', '/app/settings')
  await choose('Keep results', '90 days')
  await choose('Disk quota', '60 GB')
  await choose('Songs rendered at the same time', '2')
  await choose('Stay offline', 'Offline')
  await apply(/^Path of the folder/, home)
  await expect.poll(settings).toMatchObject({
    ...{ retention_days: 90, disk_quota_bytes: 60e9, engine_workers: 2, is_offline: true },
    output_folder: home,
  })
  for (const tab of [page, other]) await expect(tab.locator('.bar .net')).toHaveText('Offline')
  await choose('Keep results', 'Until deleted')
  await choose('Disk quota', 'No limit')
  await choose('Stay offline', 'Online')
  await apply(/^Path of the folder/, '')
  await expect.poll(settings).toMatchObject({
    ...{ retention_days: null, disk_quota_bytes: null, is_offline: false },
    output_folder: null,
  })
  for (const tab of [page, other]) await expect(tab.locator('.bar .net')).toHaveText('Online')
})

test('the page shows which ffmpeg is run, and the command that chooses and confirms one; it has no field that would', async ({
  browser,
}) => {
  const home = mkdtempSync(path.join(tmpdir(), 'loudsmith-web-'))
  // The environment would override the setting.
  const program = await startProgram(home, { MASTER_FFMPEG_PATH: '' })
  const page = await browser.newPage()
  try {
    const { ffmpeg } = await program.call<SystemState>('GET', '/app/system')
    const own = path.join(home, "my ffmpeg's")
    const write = (version: string) =>
      writeFileSync(own, `#!/bin/sh\n# ${version}\nexec '${ffmpeg?.path}' "$@"\n`, { mode: 0o755 })
    write('one')
    await page.goto(await program.newLink())
    await expect(page.locator('.first')).toBeVisible()
    await page.goto(`${program.baseUrl}/#/settings/engine`)
    const line = page.locator('.line').filter({ hasText: 'ffmpeg' })
    await expect(line).toContainText(ffmpeg?.path ?? 'none')
    await expect(line.getByText('loudsmith settings ffmpeg PATH', { exact: true })).toBeVisible()
    await expect(line.getByRole('textbox')).toHaveCount(0)
    await program.callAsOwner('PATCH', '/app/settings', { ffmpeg_path: own })
    await expect(line).toContainText(own)
    await expect(line).toContainText('loudsmith settings ffmpeg --clear')
    write('another')
    for (const { language, theme, state } of [
      { language: 'en', theme: 'dark', state: 'The file has changed since you confirmed it' },
      { language: 'ko', theme: 'light', state: '확인한 파일과 달라요' },
    ]) {
      await program.call('PATCH', '/app/settings', { language, theme })
      await expect(line).toContainText(state)
      await expect(line).toContainText(`loudsmith settings ffmpeg '${home}/my ffmpeg'\\''s'`)
      expect(await violations(page)).toEqual([])
    }
  } finally {
    await page.close()
    await program.stop()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
})

test('Automate shows samples for the settings in view and calls the API', async ({ page, program }) => {
  await program.call('POST', '/app/keys', { name: 'Night build' })
  await page.goto(new URL('#/automate', page.url()).href)
  await expect(page.locator('.side')).toContainText('Night build')
  await expect(page.locator('.code').first()).toContainText(`curl -sS ${program.baseUrl}/api/v1/master`)
  await page.getByRole('radio', { name: 'Python' }).check({ force: true })
  await expect(page.locator('.code').first()).toContainText('import os, time, requests')
  await page.getByRole('radio', { name: 'MCP' }).check({ force: true })
  await expect(page.locator('.code').first()).toContainText(`"url": "${program.baseUrl}/mcp"`)
  await page.getByRole('button', { name: 'Call /account' }).click()
  await expect(page.getByText(/200 in \d+ ms/)).toBeVisible()
})

test('a key is made with one press where it is needed, and works', async ({ page, program }) => {
  await page.goto(new URL('#/automate', page.url()).href)
  await page.getByRole('button', { name: 'Create key' }).click()
  const shown = page.locator('.callout code')
  await expect(shown).toHaveText(/^ams_live_/)
  await expect(page.locator('.code').first()).toContainText(`LOUDSMITH_KEY=${await shown.textContent()}`)
  const headers = { Authorization: `Bearer ${await shown.textContent()}` }
  expect((await fetch(`${program.baseUrl}/api/v1/account`, { headers })).status).toBe(200)
  await page.getByRole('button', { name: 'I saved it' }).click()
  await expect(shown).toBeHidden()
  await expect(page.getByRole('button', { name: 'Create key' })).toBeFocused()
})

test('Automate shows a batch of a script, why it waits, and what can be done about it', async ({ page, program }) => {
  await program.callAsOwner('PATCH', '/app/settings', { allowed_folders: [tmpdir()] })
  const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-batch-'))
  try {
    writeFileSync(path.join(folder, 'one.wav'), songBytes(2))
    const songs = [{ path: `${folder}/one.wav` }, { path: `${folder}/none.wav` }]
    const newPausedBatch = async () => {
      const headers = { Authorization: `Bearer ${program.credential}`, 'Content-Type': 'application/x-ndjson' }
      const body = [{ platforms: ['spotify'] }, ...songs].map((line) => JSON.stringify(line)).join('\n')
      const answer = await fetch(`${program.baseUrl}/api/v1/batches`, { method: 'POST', headers, body })
      const { batch_id } = (await answer.json()) as { batch_id: string }
      await program.call('POST', `/api/v1/batches/${batch_id}/pause`)
    }
    await newPausedBatch()
    await newPausedBatch()
    await page.goto(new URL('#/automate', page.url()).href)
    const table = page.getByRole('table', { name: 'Batches of scripts' })
    const [newer, older] = [table.getByRole('row').nth(1), table.getByRole('row').nth(2)]
    await expect(newer).toContainText('by its script or here')
    await expect(newer).toContainText('1 song failed')
    await newer.getByRole('button', { name: /^Cancel/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the batch' }).click()
    await expect(newer).toContainText('ended')
    await older.getByRole('button', { name: /^Resume/ }).click()
    await expect(older).toContainText('1 of 2 done', { timeout: 120_000 })
    const saved = page.waitForEvent('download')
    await older.getByRole('button', { name: /^Save table/ }).click()
    expect((await saved).suggestedFilename()).toMatch(/^batch_.*\.csv$/)
    expect(await violations(page)).toEqual([])
    for (let left = 2; left > 0; left--)
      await table
        .getByRole('button', { name: /^Remove/ })
        .first()
        .click()
    await expect(table).toBeHidden()
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})

test('a long name of a client pushes nothing out of a small window', async ({ page, program }) => {
  const { key } = await program.call<{ key: string }>('POST', '/app/keys', { name: 'n8n' })
  const agent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0'
  await fetch(`${program.baseUrl}/api/v1/account`, { headers: { Authorization: `Bearer ${key}`, 'User-Agent': agent } })
  await page.setViewportSize({ width: 900, height: 600 })
  await page.goto(new URL('#/settings/api-keys', page.url()).href)
  await expect(page.getByRole('row', { name: /n8n/ })).not.toContainText('Mozilla')
  await expect(page.getByRole('button', { name: /Revoke/ })).toBeInViewport({ ratio: 1 })
})

test('copying says whether it did', async ({ page }) => {
  await drop(page, [song('One.wav', 1)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  const copyCurl = async () => {
    await rowOf(page, 'One').getByRole('button', { name: /^More/ }).click()
    await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
  }
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('refused', 'NotAllowedError'))
  })
  await copyCurl()
  await expect(page.locator('.toast')).toContainText('The curl command was not copied.')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await openScreen(page, 'Automate')
  const button = page.getByRole('button', { name: 'Copy', exact: true }).first()
  await button.click()
  await expect(page.getByRole('button', { name: 'Not copied' })).toBeFocused()
  await expect(button, 'it may be tried again').toBeFocused()
})

test('a tab without its link is let in by the one that is open, and else says what to do', async ({
  page,
  program,
  context,
  browser,
}) => {
  await expect(page.locator('.first')).toBeVisible()
  const heading = (tab: Page) => tab.getByRole('heading', { level: 1 })
  const stranger = await (await browser.newContext()).newPage()
  await stranger.goto(program.baseUrl)
  await expect(heading(stranger)).toHaveText('Open Loudsmith with a link')
  await expect(stranger.locator('main')).toContainText('loudsmith open')

  const second = await context.newPage()
  await second.goto(program.baseUrl)
  await expect(heading(second)).toHaveText('Loudsmith is open in another tab')
  const code = (await second.locator('.tab-code').textContent()) as string
  expect(code).toMatch(/^\d{4}$/)
  const asking = page.getByRole('alert').filter({ hasText: 'asks to be let in' })
  await expect(asking).toContainText(code)
  for (const tab of [page, second]) expect(await violations(tab)).toEqual([])
  const third = await context.newPage()
  await third.goto(program.baseUrl)
  await expect(heading(third), 'one at a time').toHaveText('Open Loudsmith with a link')
  await asking.getByRole('button', { name: 'Refuse' }).click()
  await expect(asking).toHaveCount(0)
  await second.getByRole('button', { name: 'Ask the other tab again' }).click()
  await expect(second.locator('.tab-code')).not.toHaveText(code)
  await asking.getByRole('button', { name: 'Let it in' }).click()
  await expect(second.locator('.first')).toBeVisible()
  await second.reload()
  await expect(second.locator('.first')).toBeVisible()

  // After a restart no tab knows who is there.
  await program.killAndRestart()
  await expect(heading(page)).toHaveText('Loudsmith was started again')
  await third.reload()
  await expect(heading(third)).toHaveText('Open Loudsmith with a link')
})

test('a link opens one tab once: it leaves the address, a reload works, and whoever has it later is told the command for another', async ({
  page,
  program,
  browser,
}) => {
  const link = await program.newLink()
  await page.goto('about:blank')
  await page.goto(link)
  await expect(page.locator('.first')).toBeVisible()
  await expect(page).toHaveURL(/#\/$/)
  await page.reload()
  await expect(page.locator('.first')).toBeVisible()
  await page.goto(link)
  await expect(page.locator('.first'), 'a tab that is let in stays so').toBeVisible()
  for (const { locale, title, theme } of [
    { locale: 'en-GB', title: 'This link can no longer be used', theme: 'dark' },
    { locale: 'ko-KR', title: '더는 쓸 수 없는 링크예요', theme: 'light' },
  ] as const) {
    const context = await browser.newContext({ locale, colorScheme: theme })
    const late = await context.newPage()
    await late.goto(link)
    await expect(late.getByRole('heading', { level: 1 })).toHaveText(title)
    await expect(late.locator('main')).toContainText('loudsmith open')
    await expect(late).toHaveURL(/#\/$/)
    expect(await violations(late)).toEqual([])
    await late.goto(await program.newLink())
    await expect(late.locator('.first')).toBeVisible()
    await context.close()
  }
})

test('the link of a newer start opens in the tab of an older one', async ({ page, program }) => {
  await expect(page.locator('.first')).toBeVisible()
  await program.killAndRestart()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Loudsmith was started again')
  await page.goto(await program.newLink())
  await expect(page.locator('.first')).toBeVisible()
  await expect(page).toHaveURL(/#\/$/)
  await page.reload()
  await expect(page.locator('.first')).toBeVisible()
})

test('a tab that was sending goes on when the link of a newer start is opened in another tab', async ({
  page,
  program,
  context,
}) => {
  await drop(page, [song('First.wav')])
  await expect(rowOf(page, 'First')).toContainText('Ready')
  let isHeld = true
  await context.route('**/app/sources', async (route) => {
    while (isHeld) await new Promise((resolve) => setTimeout(resolve, 100))
    await route.abort('connectionreset').catch(() => undefined)
  })
  await drop(page, [song('Second.wav', 2), song('Third.wav', 3)])
  await expect(rowOf(page, 'Third')).toContainText('Waiting')
  await program.killAndRestart()
  isHeld = false
  await context.unrouteAll({ behavior: 'wait' })
  const heading = page.getByRole('heading', { level: 1 })
  await expect(heading).toHaveText('Loudsmith was started again')
  await expect(page.locator('main')).toContainText('Keep this tab open: 2 songs have not been sent yet.')
  expect(await violations(page)).toEqual([])
  const other = await context.newPage()
  await other.goto(await program.newLink())
  await expect(page.locator('.song')).toHaveCount(3)
  for (const title of ['First', 'Second', 'Third']) await expect(rowOf(page, title)).toContainText('Ready')
  await expect(rowOf(other, 'Third')).toContainText('Ready')
})

test('a preset is saved, used, replaced when asked and deleted, with undo', async ({ page, program }) => {
  await drop(page, [song('One.wav')])
  await expect(rowOf(page, 'One')).toBeVisible()
  await openStart(page)
  await page.getByRole('radio', { name: 'K-pop' }).check({ force: true })
  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('menuitem', { name: 'Save these settings' }).click()
  const name = page.getByLabel('Name of the preset')
  await name.fill('   ')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(name).toBeFocused()
  await expect(name).toHaveAttribute('aria-invalid', 'true')
  await expect(name).toHaveAccessibleDescription('Enter a name for the preset.')
  await name.fill('Night EP')
  await expect(name).not.toHaveAttribute('aria-invalid')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.getByRole('radio', { name: 'EDM' }).check({ force: true })
  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('menuitem', { name: 'Night EP', exact: true }).click()
  await expect(page.getByRole('radio', { name: 'K-pop' })).toBeChecked()
  await page.getByRole('radio', { name: 'EDM' }).check({ force: true })
  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('menuitem', { name: 'Save these settings' }).click()
  await name.fill(' Night EP ')
  await page.keyboard.press('Enter')
  const replace = page.getByRole('button', { name: 'Replace preset' })
  await expect(replace).toBeFocused()
  await expect(page.getByRole('alert')).toHaveText(/^A preset named “Night EP” already exists\. /)
  await name.press('Enter')
  await expect(page.getByRole('dialog')).toBeVisible()
  await name.fill('Night EP 2')
  await expect(replace).toBeHidden()
  await name.fill('Night EP')
  await name.press('Enter')
  await replace.press('Enter')
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Presets' })).toBeFocused()
  const genres = async () =>
    (await program.call<Batch>('GET', '/app/desk')).presets.map(({ name, settings }) => [name, settings.genre])
  await expect.poll(genres).toEqual([['Night EP', 'edm']])
  await page.keyboard.press('Control+z')
  await expect.poll(genres).toEqual([['Night EP', 'kpop']])
  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('menuitem', { name: 'Delete “Night EP”' }).click()
  await page.keyboard.press('Control+z')
  await page.getByRole('button', { name: 'Presets' }).click()
  await expect(page.getByRole('menuitem', { name: 'Night EP', exact: true })).toBeVisible()
})
