/** Mastering settings of the batch and of single songs: shown at once, sent when the hand rests. */
import type { StoreApi } from 'zustand/vanilla'
import type { Client } from '../../src-contract/client.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import { ALL_SONGS, type createChanges } from './batch-changes.ts'
import { type BatchState, songIn, withSong } from './batch-state.ts'
import type { Uploads } from './batch-uploads.ts'
import type { NoticesActions } from './notices.ts'

export interface BatchSettingsDeps {
  readonly client: Pick<Client, 'call'>
  readonly store: StoreApi<BatchState>
  readonly uploads: Pick<Uploads, 'store' | 'changeSettings'>
  readonly changes: ReturnType<typeof createChanges>
  readonly notices: NoticesActions
  /** Returns the present id of a row: an upload that was stored has become a song. */
  readonly currentId: (rowId: string) => string
  readonly clearFailure: () => void
}

/** Creates the actions that change settings. */
export function createBatchSettings(deps: BatchSettingsDeps) {
  const { client, store, uploads, changes, notices, currentId, clearFailure } = deps
  const { getState, setState } = store

  /** Returns the settings that a song, stored or on its way, has of its own; null without. */
  const ownOf = (rowId: string): MasterSettings | null =>
    (songIn(getState(), rowId) ?? uploads.store.getState().uploads.find((one) => one.uploadId === rowId))?.settings ??
    null

  /** Gives one song settings of its own, or null for the common ones; one that is not stored yet keeps them until it is. */
  function changeSong(rowId: string, settings: MasterSettings | null): void {
    const song = songIn(getState(), rowId)
    if (!song) {
      uploads.changeSettings(rowId, settings)
      return
    }
    setState(withSong(getState(), { ...song, settings }))
    changes.soon(rowId, async (keepalive = false) => {
      await client.call('changeDeskSong', { params: { source_id: rowId }, body: { settings }, keepalive })
      return client.call('readDesk', {})
    })
  }

  /** Shows and sends the settings of all songs. */
  function changeCommon(settings: MasterSettings): void {
    const { batch } = getState()
    if (!batch) return
    setState({ batch: { ...batch, settings } })
    changes.soon(ALL_SONGS, (keepalive = false) => client.call('changeDesk', { body: { settings }, keepalive }))
  }

  /** Settings of rows, own or none, and with `null` for the row those of all songs. */
  type Kept = readonly (readonly [string | null, MasterSettings | null])[]
  const restore = (kept: Kept) => {
    for (const [rowId, settings] of kept) {
      if (rowId) changeSong(currentId(rowId), settings)
      else if (settings) changeCommon(settings)
    }
  }

  /** Changes settings of rows, or with none those of all songs. What is returned was there before. */
  function put(change: Partial<MasterSettings>, rowIds: readonly string[]): Kept {
    const { batch } = getState()
    if (!batch) return []
    if (rowIds.length === 0) {
      changeCommon({ ...batch.settings, ...change })
      return [[null, batch.settings]]
    }
    return rowIds.map((rowId) => {
      const id = currentId(rowId)
      const own = ownOf(id)
      changeSong(id, { ...(own ?? batch.settings), ...change })
      return [id, own] as const
    })
  }

  const sendNow = () => void changes.flush().catch(() => undefined)

  /** As `put`, as a change that can be undone; closely following changes of the same fields are one. */
  function change(change: Partial<MasterSettings>, rowIds: readonly string[]): void {
    const before = put(change, rowIds)
    if (before.length === 0) return
    const after: Kept = before.map(([id]) => [id, id ? ownOf(id) : (getState().batch?.settings ?? null)])
    notices.edits.push({
      undo: () => restore(before),
      redo: () => restore(after),
      mergeKey: JSON.stringify([Object.keys(change), before.map(([id]) => id)]),
    })
  }

  return {
    ownOf,
    changeSong,
    sendNow,
    /** Changes settings of rows, or with none those of all songs, from something other than the hand. */
    put: change,
    /** Changes settings of rows, or with none those of all songs. Shown at once, sent when the hand rests. */
    change(next: Partial<MasterSettings>, rowIds: readonly string[]) {
      clearFailure()
      change(next, rowIds)
    },
    /** Gives songs the common settings again; the toast can put back those that they had. */
    clearOwn(rowIds: readonly string[], text: string) {
      clearFailure()
      const had = rowIds.map((rowId) => [rowId, ownOf(rowId)] as const)
      const putAll = (all: readonly (readonly [string, MasterSettings | null])[]) => {
        for (const [rowId, settings] of all) changeSong(currentId(rowId), settings)
        sendNow()
      }
      const clear = () => putAll(rowIds.map((rowId) => [rowId, null]))
      clear()
      notices.show({ text, undo: () => putAll(had), redo: clear })
    },
  }
}
