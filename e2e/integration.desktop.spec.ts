import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Batch } from '../src-contract/app.ts'
import { engineFlags } from '../src-server/jobs/worker-pool.ts'
import { type Desktop, expect, lookingTest, test } from './desktop-fixtures.ts'
import { writeSong } from './desktop-songs.ts'

const titles = async (desktop: Desktop) =>
  (await desktop.call<Batch>('GET', '/app/desk')).songs.map((song) => song.source.title)

/** Collects the desktop's announcements to the page from now on. */
async function listen(
  desktop: Desktop,
): Promise<() => Promise<{ places: unknown[]; commands: unknown[]; intakes: unknown[] }>> {
  await desktop.page.evaluate(() => {
    const heard = { places: [] as unknown[], commands: [] as unknown[], intakes: [] as unknown[] }
    Object.assign(window, { __heard: heard })
    window.loudsmith?.onOpenPlace((place) => heard.places.push(place))
    window.loudsmith?.onMenuCommand((command) => heard.commands.push(command))
    window.loudsmith?.onIntake((report) => heard.intakes.push(report))
  })
  return () =>
    desktop.page.evaluate(
      () => (window as unknown as { __heard: { places: unknown[]; commands: unknown[]; intakes: unknown[] } }).__heard,
    )
}

test('songs opened with Loudsmith are in the batch, before the start and while it runs', async ({ user }) => {
  const early = writeSong(user.music, 'Early.wav', 2, 1)
  const desktop = await user.launch({ args: [early] })
  await expect.poll(() => titles(desktop)).toEqual(['Early'])
  const heard = await listen(desktop)
  await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
  // The dock of macOS, and "open with" there.
  await desktop.app.evaluate(
    ({ app }, file) => app.emit('open-file', { preventDefault() {} }, file),
    writeSong(user.music, 'Dock.wav', 2, 2),
  )
  await expect.poll(() => titles(desktop)).toEqual(['Early', 'Dock'])
  const { songs } = await desktop.call<Batch>('GET', '/app/desk')
  // The song before the start may be told after the page began to listen.
  const told = async () => (await heard()).intakes.at(-1)
  await expect.poll(told).toMatchObject({ sourceIds: [songs[1]?.source.source_id] })
  expect(await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())).toBe(true)
})

test('a folder chosen in the dialog brings its songs, and what is no song is refused with its reason', async ({
  user,
  desktop,
}) => {
  const album = path.join(user.music, 'Album')
  writeSong(album, '2 second.wav', 2, 2)
  writeSong(path.join(album, 'disc'), '3 third.wav', 2, 3)
  writeSong(album, '1 first.wav', 2, 1)
  const heard = await listen(desktop)
  /** Chooses in the dialog opened by the menu; nothing closes it. */
  const choose = (...chosen: string[]) =>
    desktop.app.evaluate(({ dialog, Menu }, filePaths) => {
      dialog.showOpenDialog = async () => ({ canceled: filePaths.length === 0, filePaths })
      Menu.getApplicationMenu()?.getMenuItemById('add-folder')?.click()
    }, chosen)
  const reports = async () => (await heard()).intakes
  await choose(album)
  await expect.poll(reports).toMatchObject([{ refused: [] }])
  expect(await titles(desktop)).toEqual(['1 first', '2 second', '3 third'])

  await choose()
  const empty = path.join(user.music, 'Empty')
  mkdirSync(empty)
  await choose(empty)
  await expect
    .poll(reports)
    .toMatchObject([{ refused: [] }, { sourceIds: [], refused: [{ filename: 'Empty', code: 'NO_SONGS' }] }])
})

