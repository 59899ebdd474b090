/** Buttons at the largest gain reductions of a version: each seeks to its position. */

import { useMemo } from 'react'
import { clock } from '../../../src-contract/text/numbers.ts'
import { useOneTabStop } from '../../components/use-one-tab-stop.ts'
import { type LanesLayout, timeAxis } from '../../drawing/lanes.ts'
import { largestReductions } from '../../drawing/reductions.ts'
import type { PlaybackVersion } from '../../playback/state.ts'
import { useApp } from '../../state/app-state.ts'
import { isWithin, type TimeView } from '../../state/time-view.ts'
import { useListenWords } from './context.tsx'

/** Height of a marker, px: it stands on the top of the reduction lane. */
const MARKER_PX = 16

interface MarkersProps {
  readonly layout: LanesLayout
  readonly view: TimeView
  readonly version: PlaybackVersion
}

/** Markers outside the view stay at its edges, to remain reachable. */
export function ReductionMarkers({ layout, view, version }: MarkersProps) {
  const { l, format } = useListenWords()
  const { playback } = useApp()
  const { curves } = version
  const places = useMemo(
    () => (curves?.gain_reduction_db ? largestReductions(curves.gain_reduction_db, curves.step_seconds) : []),
    [curves],
  )
  const keys = useOneTabStop<HTMLUListElement>('button', 'row')
  if (places.length === 0) return null
  const { toX } = timeAxis(layout, view)
  return (
    <ul
      className="reductions"
      aria-label={l.timeView.largestReductions}
      style={{ top: layout.reduction.top - MARKER_PX }}
      onPointerDown={(event) => event.stopPropagation()}
      onDoubleClick={(event) => event.stopPropagation()}
      {...keys}
    >
      {places.map(({ fromSeconds, seconds, reductionDb }) => {
        const name = l.timeView.reductionAt(format.level(reductionDb), clock(fromSeconds))
        const x = Math.max(layout.left, Math.min(layout.right, toX(seconds)))
        return (
          <li key={seconds} style={{ left: x }}>
            <button
              type="button"
              className={isWithin(view, seconds) ? 'marker' : 'marker is-away'}
              aria-label={name}
              title={name}
              onClick={() => playback.seek(fromSeconds)}
            >
              <svg viewBox="0 0 10 8" width={10} height={8} aria-hidden="true">
                <path d="M0 0h10l-5 8z" />
              </svg>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
