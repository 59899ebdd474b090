import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { type Cover, readCover } from '../../src-worker/media/tags.ts'
import { type InspectedSong, serviceFailure } from '../uploads/inspect.ts'

/**
 * Returns the picture that a song carries; undefined without one. Throws the reason of an aborted signal, and UNAVAILABLE where ffmpeg is
 * gone or was killed.
 */
export type CoverOf = (song: InspectedSong, signal: AbortSignal) => Promise<Cover | undefined>

/** Returns the reader of covers; ffmpeg is asked for only where there is one to read. */
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
