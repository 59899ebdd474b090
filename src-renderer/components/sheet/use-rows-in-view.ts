/** The rows of a sheet that are drawn: those in view with some around them, and the one that has the focus. */
import { type RefObject, useEffect, useState } from 'react'

/** Height of every row, pixels (styles/release.css). */
export const ROW_PX = 40
/** Rows beyond the view that are drawn, and the step in which the view is followed. */
const MARGIN_ROWS = 4
/** Rows that are drawn before the place of the sheet is known. */
const FIRST_ROWS = 16

/** A drawn row, or the height of those that are left out. */
export type DrawnPart = { readonly index: number } | { readonly skippedFrom: number; readonly count: number }

/** Returns what is drawn of `count` rows while those from `first` to before `end` are in view; `kept` is always drawn. Pure. */
export function drawnParts(count: number, first: number, end: number, kept: number): DrawnPart[] {
  const from = Math.max(0, Math.min(first, count))
  const to = Math.max(from, Math.min(end, count))
  const indexes = Array.from({ length: to - from }, (_, at) => from + at)
  if (kept >= 0 && kept < from) indexes.unshift(kept)
  if (kept >= to && kept < count) indexes.push(kept)
  const parts: DrawnPart[] = []
  let next = 0
  for (const index of [...indexes, count]) {
    if (index > next) parts.push({ skippedFrom: next, count: index - next })
    if (index < count) parts.push({ index })
    next = index + 1
  }
  return parts
}

/** Returns the first row in view and the one behind the last, with the margin around them, as the pane around `body` is scrolled. */
export function useRowsInView(body: RefObject<HTMLElement | null>): readonly [first: number, end: number] {
  const [view, setView] = useState<readonly [number, number]>([0, FIRST_ROWS])
  useEffect(() => {
    const pane = body.current?.closest('.pane')
    if (!pane) return
    const follow = () => {
      const top = body.current?.getBoundingClientRect().top ?? 0
      const box = pane.getBoundingClientRect()
      const step = (px: number) => Math.floor(px / ROW_PX / MARGIN_ROWS) * MARGIN_ROWS
      const first = Math.max(0, step(box.top - top) - MARGIN_ROWS)
      const end = step(box.bottom - top) + 2 * MARGIN_ROWS
      setView((before) => (before[0] === first && before[1] === end ? before : [first, end]))
    }
    const observer = new ResizeObserver(follow)
    observer.observe(pane)
    pane.addEventListener('scroll', follow, { passive: true })
    return () => {
      observer.disconnect()
      pane.removeEventListener('scroll', follow)
    }
  }, [body])
  return view
}
