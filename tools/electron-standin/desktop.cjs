'use strict'
// Dialogs, shell, menus, tray, notifications and power: without a screen, each records its requests for specs to read.
const { fork } = require('node:child_process')
const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const path = require('node:path')
const { windows } = require('./app.cjs')
const { refuseOptions, strict } = require('./strict.cjs')

/** Record of requests to the outside world, in order. */
const recorded = { errorBoxes: [], opened: [], revealed: [], notifications: [], trays: [], messageBoxes: [] }

const dialog = strict('dialog', {
  showOpenDialog: async () => ({ canceled: true, filePaths: [] }),
  showSaveDialog: async () => ({ canceled: true, filePath: '' }),
  showMessageBox: async (...args) => {
    const options = args.at(-1)
    recorded.messageBoxes.push(options)
    return { response: options.cancelId ?? options.defaultId ?? 0, checkboxChecked: false }
  },
  showErrorBox(title, content) {
    recorded.errorBoxes.push({ title, content })
    process.stderr.write(`${title}: ${content}\n`)
  },
})

const shell = strict('shell', {
  openExternal: async (address) => {
    recorded.opened.push(address)
  },
  openPath: async (file) => {
    if (!fs.existsSync(file)) return 'The file does not exist'
    recorded.opened.push(file)
    return ''
  },
  showItemInFolder(file) {
    recorded.revealed.push(file)
  },
})

const ITEM_OPTIONS = [
  'id',
  'label',
  'sublabel',
  'type',
  'role',
  'accelerator',
  'click',
  'enabled',
  'visible',
  'checked',
  'submenu',
  'toolTip',
]
const ROLES = new Set(
  'about services hide hideOthers unhide quit undo redo cut copy paste pasteAndMatchStyle delete selectAll reload forceReload toggleDevTools resetZoom zoomIn zoomOut togglefullscreen minimize zoom front window close appMenu fileMenu editMenu viewMenu windowMenu help'.split(
    ' ',
  ),
)

class MenuItem {
  constructor(options) {
    refuseOptions('MenuItem', options, ITEM_OPTIONS)
    if (options.role && !ROLES.has(options.role)) throw new Error(`stand-in: the menu role ${options.role} is unknown`)
    const { submenu, click, ...rest } = options
    Object.assign(
      this,
      { type: submenu ? 'submenu' : 'normal', enabled: true, visible: true, checked: false, label: '' },
      rest,
    )
    if (submenu) this.submenu = Array.isArray(submenu) ? Menu.buildFromTemplate(submenu) : submenu
    this.click = (...args) => {
      if (this.type === 'checkbox') this.checked = !this.checked
      click?.(this, ...args)
    }
  }
}

class Menu extends EventEmitter {
  constructor() {
    super()
    this.items = []
  }
  append(item) {
    this.items.push(item)
  }
  popup(options = {}) {
    refuseOptions('Menu.popup', options, ['window', 'x', 'y', 'callback'])
    this._poppedUp = options
  }
  getMenuItemById(id) {
    for (const item of this.items) {
      const found = item.id === id ? item : item.submenu?.getMenuItemById(id)
      if (found) return found
    }
    return null
  }
  static buildFromTemplate(template) {
    const menu = new Menu()
    for (const options of template) menu.append(new MenuItem(options))
    return strict('Menu', menu)
  }
  static setApplicationMenu(menu) {
    Menu._application = menu
  }
  static getApplicationMenu() {
    return Menu._application ?? null
  }
}

class Tray extends EventEmitter {
  constructor(image) {
    super()
    if (image.isEmpty()) throw new Error('Tray: the image is empty')
    recorded.trays.push(this)
    // biome-ignore lint/correctness/noConstructorReturn: the strict view is the instance
    return strict('Tray', this)
  }
  setImage(image) {
    if (image.isEmpty()) throw new Error('Tray: the image is empty')
  }
  setToolTip(text) {
    this._toolTip = text
  }
  setContextMenu(menu) {
    this._menu = menu
  }
  destroy() {
    this._isDestroyed = true
  }
  isDestroyed() {
    return this._isDestroyed === true
  }
}

class Notification extends EventEmitter {
  static isSupported() {
    return true
  }
  constructor(options) {
    super()
    refuseOptions('Notification', options, ['title', 'body', 'silent', 'icon', 'urgency'])
    Object.assign(this, options)
    // biome-ignore lint/correctness/noConstructorReturn: the strict view is the instance
    return strict('Notification', this)
  }
  show() {
    recorded.notifications.push(this)
    this.emit('show', {})
  }
  close() {
    this.emit('close', {})
  }
}

