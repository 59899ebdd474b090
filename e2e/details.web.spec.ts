import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright/test'
import type { Batch } from '../src-contract/app.ts'
import type { JobPage } from '../src-contract/jobs.ts'
import {
  cellOf,
  drop,
  expect,
  makeOf,
  noSong,
  oneSided,
  openScreen,
  openStart,
  rowOf,
  song,
  test,
} from './web-fixtures.ts'

test.use({ platforms: ['spotify'] })

test('the whole window says what would happen with files that hang over it', async ({ page }) => {
  await expect(page.locator('.first')).toBeVisible()
  const hover = (types: readonly string[]) =>
    page.evaluate((list) => {
      const transfer = new DataTransfer()
      for (const [i, type] of list.entries()) transfer.items.add(new File(['x'], `f${i}`, { type }))
      document.body.dispatchEvent(
        new DragEvent('dragenter', { bubbles: true, cancelable: true, dataTransfer: transfer }),
      )
    }, types)
  await hover(['audio/wav', 'image/png', 'audio/flac'])
  await expect(page.locator('.drop.is-over')).toContainText('2 of 3 can be read')
  await page.evaluate(() => {
    const transfer = new DataTransfer()
    transfer.items.add(new File(['x'], 'f', { type: 'audio/wav' }))
    document.body.dispatchEvent(new DragEvent('dragleave', { bubbles: true, cancelable: true, dataTransfer: transfer }))
  })
  await expect(page.locator('.drop')).not.toHaveClass(/is-over/)
})

test('the sample song is taken, mastered, and heard with what to listen for beside it, and without a repair', async ({
  page,
}) => {
  const advice = page.getByText('listen for boomy chords from the first bar')
  await expect(advice).toBeVisible()
  await page.getByRole('button', { name: 'Try the sample song' }).click()
  await expect(rowOf(page, 'Sample song')).toContainText('Ready')
  await expect(advice).toBeVisible()
  await page.locator('.action-bar .btn.primary').click()
  await expect(rowOf(page, 'Sample song')).toContainText('1 master')
  await expect(page.locator('.batch-said p')).toHaveText('All done')
  await expect(page.getByRole('region', { name: 'What changed' })).toContainText('250 Hz')
  await expect(advice).toBeVisible()

  const heardWithout = page.getByRole('button', { name: 'Mud: hear it without this repair' })
  await heardWithout.click()
  await expect(page.getByRole('region', { name: 'What changes' })).toContainText('left alone, as asked')
  await expect(page.locator('.bench .transport')).toContainText(/0:0[1-9]/)
  await heardWithout.click()
  await expect(page.getByRole('region', { name: 'What changes' })).toContainText('250 Hz')
})

