/** Keeps the focus near where it was when what has it goes away: a button that its own press removes, a row taken off a list. */

/** Waits until rows and dialogs that hand the focus on by themselves have done so. */
const settled = (then: () => void) => requestAnimationFrame(() => setTimeout(then))

const isNowhere = () => document.activeElement === null || document.activeElement === document.body

/** Tells whether the element is a place rather than a control: a key that is pressed once more does nothing there by surprise. */
const isPlace = (node: Node | null): node is HTMLElement =>
  node instanceof HTMLElement &&
  node.isConnected &&
  node.matches('[tabindex]:not(button, a, input, [role]:not([role=row]))')

/** The place that came after the one that was removed, else the one before it; null where neither is one. */
function placeBeside({ nextSibling, previousSibling }: MutationRecord): HTMLElement | null {
  return [nextSibling, previousSibling].find(isPlace) ?? null
}

/**
 * Whenever the focused element leaves the page and nothing else takes the focus, gives it to the closest place that still
 * stands: the one beside it in its list, one around it, or `#content`. Nothing scrolls. Returns what ends it. Never throws.
 */
export function restoreFocus(): () => void {
  /** The element that had the focus last, and all around it. */
  let around: readonly Element[] = []
  const onFocus = ({ target }: FocusEvent) => {
    around = []
    for (let at = target as Element | null; at; at = at.parentElement) around = [...around, at]
  }
  const hasLost = () => isNowhere() && around[0]?.isConnected === false
  const observer = new MutationObserver((records) => {
    if (!hasLost()) return
    const taken = records.find(({ removedNodes }) => around.some((element) => [...removedNodes].includes(element)))
    const beside = taken && placeBeside(taken)
    settled(() => {
      if (!hasLost()) return
      const place = beside?.isConnected ? beside : around.find(isPlace)
      const to = place ?? document.getElementById('content')
      to?.focus({ preventScroll: true })
    })
  })
  document.addEventListener('focusin', onFocus)
  observer.observe(document.body, { childList: true, subtree: true })
  return () => {
    document.removeEventListener('focusin', onFocus)
    observer.disconnect()
  }
}
