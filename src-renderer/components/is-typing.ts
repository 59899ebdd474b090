/** Whose a key is that the window hears. */

/** Whether a single key belongs to what is being typed or chosen rather than to the window. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target
  if (event.isComposing || event.keyCode === 229) return true
  if (!(target instanceof HTMLElement)) return false
  const isTextField =
    target instanceof HTMLInputElement && !['radio', 'checkbox', 'range', 'file'].includes(target.type)
  return isTextField || target instanceof HTMLTextAreaElement || target.isContentEditable
}

/** Whether a dialog or a menu lies over the screen: its keys are not those of what is below. */
export function isCovered(): boolean {
  return document.querySelector('[role=dialog], [role=menu]') !== null
}
