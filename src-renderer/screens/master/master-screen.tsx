/** The workspace: songs on the left, the song on the stage in the middle, its sound on the right, the bench below. */
import { useCallback, useDeferredValue, useEffect, useMemo, useRef } from 'react'
import { pickFiles } from '../../components/pick-files.ts'
import { go } from '../../router.ts'
import { useApp, usePlayback, useSelect } from '../../state/app-state.ts'
import { failureOf } from '../../state/refusal.ts'
import { refusalOfRow, type SongRow, tallyOf, titleOf } from '../../state/song-rows.ts'
import { useWords } from '../../text/context.tsx'
import { Stage } from '../stage/stage.tsx'
import { rowOfJob, subjectOf } from '../stage/subject.ts'
import { AllSongs } from './all-songs.tsx'
import { Bench } from './bench.tsx'
import { FirstRun } from './first-run.tsx'
import { itemOf } from './song-item.ts'
import { SongPane } from './song-pane.tsx'
import { SoundColumn } from './sound/sound-column.tsx'
import { useForecast, useRows, useShownIds } from './use-batch.ts'
import type { DropState } from './use-drop.ts'
import { useStart } from './use-start.ts'
import { useWorkspaceKeys } from './use-workspace-keys.ts'
import './master.css'

interface MasterScreenProps {
  /** Address of a job on the stage; empty without one. */
  detail: string
  /** Files dragged over the window, and the result of the drop. */
  drop: DropState
  onFiles: (files: readonly File[]) => void
}

export function MasterScreen({ detail, drop, onFiles }: MasterScreenProps) {
  const { batch, playback, proposals } = useApp()
  const { t } = useWords()
  const rows = useRows()
  const hasRead = useSelect(batch.store, (state) => state.batch !== null)
  const common = useSelect(batch.store, (state) => state.batch?.settings ?? null)
  const choose = useCallback(() => void pickFiles(true).then(onFiles), [onFiles])
  const start = useStart(rows)
  const { press } = start
  const forecast = useForecast(rows)
  const shownId = useShownIds().at(-1)
  const playingId = usePlayback(({ item, isPlaying }) => (isPlaying && item?.kind === 'song' ? item.id : undefined))
  const heard = useSelect(proposals.store, (state) => state.heard)
  const soundingId = heard?.sourceId ?? playingId
  // The list and the stage are drawn after the control that changed them: a fader never waits for them. Songs that come,
  // go or change places are not put off.
  const laterRows = useDeferredValue(rows)
  const drawnRows = isSameOrder(laterRows, rows) ? laterRows : rows
  const drawnCommon = useDeferredValue(common)
  const subject = useMemo(
    () => subjectOf({ rows: drawnRows, detail, shownId, common: drawnCommon, soundingId }),
    [drawnRows, detail, shownId, drawnCommon, soundingId],
  )
  useJobSelected(rows, detail)
  const loaded = usePlayback((state) => state.item)
  const shownItem = useMemo(() => (subject?.row ? itemOf(subject.row) : null), [subject?.row])
  useWorkspaceKeys({ rows, shownItem, onChoose: choose, onStart: press })
  useEffect(() => playback.pause, [playback])
  useSpokenProgress(rows)
  useEffect(() => window.loudsmith?.onMenuCommand((command) => command === 'start' && press()), [press])

  if (hasRead && rows.length === 0 && !subject)
    return <FirstRun isOver={drop.over !== null} note={noteOf(drop, t.drop)} onChoose={choose} onFiles={onFiles} />
  const own = subject?.row ? ((subject.row.song ?? subject.row.upload)?.settings ?? drawnCommon) : drawnCommon
  const settings = own && heard && heard.sourceId === subject?.row?.rowId ? { ...own, ...heard.settings } : own
  const shownJob = subject?.kind === 'job' && subject.row ? { rowId: subject.row.rowId, jobId: subject.jobId } : null
  return (
    <>
      <main id="content" className="work master" tabIndex={-1}>
        {hasRead ? (
          <SongPane rows={drawnRows} forecast={forecast} drop={drop} note={noteOf(drop, t.drop)} onChoose={choose} />
        ) : (
          <section className="songpane" />
        )}
        {subject ? (
          <Stage subject={subject} settings={settings} />
        ) : (
          drawnCommon && <AllSongs rows={drawnRows} settings={drawnCommon} forecast={forecast} />
        )}
        <SoundColumn rows={rows} />
      </main>
      <Bench rows={rows} item={loaded ?? shownItem} shown={shownJob} start={start} forecast={forecast} />
    </>
  )
}

const isSameOrder = (one: readonly SongRow[], other: readonly SongRow[]): boolean =>
  one.length === other.length && one.every(({ rowId }, at) => rowId === other[at]?.rowId)

/** Selects the song of the job in the address; another selection leaves the address. */
function useJobSelected(rows: readonly SongRow[], detail: string): void {
  const { batch } = useApp()
  const [jobId = ''] = detail.split('/')
  const rowId = jobId ? rowOfJob(rows, jobId)?.rowId : undefined
  useEffect(() => {
    if (!jobId) return
    batch.select(rowId ? { ids: [rowId], anchorId: rowId } : { ids: [], anchorId: null })
    return batch.store.subscribe(({ selection }, before) => {
      if (selection !== before.selection && selection.ids.length > 0 && selection.ids.at(-1) !== rowId) go('master')
    })
  }, [batch, jobId, rowId])
}

type DropText = ReturnType<typeof useWords>['t']['drop']

/** Returns the message that replaces the advice in the drop area; null without one. */
function noteOf(drop: DropState, t: DropText): string | null {
  if (drop.found !== null) return t.readingFolders(drop.found)
  if (drop.over && drop.over.readable < drop.over.all)
    return drop.over.readable === 0 ? t.overNone : t.overSome(drop.over.readable, drop.over.all)
  if (drop.over) return t.over(drop.over.all)
  return drop.wasEmpty ? t.nothingFound : null
}

/** Announces finished songs, and every quarter of the batch, to screen readers. */
function useSpokenProgress(rows: readonly SongRow[]) {
  const { notices } = useApp()
  const { t, say } = useWords()
  const before = useRef(new Map<string, SongRow['kind']>())
  const quarter = useRef(0)
  useEffect(() => {
    const isFirst = before.current.size === 0
    const said: string[] = []
    for (const row of rows) {
      const was = before.current.get(row.rowId)
      if (isFirst || was === row.kind || was === undefined || was === 'reading') continue
      if (row.kind === 'done' || row.kind === 'below') said.push(t.live.done(titleOf(row)))
      if (row.kind === 'failed' && row.job) said.push(t.live.failed(titleOf(row), say(failureOf(row.job))))
      const refusal = row.kind === 'refused' && refusalOfRow(row)
      if (refusal) said.push(t.live.failed(titleOf(row), say(refusal)))
    }
    before.current = new Map(rows.map((row) => [row.rowId, row.kind]))
    const tally = tallyOf(rows)
    const ended = tally.done + tally.failed + tally.cancelled
    const started = ended + tally.rendering + tally.queued
    const now = started > 0 ? Math.floor((4 * ended) / started) : 0
    if (now > quarter.current && tally.rendering + tally.queued > 0) said.push(t.live.progress(now * 25))
    quarter.current = now
    if (said.length > 0) notices.announce(...said)
  }, [rows, notices, t, say])
}