test('references are taken, shown with amount and weight, refused with a reason, and removed', async ({
  page,
  program,
}) => {
  await drop(page, [song('One.wav', 1)])
  // A song that is still sent gets another row when it is stored.
  await expect(page.locator('.song.ready')).toHaveCount(1)
  await openStart(page)
  const choose = async (file: Parameters<typeof drop>[1][number], name = 'Drop or choose a track') => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name }).click()])
    await chooser.setFiles(file)
  }
  const settings = async () => (await program.call<Batch>('GET', '/app/desk')).songs[0]?.settings
  await choose(noSong('mix.mp3'))
  await expect(page.locator('.file.refused').getByRole('alert')).toContainText('Export MP3, WAV or FLAC')
  const close = page.locator('.file.refused').getByRole('button', { name: 'Close' })
  await expect(close).toBeFocused()
  await close.press('Enter')
  await expect(page.locator('.file.blank')).toBeFocused()
  await choose(song('Harbour Lights.wav', 5, 8))
  await expect(page.locator('.side fieldset.file')).toContainText('Harbour Lights.wav')
  await expect(page.getByRole('button', { name: 'Remove reference' })).toBeFocused()
  const amount = page.getByRole('slider', { name: /Match a reference/ })
  await amount.focus()
  await page.keyboard.press('End')
  await expect
    .poll(settings)
    .toMatchObject({ reference_amount: 100, reference_source_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  const another = 'One more reference'
  await choose(noSong('mix.mp3'), another)
  await expect(page.locator('.file.refused').getByRole('alert')).toContainText('Export MP3, WAV or FLAC')
  await close.press('Enter')
  await expect(page.getByRole('button', { name: another })).toBeFocused()
  await choose(song('North.wav', 7, 8), another)
  await page.getByRole('combobox', { name: 'Weight of North.wav' }).selectOption('× 2')
  await expect.poll(settings).toMatchObject({ targets: [{ name: 'North.wav', weight: 2 }] })
  await page.getByText('Reference', { exact: true }).last().click()
  const level = async () => (await program.call<Batch>('GET', '/app/desk')).settings.reference_loudness
  await expect.poll(level).toBe(true)
  await page.getByRole('button', { name: 'Remove North.wav' }).press('Enter')
  await expect(page.getByRole('button', { name: another })).toBeFocused()
  await page.getByRole('button', { name: 'Remove reference' }).press('Enter')
  await expect(page.locator('.file.blank')).toBeFocused()
  await expect.poll(settings).toMatchObject({ targets: null, reference_source_id: null })
  // A file dropped there is a reference, not another song.
  await page.locator('.file.blank').evaluate(
    (place, base64) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([Uint8Array.fromBase64(base64)], 'Dropped.wav', { type: 'audio/wav' }))
      for (const type of ['dragover', 'drop'])
        place.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }))
    },
    song('', 6, 8).buffer.toString('base64'),
  )
  await expect(page.locator('.side fieldset.file')).toContainText('Dropped.wav')
  await expect(page.getByRole('button', { name: 'Remove reference' })).toBeVisible()
  await expect(page.locator('.song')).toHaveCount(1)
})

test('a recipe from a file takes the place of the sound, stage by stage', async ({ page, program }) => {
  await drop(page, [song('One.wav', 1)])
  await expect(page.locator('.song.ready')).toHaveCount(1)
  const load = async (recipe: unknown) => {
    await page.getByRole('button', { name: 'Presets' }).click()
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('menuitem', { name: 'Load a recipe…' }).click(),
    ])
    const buffer = Buffer.from(JSON.stringify(recipe))
    await chooser.setFiles({ name: 'Night.json', mimeType: 'application/json', buffer })
  }
  const equalise = (gain_db: number) => ({
    kind: 'equalise',
    sections: [{ shape: 'peak', frequency_hz: 200, gain_db, q: 1 }],
  })
  const stages = [equalise(-2), equalise(1)]
  await load({ version: 2, stages: [equalise(40)] })
  await expect(page.locator('.toast')).toContainText('recipe.stages[0].sections[0]')
  await load({ report_version: 1, recipe: { version: 2, stages } })
  const recipe = page.getByRole('region', { name: 'Recipe' })
  await expect(recipe.getByRole('listitem')).toHaveText(['Equaliser', 'Equaliser'])
  await expect(page.getByRole('slider', { name: /Tilt/ })).toHaveCount(0)
  await recipe.getByRole('button', { name: 'Remove Equaliser' }).first().click()
  const used = async () => (await program.call<Batch>('GET', '/app/desk')).songs[0]?.settings?.recipe?.stages
  await expect.poll(used).toEqual([equalise(1)])
  await page.keyboard.press('Control+z')
  await expect.poll(used).toEqual(stages)
  await recipe.getByRole('button', { name: 'Remove recipe' }).click()
  await expect(page.getByRole('slider', { name: /Tilt/ })).toBeVisible()
})

