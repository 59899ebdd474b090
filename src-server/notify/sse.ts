/** The live events as a server-sent event stream (WHATWG HTML section 9.2): ids, heartbeat, and no reader is buffered for. */
import { Readable } from 'node:stream'
import type { LiveEvent, LiveEventName } from '../../src-contract/events.ts'
import type { Clock } from '../../src-system/system.ts'
import type { EventLog, Follower, StoredEvent } from './events.ts'

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
 * The body of `GET /api/v1/events`. It takes from the log only as fast as the reader reads, so a slow reader costs no memory; one that
 * reads nothing for two heartbeats is disconnected and can come back with `Last-Event-ID`. The stream ends when the log closes, and lets
 * go of the log when it is destroyed.
 */
export class EventStream extends Readable {
  readonly #deps: StreamDeps
  readonly #follower: Follower
  readonly #ended = new AbortController()
  #isWanted = false
  #missedHeartbeats = 0

  constructor(deps: StreamDeps) {
    super()
    this.#deps = deps
    const afterSeq = seqOf(deps.lastEventId)
    this.#follower = deps.log.follow({
      ...(afterSeq === undefined ? {} : { afterSeq }),
      onNews: () => this.#takeOrEnd(),
      onEnd: () => this.#end(),
    })
    this.push(`retry: ${RECONNECT_MS}\n\n`)
    this.#beat().catch(() => this.destroy())
  }

  override _read(): void {
    this.#isWanted = true
    this.#missedHeartbeats = 0
    this.#take()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#ended.abort()
    this.#follower.close()
    done(error)
  }

  #say(text: string): void {
    if (!this.push(text)) this.#isWanted = false
  }

  #end(): void {
    this.#ended.abort()
    this.push(null)
  }

  #take(): void {
    if (this.#ended.signal.aborted) return
    if (!this.#deps.isStillAllowed()) {
      this.#end()
      return
    }
    while (this.#isWanted && this.#takeStored());
    if (this.#isWanted) this.#takeProgress()
  }

  /** Tells the next stored events; returns false when there are none. */
  #takeStored(): boolean {
    const stored = this.#follower.takeStored(PAGE_SIZE)
    const text = stored
      .filter(({ event }) => this.#deps.mayKnow(event))
      .map((event) => messageText(storedEvent(event), event.seq))
      .join('')
    if (text !== '') this.#say(text)
    return stored.length > 0
  }

  #takeProgress(): void {
    const text = this.#follower
      .takeProgress()
      .filter(({ event }) => this.#deps.mayKnow(event))
      .map((event) => messageText(event, undefined))
      .join('')
    if (text !== '') this.#say(text)
  }

  /** A reader that cannot be served comes back with `Last-Event-ID`. */
  #takeOrEnd(): void {
    try {
      this.#take()
    } catch {
      this.destroy()
    }
  }

  async #beat(): Promise<void> {
    for (;;) {
      await this.#deps.clock.sleep(HEARTBEAT_MS, this.#ended.signal).catch(() => undefined)
      if (this.#ended.signal.aborted) return
      if (!this.#deps.isStillAllowed()) {
        this.#end()
        return
      }
      if (this.#isWanted) this.#say(':\n\n')
      else if (++this.#missedHeartbeats >= 2) this.destroy()
    }
  }
}

/** Returns the event after which a reader goes on; undefined for a header that is none or no whole number. */
function seqOf(lastEventId: string | undefined): number | undefined {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId.trim()) ? Number(lastEventId) : undefined
}

function storedEvent({ event, seq, jobId }: StoredEvent): LiveEvent {
  return { event, seq, ...(jobId === undefined ? {} : { job_id: jobId }) }
}

function messageText(event: LiveEvent, id: number | undefined): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`
}
