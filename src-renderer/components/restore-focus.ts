/** Keeps the focus nearby when its element disappears: a button removed by its own press, a row deleted from a list. */

/** Waits until rows and dialogs that pass on the focus themselves have done so. */
const settled = (then: () => void) => requestAnimationFrame(() => setTimeout(then))

const isNowhere = () => document.activeElement === null || document.activeElement === document.body

/** Tells whether the element is a place rather than a control: repeating a key there has no unexpected effect. */
const isPlace = (node: Node | null): node is HTMLElement =>
  node instanceof HTMLElement &&
  node.isConnected &&
  node.matches('[tabindex]:not(button, a, input, [role]:not([role=row]))')

/** The place after the removed one, else the one before it; null if neither neighbour is a place. */
function placeBeside({ nextSibling, previousSibling }: MutationRecord): HTMLElement | null {
  return [nextSibling, previousSibling].find(isPlace) ?? null
}

/**
 * Whenever the focused element leaves the page and nothing else takes the focus, focuses the closest remaining place:
 * its neighbour in the list, an ancestor, or `#content`. Nothing scrolls. Returns the function that stops this. Never
 * throws.
 */
export function restoreFocus(): () => void {
  /** The element focused last, and its ancestors. */
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