test('a reference that is on its way or was refused is shown in the settings of the songs for which it is', async ({
  page,
  program,
}) => {
  await drop(page, [song('One.wav', 1), song('Two.wav', 2)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(2)
  await openStart(page)
  const select = (title: string) => rowOf(page, title).locator('.ti').click()
  const slot = page.locator('.side .file').first()
  const choose = async (file: Parameters<typeof drop>[1][number]) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), slot.click()])
    await chooser.setFiles(file)
  }
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route('**/app/sources', async (route) => {
    await held
    await route.continue()
  })
  await select('One')
  await choose(song('Guide.wav', 5, 8))
  await expect(slot).toContainText('Guide.wav')
  await page.keyboard.press('Escape')
  await expect(page.locator('.sound-part .scope')).toContainText('All 2')
  await expect(slot).toHaveClass(/blank/)
  await select('Two')
  await expect(slot).toHaveClass(/blank/)
  await choose(noSong('mix.mp3'))
  await expect(slot).toContainText('mix.mp3')
  letGo()
  await expect(slot).toContainText('Export MP3, WAV or FLAC')
  await select('One')
  await expect(page.getByRole('button', { name: 'Remove reference' })).toBeVisible()
  await expect(slot).toContainText('Guide.wav')
  await expect
    .poll(async () =>
      (await program.call<Batch>('GET', '/app/desk')).songs.map((one) => one.settings?.reference_source_id),
    )
    .toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), undefined])
})

/** Announcements to screen readers from now on. */
async function listenIn(page: Page): Promise<() => Promise<(string | null)[]>> {
  const told = await page.evaluateHandle(() => {
    const nodes: Node[] = []
    const watch = new MutationObserver((changes) => nodes.push(...changes.flatMap(({ addedNodes }) => [...addedNodes])))
    watch.observe(document.querySelector('.vh[aria-live=polite]') as Element, { childList: true })
    return nodes
  })
  return () => told.evaluate((nodes) => nodes.map(({ textContent }) => textContent))
}

test('what is said twice in a row is told to screen readers twice', async ({ page }) => {
  const said = await listenIn(page)
  for (const [i, name] of ['One.wav', 'Two.wav'].entries()) {
    await drop(page, [song(name, i + 1)])
    await expect(page.locator('.song')).toHaveCount(i + 1)
  }
  await expect.poll(async () => (await said()).filter((text) => text === '1 song added').length).toBe(2)
})

test('the end of each song is told to screen readers, and how far the batch is as well', async ({ page }) => {
  const titles = ['One', 'Two', 'Three', 'Four']
  await drop(
    page,
    titles.map((title, i) => song(`${title}.wav`, i + 1, 3)),
  )
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(4)
  const said = await listenIn(page)
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.done, .song.below')).toHaveCount(4)
  const all = await said()
  for (const title of titles) expect(all).toContain(`${title}: done`)
  expect(all.filter((text) => text?.startsWith('Batch '))).not.toEqual([])
})

test('why a file was refused is said in the language that is shown, also after a reload', async ({ page }) => {
  await drop(page, [noSong('list.mp3'), { name: 'nothing.wav', mimeType: 'audio/wav', buffer: Buffer.alloc(0) }])
  const english = ['This is not an audio file', 'The file is empty.']
  const korean = ['Loudsmith가 지원하는 오디오 파일이 아니에요', '빈 파일이에요']
  const expectSaid = async (sentences: readonly string[]) => {
    await expect(page.locator('.song.refused')).toHaveCount(sentences.length)
    for (const sentence of sentences)
      await expect(page.locator('.song.refused').filter({ hasText: sentence })).toHaveCount(1)
  }
  const speak = async (language: string) => {
    const address = page.url()
    await page.goto(new URL('#/settings/language', address).href)
    await page.getByRole('radio', { name: language }).press(' ')
    await page.goto(new URL('#/master', address).href)
  }
  await expectSaid(english)
  await speak('한국어')
  await expectSaid(korean)
  await page.reload()
  await expectSaid(korean)
  await speak('English')
  await expectSaid(english)
})

