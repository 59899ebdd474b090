/** Rows of the batch: adding, taking off, and their order, which the server is told. */
import type { StoreApi } from 'zustand/vanilla'
import type { Batch } from '../../src-contract/app.ts'
import type { Client } from '../../src-contract/client.ts'
import { songIdsOf } from './batch-merge.ts'
import { type BatchState, type Sort, songIn, songOrderIn, withoutRows, withRows, withRowsBack } from './batch-state.ts'
import type { RefusedFile, Uploads } from './batch-uploads.ts'
import type { NoticesActions } from './notices.ts'
import { asOrdered, movedOrder, type Upload } from './song-rows.ts'

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

/** Creates the actions on rows. */
export function createBatchRows(deps: BatchRowsDeps) {
  const { client, store, uploads, notices, currentId, command, act } = deps
  const { getState, setState } = store
  /** The row that is being dragged. */
  let heldId: string | null = null

  /** Tells the server in which order the stored songs are shown: they are mastered and shown again in it. */
  const tellOrder = () => {
    const order = songOrderIn(getState())
    void command(() => client.call('changeDesk', { body: { order } }))
  }

  const setOrder = (order: readonly string[], sort: Sort | null) => {
    setState({ order, sort, failure: null })
    tellOrder()
  }

  /** Notes that the order was changed from what it was in `before`. */
  const noteOrder = ({ order, sort }: Pick<BatchState, 'order' | 'sort'>, mergeKey?: string) => {
    const now = getState()
    const put = (to: readonly string[], by: Sort | null) => setOrder(asOrdered(getState().order, to.map(currentId)), by)
    notices.edits.push({
      undo: () => put(order, sort),
      redo: () => put(now.order, now.sort),
      ...(mergeKey ? { mergeKey } : {}),
    })
  }

  /** Puts files at the end of the list, or in the place of a song, begins to send them and returns the ids of new rows. */
  const add = (files: readonly File[], more: Pick<Upload, 'replaces' | 'settings'>): readonly string[] => {
    const ids = uploads.add(files, more)
    setState(withRows(getState(), ids, more.replaces))
    return ids
  }

  /** Takes rows off the list. The result puts them back, or makes it final. */
  const takeOff = (rowIds: readonly string[]) => {
    const { batch, order } = getState()
    const gone = new Set(rowIds)
    const songs = batch?.songs.filter((song) => gone.has(song.source.source_id)) ?? []
    const body = { source_ids: songs.map((song) => song.source.source_id) }
    const taken = uploads.takeOff(gone)
    deps.onTakenOff(rowIds)
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
          // The server has put these behind all that were moved meanwhile.
          return client.call('changeDesk', { body: { order: shown } })
        })
      },
      forget: taken.forget,
    }
  }

  return {
    tellOrder,
    add,
    takeOff,
    /** Returns the row that is being dragged. A row that `order` lacks has been let go: no drag ends whose row is gone. */
    heldIn(order: readonly string[]): string | null {
      if (heldId && !order.includes(heldId)) heldId = null
      return heldId
    },
    /** Takes the replaced song off and tells the server where the new one stands. */
    replace: (sourceId: string, order: readonly string[]) =>
      command(async () => {
        await client.call('removeSongs', { body: { source_ids: [sourceId] } })
        const rest = order.filter((id) => songIn(getState(), id) && id !== sourceId)
        return client.call('changeDesk', { body: { order: rest } })
      }),
    actions: {
      /** Takes rows off the list; the toast can put them back. */
      remove(rowIds: readonly string[], text: string) {
        let taken = takeOff(rowIds)
        const shown = { text, undo: () => taken.putBack() }
        // The bytes of a file that was not sent are let go of with the toast.
        if (taken.hasUploads) notices.show({ ...shown, settle: () => taken.forget() })
        else
          notices.show({
            ...shown,
            redo: () => {
              taken = takeOff(rowIds.map(currentId))
            },
          })
      },
      /** Puts files at the end of the list and begins to send them; `replaces` names the song whose place the first one takes. */
      addFiles(files: readonly File[], replaces?: string) {
        const settings = replaces ? (songIn(getState(), replaces)?.settings ?? null) : null
        add(files, { ...(replaces ? { replaces } : {}), ...(settings ? { settings } : {}) })
      },
      /** Shows files that the desktop was handed without this page and did not take. */
      showRefused(refused: readonly RefusedFile[]) {
        const ids = uploads.showRefused(refused)
        setState(({ order }) => ({ order: [...order, ...ids] }))
      },
      /** Moves one row by `step` places. */
      move(rowId: string, step: number) {
        const before = getState()
        const { order } = before
        const moved = movedOrder(order, rowId, step)
        if (moved === order) return
        setOrder(moved, null)
        noteOrder(before, `move ${rowId}`)
      },
      /** Keeps a dragged row in its place while the batch is read; null ends the drag. */
      hold(rowId: string | null) {
        const { batch } = getState()
        heldId = rowId
        if (rowId === null && batch && songIdsOf(batch).join() !== songOrderIn(getState()).join()) tellOrder()
      },
      /** Puts the rows into the given order, which is that of `sort`. */
      arrange(order: readonly string[], sort: Sort) {
        const before = getState()
        setOrder(order, sort)
        noteOrder(before)
      },
    },
  }
}
