/** Background work in slices, between which messages are received and passages rendered. */
import { setImmediate } from 'node:timers/promises'
import type { RunSteps } from '../../src-engine/dsp/steps.ts'

/** Steps between two looks at what waits: a few milliseconds. */
const STEPS_IN_SLICE = 4

/** Returns a way to carry out computations that lets messages in and throws the reason of an aborted signal. */
export function runInSlices(signal: AbortSignal): RunSteps {
  return async (steps) => {
    for (;;) {
      for (let step = 0; step < STEPS_IN_SLICE; step++) {
        const { done, value } = steps.next()
        if (done) return value
      }
      await setImmediate()
      signal.throwIfAborted()
    }
  }
}
