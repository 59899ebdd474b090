/**
 * Kind of the last press, pointer or key: a hint that opens by itself for the keyboard may be in the way of the pointer. `:focus-visible` does not
 * tell: it also matches what a menu that was used by hand gives the focus back to.
 */

let wasByPointer = false

/** Tells whether the last press was that of a pointer. */
export const isByPointer = (): boolean => wasByPointer

/** Notes presses until the returned function is called. */
export function watchInputModality(): () => void {
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
