/** Coded copies on the player: each is made and opened when it is chosen, and let go of once another has taken its place. */
import type { Client } from '../../src-contract/client.ts'
import { COPY_CODEC_NAMES, type CopyCodec } from '../../src-contract/codecs.ts'
import type { PlaybackReport } from '../player/playback-engine.ts'
import type { Player } from '../player/player.ts'
import { AS_UPLOADED, copyTrack, type HeardCopies, type HeardCopy, isWantedCopy } from './heard-copies.ts'
import type { SongVersion } from './listen-versions.ts'
import { PassingTracks } from './passing-tracks.ts'
import { openPatiently } from './patient-open.ts'
import { refusalOf } from './refusal.ts'

export interface CopyLoaderDeps {
  readonly client: Client
  readonly player: () => Player | null
  readonly copies: () => HeardCopies
  /** Puts the forms in the place of those before, and lets them be heard. */
  readonly onChange: (copies: HeardCopies) => void
}

/** The copies of one visit. */
export class CopyLoader {
  readonly #deps: CopyLoaderDeps
  readonly #tracks = new PassingTracks()
  /** What is under way, by version: only the last choice of each counts. */
  readonly #asked = new Map<string, AbortController>()
  #isClosed = false

  constructor(deps: CopyLoaderDeps) {
    this.#deps = deps
  }

  /** Lets a master be heard as a codec leaves it, with null as uploaded. What was heard before is heard until the copy is there. */
  choose(version: SongVersion, codec: CopyCodec | null): void {
    const { id } = version
    const { codec: heard, making } = this.#formOf(id)
    if (codec !== null && codec === making) return
    this.#giveUp(id)
    if (codec === null || codec === heard || this.#tracks.has(copyTrack(id, codec))) {
      this.#put(id, { codec, making: null, failed: null })
      return
    }
    this.#put(id, { making: codec, failed: null })
    void this.#open(version, codec)
  }

  /** Call when the player has opened a track. */
  onReady(track: string): void {
    const found = this.#find(track, ({ making }) => making)
    if (!found) return
    this.#tracks.settle(track)
    this.#put(found.version, { codec: found.codec, making: null })
  }

  /** Call when the player cannot open or read a track: its master is heard instead. */
  onFailure(track: string, error: unknown): void {
    this.#tracks.remove(track)
    const asked = this.#find(track, ({ making }) => making)
    const heard = this.#find(track, ({ codec }) => codec)
    const refusal = refusalOf(error)
    if (asked) this.#put(asked.version, { making: null, failed: { codec: asked.codec, refusal } })
    else if (heard) this.#put(heard.version, { codec: null, failed: { codec: heard.codec, refusal } })
  }

  /** Call with every report of the player and the track that is chosen. */
  onReport({ version }: PlaybackReport, chosen: string): void {
    const copies = this.#deps.copies()
    for (const track of this.#tracks.faded(version === chosen, (one) => isWantedCopy(copies, one))) {
      this.#deps.player()?.drop(track)
    }
  }

  /** Lets go of the copies of a version that is taken out: another may come by its name. */
  forget(id: string): void {
    this.#giveUp(id)
    for (const track of COPY_CODEC_NAMES.map((codec) => copyTrack(id, codec))) {
      if (!this.#tracks.has(track)) continue
      this.#tracks.remove(track)
      this.#deps.player()?.drop(track)
    }
    const { [id]: _gone, ...copies } = this.#deps.copies()
    this.#deps.onChange(copies)
  }

  /** Gives up what is under way. */
  close(): void {
    this.#isClosed = true
    for (const asking of this.#asked.values()) asking.abort()
  }

  async #open({ id, jobId: job_id, platform }: SongVersion, codec: CopyCodec): Promise<void> {
    if (!platform) return
    const track = copyTrack(id, codec)
    const asking = new AbortController()
    this.#asked.set(id, asking)
    this.#tracks.add(track)
    const { signal } = asking
    const read = (headers: Record<string, string>) =>
      this.#deps.client.open('readCodedCopy', { params: { job_id, platform, codec }, headers, signal })
    await this.#deps
      .player()
      ?.load([{ version: track, isSameSong: true, open: openPatiently(read, () => signal.aborted || this.#isClosed) }])
  }

  /** Gives up the copy of a version that is still being made. */
  #giveUp(id: string): void {
    const { making } = this.#formOf(id)
    if (!making) return
    const track = copyTrack(id, making)
    this.#asked.get(id)?.abort()
    this.#tracks.remove(track)
    this.#deps.player()?.drop(track)
  }

  #find(track: string, codecOf: (form: HeardCopy) => CopyCodec | null) {
    return Object.entries(this.#deps.copies())
      .flatMap(([version, form]) => {
        const codec = codecOf(form)
        return codec && copyTrack(version, codec) === track ? [{ version, codec }] : []
      })
      .at(0)
  }

  #formOf(id: string): HeardCopy {
    return this.#deps.copies()[id] ?? AS_UPLOADED
  }

  #put(id: string, next: Partial<HeardCopy>): void {
    this.#deps.onChange({ ...this.#deps.copies(), [id]: { ...this.#formOf(id), ...next } })
  }
}
