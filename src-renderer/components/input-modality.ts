/**
 * Kind of the last press, pointer or key: a hint that opens by itself for the keyboard may be in the way of the
 * pointer. `:focus-visible` is not enough: it also matches when a menu used by pointer returns the focus.
 */

let wasByPointer = false

/** Tells whether the last press was by a pointer. */
export const isByPointer = (): boolean => wasByPointer

/** Records presses until the returned function is called. */
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
