/** Rendering queue for whole masters of auditions, one at a time. Pure. */

/** The audition being rendered, and the waiting ones, next first. */
export interface RenderQueue {
  readonly running: string | null
  readonly waiting: readonly string[]
}

export const emptyQueue: RenderQueue = { running: null, waiting: [] }

/** Puts an audition first because the user has just chosen it. The running one must be stopped unless it is the same. */
export function chosen({ running, waiting }: RenderQueue, id: string): RenderQueue {
  return running === id ? { running, waiting } : { running, waiting: [id, ...waiting.filter((other) => other !== id)] }
}

/** Puts a viewed audition last, unless it is running or waiting already. */
export function lookedAt({ running, waiting }: RenderQueue, id: string): RenderQueue {
  return running === id || waiting.includes(id) ? { running, waiting } : { running, waiting: [...waiting, id] }
}

/** Starts the first waiting audition if none is running. */
export function taken({ running, waiting }: RenderQueue): RenderQueue {
  const [next = null, ...others] = waiting
  return running === null ? { running: next, waiting: others } : { running, waiting }
}

/** Marks the running audition as ended or stopped. */
export function ended({ waiting }: RenderQueue): RenderQueue {
  return { running: null, waiting }
}

/** Forgets an audition that waits. */
export function withdrawn({ running, waiting }: RenderQueue, id: string): RenderQueue {
  return { running, waiting: waiting.filter((other) => other !== id) }
}
