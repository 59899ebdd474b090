/** The keys of the Master screen. Single keys are ignored while text is typed, and while a dialog or a menu is open. */
import { useEffect, useRef } from 'react'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { DIFFERENCE_KEY, useDifferenceKey } from '../../components/difference-button.tsx'
import { isCovered, isTyping, keyOf, ownsKey } from '../../components/is-typing.ts'
import type { Playback } from '../../playback/playback.ts'
import type { SongItem } from '../../playback/song-item.ts'
import { useApp } from '../../state/app-state.ts'
import { NO_SELECTION } from '../../state/selection.ts'
import type { SongRow } from '../../state/song-rows.ts'
import { SLOTS, type Slot } from '../../state/sound-slots.ts'
import { itemOf } from './transport-song.ts'

const FAR_SECONDS = 5
const NEAR_SECONDS = 1

export interface MasterKeys {
  readonly rows: readonly SongRow[]
  /** The song of the transport. */
  readonly song: SongItem | null
  readonly onChoose: () => void
  readonly onStart: () => void
  /** Recalls a slot, or stores the current sound in it. */
  readonly onSlot: (slot: Slot, isToKeep: boolean) => void
}

/**
 * Returns whether Enter starts the batch there: in the list and on the action bar, except on controls that use Enter
 * themselves.
 */
function isStartPlace(target: EventTarget | null): boolean {
  if (!(target instanceof Element) || !target.closest('.songs, .listhead, .action-bar')) return false
  return !target.closest('button, a, input, select, textarea, summary, [role=menuitem]')
}

/** Handles a playback key; false if it has no function here. */
function play(
  event: KeyboardEvent,
  playback: Playback,
  { song, meant }: { readonly song: SongItem | null; readonly meant: SongItem | null },
  holdDifference: () => void,
): boolean {
  const { levelMode, item } = playback.store.getState()
  const key = keyOf(event)
  const step = event.shiftKey ? NEAR_SECONDS : FAR_SECONDS
  if (key === ' ') {
    const next = event.shiftKey ? meant : item ? song : (meant ?? song)
    if (next) playback.toggle(next)
    return next !== null
  }
  if (!item) return false
  const platform = PLATFORMS[Number(key) - 1]
  if (key === 'ArrowLeft') playback.nudge(-step)
  else if (key === 'ArrowRight') playback.nudge(step)
  else if (key === '0') playback.choose('source')
  else if (key === 'x') playback.swap()
  else if (key === 'l')
    playback.adjust({ levelMode: event.shiftKey ? 'service' : levelMode === 'matched' ? 'file' : 'matched' })
  else if (key === DIFFERENCE_KEY) holdDifference()
  else if (platform) {
    playback.adjust({ service: platform })
    playback.choose('audition')
  } else return false
  return true
}

/**
 * Ctrl or ⌘ with O opens the file dialog; Enter in the list or on the action bar presses start. Space plays and pauses
 * the loaded song; Shift with Space plays the focused row, else the selected song, as does Space before a song is
 * loaded. Escape clears the selection; the other playback keys are those of the Listen screen. E focuses the sound; A
 * to D recall its slots, and with Shift store the current sound.
 */
export function useMasterKeys(keys: MasterKeys): void {
  const { playback, batch } = useApp()
  const holdDifference = useDifferenceKey(playback.holdDifference)
  const now = useRef(keys)
  now.current = keys
  useEffect(() => {
    const songAt = (target: EventTarget | null) => {
      const id = target instanceof Element ? target.closest<HTMLElement>('[data-row]')?.dataset.row : undefined
      const row = now.current.rows.find(({ rowId }) => rowId === id)
      const selectedId = batch.store.getState().selection.ids.at(-1)
      const meant = row ?? now.current.rows.find(({ rowId }) => rowId === selectedId)
      return meant ? itemOf(meant) : null
    }
    const playOrSlot = (event: KeyboardEvent) => {
      const slot = SLOTS.find((one) => one.toLowerCase() === keyOf(event))
      if (slot) now.current.onSlot(slot, event.shiftKey)
      const songs = { song: now.current.song, meant: songAt(event.target) }
      return slot !== undefined || play(event, playback, songs, holdDifference)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event) || isCovered()) return
      const hasModifier = event.ctrlKey || event.metaKey
      if (keyOf(event) === 'o' && hasModifier) now.current.onChoose()
      else if (hasModifier || event.altKey) return
      else if (event.key === 'Escape') batch.select(NO_SELECTION)
      // A held key counts as one press.
      else if (event.key === 'Enter' && !event.repeat && isStartPlace(event.target)) now.current.onStart()
      else if (keyOf(event) === 'e') document.querySelector<HTMLElement>('.side')?.focus()
      else if (ownsKey(event.target, event.key) || (event.repeat && !event.key.startsWith('Arrow'))) return
      else if (!playOrSlot(event)) return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [playback, batch, holdDifference])
}
