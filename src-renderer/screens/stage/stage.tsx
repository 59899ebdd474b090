/** The stage: the selected song as a picture, before and after it is mastered, with its versions to hear. */
import { memo, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { BatchSong } from '../../../src-contract/app.ts'
import { deliveryTarget, withReferenceLoudness } from '../../../src-contract/delivery-target.ts'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Report } from '../../../src-contract/report.ts'
import type { MasterSettings } from '../../../src-contract/settings.ts'
import { Button } from '../../components/button.tsx'
import { BatchFailure } from '../../components/failure-strip.tsx'
import { SampleNote } from '../../components/sample-note.tsx'
import { isLoaded } from '../../playback/state.ts'
import { addressOf } from '../../router.ts'
import { isCuredSample, isSampleName } from '../../sample-song/sample-song.ts'
import { useApp, usePlayback, useSelect } from '../../state/app-state.ts'
import { drawnAudition } from '../../state/auditions.ts'
import { type ListenState, ListenStore } from '../../state/listen.ts'
import { jobItem } from '../../state/listen-versions.ts'
import { failureOf } from '../../state/refusal.ts'
import type { SongRow } from '../../state/song-rows.ts'
import { factsOfReport, factsOfSong } from '../../state/stage-facts.ts'
import { createTimeView } from '../../state/time-view.ts'
import { itemOf } from '../master/song-item.ts'
import { BlindTestPanel } from './blind-test.tsx'
import { Changed, Changes } from './changes.tsx'
import { CompareSheet } from './compare.tsx'
import { type Made, StageContext, shownView, useHear, useHere, useListenWords, useStage } from './context.tsx'
import { CopyFailures } from './copy-menu.tsx'
import { Decisions } from './decisions.tsx'
import { Head } from './head.tsx'
import { Meters } from './meters.tsx'
import { PlannedPlays } from './planned-plays.tsx'
import { SpectrumPanel } from './spectrum.tsx'
import { useSpokenChanges, useSpokenZoom } from './spoken.ts'
import { StemLanes } from './stems/stem-lanes.tsx'
import type { Subject } from './subject.ts'
import { TimeLanes } from './time-lanes.tsx'
import { Verdict } from './verdict.tsx'
import { VersionSwitch } from './version-switch.tsx'
import './stage.css'

interface StageProps {
  subject: Subject
  settings: MasterSettings | null
}

/** The song of `subject`. */
export const Stage = memo(function Stage({ subject, settings }: StageProps) {
  const { stage } = useApp()
  const sourceId = subject.kind === 'song' ? subject.row.rowId : null
  // Before paint: the audition that is drawn is that of the song on the stage.
  useLayoutEffect(() => {
    stage.setState({ sourceId })
    return () => stage.setState({ sourceId: null })
  }, [stage, sourceId])
  if (subject.kind === 'job') return <JobStage key={subject.jobId} subject={subject} settings={settings} />
  const { row } = subject
  return row.song && settings ? (
    <SongStage key={row.rowId} row={row} song={row.song} settings={settings} />
  ) : (
    <Pane>
      <Head row={row} made={null} />
    </Pane>
  )
})

function Pane({ children }: { children: ReactNode }) {
  const { t } = useListenWords()
  return (
    <section className="pane stagepane inset" aria-label={t.stage.label} tabIndex={-1}>
      <BatchFailure />
      {children}
    </section>
  )
}

/** Loads the song on the stage where nothing is loaded, or in place of one of the same song or one that was never played. */
function useLoaded(item: ReturnType<typeof jobItem>, isOpened: boolean): void {
  const { playback } = useApp()
  useLayoutEffect(() => {
    const { item: loaded, isPlaying, version, versions } = playback.store.getState()
    const isSameSong = loaded !== null && loaded.songId !== undefined && loaded.songId === item.songId
    if (isSameSong && !isLoaded(playback.store.getState(), item)) {
      const platform = versions.find(({ id }) => id === version)?.platform
      const versionIn = [platform, 'audition'].find((id) => item.versions.some((one) => one.id === id && !one.missing))
      playback.replace(item, {
        version: version === 'source' ? 'source' : (versionIn ?? item.first.version),
        ...(item.kind === 'song' && platform ? { service: platform } : {}),
      })
    } else if (loaded === null || isSameSong || (!isPlaying && playback.position() === 0)) playback.load(item)
    if (isOpened && isLoaded(playback.store.getState(), item)) void playback.open()
  }, [playback, item, isOpened])
}

