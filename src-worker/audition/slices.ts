/** Background work in steps, between which messages are received and passages rendered. */
import { setImmediate } from 'node:timers/promises'
import type { RunSteps } from '../../src-engine/dsp/steps.ts'

/** Returns a runner for computations that yields to messages and throws the reason of an aborted signal. */
export function runInSlices(signal: AbortSignal): RunSteps {
  return async (steps) => {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      await setImmediate()
      signal.throwIfAborted()
    }
  }
}
