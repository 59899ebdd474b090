/** A long list that is drawn from its top, some rows with each frame, so that the page answers meanwhile. */
import { startTransition, useEffect, useState } from 'react'

/** Rows that are drawn at once, more than a high window shows, and with each further frame. */
const STEP_ROWS = 20

/** Returns how many of `count` rows are drawn by now. */
export function useGrowing(count: number): number {
  const [drawn, setDrawn] = useState(STEP_ROWS)
  useEffect(() => {
    if (drawn >= count) return
    const frame = requestAnimationFrame(() => startTransition(() => setDrawn(drawn + STEP_ROWS)))
    return () => cancelAnimationFrame(frame)
  }, [drawn, count])
  return Math.min(drawn, count)
}
