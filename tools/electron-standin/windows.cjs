'use strict'
const { randomUUID } = require('node:crypto')
const { EventEmitter } = require('node:events')
const { app, isPrevented, windowClosed, windowOpened, windows } = require('./app.cjs')
const { cdp } = require('./cdp.cjs')
const { pageScripts } = require('./page.cjs')
const { passThroughListeners, session, settlePermissions } = require('./session.cjs')
const { refuseOptions, strict } = require('./strict.cjs')

const WINDOW_OPTIONS = [
  'x',
  'y',
  'width',
  'height',
  'minWidth',
  'minHeight',
  'show',
  'title',
  'icon',
  'backgroundColor',
  'autoHideMenuBar',
  'titleBarStyle',
  'titleBarOverlay',
  'trafficLightPosition',
  'webPreferences',
]
const WEB_PREFERENCES = [
  'preload',
  'contextIsolation',
  'sandbox',
  'nodeIntegration',
  'nodeIntegrationInSubFrames',
  'nodeIntegrationInWorker',
  'webviewTag',
  'webSecurity',
  'spellcheck',
  'devTools',
  'navigateOnDragDrop',
  'backgroundThrottling',
  'additionalArguments',
  'v8CacheOptions',
]
/** The only supported way to run a page; an application that asks for another is wrong. */
const REQUIRED = { contextIsolation: true, sandbox: true, nodeIntegration: false, webSecurity: true, webviewTag: false }
const ISOLATED_WORLD = 'Electron Isolated Context'

