/** Desktop around the running server: window, menu, tray, presence, and the answers to the page. */
import { app, clipboard, Menu, nativeTheme, shell } from 'electron'
import type { Log } from '../src-system/log.ts'
import { followActivity } from './activity.ts'
import { ANNOUNCEMENTS, type Appearance, type DesktopSettings, type MenuCommand, type Place } from './bridge.ts'
import type { RememberedStore } from './desktop-settings.ts'
import { createFfmpegChoice } from './ffmpeg-choice.ts'
import type { HostedServer } from './hosting.ts'
import { createLocalFiles } from './local-files.ts'
import { opensAtLogin, setOpenAtLogin } from './login.ts'
import { type MenuActions, menuTemplate } from './menu.ts'
import { answerPage } from './page-answers.ts'
import type { ShellPaths } from './paths.ts'
import { createPresence } from './presence.ts'
import { installQuit } from './quit.ts'
import { createService } from './service.ts'
import { createSongIntake } from './song-intake.ts'
import type { Words } from './text.ts'
import { createTray } from './tray.ts'
import { createMainWindow } from './window.ts'

export interface DesktopDeps {
  readonly paths: ShellPaths
  readonly server: HostedServer
  readonly remembered: RememberedStore
  readonly language: () => 'en' | 'ko'
  readonly words: () => Words
  readonly log: Log
}

interface MenuActionsDeps {
  readonly window: ReturnType<typeof createMainWindow>
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

/** Puts the desktop around a running server. The window stays closed until `showWindow`; quitting closes the server. */
export function createDesktop({ paths, server, remembered, language, words, log }: DesktopDeps) {
  const origin = server.baseUrl
  const service = createService(origin, server.controlCredential, language)
  const stopped = new AbortController()
  const window = createMainWindow({
    origin,
    preloadFile: paths.preloadFile,
    icon: paths.icon('icon.png'),
    remembered,
    isDark: () => nativeTheme.shouldUseDarkColors,
    onClose: () => quitting.closedByUser(),
    log: (message, fields) => log.warn(message, fields),
  })

  function openPlace(place: Place): void {
    window.show()
    window.announce(ANNOUNCEMENTS.openPlace, place)
  }

  const songs = createSongIntake({ window, words, musicDir: paths.musicDir, storeSong: service.storeSong })
  const files = createLocalFiles({ window, words, service, paths, remembered })

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
  const menuActions = createMenuActions({ window, songs, files, openPlace, setPaused, origin })

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
    keepsRunning: () => process.platform === 'darwin' || remembered.read().settings.keepsRunning,
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
    chooseFolder: songs.chooseFolder,
    addDropped: songs.addDropped,
    ...files,
    ...createFfmpegChoice({ window, words, service }),
    ...desktopSettings(remembered),
    setAppearance,
    popUpMenu(x, y) {
      const owner = window.current()
      if (owner) Menu.getApplicationMenu()?.popup({ window: owner, x, y })
    },
  })
  showAll()
  nativeTheme.on('updated', window.paintFrame)
  app.setAboutPanelOptions({ applicationName: 'Loudsmith', applicationVersion: app.getVersion() })

  return {
    showWindow: window.show,
    takeFiles: songs.take,
    /** After sleep the live stream may be dead without knowing: everything is read again. */
    wokeUp: activity.refresh,
  }
}
