/** Bounded concurrency. */

/**
 * Returns a function that runs pieces of work, at most `count` at a time, in the order in which they were given. Each settles as its
 * work does: a rejection holds up none of the others.
 */
export function atMost(count: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    // The piece that ends hands its turn over, so that none that comes later is before one that waits.
    if (running < count) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

/**
 * Returns a function that runs pieces of work one after another. Several calls with one name share the work, which goes on when its
 * first caller has left.
 */
export function sharedInTurn<Result>() {
  const inTurn = atMost(1)
  const underWay = new Map<string, Promise<Result>>()
  return (name: string, work: () => Promise<Result>): Promise<Result> => {
    const shared = underWay.get(name) ?? inTurn(work).finally(() => underWay.delete(name))
    underWay.set(name, shared)
    return shared
  }
}
