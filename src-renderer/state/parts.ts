/** Parts of the page that are read when they are first shown. They come from the program, which may be away. */
import { createStore } from 'zustand/vanilla'

export interface PartsOptions {
  /** Whether the program answers at all. Never throws. */
  readonly isThere: () => Promise<boolean>
  /** Between two attempts while it does not, ms. */
  readonly pauseMs: number
}

/** Loads that must fail while the program answers before a part is given up: the program may have come back in between. */
const MOST_FAILURES = 2

/** Makes the loading of parts. `isAway` is true while one waits for the program. */
export function createParts({ isThere, pauseMs }: PartsOptions) {
  const store = createStore<{ readonly isAway: boolean }>(() => ({ isAway: false }))
  return {
    store,
    /** Answers what `load` brings, however long the program is away. Throws what `load` throws while the program answers. */
    async load<Part>(load: () => Promise<Part>): Promise<Part> {
      for (let failures = 0; ; ) {
        try {
          const part = await load()
          store.setState({ isAway: false })
          return part
        } catch (error) {
          const isAway = !(await isThere())
          store.setState({ isAway })
          if (isAway) await new Promise((resolve) => setTimeout(resolve, pauseMs))
          else failures += 1
          if (failures === MOST_FAILURES) throw error
        }
      }
    },
  }
}
