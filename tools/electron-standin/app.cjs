'use strict'
const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { cdp } = require('./cdp.cjs')
const { strict } = require('./strict.cjs')

const standin = globalThis.__standin
const { pkg, appPath, switches } = standin

/** Emits an event whose first argument can prevent the default; returns whether a listener did. */
function isPrevented(emitter, name, details = {}, ...args) {
  const event = {
    ...details,
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true
    },
  }
  emitter.emit(name, event, ...args)
  return event.defaultPrevented
}

const home = os.homedir()
const configHome = process.env.XDG_CONFIG_HOME ?? path.join(home, '.config')
const userData = switches['user-data-dir'] || path.join(configHome, pkg.productName ?? pkg.name)
const paths = {
  home,
  appData: configHome,
  userData,
  sessionData: userData,
  logs: path.join(userData, 'logs'),
  crashDumps: path.join(userData, 'Crashpad'),
  temp: os.tmpdir(),
  exe: process.execPath,
  desktop: path.join(home, 'Desktop'),
  documents: path.join(home, 'Documents'),
  downloads: path.join(home, 'Downloads'),
  music: path.join(home, 'Music'),
}
const lockFile = path.join(userData, 'standin.lock')
const handOvers = path.join(userData, 'standin-second-instance')
let ownsLock = false
let handOverTimer

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function takeHandOvers() {
  for (const name of fs.readdirSync(handOvers).filter((entry) => entry.endsWith('.json'))) {
    const file = path.join(handOvers, name)
    const { argv, cwd, additional } = JSON.parse(fs.readFileSync(file, 'utf8'))
    fs.rmSync(file)
    app.emit('second-instance', {}, argv, cwd, additional)
  }
}

let ready = false
let isQuitting = false
let hasLeft = false
const windows = new Set()
let openAtLogin = false
let badgeCount = 0

const app = Object.assign(new EventEmitter(), {
  name: pkg.productName ?? pkg.name,
  isPackaged: standin.isPackaged,
  commandLine: strict('app.commandLine', {
    appendSwitch(name, value) {
      if (standin.isBrowserRunning) throw new Error(`stand-in: appendSwitch(${name}) comes after Chromium was started`)
      standin.appendedSwitches.push(value ? `--${name}=${value}` : `--${name}`)
    },
    hasSwitch: (name) => name in switches,
    getSwitchValue: (name) => switches[name] ?? '',
  }),
  getName: () => app.name,
  getVersion: () => pkg.version,
  getAppPath: () => appPath,
  getLocale: () => process.env.STANDIN_LOCALE ?? 'en-US',
  getPreferredSystemLanguages: () => [app.getLocale()],
  getPath(name) {
    if (!(name in paths)) throw new Error(`Failed to get '${name}' path`)
    return paths[name]
  },
  setPath(name, value) {
    if (!(name in paths)) throw new Error(`Failed to set '${name}' path`)
    paths[name] = value
  },
  isReady: () => ready,
  whenReady: () => becomeReady,
  getAppMetrics: () => [
    { pid: process.pid, type: 'Browser', memory: { workingSetSize: process.memoryUsage.rss() / 1024 } },
  ],
  enableSandbox() {
    if (ready) throw new Error('app.enableSandbox() can only be called before app is ready')
  },
  setAppUserModelId() {
    if (process.platform !== 'win32') throw new Error('stand-in: app.setAppUserModelId is for Windows')
  },
  setAboutPanelOptions(options) {
    app._aboutPanel = options
  },
  showAboutPanel() {
    app._aboutPanelShown = true
  },
  addRecentDocument() {
    if (process.platform === 'linux') throw new Error('stand-in: app.addRecentDocument is for macOS and Windows')
  },
  setBadgeCount(count) {
    badgeCount = count
    return true
  },
  getBadgeCount: () => badgeCount,
  setLoginItemSettings(settings) {
    openAtLogin = settings.openAtLogin === true
  },
  getLoginItemSettings: () => ({ openAtLogin, wasOpenedAtLogin: false }),
  focus() {
    ;[...windows].at(-1)?.focus()
  },
  requestSingleInstanceLock(additional) {
    fs.mkdirSync(handOvers, { recursive: true })
    const owner = fs.existsSync(lockFile) ? Number(fs.readFileSync(lockFile, 'utf8')) : 0
    if (owner && owner !== process.pid && isAlive(owner)) {
      const file = path.join(handOvers, `${process.pid}`)
      fs.writeFileSync(file, JSON.stringify({ argv: process.argv, cwd: process.cwd(), additional }))
      fs.renameSync(file, `${file}.json`)
      return false
    }
    fs.writeFileSync(lockFile, String(process.pid))
    ownsLock = true
    handOverTimer ??= setInterval(takeHandOvers, 50).unref()
    return true
  },
  hasSingleInstanceLock: () => ownsLock,
  releaseSingleInstanceLock() {
    if (!ownsLock) return
    clearInterval(handOverTimer)
    fs.rmSync(lockFile, { force: true })
    ownsLock = false
  },
  // Electron asks `before-quit` before this returns.
  quit: () => void quit(),
  exit: (code = 0) => leave(code),
  relaunch() {
    app._relaunches = true
  },
})

const becomeReady = Promise.all([cdp, standin.appLoaded]).then(() => {
  ready = true
  app.emit('ready', {}, {})
})

async function quit() {
  if (isQuitting || hasLeft || isPrevented(app, 'before-quit')) return
  isQuitting = true
  for (const window of [...windows])
    if (!(await window._tryClose())) {
      isQuitting = false
      return
    }
  if (isPrevented(app, 'will-quit')) {
    isQuitting = false
    return
  }
  leave(0)
}

async function leave(code) {
  if (hasLeft) return
  hasLeft = true
  app.emit('quit', {}, code)
  app.releaseSingleInstanceLock()
  const { child } = await standin.browser
  const end = () => process.exit(code)
  if (child.exitCode !== null) end()
  child.once('exit', end)
  setTimeout(end, 3000)
  const connection = await cdp
  connection.send('Browser.close').catch(() => {})
}

standin.browser.then(({ child }) =>
  child.once('exit', () => {
    if (!hasLeft) process.exit(0)
  }),
)

/** Handles an opened or closed window; closing the last one quits the application unless it listens. */
exports.windowOpened = (window) => windows.add(window)
exports.windowClosed = (window) => {
  windows.delete(window)
  if (windows.size > 0 || isQuitting || hasLeft) return
  if (app.listenerCount('window-all-closed') === 0) app.quit()
  else app.emit('window-all-closed')
}
exports.windows = windows
exports.isPrevented = isPrevented
exports.app = strict('app', app)
