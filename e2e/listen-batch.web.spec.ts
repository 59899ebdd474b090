import type { Page } from 'playwright/test'
import type { Batch } from '../src-contract/app.ts'
import type { Job, JobPage } from '../src-contract/jobs.ts'
import { asMp3, tappedSound, tapSound } from './listen-sound.ts'
import type { GivenFile } from './program.ts'
import { drop, expect, type Program, rowOf, song, test } from './web-fixtures.ts'

test.use({ platforms: ['spotify'] })

/** Adds a picture to an MP3 in an ID3v2.3 tag of its own. */
function withPicture(mp3: Buffer): Buffer {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const picture = Buffer.concat([Buffer.from('\0image/png\0\x03\0', 'latin1'), Buffer.from(png, 'base64')])
  const frame = Buffer.concat([Buffer.from('APIC'), Buffer.alloc(6), picture])
  frame.writeUInt32BE(picture.length, 4)
  const head = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1')
  // Each byte holds seven bits of the size.
  for (let byte = 0; byte < 4; byte++) head[9 - byte] = (frame.length >> (7 * byte)) & 0x7f
  return Buffer.concat([head, frame, mp3])
}

/** Masters a song from the batch and opens it in Listen; returns its job. */
async function masterAndOpen(page: Page, program: Program, file: GivenFile): Promise<Job> {
  await drop(page, [file])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(1)
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song').first()).toContainText('1 master')
  const [job] = (await program.call<JobPage>('GET', '/api/v1/jobs')).jobs
  await page.evaluate((id) => {
    location.hash = `#/listen/${id}`
  }, job?.job_id)
  return job as Job
}

test('master again puts the song back in the batch with the settings it had', async ({ page, program }) => {
  const job = await masterAndOpen(page, program, song('again.wav', 1, 3))
  await page.getByRole('button', { name: 'More: show in folder, copy as curl, report' }).click()
  await page.getByRole('menuitem', { name: 'Master again' }).click()
  await expect(page.locator('.song.ready')).toHaveCount(1)
  await expect(page.locator('.action-bar')).toContainText('1 credit')
  const settings = async () => (await program.call<Batch>('GET', '/app/desk')).songs[0]?.settings
  await expect.poll(settings).toMatchObject({ genre: job.genre, intensity: job.intensity })
  // The action bar of a narrow window takes two lines, with the price and the settings in the first.
  await page.setViewportSize({ width: 320, height: 640 })
  const gap = () =>
    page.locator('.toast').evaluate((toast) => {
      const bar = document.querySelector('.action-bar')?.getBoundingClientRect().top ?? Number.NaN
      return bar - toast.getBoundingClientRect().bottom
    })
  await expect.poll(gap).toBeGreaterThan(0)
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  await expect(page.locator('.song.done, .song.below')).toHaveCount(1)
  await expect.poll(settings).toBeNull()
})

test('master again spends nothing until it is started, and of two versions the chosen one stays', async ({
  page,
  program,
}) => {
  await masterAndOpen(page, program, song('again.wav', 1, 3))
  const jobs = async () => (await program.call<JobPage>('GET', '/api/v1/jobs')).total
  await page.getByRole('link', { name: 'Master', exact: true }).click()
  await page.getByRole('button', { name: 'More: again' }).click()
  await page.getByRole('menuitem', { name: 'Master again' }).click()
  await expect(page.locator('.song.ready')).toHaveCount(1)
  expect(await jobs()).toBe(1)
  await page.reload()
  await expect(page.locator('.song.ready')).toHaveCount(1)
  const styleOf = (name: string) => page.getByRole('radio', { name, exact: true })
  await styleOf('Warm').check({ force: true })
  const start = page.getByRole('button', { name: /^Start 1 song/ })
  await start.press('Enter')
  await expect(page.locator('.action-bar .btn.primary')).toBeFocused()
  await expect.poll(jobs).toBe(2)
  await expect(page.locator('.song.done, .song.below')).toHaveCount(1)
  await expect(page.locator('.action-bar .btn.primary')).toBeFocused()

  const version = (name: string) => page.getByRole('list', { name: 'Versions' }).getByRole('link', { name })
  await expect(version('v2 Warm')).toHaveAttribute('aria-current', 'true')
  await version('v1 Clean').click()
  await expect(styleOf('Clean')).toBeChecked()
  // Its settings are those of the song: it is what the list shows, also over a reload, and nothing is to be made.
  await page.getByRole('link', { name: 'Master', exact: true }).click()
  for (const once of ['now', 'after a reload']) {
    await expect(version('v1 Clean'), once).toHaveAttribute('aria-current', 'true')
    await expect(page.locator('.action-bar .btn.primary'), once).toHaveText(/^Save/)
    await page.reload()
  }
  await version('v2 Warm').click()
  await expect(styleOf('Warm')).toBeChecked()
  expect(await jobs()).toBe(2)
})

