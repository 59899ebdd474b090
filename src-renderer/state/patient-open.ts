/** Reading a file while the program may be away: the sound waits and then goes on. */
import { ApiError } from '../../src-contract/client.ts'
import type { OpenFile } from '../player/track.ts'
import { isNotReached } from './refusal.ts'

/** Wait between two attempts to read while the program is away, ms. */
const AWAY_MS = 1000

/**
 * Returns an opener that asks again for as long as the program is away and `isClosed` does not tell to stop. It throws the ApiError of an
 * answer that refuses.
 */
export function openPatiently(
  open: (headers: Record<string, string>) => Promise<Response>,
  isClosed: () => boolean,
): OpenFile {
  return async (range) => {
    const headers: Record<string, string> = range ? { Range: `bytes=${range.from}-${range.to - 1}` } : {}
    for (;;) {
      try {
        const answer = await open(headers)
        return new Response(await answer.arrayBuffer(), answer)
      } catch (error) {
        // Any other error than ApiError is an answer that broke off.
        if (isClosed() || (error instanceof ApiError && !isNotReached(error.code))) throw error
        await new Promise((resolve) => setTimeout(resolve, AWAY_MS))
      }
    }
  }
}
