import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { type Cover, readCover } from '../../src-worker/media/tags.ts'
import { type InspectedSong, serviceFailure } from '../uploads/inspect.ts'

/**
 * Returns the picture of a song; undefined without one. Throws the reason of an aborted signal, and UNAVAILABLE if ffmpeg is missing or was
 * killed.
 */
export type CoverOf = (song: InspectedSong, signal: AbortSignal) => Promise<Cover | undefined>

/** Returns the reader of covers; it only needs ffmpeg if a song has a cover. */
export function createCoverOf(ffmpeg: () => Promise<Ffmpeg>): CoverOf {
  return async ({ path, facts }, signal) => {
    if (!facts.hasCover) return undefined
    try {
      return await readCover(await ffmpeg(), { path, format: facts.format }, signal)
    } catch (cause) {
      signal.throwIfAborted()
      throw serviceFailure(cause)
    }
  }
}
