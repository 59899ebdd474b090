/** Mixes of stems that are heard before any job, in temporary files: those of the newest settings. */
import type { StemMix } from '../../src-contract/stem-mix-schemas.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import type { StoredStem } from '../../src-worker/media/stored-stem.ts'
import type { MadeMix, MakeMix } from '../jobs/make-mix.ts'

/** Mixes that are kept, for switching back and forth. */
const MOST_MIXES = 2

export interface StemMixesDeps {
  readonly makeMix: MakeMix
  /** Returns the stems of a set, in the order of their numbers; empty for any other stored song. */
  readonly stemsOf: (sourceId: string) => readonly StoredStem[]
}

interface Kept {
  readonly song: StoredSong
  readonly discard: MadeMix['discard']
}

export class StemMixes {
  readonly #deps: StemMixesDeps
  readonly #kept = new Map<string, Kept>()

  constructor(deps: StemMixesDeps) {
    this.#deps = deps
  }

  /**
   * Makes the mix of a song unless it is kept; the oldest mixes are removed for it. A song without stems has none. Rejects with the client's
   * error for a failure, INSUFFICIENT_STORAGE, or the reason of an aborted `signal`.
   */
  async make(sum: StoredSong, sourceId: string, mix: StemMix, signal: AbortSignal): Promise<StoredSong | undefined> {
    const key = keyOf(sourceId, mix)
    const known = this.#kept.get(key)
    if (known) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return known.song
    }
    const stems = this.#deps.stemsOf(sourceId)
    if (stems.length === 0) return undefined
    const { mix: made, discard } = await this.#deps.makeMix({ stems, mix, tags: sum.facts.tags }, signal)
    const { path, sha256, sampleRateHz, frames } = made
    const facts = { ...sum.facts, sampleRateHz, frames, durationSeconds: frames / sampleRateHz }
    const song = { path, filename: sum.filename, sha256, facts }
    // The same mix may have been asked for twice at once.
    const twin = this.#kept.get(key)
    if (twin) {
      await discard()
      return twin.song
    }
    this.#kept.set(key, { song, discard })
    for (const [other, { discard: remove }] of this.#kept) {
      if (this.#kept.size <= MOST_MIXES) break
      this.#kept.delete(other)
      await remove()
    }
    return song
  }

  /** Removes all of them. */
  async clear(): Promise<void> {
    const all = [...this.#kept.values()]
    this.#kept.clear()
    await Promise.all(all.map(({ discard }) => discard()))
  }
}

const keyOf = (sourceId: string, mix: StemMix) => JSON.stringify([sourceId, mix])
