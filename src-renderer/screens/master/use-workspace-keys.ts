/** The keys of the workspace. Single keys are ignored while text is typed, and while a dialog or a menu is open. */
import { useEffect, useRef } from 'react'
import { DIFFERENCE_KEY, useDifferenceKey } from '../../components/difference-button.tsx'
import { isCovered, isTyping, keyOf, ownsKey } from '../../components/is-typing.ts'
import type { Playback } from '../../playback/playback.ts'
import type { PlaybackItem } from '../../playback/state.ts'
import { go, routeOf } from '../../router.ts'
import { type AppState, useApp } from '../../state/app-state.ts'
import { openSettings, suggestionOf } from '../../state/proposals.ts'
import { NO_SELECTION } from '../../state/selection.ts'
import type { SongRow } from '../../state/song-rows.ts'
import { isWithin } from '../../state/time-view.ts'
import { shownView } from '../stage/context.tsx'
import { itemOf } from './song-item.ts'

const FAR_SECONDS = 5
const NEAR_SECONDS = 1
export const SUGGESTION_KEY = 's'
/** Zoom keys with their factors, also without Shift on layouts where + needs it. */
const ZOOM_FACTORS: Readonly<Record<string, number>> = { '+': 2, '=': 2, '-': 0.5 }

export interface WorkspaceKeys {
  readonly rows: readonly SongRow[]
  /** The song on the stage, as it is played where nothing is loaded. */
  readonly shownItem: PlaybackItem | null
  readonly onChoose: () => void
  readonly onStart: () => void
}

/** Zooms the lanes around the playhead, or around their middle when it is out of view; false for any other key. */
function zoom({ key }: KeyboardEvent, playback: Playback): boolean {
  const factor = ZOOM_FACTORS[key]
  const view = shownView.current
  if (!factor || !view) return false
  const shown = view.store.getState()
  const position = playback.position()
  const aroundSeconds = isWithin(shown, position) ? position : (shown.startSeconds + shown.endSeconds) / 2
  view.dispatch({ kind: 'zoom', factor, aroundSeconds })
  return true
}

/** Presses a part of the switch by its key; false without one. */
function pressCell(event: KeyboardEvent): boolean {
  const digit = /^Digit(\d)$/.exec(event.code)?.[1]
  const key = event.shiftKey && digit ? digit : keyOf(event)
  const cell = [...document.querySelectorAll<HTMLElement>('.vers [role=gridcell]')].find(
    (one) => one.querySelector('kbd')?.textContent?.toLowerCase() === key,
  )
  const part = cell?.querySelector<HTMLElement>(event.shiftKey && digit ? '[data-part=make]' : '[data-part=hear]')
  part?.click()
  return part !== null && part !== undefined
}

/** Plays the song on the stage as suggested, or as it is set again; false where nothing is suggested. */
function hearSuggestion(event: KeyboardEvent, { rows, shownItem }: WorkspaceKeys, app: AppState): boolean {
  const { batch, playback, proposals } = app
  const song = rows.find(({ rowId }) => rowId === shownItem?.songId)?.song
  const own = song?.settings ?? batch.store.getState().batch?.settings
  const suggestion = suggestionOf(song, proposals.store.getState())
  if (keyOf(event) !== SUGGESTION_KEY || !shownItem || !own || !suggestion || playback.store.getState().blindTest)
    return false
  const open = openSettings(suggestion.settings, own)
  if (Object.keys(open).length === 0) return false
  proposals.toggle(shownItem, own, open)
  return true
}

/** Returns whether Enter starts the batch there: in the list and on the bench, except on controls that use Enter themselves. */
function isStartPlace(target: EventTarget | null): boolean {
  if (!(target instanceof Element) || !target.closest('.songpane, .action-bar')) return false
  return !target.closest('button, a, input, select, textarea, summary, [role=menuitem]')
}

/** Handles a key of the loaded item; false if it has no function here. */
function obey(event: KeyboardEvent, playback: Playback, holdDifference: () => void): boolean {
  const { blindTest, levelMode, item } = playback.store.getState()
  if (!item) return false
  const step = event.shiftKey ? NEAR_SECONDS : FAR_SECONDS
  const key = keyOf(event)
  switch (key) {
    case 'ArrowLeft':
      playback.nudge(-step)
      return true
    case 'ArrowRight':
      playback.nudge(step)
      return true
    case 'Home':
      playback.seek(0, event.shiftKey)
      return true
    case 'i':
      playback.loop.markStart()
      return true
    case 'o':
      playback.loop.markEnd()
      return true
    case 'p':
      playback.loop.toggle()
      return true
    case DIFFERENCE_KEY:
      holdDifference()
      return true
    case 'l':
      if (blindTest) return false
      playback.adjust({ levelMode: event.shiftKey ? 'service' : levelMode === 'matched' ? 'file' : 'matched' })
      return true
    case 'x':
      if (blindTest) playback.blindTest.hear('x')
      else playback.swap()
      return true
    case 'a':
    case 'b':
      if (!blindTest) return false
      playback.blindTest.hear(key)
      return true
  }
  return false
}

/**
 * Ctrl or ⌘ with O opens the file dialog; Enter in the list or on the bench presses start. Space pauses and resumes the loaded song; Shift
 * with Space plays the focused row, else the song on the stage, as does Space before a song is loaded. Digits, R and C press the cells of
 * the switch, with Shift their check boxes. S plays the song on the stage as suggested. Escape goes back to all songs.
 */
export function useWorkspaceKeys(keys: WorkspaceKeys): void {
  const app = useApp()
  const { playback, batch } = app
  const holdDifference = useDifferenceKey(playback.holdDifference)
  const now = useRef(keys)
  now.current = keys
  useEffect(() => {
    const play = (event: KeyboardEvent) => {
      const { rows, shownItem } = now.current
      const { item } = playback.store.getState()
      const id =
        event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]')?.dataset.row : undefined
      const row = rows.find(({ rowId }) => rowId === id)
      const meant = (row && itemOf(row)) ?? shownItem
      const next = event.shiftKey && meant?.songId !== item?.songId ? meant : (item ?? meant)
      if (next) playback.toggle(next)
      return next !== null
    }
    const leave = () => {
      if (routeOf(location.hash).screen === 'listen') go('master')
      batch.select(NO_SELECTION)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event) || isCovered()) return
      const hasModifier = event.ctrlKey || event.metaKey
      if (keyOf(event) === 'o' && hasModifier) now.current.onChoose()
      else if (hasModifier || event.altKey) return
      else if (event.key === 'Escape') leave()
      // A held key counts as one press.
      else if (event.key === 'Enter' && !event.repeat && isStartPlace(event.target)) now.current.onStart()
      else if (ownsKey(event.target, event.key) || (event.repeat && !event.key.startsWith('Arrow'))) return
      else if (event.key === ' ') {
        if (!play(event)) return
      } else if (!zoom(event, playback) && !obey(event, playback, holdDifference) && !pressCell(event)) {
        if (!hearSuggestion(event, now.current, app)) return
      }
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [app, playback, batch, holdDifference])
}
