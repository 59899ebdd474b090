/** Peaks of the visible part, read from the samples where the report's curves are too coarse. */

import { useEffect, useState } from 'react'
import { readPeaks } from '../../playback/peaks.ts'
import type { PlaybackVersion } from '../../playback/state.ts'
import { useApp } from '../../state/app-state.ts'
import { lengthOf, type TimeView } from '../../state/time-view.ts'
import { useHere, useStage } from './context.tsx'

type Peaks = readonly (number | null)[]

/**
 * Returns the peaks of a version in dBFS for each of `columns` pixels of the view; null where its curves are fine
 * enough, while they are loading, and for a version that cannot be read.
 */
export function usePeaks(
  id: string | undefined,
  curves: PlaybackVersion['curves'],
  view: TimeView,
  columns: number,
): Peaks | null {
  const { rateHz } = useStage().facts
  const { playback } = useApp()
  const isReady = useHere(({ readiness }) => id !== undefined && readiness[id] === 'ready')
  const [read, setRead] = useState<{ id: string; view: TimeView; peaks: Peaks } | null>(null)
  const isCoarse = curves !== undefined && lengthOf(view) / columns < curves.step_seconds
  useEffect(() => {
    if (id === undefined || !isReady || !isCoarse) return
    const control = new AbortController()
    const request = requestAnimationFrame(() => {
      const track = playback.graph?.trackOf(id)
      const part = { from: view.startSeconds * rateHz, to: view.endSeconds * rateHz }
      // An unreadable file also fails in the playback, which reports it; the report's curve stays.
      if (track)
        readPeaks(track, part, columns, control.signal).then(
          (peaks) => setRead({ id, view, peaks }),
          () => {},
        )
    })
    return () => {
      cancelAnimationFrame(request)
      control.abort()
    }
  }, [id, isReady, isCoarse, view, columns, playback, rateHz])
  return isCoarse && read?.id === id && read?.view === view && read.peaks.length === columns ? read.peaks : null
}
