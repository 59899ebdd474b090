/** Everything that stands around the running server: window, menu, tray, presence, and the answers to the page. */
import path from 'node:path'
import { app, clipboard, dialog, Menu, nativeImage, nativeTheme, shell } from 'electron'
import type { Settings, SystemState } from '../src-server/contract/app.ts'
import type { Log } from '../src-server/log.ts'
import { followActivity } from './activity.ts'
import {
  ANNOUNCEMENTS,
  type Appearance,
  type DesktopSettings,
  type IntakeReport,
  type MenuCommand,
  PAGE_FACTS_ARGUMENT,
  type PageFacts,
  type Place,
} from './bridge.ts'
import type { RememberedStore } from './desktop-settings.ts'
import { writeDiagnostics } from './diagnostics.ts'
import type { HostedServer } from './hosting.ts'
import { DIALOG_EXTENSIONS, realFiles, takeSongs } from './intake.ts'
import { opensAtLogin, setOpenAtLogin } from './login.ts'
import { findMasters } from './masters.ts'
import { type MenuActions, menuTemplate } from './menu.ts'
import { answerPage } from './page-answers.ts'
import type { ShellPaths } from './paths.ts'
import { createPresence } from './presence.ts'
import { installQuit } from './quit.ts'
import { createService } from './service.ts'
import type { Words } from './text.ts'
import { createTray } from './tray.ts'
import { createMainWindow } from './window.ts'

export interface DesktopParts {
  readonly paths: ShellPaths
  readonly server: HostedServer
  readonly remembered: RememberedStore
  readonly language: () => 'en' | 'ko'
  readonly words: () => Words
  readonly log: Log
}

