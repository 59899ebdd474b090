/** The gate of the main process: only the main frame of our own window, showing our own page, is answered. */
import { type IpcMainEvent, type IpcMainInvokeEvent, ipcMain } from 'electron'

/** Returns whether a message came from the main frame of a window that shows a page of `origin`. */
export function isOurPage(event: Pick<IpcMainInvokeEvent | IpcMainEvent, 'senderFrame'>, origin: string): boolean {
  const frame = event.senderFrame
  return frame !== null && frame.parent === null && new URL(frame.url).origin === origin
}

/** What the page sends is checked again here: a message is never trusted to have the type that the bridge gives it. */
export class WrongMessageError extends Error {}

/** Returns the gate for pages of `origin`. */
export function createGate(origin: string) {
  return {
    /** Answers requests on a channel; throws in the page when the sender is not ours. */
    answer(channel: string, reply: (...args: unknown[]) => unknown): void {
      ipcMain.handle(channel, (event, ...args: unknown[]) => {
        if (!isOurPage(event, origin)) throw new WrongMessageError('refused')
        return reply(...args)
      })
    },
    /** Takes commands on a channel; those of other senders are dropped. */
    take(channel: string, act: (event: IpcMainEvent, ...args: unknown[]) => void): void {
      ipcMain.on(channel, (event, ...args: unknown[]) => {
        if (isOurPage(event, origin)) act(event, ...args)
      })
    },
  }
}

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
