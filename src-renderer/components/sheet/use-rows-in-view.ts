/** The rendered rows of a sheet: those in view with a margin, and the focused one. */
import { type RefObject, useEffect, useState } from 'react'

/** Height of every row, pixels (sheet.css). */
export const ROW_PX = 40
/** Rendered rows beyond the view, also the step for following the scroll position. */
const MARGIN_ROWS = 4
/** Rows rendered before the sheet's position is known. */
const FIRST_ROWS = 16

/** A rendered row, or a gap of skipped ones. */
export type DrawnPart = { readonly index: number } | { readonly skippedFrom: number; readonly count: number }

/**
 * Returns the rendered parts of `count` rows with those from `first` to before `end` in view; `kept` is always
 * rendered. Pure.
 */
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

/**
 * Returns the first row in view and the one after the last, including the margin, for the scroll position of the pane
 * around `body`.
 */
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
