/** The edge of the column, dragged to resize it; the width is stored in this browser. */
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { readStored } from '../../../state/browser-storage.ts'
import { useWords } from '../../../text/context.tsx'

const STORAGE_KEY = 'loudsmith.sound-width'
const LEAST_PX = 340
const MOST_PX = 480
const STEP_PX = 20

const within = (px: number) => Math.max(LEAST_PX, Math.min(MOST_PX, Math.round(px)))

export interface ColumnWidth {
  readonly px: number
  readonly set: (px: number) => void
}

/** Returns the width of the column, also set in the window's style. */
export function useColumnWidth(): ColumnWidth {
  const [px, setPx] = useState(() =>
    within(readStored<number>(localStorage, STORAGE_KEY, (stored) => typeof stored === 'number', LEAST_PX)),
  )
  useEffect(() => {
    document.documentElement.style.setProperty('--sound-w', `${px}px`)
  }, [px])
  const set = (next: number) => {
    setPx(within(next))
    localStorage.setItem(STORAGE_KEY, JSON.stringify(within(next)))
  }
  return { px, set }
}

export function ColumnEdge({ width }: { width: ColumnWidth }) {
  const { t } = useWords()
  const grip = useRef<{ readonly x: number; readonly px: number } | null>(null)
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowLeft: STEP_PX, ArrowRight: -STEP_PX }[event.key]
    if (step === undefined) return
    event.preventDefault()
    width.set(width.px + step)
  }
  const drag = (event: PointerEvent) => {
    if (grip.current) width.set(grip.current.px + grip.current.x - event.clientX)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: <hr> separates paragraphs and cannot be moved
    <div
      className="edge"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t.sound.edge}
      aria-valuenow={width.px}
      aria-valuemin={LEAST_PX}
      aria-valuemax={MOST_PX}
      onKeyDown={onKey}
      onDoubleClick={() => width.set(LEAST_PX)}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        grip.current = { x: event.clientX, px: width.px }
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        grip.current = null
      }}
    />
  )
}
