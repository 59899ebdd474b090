/**
 * The Listen screen: original and masters at the same position and level, the reasons for their difference, and the
 * files.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { copyCodecName } from '../../../src-contract/codecs.ts'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Report } from '../../../src-contract/report.ts'
import { clock } from '../../../src-contract/text/numbers.ts'
import { Button } from '../../components/button.tsx'
import { SampleNote } from '../../components/sample-note.tsx'
import type { BlindTest } from '../../playback/blind-test.ts'
import { AS_UPLOADED } from '../../playback/forms.ts'
import {
  heardDifference,
  heardVersion,
  type PlaybackState,
  type PlaybackVersion,
  shownService,
} from '../../playback/state.ts'
import { addressOf } from '../../router.ts'
import { isCuredSample } from '../../sample-song/sample-song.ts'
import { useApp, usePlayback } from '../../state/app-state.ts'
import { type ListenState, ListenStore } from '../../state/listen.ts'
import { jobItem } from '../../state/listen-versions.ts'
import { failureOf } from '../../state/refusal.ts'
import { createTimeView, lengthOf } from '../../state/time-view.ts'
import type { ListenText } from '../../text/listen.en.ts'
import { BlindTestPanel } from './blind-test.tsx'
import { CompareSheet } from './compare.tsx'
import { useListenWords, useTrackName, useVersionName, useVisit, VisitContext } from './context.tsx'
import { CopyFailures } from './copy-menu.tsx'
import { Decisions } from './decisions.tsx'
import { Head } from './head.tsx'
import { Meters } from './meters.tsx'
import { Repairs } from './repairs.tsx'
import { SpectrumPanel } from './spectrum.tsx'
import { TimeLanes } from './time-lanes.tsx'
import { Transport } from './transport.tsx'
import { useKeys } from './use-keys.ts'
import { Verdict } from './verdict.tsx'
import { VersionSwitch } from './version-switch.tsx'

/**
 * `detail` is a job, optionally followed by a slash and another job of the song to compare, or `compare` to choose one.
 */
export default function ListenScreen({ detail }: { detail: string }) {
  const { client, jobs } = useApp()
  const [jobId = '', compared] = detail.split('/')
  const isChoosing = compared === 'compare'
  const otherId = isChoosing ? undefined : compared
  const listen = useMemo(() => new ListenStore({ client, jobId, otherId }), [client, jobId, otherId])
  const state = useStore(listen.store)
  const liveStatus = useStore(jobs.store, ({ byId }) => byId[jobId]?.status)
  // A job that ends while its screen is open can be played at once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the status is read here only as the sign to read again
  useEffect(() => void listen.read(), [listen, liveStatus])
  const { job, report } = state
  if (job && report) return <Listening key={jobId} job={job} report={report} listen={listen} isChoosing={isChoosing} />
  return <NothingToHear state={state} jobId={jobId} onRetry={() => void listen.read()} />
}

function NothingToHear({ state, jobId, onRetry }: { state: ListenState; jobId: string; onRetry: () => void }) {
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
    <main id="content" className="work listen" tabIndex={-1}>
      <div className="pane">
        {job && <Head job={job} report={null} siblings={[job]} />}
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
            <Repairs repairs={[]} warnings={job.warnings} />
          </div>
        )}
      </div>
    </main>
  )
}

interface ListeningProps {
  job: Job
  report: Report
  listen: ListenStore
  /** Opens with the choice of another version to compare. */
  isChoosing: boolean
}

function Listening({ job, report, listen, isChoosing }: ListeningProps) {
  const { playback } = useApp()
  const item = useMemo(() => jobItem(job, report, listen.store.getState().other), [job, report, listen])
  // Before paint: everything below shows the loaded item.
  useLayoutEffect(() => {
    playback.load(item)
    void playback.open()
    return playback.leave
  }, [playback, item])
  const isLoaded = usePlayback((state) => state.item === item)
  const view = useMemo(() => createTimeView(item.durationSeconds), [item])
  const visit = useMemo(() => ({ job, report, listen, item, view }), [job, report, listen, item, view])
  if (!isLoaded) return null
  return (
    <VisitContext value={visit}>
      <Batch isChoosing={isChoosing} />
    </VisitContext>
  )
}

