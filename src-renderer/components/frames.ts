/** Drawing in step with the display: frames, reduced motion, and the size of the canvas element. */
import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react'

const stillness = matchMedia('(prefers-reduced-motion: reduce)')
const onStillness = (listener: () => void) => {
  stillness.addEventListener('change', listener)
  return () => stillness.removeEventListener('change', listener)
}

/** Tells whether the user asked for reduced motion. */
export function useIsStill(): boolean {
  return useSyncExternalStore(onStillness, () => stillness.matches)
}

/** Calls `draw` before every repaint, or every `stillMs` with reduced motion. */
export function useFrames(draw: (now: number) => void, stillMs = 250): void {
  const isStill = useIsStill()
  const latest = useRef(draw)
  latest.current = draw
  useEffect(() => {
    let request = 0
    let last = Number.NEGATIVE_INFINITY
    const frame = (now: number) => {
      request = requestAnimationFrame(frame)
      if (isStill && now - last < stillMs) return
      last = now
      latest.current(now)
    }
    request = requestAnimationFrame(frame)
    return () => cancelAnimationFrame(request)
  }, [isStill, stillMs])
}

/** Sets an attribute if it differs: setting an equal value would cost a layout with every repaint. */
export function setAttribute(element: Element | null | undefined, name: string, value: string): void {
  if (element && element.getAttribute(name) !== value) element.setAttribute(name, value)
}

/** The size of an element in CSS pixels, as it changes; `first` before the first measurement. */
export function useSize(ref: RefObject<HTMLElement | null>, first: readonly [number, number]) {
  const [size, setSize] = useState(first)
  useEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      const box = entry?.contentRect
      if (box && box.width > 0 && box.height > 0) setSize([Math.floor(box.width), Math.floor(box.height)])
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return size
}
