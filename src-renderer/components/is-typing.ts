/** Assigns the window's key events to text fields, controls or commands. */

/** Tells whether a key goes to a text field or an input method rather than to the window. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target
  if (event.isComposing || event.keyCode === 229) return true
  if (!(target instanceof HTMLElement)) return false
  const isTextField =
    target instanceof HTMLInputElement && !['radio', 'checkbox', 'range', 'file'].includes(target.type)
  return isTextField || target instanceof HTMLTextAreaElement || target.isContentEditable
}

/**
 * Returns the key by its name on the key sheet, letters in lower case. A non-ASCII key, as of a Korean layout (on macOS
 * even outside text fields), is the letter at its position, and ₩ the backslash.
 */
export function keyOf({ key, code }: Pick<KeyboardEvent, 'key' | 'code'>): string {
  const isOther = /^\P{ASCII}$/u.test(key)
  const letter = isOther ? (/^Key([A-Z])$/.exec(code)?.[1] ?? (code === 'Backslash' ? '\\' : undefined)) : undefined
  return key.length === 1 ? (letter ?? key).toLowerCase() : key
}

/** Tells whether the key deletes: Delete, which Mac keyboards lack, or ⌘⌫. */
export function isDelete({ key, metaKey }: KeyboardEvent): boolean {
  return key === 'Delete' || (key === 'Backspace' && metaKey)
}

/** Tells whether a dialog or a menu covers the screen, whose keys then do not apply. */
export function isCovered(): boolean {
  return document.querySelector('[role=dialog], [role=menu]') !== null
}

/** Tells whether a key belongs to the focused control rather than to the transport. */
export function ownsKey(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false
  const isArrow = key.startsWith('Arrow')
  if (target instanceof HTMLInputElement) {
    // Space selects a radio button: arrows cannot reach the first of a group with none selected.
    if (target.type === 'radio') return isArrow || (key === ' ' && !target.checked)
    if (target.type === 'range') return isArrow || ['Home', 'End', 'PageUp', 'PageDown'].includes(key)
    return target.type !== 'checkbox' || key === ' '
  }
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable)
    return true
  return key === ' ' && target.matches('button, a, summary, [role=menuitem]') && target.matches(':focus-visible')
}
