/** A server-sent event stream (WHATWG HTML section 9.2) with heartbeat and without buffers for slow readers. */
import { Readable } from 'node:stream'
import type { Clock } from '../../src-system/system.ts'

/** A comment this often keeps proxies and readers from taking the line for dead. */
const HEARTBEAT_MS = 15_000
/** Pause before a browser reconnects, ms. */
const RECONNECT_MS = 1000

export interface SseDeps {
  readonly clock: Clock
  /** Called at each heartbeat and before any message: false ends the stream, such as when the reader's key was revoked. */
  readonly isStillAllowed: () => boolean
}

/** Headers of an event stream. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  // The connection is not reused, so no idle connection delays the stop of the service.
  connection: 'close',
}

/**
 * Body of a stream. It takes messages only as fast as the reader reads, so a slow reader costs no memory; a reader that stalls for two
 * heartbeats is disconnected and can come back with `Last-Event-ID`.
 */
export abstract class SseStream extends Readable {
  readonly #sse: SseDeps
  readonly #ended = new AbortController()
  #isWanted = false
  #missedHeartbeats = 0

  constructor(deps: SseDeps) {
    super()
    this.#sse = deps
    this.push(`retry: ${RECONNECT_MS}\n\n`)
    this.#beat().catch(() => this.destroy())
  }

  /** Returns the next messages, empty if all of them are for other readers; undefined without new ones. */
  protected abstract nextText(): string | undefined

  /** Releases the source of the messages. */
  protected abstract release(): void

  /** Returns whether the last message has been sent. */
  protected isLast(): boolean {
    return false
  }

  override _read(): void {
    this.#isWanted = true
    this.#missedHeartbeats = 0
    this.#take()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#ended.abort()
    this.release()
    done(error)
  }

  /** Sends available messages. On an error the stream ends, and the reader can come back with `Last-Event-ID`. */
  protected takeOrEnd(): void {
    try {
      this.#take()
    } catch {
      this.destroy()
    }
  }

  protected end(): void {
    if (this.#ended.signal.aborted) return
    this.#ended.abort()
    this.push(null)
  }

  #say(text: string): void {
    if (!this.push(text)) this.#isWanted = false
  }

  #take(): void {
    if (this.#ended.signal.aborted) return
    if (!this.#sse.isStillAllowed()) {
      this.end()
      return
    }
    while (this.#isWanted) {
      const isLast = this.isLast()
      const text = this.nextText()
      if (text === undefined) return
      if (text !== '') this.#say(text)
      if (isLast) {
        this.end()
        return
      }
    }
  }

  async #beat(): Promise<void> {
    for (;;) {
      await this.#sse.clock.sleep(HEARTBEAT_MS, this.#ended.signal).catch(() => undefined)
      if (this.#ended.signal.aborted) return
      if (!this.#sse.isStillAllowed()) {
        this.end()
        return
      }
      if (this.#isWanted) this.#say(':\n\n')
      else if (++this.#missedHeartbeats >= 2) this.destroy()
    }
  }
}
