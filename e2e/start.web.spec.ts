/**
 * The start of a batch: the presses that begin it, the questions before it, and songs that wait for a measurement or a
 * reference.
 */
import type { Page, Route } from 'playwright/test'
import type { Batch } from '../src-contract/app.ts'
import type { JobPage } from '../src-contract/jobs.ts'
import { drop, expect, oneSided, openStart, type Program, rowOf, song, test } from './web-fixtures.ts'

test.use({ platforms: ['spotify'] })

const jobsOf = (program: Program) => program.call<JobPage>('GET', '/api/v1/jobs')
const isMeasured = (page: Page, count: number) => expect(page.locator('.song.ready, .song.warning')).toHaveCount(count)

/** Holds back the page's requests to an address until they are released. */
async function hold(page: Page, address: string | RegExp) {
  const held: Route[] = []
  let isOpen = false
  await page.route(address, (route) => {
    if (!isOpen) return void held.push(route)
    return route.continue()
  })
  return {
    count: () => held.length,
    async letGo() {
      isOpen = true
      for (const route of held.splice(0)) await route.continue()
    },
  }
}

test('Enter starts from the list and the action bar alone, and songs with warnings at the second press', async ({
  page,
  program,
}) => {
  const started: string[] = []
  page.on('request', (request) => request.url().endsWith('/app/desk/start') && started.push(request.url()))
  await drop(page, [song('Clean.wav', 1, 2), oneSided('Deaf.wav')])
  await isMeasured(page, 2)
  const controls = [
    ...(await page.locator('.side input').all()),
    ...(await page.locator('.vers [data-part]').all()),
    page.locator('#content'),
    page.locator('body'),
  ]
  for (const control of controls) {
    await control.focus()
    await page.keyboard.press('Enter')
  }
  await expect(page.locator('.song.ready')).toHaveCount(1)
  expect([started, (await jobsOf(program)).total]).toEqual([[], 0])
  expect(controls.length).toBeGreaterThan(15)

  await rowOf(page, 'Deaf').focus()
  await page.keyboard.press('Enter')
  await expect(rowOf(page, 'Clean')).toContainText('master')
  await expect(rowOf(page, 'Deaf')).toHaveClass(/warning/)
  const bar = page.locator('.action-bar')
  await rowOf(page, 'Deaf').focus()
  await page.keyboard.press('Enter')
  await expect(bar.locator('.batch-said p')).toHaveText('One song has warnings. Press again to use them as they are.')
  await page.keyboard.press('Escape')
  await expect(bar.locator('.batch-said p')).toHaveText('Check the warnings first')
  await bar.locator('.btn.primary').dblclick()
  await expect(bar.locator('.btn.primary'), 'a double click is one press').toHaveText(/^Start 1 anyway/)
  expect(started.length).toBe(1)
  await page.keyboard.press('Enter')
  await expect(rowOf(page, 'Deaf')).toContainText('master')
})

test('a start that is pressed while songs are measured begins once the last one is, without those that ask first', async ({
  page,
  program,
}) => {
  const looks = await hold(page, '**/api/v1/analyze')
  const bar = page.locator('.action-bar')
  await drop(page, [song('One.wav', 1, 2), song('Two.wav', 2, 2), oneSided('Deaf.wav')])
  await expect.poll(() => looks.count()).toBe(1)
  await expect(page.locator('.song.analysing')).toHaveCount(3)
  await expect(bar.locator('.price')).toContainText('3 credits')
  await page.getByRole('button', { name: /^Start 3 when measured/ }).click()
  await expect(bar.locator('.batch-said p')).toHaveText('3 songs start when measured')
  await page.getByRole('button', { name: 'Do not start' }).click()
  await page.getByRole('button', { name: /^Start 3 when measured/ }).click()
  await page.getByRole('link', { name: 'History' }).click()
  await looks.letGo()
  const started = async () =>
    (await program.call<Batch>('GET', '/app/desk')).songs.filter(
      ({ state }) => state === 'waiting' || state === 'submitted',
    )
  await expect.poll(async () => (await started()).map(({ source }) => source.title).sort()).toEqual(['One', 'Two'])
  expect(new Set((await started()).map(({ batch_id }) => batch_id)).size, 'they are one batch').toBe(1)
  await page.getByRole('link', { name: 'Master', exact: true }).click()
  await expect(rowOf(page, 'Deaf')).toHaveClass(/warning/)
})

test('what is worth knowing of a song is grey and holds nothing, what is wrong with it asks', async ({ page }) => {
  const mono = song('Mono.wav', 1, 3)
  for (let at = 44; at < mono.buffer.length; at += 4) mono.buffer.copy(mono.buffer, at + 2, at, at + 2)
  await drop(page, [mono, oneSided('Deaf.wav', 2)])
  await isMeasured(page, 2)
  await expect(rowOf(page, 'Mono')).toHaveClass(/ready/)
  await expect(rowOf(page, 'Mono').locator('.st .faint')).toContainText('The song is mono.')
  await expect(rowOf(page, 'Deaf')).toHaveClass(/warning/)
  await expect(rowOf(page, 'Deaf').locator('.st > b')).toHaveText('One warning, no credit spent yet')
})

test('a song with a reference that is mastered again is the one that is changed, from the first moment on', async ({
  page,
  program,
}) => {
  const reference = song('Guide.wav', 5, 12)
  await drop(page, [song('Alpha.wav', 1, 3)])
  await isMeasured(page, 1)
  const [source] = (await program.call<Batch>('GET', '/app/desk')).songs
  await openStart(page)
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('.side button.file').click()])
  await chooser.setFiles(reference)
  await expect(page.locator('.side fieldset.file')).toContainText('Guide')
  await page.locator('.action-bar .btn.primary').click()
  await expect(rowOf(page, 'Alpha')).toContainText('1 master')
  await page.getByRole('button', { name: 'Remove reference' }).click()

  const kept = await hold(page, /files\/reference$/)
  await page.getByRole('button', { name: 'More: Alpha' }).click()
  await page.getByRole('menuitem', { name: 'Master again' }).click()
  // The finished job's reference may be read for its version at the same time.
  await expect.poll(kept.count).toBeGreaterThan(0)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Alpha')
  await expect(rowOf(page, 'Alpha')).toHaveClass(/ready/)
  await expect(page.locator('.side fieldset.file')).toContainText('Guide')
  await page.getByRole('radio', { name: 'Ballad' }).check({ force: true })
  await page.getByRole('button', { name: /^Start 1 song/ }).click()
  await expect(rowOf(page, 'Alpha')).toHaveClass(/waiting/)
  await kept.letGo()
  await expect.poll(async () => (await jobsOf(program)).total).toBe(2)
  const [again] = (await jobsOf(program)).jobs
  expect(again).toMatchObject({ genre: 'ballad', reference_filename: 'Guide.wav', source_id: source?.source.source_id })
  const { settings } = await program.call<Batch>('GET', '/app/desk')
  expect([settings.genre, settings.reference_source_id], 'all songs are as they were').not.toContain('ballad')
  expect(settings.reference_source_id).toBeNull()
})
