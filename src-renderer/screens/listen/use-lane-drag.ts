/** Pointer actions in the lanes: seek, draw a loop along the ruler, move the edges of a loop. */
import { type PointerEvent, useRef } from 'react'
import type { timeAxis } from '../../drawing/lanes.ts'
import type { PlayerStore } from '../../state/player.ts'
import type { LoopRange } from '../../state/player-state.ts'

/** A press closer than this to a loop edge takes the edge; one that moves less than this is a click, px. */
const GRIP_PX = 5
const SHORTEST_LOOP_SECONDS = 0.5

interface Lanes {
  readonly player: PlayerStore
  readonly axis: ReturnType<typeof timeAxis>
  /** Height of the ruler at the top, px. */
  readonly ruler: number
  readonly loop: LoopRange | null
}

/** Returns the handlers for the element of the lanes, whose left edge is the origin of `axis`. */
export function useLaneDrag({ player, axis, ruler, loop }: Lanes) {
  const drag = useRef<{ kind: 'seek' | 'start' | 'end' | 'new'; fromX: number } | null>(null)
  const placeOf = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    const { left, top } = currentTarget.getBoundingClientRect()
    return { x: clientX - left, y: clientY - top }
  }
  const end = () => {
    drag.current = null
  }
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      const { x, y } = placeOf(event)
      const isNear = (seconds: number) => Math.abs(axis.toX(seconds) - x) <= GRIP_PX
      if (loop && isNear(loop.startSeconds)) drag.current = { kind: 'start', fromX: x }
      else if (loop && isNear(loop.endSeconds)) drag.current = { kind: 'end', fromX: x }
      else if (y < ruler) drag.current = { kind: 'new', fromX: x }
      else {
        drag.current = { kind: 'seek', fromX: x }
        player.seek(axis.toSeconds(x), event.shiftKey)
      }
    },
    onPointerMove(event: PointerEvent) {
      if (!drag.current) return
      const { kind, fromX } = drag.current
      const { x } = placeOf(event)
      const seconds = axis.toSeconds(x)
      if (kind === 'seek') player.seek(seconds, event.shiftKey)
      else if (kind === 'new') {
        if (Math.abs(x - fromX) < GRIP_PX) return
        const from = axis.toSeconds(fromX)
        player.setLoop({ startSeconds: Math.min(from, seconds), endSeconds: Math.max(from, seconds) })
      } else if (loop) {
        const moved = kind === 'start' ? { ...loop, startSeconds: seconds } : { ...loop, endSeconds: seconds }
        if (moved.endSeconds - moved.startSeconds > SHORTEST_LOOP_SECONDS) player.setLoop(moved)
      }
    },
    onPointerUp(event: PointerEvent) {
      const { x } = placeOf(event)
      if (drag.current?.kind === 'new' && Math.abs(x - drag.current.fromX) < GRIP_PX)
        player.seek(axis.toSeconds(x), event.shiftKey)
      end()
    },
    onPointerCancel: end,
  }
}
