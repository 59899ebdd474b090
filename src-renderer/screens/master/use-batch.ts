/** State of the Master screen, selected from the stores. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import type { MasterSettings } from '../../../src-contract/settings.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { isOwn, mixedNames, type SettingsPart } from '../../state/scope.ts'
import { queuePlaces, type SongRow, songRows, steadyRows } from '../../state/song-rows.ts'
import { type Forecast, forecastOf, nextPlan, type Plan, saidOf, type Work } from '../../state/time-left.ts'
import { useWords } from '../../text/context.tsx'

/** The rows of the list, in the order shown. */
export function useRows(): SongRow[] {
  const { batch, jobs } = useApp()
  const songs = useSelect(batch.store, (state) => state.batch?.songs)
  const settings = useSelect(batch.store, (state) => state.batch?.settings ?? null)
  const uploads = useSelect(batch.uploads.store, (state) => state.uploads)
  const order = useSelect(batch.store, (state) => state.order)
  const accepted = useSelect(batch.marks.store, (state) => state.accepted)
  const again = useSelect(batch.marks.store, (state) => state.again)
  const analysing = useSelect(batch.analyses.store, (state) => state.analysing)
  const analysisErrors = useSelect(batch.analyses.store, (state) => state.errors)
  const byId = useSelect(jobs.store, (state) => state.byId)
  const shown = useRef<SongRow[]>([])
  return useMemo(() => {
    const given = {
      songs: songs ?? [],
      settings,
      uploads,
      order,
      jobs: byId,
      accepted,
      again,
      analysing,
      analysisErrors,
    }
    const rows = songRows(given)
    shown.current = steadyRows(shown.current, rows)
    return shown.current
  }, [songs, settings, uploads, order, byId, accepted, again, analysing, analysisErrors])
}

/** Songs that the controls of one part of the settings change, and the values they show. */
export interface Scope {
  /** Settings shown: those of the song chosen last, or of all songs. */
  readonly settings: MasterSettings | null
  /** Rows in scope; empty for all songs. */
  readonly rowIds: readonly string[]
  /** The songs in scope in words. */
  readonly label: string
  /** Rows in scope, for all songs any, with own settings in this part. */
  readonly ownIds: readonly string[]
  /** Settings that differ among them. */
  readonly mixed: ReadonlySet<string>
  readonly change: (settings: Partial<MasterSettings>) => void
}

interface Selected {
  readonly rowId: string
  readonly own: MasterSettings | null
}

/** Returns the ids of the songs on the stage, the leading one last: the selected ones, or the only one of the list. */
export function useShownIds(): readonly string[] {
  const { batch } = useApp()
  const ids = useSelect(batch.store, (state) => state.selection.ids)
  const onlyId = useSelect(batch.store, (state) => (state.order.length === 1 ? state.order[0] : undefined))
  return useMemo(() => (ids.length === 0 && onlyId !== undefined ? [onlyId] : ids), [ids, onlyId])
}

/** Returns the scope of one part of the settings. */
export function useScope(part: SettingsPart): Scope {
  const { batch } = useApp()
  const { t } = useWords()
  const common = useSelect(batch.store, (state) => state.batch?.settings ?? null)
  const choice = useSelect(batch.store, (state) => state.scope[part])
  const count = useSelect(batch.store, (state) => state.order.length)
  const shownIds = useShownIds()
  const songs = useSelect(batch.store, (state) => state.batch?.songs)
  const uploads = useSelect(batch.uploads.store, (state) => state.uploads)
  const scope = useMemo(() => {
    const ownOf = (rowId: string): Selected[] => {
      const song = songs?.find((one) => one.source.source_id === rowId)
      if (song) return [{ rowId, own: song.settings }]
      const upload = uploads.find((one) => one.uploadId === rowId)
      return upload ? [{ rowId, own: upload.settings ?? null }] : []
    }
    const chosen = choice === 'selected' ? shownIds.flatMap(ownOf) : []
    const rowIds = chosen.map((one) => one.rowId)
    const all = chosen.flatMap(({ own }) => own ?? common ?? [])
    const every = [...(songs ?? []).map(({ source }) => source.source_id), ...uploads.map(({ uploadId }) => uploadId)]
    const apart = (rowIds.length > 0 ? chosen : every.flatMap(ownOf)).filter(
      ({ own }) => common !== null && isOwn(own, common, part),
    )
    return {
      settings: all.at(-1) ?? common,
      rowIds,
      label: rowIds.length === 0 ? t.scope.all(count) : rowIds.length === 1 ? t.scope.one : t.scope.some(rowIds.length),
      ownIds: apart.map((one) => one.rowId),
      mixed: mixedNames(all),
    }
  }, [part, choice, common, count, shownIds, songs, uploads, t])
  const key = JSON.stringify(scope.rowIds)
  // The same function for the same songs, so that a moved fader draws only itself again.
  const change = useCallback(
    (settings: Partial<MasterSettings>) => batch.changeSettings(settings, JSON.parse(key)),
    [batch, key],
  )
  return { ...scope, change }
}