export function createDesktop({ paths, server, remembered, language, words, log }: DesktopParts) {
  const origin = server.baseUrl
  const service = createService(origin, server.sessionCredential, language)
  const stopped = new AbortController()
  const facts: PageFacts = {
    platform: process.platform as PageFacts['platform'],
    appVersion: app.getVersion(),
    apiBaseUrl: origin,
  }
  const window = createMainWindow({
    origin,
    preloadFile: paths.preloadFile,
    pageArgument: `${PAGE_FACTS_ARGUMENT}${JSON.stringify(facts)}`,
    icon: paths.icon('icon.png'),
    remembered,
    isDark: () => nativeTheme.shouldUseDarkColors,
    hidesOnClose: () =>
      !quitting.hasBegun() && (process.platform === 'darwin' || remembered.read().settings.keepsRunning),
    log: (message, fields) => log.warn(message, fields),
  })

  function openPlace(place: Place): void {
    window.show()
    window.announce(ANNOUNCEMENTS.openPlace, place)
  }

  // Songs come in one hand-over at a time, so that they stand on the desk in the order in which they were given.
  let intake: Promise<unknown> = Promise.resolve()
  function storeFiles(files: readonly string[]): Promise<IntakeReport> {
    const next = intake.then(() => takeSongs(files, service.storeSong, words()))
    intake = next
    return next
  }
  function takeFiles(files: readonly string[]): void {
    if (files.length === 0) return
    if (process.platform !== 'linux') for (const file of files) app.addRecentDocument(file)
    void storeFiles(files).then((report) => window.announce(ANNOUNCEMENTS.intake, report))
  }

  async function choose(kind: 'openFile' | 'openDirectory', title: string): Promise<string[]> {
    const options: Electron.OpenDialogOptions = {
      title,
      defaultPath: app.getPath('music'),
      properties: kind === 'openFile' ? ['openFile', 'multiSelections'] : ['openDirectory', 'createDirectory'],
      ...(kind === 'openFile' ? { filters: [{ name: words().songs, extensions: DIALOG_EXTENSIONS }] } : {}),
    }
    const owner = window.current()
    const { filePaths } = await (owner ? dialog.showOpenDialog(owner, options) : dialog.showOpenDialog(options))
    return filePaths
  }
  async function chooseSongs(kind: 'openFile' | 'openDirectory'): Promise<IntakeReport | null> {
    const files = await choose(kind, kind === 'openFile' ? words().chooseSongs : words().chooseFolder)
    return files.length === 0 ? null : storeFiles(files)
  }
  function announceIntake(report: IntakeReport | null): void {
    if (report) window.announce(ANNOUNCEMENTS.intake, report)
  }

  async function revealFolder(folder: 'output' | 'data'): Promise<boolean> {
    const settings = folder === 'output' ? await service.call<Settings>('readSettings') : undefined
    const target =
      folder === 'data' ? paths.dataDir : (settings?.output_folder ?? path.join(app.getPath('music'), 'Loudsmith'))
    return (await shell.openPath(target)) === ''
  }
  async function revealMasters(jobId: string): Promise<boolean> {
    const [first] = await findMasters(service, jobId, null)
    if (first) shell.showItemInFolder(first)
    return first !== undefined
  }

  async function exportDiagnostics(): Promise<boolean> {
    const options: Electron.SaveDialogOptions = {
      title: words().saveDiagnostics,
      defaultPath: path.join(
        app.getPath('documents'),
        `loudsmith-diagnostics-${new Date().toISOString().slice(0, 10)}.zip`,
      ),
      filters: [{ name: 'ZIP', extensions: ['zip'] }],
    }
    const owner = window.current()
    const { filePath } = await (owner ? dialog.showSaveDialog(owner, options) : dialog.showSaveDialog(options))
    if (!filePath) return false
    await writeDiagnostics(filePath, {
      logsDir: paths.logsDir,
      facts: {
        'versions.json': () => ({
          loudsmith: app.getVersion(),
          ...process.versions,
          platform: process.platform,
          arch: process.arch,
        }),
        'system.json': () => service.call<SystemState>('readSystem'),
        'settings.json': () => service.call<Settings>('readSettings'),
        'desktop.json': () => remembered.read(),
      },
    })
    return true
  }

  function readDesktopSettings(): DesktopSettings {
    return { ...remembered.read().settings, openAtLogin: opensAtLogin() }
  }
  function changeDesktopSettings(change: Partial<DesktopSettings>): DesktopSettings {
    if (change.openAtLogin !== undefined) setOpenAtLogin(change.openAtLogin)
    remembered.change({ settings: { ...remembered.read().settings, ...change } })
    return readDesktopSettings()
  }
  function setAppearance(appearance: Appearance): void {
    remembered.change({ appearance })
    nativeTheme.themeSource = appearance.theme
    window.paintFrame()
    showAll()
  }

  const setPaused = (isPaused: boolean) => {
    service
      .call('changeDesk', { body: { is_paused: isPaused } })
      .catch((cause) => log.warn('pause was refused', { cause }))
  }
  const menuActions: MenuActions = {
    addSongs: () => void chooseSongs('openFile').then(announceIntake),
    addFolder: () => void chooseSongs('openDirectory').then(announceIntake),
    command: (command: MenuCommand) => {
      window.show()
      window.announce(ANNOUNCEMENTS.menuCommand, command)
    },
    openPlace,
    showMasters: () => void revealFolder('output'),
    setPaused,
    openReference: () => void shell.openExternal(`${origin}/docs`),
    exportDiagnostics: () => void exportDiagnostics(),
  }

  const presence = createPresence({
    window,
    words,
    notifies: () => remembered.read().settings.notifies,
    openPlace,
    badgeIcon: paths.icon('badge.png'),
  })
  const tray = createTray({
    icon: paths.icon(process.platform === 'darwin' ? 'trayTemplate.png' : 'tray.png'),
    baseUrl: origin,
    words,
    actions: {
      open: window.show,
      copy: (value) => clipboard.writeText(value),
      openPlace,
      setPaused,
      quit: () => app.quit(),
    },
  })
  const activity = followActivity(
    service,
    { onChange: () => showAll(), onBatchEnd: (batch) => presence.announce(batch) },
    stopped.signal,
  )
  const quitting = installQuit({
    window,
    words,
    activity: () => activity.current(),
    async stop() {
      stopped.abort()
      presence.clear()
      tray.destroy()
      await server.close()
    },
  })

  let isMenuPaused: boolean | undefined
  let menuWords: Words | undefined
  /** Shows the present state everywhere. The menu is made anew only when its text changes. */
  function showAll(): void {
    if (stopped.signal.aborted) return
    const now = activity.current()
    presence.show(now)
    tray.show(now)
    if (now.isPaused !== isMenuPaused || words() !== menuWords) {
      isMenuPaused = now.isPaused
      menuWords = words()
      const template = menuTemplate(process.platform, menuWords, isMenuPaused, menuActions)
      Menu.setApplicationMenu(Menu.buildFromTemplate(template))
    }
    quitting.activityChanged()
  }
  answerPage(origin, {
    chooseSongs: () => chooseSongs('openFile'),
    chooseSongFolder: () => chooseSongs('openDirectory'),
    chooseFolder: async () => (await choose('openDirectory', words().chooseFolder))[0] ?? null,
    async addDropped(dropped) {
      const { paths: files, refused } = realFiles(dropped, words())
      const report = files.length > 0 ? await storeFiles(files) : { sourceIds: [], refused: [] }
      return { ...report, refused: [...refused, ...report.refused] }
    },
    revealMasters,
    revealFolder,
    readDesktopSettings,
    changeDesktopSettings,
    setAppearance,
    exportDiagnostics,
    popUpMenu(x, y) {
      const owner = window.current()
      if (owner) Menu.getApplicationMenu()?.popup({ window: owner, x, y })
    },
    async dragMasters(contents, jobId, platforms) {
      const files = await findMasters(service, jobId, platforms)
      const [file] = files
      const icon = nativeImage.createFromPath(paths.icon('drag.png'))
      if (file && !contents.isDestroyed()) contents.startDrag({ file, files, icon })
    },
  })
  showAll()
  nativeTheme.on('updated', window.paintFrame)
  app.setAboutPanelOptions({ applicationName: 'Loudsmith', applicationVersion: app.getVersion() })

  return {
    showWindow: window.show,
    takeFiles,
    /** After sleep the live stream may be dead without knowing: everything is read again. */
    wokeUp: activity.refresh,
  }
}
