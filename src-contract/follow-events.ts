/** The live events without an end: the stream, opened again behind the last stored event whenever it breaks off. */
import { ApiError, type Client, type OpenedStream, openEventStream } from './client.ts'
import type { LiveEvent } from './events.ts'

export interface FollowOptions {
  /** Last stored event already seen; the stream starts with new events when absent. */
  readonly lastId?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** A received event; `id` is set for a stored one, and another call can resume from it. */
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

/** Opens the event stream after the stored event `lastId`. Throws ApiError if the server refuses it. */
export type OpenStream = (lastId: string | undefined, signal: AbortSignal) => Promise<OpenedStream>

/** Returns a function that opens a separate stream for this caller. */
export const ownStream =
  (client: Pick<Client, 'open'>): OpenStream =>
  (lastId, signal) =>
    openEventStream(client, lastId, signal)

export interface StreamOptions extends FollowOptions {
  /** Returns whether a refusal ends the following; every other failure is tried again. */
  readonly isFinal: (error: ApiError) => boolean
  /** Called whenever the stream has been opened, before its events; if it fails, the stream is opened again. */
  readonly onOpened?: () => Promise<void>
  /** Waits before the stream is opened again, after this many failures in a row. */
  readonly rest?: (pauseMs: number, failures: number, signal: AbortSignal | undefined) => Promise<void>
}

/**
 * Yields the events of the service as they arrive, and ends when the signal fires. A broken or silent connection is reopened, and missed
 * stored events are replayed. Throws ApiError if the service refuses the stream.
 */
export const followEvents = (
  client: Pick<Client, 'open'>,
  options: FollowOptions = {},
): AsyncGenerator<FollowedEvent, void, undefined> =>
  followStream(ownStream(client), {
    ...options,
    isFinal: (error) => error.envelope !== undefined && !isPassing(error),
  })

/** Does the same with the caller's own stream and its own action between connections. Throws an ApiError accepted by `isFinal`. */
export async function* followStream(
  open: OpenStream,
  { lastId: firstId, signal, isFinal, onOpened, rest = (pauseMs) => pause(pauseMs, signal) }: StreamOptions,
): AsyncGenerator<FollowedEvent, void, undefined> {
  let lastId = firstId
  for (let failures = 0; !signal?.aborted; ) {
    const line = createLine(signal)
    let stream: OpenedStream | undefined
    try {
      stream = await open(lastId, line.signal)
      await onOpened?.()
      if (onOpened) failures = 0
      for await (const batch of stream.messages) {
        failures = 0
        line.isAlive()
        for (const { id, data } of batch) {
          if (id !== undefined) lastId = id
          const event = JSON.parse(data) as LiveEvent
          yield id === undefined ? { event } : { id, event }
        }
      }
    } catch (error) {
      if (error instanceof ApiError && isFinal(error) && !signal?.aborted) throw error
    } finally {
      line.end()
      // A browser opens six connections to one server and no more.
      await stream?.close()
    }
    failures += 1
    await rest(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)), failures, signal)
  }
}

/** Returns whether a refusal is temporary. */
export const isPassing = ({ code }: ApiError): boolean => code === 'RATE_LIMIT' || code === 'UNAVAILABLE'

/** Returns a signal that fires with `outer`, when `end` is called, or when `isAlive` has not been called for too long. */
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
