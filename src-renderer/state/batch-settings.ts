/** Mastering settings of the batch and of single songs: shown at once, sent after a pause. */
import type { StoreApi } from 'zustand/vanilla'
import type { Batch } from '../../src-contract/app.ts'
import type { Client } from '../../src-contract/client.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import { ALL_SONGS, type createChanges } from './batch-changes.ts'
import { type BatchState, songIn, withSong } from './batch-state.ts'
import type { Uploads } from './batch-uploads.ts'
import type { NoticesActions } from './notices.ts'
import { followedSettings, ownOrNull, type SettingsPart, withoutOwnPart } from './scope.ts'

export interface BatchSettingsDeps {
  readonly client: Pick<Client, 'call'>
  readonly store: StoreApi<BatchState>
  readonly uploads: Pick<Uploads, 'store' | 'changeSettings'>
  readonly changes: ReturnType<typeof createChanges>
  readonly notices: NoticesActions
  /** Returns the current id of a row: a stored upload has become a song. */
  readonly currentId: (rowId: string) => string
  readonly clearFailure: () => void
}

/** Settings of rows, null for a row without its own; the row `null` has those of all songs. */
type KeptSettings = readonly (readonly [string | null, MasterSettings | null])[]

/** The settings of the batch and its songs, with the actions that change them. */
export class BatchSettings {
  readonly #deps: BatchSettingsDeps

  constructor(deps: BatchSettingsDeps) {
    this.#deps = deps
  }

  /** Returns the settings of a song's own, stored or on its way; null without. */
  ownOf(rowId: string): MasterSettings | null {
    const { store, uploads } = this.#deps
    const isIts = (one: { readonly uploadId: string }) => one.uploadId === rowId
    return (songIn(store.getState(), rowId) ?? uploads.store.getState().uploads.find(isIts))?.settings ?? null
  }

  /** Gives one song settings of its own, or null for the common ones. A song not stored yet keeps them until it is. */
  changeSong(rowId: string, settings: MasterSettings | null): void {
    const { client, store, uploads, changes } = this.#deps
    const song = songIn(store.getState(), rowId)
    if (!song) {
      uploads.changeSettings(rowId, settings)
      return
    }
    store.setState(withSong(store.getState(), { ...song, settings }))
    changes.soon(rowId, async (keepalive = false) => {
      await client.call('changeDeskSong', { params: { source_id: rowId }, body: { settings }, keepalive })
      return client.call('readDesk', {})
    })
  }

  /**
   * Changes the settings of rows, or with an empty list those of all songs. Undoable; changes of the same fields in
   * quick succession are one step.
   */
  put(change: Partial<MasterSettings>, rowIds: readonly string[]): void {
    const before = this.#write(change, rowIds)
    if (before.length === 0) return
    const { store, notices } = this.#deps
    const after: KeptSettings = before.map(([id]) => [
      id,
      id ? this.ownOf(id) : (store.getState().batch?.settings ?? null),
    ])
    notices.edits.push({
      undo: () => this.#restore(before),
      redo: () => this.#restore(after),
      mergeKey: JSON.stringify([Object.keys(change), before.map(([id]) => id)]),
    })
  }

  /** As `put`, for an action of the user: shown at once, sent after a pause, and clears the previous failure. */
  readonly change = (change: Partial<MasterSettings>, rowIds: readonly string[]): void => {
    this.#deps.clearFailure()
    this.put(change, rowIds)
  }

  /** Returns one part of the settings of songs to those of all songs; the toast can restore their own. */
  readonly clearOwn = (rowIds: readonly string[], part: SettingsPart, text: string): void => {
    this.#deps.clearFailure()
    const { batch } = this.#deps.store.getState()
    if (!batch) return
    const had = rowIds.map((rowId) => [rowId, this.ownOf(rowId)] as const)
    const putAll = (all: KeptSettings) => {
      this.#restore(all)
      this.sendNow()
    }
    const without = (own: MasterSettings | null) => own && withoutOwnPart(own, batch.settings, part)
    const clear = () => putAll(had.map(([rowId, own]) => [rowId, without(own)]))
    clear()
    this.#deps.notices.show({ text, undo: () => putAll(had), redo: clear })
  }

  sendNow(): void {
    void this.#deps.changes.flush().catch(() => undefined)
  }

  /** Changes the settings of rows, or with an empty list those of all songs, and returns the former ones. */
  #write(change: Partial<MasterSettings>, rowIds: readonly string[]): KeptSettings {
    const { batch } = this.#deps.store.getState()
    if (!batch) return []
    if (rowIds.length === 0) return this.#writeCommon(change, batch)
    return rowIds.map((rowId) => {
      const id = this.#deps.currentId(rowId)
      const own = this.ownOf(id)
      this.changeSong(id, ownOrNull({ ...(own ?? batch.settings), ...change }, batch.settings))
      return [id, own] as const
    })
  }

  /** Changes the settings of all songs; one with settings of its own follows in the values that it shared. */
  #writeCommon(change: Partial<MasterSettings>, { settings, songs }: Batch): KeptSettings {
    const uploads = this.#deps.uploads.store.getState().uploads
    const own = [
      ...songs.map((song) => [song.source.source_id, song.settings] as const),
      ...uploads.map(({ uploadId, settings }) => [uploadId, settings ?? null] as const),
    ]
    const following = own.flatMap(([id, had]) => {
      const next = had && followedSettings(had, settings, change)
      return had && JSON.stringify(next) !== JSON.stringify(had) ? [{ id, had, next }] : []
    })
    this.#changeCommon({ ...settings, ...change })
    for (const { id, next } of following) this.changeSong(id, next)
    return [[null, settings], ...following.map(({ id, had }) => [id, had] as const)]
  }

  #restore(kept: KeptSettings): void {
    for (const [rowId, settings] of kept) {
      if (rowId) this.changeSong(this.#deps.currentId(rowId), settings)
      else if (settings) this.#changeCommon(settings)
    }
  }

  /** Shows and sends the settings of all songs. */
  #changeCommon(settings: MasterSettings): void {
    const { client, store, changes } = this.#deps
    const { batch } = store.getState()
    if (!batch) return
    store.setState({ batch: { ...batch, settings } })
    changes.soon(ALL_SONGS, (keepalive = false) => client.call('changeDesk', { body: { settings }, keepalive }))
  }
}
