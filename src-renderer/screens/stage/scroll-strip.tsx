/** The strip below the lanes of a zoomed song: shows, scrolls and resets the visible part. */
import { type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { clock } from '../../../src-contract/text/numbers.ts'
import type { LanesLayout } from '../../drawing/lanes.ts'
import { lengthOf, type TimeView } from '../../state/time-view.ts'
import { useListenWords, useStage } from './context.tsx'

/** Scroll distance of an arrow key and of a page key, in views. */
const ARROW_STEP = 0.1
const PAGE_STEP = 0.9

interface StripProps {
  readonly layout: LanesLayout
  readonly view: TimeView
  readonly lanesId: string
}

/** Returns the scroll distance of a key in views; undefined for another key. */
function viewsOf(key: string): number | undefined {
  if (key === 'Home') return Number.NEGATIVE_INFINITY
  if (key === 'End') return Number.POSITIVE_INFINITY
  if (key === 'ArrowLeft' || key === 'ArrowUp') return -ARROW_STEP
  if (key === 'ArrowRight' || key === 'ArrowDown') return ARROW_STEP
  if (key === 'PageUp') return -PAGE_STEP
  return key === 'PageDown' ? PAGE_STEP : undefined
}

/**
 * Returns the handlers of the strip, `width` pixels wide: a press beside the thumb moves the thumb there, a drag moves
 * it along.
 */
function useStripDrag(view: TimeView, width: number) {
  const { durationSeconds, dispatch } = useStage().view
  const lastX = useRef<number | null>(null)
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.stopPropagation()
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const seconds = ((event.clientX - event.currentTarget.getBoundingClientRect().left) / width) * durationSeconds
    const isBeside = seconds < view.startSeconds || seconds > view.endSeconds
    if (isBeside) dispatch({ kind: 'scroll', bySeconds: seconds - lengthOf(view) / 2 - view.startSeconds })
    lastX.current = event.clientX
  }
  const onPointerMove = (event: PointerEvent) => {
    if (lastX.current === null) return
    dispatch({ kind: 'scroll', bySeconds: ((event.clientX - lastX.current) / width) * durationSeconds })
    lastX.current = event.clientX
  }
  const onPointerEnd = () => {
    lastX.current = null
  }
  return { onPointerDown, onPointerMove, onPointerUp: onPointerEnd, onPointerCancel: onPointerEnd }
}

export function ScrollStrip({ layout, view, lanesId }: StripProps) {
  const { l } = useListenWords()
  const { view: actions } = useStage()
  const { durationSeconds, dispatch } = actions
  const length = lengthOf(view)
  const width = layout.right - layout.left
  const onKeyDown = (event: KeyboardEvent) => {
    const views = viewsOf(event.key)
    if (views === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    // The window's handlers for these keys move the playhead.
    event.preventDefault()
    dispatch({ kind: 'scroll', bySeconds: views * length })
  }
  const drag = useStripDrag(view, width)
  return (
    <>
      <button
        type="button"
        className="whole"
        aria-label={l.timeView.showWhole}
        title={l.timeView.showWhole}
        onPointerDown={(event) => event.stopPropagation()}
        onClick={() => dispatch({ kind: 'whole' })}
      >
        {l.timeView.whole}
      </button>
      <div
        className="scroll-strip"
        role="scrollbar"
        tabIndex={0}
        aria-label={l.timeView.scroll}
        aria-controls={lanesId}
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={Math.round(durationSeconds - length)}
        aria-valuenow={Math.round(view.startSeconds)}
        aria-valuetext={l.timeView.shown(clock(view.startSeconds), clock(view.endSeconds))}
        style={{ left: layout.left, width }}
        onKeyDown={onKeyDown}
        {...drag}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        <span
          style={{
            left: `${(view.startSeconds / durationSeconds) * 100}%`,
            width: `${(length / durationSeconds) * 100}%`,
          }}
        />
      </div>
    </>
  )
}
