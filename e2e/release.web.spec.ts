import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright/test'
import type { Batch } from '../src-contract/app.ts'
import type { Release, ReleasePage } from '../src-contract/releases.ts'
import { violations } from './axe.ts'
import { drop, expect, type Program, song, test } from './web-fixtures.ts'

const FILES = ['10 Static Bloom.wav', '02 Paper Lanterns.wav', '01 Night Bus.wav']

const latest = async (program: Program): Promise<Release> => {
  const { releases } = await program.call<ReleasePage>('GET', '/api/v1/releases')
  return program.call('GET', `/api/v1/releases/${releases[0]?.release_id}`)
}
const titlesOf = async (program: Program) => (await latest(program)).tracks.map(({ title }) => title)
const cell = (page: Page, row: number, name: string) =>
  page.getByRole('grid').locator('tbody tr').nth(row).locator(`.c-${name}`)
/** The title of the release, in its head. */
const title = (page: Page) => page.locator('.name-field').getByRole('textbox', { name: /^(Title|제목)$/ })
const saved = (page: Page) => expect(page.getByText('Saved', { exact: true })).toBeVisible()

/** Pastes a text into the focused element. */
const paste = (page: Page, text: string) =>
  page.evaluate((given) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', given)
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }),
    )
  }, text)

/** A square picture of one colour, encoded by the browser. */
const picture = (page: Page, width: number, height: number) =>
  page.evaluate(
    async ([w, h]) => {
      const canvas = new OffscreenCanvas(w!, h!)
      canvas.getContext('2d')?.fillRect(0, 0, w!, h!)
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer())
      return bytes.toBase64()
    },
    [width, height],
  )

test('several songs become an EP that is written, ordered, taken back and kept as a spreadsheet is', async ({
  page,
  program,
}) => {
  await page.getByRole('link', { name: 'Release' }).click()
  await expect(page.getByRole('heading', { name: 'A release is what you upload as one thing' })).toBeVisible()
  await drop(
    page,
    FILES.map((name, at) => song(name, at + 1, 3)),
  )
  await expect(page.getByText('Not mastered')).toHaveCount(3)
  await page.getByRole('link', { name: 'Master' }).click()
  await expect(page.locator('.first'), 'songs of a release are not offered again').toBeVisible()
  await page.getByRole('link', { name: 'Release' }).click()
  const { kind } = await latest(program)
  expect(kind).toBe('ep')
  expect(await titlesOf(program)).toEqual(['Night Bus', 'Paper Lanterns', 'Static Bloom'])

  await title(page).fill('밤 버스')
  await page.getByRole('textbox', { name: 'Artist', exact: true }).fill('하늘')
  await page.getByRole('textbox', { name: 'UPC or EAN' }).fill('036000291453')
  await expect(page.getByRole('alert')).toContainText('A UPC has 12 digits')
  await expect(page.getByText('1 field not saved: see below')).toBeVisible()
  // A refused value is kept, also over a reload.
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'UPC or EAN' })).toHaveValue('036000291453')
  await page.getByRole('textbox', { name: 'UPC or EAN' }).fill('036000291452')
  await saved(page)
  expect(await latest(program)).toMatchObject({ title: '밤 버스', artist: '하늘', upc: '036000291452' })

  // A cell is edited by its keys, and keys move on from it.
  await cell(page, 0, 'title').click()
  await page.keyboard.type('Night Bus to Busan')
  await page.keyboard.press('Enter')
  await page.keyboard.press('F2')
  await page.keyboard.type('!')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+ArrowRight')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Space')
  await expect(cell(page, 1, 'explicit').getByText('Explicit', { exact: true })).toBeAttached()
  await saved(page)
  const [first, second] = (await latest(program)).tracks
  expect([first?.title, second?.title, second?.explicit]).toEqual(['Night Bus to Busan', 'Paper Lanterns', true])

  // Cells of a spreadsheet, also below the last row.
  await cell(page, 2, 'title').click()
  await paste(page, 'Static Bloom (live)\nLow Tide\n"모래시계 ""Hourglass"""')
  await expect(cell(page, 4, 'title')).toHaveText('모래시계 "Hourglass"')
  await cell(page, 0, 'isrc').click()
  await paste(page, 'KRA402600001\nKR-A40-26-00002\nnone of these')
  await cell(page, 2, 'isrc').click()
  await expect(cell(page, 2, 'isrc').locator('.cell-fault')).toContainText('ISRC')
  await expect(cell(page, 1, 'isrc')).toHaveText('KRA402600002')
  await page.keyboard.press('Control+z')
  await expect(cell(page, 2, 'isrc')).toHaveText('')
  await saved(page)
  expect((await latest(program)).tracks.map(({ isrc }) => isrc)).toEqual(Array(5).fill(undefined))

  // The order by keys and by dragging.
  await cell(page, 4, 'number').click()
  await page.keyboard.press('Alt+ArrowUp')
  await page.keyboard.press('Alt+ArrowUp')
  await expect
    .poll(() => titlesOf(program))
    .toEqual([...['Night Bus to Busan', 'Paper Lanterns', '모래시계 "Hourglass"', 'Static Bloom (live)', 'Low Tide']])
  await cell(page, 4, 'number')
    .locator('.grip')
    .dragTo(cell(page, 0, 'title'))
  await expect.poll(async () => (await titlesOf(program))[0]).toBe('Low Tide')
  await cell(page, 0, 'number').focus()
  await page.keyboard.press('Control+z')
  await expect.poll(async () => (await titlesOf(program))[0]).toBe('Night Bus to Busan')

  // A removed track is restored in full.
  await cell(page, 1, 'number').click()
  await page.keyboard.press('Delete')
  await expect.poll(() => titlesOf(program)).toHaveLength(4)
  await page.getByRole('button', { name: /^Undo/ }).click()
  await expect
    .poll(async () => (await latest(program)).tracks[1])
    .toMatchObject({
      ...{ title: 'Paper Lanterns', explicit: true, state: 'stored' },
    })
})

