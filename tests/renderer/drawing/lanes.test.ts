import { describe, expect, it } from 'vitest'
import {
  fullScaleStretches,
  lanesLayout,
  levelPath,
  loudnessScale,
  markPath,
  reductionPath,
  timeAxis,
  timeTicks,
  waveLevelY,
  wavePath,
} from '../../../src-renderer/drawing/lanes.ts'
import { columnMaxima, linePath, smoothPath } from '../../../src-renderer/drawing/paths.ts'

const numbers = (path: string) => [...path.matchAll(/-?\d+(\.\d+)?/g)].map(([text]) => Number(text))
const heights = (path: string) => numbers(path).filter((_, i) => i % 2 === 1)
const layout = lanesLayout(974, 340)

describe('the lanes', () => {
  it('lie under each other inside the picture at every size', () => {
    for (const [width, height] of [
      [974, 340],
      [640, 296],
      [1400, 520],
    ] as const) {
      const { original, version, loudness, reduction } = lanesLayout(width, height)
      const lanes = [original, version, loudness, reduction]
      lanes.forEach((lane, i) => {
        const next = lanes[i + 1]
        expect(lane.top + lane.height).toBeLessThanOrEqual(next ? next.top : height)
      })
    }
  })

  it('share one clock: a moment and its pixel lead back to each other', () => {
    const { toX, toSeconds } = timeAxis(layout, { startSeconds: 0, endSeconds: 208 })
    for (const seconds of [0, 74.6, 208]) expect(toSeconds(toX(seconds))).toBeCloseTo(seconds, 9)
    expect(toSeconds(-50)).toBe(0)
    expect(toX(500)).toBeGreaterThan(layout.right)
    const part = timeAxis(layout, { startSeconds: 60, endSeconds: 70 })
    expect([part.toX(60), part.toX(70)]).toEqual([layout.left, layout.right])
    expect(part.toSeconds(part.toX(63))).toBeCloseTo(63, 9)
    expect(part.toSeconds(0)).toBe(60)
  })

  it('have a ruler whose labels never touch', () => {
    for (const duration of [1, 30, 208, 600]) {
      for (const width of [300, 890, 1300]) {
        const ticks = timeTicks(0, duration, width)
        const step = (ticks[1] ?? duration) - (ticks[0] ?? 0)
        expect((step / duration) * width).toBeGreaterThanOrEqual(50)
        expect(ticks.at(-1)).toBeLessThanOrEqual(duration)
      }
    }
    expect(timeTicks(0, 100, 400)).toEqual([0, 15, 30, 45, 60, 75, 90])
    expect(timeTicks(61.2, 63.1, 400)).toEqual([61.5, 62, 62.5, 63])
  })

  it('draw no wave higher than full scale, and put the ceiling where the wave of a limited master ends', () => {
    const path = wavePath([-1, -1, -1, -1, -1, -1], { from: 0, to: 6 }, layout.version, layout)
    expect(Math.min(...heights(path))).toBeCloseTo(waveLevelY(-1, layout.version), 0)
    const loud = heights(wavePath([6, 6, 6], { from: 0, to: 3 }, layout.version, layout))
    expect(Math.min(...loud)).toBeGreaterThanOrEqual(layout.version.top)
    expect(Math.max(...loud)).toBeLessThanOrEqual(layout.version.top + layout.version.height)
  })

  it('keep a short peak visible however narrow the picture is', () => {
    const peaks = Array.from({ length: 6000 }, (_, i) => (i === 3333 ? -1 : -40))
    expect(Math.max(...columnMaxima(peaks, 300))).toBe(-1)
  })

  it.each([
    ['whose last step is not whole', 0.1, 5.01, 51, 49],
    ['that is fine', 0.1, 200, 2000, 1200],
  ])('draw a wave %s at the moments that the ruler shows', (_, stepSeconds, durationSeconds, count, loudAt) => {
    const only = (there: number, elsewhere: number) =>
      Array.from({ length: count }, (_, i) => (i === loudAt ? there : elsewhere))
    const { toX } = timeAxis(layout, { startSeconds: 0, endSeconds: durationSeconds })
    const steps = { from: 0, to: durationSeconds / stepSeconds }
    const placeOf = (path: string, farthest: (...ys: number[]) => number) =>
      numbers(path)[2 * heights(path).indexOf(farthest(...heights(path)))]!
    const places = [
      placeOf(wavePath(only(-1, -60), steps, layout.version, layout), Math.min),
      placeOf(reductionPath(only(3, 0), steps, 4, layout.reduction, layout), Math.max),
    ]
    for (const place of places) {
      expect(place).toBeGreaterThan(toX(loudAt * stepSeconds) - 1)
      expect(place).toBeLessThan(toX((loudAt + 1) * stepSeconds) + 1)
    }
  })

  it('hang gain reduction from the top whatever sign the report uses', () => {
    const down = reductionPath([0, -3, 0], { from: 0, to: 3 }, 4, layout.reduction, layout)
    expect(down).toBe(reductionPath([0, 3, 0], { from: 0, to: 3 }, 4, layout.reduction, layout))
    expect(Math.min(...heights(down))).toBeCloseTo(layout.reduction.top, 0)
  })

  it('break the loudness line in silence instead of drawing through it', () => {
    const scale = loudnessScale([[-14, -15]], -14, layout.loudness)
    const { toX } = timeAxis(layout, { startSeconds: 0, endSeconds: 3 })
    const path = levelPath([null, -14, -15, null, -14, -13], 0.5, scale, toX)
    expect(path.match(/M/g)).toHaveLength(2)
    expect(numbers(path)[0]).toBeCloseTo(toX(1), 1)
  })

  it('put a loudness where the 3 s end that it was measured over', () => {
    const { toX } = timeAxis(layout, { startSeconds: 0, endSeconds: 4 })
    const scale = loudnessScale([[-14, -20]], -14, layout.loudness)
    const series = Array.from({ length: 10 }, (_, i) => (i < 7 ? null : i === 7 ? -20 : -14))
    const xs = numbers(levelPath(series, 0.4, scale, toX)).filter((_, i) => i % 2 === 0)
    expect(xs).toEqual([3.2, 3.6, 4].map((seconds) => Number(toX(seconds).toFixed(1))))
  })

  it('keep the target in sight of quiet and of loud songs', () => {
    for (const [level, target] of [
      [-30, -14],
      [-6, -16],
      [-9, -9.5],
    ] as const) {
      const { toY, topDb, bottomDb } = loudnessScale([[level]], target, layout.loudness)
      expect(topDb).toBeGreaterThan(Math.max(level, target))
      expect(bottomDb).toBeLessThan(Math.min(level, target))
      expect(toY(target)).toBeGreaterThan(layout.loudness.top)
    }
    // The target has a label of its own, which none of the scale may touch.
    expect(loudnessScale([[-14, -28]], -14, layout.loudness).ticks).toEqual([-18, -24])
    expect(loudnessScale([[-14, -28]], -18, layout.loudness).ticks).toEqual([-24])
  })

  it('take the loudness scale from the music, not from its pauses', () => {
    const { topDb, bottomDb } = loudnessScale([[null, -90, -14, -14]], -14, layout.loudness)
    expect([topDb, bottomDb]).toEqual([-12, -30])
  })

  it('mark where the peak curve stands at full scale: moments as triangles, what lasts as a bar to its end', () => {
    const peaks = Array.from({ length: 100 }, () => -6)
    for (const i of [10, 11, 12, 13, 60]) peaks[i] = 0
    const stretches = fullScaleStretches(peaks, 0.1)
    expect(stretches.map(({ fromSeconds, toSeconds }) => [fromSeconds, Number(toSeconds.toFixed(1))])).toEqual([
      [1, 1.4],
      [6, 6.1],
    ])
    const toX = (seconds: number) => seconds * 100
    expect(
      markPath(stretches[1]!, 30, (seconds) => seconds * 20),
      'points at the middle of its step',
    ).toBe('M117.0 24h8l-4 6z')
    expect(stretches.map((one) => markPath(one, 30, toX))).toEqual([
      'M100.0 24H140.0v3H100.0z',
      'M600.0 24H610.0v3H600.0z',
    ])
    expect(fullScaleStretches([null, null], 0.1)).toEqual([])
  })
})

