/** Details of the songs of the batch: shown at once, sent together after a pause. */
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BatchSong } from '../../src-contract/app.ts'
import { ApiError, type Client } from '../../src-contract/client.ts'
import type { OwnMetadata, OwnMetadataName } from '../../src-contract/metadata.ts'
import { metadataText } from '../../src-contract/metadata-rules.ts'
import type { createChanges } from './batch-changes.ts'
import type { Commands } from './batch-commands.ts'
import { METADATA_OF_SONGS } from './batch-merge.ts'
import { type BatchState, songIn } from './batch-state.ts'
import type { Uploads } from './batch-uploads.ts'
import { readStored } from './browser-storage.ts'
import type { NoticesActions } from './notices.ts'
import { isNotReached } from './refusal.ts'

/** A text typed for a song. */
export interface WrittenText {
  readonly rowId: string
  readonly name: OwnMetadataName
  readonly text: string
}

export interface MetadataState {
  /** Texts that break a rule, as typed; the server keeps the last valid text. */
  readonly faulty: Readonly<Record<string, string>>
}

/** Key of a song's text in `faulty`. */
export const metadataField = (rowId: string, name: OwnMetadataName): string => `${rowId} ${name}`

/** Returns the text in the tags of a song's file. */
export function fileText({ source }: Pick<BatchSong, 'source'>, name: OwnMetadataName): string {
  if (name === 'title' || name === 'artist') return source[name] ?? ''
  return name === 'lyrics' ? '' : (source.tags[name] ?? '')
}

export interface BatchMetadataDeps {
  readonly client: Pick<Client, 'call' | 'open'>
  readonly store: StoreApi<BatchState>
  readonly changes: ReturnType<typeof createChanges>
  readonly commands: Pick<Commands, 'tell'>
  readonly notices: NoticesActions
  readonly uploads: Pick<Uploads, 'store' | 'changeMetadata'>
  /** Returns the current id of a row: the song's, given the id of its upload. */
  readonly currentId: (rowId: string) => string
  readonly clearFailure: () => void
  /** Stores texts that break a rule over a reload. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>
}

/** Texts shared by several songs; the others belong to a single song. */
export const SHARED_METADATA = ['artist', 'album', 'year', 'composer', 'copyright', 'comment'] as const

/** Fewest songs for which an equal text counts as shared by all. */
const LEAST_TOGETHER = 2
const FAULTY_KEY = 'loudsmith.metadata'
/** Interval between attempts while the program is away, ms. */
const AWAY_MS = 2000

const isTexts = (stored: unknown) => typeof stored === 'object' && stored !== null

/** The texts about the songs, with the actions that change them. */
export class BatchMetadata {
  readonly store: StoreApi<MetadataState>
  readonly #deps: BatchMetadataDeps
  /** Unconfirmed changes of songs. */
  readonly #unsent = new Map<string, OwnMetadata>()

  constructor(deps: BatchMetadataDeps) {
    this.#deps = deps
    this.store = createStore(() => ({ faulty: readStored(deps.storage, FAULTY_KEY, isTexts, {}) }))
  }

  /** Tells whether a change of a song is unconfirmed: until then it overrides the server's reading. */
  holds(rowId: string): boolean {
    return this.#unsent.has(rowId)
  }

  /** Returns the text as typed, even if it breaks a rule; empty where the file's tag applies. */
  textOf(rowId: string, name: OwnMetadataName): string {
    const id = this.#deps.currentId(rowId)
    const written = songIn(this.#deps.store.getState(), id) ?? this.#uploadOf(id)
    return this.store.getState().faulty[metadataField(id, name)] ?? written?.metadata?.[name] ?? ''
  }

  /** Writes texts in one undoable step; changes of the same fields in quick succession are one step. */
  readonly write = (texts: readonly WrittenText[]): void => {
    this.#deps.clearFailure()
    const before = texts.map((one) => ({ ...one, text: this.textOf(one.rowId, one.name) }))
    this.#put(texts)
    this.#deps.notices.edits.push({
      undo: () => this.#put(before),
      redo: () => this.#put(texts),
      mergeKey: JSON.stringify(texts.map(({ rowId, name }) => metadataField(rowId, name))),
    })
  }

  /** Writes texts of a song just stored. */
  take(rowId: string, texts: OwnMetadata): void {
    const names = Object.keys(texts) as OwnMetadataName[]
    if (names.length > 0) this.#put(names.map((name) => ({ rowId, name, text: texts[name] ?? '' })))
  }

