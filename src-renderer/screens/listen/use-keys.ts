/** The keys of the Listen screen. Silent while text is typed or composed, and while a dialog or a menu is open. */
import { useEffect } from 'react'
import { DIFFERENCE_KEY, useDifferenceKey } from '../../components/difference-button.tsx'
import { isCovered, keyOf, ownsKey } from '../../components/is-typing.ts'
import type { PlayerStore } from '../../state/player.ts'
import { isWithin, type TimeViewActions } from '../../state/time-view.ts'

const FAR_SECONDS = 5
const NEAR_SECONDS = 1
/** Keys that zoom, on a layout where + needs Shift also without it, and their factors. */
const ZOOM_FACTORS: Readonly<Record<string, number>> = { '+': 2, '=': 2, '-': 0.5 }

/** Zooms the lanes around the playhead, or around their middle when it is not shown; false for a key that does not zoom. */
function zoom({ key }: KeyboardEvent, player: PlayerStore, view: TimeViewActions): boolean {
  const factor = ZOOM_FACTORS[key]
  if (!factor) return false
  const shown = view.store.getState()
  const position = player.position()
  const aroundSeconds = isWithin(shown, position) ? position : (shown.startSeconds + shown.endSeconds) / 2
  view.dispatch({ kind: 'zoom', factor, aroundSeconds })
  return true
}

/** Carries out the key; false when it means nothing here. */
function obey(event: KeyboardEvent, player: PlayerStore, holdDifference: () => void): boolean {
  const { blindTest, levelMode, versions } = player.store.getState()
  const key = keyOf(event)
  const step = event.shiftKey ? NEAR_SECONDS : FAR_SECONDS
  switch (key) {
    case ' ':
      player.toggle()
      return true
    case 'ArrowLeft':
      player.nudge(-step)
      return true
    case 'ArrowRight':
      player.nudge(step)
      return true
    case 'Home':
      player.seek(0, event.shiftKey)
      return true
    case 'i':
      player.markLoopStart()
      return true
    case 'o':
      player.markLoopEnd()
      return true
    case 'p':
      player.toggleLoop()
      return true
    case DIFFERENCE_KEY:
      holdDifference()
      return true
    case 'l':
      if (blindTest) return false
      player.setLevelMode(event.shiftKey ? 'service' : levelMode === 'matched' ? 'file' : 'matched')
      return true
    case 'x':
      if (blindTest) player.hear('x')
      else player.swap()
      return true
    case 'a':
    case 'b':
      if (!blindTest) return false
      player.hear(key)
      return true
  }
  const version = versions.find((one) => one.key.toLowerCase() === key)
  if (!version) return false
  player.choose(version.id)
  return true
}

export function useKeys(player: PlayerStore, view: TimeViewActions): void {
  const holdDifference = useDifferenceKey(player.holdDifference)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.isComposing || event.keyCode === 229 || isCovered() || ownsKey(event.target, event.key)) return
      if (zoom(event, player, view)) return event.preventDefault()
      // A held key seeks on, but does not play and pause in turn.
      if (event.repeat && !event.key.startsWith('Arrow')) return
      if (obey(event, player, holdDifference)) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [player, view, holdDifference])
}
