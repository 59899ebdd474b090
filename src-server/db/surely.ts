import type { Clock } from '../../src-system/system.ts'

/** How long the pauses between tries may become. */
const LONGEST_WAIT_MS = 30_000
const FIRST_WAIT_MS = 500

/**
 * Runs a transaction that must not be lost to a full disk or another program's lock: again after ever longer pauses, half a minute at
 * most, until it goes through or `signal` is aborted. Returns what it returns, or undefined when it was given up; never rejects.
 */
export async function surely<Result>(
  run: () => Result,
  given: {
    readonly clock: Pick<Clock, 'sleep'>
    readonly signal: AbortSignal
    readonly onFailure: (cause: unknown) => void
  },
): Promise<Result | undefined> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)) {
    try {
      return run()
    } catch (cause) {
      given.onFailure(cause)
      if (given.signal.aborted) return undefined
      await given.clock.sleep(waitMs, given.signal).catch(() => {})
    }
  }
}
