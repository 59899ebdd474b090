/** What the Master screen shows, selected from the stores. */
import { useEffect, useMemo, useRef, useState } from 'react'
import type { MasterSettings } from '../../../src-server/contract/app.ts'
import type { Job } from '../../../src-server/contract/jobs.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { type SongRow, songRows } from '../../state/song-rows.ts'
import { NO_TIME_LEFT, nextTimeLeft, type TimeLeft } from '../../state/time-left.ts'

/** The rows of the list, in the order shown. */
export function useRows(): SongRow[] {
  const { desk, jobs } = useApp()
  const songs = useSelect(desk.store, (state) => state.desk?.songs)
  const uploads = useSelect(desk.store, (state) => state.uploads)
  const order = useSelect(desk.store, (state) => state.order)
  const accepted = useSelect(desk.store, (state) => state.accepted)
  const analysisErrors = useSelect(desk.store, (state) => state.analysisErrors)
  const byId = useSelect(jobs.store, (state) => state.byId)
  return useMemo(
    () => songRows({ songs: songs ?? [], uploads, order, jobs: byId, accepted, analysisErrors }),
    [songs, uploads, order, byId, accepted, analysisErrors],
  )
}

export interface Scope {
  /** Settings that the column and the platform cells show. */
  readonly settings: MasterSettings | null
  /** The song whose own settings they are; null for all songs. */
  readonly sourceId: string | null
  readonly change: (settings: Partial<MasterSettings>) => void
}

/** The settings in view: those of all songs, or of the selected one. */
export function useScope(): Scope {
  const { desk } = useApp()
  const common = useSelect(desk.store, (state) => state.desk?.settings ?? null)
  const selectedId = useSelect(desk.store, (state) => (state.isWholeBatch ? null : state.selectedId))
  const own = useSelect(
    desk.store,
    (state) => state.desk?.songs.find((song) => song.source.source_id === selectedId)?.settings ?? null,
  )
  const settings = (selectedId && own) || common
  return {
    settings,
    sourceId: selectedId,
    change: (change) => settings && desk.changeSettings({ ...settings, ...change }, selectedId),
  }
}

/** Seconds left to say for some work that began at `startedAt` and is at `percent`; null while nothing is said. */
export function useTimeLeft(startedAt: string | undefined, percent: number): number | null {
  const shown = useRef<TimeLeft>(NO_TIME_LEFT)
  const [seconds, setSeconds] = useState<number | null>(null)
  useEffect(() => {
    if (!startedAt) {
      shown.current = NO_TIME_LEFT
      setSeconds(null)
      return
    }
    const now = Date.now()
    shown.current = nextTimeLeft(shown.current, (now - new Date(startedAt).getTime()) / 1000, percent, now)
    setSeconds(shown.current.shownSeconds)
  }, [startedAt, percent])
  return seconds
}

/** The run that is going on: its songs, how far it is, when it began. Null when nothing runs. */
export function runOf(rows: readonly SongRow[]): { percent: number; startedAt: string | undefined } | null {
  const running = rows.filter((row) => ['waiting', 'queued', 'rendering'].includes(row.kind))
  if (running.length === 0) return null
  const batches = new Set(running.map((row) => row.job?.batch_id ?? row.song?.batch_id))
  const ofRun = rows.filter((row) => running.includes(row) || (row.job && batches.has(row.job.batch_id)))
  const weight = (row: SongRow) => row.song?.source.duration_seconds ?? 1
  const ended = (job: Job | undefined) => (job && job.status !== 'queued' ? 100 : (job?.progress ?? 0))
  const isEnded = (row: SongRow) => !running.includes(row)
  const all = ofRun.reduce((sum, row) => sum + weight(row), 0)
  const done = ofRun.reduce(
    (sum, row) => sum + weight(row) * (isEnded(row) ? ended(row.job) : (row.job?.progress ?? 0)),
    0,
  )
  const starts = ofRun.flatMap((row) => row.job?.started_at ?? [])
  return { percent: all > 0 ? done / all : 0, startedAt: starts.sort()[0] }
}
