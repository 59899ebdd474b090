/** Desktop around the running server: window, menu, tray, presence, and the answers to the page. */
import { app, clipboard, Menu, nativeTheme, shell } from 'electron'
import type { Language } from '../src-contract/text/language.ts'
import type { Log } from '../src-system/log.ts'
import { type Activity, ActivityFollower } from './activity.ts'
import { ANNOUNCEMENTS, type DesktopSettings, type MenuCommand, type Place } from './bridge.ts'
import type { RememberedStore } from './desktop-settings.ts'
import { createFfmpegChoice } from './ffmpeg-choice.ts'
import type { HostedServer } from './hosting.ts'
import { createLocalFiles } from './local-files.ts'
import { opensAtLogin, setOpenAtLogin } from './login.ts'
import { type MenuActions, menuTemplate } from './menu.ts'
import { answerPage } from './page-answers.ts'
import type { ShellPaths } from './paths.ts'
import { createPresence } from './presence.ts'
import { Quit } from './quit.ts'
import { createService, type Service } from './service.ts'
import { createSongIntake } from './song-intake.ts'
import type { Words } from './text.ts'
import { createTray } from './tray.ts'
import { MainWindow, type WindowDeps } from './window.ts'

export interface DesktopDeps {
  readonly paths: ShellPaths
  readonly server: HostedServer
  readonly remembered: RememberedStore
  readonly language: () => Language
  readonly words: () => Words
  readonly log: Log
}

interface MenuActionsDeps {
  readonly window: MainWindow
  readonly songs: ReturnType<typeof createSongIntake>
  readonly files: ReturnType<typeof createLocalFiles>
  readonly openPlace: (place: Place) => void
  readonly setPaused: (isPaused: boolean) => void
  readonly origin: string
}

/** Creates the actions of the application menu. */
function createMenuActions({ window, songs, files, openPlace, setPaused, origin }: MenuActionsDeps): MenuActions {
  return {
    addSongs: () => {
      window.show()
      songs.choose('songs')
    },
    addFolder: () => {
      window.show()
      songs.choose('folder')
    },
    command: (command: MenuCommand) => {
      window.show()
      window.announce(ANNOUNCEMENTS.menuCommand, command)
    },
    openPlace,
    showMasters: () => void files.revealFolder('output'),
    setPaused,
    openReference: () => void shell.openExternal(`${origin}/docs`),
    exportDiagnostics: () => void files.exportDiagnostics(),
  }
}

/** Returns the functions that read and change the settings of the desktop. */
function desktopSettings(remembered: RememberedStore) {
  const readDesktopSettings = (): DesktopSettings => ({ ...remembered.read().settings, openAtLogin: opensAtLogin() })
  return {
    readDesktopSettings,
    changeDesktopSettings(change: Partial<DesktopSettings>): DesktopSettings {
      if (change.openAtLogin !== undefined) setOpenAtLogin(change.openAtLogin)
      remembered.change({ settings: { ...remembered.read().settings, ...change } })
      return readDesktopSettings()
    },
  }
}

interface IndicatorsDeps extends Pick<DesktopDeps, 'paths' | 'remembered' | 'words'> {
  readonly window: MainWindow
  readonly origin: string
  readonly menuActions: MenuActions
}

/** Creates the indicators of work outside the page: presence, tray and menu. Nothing is shown before the first `show`. */
function createIndicators({ paths, remembered, words, window, origin, menuActions }: IndicatorsDeps) {
  const { openPlace, setPaused } = menuActions
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
      open: () => window.show(),
      copy: (value) => clipboard.writeText(value),
      openPlace,
      setPaused,
      quit: () => app.quit(),
    },
  })
  const menu = createMenu(words, menuActions)
  return {
    /** Shows the present state everywhere. */
    show(activity: Activity): void {
      presence.show(activity)
      tray.show(activity)
      menu.show(activity.isPaused)
    },
    announce: presence.announce,
    clear(): void {
      presence.clear()
      tray.destroy()
    },
  }
}

/** Creates the application menu, rebuilt only if its text changes. */
function createMenu(words: () => Words, actions: MenuActions) {
  let shown: { readonly isPaused: boolean; readonly words: Words } | undefined
  return {
    show(isPaused: boolean): void {
      if (isPaused === shown?.isPaused && words() === shown.words) return
      shown = { isPaused, words: words() }
      const template = menuTemplate(process.platform, shown.words, isPaused, actions)
      Menu.setApplicationMenu(Menu.buildFromTemplate(template))
    },
  }
}

/** Creates the window of a running server, with functions to open screens in it and to pause the batch. */
function createFront(
  { paths, server, remembered, log }: DesktopDeps,
  service: Service,
  onClose: WindowDeps['onClose'],
) {
  const window = new MainWindow({
    origin: server.baseUrl,
    preloadFile: paths.preloadFile,
    icon: paths.icon('icon.png'),
    remembered,
    isDark: () => nativeTheme.shouldUseDarkColors,
    onClose,
    log: (message, fields) => log.warn(message, fields),
  })
  return {
    window,
    openPlace(place: Place): void {
      window.show()
      window.announce(ANNOUNCEMENTS.openPlace, place)
    },
    setPaused(isPaused: boolean): void {
      service
        .call('changeDesk', { body: { is_paused: isPaused } })
        .catch((cause) => log.warn('pause was refused', { cause }))
    },
  }
}

/** Creates the desktop around a running server. The window stays closed until `showWindow`; quitting closes the server. */
export function createDesktop(deps: DesktopDeps) {
  const { paths, server, remembered, language, words } = deps
  const origin = server.baseUrl
  const service = createService(origin, server.controlCredential, language)
  const stopped = new AbortController()
  const { window, openPlace, setPaused } = createFront(deps, service, () => quit.closedByUser())
  const songs = createSongIntake({ window, words, musicDir: paths.musicDir, storeSong: service.storeSong })
  const files = createLocalFiles({ window, words, service, paths, remembered })
  const menuActions = createMenuActions({ window, songs, files, openPlace, setPaused, origin })
  const indicators = createIndicators({ paths, remembered, words, window, origin, menuActions })
  const listeners = { onChange: () => showAll(), onBatchEnd: indicators.announce }
  const activity = new ActivityFollower(service, listeners, stopped.signal)
  const quit = new Quit({
    window,
    words,
    activity: () => activity.current(),
    keepsRunning: () => process.platform === 'darwin' || remembered.read().settings.keepsRunning,
    async stop() {
      stopped.abort()
      indicators.clear()
      await server.close()
    },
  })

  function showAll(): void {
    if (stopped.signal.aborted) return
    indicators.show(activity.current())
    quit.activityChanged()
  }

  answerPage(origin, {
    chooseFolder: songs.chooseFolder,
    addDropped: songs.addDropped,
    ...files,
    ...createFfmpegChoice({ window, words, service }),
    ...desktopSettings(remembered),
    setAppearance(appearance) {
      remembered.change({ appearance })
      nativeTheme.themeSource = appearance.theme
      window.paintFrame()
      showAll()
    },
    popUpMenu(x, y) {
      const owner = window.current()
      if (owner) Menu.getApplicationMenu()?.popup({ window: owner, x, y })
    },
  })
  activity.start()
  quit.install()
  showAll()
  nativeTheme.on('updated', () => window.paintFrame())
  app.setAboutPanelOptions({ applicationName: 'Loudsmith', applicationVersion: app.getVersion() })

  return {
    showWindow: () => window.show(),
    takeFiles: songs.take,
    /** Reloads everything: after sleep the live stream may be silently dead. */
    wokeUp: () => activity.refresh(),
  }
}
