/** Sounds of a song that were kept and are not mastered: chips with a dashed edge. */
import { useApp, useSelect } from '../../state/app-state.ts'
import type { SongRow } from '../../state/song-rows.ts'
import { isInSlot, SLOTS, type SongSlots } from '../../state/sound-slots.ts'
import { useScope } from '../master/use-batch.ts'
import { useListenWords } from './context.tsx'

const NONE: SongSlots = {}

export function Drafts({ row }: { row: SongRow }) {
  const { l } = useListenWords()
  const { slots } = useApp()
  const { settings, change } = useScope('sound')
  const kept = useSelect(slots.store, (state) => state.bySong[row.rowId] ?? NONE)
  const filled = SLOTS.flatMap((slot) => (kept[slot] ? [{ slot, sound: kept[slot] }] : []))
  if (filled.length === 0 || !settings) return null
  return (
    <ul className="chips" aria-label={l.chips.drafts}>
      {filled.map(({ slot, sound }) => (
        <li key={slot}>
          <button
            type="button"
            className="chip draft"
            aria-pressed={isInSlot(sound, settings)}
            aria-label={l.chips.draft(slot)}
            title={l.chips.draft(slot)}
            onClick={() => !isInSlot(sound, settings) && change(sound)}
          >
            {slot}
          </button>
        </li>
      ))}
    </ul>
  )
}
