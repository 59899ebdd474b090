import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { LedgerEntry } from '../src-contract/account.ts'
import type { Batch } from '../src-contract/app.ts'
import type { Job } from '../src-contract/jobs.ts'
import { type Desktop, expect, test } from './desktop-fixtures.ts'
import { writeSong } from './desktop-songs.ts'

/** Drops files on the window with their paths, as a file manager does. */
async function drop(desktop: Desktop, files: readonly string[]): Promise<void> {
  const { page } = desktop
  await page.evaluate(() => {
    const input = document.createElement('input')
    input.type = 'file'
    input.multiple = true
    input.id = 'journey-files'
    input.hidden = true
    document.body.append(input)
  })
  await page.setInputFiles('#journey-files', [...files])
  const report = await page.evaluate(async () => {
    const input = document.querySelector<HTMLInputElement>('#journey-files')
    const taken = await window.loudsmith?.addFiles([...(input?.files ?? [])])
    input?.remove()
    return taken
  })
  expect(report?.refused).toEqual([])
}

const batch = (desktop: Desktop) => desktop.call<Batch>('GET', '/app/desk')
const jobs = async (desktop: Desktop) => (await desktop.call<{ jobs: Job[] }>('GET', '/api/v1/jobs?sort=oldest')).jobs
const start = async (desktop: Desktop, sourceIds: readonly string[]) =>
  desktop.call('POST', '/app/desk/start', { source_ids: sourceIds })

test('from two dropped songs to masters in another program, and a third that survives quitting', async ({ user }) => {
  const first = await user.launch()
  await drop(first, [writeSong(user.music, 'One.wav', 6, 1), writeSong(user.music, 'Two.wav', 6, 2)])
  const { songs } = await batch(first)
  expect(songs.map((song) => song.source.title)).toEqual(['One', 'Two'])

  // The window is behind another, so a notification announces the end of the batch.
  await first.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.blur())
  await start(
    first,
    songs.map((song) => song.source.source_id),
  )
  await expect.poll(async () => (await jobs(first)).map((job) => job.status)).toEqual(['done', 'done'])
  await expect.poll(async () => (await first.noted()).notifications).toMatchObject([{ title: '2 songs mastered' }])

  // The notification opens its batch.
  await first.page.evaluate(() => {
    window.loudsmith?.onOpenPlace((place) => Object.assign(window, { __place: place }))
  })
  await first.app.evaluate(() => {
    const shown = (globalThis as unknown as { __notifications: NodeJS.EventEmitter[] }).__notifications
    shown[0]?.emit('click', {})
  })
  const [job] = await jobs(first)
  await expect
    .poll(() => first.page.evaluate(() => (window as unknown as { __place?: unknown }).__place))
    .toEqual({ screen: 'batch', batchId: job?.batch_id })

  // The masters are in the music folder, and dragging hands out exactly those files.
  await expect.poll(async () => (await jobs(first)).every((one) => one.output_folder !== undefined)).toBe(true)
  const delivered = (await jobs(first))[0]
  expect(delivered?.output_folder).toContain(path.join(user.music, 'Loudsmith'))
  await first.page.evaluate((id) => window.loudsmith?.dragMasters(id), delivered?.job_id ?? '')
  await expect.poll(async () => (await first.noted()).drags.length).toBe(1)
  const [dragged = []] = (await first.noted()).drags
  expect(dragged.map((file) => path.basename(file)).sort()).toEqual(
    readdirSync(delivered?.output_folder ?? '')
      .filter((name) => name.endsWith('.wav'))
      .sort(),
  )
  expect(dragged).toHaveLength(6)
  for (const file of dragged) expect(existsSync(file)).toBe(true)
  await first.page.evaluate((id) => window.loudsmith?.dragMasters(id, ['melon']), delivered?.job_id ?? '')
  await expect
    .poll(async () => (await first.noted()).drags[1]?.map((file) => path.basename(file)))
    .toEqual(['One_melon.wav'])

  // The badge and the taskbar progress were there during the work and are gone; the machine may sleep again.
  const { progress, blockers } = await first.noted()
  expect(progress.some((fraction) => fraction > 0 && fraction < 1)).toBe(true)
  expect(progress.at(-1)).toBe(-1)
  expect(blockers).toEqual(['start prevent-app-suspension', 'stop'])

  // A third song is running when the user quits: one question, stopped, and it goes on at the next start without a new charge.
  await drop(first, [writeSong(user.music, 'Three.wav', 40, 3)])
  const third = (await batch(first)).songs.find((song) => song.source.title === 'Three')
  await start(first, [third?.source.source_id ?? ''])
  await expect.poll(async () => (await jobs(first))[2]?.stage).toMatch(/decoding|analysing|rendering/)
  await first.answer(1)
  expect(await first.quit()).toBe(0)
  expect(first.output().match(/QUESTION/g)).toHaveLength(1)
  expect(first.output()).toContain('QUESTION A song is still being mastered. -> Stop now')

  const second = await user.launch()
  await expect.poll(async () => (await jobs(second))[2]?.status).toBe('done')
  const { entries } = await second.call<{ entries: LedgerEntry[] }>('GET', '/app/account/ledger?limit=100')
  const thirdJob = (await jobs(second))[2]
  expect(entries.filter((entry) => entry.job_id === thirdJob?.job_id).map((entry) => entry.kind)).toEqual(['charge'])
  expect(entries.filter((entry) => entry.kind === 'charge')).toHaveLength(3)
  expect(await second.quit()).toBe(0)
})