describe('paths', () => {
  it('start a new line after a gap and are empty for nothing', () => {
    expect(linePath([{ x: 0, y: 0 }, null, { x: 2, y: 2 }])).toBe('M0.0 0.0M2.0 2.0')
    expect(linePath([])).toBe('')
  })

  it('join the values of a coarse series by straight lines, but none with silence, and take the largest of a fine one', () => {
    expect(columnMaxima([0, 10], 4)).toEqual([0, 2.5, 7.5, 10])
    const none = Number.NEGATIVE_INFINITY
    expect(columnMaxima([-6, null, null], 6)).toEqual([-6, -6, -6, none, none, none])
    expect(columnMaxima([1, 5, null, 2], 2)).toEqual([5, 2])
    expect(columnMaxima([], 2)).toEqual([none, none])
  })

  it('keep a straight line straight', () => {
    const points = [0, 10, 20, 30].map((x) => ({ x, y: 2 * x }))
    const drawn = numbers(smoothPath(points))
    const xs = drawn.filter((_, i) => i % 2 === 0)
    expect(heights(smoothPath(points))).toEqual(xs.map((x) => expect.closeTo(2 * x, 0)))
    expect(xs).toEqual(xs.toSorted((a, b) => a - b))
  })

  it('never overshoot between the points of a smooth curve', () => {
    const points = [0, 10, 10, 0, 0, 8].map((y, i) => ({ x: i * 10, y }))
    const ys = heights(smoothPath(points))
    expect(Math.min(...ys)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...ys)).toBeLessThanOrEqual(10)
  })
})
