/** The live events as a server-sent event stream, with ids. */
import type { LiveEvent, LiveEventName } from '../../src-contract/events.ts'
import type { EventLog, Follower, StoredEvent } from './events.ts'
import { type SseDeps, SseStream } from './sse-stream.ts'

/** Stored events read at once. */
const PAGE_SIZE = 100

export interface StreamDeps extends SseDeps {
  readonly log: EventLog
  /** The unparsed header; anything but a whole number counts as absent. */
  readonly lastEventId: string | undefined
  /** Returns whether this reader may receive an event. */
  readonly mayKnow: (event: LiveEventName) => boolean
}

/** The body of `GET /api/v1/events`. The stream ends when the log closes, and unsubscribes when it is destroyed. */
export class EventStream extends SseStream {
  readonly #deps: StreamDeps
  readonly #follower: Follower

  constructor(deps: StreamDeps) {
    super(deps)
    this.#deps = deps
    const afterSeq = seqOf(deps.lastEventId)
    this.#follower = deps.log.follow({
      ...(afterSeq === undefined ? {} : { afterSeq }),
      onNews: () => this.takeOrEnd(),
      onEnd: () => this.end(),
    })
  }

  /** Stored events come before any progress. */
  protected override nextText(): string | undefined {
    const stored = this.#follower.takeStored(PAGE_SIZE)
    if (stored.length > 0) return this.#texts(stored, (event) => messageText(storedEvent(event), event.seq))
    const progress = this.#follower.takeProgress()
    return progress.length > 0 ? this.#texts(progress, (event) => messageText(event, undefined)) : undefined
  }

  protected override release(): void {
    this.#follower.close()
  }

  #texts<News extends { readonly event: LiveEventName }>(news: readonly News[], textOf: (one: News) => string): string {
    return news
      .filter(({ event }) => this.#deps.mayKnow(event))
      .map(textOf)
      .join('')
  }
}

/** Returns the last event that a reader has seen; undefined for a missing or malformed header. */
function seqOf(lastEventId: string | undefined): number | undefined {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId.trim()) ? Number(lastEventId) : undefined
}

function storedEvent({ event, seq, jobId }: StoredEvent): LiveEvent {
  return { event, seq, ...(jobId === undefined ? {} : { job_id: jobId }) }
}

function messageText(event: LiveEvent, id: number | undefined): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`
}
