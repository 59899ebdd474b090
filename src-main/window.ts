/** The main window: isolated and sandboxed, bound to our own page, restored to its position, and reloaded if its renderer dies. */
import { BrowserWindow, screen, shell } from 'electron'
import type { ANNOUNCEMENTS } from './bridge.ts'
import type { RememberedStore } from './desktop-settings.ts'
import { BAR_HEIGHT, mayOpenOutside, onScreen } from './window-rules.ts'

/** Delay before a position is saved, ms: macOS and Windows report a moving window many times a second. */
const AT_REST_MS = 500

/** Most automatic reloads of a dying renderer per minute. */
const MAX_RELOADS_PER_MINUTE = 3

const OVERLAY = {
  dark: { color: '#101417', symbolColor: '#d5dce1' },
  light: { color: '#f3f5f6', symbolColor: '#1d252b' },
}

export interface WindowDeps {
  readonly origin: string
  readonly preloadFile: string
  readonly icon: string
  readonly remembered: RememberedStore
  readonly isDark: () => boolean
  /** Called when the user closes the window; returns how to handle it. */
  readonly onClose: () => 'closes' | 'hides' | 'stays'
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void
}

/** Returns the options of the window's frame. */
function frameOptions(isDark: boolean) {
  if (process.platform === 'darwin')
    return { titleBarStyle: 'hiddenInset' as const, trafficLightPosition: { x: 16, y: 16 } }
  const colours = OVERLAY[isDark ? 'dark' : 'light']
  return { titleBarStyle: 'hidden' as const, titleBarOverlay: { ...colours, height: BAR_HEIGHT - 1 } }
}

/** Returns the options of the window: isolated and sandboxed. */
function windowOptions(deps: WindowDeps, place: ReturnType<typeof onScreen>): Electron.BrowserWindowConstructorOptions {
  const isDark = deps.isDark()
  return {
    ...(place.x === undefined || place.y === undefined ? {} : { x: place.x, y: place.y }),
    width: place.width,
    height: place.height,
    minWidth: 640,
    minHeight: 480,
    show: false,
    title: 'Loudsmith',
    icon: deps.icon,
    backgroundColor: OVERLAY[isDark ? 'dark' : 'light'].color,
    autoHideMenuBar: true,
    ...frameOptions(isDark),
    webPreferences: {
      preload: deps.preloadFile,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      nodeIntegrationInWorker: false,
      webviewTag: false,
      webSecurity: true,
      navigateOnDragDrop: false,
      spellcheck: false,
      // Playback and the live display must not stutter behind another window.
      backgroundThrottling: false,
    },
  }
}

/** Hides a window, leaving full screen first. */
function hide(opened: BrowserWindow): void {
  if (process.platform !== 'darwin' || !opened.isFullScreen()) {
    opened.hide()
    return
  }
  // Hidden in full screen, a window leaves a black screen behind (electron/electron#39572).
  opened.once('leave-full-screen', () => opened.hide())
  opened.setFullScreen(false)
}

/** Keeps the window on our own page; links open in the browser. */
function keepInside(opened: BrowserWindow, origin: string): void {
  const { webContents } = opened
  webContents.on('will-navigate', (event) => {
    const { origin: target, pathname } = new URL(event.url)
    if (target !== origin || pathname !== '/') event.preventDefault()
  })
  webContents.on('will-attach-webview', (event) => event.preventDefault())
  webContents.setWindowOpenHandler(({ url }) => {
    if (mayOpenOutside(url, origin)) void shell.openExternal(url)
    return { action: 'deny' }
  })
}

/** Remembers the position of the window. */
function keepPlace(opened: BrowserWindow, remembered: RememberedStore): void {
  let timer: NodeJS.Timeout | undefined
  const remember = () => {
    clearTimeout(timer)
    if (opened.isDestroyed() || opened.isMinimized() || opened.isFullScreen()) return
    remembered.change({ window: { ...opened.getNormalBounds(), isMaximized: opened.isMaximized() } })
  }
  const rememberSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(remember, AT_REST_MS)
  }
  for (const change of ['resize', 'move', 'maximize', 'unmaximize'] as const)
    opened.on(change as 'resize', rememberSoon)
  opened.on('close', remember)
}

type Channel = (typeof ANNOUNCEMENTS)[keyof typeof ANNOUNCEMENTS]

/** The window, created when first shown and again after it was closed. */
export class MainWindow {
  readonly #deps: WindowDeps
  #window: BrowserWindow | undefined
  #reloads: number[] = []
  /** Announcements queued until the page is loaded. */
  #unheard: [Channel, unknown][] = []
  #isPageReady = false

  constructor(deps: WindowDeps) {
    this.#deps = deps
  }

  /** Returns the window, if it is open. */
  current(): BrowserWindow | undefined {
    return this.#window
  }

  /** Returns the parent window for a dialog: macOS attaches the dialog to it, so a hidden window would hide the dialog. */
  owner(): BrowserWindow | undefined {
    return this.#window?.isVisible() ? this.#window : undefined
  }

  /** Opens the window, or brings it to the front. */
  show(): void {
    if (!this.#window) {
      const opened = this.#open()
      this.#window = opened
      opened.once('ready-to-show', () => opened.show())
      return
    }
    if (this.#window.isMinimized()) this.#window.restore()
    this.#window.show()
  }

  /** Sends an announcement to the page, queued until it listens. */
  announce(channel: Channel, value: unknown): void {
    if (this.#window && this.#isPageReady) this.#window.webContents.send(channel, value)
    else this.#unheard.push([channel, value])
  }

  /** Gives the frame the colours of the theme. */
  paintFrame(): void {
    if (!this.#window) return
    const colours = OVERLAY[this.#deps.isDark() ? 'dark' : 'light']
    this.#window.setBackgroundColor(colours.color)
    if (process.platform !== 'darwin') this.#window.setTitleBarOverlay({ ...colours, height: BAR_HEIGHT - 1 })
  }

  #open(): BrowserWindow {
    const { origin, remembered, onClose, log } = this.#deps
    const place = onScreen(remembered.read().window, screen.getAllDisplays())
    const opened = new BrowserWindow(windowOptions(this.#deps, place))
    if (place.isMaximized) opened.maximize()
    keepInside(opened, origin)
    this.#keepAlive(opened)
    keepPlace(opened, remembered)
    opened.on('close', (event) => {
      const end = onClose()
      if (end !== 'closes') event.preventDefault()
      if (end === 'hides') hide(opened)
    })
    opened.on('closed', () => {
      this.#window = undefined
      this.#isPageReady = false
    })
    opened.webContents.on('did-finish-load', () => this.#pageLoaded(opened))
    opened.loadURL(`${origin}/`).catch((cause) => log('the page did not load', { cause }))
    return opened
  }

  #pageLoaded(opened: BrowserWindow): void {
    this.#isPageReady = true
    for (const [channel, value] of this.#unheard.splice(0)) opened.webContents.send(channel, value)
  }

  #keepAlive(opened: BrowserWindow): void {
    opened.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
      this.#deps.log('the page died', { reason, exitCode })
      this.#isPageReady = false
      const now = Date.now()
      this.#reloads = [...this.#reloads.filter((at) => at > now - 60_000), now]
      if (reason !== 'clean-exit' && this.#reloads.length <= MAX_RELOADS_PER_MINUTE && !opened.isDestroyed())
        opened.webContents.reload()
    })
  }
}
