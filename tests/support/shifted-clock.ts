import { type Clock, systemClock } from '../../src-system/system.ts'

/** Returns the machine's clock, moved by hand where a test wants it to be later. */
export function shiftedClock(): Clock & { shiftMs: number } {
  const clock = {
    ...systemClock,
    shiftMs: 0,
    now: () => systemClock.now() + clock.shiftMs,
    monotonicMs: () => systemClock.monotonicMs() + clock.shiftMs,
  }
  return clock
}

/** Returns a clock that shows the start of `day` (ISO 8601) now, and goes on from there. */
export function clockFrom(day: string): Clock {
  const shiftMs = Date.parse(day) - systemClock.now()
  return { ...systemClock, now: () => systemClock.now() + shiftMs }
}