test('a release has a cover and goes through a table, by keyboard in both languages', async ({ page, program }) => {
  await program.call('POST', '/api/v1/releases', {
    ...{ title: 'Low Tide', artist: 'Sora', kind: 'single' },
    tracks: [{ title: 'Low Tide', artists: ['Sora'], composers: ['Kim', 'Lee'] }],
  })
  await page.getByRole('link', { name: 'Release' }).click()
  await page.getByRole('button', { name: 'All of “Low Tide”' }).click()
  const composers = page.getByRole('textbox', { name: 'Composers' })
  await expect(composers).toHaveValue('Kim; Lee')

  const buffer = Buffer.from(await picture(page, 600, 400), 'base64')
  await drop(page, [{ name: 'cover.png', mimeType: 'image/png', buffer }])
  await expect(page.getByText('600 × 400 px')).toBeVisible()
  await expect(page.getByText('It is not square')).toBeVisible()
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Change cover' }).click(),
  ])
  const square = Buffer.from(await picture(page, 1500, 1500), 'base64')
  await chooser.setFiles({ name: 'square.png', mimeType: 'image/png', buffer: square })
  await expect(page.getByText('1500 × 1500 px')).toBeVisible()
  await expect(page.getByText('It is not square')).toBeHidden()

  const menu = page.getByRole('button', { name: 'More: Low Tide' }).first()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    menu.click().then(() => page.getByRole('menuitem', { name: 'Save as table (CSV)' }).click()),
  ])
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'loudsmith-table-')), 'table.csv')
  await download.saveAs(file)
  const table = readFileSync(file, 'utf8')
  expect(table).toContain('Low Tide')
  const changed = table.replace('Kim; Lee', 'Kim; Park')
  await drop(page, [{ name: 'table.csv', mimeType: 'text/csv', buffer: Buffer.from(changed) }])
  await expect(composers).toHaveValue('Kim; Park')

  await menu.click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await expect(title(page)).toHaveValue('Low Tide (copy)')
  await expect(page.getByText('1500 × 1500 px')).toBeVisible()
  expect(await violations(page)).toEqual([])

  await program.call('PATCH', '/app/settings', { language: 'ko', theme: 'light' })
  await expect(page.getByRole('heading', { name: '릴리스', level: 2 })).toBeVisible()
  await page.setViewportSize({ width: 900, height: 600 })
  expect(await violations(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(900)
  await page.getByRole('button', { name: '새 릴리스' }).press('Enter')
  await page.getByRole('textbox', { name: '제목' }).press('Enter')
  await expect(page.getByText('비워 둘 수 없어요.')).toBeVisible()
  await page.keyboard.type('봄밤')
  await page.keyboard.press('Enter')
  await expect(title(page)).toHaveValue('봄밤')
  expect(await latest(program)).toMatchObject({ title: '봄밤', artist: 'Sora' })
})