test('a song is mastered again from history, and the disk is freed of both', async ({ page, program }) => {
  await drop(page, [song('Alpha.wav', 1, 3)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.done, .song.below')).toHaveCount(1)
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('button', { name: 'More: Alpha' }).click()
  await page.getByRole('menuitem', { name: 'Master again' }).click()
  await expect(page.locator('.song.ready')).toHaveCount(1)
  await expect(page.locator('.action-bar')).toContainText('1 credit')
  expect((await program.call<JobPage>('GET', '/api/v1/jobs')).total).toBe(1)
  await page.getByRole('button', { name: /^Start 1 song/ }).click()
  await expect
    .poll(async () => (await program.call<JobPage>('GET', '/api/v1/jobs')).jobs.map((job) => job.status))
    .toEqual(['done', 'done'])
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('button', { name: 'Free up disk space' }).click()
  await page.getByRole('radio', { name: /All finished songs/ }).check()
  await page.getByRole('button', { name: 'Delete 2 songs' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByText('Nothing mastered yet.')).toBeVisible()
  expect((await program.call<JobPage>('GET', '/api/v1/jobs')).total).toBe(0)
})

test('a song with warnings is replaced in its place', async ({ page }) => {
  const mono = song('Deaf left.wav', 1)
  for (let at = 44; at < mono.buffer.length; at += 4) mono.buffer.writeInt16LE(0, at)
  await drop(page, [mono, song('Other.wav', 2)])
  await expect(rowOf(page, 'Deaf left')).toContainText('no credit spent yet')
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Replace: Deaf left' }).click(),
  ])
  await chooser.setFiles(song('Better.wav', 3))
  await expect(page.locator('.song')).toHaveCount(2)
  await expect(page.locator('.song').first()).toContainText('Better')
})

test('what warnings leave out of a start is said, all can be used at once, and paper shows every song', async ({
  page,
}) => {
  await drop(page, [song('Clean.wav', 1), oneSided('One.wav', 2), oneSided('Two.wav', 3)])
  await expect(page.locator('.song.warning')).toHaveCount(2)
  await expect(page.locator('.song.ready')).toHaveCount(1)
  await expect(page.locator('.batch-said p')).toHaveText('Ready to start, 2 with warnings left out')
  await page.setViewportSize({ width: 900, height: 240 })
  await page.emulateMedia({ media: 'print' })
  await expect(page.locator('.action-bar')).toBeHidden()
  const height = await page.evaluate(() => document.documentElement.scrollHeight)
  const [last] = await page
    .locator('.song-line')
    .evaluateAll((all) => all.slice(-1).map((one) => one.getBoundingClientRect().bottom))
  expect(last, 'the last song is on the paper').toBeLessThanOrEqual(height)
  expect(height).toBeGreaterThan(240)
  await page.emulateMedia({ media: 'screen' })
  await page.getByRole('button', { name: 'Batch actions' }).click()
  await page.getByRole('menuitem', { name: 'Use all 2 with warnings' }).click()
  await expect(page.locator('.song.ready')).toHaveCount(3)
  await expect(page.getByRole('button', { name: /^Start 3 songs/ })).toBeVisible()
})

test('the list is put in order by title and by length, a menu moves a song, and what has ended is cleared', async ({
  page,
  program,
}) => {
  const given = { 'Song 10': 2, 'Song 9': 4, Beta: 3 }
  await drop(page, [
    ...Object.entries(given).map(([title, seconds], i) => song(`${title}.wav`, i + 1, seconds)),
    noSong('List.mp3'),
  ])
  await expect(page.locator('.song.ready')).toHaveCount(3)
  await expect(page.locator('.song.refused')).toHaveCount(1)
  const titles = page.locator('.song .ti')
  const choose = async (menu: string, item: string) => {
    await page.getByRole('button', { name: menu }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await choose('Batch actions', 'Remove finished songs')
  await expect(titles).toHaveText(['Song 10', 'Song 9', 'Beta'])
  // Actions without a target are not offered.
  await page.getByRole('button', { name: 'Batch actions' }).click()
  await expect(page.getByRole('menuitem')).toHaveText(['Make a release of 3', 'Remove all'])
  await page.keyboard.press('Escape')
  await choose('Order', 'By title')
  await expect(titles).toHaveText(['Beta', 'Song 9', 'Song 10'])
  await choose('Order', 'By length, short first')
  await expect(titles).toHaveText(['Song 10', 'Beta', 'Song 9'])
  await choose('More: Beta', 'Move up')
  await expect(titles).toHaveText(['Beta', 'Song 10', 'Song 9'])
  await choose('More: Song 10', 'Move down')
  await expect
    .poll(async () => (await program.call<Batch>('GET', '/app/desk')).songs.map((one) => one.source.title))
    .toEqual(['Beta', 'Song 9', 'Song 10'])
  await choose('Order', 'Order added')
  await expect(titles).toHaveText(['Song 10', 'Song 9', 'Beta'])
})

test('what cannot be is said: no platform at all, more songs than credits, none left', async ({ page }) => {
  await drop(page, [song('One.wav', 1, 2), song('Two.wav', 2, 2)])
  await expect(page.locator('.song.ready')).toHaveCount(2)
  const spotify = makeOf(page, 'Spotify')
  await spotify.click()
  await expect(page.locator('.toast')).toHaveText('At least one platform must stay on.')
  await expect(spotify).toBeChecked()
  for (const credits of [1, 0]) {
    await page.route('**/api/v1/account', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ json: { ...(await answer.json()), credits } })
    })
    await page.reload()
    await expect(page.locator('.bar .credits')).toHaveText(`${credits} credit${credits === 1 ? '' : 's'}`)
    await expect(page.locator('.action-bar .price')).toContainText(`Only ${credits} credit`)
  }
  await expect(page.getByRole('button', { name: /^Start 2 songs/ })).toHaveAccessibleDescription('No credits left')
})

