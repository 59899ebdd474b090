'use strict'
// The page's side: the preload script runs in its own isolated world, as in Electron, and only its exposed members reach the page.
const fs = require('node:fs')

/**
 * Runs in both worlds. Values cross by events that neither world's scripts can name; functions cross as numbers, promises as
 * later messages, and everything else is cloned by Chromium, files included.
 */
function makeMembrane(channel, side) {
  const other = side === 'page' ? 'preload' : 'page'
  const { addEventListener, dispatchEvent } = EventTarget.prototype
  const Message = MessageEvent
  const functions = new Map()
  const waiting = new Map()
  let lastId = 0
  let answer

  const isPlain = (value) =>
    value !== null &&
    typeof value === 'object' &&
    (Array.isArray(value) || Object.prototype.toString.call(value) === '[object Object]')
  const send = (message) => dispatchEvent.call(window, new Message(`${channel}:${other}`, { data: message }))

  function encode(value) {
    if (typeof value === 'function') {
      const id = ++lastId
      functions.set(id, value)
      return { kind: 'function', id }
    }
    if (value instanceof Promise) {
      const id = ++lastId
      value.then(
        (result) => send({ type: 'settle', id, value: encode(result) }),
        (error) => send({ type: 'settle', id, failure: String(error?.message ?? error) }),
      )
      return { kind: 'promise', id }
    }
    if (Array.isArray(value)) return { kind: 'list', items: value.map(encode) }
    if (isPlain(value))
      return { kind: 'object', members: Object.entries(value).map(([name, member]) => [name, encode(member)]) }
    return { kind: 'value', value }
  }

  function decode(coded) {
    if (coded.kind === 'value') return coded.value
    if (coded.kind === 'list') return coded.items.map(decode)
    if (coded.kind === 'object')
      return Object.freeze(Object.fromEntries(coded.members.map(([name, member]) => [name, decode(member)])))
    if (coded.kind === 'promise') return new Promise((resolve, reject) => waiting.set(coded.id, { resolve, reject }))
    return (...args) => {
      answer = undefined
      send({ type: 'call', id: coded.id, args: args.map(encode) })
      const { value, failure } = answer
      if (failure !== undefined) throw new Error(failure)
      return decode(value)
    }
  }

  let receiveExposed
  addEventListener.call(window, `${channel}:${side}`, (event) => {
    const message = event.data
    if (message.type === 'expose') receiveExposed(message.name, decode(message.value))
    if (message.type === 'answer') answer = message
    if (message.type === 'settle') {
      const { resolve, reject } = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.failure === undefined) resolve(decode(message.value))
      else reject(new Error(message.failure))
    }
    if (message.type === 'call') {
      let reply
      try {
        reply = { type: 'answer', value: encode(functions.get(message.id)(...message.args.map(decode))) }
      } catch (error) {
        reply = { type: 'answer', failure: String(error?.message ?? error) }
      }
      send(reply)
    }
  })
  return {
    expose: (name, value) => send({ type: 'expose', name, value: encode(value) }),
    onExpose: (receive) => {
      receiveExposed = receive
    },
    send,
  }
}

/** The main world: receives the preload's exposed members, and turns window.open into a request to the main process. */
function pageWorld(membrane) {
  membrane.onExpose((name, value) => Object.defineProperty(window, name, { value, enumerable: true }))
  window.open = (address = '', frameName = '') => {
    window.dispatchEvent(
      new CustomEvent('standin:open', { detail: JSON.stringify([new URL(address, location.href).href, frameName]) }),
    )
    return null
  }
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[target=_blank]') : null
    if (!link || event.defaultPrevented) return
    event.preventDefault()
    window.open(link.href)
  })
}

/** The isolated world: ipcRenderer, contextBridge and webUtils over one binding, present only in this world. */
function preloadWorld(membrane, environment, runPreload) {
  const post = globalThis.__standinPost
  delete globalThis.__standinPost
  const strict = (name, object) =>
    new Proxy(object, {
      get(target, member) {
        if (member in target || typeof member === 'symbol' || member === 'then') return target[member]
        throw new Error(`stand-in: ${name}.${String(member)} of Electron is not implemented`)
      },
    })
  const listeners = new Map()
  const waiting = new Map()
  const files = []
  let lastId = 0
  globalThis.__standinFiles = files
  globalThis.__standinReceive = (message) => {
    if (message.reply) {
      const { resolve, reject } = waiting.get(message.reply)
      waiting.delete(message.reply)
      if (message.error === undefined) resolve(message.value)
      else reject(new Error(message.error))
      return
    }
    for (const listener of [...(listeners.get(message.channel) ?? [])])
      listener({ sender: ipcRenderer }, ...message.args)
  }
  const ipcRenderer = strict('ipcRenderer', {
    invoke: (channel, ...args) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        post(JSON.stringify({ type: 'invoke', channel, args: structuredClone(args), id }))
      }),
    send: (channel, ...args) => post(JSON.stringify({ type: 'send', channel, args: structuredClone(args) })),
    on(channel, listener) {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener])
      return ipcRenderer
    },
    off(channel, listener) {
      listeners.set(
        channel,
        (listeners.get(channel) ?? []).filter((known) => known !== listener),
      )
      return ipcRenderer
    },
  })
  const contextBridge = strict('contextBridge', { exposeInMainWorld: (name, value) => membrane.expose(name, value) })
  // Chromium answers the path asynchronously here, so a name for it travels and becomes the path on arrival in the main process.
  const webUtils = strict('webUtils', {
    getPathForFile(file) {
      if (!(file instanceof File)) throw new TypeError('getPathForFile takes a File')
      return `standin-file:${files.push(file) - 1}`
    },
  })
  window.addEventListener('standin:open', (event) =>
    post(JSON.stringify({ type: 'open', args: JSON.parse(event.detail) })),
  )
  const electron = strict('electron', { ipcRenderer, contextBridge, webUtils })
  const require = (name) => {
    if (name === 'electron' || name === 'electron/renderer') return electron
    throw new Error(`module not found: ${name}`)
  }
  const module = { exports: {} }
  runPreload(require, module, module.exports, environment)
}

/** Sources for Page.addScriptToEvaluateOnNewDocument, the page's world first. Subframes get neither. */
exports.pageScripts = function pageScripts(channel, preloadFile, additionalArguments) {
  const environment = JSON.stringify({
    platform: process.platform,
    versions: process.versions,
    argv: [process.execPath, ...(additionalArguments ?? [])],
    sandboxed: true,
    contextIsolated: true,
    type: 'renderer',
  })
  const membrane = (side) => `(${makeMembrane})(${JSON.stringify(channel)}, '${side}')`
  const preload = preloadFile ? fs.readFileSync(preloadFile, 'utf8') : ''
  return {
    page: `if (window.top === window) { (${pageWorld})(${membrane('page')}) }`,
    preload: `if (window.top === window) { (${preloadWorld})(${membrane('preload')}, ${environment}, (require, module, exports, process) => {\n${preload}\n}) }`,
  }
}
