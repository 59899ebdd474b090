/** Pointer actions in the lanes: a click seeks, a drag draws a loop, moves an edge of it, or moves the playhead by its grip. */
import { type PointerEvent, useRef, useState } from 'react'
import type { timeAxis } from '../../drawing/lanes.ts'
import type { LoopRange } from '../../playback/loop.ts'
import type { Playback } from '../../playback/playback.ts'
import type { PlaybackItem } from '../../playback/state.ts'
import { isWithin, type TimeView } from '../../state/time-view.ts'

/** A press closer than this to a loop edge takes the edge; a smaller movement is a click, px. */
const GRIP_PX = 5
const SHORTEST_LOOP_SECONDS = 0.5

interface Lanes {
  readonly playback: Playback
  /** The item whose lanes they are: a press loads it. */
  readonly item: PlaybackItem
  readonly axis: ReturnType<typeof timeAxis>
  readonly view: TimeView
  readonly loop: LoopRange | null
}

interface Drag {
  readonly kind: 'head' | 'start' | 'end' | 'new'
  readonly fromX: number
  readonly fromSeconds: number
}

/** Returns the loop drawn by a drag to a moment; null for an edge too close to the other. */
function drawnLoop({ kind, fromSeconds }: Drag, seconds: number, loop: LoopRange | null): LoopRange | null {
  if (kind === 'new') {
    return { startSeconds: Math.min(fromSeconds, seconds), endSeconds: Math.max(fromSeconds, seconds) }
  }
  if (!loop) return null
  const moved = kind === 'start' ? { ...loop, startSeconds: seconds } : { ...loop, endSeconds: seconds }
  return moved.endSeconds - moved.startSeconds > SHORTEST_LOOP_SECONDS ? moved : null
}

/** Returns the handlers for the lanes' element, whose left edge is the origin of `axis`, and the loop being drawn. */
export function useLaneDrag({ playback, item, axis, view, loop }: Lanes) {
  const drag = useRef<Drag | null>(null)
  const [draft, setDraft] = useState<LoopRange | null>(null)
  const placeOf = ({ clientX, currentTarget }: PointerEvent) => clientX - currentTarget.getBoundingClientRect().left
  const end = () => {
    drag.current = null
    setDraft(null)
  }
  const kindAt = (x: number, target: EventTarget): Drag['kind'] => {
    const isNear = (seconds: number) => isWithin(view, seconds) && Math.abs(axis.toX(seconds) - x) <= GRIP_PX
    if (target instanceof Element && target.closest('.playhead > svg')) return 'head'
    if (loop && isNear(loop.startSeconds)) return 'start'
    return loop && isNear(loop.endSeconds) ? 'end' : 'new'
  }
  const handlers = {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      const { isPlaying } = playback.store.getState()
      playback.load(item)
      if (isPlaying) playback.play()
      const x = placeOf(event)
      drag.current = { kind: kindAt(x, event.target), fromX: x, fromSeconds: axis.toSeconds(x) }
    },
    onPointerMove(event: PointerEvent) {
      const x = placeOf(event)
      const seconds = axis.toSeconds(x)
      if (!drag.current) return
      if (drag.current.kind === 'head') playback.seek(seconds, event.shiftKey)
      else if (draft || Math.abs(x - drag.current.fromX) >= GRIP_PX) {
        const drawn = drawnLoop(drag.current, seconds, loop)
        if (drawn) setDraft(drawn)
      }
    },
    onPointerUp(event: PointerEvent) {
      // The loop applies once it is drawn: the sound would jump at every step otherwise.
      if (draft) playback.loop.set(draft)
      else if (drag.current && Math.abs(placeOf(event) - drag.current.fromX) < GRIP_PX && drag.current.kind !== 'head')
        playback.seek(axis.toSeconds(placeOf(event)), event.shiftKey)
      end()
    },
    onPointerCancel: end,
  }
  return { draft, handlers }
}
