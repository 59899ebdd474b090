/** The song that is heard on the Master screen, and which one a press of play is about. */
import { useStore } from 'zustand'
import { useApp, useSelect } from '../../state/app-state.ts'
import type { HeardSong, HearingState } from '../../state/hearing.ts'
import type { SongRow } from '../../state/song-rows.ts'

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

/** Returns the song of the transport: the selected one chosen last, else the one that is heard; null without one. */
export function useTransportSong(rows: readonly SongRow[]): HeardSong | null {
  const { batch } = useApp()
  const selectedId = useSelect(batch.store, (state) => state.selection.ids.at(-1))
  const heardId = useHearing((state) => state.song?.rowId)
  const row = rows.find(({ rowId }) => rowId === selectedId) ?? rows.find(({ rowId }) => rowId === heardId)
  return row ? heardOf(row) : null
}
