'use strict'
// Chromium's DevTools protocol over one WebSocket; sessions are flat.
class Cdp {
  constructor() {
    this.lastId = 0
    this.pending = new Map()
    this.listeners = new Map()
  }

  async connect(address) {
    this.socket = new WebSocket(address)
    await new Promise((resolve, reject) => {
      this.socket.onopen = resolve
      this.socket.onerror = () => reject(new Error('stand-in: cannot reach Chromium'))
    })
    this.socket.onmessage = ({ data }) => this.receive(JSON.parse(data))
    return this
  }

  receive({ id, result, error, method, params, sessionId }) {
    if (!id) {
      this.listeners.get(sessionId ?? '')?.(method, params)
      return
    }
    const { resolve, reject, method: asked } = this.pending.get(id)
    this.pending.delete(id)
    if (error) reject(new Error(`${asked}: ${error.message}`))
    else resolve(result)
  }

  /** Sets the one listener of a session; without a session, of the browser. */
  listen(sessionId, listener) {
    this.listeners.set(sessionId ?? '', listener)
  }

  send(method, params = {}, sessionId) {
    const id = ++this.lastId
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject, method })
      this.socket.send(JSON.stringify({ id, method, params, sessionId }))
    })
  }
}

/** The connection of this process; rejects if Chromium does not start. */
exports.cdp = (async () => {
  const { endpoint } = await globalThis.__standin.browser
  const cdp = await new Cdp().connect(await endpoint)
  await cdp.send('Target.setDiscoverTargets', { discover: true })
  return cdp
})()
exports.cdp.catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exit(1)
})
