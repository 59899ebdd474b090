import { describe, expect, it } from 'vitest'
import { createTimeView, reduceTimeView, type TimeView } from '../../src-renderer/state/time-view.ts'

const DURATION = 200
const view = (startSeconds: number, endSeconds: number): TimeView => ({ startSeconds, endSeconds })
const whole = view(0, DURATION)

describe('the view of the time lanes', () => {
  it('keeps the moment under the pointer in its place while it zooms in and out', () => {
    const zoomed = reduceTimeView(whole, { kind: 'zoom', factor: 4, aroundSeconds: 150 }, DURATION)
    expect(zoomed).toEqual(view(112.5, 162.5))
    expect(reduceTimeView(zoomed, { kind: 'zoom', factor: 1 / 4, aroundSeconds: 150 }, DURATION)).toEqual(whole)
  })

  it('never shows less than half a second or anything outside the song', () => {
    const closest = reduceTimeView(view(10, 11), { kind: 'zoom', factor: 100, aroundSeconds: 10.5 }, DURATION)
    expect(closest).toEqual(view(10.25, 10.75))
    const widest = reduceTimeView(view(190, 200), { kind: 'zoom', factor: 0.001, aroundSeconds: 199 }, DURATION)
    expect(widest).toEqual(whole)
    expect(reduceTimeView(view(190, 200), { kind: 'zoom', factor: 0.5, aroundSeconds: 190 }, DURATION)).toEqual(
      view(180, 200),
    )
    const closestOfShort = reduceTimeView(view(0, 0.2), { kind: 'zoom', factor: 2, aroundSeconds: 0.1 }, 0.2)
    expect(closestOfShort).toEqual(view(0, 0.2))
  })

  it('scrolls up to both ends', () => {
    expect(reduceTimeView(view(10, 30), { kind: 'scroll', bySeconds: 5 }, DURATION)).toEqual(view(15, 35))
    expect(reduceTimeView(view(10, 30), { kind: 'scroll', bySeconds: -50 }, DURATION)).toEqual(view(0, 20))
    expect(reduceTimeView(view(10, 30), { kind: 'scroll', bySeconds: 500 }, DURATION)).toEqual(view(180, 200))
    expect(reduceTimeView(view(10, 30), { kind: 'whole' }, DURATION)).toEqual(whole)
  })

  it('turns the page when the playhead leaves it, and stays where the listener scrolled to', () => {
    const follow = (at: TimeView, fromSeconds: number, toSeconds: number) =>
      reduceTimeView(at, { kind: 'follow', fromSeconds, toSeconds }, DURATION)
    const page = view(10, 30)
    expect(follow(page, 20, 20.1)).toBe(page)
    expect(follow(page, 29.95, 30.05)).toEqual(view(29.05, 49.05))
    expect(follow(page, 60, 60.1), 'scrolled away').toBe(page)
    expect(follow(page, 60, 65), 'moved by the listener').toEqual(view(64, 84))
    expect(follow(page, 60, 2), 'moved back').toEqual(view(1, 21))
  })

  it('tells its listeners only of changes', () => {
    const { store, dispatch } = createTimeView(DURATION)
    const seen: TimeView[] = []
    store.subscribe((now) => seen.push(now))
    dispatch({ kind: 'whole' })
    dispatch({ kind: 'follow', fromSeconds: 1, toSeconds: 1.1 })
    expect(seen).toEqual([])
    dispatch({ kind: 'zoom', factor: 2, aroundSeconds: 0 })
    expect(seen).toEqual([view(0, 100)])
  })
})
