/** Rows that change place slide there: measured before, moved back by a transform, released. */
import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Animates the children of `list` whenever `order` changes, except with reduced motion. */
export function useRowAnimation(list: RefObject<HTMLElement | null>, order: string): void {
  const places = useRef(new Map<Element, number>())
  // biome-ignore lint/correctness/useExhaustiveDependencies: places follow from the order
  useLayoutEffect(() => {
    const element = list.current
    if (!element) return
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
    const before = places.current
    places.current = new Map(
      [...element.querySelectorAll(':scope > [data-row]')].map((child) => [child, (child as HTMLElement).offsetTop]),
    )
    if (isCalm) return
    for (const [child, top] of places.current) {
      const from = before.get(child)
      if (from !== undefined && from !== top)
        child.animate([{ transform: `translateY(${from - top}px)` }, { transform: 'none' }], {
          duration: 200,
          easing: 'cubic-bezier(.5, 0, .2, 1)',
        })
    }
  }, [list, order])
}
