/** Uploads to tracks: the track is created at once, and its song follows. */
import { createStore } from 'zustand/vanilla'
import type { Source } from '../../src-contract/app.ts'
import { atMost } from '../../src-contract/at-most.ts'
import type { Client } from '../../src-contract/client.ts'
import type { SendSong, SongFiles } from '../api/upload.ts'
import { type Refusal, refusalOf } from './refusal.ts'

/** The upload of a track's song. */
export interface TrackUpload {
  readonly state: 'waiting' | 'sending' | 'refused'
  readonly song: SongFiles
  readonly percent: number
  readonly refusal?: Refusal
}

export interface ReleaseUploadsDeps {
  readonly client: Pick<Client, 'call'>
  readonly send: (song: SendSong) => Promise<Source>
  /** Called when a track has its song. */
  readonly onAttached: () => Promise<void>
}

interface Task {
  readonly releaseId: string
  readonly trackId: string
  /** Name of the release's artist until a song supplies one. */
  readonly placeholderArtist: string
}

export class ReleaseUploads {
  readonly store = createStore<{ readonly byTrack: Readonly<Record<string, TrackUpload>> }>(() => ({ byTrack: {} }))
  readonly #deps: ReleaseUploadsDeps
  readonly #inTurn = atMost(1)
  readonly #tasks = new Map<string, Task>()

  constructor(deps: ReleaseUploadsDeps) {
    this.#deps = deps
  }

  /** Uploads a song to a track, after all earlier ones. Never throws. */
  add(releaseId: string, trackId: string, song: SongFiles, placeholderArtist = ''): void {
    this.#tasks.set(trackId, { releaseId, trackId, placeholderArtist })
    this.#show(trackId, { state: 'waiting', song, percent: 0 })
    void this.#inTurn(() => this.#run(trackId, song))
  }

  /** Resends a refused song. */
  again(trackId: string): void {
    const upload = this.store.getState().byTrack[trackId]
    const task = this.#tasks.get(trackId)
    if (upload && task) this.add(task.releaseId, trackId, upload.song, task.placeholderArtist)
  }

  /** Releases the files of a track. */
  drop(trackId: string): void {
    this.store.setState(({ byTrack: { [trackId]: _gone, ...others } }) => ({ byTrack: others }))
  }

  /** Tells whether files have not arrived yet. */
  hasPending(): boolean {
    return Object.values(this.store.getState().byTrack).some(({ state }) => state !== 'refused')
  }

  #show(trackId: string, upload: TrackUpload): void {
    this.store.setState(({ byTrack }) => ({ byTrack: { ...byTrack, [trackId]: upload } }))
  }

  async #run(trackId: string, song: SongFiles): Promise<void> {
    const task = this.#tasks.get(trackId)
    // Its track was removed while it waited.
    if (!task || this.store.getState().byTrack[trackId]?.song !== song) return
    this.#show(trackId, { state: 'sending', song, percent: 0 })
    const onSent = (sent: number, total: number) =>
      this.#show(trackId, { state: 'sending', song, percent: Math.floor((100 * sent) / Math.max(1, total)) })
    try {
      const source = await this.#deps.send({ ...song, purpose: 'song', onSent })
      await this.#attach(task, source, song.file)
      this.drop(trackId)
      await this.#deps.onAttached()
    } catch (error) {
      this.#show(trackId, { state: 'refused', song, percent: 0, refusal: refusalOf(error) })
    }
  }

  /** Attaches a stored song to its track, with the names in its file where none were typed. */
  async #attach({ releaseId, trackId, placeholderArtist }: Task, source: Source, file: File): Promise<void> {
    const { client } = this.#deps
    const params = { release_id: releaseId }
    const { tracks, artist } = await client.call('readRelease', { params })
    const track = tracks.find(({ track_id }) => track_id === trackId)
    if (!track) return
    // A song without its own title is named after its file.
    const isNamed = source.title !== file.name.replace(/\.[^.]+$/, '')
    const body = {
      source_id: source.source_id,
      ...(isNamed && file.name.includes(track.title) ? { title: source.title } : {}),
      ...(source.artist && track.artists.length === 0 ? { artists: [source.artist] } : {}),
    }
    await client.call('changeTrack', { params: { ...params, track_id: trackId }, body })
    if (source.artist && placeholderArtist !== '' && artist === placeholderArtist)
      await client.call('changeRelease', { params, body: { artist: source.artist } })
  }
}
