/** The live events as a server-sent event stream (WHATWG HTML section 9.2): ids, heartbeat, and no reader is buffered for. */
import { Readable } from 'node:stream'
import type { LiveEvent, LiveEventName } from '../../src-contract/events.ts'
import type { Clock } from '../../src-system/system.ts'
import type { EventLog, StoredEvent } from './events.ts'

/** A comment this often keeps proxies and readers from taking the line for dead. */
const HEARTBEAT_MS = 15_000
/** Pause before a browser reconnects, ms. */
const RECONNECT_MS = 1000
/** Stored events read at once. */
const PAGE_SIZE = 100

export interface StreamDeps {
  readonly log: EventLog
  readonly clock: Clock
  /** The header as it came; anything but a whole number counts as absent. */
  readonly lastEventId: string | undefined
  /** Returns whether this reader may receive an event. */
  readonly mayKnow: (event: LiveEventName) => boolean
  /** Asked at each heartbeat and before anything is told: false ends the stream, as when the reader's key was revoked. */
  readonly isStillAllowed: () => boolean
}

/**
 * Returns the body of `GET /api/v1/events`. It takes from the log only as fast as the reader reads, so a slow reader costs no
 * memory; one that reads nothing for two heartbeats is disconnected and can come back with `Last-Event-ID`. The stream ends
 * when the log closes, and lets go of the log when it is destroyed.
 */
export function createEventStream({ log, clock, lastEventId, mayKnow, isStillAllowed }: StreamDeps): Readable {
  const ended = new AbortController()
  let isWanted = false
  let missedHeartbeats = 0

  const stream = new Readable({
    read() {
      isWanted = true
      missedHeartbeats = 0
      take()
    },
    destroy(error, done) {
      ended.abort()
      follower.close()
      done(error)
    },
  })
  const afterSeq = lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId.trim()) ? Number(lastEventId) : undefined
  const follower = log.follow({
    ...(afterSeq === undefined ? {} : { afterSeq }),
    onNews: takeOrEnd,
    onEnd: end,
  })

  function say(text: string): void {
    if (!stream.push(text)) isWanted = false
  }

  function end(): void {
    ended.abort()
    stream.push(null)
  }

  function take(): void {
    if (ended.signal.aborted) return
    if (!isStillAllowed()) {
      end()
      return
    }
    while (isWanted) {
      const stored = follower.takeStored(PAGE_SIZE)
      const text = stored
        .filter(({ event }) => mayKnow(event))
        .map((event) => messageText(storedEvent(event), event.seq))
        .join('')
      if (text !== '') say(text)
      if (stored.length === 0) break
    }
    if (!isWanted) return
    const progress = follower
      .takeProgress()
      .filter(({ event }) => mayKnow(event))
      .map((event) => messageText(event, undefined))
    if (progress.length > 0) say(progress.join(''))
  }

  /** A reader that cannot be served comes back with `Last-Event-ID`. */
  function takeOrEnd(): void {
    try {
      take()
    } catch {
      stream.destroy()
    }
  }

  async function beat(): Promise<void> {
    for (;;) {
      await clock.sleep(HEARTBEAT_MS, ended.signal).catch(() => undefined)
      if (ended.signal.aborted) return
      if (!isStillAllowed()) {
        end()
        return
      }
      if (isWanted) say(':\n\n')
      else if (++missedHeartbeats >= 2) stream.destroy()
    }
  }

  stream.push(`retry: ${RECONNECT_MS}\n\n`)
  beat().catch(() => stream.destroy())
  return stream
}

function storedEvent({ event, seq, jobId }: StoredEvent): LiveEvent {
  return { event, seq, ...(jobId === undefined ? {} : { job_id: jobId }) }
}

function messageText(event: LiveEvent, id: number | undefined): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`
}
