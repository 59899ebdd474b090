/** A list kept by the server, as last read. */
import { createStore } from 'zustand/vanilla'
import { atMost } from '../../src-contract/at-most.ts'

/** Makes the store of a list with its reading. `items` is null before the first; `readAll` asks for all of them. */
export function createListing<Item>(readAll: () => Promise<readonly Item[]>) {
  const store = createStore<{ readonly items: readonly Item[] | null }>(() => ({ items: null }))
  const inTurn = atMost(1)
  return {
    store,
    /** Reloads the list; the previous one stays if that fails. Never throws. */
    read: () => inTurn(async () => store.setState({ items: await readAll() })).catch(() => undefined),
  }
}
