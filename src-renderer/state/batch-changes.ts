/** Settings that the hand has changed and the server has not confirmed: sent when the hand rests. */
import type { Batch } from '../../src-contract/app.ts'

const SETTLE_MS = 250

/** Target of settings of all songs, beside the source_ids of single songs. */
export const ALL_SONGS = 'all songs'

/** Tells the server. A request of a page that is being left must outlive it. */
export type TellChange = (isLeaving?: boolean) => Promise<Batch>

interface Change {
  /** Runs while the hand has not rested. */
  readonly timer: ReturnType<typeof setTimeout>
  /** Sends it if that has not been done. Rejects with why the server did not take it. */
  readonly send: () => Promise<void>
  readonly request: TellChange
}

/** Creates the keeper of unsent changes; `tell` runs a request and shows its answer. */
export function createChanges(tell: (run: () => Promise<Batch>) => Promise<void>) {
  const unconfirmed = new Map<string, Change>()
  return {
    /** Tells whether a change of `target` is unconfirmed: until then it overrides the server's reading. */
    holds: (target: string): boolean => unconfirmed.has(target),
    /** Sends a change of `target` when the hand rests, in place of the one before it. */
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
    /** Call when the page goes: everything is sent so that it outlives it. Never throws. */
    leave(): void {
      for (const { request } of unconfirmed.values()) void request(true).catch(() => undefined)
    },
  }
}