test('a fader goes back to its standard, a master at genre level is aimed louder, and a row names the generator', async ({
  page,
  program,
}) => {
  await drop(page, [song('One.wav', 1, 2)])
  await openStart(page)
  await page.getByRole('radio', { name: 'Suno' }).check({ force: true })
  await expect(page.locator('.head')).toContainText('Suno')
  const intensity = page.getByRole('slider', { name: /^Intensity/ })
  await intensity.fill('80')
  await page.getByRole('radio', { name: 'Genre level' }).check({ force: true })
  await expect(cellOf(page, 'Spotify')).toContainText('−11')
  await intensity.dblclick({ position: { x: 4, y: 8 } })
  await expect
    .poll(async () => {
      const { settings, songs } = await program.call<Batch>('GET', '/app/desk')
      return [settings.loudness, songs[0]?.settings?.intensity, songs[0]?.settings?.ai_service]
    })
    .toEqual(['competitive', 50, 'suno'])
})

test('songs that are dropped a second time are not mastered twice, unless that is wanted', async ({
  page,
  program,
}) => {
  const songs = [song('Alpha.wav', 1), song('Beta.wav', 2)]
  await drop(page, songs)
  await expect(page.locator('.song')).toHaveCount(2)
  await drop(page, songs)
  await expect(page.locator('.song.repeated')).toHaveCount(2)
  await expect(page.locator('.song.repeated').first()).toContainText('Same file and settings as “Alpha”')
  await page.getByRole('button', { name: 'Batch actions' }).click()
  await page.getByRole('menuitem', { name: 'Remove 2 duplicates' }).click()
  await expect(page.locator('.song')).toHaveCount(2)
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  await expect(page.locator('.song.repeated')).toHaveCount(2)
  await page.getByRole('button', { name: 'Use anyway: Beta' }).click()
  await expect(page.locator('.song.ready')).toHaveCount(3)
  await page.getByRole('button', { name: /^Start 3 songs/ }).click()
  await expect(page.locator('.song.done')).toHaveCount(3)
  const { jobs } = await program.call<JobPage>('GET', '/api/v1/jobs')
  expect(jobs.map((job) => job.title).sort()).toEqual(['Alpha', 'Beta', 'Beta'])
  await expect(page.locator('.song.repeated')).toHaveCount(1)
  await expect(page.locator('.batch-said p')).toHaveText('1 to check, 3 done')
  await expect(page.getByRole('button', { name: 'Save 3 files to upload' })).toBeVisible()
  await page.getByRole('button', { name: /^Quality/ }).click()
  await page.getByText('Premium', { exact: true }).click()
  await expect(page.locator('.song.repeated')).toHaveCount(0)
  await expect(page.getByRole('button', { name: /^Start 1 song/ })).toBeVisible()
  await expect(page.locator('.batch-said')).toContainText('Ready to start')
})

