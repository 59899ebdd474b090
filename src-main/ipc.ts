/** The gate of the main process: answers only the main frame of our own window showing our own page. */
import { type IpcMainEvent, ipcMain } from 'electron'
import { isOurPage, WrongMessageError } from './messages.ts'

/** Returns the gate for pages of `origin`. */
export function createGate(origin: string) {
  return {
    /** Answers requests on a channel; throws in the page if the sender is not ours. */
    answer(channel: string, reply: (...args: unknown[]) => unknown): void {
      ipcMain.handle(channel, (event, ...args: unknown[]) => {
        if (!isOurPage(event, origin)) throw new WrongMessageError('refused')
        return reply(...args)
      })
    },
    /** Takes commands on a channel; drops commands of other senders and malformed ones. */
    take(channel: string, act: (event: IpcMainEvent, ...args: unknown[]) => void): void {
      ipcMain.on(channel, (event, ...args: unknown[]) => {
        if (!isOurPage(event, origin)) return
        try {
          act(event, ...args)
        } catch (cause) {
          // Commands get no answer, and an error thrown here would be shown to the user as a program fault.
          if (!(cause instanceof WrongMessageError)) throw cause
        }
      })
    },
  }
}
