/** Order in which whole masters of auditions are rendered, one at a time. Pure. */

/** The audition that is being rendered, and those that wait, the next one first. */
export interface RenderQueue {
  readonly running: string | null
  readonly waiting: readonly string[]
}

export const emptyQueue: RenderQueue = { running: null, waiting: [] }

/** Puts an audition first: somebody has just chosen it. One that runs is to be stopped unless it is the same. */
export function chosen({ running, waiting }: RenderQueue, id: string): RenderQueue {
  return running === id ? { running, waiting } : { running, waiting: [id, ...waiting.filter((other) => other !== id)] }
}

/** Puts an audition last, unless it runs or waits already: somebody still looks at it. */
export function lookedAt({ running, waiting }: RenderQueue, id: string): RenderQueue {
  return running === id || waiting.includes(id) ? { running, waiting } : { running, waiting: [...waiting, id] }
}

/** Takes the first that waits, where nothing runs. */
export function taken({ running, waiting }: RenderQueue): RenderQueue {
  const [next = null, ...others] = waiting
  return running === null ? { running: next, waiting: others } : { running, waiting }
}

/** The one that ran has ended, or was stopped. */
export function ended({ waiting }: RenderQueue): RenderQueue {
  return { running: null, waiting }
}

/** Forgets an audition that waits. */
export function withdrawn({ running, waiting }: RenderQueue, id: string): RenderQueue {
  return { running, waiting: waiting.filter((other) => other !== id) }
}
