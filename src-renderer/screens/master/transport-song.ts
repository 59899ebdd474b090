/** The song playing on the Master screen, and the song that the play button would start. */
import { type SongItem, songItem } from '../../playback/song-item.ts'
import type { PlaybackState } from '../../playback/state.ts'
import { useApp, usePlayback, useSelect } from '../../state/app-state.ts'
import { type SongRow, titleOf } from '../../state/song-rows.ts'

/** Returns a row as a playback item; null for a song that is not stored yet. */
export function itemOf({ rowId, song }: Pick<SongRow, 'rowId' | 'song'>): SongItem | null {
  if (!song) return null
  const { duration_seconds: durationSeconds, sample_rate_hz: rateHz } = song.source
  const level = {
    integratedLufs: song.analysis?.integrated_lufs ?? null,
    truePeakDbtp: song.analysis?.true_peak_dbtp ?? null,
  }
  return songItem({ sourceId: rowId, durationSeconds, rateHz, level })
}

/** Returns the id of the loaded song; undefined without one. */
export const loadedSong = ({ item }: PlaybackState): string | undefined => (item?.kind === 'song' ? item.id : undefined)

/** Returns the audition of the loaded song; undefined until it is there. */
export const auditionOf = ({ versions }: Pick<PlaybackState, 'versions'>) =>
  versions.find((one) => one.kind === 'audition' && one.source)

/** The song of the transport, and its title. */
export interface TransportSong {
  readonly item: SongItem
  readonly title: string
}

/**
 * Returns the song of the transport: the loaded one, playing or paused, regardless of the selection; before anything is
 * loaded, the selected one chosen last. null without one. Pure.
 */
export function transportSongOf(
  rows: readonly SongRow[],
  loadedId: string | undefined,
  selectedId: string | undefined,
): TransportSong | null {
  const rowOf = (id: string | undefined) => rows.find(({ rowId }) => rowId === id)
  const row = rowOf(loadedId) ?? rowOf(selectedId)
  const item = row && itemOf(row)
  return item ? { item, title: titleOf(row) } : null
}

/** Returns the song of the transport; null without one. */
export function useTransportSong(rows: readonly SongRow[]): TransportSong | null {
  const { batch } = useApp()
  const selectedId = useSelect(batch.store, (state) => state.selection.ids.at(-1))
  const loadedId = usePlayback(loadedSong)
  return transportSongOf(rows, loadedId, selectedId)
}
