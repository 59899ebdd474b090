/** Windows and the sinc function for filter design. */

/** Modified Bessel function of the first kind, order 0, by its power series (all terms positive: full double accuracy). */
function besselI0(x: number): number {
  const quarter = (x * x) / 4
  let term = 1
  let sum = 1
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= quarter / (k * k)
    sum += term
  }
  return sum
}

/** Kaiser window at `position` in [−1, 1] (0 outside); beta 0 is rectangular, 5 … 14 trade width for side lobes. */
export function kaiser(position: number, beta: number): number {
  const inside = 1 - position * position
  return inside < 0 ? 0 : besselI0(beta * Math.sqrt(inside)) / besselI0(beta)
}

/** Hann window of `length` samples, symmetrical about its middle; the ends lie half a sample outside. */
export function hannWindow(length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => Math.sin((Math.PI * (i + 0.5)) / length) ** 2)
}

/** sin(πx) / (πx). */
export function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}
