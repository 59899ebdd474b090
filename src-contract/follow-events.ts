/** The live events without an end: the stream, opened again behind the last stored event whenever it breaks off. */
import { ApiError, type Client, openEventStream } from './client.ts'
import type { LiveEvent } from './events.ts'

export interface FollowOptions {
  /** Stored event after which to begin; from now on when absent. */
  readonly lastId?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** An event as it came; `id` is that of a stored one, from which another call can go on. */
export interface FollowedEvent {
  readonly id?: string
  readonly event: LiveEvent
}

/** A line that has been silent for this long is dead: the server sends a comment every 15 s. */
const SILENCE_MS = 40_000
/** Pause before the first attempt to open the stream again, ms; it doubles up to the longest. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

/** Resolves after `ms`, or at once when the signal fires. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}

/**
 * Yields the events of the service as they come, and ends when the signal fires. A connection that breaks off or falls silent is opened
 * again, with the stored events that were missed. Throws ApiError where the service refuses the stream.
 */
export async function* followEvents(
  client: Pick<Client, 'open'>,
  { lastId: firstId, signal }: FollowOptions = {},
): AsyncGenerator<FollowedEvent, void, undefined> {
  let lastId = firstId
  for (let failures = 0; !signal?.aborted; ) {
    const line = createLine(signal)
    try {
      const { messages } = await openEventStream(client, lastId, line.signal)
      for await (const batch of messages) {
        failures = 0
        line.isAlive()
        for (const { id, data } of batch) {
          if (id !== undefined) lastId = id
          const event = JSON.parse(data) as LiveEvent
          yield id === undefined ? { event } : { id, event }
        }
      }
    } catch (error) {
      const isRefused = error instanceof ApiError && error.envelope !== undefined && !isPassing(error)
      if (isRefused && !signal?.aborted) throw error
    } finally {
      line.end()
    }
    failures += 1
    await pause(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)), signal)
  }
}

/** Returns whether a refusal ends by itself. */
export const isPassing = ({ code }: ApiError): boolean => code === 'RATE_LIMIT' || code === 'UNAVAILABLE'

/** Returns a signal that fires with `outer`, when `end` is called, and where nobody says `isAlive` for too long. */
function createLine(outer: AbortSignal | undefined) {
  const own = new AbortController()
  const end = () => {
    clearTimeout(silence)
    outer?.removeEventListener('abort', end)
    own.abort()
  }
  let silence = setTimeout(end, SILENCE_MS)
  outer?.addEventListener('abort', end)
  if (outer?.aborted) end()
  return {
    signal: own.signal,
    end,
    isAlive() {
      clearTimeout(silence)
      silence = setTimeout(end, SILENCE_MS)
    },
  }
}
