/** Follows the server's live events for a page: a stream that reconnects, and polling while it cannot. */
import type { LiveEvent } from '../../src-contract/events.ts'
import { followStream, type OpenStream, pause } from '../../src-contract/follow-events.ts'

export type LinkState = 'connecting' | 'live' | 'polling' | 'lost'

export interface PageFollowing {
  readonly open: OpenStream
  readonly onEvent: (event: LiveEvent) => void
  /** Called after every (re)connection and on every poll: reload the data, as events may have been missed. */
  readonly onCatchUp: () => Promise<void>
  readonly onLink: (link: LinkState) => void
  readonly signal: AbortSignal
}

const POLL_MS = 2000
/** Consecutive connection failures after which the page polls between attempts. */
const POLL_AFTER = 2

/**
 * Follows the live events until `signal` fires, reconnecting with back-off and polling meanwhile. Throws only ApiError,
 * when the server does not (or no longer) accept the page's credential.
 */
export async function followForPage({ open, onEvent, onCatchUp, onLink, signal }: PageFollowing): Promise<void> {
  const events = followStream(open, {
    signal,
    isFinal: ({ code }) => code === 'INVALID_API_KEY',
    async onOpened() {
      await onCatchUp()
      onLink('live')
    },
    async rest(pauseMs, failures) {
      onLink('connecting')
      const until = Date.now() + pauseMs
      while (!signal.aborted && failures > POLL_AFTER && Date.now() < until) {
        await onCatchUp().then(
          () => onLink('polling'),
          () => onLink('lost'),
        )
        await pause(Math.min(POLL_MS, Math.max(0, until - Date.now())), signal)
      }
      await pause(Math.max(0, until - Date.now()), signal)
    },
  })
  for await (const { event } of events) onEvent(event)
}
