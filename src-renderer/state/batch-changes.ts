/** Settings changed here and not yet confirmed by the server: sent after a pause. */
import type { Batch } from '../../src-contract/app.ts'

const SETTLE_MS = 250

/** Target for settings of all songs; single songs use their source_id. */
export const ALL_SONGS = 'all songs'

/** Sends it to the server. The request must outlive a page that is closing. */
export type TellChange = (isLeaving?: boolean) => Promise<Batch>

interface Change {
  /** Timer that runs until the pause. */
  readonly timer: ReturnType<typeof setTimeout>
  /** Sends it unless that was done. Rejects with the server's refusal. */
  readonly send: () => Promise<void>
  readonly request: TellChange
}

/** Creates the keeper of unsent changes; `tell` runs a request and shows its answer. */
export function createChanges(tell: (run: () => Promise<Batch>) => Promise<void>) {
  const unconfirmed = new Map<string, Change>()
  return {
    /** Tells whether a change of `target` is unconfirmed: until then it overrides the server's reading. */
    holds: (target: string): boolean => unconfirmed.has(target),
    /** Sends a change of `target` after a pause, replacing the previous one. */
    soon(target: string, request: TellChange): void {
      clearTimeout(unconfirmed.get(target)?.timer)
      let sent: Promise<void> | undefined
      const send = () => {
        clearTimeout(change.timer)
        sent ??= tell(() =>
          request().finally(() => {
            if (unconfirmed.get(target) === change) unconfirmed.delete(target)
          }),
        )
        return sent
      }
      const timer = setTimeout(() => void send().catch(() => undefined), SETTLE_MS)
      const change: Change = { timer, send, request }
      unconfirmed.set(target, change)
    },
    /** Sends all unsent changes. Rejects when the server refuses one. */
    flush: () => Promise.all([...unconfirmed.values()].map((change) => change.send())),
    /** Call when the page closes: everything is sent in requests that outlive it. Never throws. */
    leave(): void {
      for (const { request } of unconfirmed.values()) void request(true).catch(() => undefined)
    },
  }
}