  /** Gives a new song of the batch the texts and the cover that all the others share. */
  join(rowId: string): void {
    const songs = this.#deps.store.getState().batch?.songs ?? []
    const own = songs.find(({ source }) => source.source_id === rowId)
    const [first, ...others] = songs.filter((song) => song !== own)
    if (!own || !first || 1 + others.length < LEAST_TOGETHER) return
    const names = SHARED_METADATA.filter(
      (name) =>
        own.metadata[name] === undefined && others.every(({ metadata }) => metadata[name] === first.metadata[name]),
    )
    this.take(
      rowId,
      Object.fromEntries(names.flatMap((name) => (first.metadata[name] ? [[name, first.metadata[name]]] : []))),
    )
    const isOneCover = others.every(({ cover }) => cover?.sha256 === first.cover?.sha256)
    if (first.cover && isOneCover && !own.cover)
      void this.#readCover(first.source.source_id).then((picture) => this.#putCovers([[rowId, picture]]))
  }

  /** Gives a song the metadata and cover of the song that it replaces. */
  follow(formerId: string, rowId: string): void {
    const former = songIn(this.#deps.store.getState(), formerId)
    if (!former) return
    this.take(rowId, former.metadata)
    if (former.cover) void this.#readCover(formerId).then((picture) => this.#putCovers([[rowId, picture]]))
  }

  /** Gives songs their own cover, or with null that of their files; undoable. Never throws. */
  readonly setCover = async (rowIds: readonly string[], picture: Blob | null): Promise<void> => {
    this.#deps.clearFailure()
    const before = await Promise.all(rowIds.map(async (rowId) => [rowId, await this.#readCover(rowId)] as const))
    const after = rowIds.map((rowId) => [rowId, picture] as const)
    if (!(await this.#putCovers(after))) return
    this.#deps.notices.edits.push({
      undo: () => void this.#putCovers(before),
      redo: () => void this.#putCovers(after),
    })
  }

  #put(texts: readonly WrittenText[]): void {
    const { store } = this.#deps
    const { batch } = store.getState()
    if (!batch) return
    const songs = new Map(batch.songs.map((song) => [song.source.source_id, song]))
    const faulty = { ...this.store.getState().faulty }
    for (const { rowId: given, name, text } of texts) {
      const rowId = this.#deps.currentId(given)
      const song = songs.get(rowId)
      if (!song) {
        if (this.#uploadOf(rowId)) this.#deps.uploads.changeMetadata(rowId, { [name]: text })
        continue
      }
      delete faulty[metadataField(rowId, name)]
      const read = metadataText(name, text)
      if ('broken' in read) {
        faulty[metadataField(rowId, name)] = text
        continue
      }
      const kept = read.kept === fileText(song, name) ? '' : read.kept
      const { [name]: _before, ...others } = song.metadata
      songs.set(rowId, { ...song, metadata: kept === '' ? others : { ...others, [name]: kept } })
      this.#unsent.set(rowId, { ...this.#unsent.get(rowId), [name]: kept })
    }
    store.setState({ batch: { ...batch, songs: batch.songs.map((song) => songs.get(song.source.source_id) ?? song) } })
    this.store.setState({ faulty })
    this.#deps.storage.setItem(FAULTY_KEY, JSON.stringify(faulty))
    if (this.#unsent.size > 0) this.#sendSoon()
  }

  #uploadOf(rowId: string) {
    return this.#deps.uploads.store.getState().uploads.find(({ uploadId }) => uploadId === rowId)
  }

  #sendSoon(): void {
    const { client, changes } = this.#deps
    changes.soon(METADATA_OF_SONGS, async (keepalive = false) => {
      const sent = [...this.#unsent]
      const metadata = sent.map(([source_id, texts]) => ({ source_id, ...texts }))
      let isAway = false
      try {
        return await client.call('changeDesk', { body: { metadata }, keepalive })
      } catch (error) {
        isAway = error instanceof ApiError && isNotReached(error.code)
        if (isAway) setTimeout(() => this.#sendSoon(), AWAY_MS)
        throw error
      } finally {
        if (!isAway)
          for (const [rowId, texts] of sent) if (this.#unsent.get(rowId) === texts) this.#unsent.delete(rowId)
      }
    })
  }

  async #readCover(source_id: string): Promise<Blob | null> {
    if (!songIn(this.#deps.store.getState(), source_id)?.cover) return null
    return this.#deps.client.open('readDeskCover', { params: { source_id } }).then(
      (answer) => answer.blob(),
      () => null,
    )
  }

  /** Returns whether the server accepted them. Never throws. */
  #putCovers(covers: readonly (readonly [string, Blob | null])[]): Promise<boolean> {
    const { client, commands } = this.#deps
    const tell = commands.tell(async () => {
      for (const [source_id, picture] of covers) {
        const params = { source_id }
        if (picture) {
          const name = picture instanceof File ? picture.name : 'cover'
          await client.call('putDeskCover', { params, files: { cover_file: { content: picture, name } } })
        } else await client.call('removeDeskCover', { params })
      }
      return client.call('readDesk', {})
    })
    return tell.then(
      () => true,
      () => false,
    )
  }
}
