import { Pause, Play } from 'lucide-react'
import { useApp, usePlayback } from '../../state/app-state.ts'
import type { SongRow } from '../../state/song-rows.ts'
import { useWords } from '../../text/context.tsx'
import { itemOf, loadedSong } from './song-item.ts'

interface PlaySongProps {
  row: SongRow
  title: string
  look: 'play-row' | 'play-line'
}

/** Plays or pauses the song of a row. The keyboard's equivalent is Shift with Space on the row. */
export function PlaySong({ row, title, look }: PlaySongProps) {
  const { playback } = useApp()
  const { t } = useWords()
  const isPlaying = usePlayback((state) => state.isPlaying && loadedSong(state) === row.rowId)
  const isLoaded = usePlayback((state) => loadedSong(state) === row.rowId)
  const song = itemOf(row)
  if (!song) return null
  const Icon = isPlaying ? Pause : Play
  return (
    <button
      type="button"
      className={look}
      tabIndex={-1}
      aria-label={`${isPlaying ? t.transport.pause : t.transport.play}: ${title}`}
      onClick={() => (isLoaded ? playback.toggle() : playback.toggle(song))}
    >
      <Icon className="i s" aria-hidden="true" />
    </button>
  )
}
