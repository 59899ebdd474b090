/** Numbers as SVG paths in CSS pixels, independent of the page. Pure. */

export interface Point {
  readonly x: number
  readonly y: number
}

const at = ({ x, y }: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`

/** Returns an open line; null interrupts it. Empty input gives an empty path. */
export function linePath(points: readonly (Point | null)[]): string {
  let path = ''
  let isOpen = false
  for (const point of points) {
    if (point) path += `${isOpen ? 'L' : 'M'}${at(point)}`
    isOpen = point !== null
  }
  return path
}

/** Returns a line through the points as a monotone cubic (Fritsch and Butland, 1984): it never overshoots between them. */
export function smoothPath(points: readonly Point[]): string {
  if (points.length < 3) return linePath(points)
  const slopes = points.slice(1).map((point, i) => {
    const before = points[i] as Point
    return (point.y - before.y) / (point.x - before.x)
  })
  const tangents = points.map((_, i) => {
    const before = slopes[i - 1] ?? slopes[0] ?? 0
    const after = slopes[i] ?? slopes.at(-1) ?? 0
    if (before * after <= 0) return 0
    return (2 * before * after) / (before + after)
  })
  return points.reduce((path, point, i) => {
    const before = points[i - 1]
    if (!before) return `M${at(point)}`
    const third = (point.x - before.x) / 3
    const first = { x: before.x + third, y: before.y + third * (tangents[i - 1] ?? 0) }
    const second = { x: point.x - third, y: point.y - third * (tangents[i] ?? 0) }
    return `${path}C${at(first)} ${at(second)} ${at(point)}`
  }, '')
}

/** Part of a series, in indexes; both ends may lie between two values. */
export interface Steps {
  readonly from: number
  readonly to: number
}

/**
 * Returns the largest value in each of `count` equal columns across a part of a series, by default the whole. Values
 * coarser than the columns are interpolated linearly. Nulls count as −Infinity. An empty series gives `count` times
 * −Infinity.
 */
export function columnMaxima(
  series: readonly (number | null)[],
  count: number,
  { from: first, to: last }: Steps = { from: 0, to: series.length },
): number[] {
  const value = (i: number) => series[Math.max(0, i)] ?? Number.NEGATIVE_INFINITY
  const steps = last - first
  return Array.from({ length: count }, (_, column) => {
    if (steps < count) {
      const place = first + ((column + 0.5) / count) * steps - 0.5
      const before = value(Math.floor(place))
      const after = value(Math.floor(place) + 1)
      if (before === Number.NEGATIVE_INFINITY || after === Number.NEGATIVE_INFINITY) return Math.max(before, after)
      return before + (after - before) * (place - Math.floor(place))
    }
    const from = Math.floor(first + (column / count) * steps)
    const to = Math.ceil(first + ((column + 1) / count) * steps)
    let largest = Number.NEGATIVE_INFINITY
    for (let i = from; i < to; i++) largest = Math.max(largest, value(i))
    return largest
  })
}

/** Returns a closed area between two edges over the same columns, one pixel wide each, starting at `left`. */
export function bandPath(left: number, upper: readonly number[], lower: readonly number[]): string {
  if (upper.length === 0) return ''
  const there = upper.map((y, i) => at({ x: left + i + 0.5, y }))
  const back = lower.map((y, i) => at({ x: left + i + 0.5, y })).reverse()
  return `M${there.join('L')}L${back.join('L')}Z`
}
