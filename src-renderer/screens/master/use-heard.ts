/** The song that is heard on the Master screen, and which one a press of play is about. */
import { useStore } from 'zustand'
import { useApp, useSelect } from '../../state/app-state.ts'
import type { HeardSong, HearingState } from '../../state/hearing.ts'
import { type SongRow, titleOf } from '../../state/song-rows.ts'

/** Returns what of a row can be heard; null for a song that is not stored yet. */
export function heardOf({ rowId, song }: Pick<SongRow, 'rowId' | 'song'>): HeardSong | null {
  if (!song) return null
  const { duration_seconds: durationSeconds, sample_rate_hz: rateHz } = song.source
  const level = {
    integratedLufs: song.analysis?.integrated_lufs ?? null,
    truePeakDbtp: song.analysis?.true_peak_dbtp ?? null,
  }
  return { rowId, durationSeconds, rateHz, level }
}

/** Returns the value that `select` picks from what is heard, as it changes. */
export function useHearing<Picked>(select: (state: HearingState) => Picked): Picked {
  return useStore(useApp().hearing.store, select)
}

/** The song of the transport, and its title. */
export interface TransportSong extends HeardSong {
  readonly title: string
}

/**
 * Returns the song of the transport: the one that is loaded, whether it sounds or is paused, whatever is selected; before one is loaded
 * the selected one chosen last. null without one. Pure.
 */
export function transportSongOf(
  rows: readonly SongRow[],
  heardId: string | undefined,
  selectedId: string | undefined,
): TransportSong | null {
  const row = rows.find(({ rowId }) => rowId === (heardId ?? selectedId))
  const song = row && heardOf(row)
  return song ? { ...song, title: titleOf(row) } : null
}

/** Returns the song of the transport; null without one. */
export function useTransportSong(rows: readonly SongRow[]): TransportSong | null {
  const { batch } = useApp()
  const selectedId = useSelect(batch.store, (state) => state.selection.ids.at(-1))
  const heardId = useHearing((state) => state.song?.rowId)
  return transportSongOf(rows, heardId, selectedId)
}
