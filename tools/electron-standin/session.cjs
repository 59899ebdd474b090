'use strict'
// session.defaultSession: webRequest listeners and permissions act on every real request, through Chromium's Fetch domain.
const { EventEmitter } = require('node:events')
const { cdp } = require('./cdp.cjs')
const { refuseOptions, strict } = require('./strict.cjs')

const RESOURCE_TYPES = {
  Document: 'mainFrame',
  Stylesheet: 'stylesheet',
  Script: 'script',
  Image: 'image',
  Font: 'font',
  XHR: 'xhr',
  Fetch: 'xhr',
  Media: 'media',
  Ping: 'ping',
}
/** Permissions that the page could request, by the protocol's name. */
const PERMISSIONS = {
  geolocation: 'geolocation',
  notifications: 'notifications',
  media: ['camera', 'microphone'],
  midi: 'midi',
  'clipboard-read': 'clipboard-read',
  'clipboard-sanitized-write': 'clipboard-write',
}

const listeners = {}
function listenerSetter(stage) {
  return (...args) => {
    const listener = args.at(-1)
    const filter = args.length > 1 ? args[0] : { urls: ['<all_urls>'] }
    refuseOptions('webRequest filter', filter, ['urls'])
    listeners[stage] = listener && {
      listener,
      patterns: filter.urls.map((pattern) =>
        pattern === '<all_urls>'
          ? /^/
          : new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`),
      ),
    }
  }
}

/** Calls the listener of a stage; undefined without one for the address. */
function ask(stage, details) {
  const entry = listeners[stage]
  if (!entry?.patterns.some((pattern) => pattern.test(details.url))) return Promise.resolve(undefined)
  return new Promise((resolve) => entry.listener(details, (answer = {}) => resolve(answer)))
}

const headerList = (headers) =>
  Object.entries(headers).flatMap(([name, value]) => [value].flat().map((text) => ({ name, value: String(text) })))

async function passRequest(send, paused, details) {
  const before = await ask('onBeforeRequest', details)
  if (before?.cancel) return send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'BlockedByClient' })
  if (before?.redirectURL) throw new Error('stand-in: redirectURL of onBeforeRequest is not implemented')
  const headers = await ask('onBeforeSendHeaders', { ...details, requestHeaders: { ...paused.request.headers } })
  if (headers?.cancel) return send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'BlockedByClient' })
  return send('Fetch.continueRequest', {
    requestId: paused.requestId,
    ...(headers?.requestHeaders ? { headers: headerList(headers.requestHeaders) } : {}),
  })
}

async function passResponse(send, paused, details) {
  const responseHeaders = {}
  for (const { name, value } of paused.responseHeaders ?? [])
    responseHeaders[name] = [...(responseHeaders[name] ?? []), value]
  const answer = await ask('onHeadersReceived', { ...details, statusCode: paused.responseStatusCode, responseHeaders })
  if (answer?.cancel) return send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'BlockedByClient' })
  return send('Fetch.continueResponse', {
    requestId: paused.requestId,
    ...(answer?.responseHeaders
      ? { responseCode: paused.responseStatusCode, responseHeaders: headerList(answer.responseHeaders) }
      : {}),
  })
}

/** Passes one paused request of a window through the listeners. `mayNavigate` is called for documents of the main frame. */
exports.passThroughListeners = async function passThroughListeners(send, webContentsId, paused, mayNavigate) {
  const isMainDocument = paused.resourceType === 'Document'
  const details = {
    id: paused.networkId ?? paused.requestId,
    url: paused.request.url,
    method: paused.request.method,
    webContentsId,
    resourceType: RESOURCE_TYPES[paused.resourceType] ?? 'other',
    referrer: paused.request.headers.Referer ?? '',
    timestamp: Date.now(),
  }
  if (paused.responseStatusCode !== undefined) return passResponse(send, paused, details)
  if (paused.responseErrorReason)
    return send('Fetch.failRequest', { requestId: paused.requestId, errorReason: paused.responseErrorReason })
  if (isMainDocument && !mayNavigate(details.url))
    return send('Fetch.failRequest', { requestId: paused.requestId, errorReason: 'Aborted' })
  return passRequest(send, paused, details)
}

let answerPermission
let checkPermission

/** Sets every permission for an origin by the application's handlers; Electron's own default is to grant. */
exports.settlePermissions = async function settlePermissions(webContents, origin) {
  const connection = await cdp
  for (const [permission, names] of Object.entries(PERMISSIONS)) {
    const details = { requestingUrl: `${origin}/`, securityOrigin: origin, isMainFrame: true }
    const isAsked = answerPermission
      ? await new Promise((resolve) => answerPermission(webContents, permission, resolve, details))
      : true
    const isGranted = isAsked && (checkPermission?.(webContents, permission, origin, details) ?? true)
    const setting = isGranted ? 'granted' : 'denied'
    for (const name of [names].flat())
      await connection.send('Browser.setPermission', { permission: { name }, setting, origin })
  }
}

const defaultSession = strict(
  'session',
  Object.assign(new EventEmitter(), {
    webRequest: strict('session.webRequest', {
      onBeforeRequest: listenerSetter('onBeforeRequest'),
      onBeforeSendHeaders: listenerSetter('onBeforeSendHeaders'),
      onHeadersReceived: listenerSetter('onHeadersReceived'),
    }),
    setPermissionRequestHandler(handler) {
      answerPermission = handler
    },
    setPermissionCheckHandler(handler) {
      checkPermission = handler
    },
    // Headless Chromium has no dictionaries and no devices to choose from: these already match the application's settings.
    setSpellCheckerEnabled(isEnabled) {
      if (isEnabled) throw new Error('stand-in: there is no spell checker')
    },
    setDevicePermissionHandler(handler) {
      if (handler({ deviceType: 'usb', origin: '', device: {} })) throw new Error('stand-in: there are no devices')
    },
  }),
)
exports.session = strict('session', { defaultSession })
