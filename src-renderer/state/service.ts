/** The account as reported by the server: plan, credits, limits. */
import { createStore } from 'zustand/vanilla'
import type { Account } from '../../src-contract/account.ts'
import type { Settings, SystemState } from '../../src-contract/app.ts'
import { atMost } from '../../src-contract/at-most.ts'
import type { Client } from '../../src-contract/client.ts'
import type { LinkState } from '../api/events.ts'
import type { TabRequest } from '../api/session.ts'

export interface Service {
  readonly account: Account | null
  readonly settings: Settings | null
  readonly system: SystemState | null
  readonly link: LinkState
  /** The page has no valid credential: it was opened without a valid link, or the program was restarted. */
  readonly isLockedOut: boolean
  /** The page was opened with a link already used or too old. */
  readonly isTicketSpent: boolean
  /** The code that this tab shows while it asks another to let it in; null once that is over, undefined before. */
  readonly ownCode?: string | null
  /** The code of another tab that asks to be let in. */
  readonly askingCode: string | null
}

/** Creates the store of the service's state, with its actions. */
export function createService(client: Client, { isTicketSpent = false }: { readonly isTicketSpent?: boolean } = {}) {
  const store = createStore<Service>(() => ({
    account: null,
    settings: null,
    system: null,
    link: 'connecting',
    isLockedOut: false,
    isTicketSpent,
    askingCode: null,
  }))
  const inAccountTurn = atMost(1)
  const inReadingTurn = atMost(1)
  const inChangeTurn = atMost(1)
  let changes = 0
  const keepAccount = (ask: () => Promise<Account>) =>
    inAccountTurn(async () => store.setState({ account: await ask() }))
  /** Reloads until no change was made meanwhile: an older answer never replaces that of a change. */
  const readSettings = () =>
    inReadingTurn(async () => {
      for (;;) {
        await inChangeTurn(async () => undefined)
        const changesBefore = changes
        const settings = await client.call('readSettings', {})
        if (changes === changesBefore) return store.setState({ settings })
      }
    })
  const readSystem = async () => store.setState({ system: await client.call('readSystem', {}) })
  return {
    store,
    /** Reads the account. Throws ApiError. */
    readAccount: () => keepAccount(() => client.call('readAccount', {})),
    /** Keeps the results about to be deleted for another period. Throws ApiError. */
    async keepResults() {
      await client.call('keepResults', {})
      await keepAccount(() => client.call('readAccount', {}))
    },
    /** Reads settings and system. Throws ApiError. */
    async readMachine() {
      await Promise.all([readSettings(), readSystem()])
    },
    /** Reads the settings. Throws ApiError. */
    readSettings,
    /** Reads the state of the machine. Throws ApiError. */
    readSystem,
    /** Changes settings and stores the server's answer, even if the page closes meanwhile. Throws ApiError. */
    changeSettings(change: Partial<Settings>) {
      changes++
      return inChangeTurn(async () => {
        store.setState({ settings: await client.call('changeSettings', { body: change, keepalive: true }) })
      })
    },
    /** Throws ApiError. */
    setPlan: (plan: Account['plan']) => keepAccount(() => client.call('setPlan', { body: { plan } })),
    /** Throws ApiError. */
    grantCredits: (amount: number) => keepAccount(() => client.call('grantCredits', { body: { amount } })),
    showLink: (link: LinkState) => store.setState({ link }),
    lockOut: () => store.setState({ isLockedOut: true }),
    ticketSpent: (isSpent: boolean) => store.setState({ isTicketSpent: isSpent }),
    asks: (request: TabRequest | null) => store.setState({ ownCode: request?.code ?? null }),
    askedBy: (request: TabRequest | null) => store.setState({ askingCode: request?.code ?? null }),
    letIn: () => store.setState({ isLockedOut: false, link: 'connecting' }),
  }
}