/** A song that ends with several seconds of digital silence. */
function endingInSilence(name: string, seed: number, seconds: number) {
  const made = song(name, seed, 2)
  const buffer = Buffer.concat([made.buffer, Buffer.alloc(seconds * 44_100 * 4)])
  buffer.writeUInt32LE(buffer.length - 8, 4)
  buffer.writeUInt32LE(buffer.length - 44, 40)
  return { ...made, buffer }
}

test.describe('in Korean', () => {
  test.use({ locale: 'ko-KR' })

  test('details of songs, proposed trims, sound and AI disclosure are given by keyboard', async ({ page, program }) => {
    await drop(page, [endingInSilence('하나.wav', 1, 6), song('둘.wav', 2, 2)])
    const details = page.getByRole('button', { name: /^곡 정보/ })
    await details.press('Enter')
    // A title is for a single song: with the second, even during its upload, it is gone.
    await expect(page.getByRole('textbox', { name: '앨범' })).toBeVisible()
    await expect(page.getByRole('textbox', { name: '제목' })).toHaveCount(0)
    await page.getByRole('textbox', { name: '앨범' }).fill('밤 버스')
    await page.getByRole('button', { name: '표로 고치기' }).press('Enter')
    await expect(page.getByRole('dialog', { name: '2곡의 곡 정보' })).toBeVisible()
    await paste(
      page,
      '제목\tISRC\t발매 연도\t가사\n첫차\tKR-A38-24-00001\t26\t"새벽\n첫차"\n막차\tKRA382400002\t2026\t',
    )
    await expect(page.getByText('빨간 칸 1개는 그대로 쓸 수 없어요.')).toBeVisible()
    expect(await violations(page)).toEqual([])
    // Lyrics are typed in their cell over several lines.
    const lyrics = page.getByRole('dialog').getByRole('gridcell').filter({ hasText: '새벽' })
    await lyrics.dblclick()
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('다섯 시')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    const written = async () => (await program.call<Batch>('GET', '/app/desk')).songs.map(({ metadata }) => metadata)
    await expect.poll(written).toEqual([
      { title: '첫차', album: '밤 버스', isrc: 'KRA382400001', lyrics: '새벽\n첫차\n다섯 시' },
      { title: '막차', album: '밤 버스', isrc: 'KRA382400002', year: '2026' },
    ])
    await expect(page.locator('.song').filter({ hasText: '첫차' })).toBeVisible()

    const sources = (await program.call<Batch>('GET', '/app/desk')).songs.map(({ source }) => source.source_id)
    const tracks = sources.map((source_id, at) => ({ source_id, title: `곡 ${at + 1}` }))
    await program.call('POST', '/api/v1/releases', { title: '밤 버스', artist: '하늘', kind: 'ep', tracks })
    await page.getByRole('link', { name: '릴리스' }).press('Enter')
    await page.getByRole('radio', { name: '정보' }).press('ArrowRight')
    await page.getByRole('button', { name: '제안대로 자르기' }).press('Enter')
    await expect.poll(async () => (await latest(program)).tracks[0]?.trim_end_seconds ?? 0).toBeGreaterThan(3)
    await page.getByRole('button', { name: /^이 곡의 소리/ }).press('Enter')
    await page.getByRole('radio', { name: '깨끗하게' }).press('ArrowRight')
    await expect.poll(async () => (await latest(program)).tracks[0]?.settings?.style).toBe('warm')

    // One press copies the statements of one track to all.
    await page.getByRole('button', { name: /^이 곡의 AI 사용/ }).press('Enter')
    await page.getByRole('region', { name: '보컬' }).getByRole('radio', { name: '없음' }).press('Space')
    await page.getByRole('button', { name: '모든 곡에 복사' }).press('Enter')
    await expect
      .poll(async () => (await latest(program)).tracks.map(({ disclosure }) => disclosure?.vocals?.use))
      .toEqual(['none', 'none'])
    await page.getByRole('radio', { name: '1번 곡' }).press('ArrowLeft')
    await page.getByRole('button', { name: /^AI 사용 고지/ }).press('Enter')
    await page.getByRole('region', { name: '후반 작업' }).getByRole('button', { name: '그대로 쓰기' }).press('Enter')
    await expect.poll(async () => (await latest(program)).disclosure?.post_production?.use).toBe('none')
    expect(await violations(page)).toEqual([])
    expect((await latest(program)).tracks[1]?.settings).toBeUndefined()
  })
})

