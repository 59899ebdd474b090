/** A clock that stands still until a test moves it. */
import type { Clock } from '../../src-system/system.ts'

export interface FakeClock extends Clock {
  /** Moves both clocks on and runs what becomes due on the way, in order. */
  advance(ms: number): Promise<void>
  /** Lets the machine sleep with clocks that go on, as on macOS and Windows: what became due runs at its wake, late. */
  suspend(ms: number): Promise<void>
  /** Lets time go on in small steps until a promise is settled, and returns what it resolves with. */
  until<Result>(promise: Promise<Result>): Promise<Result>
  /** Moves the wall clock alone, as a correction by the user or the network does; nothing becomes due by it. */
  jump(ms: number): void
}

/** Lets everything that is already possible happen: microtasks, and sockets of this process. */
export async function settle(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Returns a clock that shows `startMs` (epoch ms). */
export function createFakeClock(startMs = 1_772_366_400_000): FakeClock {
  let wallMs = startMs
  let elapsedMs = 0
  const timers = new Set<{ at: number; run: () => void }>()
  const after = (ms: number, run: () => void) => {
    const timer = { at: elapsedMs + ms, run }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const clock: FakeClock = {
    now: () => wallMs,
    monotonicMs: () => elapsedMs,
    after,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const stop = after(ms, resolve)
        signal?.addEventListener('abort', () => {
          stop()
          reject(signal.reason)
        })
      }),
    async advance(ms) {
      const end = elapsedMs + ms
      for (;;) {
        await settle()
        const next = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        timers.delete(next)
        wallMs += Math.max(0, next.at - elapsedMs)
        elapsedMs = Math.max(elapsedMs, next.at)
        next.run()
      }
      wallMs += end - elapsedMs
      elapsedMs = end
      await settle()
    },
    async suspend(ms) {
      wallMs += ms
      elapsedMs += ms
      await clock.advance(0)
    },
    async until(promise) {
      let isSettled = false
      const end = () => {
        isSettled = true
      }
      promise.then(end, end)
      while (!isSettled) await clock.advance(20)
      return promise
    },
    jump(ms) {
      wallMs += ms
    },
  }
  return clock
}
