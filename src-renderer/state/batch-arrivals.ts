/** Updates of the page's batch: readings of the server's batch, and songs that were uploads before. */
import type { StoreApi } from 'zustand/vanilla'
import type { Batch, BatchSong, Source } from '../../src-contract/app.ts'
import type { Analyses } from './batch-analyses.ts'
import type { createChanges } from './batch-changes.ts'
import type { Commands } from './batch-commands.ts'
import { firstOrder, mergedBatch, mergedOrder } from './batch-merge.ts'
import type { BatchMetadata } from './batch-metadata.ts'
import type { BatchOrder } from './batch-order.ts'
import type { References } from './batch-references.ts'
import type { BatchRows } from './batch-rows.ts'
import type { BatchSettings } from './batch-settings.ts'
import type { createStarts } from './batch-starts.ts'
import { type BatchState, type Sort, songIn, withStoredSong } from './batch-state.ts'
import type { Uploads } from './batch-uploads.ts'
import { isNotReached, type Refusal, refusalOf } from './refusal.ts'
import type { Upload } from './song-rows.ts'

/** Rows that start by themselves after their measurement. */
export interface ArmedState {
  readonly rowIds: readonly string[]
}

export interface BatchArrivalsDeps {
  readonly store: StoreApi<BatchState>
  readonly armed: StoreApi<ArmedState>
  /** Returns the list's sort criterion stored last by any page of this browser. */
  readonly storedSort: () => Sort | null
  readonly uploads: Uploads
  readonly references: References
  readonly commands: Commands
  readonly changes: ReturnType<typeof createChanges>
  readonly settings: BatchSettings
  readonly metadata: BatchMetadata
  readonly rows: BatchRows
  readonly rowOrder: BatchOrder
  readonly analyses: Analyses
  readonly starts: ReturnType<typeof createStarts>
}

export class BatchArrivals {
  readonly #deps: BatchArrivalsDeps
  /** Song ids by their former upload ids: an action on the upload continues with the song. */
  readonly #storedAs = new Map<string, string>()
  /** Failure of a change that could not be sent because the server was unreachable. */
  #untold: Refusal | null = null

  constructor(deps: BatchArrivalsDeps) {
    this.#deps = deps
  }

  /** Returns the current id of a row: a stored upload has become a song. */
  currentId(rowId: string): string {
    return this.#storedAs.get(rowId) ?? rowId
  }

  /** Keeps the failure of a change that did not reach the server. */
  showRefusal(error: unknown): void {
    const failure = refusalOf(error)
    if (isNotReached(failure.code)) this.#untold = failure
    this.#deps.store.setState({ failure })
  }

  /** Shows the batch as read. A failure stays, unless it was that the server was away for a change. */
  show(read: Batch): void {
    const { store, storedSort, uploads, references, changes, metadata, rowOrder, analyses, starts } = this.#deps
    const { batch: known, order: shown } = store.getState()
    // A song with an unanswered upload is still shown as that upload, in its place.
    const isArriving = (song: BatchSong) => !shown.includes(song.source.source_id) && uploads.isArriving(song)
    const songs = starts.shown(read.songs.filter((song) => !isArriving(song)))
    const batch = mergedBatch(known, { ...read, songs }, changes.holds, (id) => metadata.holds(id))
    const uploadIds = uploads.store.getState().uploads.map((one) => one.uploadId)
    const order = known
      ? mergedOrder(shown, batch, uploadIds, rowOrder.heldIn(shown))
      : firstOrder(batch, uploadIds, uploads.keptOrder, shown)
    // Another page that sorted the list has stored its criterion.
    const sort = storedSort()
    const untold = this.#untold
    store.setState(({ failure }) => ({ batch, order, sort, failure: failure === untold ? null : failure }))
    rowOrder.heldIn(order)
    if (!known && shown.length > 0) rowOrder.tell()
    for (const { source } of batch.songs) {
      const left = uploads.claim(source)
      if (left) this.put(left, source)
    }
    references.readMissing(batch)
    void analyses.run()
  }

  /** Replaces an upload by its stored song, with the settings and metadata chosen meanwhile. */
  put({ uploadId, settings: own = null, metadata: written = {}, replaces }: Upload, source: Source): void {
    const { store, armed, references, commands, settings, metadata, rows, rowOrder, analyses } = this.#deps
    const sourceId = source.source_id
    commands.outdate()
    this.#storedAs.set(uploadId, sourceId)
    references.follow(uploadId, sourceId)
    armed.setState(({ rowIds }) => ({ rowIds: rowIds.map((id) => (id === uploadId ? sourceId : id)) }))
    const change = withStoredSong(store.getState(), uploadId, source)
    store.setState(change)
    const following = change.order.slice(change.order.indexOf(sourceId) + 1)
    if (own) settings.changeSong(sourceId, own)
    metadata.take(sourceId, written)
    if (replaces) metadata.follow(replaces, sourceId)
    // A song with its own settings is being mastered again and does not share the batch's metadata.
    else if (!own) metadata.join(sourceId)
    if (replaces) void rows.replace(replaces, change.order)
    // Small files overtake large ones, and the server appends each arrival at the end.
    else if (following.some((id) => songIn(store.getState(), id))) rowOrder.tell()
    void analyses.run()
  }
}
