/** Differences of the desktop app on macOS and Windows, read from its calls to Electron. */
import type { EventEmitter } from 'node:events'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { FIRST_START } from '../../src-main/desktop-settings.ts'
import { setOpenAtLogin, startedAtLogin } from '../../src-main/login.ts'
import { shellPaths } from '../../src-main/paths.ts'
import { Quit } from '../../src-main/quit.ts'
import { createSongIntake } from '../../src-main/song-intake.ts'
import { wordsOf } from '../../src-main/text.ts'
import { MainWindow } from '../../src-main/window.ts'

const electron = vi.hoisted(() => ({
  app: undefined as unknown as EventEmitter & { readonly quit: ReturnType<typeof vi.fn> },
  powerMonitor: undefined as unknown as EventEmitter,
  missing: new Set<string>(),
  owners: [] as unknown[],
  loginItem: { openAtLogin: false, wasOpenedAtLogin: false },
  loginItemWritten: undefined as unknown,
  answer: Promise.withResolvers<{ response: number }>(),
  window: undefined as unknown as EventEmitter & { readonly calls: string[]; isFull: boolean; isUp: boolean },
}))
vi.mock('electron', async () => {
  const { EventEmitter } = await import('node:events')
  const { default: path } = await import('node:path')
  electron.powerMonitor = new EventEmitter()
  electron.app = Object.assign(new EventEmitter(), {
    quit: vi.fn(),
    isPackaged: true,
    getPath: (name: string) => {
      if (electron.missing.has(name)) throw new Error(`Failed to get '${name}' path`)
      return path.join('/the', name)
    },
    getLoginItemSettings: () => electron.loginItem,
    setLoginItemSettings: (settings: unknown) => {
      electron.loginItemWritten = settings
    },
  })
  class BrowserWindow extends EventEmitter {
    readonly calls: string[] = []
    isFull = false
    isDown = false
    isUp = true
    readonly webContents = Object.assign(new EventEmitter(), { setWindowOpenHandler: () => {} })
    constructor() {
      super()
      electron.window = this
    }
    loadURL = async () => {}
    hide = () => this.calls.push('hide')
    isFullScreen = () => this.isFull
    isMinimized = () => this.isDown
    isVisible = () => this.isUp
    isDestroyed = () => false
    isMaximized = () => false
    getNormalBounds = () => ({ x: 1, y: 2, width: 800, height: 600 })
    setFullScreen = (isFull: boolean) => this.calls.push(isFull ? 'enter' : 'leave')
  }
  return {
    app: electron.app,
    powerMonitor: electron.powerMonitor,
    dialog: {
      showMessageBox: () => electron.answer.promise,
      showOpenDialog: async (...given: unknown[]) => {
        electron.owners.push(given.length > 1 ? given[0] : undefined)
        return { filePaths: [] }
      },
    },
    screen: { getAllDisplays: () => [] },
    shell: {},
    BrowserWindow,
  }
})

function on(platform: NodeJS.Platform, environment: Record<string, string> = {}): void {
  const { platform: own } = process
  Object.defineProperty(process, 'platform', { value: platform })
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  onTestFinished(() => {
    Object.defineProperty(process, 'platform', { value: own })
    vi.unstubAllEnvs()
  })
}

function newWindow(change = () => {}) {
  const parts = { origin: 'http://127.0.0.1:1', preloadFile: '', pageArgument: '', icon: '' }
  const remembered = { read: () => FIRST_START, change }
  return new MainWindow({ ...parts, remembered, isDark: () => true, onClose: () => 'hides', log: () => {} })
}
function openWindow(change = () => {}) {
  newWindow(change).show()
  return electron.window
}
const close = { preventDefault: () => {} }