interface SongStageProps {
  row: SongRow
  song: BatchSong
  settings: MasterSettings
}

/** A song that is not mastered yet, or has changed since: its audition. */
function SongStage({ row, song, settings }: SongStageProps) {
  const { auditions, playback } = useApp()
  const shown = useSelect(auditions.store, (state) => state.audition)
  const picture = useSelect(auditions.store, (state) => state.picture)
  const audition = shown?.source_id === row.rowId ? shown : null
  const found = itemOf(row)
  const key = JSON.stringify(found)
  // biome-ignore lint/correctness/useExhaustiveDependencies: an equal item is the same item
  const item = useMemo(() => itemOf(row), [key])
  const service = usePlayback(() => playback.songService())
  const referenceLufs = (audition && picture?.reference?.measurement.integrated_lufs) ?? null
  const aimed = withReferenceLoudness(settings, { integratedLufs: referenceLufs })
  const target = deliveryTarget(service, aimed.genre, aimed.loudness, aimed.target_lufs).targetLufs
  const facts = useMemo(
    () =>
      factsOfSong(song, picture?.source && audition ? picture : null, {
        spectrum: audition?.target_spectrum ?? null,
        lufs: target,
      }),
    [song, picture, audition, target],
  )
  const drawn = useMemo(() => audition && drawnAudition(audition, picture), [audition, picture])
  const view = useMemo(() => createTimeView(song.source.duration_seconds), [song.source.duration_seconds])
  const stage = useMemo(
    () => item && { item, facts, view, row, made: null, audition: drawn },
    [item, facts, view, row, drawn],
  )
  if (!item || !stage) return null
  return (
    <StageContext value={stage}>
      <Loaded isOpened={false} />
      <Pane>
        <Head row={row} made={null} />
        {isSampleName(song.source.filename) && <SampleNote />}
        <VersionSwitch settings={aimed} />
        <Deck />
        <StemLanes sourceId={row.rowId} />
        <div className="lower">
          <SpectrumPanel />
          <Changes row={row} />
          <PlannedPlays row={row} settings={aimed} />
        </div>
      </Pane>
    </StageContext>
  )
}

function Loaded({ isOpened }: { isOpened: boolean }) {
  const { item, view } = useStage()
  useLoaded(item, isOpened)
  useEffect(() => {
    shownView.current = view
    return () => {
      shownView.current = null
    }
  }, [view])
  useSpokenChanges()
  useSpokenZoom()
  return null
}

const Deck = () => (
  <div className="time-view">
    <TimeLanes />
    <Meters />
  </div>
)

type JobSubject = Extract<Subject, { kind: 'job' }>

/** A mastered song. */
function JobStage({ subject, settings }: { subject: JobSubject; settings: MasterSettings | null }) {
  const { client, jobs } = useApp()
  const { jobId, otherId, row } = subject
  const listen = useMemo(() => new ListenStore({ client, jobId, otherId }), [client, jobId, otherId])
  const state = useStore(listen.store)
  const liveStatus = useStore(jobs.store, ({ byId }) => byId[jobId]?.status)
  // A job that ends while it is on the stage can be played at once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the status is read here only as the sign to read again
  useEffect(() => void listen.read(), [listen, liveStatus])
  const { job, report } = state
  if (job && report)
    return <Mastered {...{ job, report, listen, row, settings }} isChoosing={subject.isChoosing} key={jobId} />
  return <NothingToHear state={state} row={row} jobId={jobId} onRetry={() => void listen.read()} />
}

interface NothingProps {
  state: ListenState
  row: SongRow | null
  jobId: string
  onRetry: () => void
}

