/** All releases: their list, the open one, and uploads to them. */
import { createStore } from 'zustand/vanilla'
import type { Source } from '../../src-contract/app.ts'
import { atMost } from '../../src-contract/at-most.ts'
import type { Client } from '../../src-contract/client.ts'
import { MAX_PAGE_SIZE, MAX_RELEASE_TRACKS } from '../../src-contract/limits.ts'
import type { NewRelease, Release, ReleaseKind, ReleaseSummary, TrackChange } from '../../src-contract/releases.ts'
import { titleOfStems } from '../../src-contract/stem-roles.ts'
import type { SendSong, SongFiles } from '../api/upload.ts'
import type { NoticesActions } from './notices.ts'
import { RecordPlan } from './record-plan.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { ReleaseEditor } from './release-editor.ts'
import { ReleaseExports } from './release-exports.ts'
import { Readiness } from './release-readiness.ts'
import { ReleaseUploads } from './release-uploads.ts'

export interface ReleasesState {
  /** Newest first; null before they are read. */
  readonly items: readonly ReleaseSummary[] | null
  readonly failure: Refusal | null
  /** Releases being deleted. */
  readonly hidden: readonly string[]
}

export interface ReleasesDeps {
  readonly client: Client
  readonly notices: NoticesActions
  readonly send: (song: SendSong) => Promise<Source>
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
}

/** Most tracks of a single and of an EP, by the services' classification (Apple Music Style Guide, section 4). */
const MOST_OF = { single: 1, ep: 6 }

/** Returns the kind of a release by the number of its tracks. Pure. */
export function kindOf(trackCount: number): ReleaseKind {
  return trackCount <= MOST_OF.single ? 'single' : trackCount <= MOST_OF.ep ? 'ep' : 'album'
}

/** Returns the title of a song from its file name: without extension and leading number. Pure. */
export function titleOfFile(name: string): string {
  const bare = name.replace(/\.[^.]+$/, '')
  return bare.replace(/^\d{1,3}(\s*[-.)_]\s*|\s+)(?=\S)/, '').trim() || bare
}

/** Returns the title of a song from the names of its files. Pure. */
export const titleOfFiles = ({ file, stems }: SongFiles): string =>
  (stems && titleOfStems(stems.map(({ name }) => name))) || titleOfFile(file.name)

/** Returns songs sorted by the names of their files, with numbers compared numerically. Pure. */
export const inNameOrder = (songs: readonly SongFiles[]): SongFiles[] =>
  [...songs].sort((a, b) => a.file.name.localeCompare(b.file.name, undefined, { numeric: true }))

/** Names of a release made from files. */
export interface ReleaseNames {
  readonly title: string
  /** Artist until the first song names one. */
  readonly artist: string
}

export class Releases {
  readonly store = createStore<ReleasesState>(() => ({ items: null, failure: null, hidden: [] }))
  readonly editor: ReleaseEditor
  readonly uploads: ReleaseUploads
  readonly exports: ReleaseExports
  readonly plan: RecordPlan
  readonly readiness: Readiness
  readonly #deps: ReleasesDeps
  readonly #inTurn = atMost(1)

  constructor(deps: ReleasesDeps) {
    this.#deps = deps
    const { client, storage, send } = deps
    this.editor = new ReleaseEditor({ client, storage, onStored: () => void this.read() })
    this.plan = new RecordPlan(client)
    this.readiness = new Readiness(client)
    this.exports = new ReleaseExports(client)
    this.uploads = new ReleaseUploads({ client, send, onAttached: () => this.editor.refresh() })
  }

