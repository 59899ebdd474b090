/**
 * How the page was pressed last: what comes up by itself for the keyboard may be in the way of the hand. `:focus-visible` does not
 * tell: it also matches what a menu that was used by hand gives the focus back to.
 */

let wasByPointer = false

/** Whether the last press was that of a pointer. */
export const isByPointer = (): boolean => wasByPointer

/** Notes presses until the returned function is called. */
export function watchPresses(): () => void {
  const onPointer = () => {
    wasByPointer = true
  }
  const onKey = () => {
    wasByPointer = false
  }
  addEventListener('pointerdown', onPointer, true)
  addEventListener('keydown', onKey, true)
  return () => {
    removeEventListener('pointerdown', onPointer, true)
    removeEventListener('keydown', onKey, true)
  }
}
