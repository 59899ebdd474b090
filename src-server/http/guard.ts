/**
 * Host and Origin check of every request. The server is bound to loopback, but every web page the user opens can reach loopback too, and a
 * name of an attacker can be made to resolve to it (DNS rebinding): both are recognised by the headers that a page cannot forge.
 */

import type { IncomingMessage } from 'node:http'
import { LINK_PATH } from '../../src-contract/links.ts'

/** Accepted host names of the server. */
const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']
/** Pages that a link on another site may open. */
const OPENABLE_FROM_ANYWHERE = new Set(['/', '/docs', '/docs/', '/healthz'])

/** Addresses of results that need no key. */
const LINK = new RegExp(`^${LINK_PATH}[^/]+$`)

/** A request target with a scheme; its host takes precedence over the Host header (RFC 9112 section 3.2.2). */
export const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i

/**
 * Returns whether a request may proceed: its Host is one of our three names with `port`, its Origin is absent or ours, and it does not come
 * from a page of another site, except for opening one of our pages or a link. Never throws.
 */
export function isAllowed(request: Pick<IncomingMessage, 'method' | 'url' | 'headers'>, port: number): boolean {
  const { method, url = '', headers } = request
  const text = (name: string) => [headers[name] ?? []].flat().join(',').toLowerCase()
  const hosts = LOOPBACK_NAMES.map((name) => `${name}:${port}`)
  // A client omits the port only if it is the scheme's default.
  const named = port === 80 ? [...hosts, ...LOOPBACK_NAMES] : hosts
  const host = ABSOLUTE_FORM.exec(url)?.[1]?.toLowerCase() ?? text('host')
  if (!named.includes(host)) return false
  if (headers.origin !== undefined && !named.some((own) => text('origin') === `http://${own}`)) return false
  if (text('sec-fetch-site') !== 'cross-site') return true
  const [path = ''] = url.split('?')
  if (method !== 'GET' || text('sec-fetch-mode') !== 'navigate') return false
  // A page of another site may link to a shared result, but not load it into a frame.
  return OPENABLE_FROM_ANYWHERE.has(path) || (LINK.test(path) && text('sec-fetch-dest') === 'document')
}