describe('a start at login', () => {
  it('is known on macOS, which gives no arguments, and only where the user has chosen it', () => {
    on('darwin')
    electron.loginItem = { openAtLogin: true, wasOpenedAtLogin: true }
    expect(startedAtLogin(['Loudsmith'])).toBe(true)
    electron.loginItem = { openAtLogin: true, wasOpenedAtLogin: false }
    expect(startedAtLogin(['Loudsmith'])).toBe(false)
    electron.loginItem = { openAtLogin: false, wasOpenedAtLogin: true }
    expect(startedAtLogin(['Loudsmith'])).toBe(false)
  })

  it('is the argument of the login item elsewhere', () => {
    on('win32')
    expect(startedAtLogin(['Loudsmith.exe', '--hidden'])).toBe(true)
    expect(startedAtLogin(['Loudsmith.exe'])).toBe(false)
  })

  it('names the file that the user has of a portable program, not where its content was unpacked for now', () => {
    on('win32', { PORTABLE_EXECUTABLE_FILE: 'D:\\Loudsmith.exe' })
    setOpenAtLogin(true)
    expect(electron.loginItemWritten).toEqual({ openAtLogin: true, path: 'D:\\Loudsmith.exe', args: ['--hidden'] })
  })
})

describe('the folder for music', () => {
  it("is the system's, and below the user's own where the system has none at the moment", () => {
    expect(shellPaths([]).musicDir).toBe(path.join('/the', 'music'))
    electron.missing.add('music')
    onTestFinished(() => electron.missing.clear())
    expect(shellPaths([]).musicDir).toBe(path.join('/the', 'home', 'Music'))
  })
})

describe('a dialog', () => {
  it('belongs to the window unless that is hidden, where macOS would hide it too', async () => {
    const window = newWindow()
    window.show()
    const words = () => wordsOf('en')
    const songs = createSongIntake({ window, words, musicDir: '', storeSong: async () => ({ source_id: '' }) })
    await songs.choose('songs')
    electron.window.isUp = false
    await songs.choose('songs')
    expect(electron.owners).toEqual([electron.window, undefined])
  })
})

describe('the place of the window', () => {
  it('is written down once it has come to rest, or is closed', () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const change = vi.fn()
    const window = openWindow(change)
    for (let step = 0; step < 60; step++) window.emit('move')
    expect(change).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1000)
    expect(change).toHaveBeenCalledTimes(1)
    window.emit('resize')
    window.emit('close', close)
    vi.advanceTimersByTime(1000)
    expect(change).toHaveBeenCalledTimes(2)
  })
})

describe('a window that is closed to the background', () => {
  it('leaves full screen on macOS before it is hidden: a black screen would stay', () => {
    on('darwin')
    const window = openWindow()
    window.isFull = true
    window.emit('close', close)
    expect(window.calls).toEqual(['leave'])
    window.emit('leave-full-screen')
    expect(window.calls).toEqual(['leave', 'hide'])
  })

  it('is hidden at once elsewhere', () => {
    on('win32')
    const window = openWindow()
    window.isFull = true
    window.emit('close', close)
    expect(window.calls).toEqual(['hide'])
  })
})

describe('the end of the session of the system', () => {
  const activity = { unfinished: 1, waiting: 0, isPaused: false, isOffline: false, fraction: 0 }
  const stop = vi.fn(async () => {})
  beforeEach(() => {
    electron.app.removeAllListeners()
    electron.powerMonitor.removeAllListeners()
    electron.answer = Promise.withResolvers()
    vi.clearAllMocks()
    const window = { owner: () => undefined } as never
    const words = () => wordsOf('en')
    new Quit({ window, words, activity: () => activity, keepsRunning: () => true, stop }).install()
  })

  it('stops what is in work in order, and asks nobody', async () => {
    const preventDefault = vi.fn()
    electron.powerMonitor.emit('shutdown', { preventDefault })
    expect(preventDefault).toHaveBeenCalled()
    await expect.poll(() => electron.app.quit.mock.calls.length).toBe(1)
    expect(stop).toHaveBeenCalledTimes(1)
  })

  it('is not called off by the answer to a question that was asked before', async () => {
    electron.app.emit('before-quit', { preventDefault: () => {} })
    electron.powerMonitor.emit('shutdown', { preventDefault: () => {} })
    await expect.poll(() => electron.app.quit.mock.calls.length).toBe(1)
    electron.answer.resolve({ response: 2 })
    await electron.answer.promise
    const preventDefault = vi.fn()
    electron.app.emit('before-quit', { preventDefault })
    expect(preventDefault).not.toHaveBeenCalled()
    expect(stop).toHaveBeenCalledTimes(1)
  })
})
