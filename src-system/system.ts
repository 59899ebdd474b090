/** Clock and random numbers of the system. The server gets both as dependencies, which tests can replace. */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

/** Interface of the clock. */
export interface Clock {
  /** Wall-clock time, milliseconds since 1970 in UTC. It can jump. */
  now(): number
  /** Time since an arbitrary start, milliseconds. It never goes back. */
  monotonicMs(): number
  /** Resolves after `ms` milliseconds; rejects with the signal's reason if aborted before. Does not keep the process alive. */
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

/** Length of one timer step, ms; any sleep of the machine counts as at most one step. */
const AWAKE_STEP_MS = 30_000

/**
 * Calls `run` once after `ms` milliseconds of the machine being awake, unless the returned function is called before. On macOS and Windows
 * timers continue during sleep: due timers fire at wake-up, before anything else can run.
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

/** Policy for retrying an operation with transient failures. */
export interface RetryPolicy {
  readonly tries: number
  readonly pauseMs: number
  /** Returns whether an error may be transient. */
  readonly mayPass: (error: unknown) => boolean
}

/** Runs `run`, retrying after a pause on transient errors, and returns its result. Throws the error of the last try. */
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

/** Time limit for file operations to end before the process is killed, ms. */
const LAST_CALLS_MS = 1000

/**
 * Ends the process by `exit`, or by SIGKILL if an unresponsive drive holds one of its threads: an ordinary exit would wait for that thread
 * forever.
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

/** Returns the time of an HTTP date (RFC 9110 section 5.6.7), milliseconds since 1970; NaN for any other text. */
export function httpDateMs(text: string): number {
  return Date.parse(text)
}

/** Returns the start of the calendar month after `ms`, in UTC, milliseconds since 1970. */
export function nextMonthMs(ms: number): number {
  const day = new Date(ms)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1)
}
