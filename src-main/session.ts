/**
 * Rules for the requests of the page. The credential of this start is added here, on the way out, so that no
 * script of the page ever holds it; everything that is not our own origin is refused. What the page may run is in the server's
 * Content-Security-Policy.
 */
import type { Session } from 'electron'

/** Copying text is the one thing that the page may ask of the system. */
const ALLOWED_PERMISSIONS = new Set(['clipboard-sanitized-write'])

/** Returns the headers with ours in the place of any of that name, whatever its capitals. */
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
