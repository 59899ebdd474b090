/** The sound of a loaded item: its audio graph with the loaded and loading tracks. */
import type { Client } from '../../src-contract/client.ts'
import type { AudioGraph, AudioGraphDeps, openAudioGraph } from './audio-graph.ts'
import { FormTracks } from './forms.ts'
import { openSource, type PlaybackSource } from './source.ts'
import type { PlaybackVersion } from './state.ts'

export interface SessionDeps extends Pick<AudioGraphDeps, 'onReport' | 'onReady' | 'onFailure'> {
  readonly client: Client
  readonly openGraph: typeof openAudioGraph
}

type Placed = Pick<PlaybackVersion, 'kind' | 'startSeconds'>

export class PlaybackSession {
  readonly #deps: SessionDeps
  readonly #control = new AbortController()
  readonly #forms = new FormTracks()
  #rateHz = 0
  graph: AudioGraph | null = null

  constructor(deps: SessionDeps) {
    this.#deps = deps
  }

  /** Fires when the item is unloaded. */
  get signal(): AbortSignal {
    return this.#control.signal
  }

  /** Opens the audio graph. Rejects without AudioWorklet. */
  async start(format: Pick<AudioGraphDeps, 'rateHz' | 'durationSeconds'>): Promise<void> {
    const { client: _client, openGraph, ...calls } = this.#deps
    const graph = await openGraph({ ...format, ...calls })
    if (this.signal.aborted) return graph.close()
    this.#rateHz = format.rateHz
    this.graph = graph
  }

  /** Reads versions one after another. */
  async load(versions: readonly PlaybackVersion[]): Promise<void> {
    const read = versions.flatMap((one) => {
      const { id, track, source } = one
      if (!source || (track && this.#forms.has(track))) return []
      return [this.#toLoad(track ?? id, one, source, track ? this.#forms.add(track) : this.signal)]
    })
    await this.graph?.load(read)
    for (const { track } of versions) if (track) this.#forms.settle(track)
  }

  /** Loads a form of a version as a track of its own; does nothing if it is loaded or loading. */
  async loadForm(name: string, version: Placed, source: PlaybackSource): Promise<void> {
    if (this.graph && !this.#forms.has(name))
      await this.graph.load([this.#toLoad(name, version, source, this.#forms.add(name))])
  }

  hasForm(name: string): boolean {
    return this.#forms.has(name)
  }

  /** Marks a form as open: once unwanted, it is dropped after the chosen track has been audible long enough. */
  settleForm(name: string): void {
    this.#forms.settle(name)
  }

  /** Call once a form could not be read. */
  forgetForm(name: string): void {
    this.#forms.remove(name)
  }

  /** Drops a form, even while it loads. */
  dropForm(name: string): void {
    this.#forms.remove(name)
    this.graph?.drop(name)
  }

  /** Call with every report. */
  dropFaded(isHeard: boolean, isWanted: (name: string) => boolean): void {
    for (const name of this.#forms.faded(isHeard, isWanted)) this.graph?.drop(name)
  }

  close(): void {
    this.#control.abort()
    this.#forms.clear()
    this.graph?.close()
    this.graph = null
  }

  #toLoad(name: string, { kind, startSeconds }: Placed, source: PlaybackSource, signal: AbortSignal) {
    const place = { rateHz: this.#rateHz, startSeconds }
    const isSameSong = kind !== 'reference' && source.kind !== 'sequence'
    return { name, isSameSong, open: () => openSource(this.#deps.client, source, place, signal) }
  }
}
