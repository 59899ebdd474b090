/**
 * Who may speak to the server at all. It is bound to loopback, but every web page the user opens can reach loopback too, and a
 * name of an attacker can be made to resolve to it (DNS rebinding): both are recognised by the headers that a page cannot forge.
 */

/** The headers of one request that decide. */
export interface RequestOrigin {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly host: string | undefined
  readonly origin: string | undefined
  readonly fetchSite: string | undefined
  readonly fetchMode: string | undefined
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']
/** Pages that a link on another site may open. */
const OPENABLE_FROM_ANYWHERE = new Set(['/', '/docs', '/docs/', '/healthz'])

/**
 * Returns whether a request may go on: its Host is one of our three names with `port`, its Origin is absent or ours, and it was
 * not made by a page of another site, other than by opening one of our pages. Never throws.
 */
export function isAllowed(request: RequestOrigin, port: number): boolean {
  const hosts = LOOPBACK_NAMES.map((name) => `${name}:${port}`)
  // A client leaves the port out only where it is the scheme's own.
  const named = port === 80 ? [...hosts, ...LOOPBACK_NAMES] : hosts
  const host = request.host?.toLowerCase()
  if (host === undefined || !named.includes(host)) return false
  const origin = request.origin?.toLowerCase()
  if (origin !== undefined && !named.some((own) => origin === `http://${own}`)) return false
  if (request.fetchSite?.toLowerCase() !== 'cross-site') return true
  return (
    request.method === 'GET' &&
    request.fetchMode?.toLowerCase() === 'navigate' &&
    OPENABLE_FROM_ANYWHERE.has(request.path)
  )
}
