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
  /** The link's ticket is used or expired, and the tab has no earlier credential. */
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

/** A tab without a credential that asks the others to let it in. */
export interface TabRequest {
  readonly requestId: string
  /** Four digits that both tabs show. */
  readonly code: string
}

/** Time that a tab waits to be let in, ms. */
const REQUEST_MS = 60_000
/** Pause before an unanswered tab asks again, ms. */
const ASK_MS = 1000

export interface TabsOptions {
  /** The credential of this tab while the server accepts it; null otherwise. */
  readonly valid: () => string | null
  /** Called with a valid credential from another tab if this one has none. */
  readonly onGiven: (session: string) => void
  /** Called with a tab that asks to be let in, and with null once it is answered or has waited too long. */
  readonly onAsked: (request: TabRequest | null) => void
}

/** Messages between the tabs; the browser delivers them within one origin only. */
type TabMessage =
  | { readonly kind: 'ask' }
  | { readonly kind: 'session'; readonly session: string }
  | { readonly kind: 'request'; readonly request: TabRequest }
  | { readonly kind: 'shown'; readonly requestId: string }
  | { readonly kind: 'over'; readonly requestId: string }
  | { readonly kind: 'letIn'; readonly requestId: string; readonly session: string }

function openChannel(hear: (message: TabMessage) => void): (message: TabMessage) => void {
  const channel = new BroadcastChannel(STORED)
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => hear(data)
  return (message) => channel.postMessage(message)
}

/** A tab among the others of this browser. */
export interface Tabs {
  /** Requests a valid credential from the others. */
  readonly ask: () => void
  /** Offers the others this tab's own. */
  readonly tell: () => void
  /** Answers the tab that asks to be let in. */
  readonly answer: (isLetIn: boolean) => void
}

/**
 * Connects the tabs of this origin in this browser: a tab with an expired credential takes over that of another, and the user can let in a
 * tab that never had one, one at a time.
 */
export function joinTabs({ valid, onGiven, onAsked }: TabsOptions): Tabs {
  let asking: string | null = null
  let patience: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    clearTimeout(patience)
    asking = null
    onAsked(null)
  }
  const tell = () => {
    const session = valid()
    if (session) send({ kind: 'session', session })
  }
  const send = openChannel((message) => {
    if (message.kind === 'ask') tell()
    else if (message.kind === 'session' && !valid()) onGiven(message.session)
    else if (message.kind === 'request' && valid()) {
      const { requestId } = message.request
      if (asking === null) {
        asking = requestId
        patience = setTimeout(end, REQUEST_MS)
        onAsked(message.request)
      }
      send({ kind: asking === requestId ? 'shown' : 'over', requestId })
    } else if ((message.kind === 'over' || message.kind === 'letIn') && message.requestId === asking) end()
  })
  return {
    ask: () => send({ kind: 'ask' }),
    tell,
    answer(isLetIn) {
      const session = valid()
      const requestId = asking
      if (requestId === null) return
      send(isLetIn && session ? { kind: 'letIn', requestId, session } : { kind: 'over', requestId })
      end()
    },
  }
}

export interface AskTabsOptions {
  /** Called once another tab shows the request, and with null once no tab does. */
  readonly onShown: (request: TabRequest | null) => void
  readonly onLetIn: (session: string) => void
}

/** Asks the other tabs of this browser to let this one in, for a minute. Nothing is shown where no tab can. */
export function askTabs({ onShown, onLetIn }: AskTabsOptions): void {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
  const request = { requestId: crypto.randomUUID(), code: String(number % 10_000).padStart(4, '0') }
  const { requestId } = request
  let isOver = false
  const end = () => {
    clearInterval(asking)
    if (!isOver) onShown(null)
    isOver = true
  }
  const send = openChannel((message) => {
    if (isOver || !('requestId' in message) || message.requestId !== requestId) return
    clearInterval(asking)
    if (message.kind === 'shown') onShown(request)
    else if (message.kind === 'over') end()
    else if (message.kind === 'letIn') {
      isOver = true
      onLetIn(message.session)
    }
  })
  const leave = () => send({ kind: 'over', requestId })
  addEventListener('pagehide', leave, { once: true })
  setTimeout(end, REQUEST_MS)
  const ask = () => send({ kind: 'request', request })
  // Another tab may just be connecting again.
  const asking = setInterval(ask, ASK_MS)
  ask()
}
