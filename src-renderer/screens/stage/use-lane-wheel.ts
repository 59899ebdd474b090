/** The wheel over the lanes: it zooms at the pointer, and scrolls sideways or with Shift. */
import { type RefObject, useEffect } from 'react'
import type { timeAxis } from '../../drawing/lanes.ts'
import { isWhole, lengthOf, type TimeViewActions } from '../../state/time-view.ts'

/**
 * Wheel travel that doubles the zoom, px: three notches of a common mouse. A pinch arrives as Ctrl with small deltas.
 */
const DOUBLE_PX = 300
const PINCH_DOUBLE_PX = 60
/** Wheel travel that scrolls by the length of the view, px. */
const PAGE_PX = 1000
const LINE_PX = 16

/**
 * Listens on `host`, whose left edge is the origin of `axis`. With the whole song in view, zooming out is left to the
 * page.
 */
export function useLaneWheel(
  host: RefObject<HTMLElement | null>,
  view: TimeViewActions,
  axis: ReturnType<typeof timeAxis>,
): void {
  useEffect(() => {
    const element = host.current
    if (!element) return
    const onWheel = (event: WheelEvent) => {
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1
      const [dx, dy] = [event.deltaX * unit, event.deltaY * unit]
      const now = view.store.getState()
      const isAll = isWhole(now, view.durationSeconds)
      const isSideways = event.shiftKey || Math.abs(dx) > Math.abs(dy)
      if (isAll && !event.ctrlKey && (isSideways || dy > 0)) return
      event.preventDefault()
      if (isSideways) view.dispatch({ kind: 'scroll', bySeconds: ((dx || dy) / PAGE_PX) * lengthOf(now) })
      else {
        const aroundSeconds = axis.toSeconds(event.clientX - element.getBoundingClientRect().left)
        view.dispatch({
          kind: 'zoom',
          factor: 2 ** (-dy / (event.ctrlKey ? PINCH_DOUBLE_PX : DOUBLE_PX)),
          aroundSeconds,
        })
      }
    }
    // React's wheel listeners are passive and cannot stop the page from scrolling.
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [host, view, axis])
}
