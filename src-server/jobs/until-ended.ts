import type { Clock } from '../../src-system/system.ts'
import type { EventLog } from '../notify/events.ts'

export interface UntilEndedDeps {
  readonly events: Pick<EventLog, 'follow'>
  readonly clock: Pick<Clock, 'after'>
}

/**
 * Resolves once `hasEnded` returns true, checked at first and after every event, when `waitMs` milliseconds have passed, or when the event
 * log closes. Rejects with the signal's reason, and with the error of `hasEnded`, such as for a job deleted meanwhile.
 */
export async function untilEnded(
  { events, clock }: UntilEndedDeps,
  hasEnded: () => boolean,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = () => {
    try {
      if (hasEnded()) resolve()
    } catch (error) {
      reject(error)
    }
  }
  const giveUp = () => reject(signal.reason)
  // Subscribed before the first check, to miss no end in between.
  const follower = events.follow({ onNews: look, onEnd: resolve })
  const stopTimer = clock.after(waitMs, resolve)
  signal.addEventListener('abort', giveUp)
  try {
    look()
    await promise
  } finally {
    follower.close()
    stopTimer()
    signal.removeEventListener('abort', giveUp)
  }
}