test('the focus stays near what its own press took away', async ({ page }) => {
  const songs = [song('Alpha.wav', 1), song('Beta.wav', 2)]
  await drop(page, songs)
  await expect(page.locator('.song.ready')).toHaveCount(2)
  await drop(page, songs)
  await expect(page.locator('.song.repeated')).toHaveCount(2)
  const press = (name: string) => page.getByRole('button', { name }).press('Enter')
  await press('Batch actions')
  await page.getByRole('menuitem', { name: 'Remove 2 duplicates' }).press('Enter')
  await expect(page.locator('.song')).toHaveCount(2)
  await expect(page.getByRole('button', { name: 'Batch actions' })).toBeFocused()
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(page.locator('.song')).toHaveCount(4)
  await press('Use anyway: Beta')
  await expect(page.locator('.song.repeated')).toHaveCount(1)
  await page.locator('.song').first().getByRole('button', { name: 'Remove: Alpha' }).press('Enter')
  await expect(page.locator('.song')).toHaveCount(3)
  await expect(page.locator('.song').first()).toBeFocused()
  await page.locator('.song').last().getByRole('button', { name: 'Remove: Beta' }).press('Enter')
  await expect(page.locator('.song')).toHaveCount(2)
  await expect(page.locator('.song').last()).toBeFocused()
  await press('Batch actions')
  await page.getByRole('menuitem', { name: 'Remove all' }).press('Enter')
  await expect(page.locator('.first')).toBeVisible()
  await expect(page.locator('#content')).toBeFocused()
})

