/** Mixes of stems that are heard before any job, in temporary files: those of the newest settings, and the decoded stems of one set. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { atMost } from '../../src-contract/at-most.ts'
import type { StemMix } from '../../src-contract/stem-mix-schemas.ts'
import { discardFolder } from '../../src-system/disk.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import { keptLanes, keptName } from '../../src-worker/media/stem-lanes.ts'
import type { StemParts } from '../../src-worker/media/stored-stem.ts'
import type { MadeMix, MakeMix } from '../jobs/make-mix.ts'

/** Mixes that are kept, for switching back and forth. */
const MOST_MIXES = 2

export interface StemMixesDeps {
  readonly makeMix: MakeMix
  /** Returns the stems of a set; none for any other stored song. */
  readonly stemPartsOf: (sourceId: string) => StemParts
  /** Folder for the decoded stems of one set; it is made when it is needed. */
  readonly folder: string
}

interface Kept {
  readonly song: StoredSong
  readonly discard: MadeMix['discard']
  /** Names of the decoded stems that it is made of. */
  readonly files: readonly string[]
}

export class StemMixes {
  readonly #deps: StemMixesDeps
  readonly #kept = new Map<string, Kept>()
  /** One at a time: each may remove the files of another set. */
  readonly #inTurn = atMost(1)
  /** Set whose decoded stems are in the folder. */
  #sourceId: string | undefined

  constructor(deps: StemMixesDeps) {
    this.#deps = deps
  }

  /** Returns whether a stored song has stems. */
  has(sourceId: string): boolean {
    return this.#deps.stemPartsOf(sourceId).stems.length > 0
  }

  /**
   * Returns the decoded stems of a mix, which are heard before it is made. Those that are not there are decoded, with the mix. Undefined if
   * only the mix itself can be heard. Rejects as {@link make} does.
   */
  async lanes(sum: StoredSong, sourceId: string, mix: StemMix, signal: AbortSignal) {
    const find = () => keptLanes(this.#deps.stemPartsOf(sourceId), mix, this.#deps.folder)
    const lanes = this.#sourceId === sourceId ? find() : undefined
    if (lanes) return lanes
    await this.make(sum, sourceId, mix, signal)
    return find()
  }

  /**
   * Makes the mix of a song unless it is kept; the oldest mixes are removed for it. A song without stems has none. Rejects with the client's
   * error for a failure, INSUFFICIENT_STORAGE, or the reason of an aborted `signal`.
   */
  make(sum: StoredSong, sourceId: string, mix: StemMix, signal: AbortSignal): Promise<StoredSong | undefined> {
    return this.#inTurn(() => this.#make(sum, sourceId, mix, signal))
  }

  /** Removes all of them. */
  clear(): Promise<void> {
    return this.#inTurn(() => this.#clear())
  }

  async #make(sum: StoredSong, sourceId: string, mix: StemMix, signal: AbortSignal): Promise<StoredSong | undefined> {
    const key = keyOf(sourceId, mix)
    const known = this.#kept.get(key)
    if (known) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return known.song
    }
    const parts = this.#deps.stemPartsOf(sourceId)
    if (parts.stems.length === 0) return undefined
    if (this.#sourceId !== sourceId) await this.#clear()
    this.#sourceId = sourceId
    const { folder, makeMix } = this.#deps
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const order = { ...parts, mix, kept: folder, tags: sum.facts.tags }
    const { mix: made, discard } = await makeMix(order, signal)
    const { path: file, sha256, sampleRateHz, frames } = made
    const facts = { ...sum.facts, sampleRateHz, frames, durationSeconds: frames / sampleRateHz }
    const song = { path: file, filename: sum.filename, sha256, facts }
    const lanes = keptLanes(parts, mix, folder) ?? []
    const plain = parts.stems.map((stem) => keptName(stem, sampleRateHz))
    this.#kept.set(key, { song, discard, files: [...lanes.map((lane) => path.basename(lane.path)), ...plain] })
    await this.#sweep()
    return song
  }

  async #clear(): Promise<void> {
    const all = [...this.#kept.values()]
    this.#kept.clear()
    this.#sourceId = undefined
    await Promise.all([...all.map(({ discard }) => discard()), discardFolder(this.#deps.folder)])
  }

  /** Removes the oldest mixes, and the decoded stems that no kept one has. */
  async #sweep(): Promise<void> {
    for (const [other, { discard: remove }] of this.#kept) {
      if (this.#kept.size <= MOST_MIXES) break
      this.#kept.delete(other)
      await remove()
    }
    const files = new Set([...this.#kept.values()].flatMap((kept) => kept.files))
    const { folder } = this.#deps
    const unused = (await readdir(folder)).filter((name) => !files.has(name) && !name.endsWith('.part'))
    await Promise.all(unused.map((name) => rm(path.join(folder, name), { force: true })))
  }
}

const keyOf = (sourceId: string, mix: StemMix) => JSON.stringify([sourceId, mix])