  /** Reloads the list. Never throws. */
  async read(): Promise<void> {
    const { client } = this.#deps
    try {
      await this.#inTurn(async () => {
        let items: ReleaseSummary[] = []
        for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
          const query = { limit: MAX_PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) }
          const page = await client.call('listReleases', { query })
          items = [...items, ...page.releases]
          cursor = page.next_cursor
        }
        this.store.setState({ items })
      })
    } catch (error) {
      if (this.store.getState().items === null) this.store.setState({ failure: refusalOf(error) })
    }
  }

  clearFailure(): void {
    this.store.setState({ failure: null })
  }

  /** Makes a release and returns its id; null if refused, as the list then shows. Never throws. */
  async create(release: NewRelease): Promise<string | null> {
    const made = await this.#make(() => this.#deps.client.call('createRelease', { body: release }))
    return made?.release_id ?? null
  }

  /** Sets a release's cover to the picture that `read` returns. Never throws; the list shows a failure. */
  async takeCover(release_id: string, read: () => Promise<Blob>): Promise<void> {
    const { client } = this.#deps
    try {
      const content = await read()
      await client.call('putReleaseCover', { params: { release_id }, files: { file: { content, name: 'cover' } } })
      await this.editor.refresh()
    } catch (error) {
      this.store.setState({ failure: refusalOf(error) })
    }
  }

  /** Makes a release of songs, sorted by name, and uploads them. Returns its id; null if refused. Never throws. */
  async createOf(given: readonly SongFiles[], names: ReleaseNames): Promise<string | null> {
    const songs = inNameOrder(given).slice(0, MAX_RELEASE_TRACKS)
    const tracks = songs.map((song) => ({ title: titleOfFiles(song) }))
    const made = await this.#make(() =>
      this.#deps.client.call('createRelease', { body: { ...names, kind: kindOf(songs.length), tracks } }),
    )
    if (!made) return null
    for (const [at, song] of songs.entries()) {
      const trackId = made.tracks[at]?.track_id
      if (trackId) this.uploads.add(made.release_id, trackId, song, names.artist)
    }
    return made.release_id
  }

  /** Returns whether a release is being deleted, or no longer listed. */
  isGone(releaseId: string): boolean {
    const { items, hidden } = this.store.getState()
    return hidden.includes(releaseId) || items?.every(({ release_id }) => release_id !== releaseId) === true
  }

  /** Opens a release, adds songs to it, sorted by name, and uploads them. Never throws. */
  async addSongs(given: readonly SongFiles[], releaseId: string): Promise<void> {
    if (this.editor.store.getState().releaseId !== releaseId) {
      this.editor.open(releaseId)
      await this.editor.refresh()
    }
    const songs = inNameOrder(given)
    const added = await this.editor.add(songs.map((song): TrackChange => ({ title: titleOfFiles(song) })))
    for (const [at, trackId] of added.entries()) {
      const song = songs[at]
      if (song) this.uploads.add(releaseId, trackId, song)
    }
  }

  /** Makes a copy and returns its id; null if refused. Never throws. */
  async duplicate(releaseId: string, title: string): Promise<string | null> {
    const params = { release_id: releaseId }
    const made = await this.#make(() => this.#deps.client.call('duplicateRelease', { params, body: { title } }))
    return made?.release_id ?? null
  }

  /** Makes the releases of a table and returns the id of the first; null if refused. Never throws. */
  async importTable(file: File): Promise<string | null> {
    const files = { file: { content: file, name: file.name } }
    const made = await this.#make(async () => {
      const { releases } = await this.#deps.client.call('importReleases', { files })
      return releases[0]!
    })
    return made?.release_id ?? null
  }

  /** Deletes a release unless this is undone within ten seconds. */
  remove(releaseId: string, text: string): void {
    const { notices, client } = this.#deps
    const show = () => this.store.setState(({ hidden }) => ({ hidden: hidden.filter((id) => id !== releaseId) }))
    this.store.setState(({ hidden }) => ({ hidden: [...hidden, releaseId] }))
    notices.show({
      text,
      undo: show,
      settle: (isLeaving) =>
        void client
          .call('deleteRelease', { params: { release_id: releaseId }, ...(isLeaving ? { keepalive: true } : {}) })
          .catch((error: unknown) => this.store.setState({ failure: refusalOf(error) }))
          .then(() => this.read())
          .then(show),
    })
  }

  async #make(call: () => Promise<Release>): Promise<Release | null> {
    try {
      const made = await call()
      await this.read()
      return made
    } catch (error) {
      this.store.setState({ failure: refusalOf(error) })
      return null
    }
  }
}
