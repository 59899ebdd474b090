/** Songs of the list as playback items. */
import { type SongItem, songItem } from '../../playback/song-item.ts'
import type { PlaybackState } from '../../playback/state.ts'
import { type SongRow, titleOf } from '../../state/song-rows.ts'

/** Returns a row as a playback item; null for a song that is not stored yet. */
export function itemOf(row: SongRow): SongItem | null {
  const { rowId, song } = row
  if (!song) return null
  const { duration_seconds: durationSeconds, sample_rate_hz: rateHz } = song.source
  const level = {
    integratedLufs: song.analysis?.integrated_lufs ?? null,
    truePeakDbtp: song.analysis?.true_peak_dbtp ?? null,
  }
  return songItem({ title: titleOf(row), sourceId: rowId, durationSeconds, rateHz, level })
}

/** Returns the stored song of the loaded item, playing or paused; undefined without one. */
export const loadedSong = ({ item }: PlaybackState): string | undefined => item?.songId
