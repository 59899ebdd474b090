/** Durations and sizes as the report writes them; levels and frequencies are written as in every sentence of the contract. */

/** A duration: `3:28`. */
export function clock(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** A size: `43.7 MB`, decimal. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
