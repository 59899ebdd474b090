/** Several controls as one tab stop: arrows move the focus between them. */
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
  const found = () => [...(ref.current?.querySelectorAll<HTMLElement>(selector) ?? [])]
  const controls = () => found().filter((one) => one.checkVisibility())
  const mark = () => {
    const visible = controls()
    const stop = visible.find((one) => one === last.current) ?? visible[0]
    // A hidden one may appear without a render.
    if (stop) for (const one of found()) one.tabIndex = one === stop ? 0 : -1
  }
  const marked = useRef<readonly Element[]>([])
  // Controls come and go with any render; asking which are visible computes the styles of the page.
  useEffect(() => {
    const all = found()
    if (all.length === marked.current.length && all.every((one, at) => one === marked.current[at])) return
    marked.current = all
    mark()
  })
  useEffect(() => {
    addEventListener('resize', mark)
    return () => removeEventListener('resize', mark)
  })
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