const NOTHING_SAID: Forecast = { left: {}, starts: {}, batch: 0 }

/**
 * Returns the times shown for the songs under way, all from one plan: time left of each song and of the batch, and time
 * until the others start. Empty until the pace of this machine is known.
 */
export function useForecast(rows: readonly SongRow[]): Forecast {
  const { batch, jobs, service } = useApp()
  const byId = useSelect(jobs.store, (state) => state.byId)
  const settings = useSelect(batch.store, (state) => state.batch?.settings ?? null)
  const isPaused = useSelect(batch.store, (state) => state.batch?.is_paused ?? false)
  const engines = useSelect(service.store, (state) => state.settings?.engine_workers ?? 1)
  const slots = useSelect(service.store, (state) => state.account?.limits.concurrent_jobs ?? engines)
  const plan = useRef<Plan | null>(null)
  const [said, say] = useState(NOTHING_SAID)
  const now = useRef<() => void>(() => {})
  now.current = () => {
    const work = workOf({ rows, jobs: Object.values(byId), settings, isPaused, nowMs: Date.now() })
    plan.current = nextPlan(
      plan.current,
      work && forecastOf({ ...work, workers: Math.min(engines, slots) }),
      Date.now(),
    )
    const next = plan.current ? saidOf(plan.current, Date.now()) : NOTHING_SAID
    say((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next))
  }
  const isUnderWay = rows.some(({ kind }) => UNDER_WAY.includes(kind))
  // biome-ignore lint/correctness/useExhaustiveDependencies: new data updates the times at once
  useEffect(() => now.current(), [rows, isPaused, engines, slots])
  useEffect(() => {
    if (!isUnderWay) return
    const timer = setInterval(() => now.current(), 1000)
    return () => clearInterval(timer)
  }, [isUnderWay])
  return said
}

const UNDER_WAY: readonly SongRow['kind'][] = ['waiting', 'queued', 'rendering']
/** Past jobs that determine the pace. */
const PAST_COUNT = 12

interface WorkSources {
  readonly rows: readonly SongRow[]
  /** Every known job. */
  readonly jobs: readonly Job[]
  /** Of all songs without their own. */
  readonly settings: MasterSettings | null
  readonly isPaused: boolean
  readonly nowMs: number
}

const pieceOf = (job: Job) => ({
  durationSeconds: job.duration_seconds,
  tier: job.tier,
  platformCount: job.platforms.length,
})

/**
 * Returns the work under way, jobs of other programs first, in queue order; null without any, and until all jobs of the
 * list are read. Songs held by a pause are excluded. Pure.
 */
export function workOf({ rows, jobs, settings, isPaused, nowMs }: WorkSources): Omit<Work, 'workers'> | null {
  const ofList = rows.filter(({ kind }) => UNDER_WAY.includes(kind))
  if (ofList.length === 0 || rows.some(({ kind }) => kind === 'reading')) return null
  const shown = new Set(rows.map(({ job }) => job?.job_id))
  const others = jobs.filter(({ job_id, status }) => status === 'queued' && !shown.has(job_id))
  const secondsFrom = (iso: string | undefined, toMs: number) => (iso ? Math.max(0, toMs - Date.parse(iso)) / 1000 : 0)
  const runningOf = (id: string, job: Job) => ({
    ...pieceOf(job),
    id,
    percent: job.progress,
    elapsedSeconds: secondsFrom(job.started_at, nowMs),
  })
  const isAtWork = ({ stage }: Job) => stage !== undefined && stage !== 'waiting'
  const places = queuePlaces(rows)
  const waiting = ofList
    .filter(({ kind }) => kind === 'queued' || (kind === 'waiting' && !isPaused))
    .sort((a, b) => (places[a.rowId] ?? 0) - (places[b.rowId] ?? 0))
    .flatMap(({ rowId, job, song }) => {
      const own = song?.settings ?? settings
      if (job) return [{ ...pieceOf(job), id: rowId }]
      if (!song || !own) return []
      const { tier, platforms } = own
      return [{ id: rowId, durationSeconds: song.source.duration_seconds, tier, platformCount: platforms.length }]
    })
  const past = jobs
    .filter(({ status, started_at, completed_at }) => status === 'done' && started_at && completed_at)
    .sort((a, b) => (b.completed_at ?? '').localeCompare(a.completed_at ?? ''))
    .slice(0, PAST_COUNT)
    .map((job) => ({ ...pieceOf(job), workSeconds: secondsFrom(job.started_at, Date.parse(job.completed_at ?? '')) }))
  return {
    running: [
      ...others.filter(isAtWork).map((job) => runningOf(job.job_id, job)),
      ...ofList.flatMap(({ rowId, kind, job }) => (kind === 'rendering' && job ? [runningOf(rowId, job)] : [])),
    ],
    waiting: [
      ...others.filter((job) => !isAtWork(job)).map((job) => ({ ...pieceOf(job), id: job.job_id })),
      ...waiting,
    ],
    past,
  }
}
