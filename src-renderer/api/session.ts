/**
 * Where the page's credential comes from. In the desktop app the main process adds it to every request and the page never
 * sees it; in a browser the link that the program prints carries it in the fragment, which no server and no log receives.
 */

const STORED = 'loudsmith.session'

/** Takes the credential out of a fragment such as `#session=abc`; null when there is none that can be read. Pure. */
export function sessionInFragment(fragment: string): string | null {
  const match = /(?:^#|&)session=([^&]+)/.exec(fragment)
  try {
    return match?.[1] ? decodeURIComponent(match[1]) : null
  } catch {
    return null
  }
}

/**
 * Returns the credential of this tab, or null where the main process sends it (or the page was opened without its link).
 * Moves a credential from the address into sessionStorage at once, so that it is in no history entry and a reload works.
 */
export function takeSession(): string | null {
  const fresh = sessionInFragment(location.hash)
  if (fresh) {
    history.replaceState(null, '', `${location.pathname}${location.search}#/`)
    sessionStorage.setItem(STORED, fresh)
  }
  return fresh ?? sessionStorage.getItem(STORED)
}
