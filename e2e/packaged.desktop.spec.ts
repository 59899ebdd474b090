import { existsSync } from 'node:fs'
import path from 'node:path'
import { _electron } from 'playwright/test'
import { packDirectory } from '../scripts/check-package.ts'
import { hostTarget, stagedBinary, stageFfmpeg } from '../scripts/stage-ffmpeg.ts'
import { type HostedJob, masterOneSong } from './desktop-api.ts'
import { expect, isRealElectron, root, test } from './desktop-fixtures.ts'
import { writeSong } from './desktop-songs.ts'

test('the packed Linux application starts with nothing but what it ships, and masters a song', async ({ user }) => {
  test.skip(process.platform !== 'linux', 'packs for Linux')
  test.skip(isRealElectron, 'the real binary is packed by the release workflow, whose fuses forbid being driven')
  if (!existsSync(path.join(root, 'dist', 'main', 'main.js'))) throw new Error('run `npm run build` first')
  const target = hostTarget()
  if (!existsSync(stagedBinary(target))) stageFfmpeg(target)
  const folder = packDirectory(target, false)
  const env = {
    ...(process.env as Record<string, string>),
    HOME: user.home,
    XDG_CONFIG_HOME: path.join(user.home, '.config'),
    MASTER_FFMPEG_PATH: '',
  }
  const app = await _electron.launch({
    executablePath: path.join(folder, 'loudsmith'),
    // Outside the project, so that none of its packages is found by accident.
    cwd: user.home,
    env,
    args: [`--user-data-dir=${user.userData}`, '--port=0'],
  })
  const page = await app.firstWindow()
  await page.waitForURL(/^http/)
  expect(await app.evaluate(({ app: running }) => running.isPackaged)).toBe(true)
  const call = (method: string, address: string, body?: string) =>
    page.evaluate(
      async ([verb, target, text]) => {
        const response = await fetch(target ?? '', {
          method: verb ?? 'GET',
          ...(text ? { body: text, headers: { 'Content-Type': 'application/json' } } : {}),
        })
        return response.json() as Promise<unknown>
      },
      [method, address, body],
    )
  const system = (await call('GET', '/app/system')) as { ffmpeg: { path: string; origin: string } }
  expect(system.ffmpeg).toMatchObject({ origin: 'packaged', path: path.join(folder, 'resources', 'bin', 'ffmpeg') })
  await app.evaluate(
    ({ app: running }, file) => running.emit('open-file', { preventDefault() {} }, file),
    writeSong(user.music, 'Packed.wav', 5),
  )
  const job: HostedJob = await masterOneSong(call, 120_000)
  expect(job).toMatchObject({ title: 'Packed', status: 'done' })
  expect(job.results).toHaveLength(5)
  const child = app.process()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await app.evaluate(({ app: running }) => running.quit())
  expect(await ended).toBe(0)
})
