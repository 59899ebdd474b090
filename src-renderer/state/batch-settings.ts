/** Mastering settings of the batch and of single songs: shown at once, sent when the hand rests. */
import type { StoreApi } from 'zustand/vanilla'
import type { Client } from '../../src-contract/client.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import { ALL_SONGS, type createChanges } from './batch-changes.ts'
import { type BatchState, songIn, withSong } from './batch-state.ts'
import type { createUploads } from './batch-uploads.ts'
import type { NoticesActions } from './notices.ts'

export interface BatchSettingsDeps {
  readonly client: Pick<Client, 'call'>
  readonly store: StoreApi<BatchState>
  readonly uploads: Pick<ReturnType<typeof createUploads>, 'store' | 'changeSettings'>
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

  /** Changes settings of all songs, or of one. */
  function put(change: Partial<MasterSettings>, rowId: string | null): void {
    const { batch } = getState()
    if (!batch) return
    if (rowId) {
      const id = currentId(rowId)
      changeSong(id, { ...(ownOf(id) ?? batch.settings), ...change })
      return
    }
    const settings = { ...batch.settings, ...change }
    setState({ batch: { ...batch, settings } })
    changes.soon(ALL_SONGS, (keepalive = false) => client.call('changeDesk', { body: { settings }, keepalive }))
  }

  const sendNow = () => void changes.flush().catch(() => undefined)

  return {
    ownOf,
    changeSong,
    put,
    sendNow,
    /** Changes settings of all songs, or of one. Shown at once, sent when the hand rests. */
    change(change: Partial<MasterSettings>, rowId: string | null) {
      clearFailure()
      put(change, rowId)
    },
    /** Gives songs the common settings again; the toast can put back those that they had. */
    clearOwn(rowIds: readonly string[], text: string) {
      clearFailure()
      const had = rowIds.map((rowId) => [rowId, ownOf(rowId)] as const)
      const putAll = (all: readonly (readonly [string, MasterSettings | null])[]) => {
        for (const [rowId, settings] of all) changeSong(currentId(rowId), settings)
        sendNow()
      }
      putAll(rowIds.map((rowId) => [rowId, null]))
      notices.show({ text, undo: () => putAll(had) })
    },
  }
}