class NativeTheme extends EventEmitter {
  _source = 'system'
  get themeSource() {
    return this._source
  }
  set themeSource(source) {
    this._source = source
    const features = [{ name: 'prefers-color-scheme', value: source === 'system' ? '' : source }]
    for (const window of windows) window._do('Emulation.setEmulatedMedia', { features }).catch(() => {})
    this.emit('updated')
  }
  get shouldUseDarkColors() {
    return this._source === 'dark'
  }
}

/** Reads the size from a PNG's header; an image that cannot be read is empty, as in Electron. */
function imageFrom(bytes) {
  const isPng = bytes.length > 24 && bytes.readUInt32BE(0) === 0x89504e47
  const size = isPng ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : { width: 0, height: 0 }
  return strict('NativeImage', {
    isEmpty: () => !isPng,
    getSize: () => size,
    resize: () => imageFrom(bytes),
    toPNG: () => bytes,
    setTemplateImage() {},
  })
}
const nativeImage = strict('nativeImage', {
  createFromPath: (file) => imageFrom(fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0)),
  createFromBuffer: (bytes) => imageFrom(bytes),
  createEmpty: () => imageFrom(Buffer.alloc(0)),
})

const area = { x: 0, y: 0, width: 1920, height: 1080 }
const display = { id: 1, bounds: area, workArea: area, workAreaSize: { width: 1920, height: 1080 }, scaleFactor: 1 }
const screen = strict(
  'screen',
  Object.assign(new EventEmitter(), {
    getPrimaryDisplay: () => display,
    getAllDisplays: () => [display],
    getDisplayMatching: () => display,
  }),
)

/** V8 flags for Node's own fork. Chromium takes them from its switch and ignores bare ones. */
function v8Flags(execArgv) {
  const named = '--js-flags='
  const other = execArgv.find((word) => !word.startsWith(named))
  if (other) throw new Error(`stand-in: ${other} has no known effect in a utility process`)
  return execArgv.flatMap((word) => word.slice(named.length).split(' '))
}

const utilityProcess = strict('utilityProcess', {
  fork(modulePath, args = [], options = {}) {
    refuseOptions('utilityProcess.fork', options, ['env', 'execArgv', 'cwd', 'stdio', 'serviceName'])
    const child = fork(modulePath, args, {
      execArgv: [...v8Flags(options.execArgv ?? []), '--require', path.join(__dirname, 'utility.cjs')],
      serialization: 'advanced',
      stdio: options.stdio === 'pipe' ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'inherit', 'inherit', 'ipc'],
      cwd: options.cwd,
      env: options.env ?? process.env,
    })
    const utility = Object.assign(new EventEmitter(), {
      pid: undefined,
      stdout: child.stdout,
      stderr: child.stderr,
      postMessage(message, ports = []) {
        if (ports.length > 0) throw new Error('stand-in: ports to a utility process are not implemented')
        child.send(message)
      },
      kill: () => child.kill(),
    })
    child.on('spawn', () => {
      utility.pid = child.pid
      utility.emit('spawn')
    })
    child.on('message', (message) => utility.emit('message', message))
    child.on('exit', (code) => {
      utility.pid = undefined
      utility.emit('exit', code ?? 1)
    })
    return strict('UtilityProcess', utility)
  },
})

const blockers = new Map()
let lastBlocker = 0
const powerSaveBlocker = strict('powerSaveBlocker', {
  start(type) {
    if (type !== 'prevent-app-suspension' && type !== 'prevent-display-sleep')
      throw new Error(`unknown blocker ${type}`)
    blockers.set(++lastBlocker, type)
    return lastBlocker
  },
  stop: (id) => blockers.delete(id),
  isStarted: (id) => blockers.has(id),
})
const powerMonitor = strict('powerMonitor', new EventEmitter())

let clipboardText = ''
const clipboard = strict('clipboard', {
  writeText(text) {
    clipboardText = text
  },
  readText: () => clipboardText,
})

// The real binary writes crash reports; a Node process does not.
const crashReporter = strict('crashReporter', {
  start(options) {
    if (options.uploadToServer) throw new Error('stand-in: crash reports are not uploaded')
  },
})

module.exports = {
  clipboard,
  crashReporter,
  dialog,
  Menu: strict('Menu', Menu),
  MenuItem,
  nativeImage,
  nativeTheme: strict('nativeTheme', new NativeTheme()),
  Notification: strict('Notification', Notification),
  powerMonitor,
  powerSaveBlocker,
  recorded,
  screen,
  shell,
  Tray: strict('Tray', Tray),
  utilityProcess,
}
