import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../src-system/system.ts'
import { isBodyHeld } from './expect-continue.ts'

/** Most bytes of an unread body that are read and discarded: the largest upload and its fields. */
const MAX_DRAINED_BYTES = 2_147_483_648
/** Longest time to drain a request, ms. */
const MAX_DRAIN_MS = 30_000
/** Silence after which a client with `Expect: 100-continue` is taken to be waiting for the request of its body, ms. */
const HELD_BODY_MS = 100

/**
 * Reads the rest of a refused request and discards it. A client that is still sending would never read its answer: Python's http.client
 * sends everything first, and a closed socket resets bytes that were already written. Returns whether the end was reached, or the client is
 * gone; false past 2 GiB or 30 s, or when the client waits to be asked for the body, and the connection must then be closed after the
 * answer.
 */
export async function drain(request: IncomingMessage, clock: Pick<Clock, 'after'>): Promise<boolean> {
  if (request.readableEnded || request.destroyed || !hasBody(request)) return true
  const over = Promise.withResolvers<boolean>()
  let sizeBytes = 0
  const count = (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_DRAINED_BYTES) over.resolve(false)
  }
  const cancel = clock.after(MAX_DRAIN_MS, () => over.resolve(false))
  const cancelHeld = isBodyHeld(request)
    ? clock.after(HELD_BODY_MS, () => sizeBytes === 0 && over.resolve(false))
    : () => {}
  const ended = () => over.resolve(true)
  request.on('data', count).once('end', ended).once('close', ended)
  request.resume()
  try {
    return await over.promise
  } finally {
    cancel()
    cancelHeld()
    request.off('data', count).off('end', ended).off('close', ended)
  }
}

/** Returns whether a request has a body, even an empty one. */
function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
