/** The Listen screen: hear original and masters at the same place and level, see why they differ, take the files. */
import { useEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { copyCodecName } from '../../../src-contract/codecs.ts'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Report } from '../../../src-contract/report.ts'
import { clock } from '../../../src-contract/text/numbers.ts'
import { Button } from '../../components/button.tsx'
import { SampleNote } from '../../components/sample-note.tsx'
import { createPlayer } from '../../player/player.ts'
import { addressOf } from '../../router.ts'
import { isCuredSample } from '../../sample-song/sample-song.ts'
import { useApp } from '../../state/app-state.ts'
import { AS_UPLOADED } from '../../state/heard-copies.ts'
import { type ListenState, ListenStore } from '../../state/listen.ts'
import { commonRateHz, heardSeconds, type SongVersion, versionsOf } from '../../state/listen-versions.ts'
import { PlayerStore } from '../../state/player.ts'
import {
  type BlindTest,
  heardDifference,
  heardVersion,
  type PlayerState,
  shownService,
} from '../../state/player-state.ts'
import { failureOf } from '../../state/refusal.ts'
import { createTimeView, lengthOf } from '../../state/time-view.ts'
import type { ListenText } from '../../text/listen.en.ts'
import { BlindTestPanel } from './blind-test.tsx'
import { CompareSheet } from './compare.tsx'
import { useListenWords, usePlayer, useTrackName, useVersionName, useVisit, VisitContext } from './context.tsx'
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

const tossCoin = () => (crypto.getRandomValues(new Uint8Array(1))[0] ?? 0) % 2 === 0

/** `detail` is a job, and behind a slash what it is compared with: another job of the song, or `compare` to choose one. */
export default function ListenScreen({ detail }: { detail: string }) {
  const { client, jobs } = useApp()
  const [jobId = '', compared] = detail.split('/')
  const isChoosing = compared === 'compare'
  const otherId = isChoosing ? undefined : compared
  const listen = useMemo(() => new ListenStore({ client, jobId, otherId }), [client, jobId, otherId])
  const state = useStore(listen.store)
  const liveStatus = useStore(jobs.store, ({ byId }) => byId[jobId]?.status)
  // A job that ends while its screen is open becomes audible by itself.
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
  // The job itself says why there is no report.
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
  /** Opens with the choice of another version to compare with. */
  isChoosing: boolean
}

function Listening({ job, report, listen, isChoosing }: ListeningProps) {
  const { client } = useApp()
  const player = useMemo(
    () =>
      new PlayerStore({
        client,
        createPlayer,
        versions: versionsOf(job, report, listen.store.getState().other),
        durationSeconds: heardSeconds(report),
        rateHz: commonRateHz(report),
        tossCoin,
      }),
    [client, job, report, listen],
  )
  useEffect(() => {
    void player.start()
    return player.close
  }, [player])
  const view = useMemo(() => createTimeView(heardSeconds(report)), [report])
  const visit = useMemo(() => ({ job, report, listen, player, view }), [job, report, listen, player, view])
  return (
    <VisitContext value={visit}>
      <Batch isChoosing={isChoosing} />
    </VisitContext>
  )
}

function Batch({ isChoosing }: Pick<ListeningProps, 'isChoosing'>) {
  const { l, say } = useListenWords()
  const { job, report, listen, player, view } = useVisit()
  const siblings = useStore(listen.store, (state) => state.siblings)
  const otherFailure = useStore(listen.store, (state) => state.otherFailure)
  const [isComparing, setComparing] = useState(isChoosing)
  const [isBlindOpen, setBlindOpen] = useState(false)
  const heard = usePlayer((state) => (state.blindTest ? '' : state.version))
  const hasFailed = usePlayer((state) => state.hasFailed)
  useKeys(player, view)
  useSpokenChanges()
  useSpokenZoom()
  const blindTestButton = useRef<HTMLButtonElement>(null)
  const leaveBlindTest = () => {
    setBlindOpen(false)
    player.leaveBlindTest()
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
            <Verdict job={job} heard={heard} onHear={player.choose} />
            <Repairs repairs={report.repairs} warnings={job.warnings} />
            <Decisions decisions={report.decisions} />
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
 * Tells screen readers what a key did: the version that is heard, the level, the loop, a step of the blind test. Nothing that moves
 * by itself.
 */
function useSpokenChanges(): void {
  const { t, l } = useListenWords()
  const { notices } = useApp()
  const { player } = useVisit()
  const nameOf = useVersionName()
  const nameOfTrack = useTrackName()
  useEffect(() => {
    const ofTest = ({ versions, blindTest: now }: PlayerState, before: BlindTest | null) => {
      if (!now || now === before || now.isOver) return null
      if (!before || before.isOver) return l.blind.intro(nameOfTrack(versions, now.a), nameOfTrack(versions, now.b))
      if (now.trials !== before.trials) return l.blind.trial(now.trials.length + 1)
      return l.live.hearing(l.blind[now.heard])
    }
    const ofSound = (now: PlayerState, before: PlayerState) => {
      const version = now.versions.find((one) => one.id === heardVersion(now))
      if (version) {
        const said = formWords(now, version, nameOf(version), l)
        if (said !== formWords(before, version, nameOf(version), l) || now.version !== before.version) return said
      }
      if (now.levelMode !== before.levelMode || now.service !== before.service) {
        const names = {
          matched: l.transport.matched,
          service: l.transport.asOn(t.platforms[shownService(now)]),
          file: l.transport.file,
        }
        return l.live.level(names[now.levelMode])
      }
      const { loop, isLooping } = now
      if (isLooping === before.isLooping && !(isLooping && loop !== before.loop)) return null
      return isLooping && loop ? l.live.loopOn(clock(loop.startSeconds), clock(loop.endSeconds)) : l.live.loopOff
    }
    return player.store.subscribe((now, before) => {
      const said = now.blindTest ? ofTest(now, before.blindTest) : ofSound(now, before)
      if (said) notices.announce(said)
    })
  }, [player, notices, l, t, nameOf, nameOfTrack])
}

/** Returns the sentence that says in which form a version is heard, or is about to be. */
function formWords(state: PlayerState, { id }: SongVersion, name: string, l: ListenText): string {
  const { codec, making } = state.copies[id] ?? AS_UPLOADED
  if (making) return l.copies.isEncoding(name, copyCodecName(making).full)
  const form = codec && copyCodecName(codec).full
  if (heardDifference(state)) return form ? l.difference.hearingCodec(name, form) : l.difference.hearing(name)
  return form ? l.copies.hearing(name, form) : l.live.hearing(name)
}

/** Least change of the shown time that is a zoom and no rounding, s. */
const ZOOM_SECONDS = 1e-6

/** Tells screen readers which part of the song the lanes show after a zoom; scrolling and following are not told. */
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
