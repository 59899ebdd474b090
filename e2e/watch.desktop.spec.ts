import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { WatchFolder } from '../src-contract/app.ts'
import type { Job } from '../src-contract/jobs.ts'
import { expect, test } from './desktop-fixtures.ts'
import { writeSong } from './desktop-songs.ts'

test('a song that is bounced into a watched folder comes out mastered in its output folder, once, also over a restart', async ({
  user,
}) => {
  const bounces = path.join(user.music, 'Bounces')
  const output = path.join(user.music, 'Ready')
  mkdirSync(bounces)
  writeSong(bounces, 'Old mix.wav', 3, 1)
  const first = await user.launch()
  const { songs: _none, settings } = await first.call<{ songs: unknown[]; settings: object }>('GET', '/app/desk')
  const folder = await first.call<WatchFolder>('POST', '/app/watch-folders', {
    path: bounces,
    output_folder: output,
    settings: { ...settings, platforms: ['spotify', 'melon'] },
  })
  expect(folder).toMatchObject({ is_active: true, is_reachable: true, taken: 0 })
  writeSong(bounces, 'New mix.wav', 4, 2)
  const jobs = async (desktop: typeof first) => (await desktop.call<{ jobs: Job[] }>('GET', '/api/v1/jobs')).jobs
  await expect
    .poll(async () => (await jobs(first)).map((job) => [job.title, job.status]))
    .toEqual([['New mix', 'done']])
  await expect.poll(async () => (await jobs(first))[0]?.output_folder).toContain(output)
  const delivered = (await jobs(first))[0]?.output_folder ?? ''
  expect(existsSync(delivered)).toBe(true)
  expect(
    readdirSync(delivered)
      .filter((name) => name.endsWith('.wav'))
      .sort(),
  ).toEqual(['New mix_melon.wav', 'New mix_release.wav', 'New mix_spotify.wav'])
  await first.quit()

  writeSong(bounces, 'Overnight.wav', 3, 3)
  const second = await user.launch()
  await expect.poll(async () => (await jobs(second)).map((job) => job.title).sort()).toEqual(['New mix', 'Overnight'])
  await expect.poll(async () => (await jobs(second)).every((job) => job.status === 'done')).toBe(true)
  const { folders } = await second.call<{ folders: WatchFolder[] }>('GET', '/app/watch-folders')
  expect(folders).toMatchObject([{ taken: 2, refused: [] }])
  await second.call('DELETE', `/app/watch-folders/${folder.folder_id}`)
  expect(await second.quit()).toBe(0)
})
