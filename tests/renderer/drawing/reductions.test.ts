import { describe, expect, it } from 'vitest'
import { lanesLayout, reductionPath, timeAxis } from '../../../src-renderer/drawing/lanes.ts'
import { largestReductions } from '../../../src-renderer/drawing/reductions.ts'

const STEP = 0.5
/** A curve of 60 s without reduction but for the given seconds. */
const curve = (places: Readonly<Record<number, number>>) => Array.from({ length: 120 }, (_, i) => places[i * STEP] ?? 0)

describe('the largest gain reductions', () => {
  it('are the five deepest, in the order of the song', () => {
    const found = largestReductions(curve({ 5: 2, 10: 6, 20: 3, 30: 5, 40: 1.5, 50: 4 }), STEP)
    expect(found.map(({ fromSeconds }) => fromSeconds)).toEqual([5, 10, 20, 30, 50])
    expect(found[1]).toEqual({ fromSeconds: 10, seconds: 10.25, reductionDb: 6 })
  })

  it('are one place when they are less than two seconds apart: the deepest', () => {
    const found = largestReductions(curve({ 8.5: 3, 10: 6, 11.5: 4, 12: 1, 12.5: 2 }), STEP)
    expect(found.map(({ fromSeconds }) => fromSeconds)).toEqual([10, 12.5])
  })

  it('are maxima: the slope of a long reduction is no place of its own', () => {
    const slope = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [10 + i * STEP, 7 - i * 0.2]))
    expect(largestReductions(curve(slope), STEP)).toEqual([{ fromSeconds: 10, seconds: 10.25, reductionDb: 7 }])
    expect(largestReductions(curve({ 10: 3, 10.5: 3, 11: 3 }), STEP)).toEqual([
      { fromSeconds: 10, seconds: 10.25, reductionDb: 3 },
    ])
  })

  it('leave out what is below 1 dB, and do not mind signs or gaps', () => {
    expect(largestReductions(curve({ 10: 0.99 }), STEP)).toEqual([])
    expect(largestReductions([0, -0.9, null, -1, null], STEP)).toEqual([
      { fromSeconds: 1.5, seconds: 1.75, reductionDb: 1 },
    ])
    expect(largestReductions([], STEP)).toEqual([])
  })

  it('stand where the lane is deepest, however much of the song it shows', () => {
    const depths = curve({ 10: 6 })
    const layout = lanesLayout(1000, 400)
    for (const view of [
      { startSeconds: 0, endSeconds: 60 },
      { startSeconds: 9, endSeconds: 12 },
    ]) {
      const steps = { from: view.startSeconds / STEP, to: view.endSeconds / STEP }
      const points = reductionPath(depths, steps, 8, layout.reduction, layout).matchAll(/(-?[\d.]+) (-?[\d.]+)/g)
      const places = Array.from(points, ([, x, y]) => ({ x: Number(x), y: Number(y) }))
      const lowest = Math.max(...places.map(({ y }) => y))
      const deepest = places.filter(({ y }) => y === lowest).map(({ x }) => x)
      const [place] = largestReductions(depths, STEP)
      const middle = deepest.reduce((sum, x) => sum + x, 0) / deepest.length
      expect(Math.abs(timeAxis(layout, view).toX(place?.seconds ?? 0) - middle)).toBeLessThan(1.5)
    }
  })
})
