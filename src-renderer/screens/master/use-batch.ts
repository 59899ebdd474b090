/** What the Master screen shows, selected from the stores. */
import { useEffect, useMemo, useRef, useState } from 'react'
import type { MasterSettings } from '../../../src-server/contract/app.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { type SongRow, songRows, steadyRows } from '../../state/song-rows.ts'
import { NO_TIME_LEFT, nextSaying, nextTimeLeft, type TimeLeft, workRate } from '../../state/time-left.ts'

/** The rows of the list, in the order shown. */
export function useRows(): SongRow[] {
  const { desk, jobs } = useApp()
  const songs = useSelect(desk.store, (state) => state.desk?.songs)
  const settings = useSelect(desk.store, (state) => state.desk?.settings ?? null)
  const uploads = useSelect(desk.uploads.store, (state) => state.uploads)
  const order = useSelect(desk.store, (state) => state.order)
  const accepted = useSelect(desk.marks.store, (state) => state.accepted)
  const again = useSelect(desk.marks.store, (state) => state.again)
  const looks = useSelect(desk.looks.store, (state) => state.looks)
  const analysisErrors = useSelect(desk.looks.store, (state) => state.errors)
  const byId = useSelect(jobs.store, (state) => state.byId)
  const shown = useRef<SongRow[]>([])
  return useMemo(() => {
    const given = { songs: songs ?? [], settings, uploads, order, jobs: byId, accepted, again, looks, analysisErrors }
    const rows = songRows(given)
    shown.current = steadyRows(shown.current, rows)
    return shown.current
  }, [songs, settings, uploads, order, byId, accepted, again, looks, analysisErrors])
}

export interface Scope {
  /** Settings that the column and the platform cells show. */
  readonly settings: MasterSettings | null
  /** The selected song, stored or still on its way; null without one. */
  readonly selected: { readonly rowId: string; readonly title: string; readonly isOwn: boolean } | null
  /** Whether what is shown and changed is for all songs. */
  readonly isWholeBatch: boolean
  /** The row that `change` is for; null for all songs. */
  readonly changedId: string | null
  readonly change: (settings: Partial<MasterSettings>) => void
}

/** The settings in view: those of all songs, or of the selected one. */
export function useScope(): Scope {
  const { desk } = useApp()
  const common = useSelect(desk.store, (state) => state.desk?.settings ?? null)
  const rowId = useSelect(desk.store, (state) => state.selectedId)
  const isWholeBatch = useSelect(desk.store, (state) => state.isWholeBatch)
  const song = useSelect(desk.store, (state) => state.desk?.songs.find((one) => one.source.source_id === rowId))
  const upload = useSelect(desk.uploads.store, (state) => state.uploads.find((one) => one.uploadId === rowId))
  const title = song?.source.title ?? upload?.filename
  const own = (song ?? upload)?.settings ?? null
  const isForAll = isWholeBatch || title === undefined
  const settings = (!isForAll && own) || common
  const changedId = isForAll ? null : rowId
  return {
    settings,
    selected: rowId !== null && title !== undefined ? { rowId, title, isOwn: own !== null } : null,
    isWholeBatch: isForAll,
    changedId,
    change: (change) => desk.changeSettings(change, changedId),
  }
}

/** Seconds left to say for work of which `elapsedSeconds` brought `percent`; null while nothing runs or is said yet. */
export function useTimeLeft(percent: number, elapsedSeconds: number | null): number | null {
  const said = useRef<TimeLeft>(NO_TIME_LEFT)
  const [seconds, setSeconds] = useState<number | null>(null)
  const isOn = elapsedSeconds !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new percent is what a new saying follows from, not the clock
  useEffect(() => {
    said.current = isOn ? nextTimeLeft(said.current, elapsedSeconds, percent, Date.now()) : NO_TIME_LEFT
    setSeconds(said.current.shownSeconds)
  }, [isOn, percent])
  return seconds
}

/** `estimate` (seconds until something begins) as it can be read: it falls, and rises only after a while of doubt. */
export function useSteady(estimate: number | null): number | null {
  const said = useRef<TimeLeft>(NO_TIME_LEFT)
  const [seconds, setSeconds] = useState<number | null>(null)
  useEffect(() => {
    said.current = estimate === null ? NO_TIME_LEFT : nextSaying(said.current, estimate, Date.now())
    setSeconds(said.current.shownSeconds)
  }, [estimate])
  return seconds
}

/** Seconds since a moment; 0 for one to come. */
export function secondsSince(iso: string): number {
  return Math.max(0, (Date.now() - Date.parse(iso)) / 1000)
}

/**
 * The run that is going on: how far it is by the length of its music, and the seconds that the songs side by side have taken so far,
 * pauses not counted. Null when nothing runs, and while jobs are not read yet: nobody knows then how much is done.
 */
export function runOf(rows: readonly SongRow[]): { percent: number; elapsedSeconds: number } | null {
  const running = rows.filter((row) => ['waiting', 'queued', 'rendering'].includes(row.kind))
  if (running.length === 0 || rows.some((row) => row.kind === 'reading')) return null
  const batches = new Set(running.map((row) => row.job?.batch_id ?? row.song?.batch_id))
  const ofRun = rows.filter((row) => running.includes(row) || (row.job && batches.has(row.job.batch_id)))
  const weight = (row: SongRow) => row.song?.source.duration_seconds ?? 1
  const percentOf = ({ job }: SongRow) => (job && job.status !== 'queued' ? 100 : (job?.progress ?? 0))
  const workOf = ({ job }: SongRow) => {
    if (!job?.started_at) return 0
    return secondsSince(job.started_at) - (job.completed_at ? secondsSince(job.completed_at) : 0)
  }
  const all = ofRun.reduce((sum, row) => sum + weight(row), 0)
  const done = ofRun.reduce((sum, row) => sum + weight(row) * percentOf(row), 0)
  const work = ofRun.reduce((sum, row) => sum + workOf(row), 0)
  const sideBySide = Math.max(1, running.filter((row) => row.kind === 'rendering').length)
  return { percent: all > 0 ? done / all : 0, elapsedSeconds: work / sideBySide }
}

/**
 * Seconds until the songs that wait begin, by row, where `places` are theirs in the queue and `workers` are mastered side by side; from
 * the pace of the songs that have ended, nothing where none has.
 */
export function startsIn(
  rows: readonly SongRow[],
  places: Readonly<Record<string, number>>,
  workers: number,
): Readonly<Record<string, number>> {
  const ended = rows.flatMap(({ job }) =>
    job?.status === 'done' && job.started_at && job.completed_at
      ? [
          {
            workSeconds: (Date.parse(job.completed_at) - Date.parse(job.started_at)) / 1000,
            musicSeconds: job.duration_seconds,
          },
        ]
      : [],
  )
  const rate = workRate(ended)
  const starts: Record<string, number> = {}
  if (rate === null) return starts
  const lengthOf = (row: SongRow) => row.song?.source.duration_seconds ?? 0
  let ahead = rows
    .filter((row) => row.kind === 'rendering')
    .reduce((sum, row) => sum + lengthOf(row) * rate * (1 - (row.job?.progress ?? 0) / 100), 0)
  const waiting = rows
    .filter((row) => places[row.rowId])
    .sort((a, b) => (places[a.rowId] ?? 0) - (places[b.rowId] ?? 0))
  for (const row of waiting) {
    starts[row.rowId] = ahead / workers
    ahead += lengthOf(row) * rate
  }
  return starts
}
