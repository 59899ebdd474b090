import type { Ffmpeg } from '../media/ffmpeg.ts'
import { type Cover, readCover } from '../media/tags.ts'
import type { InspectedSong } from '../uploads/inspect.ts'

/** Returns the picture that a song carries; undefined without one. Throws the reason of an aborted signal, or that there is no ffmpeg. */
export type CoverOf = (song: InspectedSong, signal: AbortSignal) => Promise<Cover | undefined>

/** Returns the reader of covers; ffmpeg is asked for only where there is one to read. */
export function createCoverOf(ffmpeg: () => Promise<Ffmpeg>): CoverOf {
  return async ({ path, facts }, signal) =>
    facts.hasCover ? readCover(await ffmpeg(), { path, format: facts.format }, signal) : undefined
}