test('menus, dialogs and the frame follow the language and the theme of the settings, also after a restart', async ({
  user,
}) => {
  const label = (desktop: Desktop) =>
    desktop.app.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('settings')?.label)
  const isDark = (desktop: Desktop) => desktop.app.evaluate(({ nativeTheme }) => nativeTheme.shouldUseDarkColors)
  const first = await user.launch()
  await expect.poll(() => label(first)).toBe('Settings…')
  await first.call('PATCH', '/app/settings', { language: 'ko', theme: 'dark' })
  await first.page.reload()
  await expect.poll(() => label(first)).toBe('설정…')
  await expect.poll(() => isDark(first)).toBe(true)
  await expect.poll(() => first.page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(true)
  await first.quit()
  const second = await user.launch()
  await expect.poll(() => label(second)).toBe('설정…')
  await expect.poll(() => isDark(second)).toBe(true)
})

test('in the background the API goes on without a window, and the tray brings the window back', async ({ desktop }) => {
  await desktop.page.evaluate(() => window.loudsmith?.changeDesktopSettings({ keepsRunning: true }))
  await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
  const isVisible = () => desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible())
  await expect.poll(isVisible).toBe(false)
  expect((await fetch(`${desktop.baseUrl}/healthz`)).status).toBe(200)
  await desktop.choose('tray', 'open')
  await expect.poll(isVisible).toBe(true)
})

test('closing the window ends the program when it is not to stay in the background', async ({ desktop }) => {
  test.skip(process.platform === 'darwin', 'on macOS a program stays without its window')
  const child = desktop.app.process()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
  expect(await ended).toBe(0)
})

test('quitting with work running can be called off, and can wait until the song is done', async ({ user, desktop }) => {
  const [sourceId] = (await desktop.app.evaluate(
    ({ app }, file) => app.emit('open-file', { preventDefault() {} }, file),
    writeSong(user.music, 'Last.wav', 20, 4),
  ))
    ? await expectSong(desktop)
    : []
  await desktop.call('POST', '/app/desk/start', { source_ids: [sourceId] })
  await expect.poll(() => desktop.app.evaluate(({ app }) => app.getBadgeCount())).toBe(1)
  await desktop.answer(2)
  await desktop.app.evaluate(({ app }) => app.quit())
  await expect.poll(async () => (await desktop.noted()).questions.length).toBe(1)
  expect((await fetch(`${desktop.baseUrl}/healthz`)).status).toBe(200)
  await desktop.answer(0)
  expect(await desktop.quit()).toBe(0)
  const next = await user.launch()
  const { jobs } = await next.call<{ jobs: { status: string; title: string }[] }>('GET', '/api/v1/jobs')
  expect(jobs).toMatchObject([{ title: 'Last', status: 'done' }])
})

test('closing the window with work running asks first, and hides it while the songs are finished', async ({
  user,
  desktop,
}) => {
  test.skip(process.platform === 'darwin', 'on macOS a program stays without its window')
  await desktop.app.evaluate(
    ({ app }, file) => app.emit('open-file', { preventDefault() {} }, file),
    writeSong(user.music, 'Last.wav', 90, 4),
  )
  await desktop.call('POST', '/app/desk/start', { source_ids: await expectSong(desktop) })
  await expect.poll(() => desktop.app.evaluate(({ app }) => app.getBadgeCount())).toBe(1)
  const close = () => desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
  const isVisible = () =>
    desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible() ?? false)
  const asked = async () => (await desktop.noted()).questions.length
  await desktop.answer(2)
  await close()
  await expect.poll(asked).toBe(1)
  expect(await isVisible()).toBe(true)

  const ended = new Promise((resolve) => desktop.app.process().once('exit', resolve))
  await desktop.answer(0)
  // Closed twice in quick succession, it still asks once.
  await desktop.app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    window?.close()
    window?.close()
  })
  await expect.poll(asked).toBe(2)
  await close()
  // After the song is finished there is no window to ask.
  await expect.poll(() => isVisible().catch(() => false)).toBe(false)
  expect(await ended).toBe(0)
  const [folder = ''] = readdirSync(path.join(user.music, 'Loudsmith'))
  expect(readdirSync(path.join(user.music, 'Loudsmith', folder))).toHaveLength(6)
  const next = await user.launch()
  const { jobs } = await next.call<{ jobs: { status: string }[] }>('GET', '/api/v1/jobs')
  expect(jobs).toMatchObject([{ status: 'done' }])
})