test('a name comes up for the pointer over it and for the keyboard, and does not stay after a press by hand', async ({
  page,
}) => {
  await drop(page, [song('One.wav', 1, 3)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  const more = page.getByRole('button', { name: 'More: One' })
  const hint = page.locator('.hint')
  await more.hover()
  await expect(hint).toHaveText('More: One')
  await more.click()
  await page.getByRole('menuitem', { name: 'Move up' }).click()
  await expect(more).toBeFocused()
  await page.mouse.move(300, 90)
  await page.waitForTimeout(1000)
  await expect(hint).toHaveCount(0)
  await page.getByRole('button', { name: 'Presets' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(hint).toHaveText('Keep this sound as a version')
})

test('what a toast covers can be scrolled from under it', async ({ page }) => {
  await drop(
    page,
    Array.from({ length: 12 }, (_, i) => song(`Song ${i}.wav`, i, 2)),
  )
  await expect(page.locator('.song')).toHaveCount(12)
  await rowOf(page, 'Song 3').getByRole('button', { name: 'Remove: Song 3' }).click()
  for (const size of [
    { width: 1280, height: 700 },
    { width: 800, height: 700 },
  ]) {
    await page.setViewportSize(size)
    await expect(page.locator('.toast')).toBeVisible()
    // The rows still slide to their places: the list is at its end once they have stopped.
    const covered = () =>
      page.locator('.songs').evaluate((list) => {
        for (const one of [list, list.closest('.pane')]) if (one) one.scrollTop = one.scrollHeight
        const bottom = list.lastElementChild?.getBoundingClientRect().bottom ?? Number.NaN
        return bottom - (document.querySelector('.toast')?.getBoundingClientRect().top ?? Number.NaN)
      })
    await expect.poll(covered, `${size.width} px wide`).toBeLessThanOrEqual(0)
  }
})

test('a toast stays where it is when another screen is opened, whatever the height of its action bar', async ({
  page,
}) => {
  await drop(page, [song('Alpha.wav', 1, 2), song('Beta.wav', 2, 2)])
  await rowOf(page, 'Alpha').getByRole('button', { name: 'Remove: Alpha' }).click()
  const toast = page.locator('.toast')
  await toast.getByRole('button', { name: 'Undo' }).focus()
  await expect(page.locator('.song.ready')).toHaveCount(1)
  await rowOf(page, 'Beta').locator('.ti').click()
  await toast.getByRole('button', { name: 'Undo' }).focus()
  const edgeOf = (selector: string, edge: 'top' | 'bottom') =>
    page.locator(selector).evaluate((element, side) => element.getBoundingClientRect()[side], edge)
  for (const width of [1280, 700, 560]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(page.url().replace(/#.*/, '#/'))
    await expect(page.locator('.playbtn')).toBeVisible()
    const place = await toast.boundingBox()
    expect(await edgeOf('.toast', 'bottom')).toBeLessThanOrEqual((await edgeOf('.action-bar', 'top')) - 16)
    for (const screen of ['history', 'automate', 'settings']) {
      await page.goto(page.url().replace(/#.*/, `#/${screen}`))
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      expect(await toast.boundingBox(), `${screen}, ${width} px wide`).toEqual(place)
    }
  }
})

test('what can be undone stays while the hand or the focus is on it', async ({ page }) => {
  await drop(page, [song('Alpha.wav', 1, 2), song('Beta.wav', 2, 2)])
  await expect(page.locator('.song.ready')).toHaveCount(2)
  await page.clock.install()
  await rowOf(page, 'Alpha').getByRole('button', { name: 'Remove: Alpha' }).click()
  const toast = page.locator('.toast')
  await toast.hover()
  await toast.getByRole('button', { name: 'Undo' }).focus()
  await page.mouse.move(5, 5)
  await page.clock.runFor(15_000)
  await expect(toast).toBeVisible()
  await toast.getByRole('button', { name: 'Undo' }).blur()
  await page.clock.runFor(15_000)
  await expect(toast).toBeHidden()
})

test('a song too short to be mastered says so at once, and is not started with the others', async ({
  page,
  program,
}) => {
  await drop(page, [song('Blink.wav', 1, 0.5)])
  await expect(rowOf(page, 'Blink')).toContainText('The song is shorter than one second. Export the whole song.')
  await expect(page.locator('.action-bar .btn.primary')).toHaveAccessibleDescription('No song is ready')
  await expect(rowOf(page, 'Blink').getByRole('button', { name: 'Remove: Blink' })).toBeVisible()
  await expect(rowOf(page, 'Blink').getByRole('button', { name: 'Use anyway' })).toHaveCount(0)
  await drop(page, [song('Alpha.wav', 2, 3)])
  await expect(rowOf(page, 'Alpha')).toContainText(/Ready|warning/)
  await page.locator('.action-bar .btn.primary').click()
  await expect(rowOf(page, 'Alpha')).toContainText('1 master')
  expect((await program.call<JobPage>('GET', '/api/v1/jobs')).jobs.map((job) => job.title)).toEqual(['Alpha'])
})

test('songs that are dropped over another screen are taken as well, and shown where they went', async ({ page }) => {
  for (const screen of ['History', 'Automate', 'Settings']) {
    await openScreen(page, screen)
    await expect(page.getByRole('heading', { level: 1, name: screen })).toBeAttached()
    await drop(page, [song(`From ${screen}.wav`, screen.length, 2)])
    await expect(rowOf(page, `From ${screen}`)).toBeVisible()
    await expect(page).toHaveTitle('Master · Loudsmith')
  }
  await expect(page.locator('.song')).toHaveCount(3)
})

test('a file that is gone before it is sent says so, and is not tried again', async ({ page, home }) => {
  const files = ['Here.wav', 'Lost.wav'].map((name) => path.join(home, name))
  for (const [i, file] of files.entries()) writeFileSync(file, song('', i + 1, 2).buffer)
  const { promise: isGone, resolve: go } = Promise.withResolvers<void>()
  await page.route('**/app/sources', async (route) => {
    await isGone
    await route.fallback()
  })
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ])
  await chooser.setFiles(files)
  await expect(page.locator('.song')).toHaveCount(2)
  rmSync(files[1] ?? '')
  go()
  await expect(rowOf(page, 'Here')).toContainText(/Ready|warning/)
  await expect(rowOf(page, 'Lost')).toContainText('The file was moved or changed after it was chosen. Choose it again.')
  await expect(rowOf(page, 'Lost').getByRole('button', { name: 'Remove: Lost.wav' })).toBeAttached()
  await expect(page.getByRole('button', { name: /^Try again/ })).toHaveCount(0)
})

test('songs for which there was no room are all sent again at once, and so is one that could not be looked at', async ({
  page,
}) => {
  const refuse = async (address: string, code: string, status: number) =>
    page.route(address, (route) =>
      route.fulfill({ status, json: { error: { code, message: 'As a program is told.', request_id: 'r-1' } } }),
    )
  await refuse('**/app/sources', 'INSUFFICIENT_STORAGE', 507)
  await drop(page, [song('Alpha.wav', 1, 2), song('Beta.wav', 2, 2)])
  await expect(page.locator('.song.refused')).toHaveCount(2)
  await expect(rowOf(page, 'Alpha')).toContainText('Not enough disk space')
  await expect(rowOf(page, 'Alpha')).toContainText('Free some space or raise the quota in Settings.')
  await page.unroute('**/app/sources')
  await refuse('**/api/v1/analyze', 'INTERNAL_ERROR', 500)
  await drop(page, [song('Gamma.wav', 3, 2)])
  await expect(rowOf(page, 'Gamma')).toContainText('Not analysed')
  await expect(page.locator('.action-bar')).toContainText('3 not accepted')
  await page.unroute('**/api/v1/analyze')
  await page.getByRole('button', { name: 'Batch actions' }).click()
  await page.getByRole('menuitem', { name: 'Try 3 songs again', exact: true }).click()
  await expect(page.locator('.song.ready')).toHaveCount(3)
})

test('a song of a watched folder for which there is no room says so where it waits, and goes on when there is', async ({
  page,
  program,
}) => {
  const watched = mkdtempSync(path.join(tmpdir(), 'loudsmith-watched-'))
  try {
    await program.call('POST', '/app/watch-folders', { path: watched })
    const { buffer } = song('Bounce.wav', 1, 2)
    await program.call('PATCH', '/app/settings', { disk_quota_bytes: buffer.length + 10 })
    writeFileSync(path.join(watched, 'Bounce.wav'), buffer)
    await expect(rowOf(page, 'Bounce')).toContainText('Not enough disk space')
    await expect(rowOf(page, 'Bounce')).toContainText('Free some space or raise the quota in Settings.')
    await expect(page.getByRole('button', { name: 'Cancel: Bounce' })).toBeVisible()
    await program.call('PATCH', '/app/settings', { disk_quota_bytes: null })
    await expect(rowOf(page, 'Bounce')).toContainText('1 master')
  } finally {
    rmSync(watched, { recursive: true })
  }
})

test('a hurried hand starts what is ready and not what has warnings, and hears of what could not be saved', async ({
  page,
  program,
}) => {
  const jobs = async () => (await program.call<JobPage>('GET', '/api/v1/jobs')).jobs.map((job) => job.title).sort()
  await drop(page, [song('Alpha.wav', 1, 2), oneSided('Deaf.wav')])
  await expect(page.locator('.song.ready')).toHaveCount(1)
  await expect(page.locator('.song.warning')).toHaveCount(1)
  await page.locator('.action-bar .btn.primary').dblclick()
  await expect(rowOf(page, 'Alpha')).toContainText('1 master')
  await expect(rowOf(page, 'Deaf')).toHaveClass(/warning/)
  for (const [title, focused] of Object.entries({ Beta: '.song >> nth=0', Gamma: '.action-bar .btn.primary' })) {
    await drop(page, [song(`${title}.wav`, title.length, 2)])
    await expect(page.locator('.song.ready')).toHaveCount(1)
    await page.locator(focused).focus()
    for (let i = 0; i < 6; i++) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    await expect(rowOf(page, title)).toContainText('1 master')
  }
  expect(await jobs()).toEqual(['Alpha', 'Beta', 'Gamma'])

  await page.getByRole('button', { name: 'Remove: Deaf' }).click()
  await page.route('**/files/release*', (route) => route.abort())
  await page.getByRole('button', { name: 'Save 3 files to upload' }).click()
  await expect(page.getByRole('alert')).toContainText('Loudsmith does not answer.')
  await program.stop()
  await expect(page.locator('.strip:not(.inline)')).toHaveText(
    'Loudsmith does not answer. Start it again; nothing is lost.',
  )
  await expect(page.getByRole('alert'), 'it is said once').toHaveCount(1)
})