function Batch({ isChoosing }: Pick<ListeningProps, 'isChoosing'>) {
  const { l, say } = useListenWords()
  const { job, report, listen, view } = useVisit()
  const { playback } = useApp()
  const siblings = useStore(listen.store, (state) => state.siblings)
  const otherFailure = useStore(listen.store, (state) => state.otherFailure)
  const [isComparing, setComparing] = useState(isChoosing)
  const [isBlindOpen, setBlindOpen] = useState(false)
  const heard = usePlayback((state) => (state.blindTest ? '' : state.version))
  const hasFailed = usePlayback((state) => state.hasFailed)
  useKeys(playback, view)
  useSpokenChanges()
  useSpokenZoom()
  const blindTestButton = useRef<HTMLButtonElement>(null)
  const leaveBlindTest = () => {
    setBlindOpen(false)
    playback.blindTest.leave()
    blindTestButton.current?.focus()
  }
  return (
    <>
      <main id="content" className="work listen" tabIndex={-1}>
        <div className="pane">
          <Head job={job} report={report} siblings={siblings} onCompare={() => setComparing(true)} />
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
          {isBlindOpen ? <BlindTestPanel onLeave={leaveBlindTest} /> : <VersionSwitch />}
          {!isBlindOpen && <CopyFailures />}
          <div className="time-view">
            <TimeLanes />
            <Meters />
          </div>
          <div className="lower">
            <SpectrumPanel />
            <Verdict job={job} heard={heard} onHear={playback.choose} />
            <Repairs repairs={report.repairs} warnings={job.warnings} />
            <Decisions report={report} />
          </div>
        </div>
      </main>
      <Transport
        isBlindTestOpen={isBlindOpen}
        blindTestButton={blindTestButton}
        onBlindTest={() => (isBlindOpen ? leaveBlindTest() : setBlindOpen(true))}
      />
      <CompareSheet isOpen={isComparing} onClose={() => setComparing(false)} />
    </>
  )
}

/**
 * Announces the result of a key to screen readers: version, level, loop or step of the blind test. Continuous changes
 * are silent.
 */
function useSpokenChanges(): void {
  const { t, l } = useListenWords()
  const { notices } = useApp()
  const { playback } = useApp()
  const nameOf = useVersionName()
  const nameOfTrack = useTrackName()
  useEffect(() => {
    const ofTest = ({ versions, blindTest: now }: PlaybackState, before: BlindTest | null) => {
      if (!now || now === before || now.isOver) return null
      if (!before || before.isOver) return l.blind.intro(nameOfTrack(versions, now.a), nameOfTrack(versions, now.b))
      if (now.trials !== before.trials) return l.blind.trial(now.trials.length + 1)
      return l.live.hearing(l.blind[now.heard])
    }
    const ofSound = (now: PlaybackState, before: PlaybackState) => {
      const version = now.versions.find((one) => one.id === heardVersion(now))
      if (version) {
        const said = formWords(now, version, nameOf(version), l)
        if (said !== formWords(before, version, nameOf(version), l) || now.version !== before.version) return said
      }
      if (now.levelMode !== before.levelMode || now.service !== before.service) {
        const names = {
          matched: t.transport.matched,
          service: t.transport.asOn(t.platforms[shownService(now)]),
          file: t.transport.file,
        }
        return l.live.level(names[now.levelMode])
      }
      const { loop, isLooping } = now
      if (isLooping === before.isLooping && !(isLooping && loop !== before.loop)) return null
      return isLooping && loop ? l.live.loopOn(clock(loop.startSeconds), clock(loop.endSeconds)) : l.live.loopOff
    }
    return playback.store.subscribe((now, before) => {
      const said = now.blindTest ? ofTest(now, before.blindTest) : ofSound(now, before)
      if (said) notices.announce(said)
    })
  }, [playback, notices, l, t, nameOf, nameOfTrack])
}

/** Returns the sentence for the current or pending form of a version. */
function formWords(state: PlaybackState, { id }: PlaybackVersion, name: string, l: ListenText): string {
  const { codec, making } = state.copies[id] ?? AS_UPLOADED
  if (making) return l.copies.isEncoding(name, copyCodecName(making).full)
  const form = codec && copyCodecName(codec).full
  if (heardDifference(state)) return form ? l.difference.hearingCodec(name, form) : l.difference.hearing(name)
  return form ? l.copies.hearing(name, form) : l.live.hearing(name)
}

/** Least change of the visible duration that is a zoom rather than rounding, s. */
const ZOOM_SECONDS = 1e-6

/** Announces the visible part of the song after a zoom to screen readers; scrolling and following are silent. */
function useSpokenZoom(): void {
  const { l } = useListenWords()
  const { notices } = useApp()
  const { view } = useVisit()
  useEffect(
    () =>
      view.store.subscribe((now, before) => {
        if (Math.abs(lengthOf(now) - lengthOf(before)) < ZOOM_SECONDS) return
        notices.announce(l.timeView.shown(clock(now.startSeconds), clock(now.endSeconds)))
      }),
    [view, notices, l],
  )
}
