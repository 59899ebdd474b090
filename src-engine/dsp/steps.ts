/** A computation in steps of a few milliseconds that lets other work of the thread run in between. */
export type Steps<Result> = Generator<void, Result>

/** Runs all steps in a row and returns the result. Passes on errors. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Runner of a computation: {@link runAtOnce}, or a runner that yields to other work between steps. */
export type RunSteps = <Result>(steps: Steps<Result>) => Result | Promise<Result>