const answers = new Map()
const ipcMain = strict(
  'ipcMain',
  Object.assign(new EventEmitter(), {
    handle(channel, reply) {
      if (answers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
      answers.set(channel, reply)
    },
    removeHandler: (channel) => answers.delete(channel),
  }),
)

let lastWindowId = 0

class WebContents extends EventEmitter {
  constructor(window) {
    super()
    this._window = window
    this._address = ''
    this.id = window.id
    this.session = session.defaultSession
    this.mainFrame = {
      get url() {
        return window.webContents._address
      },
      get origin() {
        return new URL(window.webContents._address || 'about:blank').origin
      },
      parent: null,
    }
    // biome-ignore lint/correctness/noConstructorReturn: the strict view is the instance
    return strict('webContents', this)
  }
  send(channel, ...args) {
    this._window._toPage({ channel, args: JSON.parse(JSON.stringify(args)) })
  }
  setWindowOpenHandler(answer) {
    this._answerOpen = answer
  }
  getURL() {
    return this._address
  }
  getTitle() {
    return this._window._title
  }
  isDestroyed() {
    return this._window._isDestroyed
  }
  isCrashed() {
    return this._isCrashed === true
  }
  reload() {
    this._window.loadURL(this._address).catch(() => {})
  }
  focus() {
    this._window.focus()
  }
  undo() {
    return this._edit('undo')
  }
  setZoomFactor(factor) {
    this._zoomFactor = factor
    this._window._do('Emulation.setPageScaleFactor', { pageScaleFactor: factor })
  }
  getZoomFactor() {
    return this._zoomFactor ?? 1
  }
  async executeJavaScript(expression) {
    const { result, exceptionDetails } = await this._window._do('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }
  forcefullyCrashRenderer() {
    this._window._do('Page.crash').catch(() => {})
  }
  getOSProcessId() {
    return 0
  }
  /** The window system takes over here in Electron; arguments are checked as in Electron. */
  startDrag(item) {
    refuseOptions('webContents.startDrag', item, ['file', 'files', 'icon'])
    const files = item.files ?? [item.file]
    for (const file of files)
      if (!require('node:fs').existsSync(file)) throw new Error(`startDrag: no such file ${file}`)
    if (!item.icon || item.icon.isEmpty?.()) throw new Error("startDrag: 'icon' must be a non-empty image")
    this._drags = [...(this._drags ?? []), files]
  }
}

class BrowserWindow extends EventEmitter {
  constructor(options = {}) {
    super()
    refuseOptions('BrowserWindow', options, WINDOW_OPTIONS)
    refuseOptions('webPreferences', options.webPreferences, WEB_PREFERENCES)
    for (const [name, value] of Object.entries(REQUIRED))
      if ((options.webPreferences?.[name] ?? value) !== value)
        throw new Error(`stand-in: webPreferences.${name} must be ${value}`)
    this.id = ++lastWindowId
    this._options = options
    this._title = options.title ?? app.getName()
    this._bounds = {
      x: options.x ?? 100,
      y: options.y ?? 60,
      width: options.width ?? 800,
      height: options.height ?? 600,
    }
    this._isVisible = options.show !== false
    this._isDestroyed = false
    this._channel = `standin-${randomUUID()}`
    /** Messages whose files are being looked up. */
    this._naming = new Set()
    const view = strict('BrowserWindow', this)
    this.webContents = new WebContents(view)
    this._view = view
    windowOpened(view)
    this._opening = this._open()
    this._opening.catch((error) => {
      if (!this._isDestroyed) process.stderr.write(`${error.stack}\n`)
    })
    app.emit('browser-window-created', {}, view)
    app.emit('web-contents-created', {}, this.webContents)
    // biome-ignore lint/correctness/noConstructorReturn: the strict view is the instance
    return view
  }

  async _open() {
    const connection = await cdp
    const { width, height } = this._bounds
    const { targetId } = await connection.send('Target.createTarget', {
      url: 'about:blank',
      newWindow: true,
      width,
      height,
    })
    this._targetId = targetId
    const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true })
    this._sessionId = sessionId
    connection.listen(sessionId, (method, params) => this._onProtocol(method, params))
    const send = (method, params) => connection.send(method, params, sessionId)
    const { preload, additionalArguments } = this._options.webPreferences ?? {}
    const scripts = pageScripts(this._channel, preload, additionalArguments)
    await Promise.all([
      send('Page.enable'),
      send('Runtime.enable'),
      send('Inspector.enable'),
      send('Runtime.addBinding', { name: '__standinPost', executionContextName: ISOLATED_WORLD }),
      send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.page }),
      send('Page.addScriptToEvaluateOnNewDocument', { source: scripts.preload, worldName: ISOLATED_WORLD }),
      send('Fetch.enable', {
        patterns: [
          { urlPattern: '*', requestStage: 'Request' },
          { urlPattern: '*', requestStage: 'Response', resourceType: 'Document' },
        ],
      }),
    ])
    return connection
  }

  _onProtocol(method, params) {
    const contents = this.webContents
    if (method === 'Fetch.requestPaused') this._onPaused(params)
    else if (method === 'Runtime.bindingCalled' && params.name === '__standinPost')
      this._fromPage(JSON.parse(params.payload), params.executionContextId)
    else if (method === 'Runtime.executionContextCreated' && params.context.name === ISOLATED_WORLD)
      this._preloadContext = params.context.id
    else if (method === 'Page.domContentEventFired') contents.emit('dom-ready')
    else if (method === 'Page.loadEventFired') this._onLoaded()
    else if (method === 'Page.frameNavigated' && !params.frame.parentId) {
      contents._address = params.frame.url + (params.frame.urlFragment ?? '')
      contents.emit('did-navigate', {}, params.frame.url)
    } else if (method === 'Page.navigatedWithinDocument') contents._address = params.url
    else if (method === 'Inspector.targetCrashed') {
      contents._isCrashed = true
      contents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 })
    } else if (method === 'Page.javascriptDialogOpening') this._do('Page.handleJavaScriptDialog', { accept: true })
  }

  _onLoaded() {
    this.webContents.emit('did-finish-load')
    if (this._hasPainted) return
    this._hasPainted = true
    this.emit('ready-to-show')
  }

  async _onPaused(paused) {
    const send = (method, params) => this._do(method, params)
    const mayNavigate = (address) => {
      if (this._loading === address) return true
      return !isPrevented(this.webContents, 'will-navigate', { url: address }, address)
    }
    // In Electron a message carries its paths; here the sending page is asked for them and must not navigate before the answer.
    if (paused.resourceType === 'Document') await Promise.allSettled(this._naming)
    try {
      await passThroughListeners(send, this.id, paused, mayNavigate)
    } catch (error) {
      // A request can no longer be answered once its page is gone.
      if (!/Invalid InterceptionId|Session with given id not found|closed/.test(error.message))
        process.stderr.write(`${error.stack}\n`)
    }
  }

  async _fromPage({ type, channel, args, id }, context) {
    const contents = this.webContents
    if (type === 'open') {
      const action = contents._answerOpen?.({ url: args[0], frameName: args[1], disposition: 'new-window' }) ?? {
        action: 'allow',
      }
      if (action.action === 'allow') throw new Error('stand-in: a window opened by the page is not implemented')
      return
    }
    const naming = this._withPaths(args, context)
    this._naming.add(naming)
    const given = await naming.finally(() => this._naming.delete(naming))
    const event = { sender: contents, senderFrame: contents.mainFrame, type: 'frame' }
    if (type === 'send') {
      ipcMain.emit(channel, event, ...given)
      return
    }
    let message
    try {
      const reply = answers.get(channel)
      if (!reply) throw new Error(`No handler registered for '${channel}'`)
      const value = await reply(event, ...given)
      message = { reply: id, value: value === undefined ? undefined : structuredClone(value) }
    } catch (error) {
      message = { reply: id, error: `Error invoking remote method '${channel}': ${error}` }
    }
    this._toPage(message)
  }

  /** Replaces every name from webUtils.getPathForFile by the real path; '' for a file without one. */
  async _withPaths(value, context) {
    if (Array.isArray(value)) return Promise.all(value.map((item) => this._withPaths(item, context)))
    if (value && typeof value === 'object') {
      const entries = await Promise.all(
        Object.entries(value).map(async ([name, member]) => [name, await this._withPaths(member, context)]),
      )
      return Object.fromEntries(entries)
    }
    const index = typeof value === 'string' ? /^standin-file:(\d+)$/.exec(value)?.[1] : undefined
    if (index === undefined) return value
    const { result } = await this._do('Runtime.evaluate', {
      expression: `__standinFiles[${index}]`,
      contextId: context,
    })
    const { path } = await this._do('DOM.getFileInfo', { objectId: result.objectId })
    globalThis.__standin.filesNamed = (globalThis.__standin.filesNamed ?? 0) + 1
    return path
  }

  async _toPage(message) {
    await this._opening
    if (this._isDestroyed || this._preloadContext === undefined) return
    await this._do('Runtime.evaluate', {
      expression: `__standinReceive(${JSON.stringify(message)})`,
      contextId: this._preloadContext,
    }).catch(() => {})
  }

  async _do(method, params) {
    const connection = await this._opening
    return connection.send(method, params, this._sessionId)
  }

  async loadURL(address) {
    const contents = this.webContents
    await this._opening
    await settlePermissions(contents, new URL(address).origin)
    this._loading = address
    contents._isCrashed = false
    const loaded = new Promise((resolve) => contents.once('did-finish-load', resolve))
    const { errorText } = await this._do('Page.navigate', { url: address })
    if (errorText) {
      contents.emit('did-fail-load', {}, -2, errorText, address, true)
      throw new Error(`${errorText} loading '${address}'`)
    }
    await loaded
  }

  _gone() {
    if (this._isDestroyed) return
    this._isDestroyed = true
    this.emit('closed')
    windowClosed(this._view)
  }
  async _tryClose() {
    if (this._isDestroyed) return true
    if (isPrevented(this, 'close')) return false
    await this.destroy()
    return true
  }
  close() {
    this._tryClose()
  }
  async destroy() {
    if (this._isDestroyed) return
    const connection = await this._opening
    this._gone()
    await connection.send('Target.closeTarget', { targetId: this._targetId }).catch(() => {})
  }
  isDestroyed() {
    return this._isDestroyed
  }
  show() {
    this._isVisible = true
    this._isMinimized = false
    this.emit('show')
    this.focus()
  }
  showInactive() {
    this._isVisible = true
    this.emit('show')
  }
  hide() {
    this._isVisible = false
    this.blur()
    this.emit('hide')
  }
  isVisible() {
    return this._isVisible
  }
  focus() {
    this._isFocused = true
    this.emit('focus')
  }
  blur() {
    this._isFocused = false
    this.emit('blur')
  }
  isFocused() {
    return this._isFocused ?? this._isVisible
  }
  minimize() {
    this._isMinimized = true
    this.blur()
    this.emit('minimize')
  }
  isMinimized() {
    return this._isMinimized === true
  }
  restore() {
    this._isMinimized = false
    this.emit('restore')
  }
  maximize() {
    this._isMaximized = true
    this.emit('maximize')
  }
  unmaximize() {
    this._isMaximized = false
    this.emit('unmaximize')
  }
  isMaximized() {
    return this._isMaximized === true
  }
  setFullScreen(isFull) {
    this._isFull = isFull
    this.emit(isFull ? 'enter-full-screen' : 'leave-full-screen')
  }
  isFullScreen() {
    return this._isFull === true
  }
  setTitle(title) {
    this._title = title
  }
  getTitle() {
    return this._title
  }
  getBounds() {
    return { ...this._bounds }
  }
  getNormalBounds() {
    return { ...this._bounds }
  }
  setBounds(bounds) {
    const moved = (bounds.x ?? this._bounds.x) !== this._bounds.x || (bounds.y ?? this._bounds.y) !== this._bounds.y
    Object.assign(this._bounds, bounds)
    this._applyBounds().catch(() => {})
    this.emit('resize')
    if (moved) this.emit('move')
  }
  async _applyBounds() {
    const { windowId } = await this._do('Browser.getWindowForTarget', { targetId: this._targetId })
    await this._do('Browser.setWindowBounds', { windowId, bounds: this._bounds })
  }
  setSize(width, height) {
    this.setBounds({ width, height })
  }
  setProgressBar(fraction, options = {}) {
    refuseOptions('setProgressBar', options, ['mode'])
    this._progress = fraction
  }
  setOverlayIcon(icon, description) {
    this._overlay = icon && description
  }
  setTitleBarOverlay(overlay) {
    if (process.platform === 'darwin') throw new Error('setTitleBarOverlay is for Windows and Linux')
    this._options.titleBarOverlay = overlay
  }
  setBackgroundColor(colour) {
    this._options.backgroundColor = colour
  }
  flashFrame(isOn) {
    this._flashes = isOn
  }
}

const find = (test) => [...windows].find(test) ?? null
BrowserWindow.getAllWindows = () => [...windows]
BrowserWindow.getFocusedWindow = () => find((window) => window.isFocused())
BrowserWindow.fromWebContents = (contents) => find((window) => window.webContents === contents)
BrowserWindow.fromId = (id) => find((window) => window.id === id)

cdp.then((connection) =>
  connection.listen(undefined, (method, params) => {
    if (method === 'Target.targetDestroyed') find((window) => window._targetId === params.targetId)?._gone()
  }),
)

exports.BrowserWindow = strict('BrowserWindow', BrowserWindow)
exports.ipcMain = ipcMain
exports.webContents = strict('webContents', {
  fromDevToolsTargetId: (id) => find((window) => window._targetId === id)?.webContents,
  fromId: (id) => BrowserWindow.fromId(id)?.webContents,
  getAllWebContents: () => [...windows].map((window) => window.webContents),
})
