import type { Clock } from '../../src-system/system.ts'

/** Longest pause between two attempts, ms. */
const LONGEST_WAIT_MS = 30_000
/** First pause, ms; it doubles with every failure. */
const FIRST_WAIT_MS = 500

/**
 * Retries a transaction that must not be lost to a full disk or another program's lock, with increasing pauses up to half a minute, until
 * it succeeds or `signal` is aborted. Returns its result, or undefined when it was given up; never rejects.
 */
export async function retryWrite<Result>(
  run: () => Result,
  deps: {
    readonly clock: Pick<Clock, 'sleep'>
    readonly signal: AbortSignal
    readonly onFailure: (cause: unknown) => void
  },
): Promise<Result | undefined> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)) {
    try {
      return run()
    } catch (cause) {
      deps.onFailure(cause)
      if (deps.signal.aborted) return undefined
      await deps.clock.sleep(waitMs, deps.signal).catch(() => {})
    }
  }
}
