/** Loads the code of screens on first use. It comes from the program, which may be away. */
import { createStore } from 'zustand/vanilla'

export interface ScreenLoaderDeps {
  /** Tells whether the program answers at all. Never throws. */
  readonly isReachable: () => Promise<boolean>
  /** Interval between attempts while it does not, ms. */
  readonly pauseMs: number
}

/** Failed loads with the program reachable before a screen is given up: the program may have come back in between. */
const MOST_FAILURES = 2

/** Creates the loader. `isAway` is true while a screen waits for the program. */
export function createScreenLoader({ isReachable, pauseMs }: ScreenLoaderDeps) {
  const store = createStore<{ readonly isAway: boolean }>(() => ({ isAway: false }))
  return {
    store,
    /**
     * Returns the result of `load`, however long the program is away. Throws the error of `load` while the program
     * answers.
     */
    async load<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
      for (let failures = 0; ; ) {
        try {
          const loaded = await load()
          store.setState({ isAway: false })
          return loaded
        } catch (error) {
          const isAway = !(await isReachable())
          store.setState({ isAway })
          if (isAway) await new Promise((resolve) => setTimeout(resolve, pauseMs))
          else failures += 1
          if (failures === MOST_FAILURES) throw error
        }
      }
    },
  }
}
