/** Merges a reading of the server's batch into the state that the page shows. Pure. */
import type { Batch, BatchSong } from '../../src-contract/app.ts'
import { ALL_SONGS } from './batch-changes.ts'

/** Target for metadata changes; settings of single songs use their source_id. */
export const METADATA_OF_SONGS = 'metadata'

/**
 * Returns the server's reading of the batch with this page's newer data: analyses that have just arrived, settings for
 * which `holds` is true, and texts for which `holdsMetadata` is true. An unchanged song stays the same object.
 */
export function mergedBatch(
  known: Batch | null,
  read: Batch,
  holds: (target: string) => boolean,
  holdsMetadata: (sourceId: string) => boolean = () => false,
): Batch {
  const before = new Map(everySong(known).map((song) => [song.source.source_id, song]))
  const merged = (song: BatchSong) => {
    const id = song.source.source_id
    const old = before.get(id)
    const analysis = song.analysis ?? old?.analysis ?? null
    const settings = holds(id) ? (old?.settings ?? null) : song.settings
    const metadata = (holdsMetadata(id) && old?.metadata) || song.metadata
    const now = { ...song, analysis, settings, metadata }
    return old && JSON.stringify(old) === JSON.stringify(now) ? old : now
  }
  return {
    ...read,
    settings: known && holds(ALL_SONGS) ? known.settings : read.settings,
    songs: read.songs.map(merged),
    release_songs: read.release_songs.map(merged),
  }
}

/** Returns the songs of a batch in their order, then those found only in releases. */
export const everySong = (batch: Batch | null): readonly BatchSong[] =>
  batch ? [...batch.songs, ...batch.release_songs] : []

/** The songs of a batch in their order. */
export const songIdsOf = (batch: Batch) => batch.songs.map((song) => song.source.source_id)

/**
 * Returns the display order after a reading: uploads and the row being dragged keep their places, songs fill the others
 * in the server's order. A new song goes before the known song that follows it on the server, as after an undo, else to
 * the end.
 */
export function mergedOrder(
  order: readonly string[],
  batch: Batch,
  uploadIds: readonly string[],
  heldId: string | null = null,
): readonly string[] {
  const stored = songIdsOf(batch)
  const known = new Set(order)
  const present = new Set([...stored, ...uploadIds])
  const staying = new Set([...uploadIds, heldId])
  const moving = stored.filter((id) => known.has(id) && !staying.has(id)).values()
  const merged = order.filter((id) => present.has(id)).map((id) => (staying.has(id) ? id : (moving.next().value ?? id)))
  stored.forEach((id, place) => {
    if (known.has(id)) return
    const next = stored.slice(place).find((one) => known.has(one))
    merged.splice(next === undefined ? merged.length : merged.indexOf(next), 0, id)
  })
  return [...merged, ...uploadIds.filter((id) => !known.has(id))]
}

/**
 * Returns the display order after the first reading: songs in the server's order, uploads in their stored places, and
 * after them the files of `given`, which arrived before the reading was answered.
 */
export function firstOrder(
  batch: Batch,
  uploadIds: readonly string[],
  keptOrder: readonly string[],
  given: readonly string[],
): readonly string[] {
  const isOlder = (id: string) => !given.includes(id)
  return [...placedOrder(songIdsOf(batch).filter(isOlder), uploadIds.filter(isOlder), keptOrder), ...given]
}

/**
 * Returns the order of `songIds` with each of `uploadIds` behind its predecessor in `keptOrder`: first where no
 * predecessor is left, last where it has no place there.
 */
export function placedOrder(
  songIds: readonly string[],
  uploadIds: readonly string[],
  keptOrder: readonly string[],
): readonly string[] {
  const order = [...songIds]
  const places = new Map(keptOrder.map((id, place) => [id, place]))
  const place = (id: string) => places.get(id) ?? Number.POSITIVE_INFINITY
  for (const id of [...uploadIds].sort((a, b) => place(a) - place(b))) {
    const before = keptOrder.slice(0, places.get(id)).findLast((one) => order.includes(one))
    order.splice(places.has(id) ? order.indexOf(before ?? '') + 1 : order.length, 0, id)
  }
  return order
}
