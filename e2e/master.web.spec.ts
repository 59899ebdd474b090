import type { Desk } from '../src-server/contract/app.ts'
import type { JobPage } from '../src-server/contract/jobs.ts'
import { drop, expect, noSong, rowOf, silence, song, test } from './web-fixtures.ts'

test('a first song goes from a drop to a saved ZIP', async ({ page }) => {
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Drop a song.')
  expect(page.url()).not.toContain('session')
  await drop(page, [song('종이 등불.wav')])
  await expect(rowOf(page, '종이 등불')).toContainText(/Ready|warning/, { timeout: 30_000 })
  await expect(page.locator('.benchbar')).toContainText('1 credit')
  await page.locator('.benchbar .btn.primary').click()
  await expect(rowOf(page, '종이 등불')).toContainText('5 masters', { timeout: 90_000 })
  await expect(page.locator('.bar .credits')).toContainText('499')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save ZIP: 종이 등불' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^종이 등불_master_[0-9a-f]{8}\.zip$/)
})

test('twelve files with two broken ones end as ten results and two clear reasons', async ({ page, program }) => {
  test.setTimeout(300_000)
  // One platform and the standard tier: this journey is about the batch, not about the engine's best.
  const { settings } = await program.call<Desk>('GET', '/app/desk')
  const quick = { ...settings, platforms: ['spotify'], tier: 'standard' }
  await program.call('PATCH', '/app/desk', { settings: quick })
  await page.reload()
  const good = Array.from({ length: 10 }, (_, i) => song(`Take ${i + 1}.wav`, i + 1, 3))
  await drop(page, [...good.slice(0, 4), noSong('broken.mp3'), ...good.slice(4), noSong('notes.wav')])
  await expect(page.locator('.song')).toHaveCount(12)
  await expect(page.locator('.song.refused')).toHaveCount(2, { timeout: 60_000 })
  for (const name of ['broken.mp3', 'notes.wav']) {
    await expect(rowOf(page, name)).toContainText('Not a format Loudsmith reads')
    await expect(rowOf(page, name)).toContainText('Export MP3, WAV or FLAC')
  }
  await expect(page.locator('.song').nth(4)).toContainText('broken.mp3')
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(10, { timeout: 60_000 })
  for (let left = 2; left > 0 && (await page.locator('.song.ready, .song.warning').count()) > 0; left--) {
    await page.locator('.benchbar .btn.primary').click()
    await page.waitForTimeout(300)
  }

  await test.step('a reload in the middle loses nothing', async () => {
    await expect(page.locator('.song.rendering, .song.done, .song.below').first()).toBeVisible({ timeout: 30_000 })
    await page.reload()
    await expect(page.locator('.song')).toHaveCount(12)
    await expect(page.locator('.song.refused')).toHaveCount(2)
  })
  await expect(page.locator('.song.done, .song.below')).toHaveCount(10, { timeout: 240_000 })
  const { jobs } = await program.call<JobPage>('GET', '/api/v1/jobs?limit=100')
  expect(jobs.map((job) => job.status)).toEqual(Array.from({ length: 10 }, () => 'done'))
  expect(new Set(jobs.map((job) => job.batch_id)).size).toBe(1)
})

test('a silent song fails with its reason, and the credit comes back in the same row', async ({ page }) => {
  await drop(page, [silence('nothing.wav')])
  const row = rowOf(page, 'nothing')
  await expect(row).toBeVisible()
  const primary = page.locator('.benchbar .btn.primary')
  await expect(primary).not.toHaveAttribute('aria-disabled', 'true', { timeout: 30_000 })
  await primary.click()
  await expect(row).toContainText('digital silence', { timeout: 60_000 })
  await expect(row).toContainText('1 credit returned')
  await expect(page.locator('.bar .credits')).toContainText('500')
})

test('settings of one song differ from those of all, and both survive a reload', async ({ page, program }) => {
  await drop(page, [song('One.wav', 1), song('Two.wav', 2)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(2, { timeout: 30_000 })
  await page.getByRole('radio', { name: 'Ballad' }).check({ force: true })
  await rowOf(page, 'Two').locator('.ti').click()
  await page.getByRole('radiogroup', { name: 'Apply to' }).getByText('Two').click()
  await page.getByRole('radio', { name: 'EDM' }).check({ force: true })
  await page.getByRole('button', { name: /^SoundCloud/ }).click()
  await expect(rowOf(page, 'Two')).toContainText('own settings')
  await expect
    .poll(async () => {
      const desk = await program.call<Desk>('GET', '/app/desk')
      return [desk.settings.genre, desk.songs[1]?.settings?.genre, desk.songs[1]?.settings?.platforms.length]
    })
    .toEqual(['ballad', 'edm', 4])
  await page.reload()
  await expect(page.getByRole('radio', { name: 'Ballad' })).toBeChecked()
  await expect(rowOf(page, 'Two')).toContainText('own settings')
})

test('songs are removed, put back, reordered and started by keyboard alone', async ({ page, program }) => {
  await drop(page, [song('One.wav', 1), song('Two.wav', 2), song('Three.wav', 3)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(3, { timeout: 30_000 })
  await page.locator('.song').first().focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.locator('.song').nth(1)).toBeFocused()
  await page.keyboard.press('Alt+ArrowUp')
  await expect(page.locator('.song').first()).toContainText('Two')
  await expect
    .poll(async () => (await program.call<Desk>('GET', '/app/desk')).songs.map((one) => one.source.title))
    .toEqual(['Two', 'One', 'Three'])
  await page.keyboard.press('Delete')
  await expect(page.locator('.song')).toHaveCount(2)
  await expect(page.locator('.toast')).toContainText('removed')
  await page.keyboard.press('Control+z')
  await expect(page.locator('.song')).toHaveCount(3)
  await expect(page.locator('.song').first()).toContainText('Two')
  await page.locator('.song').first().focus()
  await page.keyboard.press('Enter')
  await expect(page.locator('.song.done, .song.below').first()).toBeVisible({ timeout: 90_000 })
})

test('a batch can be paused and cancelled, and what was cancelled is refunded', async ({ page, program }) => {
  await drop(page, [song('One.wav', 1, 20), song('Two.wav', 2, 20)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(2, { timeout: 30_000 })
  await page.locator('.benchbar .btn.primary').click()
  await page.getByRole('button', { name: 'Pause all' }).click()
  await expect.poll(async () => (await program.call<Desk>('GET', '/app/desk')).is_paused).toBe(true)
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page.locator('.song.rendering').first()).toBeVisible({ timeout: 30_000 })
  await page
    .getByRole('button', { name: /^Cancel: / })
    .first()
    .click()
  await expect(page.locator('.song.cancelled')).toContainText('1 credit returned', { timeout: 30_000 })
})

test('a killed program goes on with the batch when it is started again', async ({ page, program }) => {
  await drop(page, [song('One.wav', 1, 20)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1, { timeout: 30_000 })
  await page.locator('.benchbar .btn.primary').click()
  await expect(page.locator('.song.rendering')).toBeVisible({ timeout: 30_000 })
  await program.killAndRestart()
  await page.goto('about:blank')
  await page.goto(program.link)
  await expect(page.locator('.song.done, .song.below')).toBeVisible({ timeout: 90_000 })
  await expect(page.locator('.bar .credits')).toContainText('499')
})
