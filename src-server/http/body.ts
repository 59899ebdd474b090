/** Request bodies, read at the pace of their consumer, from clients that must keep sending. */
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../src-system/system.ts'
import { AppError, invalidRequest } from './app-error.ts'
import { askForBody } from './expect-continue.ts'

/** Longest wait for a step of the body, or the rest of it: half a kilobyte a second is enough. */
const MAX_STEP_MS = 30_000
/** Size of a step, bytes. */
const STEP_BYTES = 16_384

/** Context for reading a body. */
export interface BodyReading {
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
}

/**
 * Yields the body of `request` as it arrives, and asks for it if the client waits for that. Time until the caller asks for the next chunk
 * does not count against the client. Throws REQUEST_TIMEOUT if the client is too slow for too long, INVALID_REQUEST if it breaks off, and
 * the reason of `signal`. In each case, the rest of the body stays unread.
 */
export async function* bodyChunks(
  request: IncomingMessage,
  { clock, signal }: BodyReading,
): AsyncGenerator<Buffer, void> {
  askForBody(request)
  let leftMs = MAX_STEP_MS
  let stepBytes = 0
  for (;;) {
    signal.throwIfAborted()
    const chunk = request.read() as Buffer | null
    if (chunk !== null) {
      stepBytes += chunk.length
      if (stepBytes >= STEP_BYTES) {
        leftMs = MAX_STEP_MS
        stepBytes = 0
      }
      yield chunk
      continue
    }
    if (request.complete) return
    if (request.destroyed) throw invalidRequest('body_broken_off')
    const startMs = clock.monotonicMs()
    await untilReadable(request, signal, (run) => clock.after(leftMs, run))
    leftMs -= clock.monotonicMs() - startMs
  }
}

/** Waits until there is more to read, or the body has ended. */
async function untilReadable(
  request: IncomingMessage,
  signal: AbortSignal,
  setTimer: (run: () => void) => () => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const gone = () => reject(signal.reason)
  const ended = () => resolve()
  const cancel = setTimer(() => reject(new AppError('REQUEST_TIMEOUT')))
  const events = ['readable', 'end', 'close'] as const
  const failed = (cause: Error) => reject(invalidRequest('body_broken_off', { cause }))
  for (const event of events) request.once(event, ended)
  request.once('error', failed)
  signal.addEventListener('abort', gone, { once: true })
  try {
    await promise
  } finally {
    cancel()
    for (const event of events) request.off(event, ended)
    request.off('error', failed)
    signal.removeEventListener('abort', gone)
  }
}
