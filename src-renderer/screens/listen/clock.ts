/** Moments of a song as they are written beside the transport. Pure. */

/** Returns minutes, seconds and tenths, cut off rather than rounded: 1:14.6. */
export function clockTenths(seconds: number): string {
  const tenths = Math.floor(Math.max(0, seconds) * 10 + 1e-6)
  return `${clock(tenths / 10)}.${tenths % 10}`
}

/** Returns minutes and whole seconds, cut off: 1:14. */
export function clock(seconds: number): string {
  const whole = Math.floor(Math.max(0, seconds) + 1e-6)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
