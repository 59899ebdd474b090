/** Validation of messages from the page: neither their origin nor their type is trusted. */
import type { IpcMainEvent, IpcMainInvokeEvent } from 'electron'

/** Returns whether a message came from the main frame of a window that shows a page of `origin`. */
export function isOurPage(event: Pick<IpcMainInvokeEvent | IpcMainEvent, 'senderFrame'>, origin: string): boolean {
  const frame = event.senderFrame
  // A frame that has loaded nothing yet has an empty address.
  return frame !== null && frame.parent === null && URL.canParse(frame.url) && new URL(frame.url).origin === origin
}

/** A message that the bridge cannot have sent. */
export class WrongMessageError extends Error {}

/** Returns a text of at most `maxLength` characters; throws for anything else. */
export function text(value: unknown, maxLength: number): string {
  if (typeof value !== 'string' || value.length > maxLength) throw new WrongMessageError('a text was expected')
  return value
}

/** Returns one of the allowed words; throws for anything else. */
export function word<const Words extends readonly string[]>(value: unknown, allowed: Words): Words[number] {
  const found = allowed.find((known) => known === value)
  if (found === undefined) throw new WrongMessageError(`one of ${allowed.join(', ')} was expected`)
  return found
}

/** Returns a list of at most `maxItems`, each as `item` reads it; throws for anything else. */
export function list<Item>(value: unknown, maxItems: number, item: (value: unknown) => Item): Item[] {
  if (!Array.isArray(value) || value.length > maxItems) throw new WrongMessageError('a list was expected')
  return value.map(item)
}

/** Returns the members of a plain object; throws for anything else. */
export function members(value: unknown): Readonly<Record<string, unknown>> {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new WrongMessageError('an object was expected')
  return value as Record<string, unknown>
}

/** Returns a whole number of pixels; throws for anything else. */
export function coordinate(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new WrongMessageError('a number was expected')
  return Math.round(value)
}
