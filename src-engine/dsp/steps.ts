/** A computation in steps of a few milliseconds, so that what waits for its thread can come between them. */
export type Steps<Result> = Generator<void, Result>

/** Makes all steps one after the other and returns the result. Throws what a step throws. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Way to carry out a computation: {@link runAtOnce}, or one that lets other work come between its steps. */
export type RunSteps = <Result>(steps: Steps<Result>) => Result | Promise<Result>
