/**
 * The source of the page's credential. In the desktop app the main process adds it to every request and the page never sees it; in a
 * browser the link of the page carries a one-time ticket in its fragment, which no server and no log receives, and the page
 * exchanges it. A link in the browser's history opens nothing any more.
 */

import { ApiError, type Client } from '../../src-contract/client.ts'
import { ticketIn } from '../../src-contract/session.ts'

const STORED = 'loudsmith.session'

/** Result of opening this tab. */
export interface Opening {
  /** The credential of this tab; null if the main process sends it, or if the page was opened without a valid link. */
  readonly session: string | null
  /** The link's ticket was already used or has expired, and the tab had no earlier credential. */
  readonly isTicketSpent: boolean
}

/**
 * Exchanges the ticket in the address, which is removed from it at once, for the credential, and stores that for this
 * tab to survive a reload. Without a ticket, or if it is refused, the tab keeps its credential.
 */
export async function openSession(client: Client): Promise<Opening> {
  const ticket = ticketIn(location.hash)
  const stored = sessionStorage.getItem(STORED)
  if (ticket === null) return { session: stored, isTicketSpent: false }
  history.replaceState(null, '', `${location.pathname}${location.search}#/`)
  try {
    const { credential } = await client.call('openSession', { body: { ticket } })
    keepSession(credential)
    return { session: credential, isTicketSpent: false }
  } catch (error) {
    const isTicketSpent = stored === null && error instanceof ApiError && error.code === 'TICKET_SPENT'
    return { session: stored, isTicketSpent }
  }
}

/** Stores a credential for this tab to survive a reload. */
export function keepSession(session: string): void {
  sessionStorage.setItem(STORED, session)
}

export interface TabsOptions {
  /** The credential of this tab while the server accepts it; null otherwise. */
  readonly valid: () => string | null
  /** Called with a valid credential from another tab if this one has none. */
  readonly onGiven: (session: string) => void
}

/**
 * Connects the tabs of this origin in this browser: a tab with an expired credential takes over that of another. `ask`
 * requests one, `tell` offers this tab's own.
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
