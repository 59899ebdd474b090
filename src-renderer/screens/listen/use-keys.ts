/** The keys of the Listen screen. Ignored while text is typed or composed, and while a dialog or a menu is open. */
import { useEffect } from 'react'
import { DIFFERENCE_KEY, useDifferenceKey } from '../../components/difference-button.tsx'
import { isCovered, keyOf, ownsKey } from '../../components/is-typing.ts'
import type { Playback } from '../../playback/playback.ts'
import { isWithin, type TimeViewActions } from '../../state/time-view.ts'

const FAR_SECONDS = 5
const NEAR_SECONDS = 1
/** Zoom keys with their factors, also without Shift on layouts where + needs it. */
const ZOOM_FACTORS: Readonly<Record<string, number>> = { '+': 2, '=': 2, '-': 0.5 }

/** Zooms the lanes around the playhead, or around their middle when it is out of view; false for any other key. */
function zoom({ key }: KeyboardEvent, playback: Playback, view: TimeViewActions): boolean {
  const factor = ZOOM_FACTORS[key]
  if (!factor) return false
  const shown = view.store.getState()
  const position = playback.position()
  const aroundSeconds = isWithin(shown, position) ? position : (shown.startSeconds + shown.endSeconds) / 2
  view.dispatch({ kind: 'zoom', factor, aroundSeconds })
  return true
}

/** Handles a key; false if it has no function here. */
function obey(event: KeyboardEvent, playback: Playback, holdDifference: () => void): boolean {
  const { blindTest, levelMode, versions } = playback.store.getState()
  const key = keyOf(event)
  const step = event.shiftKey ? NEAR_SECONDS : FAR_SECONDS
  switch (key) {
    case ' ':
      playback.toggle()
      return true
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
  const version = versions.find((one) => one.key?.toLowerCase() === key)
  if (!version) return false
  playback.choose(version.id)
  return true
}

export function useKeys(playback: Playback, view: TimeViewActions): void {
  const holdDifference = useDifferenceKey(playback.holdDifference)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.isComposing || event.keyCode === 229 || isCovered() || ownsKey(event.target, event.key)) return
      if (zoom(event, playback, view)) return event.preventDefault()
      // A held key repeats a seek, but not play and pause.
      if (event.repeat && !event.key.startsWith('Arrow')) return
      if (obey(event, playback, holdDifference)) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [playback, view, holdDifference])
}
