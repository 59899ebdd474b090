/** The Master screen as an instrument: what is selected, heard, changed, taken back and compared. */
import type { Page } from 'playwright/test'
import type { Batch } from '../src-contract/app.ts'
import { violations } from './axe.ts'
import { musicBytes, tappedSound, tapSound } from './listen-sound.ts'
import { drop, expect, rowOf, song, test } from './web-fixtures.ts'

test.use({ bypassCSP: true })

const slider = (page: Page, name: string) => page.getByRole('slider', { name, exact: true })
const music = (name: string, seed: number) => ({ ...song(name), buffer: musicBytes(6, 48_000, seed) })
const isMeasured = (page: Page, count: number) => expect(page.locator('.song.ready, .song.warning')).toHaveCount(count)

test('a song is heard, made darker, taken back, warmed and compared by keyboard alone', async ({ page, program }) => {
  await tapSound(page)
  await page.reload()
  await drop(page, [music('One.wav', 1), music('Two.wav', 2)])
  await isMeasured(page, 2)
  const settingsOfTwo = async () => (await program.call<Batch>('GET', '/app/desk')).songs[1]?.settings

  await test.step('Space plays the row that has the focus, and its waveform shows where', async () => {
    await rowOf(page, 'One').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await expect(page.getByRole('button', { name: 'Pause playback' })).toBeVisible()
    await expect(rowOf(page, 'Two')).toHaveClass(/is-heard/)
    await expect(rowOf(page, 'One').locator('.playhead')).toHaveCount(0)
    const head = () =>
      rowOf(page, 'Two')
        .locator('.playhead')
        .evaluate((line) => Number.parseFloat(line.style.left))
    await expect.poll(head).toBeGreaterThan(0)
    await expect
      .poll(async () => (await tappedSound(page)).samples.some((value) => Math.abs(value) > 0.01), 'sound at the card')
      .toBe(true)
    await expect(page.getByRole('radio', { name: /^Original/ })).toBeChecked()
  })

  await test.step('a press on the waveform seeks, and Space pauses', async () => {
    await page.keyboard.press('Space')
    await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
    const wave = rowOf(page, 'Two').locator('[data-seek]')
    const box = await wave.boundingBox()
    await wave.click({ position: { x: (box?.width ?? 0) / 2, y: 10 } })
    await expect(page.locator('.time span').first()).toHaveText(/^0:0[23]\.\d$/)
  })

  await test.step('a fader is moved, taken back and made again', async () => {
    await slider(page, 'Tilt').focus()
    for (const key of ['ArrowLeft', 'ArrowLeft', 'Shift+ArrowRight']) await page.keyboard.press(key)
    await expect(slider(page, 'Tilt')).toHaveAttribute('aria-valuetext', '−0.9 dB')
    await expect.poll(settingsOfTwo).toMatchObject({ tilt_db: -0.9 })
    await page.keyboard.press('Control+z')
    await expect(slider(page, 'Tilt')).toHaveAttribute('aria-valuetext', '0 dB')
    await expect.poll(settingsOfTwo, 'it had none of its own').toBeNull()
    await page.keyboard.press('Control+Shift+z')
    await expect(slider(page, 'Tilt')).toHaveAttribute('aria-valuetext', '−0.9 dB')
  })

  await test.step('slots keep two sounds, which are heard in turn', async () => {
    await page.keyboard.press('Shift+a')
    await page.getByRole('radio', { name: 'Warm' }).check({ force: true })
    await expect(slider(page, 'Warmth')).toHaveValue('45')
    await expect(page.getByText('Darker and fuller')).toBeVisible()
    await page.keyboard.press('b')
    await page.keyboard.press('a')
    await expect(slider(page, 'Warmth')).toHaveValue('0')
    await expect(page.getByRole('button', { name: /slot A/ })).toHaveAttribute('aria-pressed', 'true')
    await page.keyboard.press('b')
    await expect(slider(page, 'Warmth')).toHaveValue('45')
    await page.reload()
    await rowOf(page, 'Two').focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('a')
    await expect(slider(page, 'Tilt')).toHaveAttribute('aria-valuetext', '−0.9 dB')
  })
})

test('points of the curve are dragged, several songs are changed at once, and axe finds nothing in either language', async ({
  page,
  program,
}) => {
  await drop(page, [song('One.wav', 1), song('Two.wav', 2), song('Three.wav', 3)])
  await isMeasured(page, 3)
  await rowOf(page, 'One').locator('.ti').click()
  await rowOf(page, 'Three')
    .locator('.ti')
    .click({ modifiers: ['Shift'] })
  await rowOf(page, 'Two')
    .locator('.ti')
    .click({ modifiers: ['Control'] })
  await expect(page.locator('.scope')).toContainText('2 songs selected')
  const point = page.locator('[data-point=air_db] .dot')
  const box = await point.boundingBox()
  await page.mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 5)
  await page.mouse.down()
  await page.mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) - 10, { steps: 5 })
  await expect(page.locator('.curve .value')).toHaveText(/^Air \+\d\.\d dB$/)
  await page.mouse.up()
  const air = async () =>
    (await program.call<Batch>('GET', '/app/desk')).songs.map(({ settings }) => Math.sign(settings?.air_db ?? 0))
  await expect.poll(air).toEqual([1, 0, 1])
  await slider(page, 'Air').dblclick({ position: { x: 4, y: 8 } })
  await expect.poll(air).toEqual([0, 0, 0])
  await page.keyboard.press('Control+z')
  await expect.poll(air, 'one step back').toEqual([1, 0, 1])

  await page.getByRole('button', { name: 'Presets' }).click()
  await page.getByRole('menuitem', { name: /^Club/ }).click()
  await expect(slider(page, 'Punch')).toHaveValue('30')
  await slider(page, 'Punch').focus()
  await expect(page.locator('.hint')).toContainText('attacks stand out')
  await page.keyboard.press('Escape')
  for (const language of ['en', 'ko']) {
    await program.call('PATCH', '/app/settings', { language })
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    expect(await violations(page), language).toEqual([])
  }
})
