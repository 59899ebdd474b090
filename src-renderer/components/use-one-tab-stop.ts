/** Several controls as one tab stop: arrows move the focus among them. */
import { type FocusEvent, type KeyboardEvent, type RefObject, useEffect, useRef } from 'react'

const KEYS = { row: ['ArrowLeft', 'ArrowRight'], column: ['ArrowUp', 'ArrowDown'] } as const

interface OneTabStop<Host extends HTMLElement> {
  readonly ref: RefObject<Host | null>
  readonly onFocus: (event: FocusEvent) => void
  readonly onKeyDownCapture: (event: KeyboardEvent) => void
}

/**
 * Returns the props of the element around the controls that `selector` finds. The control that had the focus last is the
 * tab stop, at first the first one; `way` says which two arrows move on, and nothing happens at the ends.
 */
export function useOneTabStop<Host extends HTMLElement = HTMLDivElement>(
  selector: string,
  way: keyof typeof KEYS,
): OneTabStop<Host> {
  const ref = useRef<Host>(null)
  const last = useRef<Element | null>(null)
  const controls = () =>
    [...(ref.current?.querySelectorAll<HTMLElement>(selector) ?? [])].filter((one) => one.getClientRects().length > 0)
  const mark = () => {
    const all = controls()
    const stop = all.find((one) => one === last.current) ?? all[0]
    for (const one of all) one.tabIndex = one === stop ? 0 : -1
  }
  // After every render: controls come and go.
  useEffect(mark)
  return {
    ref,
    onFocus: ({ target }) => {
      if (!target.matches(selector)) return
      last.current = target
      mark()
    },
    onKeyDownCapture: (event) => {
      const [back, forth] = KEYS[way]
      const step = { [back]: -1, [forth]: 1 }[event.key]
      const at = controls().indexOf(event.target as HTMLElement)
      if (step === undefined || at < 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
      event.preventDefault()
      event.stopPropagation()
      controls()[at + step]?.focus()
    },
  }
}
