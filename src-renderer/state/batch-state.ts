/** State of the batch on the page, and its pure transitions. */
import type { Batch, BatchSong, Source } from '../../src-contract/app.ts'
import { everySong, placedOrder } from './batch-merge.ts'
import { inState } from './batch-starts.ts'
import type { Refusal } from './refusal.ts'
import type { ScopeChoice, SettingsPart } from './scope.ts'
import { renamedSelected, type Selection, withoutSelected } from './selection.ts'

export const SORTS = ['added', 'title', 'length'] as const
export type Sort = (typeof SORTS)[number]

export interface BatchState {
  readonly batch: Batch | null
  readonly order: readonly string[]
  /** Last criterion the list was sorted by; null once it was reordered by hand. */
  readonly sort: Sort | null
  /** Songs on the stage and in the column, the last one leads; empty for all songs. */
  readonly selection: Selection
  /** Scope of each part of the settings: the selected songs, or all. */
  readonly scope: Readonly<Record<SettingsPart, ScopeChoice>>
  /** The row that came back from elsewhere and is to be scrolled to; null once it is in view. */
  readonly broughtBackId: string | null
  /** Failure concerning the batch as a whole. */
  readonly failure: Refusal | null
}

type Change = Partial<BatchState>

/** Returns the stored song with an id, in the batch or in a release. */
export const songIn = ({ batch }: Pick<BatchState, 'batch'>, sourceId: string): BatchSong | undefined =>
  everySong(batch).find((song) => song.source.source_id === sourceId)

/** Returns the ids of the stored songs in display order. */
export const songOrderIn = (state: Pick<BatchState, 'batch' | 'order'>): string[] =>
  state.order.filter((id) => songIn(state, id))

/** Returns the change that replaces the song of the same id. */
export function withSong({ batch }: BatchState, song: BatchSong): Change {
  if (!batch) return {}
  const id = song.source.source_id
  const replaced = (songs: Batch['songs']) => songs.map((one) => (one.source.source_id === id ? song : one))
  return { batch: { ...batch, songs: replaced(batch.songs), release_songs: replaced(batch.release_songs) } }
}

/** Returns the change that shows songs in another state. */
export function withSongStates({ batch }: BatchState, sourceIds: readonly string[], state: BatchSong['state']): Change {
  if (!batch) return {}
  const chosen = new Set(sourceIds)
  const songs = batch.songs.map((song) => (chosen.has(song.source.source_id) ? inState(song, state) : song))
  return { batch: { ...batch, songs } }
}

/** Returns the change that replaces an upload by its stored song, in the same place. */
export function withStoredSong(
  state: BatchState,
  uploadId: string,
  source: Source,
): Change & Pick<BatchState, 'order'> {
  const { batch, selection } = state
  const sourceId = source.source_id
  const song: BatchSong = { source, state: 'ready', settings: null, metadata: {}, analysis: null, job_ids: [] }
  const order = state.order.filter((id) => id !== sourceId).map((id) => (id === uploadId ? sourceId : id))
  return {
    order,
    selection: renamedSelected(selection, uploadId, sourceId),
    ...(batch && !songIn(state, sourceId) ? { batch: { ...batch, songs: [...batch.songs, song] } } : {}),
  }
}

/** Returns the change that adds rows at the end, or after the row they replace. */
export function withRows({ order, sort }: BatchState, ids: readonly string[], replaces: string | undefined): Change {
  const at = replaces ? order.indexOf(replaces) + 1 : order.length
  return {
    order: [...order.slice(0, at), ...ids, ...order.slice(at)],
    // A row at the end of a list sorted by title breaks its order.
    sort: sort === 'added' && !replaces ? sort : null,
  }
}

/** Returns the change that removes rows from the list. */
export function withoutRows({ batch, order, selection }: BatchState, gone: ReadonlySet<string>): Change {
  return {
    order: order.filter((id) => !gone.has(id)),
    ...(batch ? { batch: { ...batch, songs: batch.songs.filter((song) => !gone.has(song.source.source_id)) } } : {}),
    selection: withoutSelected(selection, gone),
  }
}

/** Returns the change that restores missing rows with their songs, at their places in `formerOrder`. */
export function withRowsBack(
  { batch, order }: BatchState,
  rowIds: readonly string[],
  songs: readonly BatchSong[],
  formerOrder: readonly string[],
): Change {
  const missing = rowIds.filter((id) => !order.includes(id))
  const back = songs.filter((song) => missing.includes(song.source.source_id))
  return {
    order: placedOrder(order, missing, formerOrder),
    ...(batch ? { batch: { ...batch, songs: [...batch.songs, ...back] } } : {}),
  }
}
