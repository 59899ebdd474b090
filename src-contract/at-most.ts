/** Bounded concurrency. */

/**
 * Returns a function that runs tasks in order, at most `count` at a time. Each promise settles as its task does: a rejection does not hold
 * up the others.
 */
export function atMost(count: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    // A finishing task hands over its turn directly, so a newcomer cannot overtake a waiting task.
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
 * Returns a function that runs tasks one after another. Concurrent calls with the same name share the task, which continues when its first
 * caller has left.
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
