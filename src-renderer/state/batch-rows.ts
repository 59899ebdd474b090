/** Rows of the batch: adding them and taking them off. */
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
  readonly uploads: Pick<Uploads, 'add' | 'showRefused' | 'takeOff'>
  readonly notices: NoticesActions
  /** Returns the present id of a row: an upload that was stored has become a song. */
  readonly currentId: (rowId: string) => string
  /** Tells the server something. Never throws. */
  readonly command: (run: () => Promise<Batch>) => Promise<void>
  /** As `command`, for an action of the user: the failure of the action before it is cleared. */
  readonly act: (run: () => Promise<Batch>) => Promise<void>
  /** Called with rows that are being taken off. */
  readonly onTakenOff: (rowIds: readonly string[]) => void
}

/** The rows of the batch with the actions that add them and take them off. */
export class BatchRows {
  readonly #deps: BatchRowsDeps

  constructor(deps: BatchRowsDeps) {
    this.#deps = deps
  }

  /** Puts files at the end of the list, or in the place of a song, begins to send them and returns the ids of new rows. */
  add(files: readonly File[], more: Pick<Upload, 'replaces' | 'settings' | 'metadata'>): readonly string[] {
    const { store, uploads } = this.#deps
    const ids = uploads.add(files, more)
    store.setState(withRows(store.getState(), ids, more.replaces))
    return ids
  }

  /** Takes rows off the list. The result puts them back, or makes it final. */
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

  /** Takes the replaced song off and tells the server where the new one stands. */
  replace(sourceId: string, order: readonly string[]): Promise<void> {
    const { client, store, command } = this.#deps
    return command(async () => {
      await client.call('removeSongs', { body: { source_ids: [sourceId] } })
      const rest = order.filter((id) => songIn(store.getState(), id) && id !== sourceId)
      return client.call('changeDesk', { body: { order: rest } })
    })
  }

  /** Takes rows off the list; the toast can put them back. */
  readonly remove = (rowIds: readonly string[], text: string): void => {
    const { notices, currentId } = this.#deps
    let taken = this.takeOff(rowIds)
    const shown = { text, undo: () => taken.putBack() }
    const redo = () => {
      taken = this.takeOff(rowIds.map(currentId))
    }
    // The bytes of a file that was not sent are let go of with the toast.
    notices.show(taken.hasUploads ? { ...shown, settle: () => taken.forget() } : { ...shown, redo })
  }

  /** Puts files at the end of the list and begins to send them; `replaces` names the song whose place the first one takes. */
  readonly addFiles = (files: readonly File[], replaces?: string): void => {
    const settings = replaces ? (songIn(this.#deps.store.getState(), replaces)?.settings ?? null) : null
    this.add(files, { ...(replaces ? { replaces } : {}), ...(settings ? { settings } : {}) })
  }

  /** Shows files that the desktop received without this page and did not accept. */
  readonly showRefused = (refused: readonly RefusedFile[]): void => {
    const ids = this.#deps.uploads.showRefused(refused)
    this.#deps.store.setState(({ order }) => ({ order: [...order, ...ids] }))
  }
}
