/** Clock and random numbers of the system. The server gets both as dependencies, so that tests can replace them. */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

/** Interface of the clock. */
export interface Clock {
  /** Wall-clock time, milliseconds since 1970 in UTC. It can jump. */
  now(): number
  /** Time since an arbitrary start, milliseconds. It never goes back. */
  monotonicMs(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted before. Does not keep the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `run` once after `ms` milliseconds unless the returned function is called before. Does not keep the process alive. */
  after(ms: number, run: () => void): () => void
}

/** Interface of the random numbers. */
export interface Random {
  /** A version 4 UUID in canonical lower case. */
  newUuid(): string
  /** `length` unpredictable bytes. */
  randomBytes(length: number): Buffer
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) => wait(ms, undefined, { ref: false, ...(signal ? { signal } : {}) }),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Length of one timer step, ms; however long the machine sleeps, it counts as one step at most. */
const AWAKE_STEP_MS = 30_000

/**
 * Calls `run` once after `ms` milliseconds in which the machine was awake, unless the returned function is called before. On macOS and
 * Windows timers go on while the machine sleeps: those due by then fire at its wake, before anything else could run.
 */
export function afterAwake(clock: Pick<Clock, 'after'>, ms: number, run: () => void): () => void {
  let cancel = () => {}
  const wait = (leftMs: number) => {
    const stepMs = Math.min(leftMs, AWAKE_STEP_MS)
    cancel = clock.after(stepMs, () => (leftMs > stepMs ? wait(leftMs - stepMs) : run()))
  }
  wait(ms)
  return () => cancel()
}

/** Policy for repeated attempts at an operation that may work in a moment. */
export interface RetryPolicy {
  readonly tries: number
  readonly pauseMs: number
  /** Returns whether an error may be gone by the next attempt. */
  readonly mayPass: (error: unknown) => boolean
}

/** Runs `run`, again after a pause while it fails with what may pass, and returns what it returns. Throws what the last try threw. */
export async function tryAgain<Result>(
  clock: Pick<Clock, 'sleep'>,
  { tries, pauseMs, mayPass }: RetryPolicy,
  run: () => Result | Promise<Result>,
): Promise<Result> {
  for (let left = tries - 1; ; left--) {
    try {
      return await run()
    } catch (error) {
      if (left === 0 || !mayPass(error)) throw error
      await clock.sleep(pauseMs)
    }
  }
}

/** The machine's random numbers. */
export const systemRandom: Random = { newUuid: () => randomUUID(), randomBytes }

/** Time in which file operations may end before the process is killed, ms. */
const LAST_CALLS_MS = 1000

/**
 * Ends the process by `exit`, or by SIGKILL where a drive that does not answer holds one of its threads: every ordinary exit waits for
 * that thread, for ever.
 */
export async function endProcess(exit: () => void): Promise<void> {
  const isHeld = () => process.getActiveResourcesInfo().some((call) => call.startsWith('FSReq'))
  for (let leftMs = LAST_CALLS_MS; isHeld() && leftMs > 0; leftMs -= 50) await wait(50)
  if (isHeld()) process.kill(process.pid, 'SIGKILL')
  else exit()
}

/** Returns a moment, milliseconds since 1970, as ISO 8601 in UTC with milliseconds. Throws a RangeError beyond ±8.64e15. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Returns the moment that an HTTP date names (RFC 9110 section 5.6.7), milliseconds since 1970; NaN where it is none. */
export function httpDateMs(text: string): number {
  return Date.parse(text)
}

/** Returns the first moment of the calendar month after the one of `ms`, in UTC, milliseconds since 1970. */
export function nextMonthMs(ms: number): number {
  const day = new Date(ms)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)
}
