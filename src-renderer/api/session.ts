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
    keepSession(fresh)
  }
  return fresh ?? sessionStorage.getItem(STORED)
}

/** Keeps a credential for this tab, so that a reload works. */
export function keepSession(session: string): void {
  sessionStorage.setItem(STORED, session)
}

export interface TabsOptions {
  /** The credential of this tab while the server takes it; null otherwise. */
  readonly valid: () => string | null
  /** Called with the credential of another tab that the server takes, when this one has none. */
  readonly onGiven: (session: string) => void
}

/**
 * Joins the tabs of this origin in this browser: one whose credential has ended goes on with that of another. `ask` looks for one,
 * `tell` offers this tab's own.
 */
export function joinTabs({ valid, onGiven }: TabsOptions): { readonly ask: () => void; readonly tell: () => void } {
  const channel = new BroadcastChannel(STORED)
  const tell = () => {
    const session = valid()
    if (session) channel.postMessage({ session })
  }
  channel.onmessage = ({ data }: MessageEvent<{ session?: string }>) => {
    if (!data.session) tell()
    else if (!valid()) onGiven(data.session)
  }
  return { ask: () => channel.postMessage({}), tell }
}
