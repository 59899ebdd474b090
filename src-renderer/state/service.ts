/** The account as the server told it: plan, credits, limits. */
import { createStore } from 'zustand/vanilla'
import type { Account } from '../../src-server/contract/account.ts'
import type { Settings, SystemState } from '../../src-server/contract/app.ts'
import type { Client } from '../api/client.ts'
import type { LinkState } from '../api/events.ts'

export interface Service {
  readonly account: Account | null
  readonly settings: Settings | null
  readonly system: SystemState | null
  readonly link: LinkState
  /** The page has no valid credential: it was opened without the link that the program prints. */
  readonly isLockedOut: boolean
}

/** Makes the store of what the service says of itself, with its actions. */
export function createService(client: Client) {
  const store = createStore<Service>(() => ({
    account: null,
    settings: null,
    system: null,
    link: 'connecting',
    isLockedOut: false,
  }))
  return {
    store,
    /** Reads the account. Throws ApiError. */
    async readAccount() {
      store.setState({ account: await client.call('readAccount', {}) })
    },
    /** Reads settings and system. Throws ApiError. */
    async readMachine() {
      const [settings, system] = await Promise.all([client.call('readSettings', {}), client.call('readSystem', {})])
      store.setState({ settings, system })
    },
    /** Changes settings and keeps what the server made of them. Throws ApiError. */
    async changeSettings(change: Partial<Settings>) {
      store.setState({ settings: await client.call('changeSettings', { body: change }) })
    },
    /** Throws ApiError. */
    async setPlan(plan: Account['plan']) {
      store.setState({ account: await client.call('setPlan', { body: { plan } }) })
    },
    /** Throws ApiError. */
    async grantCredits(amount: number) {
      store.setState({ account: await client.call('grantCredits', { body: { amount } }) })
    },
    showLink: (link: LinkState) => store.setState({ link }),
    lockOut: () => store.setState({ isLockedOut: true }),
  }
}

export type ServiceActions = ReturnType<typeof createService>