/** Tells which controls of the screen lie outside of the window, or under another one, with no way to scroll to them. */
const outOfReach = (page: Page) =>
  page.evaluate(() => {
    const shown = [
      ...document.querySelectorAll<HTMLElement>('#content :is(button, input, select, a, td), .action-bar button'),
    ]
    return shown.flatMap((one) => {
      one.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      const { left, right, top, bottom, width } = one.getBoundingClientRect()
      const isHidden = width <= 1 || getComputedStyle(one).visibility === 'hidden'
      const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
      const isThere =
        left >= 0 && right <= innerWidth + 0.5 && found !== null && (one.contains(found) || found.contains(one))
      return isHidden || isThere ? [] : `${one.tagName} ${one.className} ${one.textContent}`
    })
  })

test.describe('for whoever delivers it', () => {
  test.use({ viewport: { width: 1280, height: 720 } })

  test('a record is made of four songs, given its names, made ready for one receiver and exported by clicks', async ({
    page,
    program,
    home,
  }) => {
    await page.getByRole('link', { name: 'Release' }).click()
    await drop(
      page,
      ['1 Night Bus.wav', '2 Low Tide.wav', '3 Hourglass (Official Video).wav', '4 Static.wav'].map((name, at) =>
        song(name, at + 1, 3),
      ),
    )
    await expect(page.getByText('Not mastered')).toHaveCount(4)
    await title(page).fill('Four')
    await page.getByRole('textbox', { name: 'Artist', exact: true }).fill('Sora')
    const { p_line, c_line, genre, language, tracks, receivers } = await latest(program)
    expect([p_line, c_line, genre, language, receivers, tracks[0]?.composers], 'nothing is filled in').toEqual([
      ...[undefined, undefined, undefined, undefined, undefined],
      [],
    ])
    expect(await outOfReach(page)).toEqual([])

    // One receiver first: what it lacks is said with the place where it is given.
    await page.getByRole('combobox', { name: 'Where do you upload?' }).selectOption('DistroKid')
    const verdict = page.getByRole('button', { name: /^Release: \d to give$/ })
    await verdict.click()
    const lacks = page.getByRole('region', { name: 'DistroKid' })
    await expect(lacks).toContainText('Assigned by DistroKid')
    await lacks.getByRole('button', { name: 'Sora for all: use' }).click()
    await lacks.getByRole('button', { name: 'No AI in any of it: state' }).click()
    await page.getByRole('button', { name: '“Hourglass”: use' }).click()
    await expect(cell(page, 2, 'title')).toHaveText('Hourglass')
    await lacks.getByRole('button', { name: 'Go there: Genre' }).click()
    await expect(page.getByRole('combobox', { name: 'Genre' })).toBeFocused()
    await page.getByRole('combobox', { name: 'Genre' }).selectOption('Indie')
    await page.getByRole('button', { name: '2026 Sora: use' }).first().click()
    await expect(page.getByRole('button', { name: 'Release ready' })).toBeVisible()
    expect(await latest(program)).toMatchObject({
      ...{ receivers: ['distrokid'], genre: 'Indie', disclosure: { vocals: { use: 'none' } } },
      tracks: Array(4).fill({ composers: ['Sora'] }),
    })
    expect(await violations(page)).toEqual([])

    await page.getByRole('button', { name: /^Master this record ?4 credits$/ }).click()
    await expect(page.getByText('Mastered', { exact: true })).toHaveCount(4)
    for (const [width, height] of [
      [1440, 900],
      [900, 600],
      [1280, 720],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.getByRole('radio', { name: 'Upload' }).check({ force: true })
      await expect.poll(() => outOfReach(page), `${width}`).toEqual([])
    }
    const folder = mkdtempSync(path.join(home, 'export-'))
    await page.getByRole('textbox', { name: 'Folder' }).fill(folder)
    await page.getByRole('button', { name: 'Export EP' }).click()
    await expect(page.getByText(/^Exported: \d+ files, [\d.]+ MB$/)).toBeVisible()
    expect(readdirSync(path.join(folder, 'Sora - Four'))).toContain('03 Hourglass.wav')
  })
})

test('a release is mastered as one record, heard in order, exported with its certificate, and checked later', async ({
  page,
  program,
}) => {
  await program.call('PATCH', '/app/settings', { output_folder: null })
  await page.getByRole('link', { name: 'Release' }).click()
  await drop(
    page,
    ['1 Night Bus.wav', '2 Low Tide.wav'].map((name, at) => song(name, at + 1, 4)),
  )
  await expect(page.getByText('Not mastered')).toHaveCount(2)
  await page.getByRole('textbox', { name: 'Artist', exact: true }).fill('Sora')

  // The ends of a track by keys, and by their numbers; its rest in the timeline too.
  await page.getByRole('button', { name: 'All of “Low Tide”' }).click()
  const cut = page.getByRole('slider', { name: 'Cut from the end' })
  await cut.press('PageUp')
  await expect(cut).toHaveAttribute('aria-valuetext', '1.00 s')
  const rest = page.getByRole('slider', { name: 'Rest before track 2' })
  await rest.press('PageUp')
  await expect(page.getByRole('textbox', { name: 'Rest before it, s' })).toHaveValue('1')
  const place = await rest.boundingBox()
  await page.mouse.move(place!.x + 12, place!.y + 9)
  await page.mouse.down()
  await page.mouse.move(place!.x + 22, place!.y + 9)
  await page.mouse.up()
  await page.getByRole('checkbox', { name: 'In the file of the track before' }).check()
  await saved(page)
  expect((await latest(program)).tracks[1]).toMatchObject({
    ...{ trim_end_seconds: 1, gap_before_seconds: 2, gap_in_file: true },
  })
  expect(await violations(page)).toEqual([])
  await page.getByRole('radio', { name: 'Record' }).check({ force: true })

  // The price is shown before it is charged.
  await expect(page.getByRole('button', { name: /^Master this record ?2 credits$/ })).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: /^Master this record/ }).click()
  await expect(page.getByText('Mastered', { exact: true })).toHaveCount(2)
  await expect(page.getByText(/^Record: −1\d\.\d LUFS, target −14\.0\.$/)).toBeVisible()
  await expect(page.getByRole('button', { name: /^Master again ?no credit$/ })).toBeVisible()

  // The record plays in its order, and a join alone: 4 s and its pause of 2 s, then 3 s.
  await page.getByRole('heading', { name: 'Record' }).click()
  await page.keyboard.press('Space')
  await expect(page.getByText('1 · Night Bus').first()).toBeVisible()
  await page.getByRole('button', { name: 'Play the join of 1 and 2' }).click()
  await expect(page.getByText('Last 8 s of 1, first 8 s of 2')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Play', exact: true })).toBeVisible()
  await expect(page.locator('.time')).toContainText('0:09.0')

  const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-export-'))
  await title(page).fill('Two')
  await page.getByRole('radio', { name: 'Upload' }).check({ force: true })
  await expect(page.getByRole('textbox', { name: 'Folder' })).toHaveValue('~/Music/Loudsmith')
  await page.getByRole('textbox', { name: 'Folder' }).fill('')
  await page.getByRole('button', { name: 'Export EP' }).click()
  await expect(page.getByText('This must not be empty.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Folder' }).fill(folder)
  await expect(page.getByText('Sora - Two/')).toBeVisible()
  await expect(page.getByRole('list', { name: 'It will be called' })).toHaveText('01 Night Bus.wav02 Low Tide.wav')
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Export EP' }).click()
  const written = path.join(folder, 'Sora - Two')
  await expect(page.getByText(written)).toBeVisible()
  expect(readdirSync(written)).toEqual(expect.arrayContaining(['01 Night Bus.wav', 'certificate.html', 'SHA256SUMS']))

  // The cover that the receiver asks for is missing, and one press leads to it.
  await page.getByRole('combobox', { name: 'Where do you upload?' }).selectOption('Spotify')
  await page.getByRole('button', { name: /^Files: \d to mend$/ }).click()
  await expect(page.getByRole('region', { name: /Spotify/ })).toContainText('There is no cover.')
  await page
    .getByRole('button', { name: /^Go there: .*[Cc]over/ })
    .first()
    .click()
  await expect(page.locator('.art-button')).toBeFocused()
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'Check this folder' }).click()
  await expect(page.getByText('Intact: every file is as it was signed here.')).toBeVisible()
  writeFileSync(path.join(written, 'metadata.csv'), 'other')
  await page.getByRole('button', { name: 'Check this folder' }).click()
  await expect(page.getByText('Changed: metadata.csv')).toBeVisible()

  // Mastered songs of the history make a release too; a song that missed its target was mastered twice.
  const { total } = await program.call<{ total: number }>('GET', '/api/v1/jobs')
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('checkbox', { name: 'Select all shown' }).check({ force: true })
  await page.getByRole('button', { name: `Make a release of ${total}` }).click()
  await expect(title(page)).toHaveValue('Untitled')
  await expect(page.getByText('Mastered', { exact: true })).toHaveCount(total)
})