function NothingToHear({ state, row, jobId, onRetry }: NothingProps) {
  const { t, l, say } = useListenWords()
  const { jobs } = useApp()
  const { job, failure } = state
  const progress = useStore(jobs.store, ({ byId }) => byId[jobId]?.progress) ?? job?.progress ?? 0
  const isGone = failure?.code === 'JOB_NOT_FOUND' || failure?.code === 'NOT_FOUND'
  // The job's own status explains a missing report.
  const isOver = isGone || job?.status === 'failed' || job?.expired === true
  const reason = !job
    ? failure && say(failure)
    : job.status === 'queued'
      ? l.failures.unfinished(progress)
      : job.status === 'failed'
        ? t.row.failed(say(failureOf(job)))
        : job.expired
          ? l.failures.expired
          : failure && say(failure)
  return (
    <Pane>
      {(job || row) && <Head row={row} made={job && { job, report: null, siblings: [job] }} />}
      <div className="empty" role={failure ? 'alert' : undefined}>
        {reason ? (
          <>
            <h2 className="sec">{isOver ? l.failures.over : l.failures.title}</h2>
            <p>{reason}</p>
            {failure?.requestId && !isOver && <p className="faint">{t.requestId(failure.requestId)}</p>}
            <div className="row">
              <a className="btn" href={addressOf('master')}>
                {l.failures.toBatch}
              </a>
              {failure && !isOver && (
                <Button look="quiet" onClick={onRetry}>
                  {l.failures.retry}
                </Button>
              )}
            </div>
          </>
        ) : (
          <p>{l.reading}</p>
        )}
      </div>
      {job?.expired && (
        <div className="lower">
          <Verdict job={job} />
          <Changed report={null} warnings={job.warnings} />
        </div>
      )}
    </Pane>
  )
}

interface MasteredProps {
  job: Job
  report: Report
  listen: ListenStore
  row: SongRow | null
  settings: MasterSettings | null
  /** Opens with the choice of another version to compare. */
  isChoosing: boolean
}

function Mastered({ job, report, listen, row, settings, isChoosing }: MasteredProps) {
  const item = useMemo(() => jobItem(job, report, listen.store.getState().other), [job, report, listen])
  const view = useMemo(() => createTimeView(item.durationSeconds), [item])
  const facts = useMemo(() => factsOfReport(job, report), [job, report])
  const stage = useMemo(
    () => ({ item, facts, view, row, made: { job, report, listen }, audition: null }),
    [item, facts, view, row, job, report, listen],
  )
  return (
    <StageContext value={stage}>
      <Loaded isOpened />
      <Masters made={stage.made} settings={settings} isChoosing={isChoosing} />
    </StageContext>
  )
}

function Masters({ made, settings, isChoosing }: { made: Made } & Pick<MasteredProps, 'settings' | 'isChoosing'>) {
  const { l, say } = useListenWords()
  const { row } = useStage()
  const { job, report, listen } = made
  const { playback } = useApp()
  const [isComparing, setComparing] = useState(isChoosing)
  const [isBlindOpen, setBlindOpen] = useState(false)
  const hear = useHear()
  const heard = useHere((state) => (state.blindTest ? '' : state.version))
  const hasFailed = useHere((state) => state.hasFailed)
  const blindTestButton = useRef<HTMLButtonElement>(null)
  const siblings = useStore(listen.store, (state) => state.siblings)
  const otherFailure = useStore(listen.store, (state) => state.otherFailure)
  // A test that is left behind would go on choosing what is heard.
  useEffect(() => () => playback.blindTest.leave(), [playback])
  const leaveBlindTest = () => {
    setBlindOpen(false)
    playback.blindTest.leave()
    blindTestButton.current?.focus()
  }
  return (
    <Pane>
      <Head
        row={row}
        made={{ job, report, siblings }}
        onCompare={() => setComparing(true)}
        blindTest={{
          ref: blindTestButton,
          isOpen: isBlindOpen,
          toggle: () => (isBlindOpen ? leaveBlindTest() : setBlindOpen(true)),
        }}
      />
      {isCuredSample(job.filename, report.repairs) && <SampleNote />}
      {job.expired && <p className="strip inline">{l.failures.expired}</p>}
      {otherFailure && (
        <p className="strip inline" role="alert">
          {l.compareSheet.otherGone} {say(otherFailure)}
        </p>
      )}
      {hasFailed && (
        <p className="strip inline" role="alert">
          {l.failures.noSound}
        </p>
      )}
      {isBlindOpen ? <BlindTestPanel onLeave={leaveBlindTest} /> : <VersionSwitch settings={settings} />}
      {!isBlindOpen && <CopyFailures />}
      <Deck />
      <StemLanes sourceId={row?.rowId} />
      <div className="lower">
        <SpectrumPanel />
        <Changed report={report} warnings={job.warnings} />
        <Verdict job={job} heard={heard} onHear={hear} />
        <Decisions report={report} />
      </div>
      <CompareSheet isOpen={isComparing} onClose={() => setComparing(false)} />
    </Pane>
  )
}
