/** The Master screen as an instrument: selection, playback, changes, undo and comparison. */
import type { Locator, Page } from 'playwright/test'
import type { Batch } from '../src-contract/app.ts'
import { violations } from './axe.ts'
import { musicBytes, tappedSound, tapSound } from './listen-sound.ts'
import { cellOf, drop, expect, rowOf, song, test } from './web-fixtures.ts'

test.use({ bypassCSP: true })

const slider = (page: Page, name: string) => page.getByRole('slider', { name, exact: true })
const music = (name: string, seed: number) => ({ ...song(name), buffer: musicBytes(6, 48_000, seed) })
const isMeasured = (page: Page, count: number) => expect(page.locator('.song.ready, .song.warning')).toHaveCount(count)

test('a song is heard, made darker, taken back, warmed and compared by keyboard alone', async ({ page, program }) => {
  await tapSound(page)
  await page.reload()
  await drop(page, [music('Alpha.wav', 1), music('Beta.wav', 2)])
  await isMeasured(page, 2)
  const settingsOfBeta = async () => (await program.call<Batch>('GET', '/app/desk')).songs[1]?.settings

  const bench = page.getByRole('group', { name: 'Listening' })
  await test.step('what sounds is named and paused on the bench, whatever is selected', async () => {
    await rowOf(page, 'Alpha').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await expect(rowOf(page, 'Beta')).toHaveAttribute('aria-selected', 'true')
    await expect(bench).toContainText('Alpha')
    await expect(bench.locator('.time span').first()).not.toHaveText('0:00.0')
    await page.keyboard.press('Space')
    await expect(bench.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
    await expect(rowOf(page, 'Alpha')).toHaveClass(/is-heard/)
    await rowOf(page, 'Beta').getByRole('button', { name: 'Play: Beta' }).click()
    await expect(bench).toContainText('Beta')
    await rowOf(page, 'Alpha').locator('.ti').dblclick()
    await expect(bench).toContainText('Alpha')
    await rowOf(page, 'Alpha').focus()
    await page.keyboard.press('ArrowDown')
  })

  await test.step('Shift with Space plays the row that has the focus, and the lanes show where', async () => {
    await page.keyboard.press('Shift+Space')
    await expect(bench.getByRole('button', { name: 'Pause playback' })).toBeVisible()
    await expect(bench).toContainText('Beta')
    await expect(rowOf(page, 'Beta')).toHaveClass(/is-heard/)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Beta')
    const head = async () => Number(await page.getByRole('slider', { name: 'Position' }).getAttribute('aria-valuenow'))
    await expect.poll(head).toBeGreaterThan(0)
    await expect
      .poll(async () => (await tappedSound(page)).samples.some((value) => Math.abs(value) > 0.01), 'sound at the card')
      .toBe(true)
    await expect(cellOf(page, 'Original')).toHaveAttribute('aria-pressed', 'true')
  })

  await test.step('a press on the lanes seeks, and Space pauses', async () => {
    await page.keyboard.press('Space')
    await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
    const lanes = page.locator('.lanes')
    const box = await lanes.boundingBox()
    await lanes.click({ position: { x: (box?.width ?? 0) / 2, y: 60 } })
    await expect(page.locator('.time span').first()).toHaveText(/^0:0[23]\.\d$/)
  })

  await test.step('a fader is moved, taken back and made again', async () => {
    await slider(page, 'Tilt').focus()
    for (const key of ['ArrowLeft', 'ArrowLeft', 'Shift+ArrowRight']) await page.keyboard.press(key)
    await expect(slider(page, 'Tilt')).toHaveAttribute('aria-valuetext', '−0.9 dB')
    await expect.poll(settingsOfBeta).toMatchObject({ tilt_db: -0.9 })
    await page.keyboard.press('Control+z')
    await expect(slider(page, 'Tilt')).toHaveAttribute('aria-valuetext', '0 dB')
    await expect.poll(settingsOfBeta, 'it had none of its own').toBeNull()
    await page.keyboard.press('Control+Shift+z')
    await expect(slider(page, 'Tilt')).toHaveAttribute('aria-valuetext', '−0.9 dB')
  })

  await test.step('two sounds are kept as versions, which are chosen in turn', async () => {
    const keep = page.getByRole('button', { name: 'Keep this sound as a version' })
    const kept = (letter: string) => page.getByRole('button', { name: `Sound ${letter}, not mastered yet` })
    await keep.press('Enter')
    await page.getByRole('radio', { name: 'Warm' }).check({ force: true })
    await expect(slider(page, 'Warmth')).toHaveValue('45')
    await expect(page.getByText('Darker and fuller')).toBeVisible()
    await keep.press('Enter')
    await kept('A').press('Enter')
    await expect(slider(page, 'Warmth')).toHaveValue('0')
    await expect(kept('A')).toHaveAttribute('aria-pressed', 'true')
    await kept('B').press('Enter')
    await expect(slider(page, 'Warmth')).toHaveValue('45')
    await page.reload()
    await rowOf(page, 'Beta').locator('.ti').click()
    await kept('A').press('Enter')
    await expect(slider(page, 'Tilt')).toHaveAttribute('aria-valuetext', '−0.9 dB')
  })
})

test('points of the curve are dragged, several songs are changed at once, and axe finds nothing in either language', {
  tag: '@long',
}, async ({ page, program }) => {
  await drop(page, [song('Alpha.wav', 1), song('Beta.wav', 2), song('Gamma.wav', 3)])
  await isMeasured(page, 3)
  await rowOf(page, 'Alpha').locator('.ti').click()
  await rowOf(page, 'Gamma')
    .locator('.ti')
    .click({ modifiers: ['Shift'] })
  await rowOf(page, 'Beta')
    .locator('.ti')
    .click({ modifiers: ['Control'] })
  await expect(page.locator('.sound-part .scope')).toContainText('2 selected')
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
  expect(await violations(page), 'with a menu open').toEqual([])
  await page.getByRole('menuitem', { name: /^Club/ }).click()
  await expect(slider(page, 'Punch')).toHaveValue('30')
  await slider(page, 'Punch').hover()
  await expect(page.locator('.hint')).toContainText('attacks stand out')
  await page.keyboard.press('Escape')
  for (const language of ['en', 'ko']) {
    await program.call('PATCH', '/app/settings', { language })
    await expect(page.locator('html')).toHaveAttribute('lang', language)
    expect(await violations(page), language).toEqual([])
  }
})

test('a changed sound takes the place of what plays, and is exact in the end; so does what is suggested', async ({
  page,
  program,
}) => {
  await drop(page, [{ ...song('Alpha.wav'), buffer: musicBytes(30, 48_000, 1) }])
  await isMeasured(page, 1)
  await rowOf(page, 'Alpha').locator('.ti').click()
  await page.keyboard.press('Space')
  const sound = cellOf(page, 'Spotify')
  await expect(cellOf(page, 'Original'), 'the original is heard first').toHaveAttribute('aria-pressed', 'true')
  await slider(page, 'Tilt').focus()
  await page.keyboard.press('ArrowLeft')
  await expect(sound).toHaveAttribute('aria-pressed', 'true')
  await expect(page.locator('.sound-name'), 'no estimate any more').toHaveText('Spotify')
  await page.keyboard.press('0')
  await expect(cellOf(page, 'Original')).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.press('x')
  await expect(sound).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.down('\\')
  await expect(page.getByRole('button', { name: /^Hold: difference/ })).toHaveAttribute('aria-pressed', 'true')
  await page.keyboard.up('\\')
  await expect(page.getByRole('button', { name: /^Hold: difference/ })).toHaveAttribute('aria-pressed', 'false')

  await test.step('what is suggested is heard, used as one step, and taken back', async () => {
    const ownOf = async () => (await program.call<Batch>('GET', '/app/desk')).songs[0]?.settings
    const card = page.getByRole('region', { name: 'Suggested for this song' })
    const hear = card.getByRole('button', { name: 'Hear it' })
    await expect(card).toContainText('Fade out 3 s breaks off at 0:30')
    await expect.poll(ownOf).toMatchObject({ fade_out_seconds: 0 })
    await page.keyboard.press('0')
    const fades = (seconds: number) =>
      page.waitForRequest(
        (one) => /audition/.test(one.url()) && one.postDataJSON()?.settings?.fade_out_seconds === seconds,
      )
    await Promise.all([fades(3), page.keyboard.press('s')])
    await expect(hear).toHaveAttribute('aria-pressed', 'true')
    await expect(sound).toHaveAttribute('aria-pressed', 'true')
    expect(await ownOf(), 'the song is set as before').toMatchObject({ fade_out_seconds: 0 })
    await Promise.all([fades(0), hear.click()])
    await expect(hear).toHaveAttribute('aria-pressed', 'false')
    await card.getByRole('button', { name: 'What loudness costs' }).click()
    await expect(card).toContainText(/Up to −\d+\.0\sLUFS the loud parts give up/)
    await card.getByRole('button', { name: 'Use it' }).click()
    await expect.poll(ownOf).toMatchObject({ fade_out_seconds: 3 })
    await expect(hear, 'nothing is left to suggest').toHaveCount(0)
    await page.keyboard.press('Control+z')
    await expect.poll(ownOf).toMatchObject({ fade_out_seconds: 0 })
    await expect(hear).toBeVisible()
  })
  await page.getByRole('button', { name: /^Start 1 with warnings/ }).click()
  await page.getByRole('button', { name: /^Start 1 anyway/ }).click()
  await expect(page.locator('.song.rendering, .song.done, .song.below'), 'it has been started').toHaveCount(1)
})

test.describe('in Korean', () => {
  test.use({ locale: 'ko-KR', colorScheme: 'light' })

  test('a song is heard, steered, explained and compared by keyboard alone, and axe finds nothing', async ({
    page,
  }) => {
    const name = { name: '봄비.wav', buffer: musicBytes(30, 48_000, 1) }
    await drop(page, [{ ...song('Alpha.wav'), ...name }])
    await isMeasured(page, 1)
    /** Presses Tab until an element has the focus: all are reachable. */
    const tabTo = async (goal: Locator) => {
      for (let i = 0; i < 60; i++) {
        if (await goal.evaluate((one) => one === document.activeElement)) return
        await page.keyboard.press('Tab')
      }
      await expect(goal).toBeFocused()
    }
    const original = cellOf(page, '원본')
    const sound = cellOf(page, 'Spotify')
    await tabTo(page.locator('[data-row]').first())
    await page.keyboard.press('Space')
    await expect(page.getByRole('button', { name: '재생 멈춤', exact: true })).toBeVisible()
    await tabTo(page.locator('.knobs input').first())
    await page.keyboard.press('ArrowDown')
    await expect(slider(page, '틸트')).toBeFocused()
    await expect(page.locator('.hint'), 'what it does').toContainText('왼쪽은 어둡게')
    await page.keyboard.press('ArrowLeft')
    await expect(slider(page, '틸트')).toHaveAttribute('aria-valuetext', '−0.5 dB')
    await expect(sound).toHaveAttribute('aria-pressed', 'true')
    expect(await violations(page), 'with what a control does').toEqual([])

    await tabTo(page.getByRole('button', { name: '프리셋', exact: true }))
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: /^클럽/ }).press('Enter')
    await expect(slider(page, '펀치')).toHaveValue('30')
    await page.keyboard.press('Control+z')
    await expect(slider(page, '펀치')).toHaveValue('0')
    await tabTo(page.getByRole('radio', { name: '깨끗하게' }))
    await page.keyboard.press('ArrowRight')
    await expect(slider(page, '따뜻함')).toHaveValue('45')
    await page.keyboard.press('x')
    await expect(original).toHaveAttribute('aria-pressed', 'true')
    await page.keyboard.press('x')
    await expect(page.locator('.sound-name'), 'exact in the end').toHaveText('Spotify')
    await expect(page.locator('.side')).toContainText('LUFS')
    expect(await violations(page), 'with what loudness costs').toEqual([])
  })
})

test('the file to upload is made and saved by itself, and further formats where they are ticked', async ({
  page,
  program,
}) => {
  await drop(page, [song('Alpha.wav', 1, 2)])
  await expect(page.locator('.song.ready')).toHaveCount(1)
  await page.getByRole('button', { name: /^Files/ }).click()
  await expect(page.getByRole('checkbox', { name: /^One file to upload/ })).toBeChecked()
  await page.getByRole('checkbox', { name: 'FLAC 24 bit' }).check()
  await expect(page.getByRole('group', { name: 'Also write every master as' })).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: /^Files/ }).click()
  await expect(page.getByRole('button', { name: /^Files/ })).toContainText(
    'file to upload · WAV per platform · FLAC 24 bit',
  )
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.done, .song.below')).toHaveCount(1)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save 1 file to upload' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^Alpha_.*\.flac$/)
  const { settings } = await program.call<Batch>('GET', '/app/desk')
  expect([settings.release_master, settings.formats]).toEqual([true, ['flac24']])
})
