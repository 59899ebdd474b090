/** Follows the live events of the server: a stream that reconnects, and polling while it cannot. */
import {
  ApiError,
  type Client,
  type MessageStream,
  type OpenedStream,
  openEventStream,
  type StreamMessage,
} from '../../src-contract/client.ts'
import type { LiveEvent } from '../../src-contract/events.ts'

/** Wait before the n-th reconnection in a row, ms: 0.5 s doubling to 15 s. */
export function backOffMs(failures: number): number {
  return Math.min(15_000, 500 * 2 ** Math.max(0, failures - 1))
}

export type LinkState = 'connecting' | 'live' | 'polling' | 'lost'

/** Opens the event stream after the stored event `lastId`. Throws ApiError where the server refuses it. */
export type OpenStream = (lastId: string | undefined, signal: AbortSignal) => Promise<OpenedStream>

/** Returns a function that opens a stream for this page alone. */
export const ownStream =
  (client: Pick<Client, 'open'>): OpenStream =>
  (lastId, signal) =>
    openEventStream(client, lastId, signal)

export interface FollowOptions {
  readonly open: OpenStream
  readonly onEvent: (event: LiveEvent) => void
  /** Called once after every (re)connection and on every poll: read the truth again, events may have been missed. */
  readonly onCatchUp: () => Promise<void>
  readonly onLink: (link: LinkState) => void
  readonly signal: AbortSignal
}

const POLL_MS = 2000
/** Failed connections in a row after which the page polls between attempts. */
const POLL_AFTER = 2
/** A line that has been silent for this long is dead: the server sends a comment every 15 s. */
const SILENCE_MS = 40_000

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })

/** Reads messages until the stream ends. Rejects when it has been silent for too long. */
async function readMessages(messages: MessageStream, onMessage: (message: StreamMessage) => void) {
  const batches = messages[Symbol.asyncIterator]()
  let silence: ReturnType<typeof setTimeout> | undefined
  try {
    for (;;) {
      const watch = new Promise<never>((_, reject) => {
        silence = setTimeout(() => reject(new Error('silent stream')), SILENCE_MS)
      })
      const { done, value } = await Promise.race([batches.next(), watch])
      clearTimeout(silence)
      if (done) return
      value.forEach(onMessage)
    }
  } finally {
    clearTimeout(silence)
  }
}

/**
 * Follows the live events until `signal` fires: it reconnects with back-off and polls meanwhile. Throws ApiError when the server does
 * not know the page's credential (any more), and nothing else.
 */
export async function followEvents({ open, onEvent, onCatchUp, onLink, signal }: FollowOptions): Promise<void> {
  let lastId: string | undefined
  let failures = 0
  while (!signal.aborted) {
    try {
      const { messages, close } = await open(lastId, signal)
      try {
        await onCatchUp()
        failures = 0
        onLink('live')
        await readMessages(messages, ({ id, data }) => {
          lastId = id ?? lastId
          onEvent(JSON.parse(data) as LiveEvent)
        })
      } finally {
        // A browser opens six connections to one server and no more.
        await close()
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiError && error.code === 'INVALID_API_KEY') throw error
    }
    failures += 1
    onLink('connecting')
    const until = Date.now() + backOffMs(failures)
    while (!signal.aborted && failures > POLL_AFTER && Date.now() < until) {
      try {
        await onCatchUp()
        onLink('polling')
      } catch {
        onLink('lost')
      }
      await pause(Math.min(POLL_MS, Math.max(0, until - Date.now())), signal)
    }
    await pause(Math.max(0, until - Date.now()), signal)
  }
}