test('an engine process has the flags of V8 that it has without the desktop', async ({ user, desktop }) => {
  test.skip(process.platform === 'win32', 'the command line of another process is read with ps')
  await desktop.app.evaluate(
    ({ app }, file) => app.emit('open-file', { preventDefault() {} }, file),
    writeSong(user.music, 'Long.wav', 60, 4),
  )
  const [sourceId] = await expectSong(desktop)
  await desktop.call('POST', '/app/desk/start', { source_ids: [sourceId] })
  const pid = await desktop.app.evaluate(() => process.pid)
  const children = () =>
    execFileSync('ps', ['-axo', 'ppid=,args='], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => Number.parseInt(line, 10) === pid)
  await expect.poll(() => children().join('\n'), { intervals: [100] }).toContain(engineFlags.join(' '))
})

async function expectSong(desktop: Desktop): Promise<string[]> {
  await expect.poll(async () => (await desktop.call<Batch>('GET', '/app/desk')).songs.length).toBe(1)
  return (await desktop.call<Batch>('GET', '/app/desk')).songs.map((song) => song.source.source_id)
}

lookingTest.describe('in one start', () => {
  lookingTest.describe.configure({ mode: 'default' })

  lookingTest(
    'a dropped file that is no song is refused, with what the page needs to say why',
    async ({ user, desktop }) => {
      const { page } = desktop
      const fake = path.join(user.music, 'notes.wav')
      const { writeFileSync } = await import('node:fs')
      writeFileSync(fake, 'no audio at all')
      await page.evaluate(() => {
        const input = document.createElement('input')
        input.type = 'file'
        input.id = 'dropped'
        document.body.append(input)
      })
      await page.setInputFiles('#dropped', [fake])
      const report = await page.evaluate(() => {
        const input = document.querySelector<HTMLInputElement>('#dropped')
        return window.loudsmith?.addFiles([...(input?.files ?? [])])
      })
      expect(report?.refused).toMatchObject([
        { filename: 'notes.wav', code: 'UNSUPPORTED_FORMAT', values: { reason: 'unknown' } },
      ])
    },
  )

  lookingTest(
    'the menu reaches every screen and the tray shows and copies the address of the API',
    async ({ desktop }) => {
      const heard = await listen(desktop)
      for (const id of ['master', 'automate', 'history', 'settings']) await desktop.choose('application', id)
      await desktop.choose('application', 'start')
      await expect
        .poll(() => desktop.page.evaluate(() => location.hash), 'what would be started is seen first')
        .toBe('#/')
      for (const id of ['search', 'key-sheet', 'undo-removal']) await desktop.choose('application', id)
      await desktop.choose('tray', 'keys')
      await expect.poll(heard).toEqual({
        places: ['master', 'automate', 'history', 'settings', 'keys'].map((screen) => ({ screen })),
        commands: ['start', 'search', 'key-sheet', 'undo-removal'],
        intakes: [],
      })
      await desktop.choose('tray', 'copy-address')
      expect(await desktop.app.evaluate(({ clipboard }) => clipboard.readText())).toBe(desktop.baseUrl)
      await desktop.choose('tray', 'copy-request')
      const request = await desktop.app.evaluate(({ clipboard }) => clipboard.readText())
      expect(request).toContain(`${desktop.baseUrl}/api/v1/master`)
      expect(request).not.toContain('ams_live_')
      await desktop.choose('application', 'api-reference')
      await expect.poll(async () => (await desktop.noted()).opened).toEqual([`${desktop.baseUrl}/docs`])
    },
  )

  lookingTest('pausing in the tray pauses the queue, and menu and tray then offer to go on', async ({ desktop }) => {
    await desktop.choose('tray', 'pause')
    await expect.poll(async () => (await desktop.call<Batch>('GET', '/app/desk')).is_paused).toBe(true)
    await expect
      .poll(() => desktop.app.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('pause')?.label))
      .toBe('Resume the queue')
    await desktop.choose('application', 'pause')
    await expect.poll(async () => (await desktop.call<Batch>('GET', '/app/desk')).is_paused).toBe(false)
  })

  lookingTest('starting at login is off until it is chosen, and the system knows of it', async ({ user, desktop }) => {
    const settings = () => desktop.page.evaluate(() => window.loudsmith?.readDesktopSettings())
    expect(await settings()).toEqual({ openAtLogin: false, keepsRunning: false, notifies: true })
    await desktop.page.evaluate(() => window.loudsmith?.changeDesktopSettings({ openAtLogin: true }))
    expect((await settings())?.openAtLogin).toBe(true)
    const autostart = path.join(user.home, '.config', 'autostart', 'loudsmith.desktop')
    if (process.platform === 'linux') expect(readFileSync(autostart, 'utf8')).toContain('"--hidden"')
    await desktop.page.evaluate(() => window.loudsmith?.changeDesktopSettings({ openAtLogin: false }))
    expect((await settings())?.openAtLogin).toBe(false)
    expect(existsSync(autostart)).toBe(false)
  })

  lookingTest(
    'the folder of the masters is shown before there are any, and one that is gone is named',
    async ({ user, desktop }) => {
      const reveal = () => desktop.page.evaluate(() => window.loudsmith?.revealFolder('output'))
      const ours = path.join(user.home, 'Musik', 'Loudsmith')
      await desktop.choose('application', 'show-masters')
      await expect.poll(async () => (await desktop.noted()).revealed).toEqual([ours])
      expect(existsSync(ours)).toBe(true)
      const drive = path.join(user.home, 'drive')
      mkdirSync(drive)
      await desktop.call('PATCH', '/app/settings', { output_folder: drive })
      expect(await reveal()).toBe(true)
      rmSync(drive, { recursive: true })
      expect(await reveal()).toBe(false)
      expect(existsSync(drive)).toBe(false)
      expect((await desktop.noted()).questions).toMatchObject([
        { message: 'The folder could not be opened.', detail: expect.stringContaining(drive) },
      ])
    },
  )

  lookingTest('the diagnostics ZIP is written where the user says and holds no audio', async ({ user, desktop }) => {
    const saveAs = (file: string) => {
      const answered = desktop.app.evaluate(({ dialog }, target) => {
        dialog.showSaveDialog = async () => ({ canceled: false, filePath: target })
      }, file)
      return answered.then(() => desktop.page.evaluate(() => window.loudsmith?.exportDiagnostics()))
    }
    expect(await saveAs(path.join(user.home, 'no such folder', 'diagnostics.zip'))).toBe(false)
    expect((await desktop.noted()).questions).toMatchObject([
      { message: 'The diagnostics could not be saved.', detail: expect.stringContaining('ENOENT') },
    ])
    const file = path.join(user.home, 'diagnostics.zip')
    expect(await saveAs(file)).toBe(true)
    const names = readFileSync(file).toString('latin1')
    for (const name of ['logs/loudsmith.log', 'versions.json', 'system.json', 'settings.json', 'desktop.json'])
      expect(names).toContain(name)
    expect(names).not.toMatch(/\.(wav|mp3|flac)/)
  })

  lookingTest('after sleep everything is read again', async ({ desktop }) => {
    await desktop.call('PATCH', '/app/desk', { is_paused: true })
    await desktop.app.evaluate(({ powerMonitor }) => powerMonitor.emit('resume'))
    await expect
      .poll(() => desktop.app.evaluate(({ Menu }) => Menu.getApplicationMenu()?.getMenuItemById('pause')?.label))
      .toBe('Resume the queue')
    await desktop.call('PATCH', '/app/desk', { is_paused: false })
  })
})
