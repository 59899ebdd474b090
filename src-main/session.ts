/**
 * Rules for the requests of the page. The credential of this start is added here to outgoing requests, out of reach of the page's scripts;
 * all other origins are refused. The server's Content-Security-Policy says what the page may run.
 */
import type { Session } from 'electron'

/** Permissions of the page: only copying text. */
const ALLOWED_PERMISSIONS = new Set(['clipboard-sanitized-write'])

/** Returns the headers with ours replacing any of the same name, ignoring case. */
export function withHeader<Value>(headers: Record<string, Value>, name: string, value: Value): Record<string, Value> {
  const others = Object.entries(headers).filter(([other]) => other.toLowerCase() !== name.toLowerCase())
  return { ...Object.fromEntries(others), [name]: value }
}

/** Ties a session to the server at `origin`. Call it before the first window opens. */
export function guardSession(session: Session, origin: string, credential: string): void {
  session.webRequest.onBeforeRequest((details, answer) => {
    const isOurs = details.url.startsWith(`${origin}/`) || /^(blob|data|devtools):/.test(details.url)
    answer({ cancel: !isOurs })
  })
  session.webRequest.onBeforeSendHeaders({ urls: [`${origin}/*`] }, (details, answer) => {
    answer({ requestHeaders: withHeader(details.requestHeaders, 'Authorization', `Bearer ${credential}`) })
  })
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(ALLOWED_PERMISSIONS.has(permission)))
  session.setPermissionCheckHandler((_contents, permission, from) => {
    return ALLOWED_PERMISSIONS.has(permission) && from === origin
  })
  session.setDevicePermissionHandler(() => false)
  session.setSpellCheckerEnabled(false)
}
