/** Rows of the batch: adding and removing them. */
import type { StoreApi } from 'zustand/vanilla'
import type { Batch } from '../../src-contract/app.ts'
import type { Client } from '../../src-contract/client.ts'
import { type BatchState, songIn, songOrderIn, withoutRows, withRows, withRowsBack } from './batch-state.ts'
import type { RefusedFile, Uploads } from './batch-uploads.ts'
import type { NoticesActions } from './notices.ts'
import type { Upload } from './song-rows.ts'

export interface BatchRowsDeps {
  readonly client: Pick<Client, 'call'>
  readonly store: StoreApi<BatchState>
  readonly uploads: Pick<Uploads, 'add' | 'addStems' | 'showRefused' | 'takeOff'>
  readonly notices: NoticesActions
  /** Returns the current id of a row: a stored upload has become a song. */
  readonly currentId: (rowId: string) => string
  /** Sends the server a change. Never throws. */
  readonly command: (run: () => Promise<Batch>) => Promise<void>
  /** As `command`, for an action of the user: clears the failure of the previous action. */
  readonly act: (run: () => Promise<Batch>) => Promise<void>
  /** Called with rows being removed. */
  readonly onTakenOff: (rowIds: readonly string[]) => void
}

/** The rows of the batch with the actions that add and remove them. */
export class BatchRows {
  readonly #deps: BatchRowsDeps

  constructor(deps: BatchRowsDeps) {
    this.#deps = deps
  }

  /** Adds files at the end of the list, or in place of a song, starts sending them and returns the ids of new rows. */
  add(files: readonly File[], more: Pick<Upload, 'replaces' | 'settings' | 'metadata'>): readonly string[] {
    const { store, uploads } = this.#deps
    const ids = uploads.add(files, more)
    store.setState(withRows(store.getState(), ids, more.replaces))
    return ids
  }

  /** Removes rows from the list. The result restores them, or makes the removal final. */
  takeOff(rowIds: readonly string[]) {
    const { client, store, uploads, currentId, act, onTakenOff } = this.#deps
    const { getState, setState } = store
    const { batch, order } = getState()
    const gone = new Set(rowIds)
    const songs = batch?.songs.filter((song) => gone.has(song.source.source_id)) ?? []
    const body = { source_ids: songs.map((song) => song.source.source_id) }
    const taken = uploads.takeOff(gone)
    onTakenOff(rowIds)
    setState(withoutRows(getState(), gone))
    if (songs.length > 0) void act(() => client.call('removeSongs', { body }))
    return {
      hasUploads: taken.count > 0,
      putBack: () => {
        setState(withRowsBack(getState(), rowIds, songs, order.map(currentId)))
        taken.putBack()
        if (songs.length === 0) return
        const shown = songOrderIn(getState())
        void act(async () => {
          await client.call('restoreSongs', { body })
          // The server has appended these after all songs moved meanwhile.
          return client.call('changeDesk', { body: { order: shown } })
        })
      },
      forget: taken.forget,
    }
  }

  /** Removes the replaced song and sends the server the place of the new one. */
  replace(sourceId: string, order: readonly string[]): Promise<void> {
    const { client, store, command } = this.#deps
    return command(async () => {
      await client.call('removeSongs', { body: { source_ids: [sourceId] } })
      const rest = order.filter((id) => songIn(store.getState(), id) && id !== sourceId)
      return client.call('changeDesk', { body: { order: rest } })
    })
  }

  /** Removes rows from the list; the toast can restore them. */
  readonly remove = (rowIds: readonly string[], text: string): void => {
    const { notices, currentId } = this.#deps
    let taken = this.takeOff(rowIds)
    const shown = { text, undo: () => taken.putBack() }
    const redo = () => {
      taken = this.takeOff(rowIds.map(currentId))
    }
    // The bytes of an unsent file are released with the toast.
    notices.show(taken.hasUploads ? { ...shown, settle: () => taken.forget() } : { ...shown, redo })
  }

  /** Adds files at the end of the list and starts sending them; `replaces` is the song that the first one replaces. */
  readonly addFiles = (files: readonly File[], replaces?: string): void => {
    const settings = replaces ? (songIn(this.#deps.store.getState(), replaces)?.settings ?? null) : null
    this.add(files, { ...(replaces ? { replaces } : {}), ...(settings ? { settings } : {}) })
  }

  /** Adds a song by its stems, at the end of the list or in place of the song `replaces`, and starts sending them. */
  readonly addStems = (files: readonly File[], replaces?: string): void => {
    const { store, uploads } = this.#deps
    const settings = replaces ? songIn(store.getState(), replaces)?.settings : undefined
    const ids = uploads.addStems(files, { ...(replaces ? { replaces } : {}), ...(settings ? { settings } : {}) })
    store.setState(withRows(store.getState(), ids, replaces))
  }

  /** Shows files that the desktop received without this page and refused. */
  readonly showRefused = (refused: readonly RefusedFile[]): void => {
    const ids = this.#deps.uploads.showRefused(refused)
    this.#deps.store.setState(({ order }) => ({ order: [...order, ...ids] }))
  }
}
