import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Batch } from '../src-contract/app.ts'
import type { Job } from '../src-contract/jobs.ts'
import { expect, test } from './desktop-fixtures.ts'
import { writeSong } from './desktop-songs.ts'

test('songs that were given to the window arrive although it is read again at once', async ({ user, desktop }) => {
  const { page } = desktop
  const files = ['One', 'Two', 'Three', 'Four'].map((name, i) => writeSong(user.music, `${name}.wav`, 60, i + 1))
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('.first .btn.primary')])
  await chooser.setFiles(files)
  await expect(page.locator('.song').first()).toBeVisible()
  // Electron's messages carry file paths. The stand-in asks the page for them, which no longer answers after a reload.
  const named = () =>
    desktop.app.evaluate(() => {
      const { __standin } = globalThis as unknown as { __standin?: { filesNamed?: number } }
      return __standin ? (__standin.filesNamed ?? 0) : null
    })
  await expect.poll(async () => (await named()) ?? files.length).toBe(files.length)
  // Not until everything is loaded: the content checked appears later by itself.
  await page.reload({ waitUntil: 'commit' })
  const titles = async () => (await desktop.call<Batch>('GET', '/app/desk')).songs.map((song) => song.source.title)
  await expect.poll(titles).toEqual(['One', 'Two', 'Three', 'Four'])
  await expect(page.locator('.song')).toHaveCount(4)
  await expect(page.locator('.song.interrupted')).toHaveCount(0)
})

test('masters are dragged out of the window by the cover of their row and by the name of a platform', async ({
  user,
  desktop,
}) => {
  const { page } = desktop
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('.first .btn.primary')])
  await chooser.setFiles([writeSong(user.music, 'One.wav', 6)])
  const ids = async () => (await desktop.call<Batch>('GET', '/app/desk')).songs.map(({ source }) => source.source_id)
  await expect.poll(ids).toHaveLength(1)
  await desktop.call('POST', '/app/desk/start', { source_ids: await ids() })
  const jobs = async () => (await desktop.call<{ jobs: Job[] }>('GET', '/api/v1/jobs')).jobs
  await expect.poll(async () => (await jobs())[0]?.output_folder).toBeDefined()
  const [job] = await jobs()

  /** The SHA-256 of the files dragged out at a place. */
  const draggedFrom = async (place: string) => {
    const before = (await desktop.noted()).drags.length
    await page.hover(place)
    await page.mouse.down()
    await page.mouse.move(600, 500, { steps: 5 })
    await page.mouse.up()
    await expect.poll(async () => (await desktop.noted()).drags.length, `drags from ${place}`).toBe(before + 1)
    const files = (await desktop.noted()).drags[before] ?? []
    return files.map((file) => createHash('sha256').update(readFileSync(file)).digest('hex'))
  }
  const masters = job?.results.map(({ sha256 }) => sha256)
  expect(masters).toHaveLength(5)
  expect(await draggedFrom('.song .drag-out')).toEqual([job?.release?.sha256, ...(masters ?? [])])
  await page.evaluate((id) => location.assign(`#/listen/${id}`), job?.job_id)
  expect(await draggedFrom('th[draggable=true] >> text=Melon')).toEqual(
    job?.results.filter(({ platform }) => platform === 'melon').map(({ sha256 }) => sha256),
  )
})
