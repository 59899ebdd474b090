/** The ledger of credits, newest first, as far back as it was loaded. */
import { createStore } from 'zustand/vanilla'
import type { LedgerEntry } from '../../src-contract/account.ts'
import { atMost } from '../../src-contract/at-most.ts'
import type { Client } from '../../src-contract/client.ts'

export interface Ledger {
  /** Null before the first reading. */
  readonly entries: readonly LedgerEntry[] | null
  readonly hasEarlier: boolean
}

/** Entries shown at first, and added by each further reading. */
const FIRST = 8
const FURTHER = 50

/** Makes the store of the ledger with its readings. */
export function createLedger(client: Client) {
  const store = createStore<Ledger>(() => ({ entries: null, hasEarlier: false }))
  const inTurn = atMost(1)

  /** Returns at most `count` entries before `before`, and whether there are earlier ones. Throws ApiError. */
  const ask = async (count: number, before?: number) => {
    const query = { limit: count + 1, ...(before === undefined ? {} : { before }) }
    const { entries } = await client.call('readLedger', { query })
    return { found: entries.slice(0, count), hasEarlier: entries.length > count }
  }

  const readFirst = async () => {
    const { found, hasEarlier } = await ask(FIRST)
    store.setState({ entries: found, hasEarlier })
  }

  /** All newer entries go before those shown: an entry never changes. */
  const readNew = async (known: readonly LedgerEntry[]) => {
    const newest = known[0]?.entry_id ?? 0
    const fresh: LedgerEntry[] = []
    let isJoined = false
    while (!isJoined) {
      const { found, hasEarlier } = await ask(FIRST, fresh.at(-1)?.entry_id)
      fresh.push(...found.filter((entry) => entry.entry_id > newest))
      isJoined = !hasEarlier || found.some((entry) => entry.entry_id <= newest)
    }
    store.setState({ entries: [...fresh, ...known] })
  }

  return {
    store,
    /** Reads the newest entries; the entries shown stay, even if that fails. Never throws. */
    read: () =>
      inTurn(() => {
        const { entries } = store.getState()
        return entries && entries.length > 0 ? readNew(entries) : readFirst()
      }).catch(() => undefined),
    /** Reads the entries before the last one shown. Throws ApiError. */
    readEarlier: () =>
      inTurn(async () => {
        const { entries, hasEarlier: isOpen } = store.getState()
        if (!entries || !isOpen) return
        const { found, hasEarlier } = await ask(FURTHER, entries.at(-1)?.entry_id)
        store.setState({ entries: [...entries, ...found], hasEarlier })
      }),
  }
}
