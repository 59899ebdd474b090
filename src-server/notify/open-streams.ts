import type { Readable } from 'node:stream'
import { MAX_STREAMS_PER_KEY } from '../../src-contract/limits.ts'
import { AppError } from '../http/app-error.ts'
import type { Caller } from '../http/route.ts'

/** Open event streams, counted by API key; the application's are not counted. */
export class OpenStreams {
  readonly #openByKey = new Map<string, number>()

  /** Opens a stream for a caller and counts it until it closes. Throws CONCURRENT_LIMIT for one more than a key may have. */
  open<Stream extends Readable>(caller: Caller, make: () => Stream): Stream {
    if (caller.via !== 'key') return make()
    const { keyId } = caller
    if ((this.#openByKey.get(keyId) ?? 0) >= MAX_STREAMS_PER_KEY)
      throw new AppError('CONCURRENT_LIMIT', { reason: 'streams', limit: MAX_STREAMS_PER_KEY })
    const stream = make()
    this.#count(keyId, 1)
    return stream.once('close', () => this.#count(keyId, -1))
  }

  #count(keyId: string, change: 1 | -1): void {
    const open = (this.#openByKey.get(keyId) ?? 0) + change
    if (open > 0) this.#openByKey.set(keyId, open)
    else this.#openByKey.delete(keyId)
  }
}