test('master again sends a song that the batch has forgotten there anew, and spends nothing', async ({
  page,
  program,
}) => {
  await page.route('**/app/desk/restore', (route) =>
    route.fulfill({
      status: 404,
      json: { error: { code: 'NOT_FOUND', message: 'gone', request_id: 'r', retryable: false } },
    }),
  )
  await masterAndOpen(page, program, song('forgotten.wav', 1, 3))
  await page.getByRole('link', { name: 'Master', exact: true }).click()
  await page.getByRole('button', { name: 'More: forgotten' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.goBack()
  await page.getByRole('button', { name: 'Master again' }).click()
  // It stays while the pointer is on it, however long the song takes; the removal's toast disappears before.
  const undo = page.locator('.toast', { hasText: 'back on the list' }).getByRole('button', { name: 'Undo' })
  await undo.hover()
  await expect(rowOf(page, 'forgotten')).toContainText('Ready')
  await expect(page.locator('.action-bar')).toContainText('1 credit')
  expect((await program.call<JobPage>('GET', '/api/v1/jobs')).total).toBe(1)
  await undo.click()
  await expect(page.locator('.song')).toHaveCount(0)
})

test('the picture of a song is shown where it has one, and asked for nowhere else', async ({ page, program, home }) => {
  const missing: string[] = []
  page.on('response', (answer) => {
    if (answer.status() === 404) missing.push(answer.url())
  })
  const pictured = { ...song('pictured.mp3'), mimeType: 'audio/mpeg' }
  const mp3 = withPicture(await asMp3(pictured.buffer, home))
  await drop(page, [{ ...pictured, buffer: mp3 }, song('plain.wav', 2)])
  await expect(page.locator('.song.ready, .song.warning')).toHaveCount(2)
  await page.locator('.action-bar .btn.primary').click()
  await expect(page.locator('.song.done, .song.below')).toHaveCount(2)
  await expect(rowOf(page, 'pictured').locator('img.cover')).toBeVisible()
  await expect(rowOf(page, 'plain').locator('svg.cover')).toBeVisible()
  const { jobs } = await program.call<JobPage>('GET', '/api/v1/jobs')
  for (const [name, cover] of [
    ['plain', 'svg.cover'],
    ['pictured', 'img.cover'],
  ] as const) {
    const { job_id } = jobs.find(({ filename }) => filename.startsWith(name)) as Job
    await page.goto(new URL(`#/listen/${job_id}`, page.url()).href)
    await expect(page.locator('h1')).toHaveText(name)
    await expect(page.locator('.head').locator(cover)).toBeVisible()
  }
  await page.getByRole('link', { name: 'History' }).click()
  await expect(page.locator('.hist tbody tr:not(.grp)')).toHaveCount(2)
  expect(missing).toEqual([])
})

/** Whole numbers from 0 to below `count`, the same for the same seed. */
function dice(seed: number): (count: number) => number {
  let state = seed
  return (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
}

/** Returns how strong a tone is in the newest `seconds` of a recording, by Goertzel's algorithm. */
function strengthOf(hz: number, { samples, rateHz }: Recording, seconds: number): number {
  const turn = 2 * Math.cos((2 * Math.PI * hz) / rateHz)
  let [last, before] = [0, 0]
  for (const sample of samples.subarray(-Math.round(seconds * rateHz)))
    [last, before] = [sample + turn * last - before, last]
  return last * last + before * before - turn * last * before
}

type Recording = Awaited<ReturnType<typeof tappedSound>>

// Minutes long: 200 sequences of what a hurried hand does. What the loudspeaker gets is told by the tone that only one song has.
test.describe('what sounds', { tag: ['@alone', '@long'] }, () => {
  test.use({ bypassCSP: true, platforms: ['spotify', 'melon'] })

  test('is what the bench says, whatever is selected, played, sought, switched, removed and started', async ({
    page,
  }) => {
    await tapSound(page)
    await page.reload()
    const seeds = { Alpha: 0, Beta: 3, Gamma: 6, Delta: 9 }
    const titles = Object.keys(seeds) as (keyof typeof seeds)[]
    await drop(
      page,
      titles.map((title) => song(`${title}.wav`, seeds[title], 20)),
    )
    await expect(page.locator('.song.ready')).toHaveCount(4)
    await rowOf(page, 'Alpha').locator('.ti').click()
    const roll = dice(20261129)
    const bench = async () => (await page.locator('.sounding').allInnerTexts()).join()
    /** The song whose tone is in the newest sound; null in silence. */
    const sounding = async () => {
      await page.evaluate(() => (globalThis as unknown as { tapped: { frames: unknown[] } }).tapped.frames.splice(0))
      await page.waitForTimeout(220)
      const heard = await tappedSound(page)
      const strengths = titles.map((title) => strengthOf(330 * 2 ** (seeds[title] / 12), heard, 0.15))
      const most = Math.max(...strengths)
      return most < 1e-2 ? null : titles[strengths.indexOf(most)]
    }
    const isPlaying = async () => (await page.locator('.bench .playbtn[aria-label^=Pause]').count()) > 0
    const steps = {
      select: (title: string) => rowOf(page, title).locator('.ti').click(),
      play: (title: string) => rowOf(page, title).locator('.ti').dblclick(),
      seek: async () => {
        const lanes = page.locator('.lanes')
        const box = (await lanes.count()) > 0 ? await lanes.boundingBox() : null
        if (box) await page.mouse.click(box.x + box.width * (0.2 + roll(50) / 100), box.y + 60)
      },
      switch: () => page.keyboard.press(String(roll(2))),
      pause: () =>
        page
          .locator('.bench .playbtn')
          .click({ timeout: 300 })
          .catch(() => undefined),
      remove: async (title: string) => {
        // A song that is being mastered cannot be removed.
        const remove = page.getByRole('button', { name: `Remove: ${title}` })
        if ((await remove.count()) === 0) return
        await remove.click()
        await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
      },
    }
    const names = Object.keys(steps) as (keyof typeof steps)[]
    let heard = 0
    for (let sequence = 0; sequence < 200; sequence++) {
      const done: string[] = []
      for (let step = 0; step < 5; step++) {
        const name = names[roll(names.length)] ?? 'select'
        const title = titles[roll(titles.length)] ?? 'Alpha'
        const before = { bench: await bench(), isPlaying: await isPlaying() }
        done.push(`${name} ${title}`)
        const said = `sequence ${sequence}: ${done.join(', ')}`
        await steps[name](title)
        if (name === 'select' && before.isPlaying)
          expect((await bench()).split('\n')[0], said).toBe(before.bench.split('\n')[0])
        if (name === 'play') await expect(page.locator('.sounding'), said).toContainText(title)
      }
      if (sequence === 20) await page.locator('.action-bar .btn.primary').click()
      if (!(await isPlaying())) continue
      heard += 1
      await expect.poll(sounding, done.join(', ')).toBe((await bench()).split('\n')[0])
    }
    expect(heard, 'sequences that ended in sound').toBeGreaterThan(20)
  })
})
