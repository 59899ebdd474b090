/** Preparation of curves over spectral bands for a filter. */

/** Smooths a curve over bands with a triangle of ± `reach(hz)` bands. */
export function smoothed(
  bandHz: readonly number[],
  values: readonly number[],
  reach: (hz: number) => number,
): number[] {
  return bandHz.map((hz, b) => {
    const width = reach(hz)
    let sum = 0
    let weights = 0
    for (let k = Math.ceil(b - width); k <= b + width; k++) {
      const value = values[k]
      if (value === undefined) continue
      const weight = 1 - Math.abs(k - b) / (width + 1)
      sum += weight * value
      weights += weight
    }
    return sum / weights
  })
}

/** Holds values above the limit at the last one below it, since there is no music to compare. */
export function heldAbove(bandHz: readonly number[], values: readonly number[], limitHz: number): number[] {
  const last = bandHz.findLastIndex((hz) => hz < limitHz)
  return values.map((value, b) => (b > last ? (values[Math.max(0, last)] ?? 0) : value))
}
