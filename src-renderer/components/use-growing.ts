/** A long list rendered from the top, some rows per frame, which keeps the page responsive. */
import { startTransition, useEffect, useState } from 'react'

/** Rows rendered at once, more than a tall window shows, and with each further frame. */
const STEP_ROWS = 20

/** Returns how many of `count` rows are rendered so far. */
export function useGrowing(count: number): number {
  const [drawn, setDrawn] = useState(STEP_ROWS)
  useEffect(() => {
    if (drawn >= count) return
    const frame = requestAnimationFrame(() => startTransition(() => setDrawn(drawn + STEP_ROWS)))
    return () => cancelAnimationFrame(frame)
  }, [drawn, count])
  return Math.min(drawn, count)
}
