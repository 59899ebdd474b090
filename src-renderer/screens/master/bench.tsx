/** The bench: the playing version, its level, and the batch with its next step. */
import { Download, Pause, Play, Repeat, SlidersHorizontal, Volume2, VolumeX } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type CSSProperties, useEffect, useId, useRef, useState } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import { clock, playingTime } from '../../../src-contract/text/numbers.ts'
import { Button } from '../../components/button.tsx'
import { Modal } from '../../components/dialogs.tsx'
import { useOneTabStop } from '../../components/use-one-tab-stop.ts'
import type { PlaybackItem } from '../../playback/state.ts'
import { useApp, usePlayback, useSelect } from '../../state/app-state.ts'
import { type RowKind, type SongRow, tallyOf } from '../../state/song-rows.ts'
import type { Forecast } from '../../state/time-left.ts'
import { useWords } from '../../text/context.tsx'
import type { Text } from '../../text/en.ts'
import { useListenWords, useVersionName } from '../stage/context.tsx'
import { Clock, Level, PlayButton, Steady } from '../transport.tsx'
import { SoundFields } from './sound/sound-column.tsx'
import { useRowActions } from './use-row-actions.ts'
import type { StartControl } from './use-start.ts'
import './bench.css'

interface BenchProps {
  rows: readonly SongRow[]
  /** The item of the play button: the loaded one, else that on the stage. */
  item: PlaybackItem | null
  /** The shown job of each song, which is the one to save; by row. */
  shown: { readonly rowId: string; readonly jobId: string } | null
  start: StartControl
  forecast: Forecast
}

export function Bench({ rows, item, shown, start, forecast }: BenchProps) {
  const { t } = useWords()
  const [isSheetOpen, showSheet] = useState(false)
  const keys = useOneTabStop<HTMLFieldSetElement>('button', 'row')
  return (
    <footer className="action-bar bench">
      {item ? (
        <fieldset className="transport" aria-label={t.transport.label} {...keys}>
          <PlayButton item={item} />
          <Clock item={item} length={playingTime(item.durationSeconds)} />
          <Sounding item={item} />
          <LoopButton item={item} />
        </fieldset>
      ) : (
        <span className="transport" />
      )}
      {item ? (
        <div className="bench-level">
          <Level item={item} isWide />
          <Volume />
        </div>
      ) : (
        <span />
      )}
      <Batch rows={rows} shown={shown} start={start} forecast={forecast}>
        <Button
          className="sheet-door"
          look="quiet"
          icon={<SlidersHorizontal className="i" aria-hidden="true" />}
          onClick={() => showSheet(true)}
        >
          {t.settings.open}
        </Button>
      </Batch>
      <Modal title={t.settings.sheet} shape="sheet" isOpen={isSheetOpen} onClose={() => showSheet(false)}>
        <div className="side sound in-sheet">
          <SoundFields rows={rows} />
        </div>
      </Modal>
    </footer>
  )
}

/** Song and version that play, or would. */
function Sounding({ item }: { item: PlaybackItem }) {
  const { t } = useWords()
  const { l } = useListenWords()
  const { auditions } = useApp()
  const nameOf = useVersionName()
  const isThis = usePlayback((state) => state.item?.kind === item.kind && state.item.id === item.id)
  const version = usePlayback((state) =>
    state.blindTest ? undefined : state.versions.find(({ id }) => id === state.version),
  )
  const isAsking = useSelect(auditions.store, (state) => state.isAsking)
  const shown = isThis ? version : item.versions.find(({ id }) => id === item.first.version)
  const isEstimate = shown?.kind === 'audition' && (isAsking || !shown.isExact)
  const name = shown ? nameOf(shown) : l.blind.title
  return (
    <div className="sounding" data-version={shown?.id}>
      <bdi className="clip" title={item.title}>
        {item.title}
      </bdi>
      <span className="clip sound-name" title={isEstimate ? t.transport.estimate : undefined}>
        {isEstimate ? `${name} ≈` : name}
      </span>
    </div>
  )
}

function LoopButton({ item: { durationSeconds } }: { item: PlaybackItem }) {
  const { l } = useListenWords()
  const { playback } = useApp()
  const loop = usePlayback((state) => state.loop)
  const isLooping = usePlayback((state) => state.isLooping)
  // 0 is as wide as any digit.
  const end = clock(durationSeconds).replace(/\d/g, '0')
  const text = loop ? l.transport.loop(clock(loop.startSeconds), clock(loop.endSeconds)) : l.transport.loopOff
  return (
    <button
      type="button"
      className="btn sm quiet loopbtn"
      aria-pressed={isLooping}
      aria-label={text}
      title={l.transport.loopHint}
      onClick={playback.loop.toggle}
    >
      <Repeat className="i s" aria-hidden="true" />
      <span className="lg">
        <Steady text={loop ? `${clock(loop.startSeconds)}–${clock(loop.endSeconds)}` : ''} others={[`${end}–${end}`]} />
      </span>
    </button>
  )
}

function Volume() {
  const { l } = useListenWords()
  const { playback } = useApp()
  const volume = usePlayback((state) => state.volume)
  const isMuted = usePlayback((state) => state.isMuted)
  const id = useId()
  const Icon = isMuted || volume === 0 ? VolumeX : Volume2
  const field = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isOpen) field.current?.focus()
  }, [isOpen])
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button type="button" className="btn quiet icon" aria-label={l.transport.volume} title={l.transport.volume}>
          <Icon className="i" aria-hidden="true" />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="menu volume" side="top" sideOffset={8} collisionPadding={8}>
          <div className="field">
            <label className="label" htmlFor={id}>
              {l.transport.volume} <output htmlFor={id}>{isMuted ? 0 : volume}</output>
            </label>
            <input
              ref={field}
              id={id}
              type="range"
              min={0}
              max={100}
              value={isMuted ? 0 : volume}
              style={{ '--v': isMuted ? 0 : volume } as CSSProperties}
              onChange={(event) => playback.adjust({ volume: event.currentTarget.valueAsNumber, isMuted: false })}
              onDoubleClick={() => playback.adjust({ volume: 100, isMuted: false })}
            />
            <label className="row">
              <input type="checkbox" checked={isMuted} onChange={() => playback.adjust({ isMuted: !isMuted })} />
              {l.transport.mute}
            </label>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface BatchProps extends Omit<BenchProps, 'item'> {
  children: React.ReactNode
}

/** The batch: its progress, its price, and the next step. */
function Batch({ rows, shown, start, forecast, children }: BatchProps) {
  const { batch, service, notices } = useApp()
  const { saveZips, saveReleases } = useRowActions()
  const { t } = useWords()
  const { jobs } = useApp()
  const isPaused = useSelect(batch.store, (state) => state.batch?.is_paused ?? false)
  const settings = useSelect(batch.store, (state) => state.batch?.settings)
  const credits = useSelect(service.store, (state) => state.account?.credits)
  const shownJob = useSelect(jobs.store, ({ byId }) => byId[shown?.jobId ?? ''])
  const [isSaving, setSaving] = useState(false)
  const tally = tallyOf(rows)
  const toStart = [...start.rowIds, ...start.unmeasured, ...start.changedIds]
  const count = toStart.length
  const isArmed = start.armedCount > 0
  const chosen = new Set(toStart)
  const masters = rows
    .filter((row) => chosen.has(row.rowId))
    .reduce((sum, row) => sum + (((row.song ?? row.upload)?.settings ?? settings)?.platforms.length ?? 0), 0)
  const isRunning = tally.rendering + tally.queued > 0
  const held = heldBy(rows)
  const togglePause = () => {
    notices.announce(isPaused ? t.actionBar.resumed : t.actionBar.paused(held.finishing, held.waiting))
    void batch.setPaused(!isPaused)
  }
  const made = rows
    .filter((row) => (row.kind === 'done' || row.kind === 'below') && row.job && !row.job.expired)
    .map((row) => (row.rowId === shown?.rowId && shownJob ? { ...row, job: shownJob } : row))
  const canSave = made.length > 0 && !isRunning
  // Songs still being read may soon be ready: the start button keeps its place.
  const isNothingToStart = canSave && count === 0 && tally.reading === 0
  const isTooFew = credits !== undefined && credits < count
  const whyNot =
    count === 0
      ? t.actionBar.whyNot[isArmed ? 'armed' : 'none']
      : credits === 0
        ? t.actionBar.whyNot.credits
        : undefined
  const isForUpload = made.length > 0 && made.every(({ job }) => job?.release)
  const saveAll = async () => {
    setSaving(true)
    await (isForUpload ? saveReleases(made) : saveZips(made))
    setSaving(false)
  }
  const glyph = { className: 'i', 'aria-hidden': true } as const
  const saving = {
    icon: <Download {...glyph} />,
    busyText: isSaving && t.saving,
    onClick: () => void saveAll(),
    title: savedNames(made.flatMap(({ job }) => job ?? [])),
    children: isForUpload ? t.actionBar.saveReleases(made.length) : t.actionBar.saveZips(made.length),
  }
  return (
    <div className="batch">
      <Message rows={rows} start={start} batchSeconds={forecast.batch || null} isPaused={isPaused} />
      {children}
      {(isRunning || isPaused) && (
        <Button
          look="quiet"
          icon={isPaused ? <Play {...glyph} /> : <Pause {...glyph} />}
          label={isPaused ? t.actionBar.resume : t.actionBar.pause}
          whyNot={!isPaused && held.waiting === 0 && t.actionBar.nothingWaits}
          title={isPaused || held.waiting === 0 ? undefined : t.actionBar.wouldHold(held.finishing, held.waiting)}
          onClick={togglePause}
        />
      )}
      {isArmed && (
        <Button look="quiet" onClick={start.disarm}>
          {t.actionBar.disarm}
        </Button>
      )}
      {isNothingToStart ? (
        <Button look="primary" className="big" {...saving} />
      ) : (
        <Button
          look="primary"
          className="big"
          whyNot={whyNot}
          title={count > 0 ? t.actionBar.price(count, masters) : undefined}
          // A double click counts as one press: the second would start songs with unread warnings.
          onClick={(event) => event.detail < 2 && start.press()}
        >
          {startText(start, t.actionBar)}
          {count > 0 && (
            <span className="price">
              {' · '}
              {t.actionBar.credits(count)}
              {isTooFew && <span className="vh"> {t.actionBar.tooFew(credits)}</span>}
            </span>
          )}
        </Button>
      )}
    </div>
  )
}

/** Titles of what is saved, one in a line. */
const savedNames = (jobs: readonly Job[]): string => jobs.map(({ title }) => title).join('\n')

/** Label of the start button. */
function startText(
  { rowIds, unmeasured, changedIds, hasWarnings, isAsked, armedCount }: StartControl,
  t: Text['actionBar'],
): string {
  const count = rowIds.length + unmeasured.length
  if (count === 0 && changedIds.length > 0) return t.masterAgain(changedIds.length)
  if (count === 0) return armedCount > 0 ? t.armed : t.start(0)
  if (hasWarnings) return isAsked ? t.startAnyway(count) : t.startWarned(count)
  return rowIds.length === 0 ? t.startMeasured(count) : t.start(count)
}

/** Songs that a pause lets finish (already submitted), and songs that it holds (waiting). */
function heldBy(rows: readonly SongRow[]): { finishing: number; waiting: number } {
  const of = (...kinds: RowKind[]) => rows.filter((row) => kinds.includes(row.kind)).length
  return { finishing: of('rendering', 'queued'), waiting: of('waiting') }
}

interface MessageProps {
  rows: readonly SongRow[]
  start: StartControl
  batchSeconds: number | null
  isPaused: boolean
}

function Message({ rows, start, batchSeconds, isPaused }: MessageProps) {
  const { t } = useWords()
  const tally = tallyOf(rows)
  const held = heldBy(rows)
  const warned = rows.filter((row) => row.kind === 'warning').length
  const said = (...parts: (keyof typeof tally)[]) =>
    parts.filter((part) => tally[part] > 0).map((part) => t.list.tally[part](tally[part]))
  const listed = ([first = '', ...others]: readonly string[]) => [
    others.length > 0 ? `${first},` : first,
    others.join(', '),
  ]
  const isUnderWay = tally.rendering + tally.queued > 0
  const [strong, weak] = isPaused
    ? [t.actionBar.paused(held.finishing, held.waiting), held.waiting > 0 ? t.actionBar.pausedWhy : '']
    : isUnderWay
      ? batchSeconds === null
        ? listed(said('rendering', 'queued'))
        : [t.actionBar.left(batchSeconds), t.actionBar.forStarted]
      : start.rowIds.length > 0
        ? start.hasWarnings
          ? start.isAsked
            ? [t.actionBar.asked(warned), t.actionBar.askedHow]
            : [t.actionBar.checkFirst, '']
          : listed([
              t.actionBar.readyToStart,
              ...(start.unmeasured.length > 0 ? [t.actionBar.measuredLater(start.unmeasured.length)] : []),
              ...(warned > 0 ? [t.actionBar.leftOut(warned)] : []),
            ])
        : tally.reading > 0
          ? start.armedCount > 0
            ? [t.actionBar.startsMeasured(start.armedCount), '']
            : [t.actionBar.reading, '']
          : start.changedIds.length > 0
            ? [t.actionBar.changed(start.changedIds.length), '']
            : tally.check > 0
              ? listed(said('check', 'done', 'failed', 'cancelled', 'refused'))
              : tally.failed + tally.cancelled + tally.refused > 0
                ? listed(said('done', 'failed', 'cancelled', 'refused'))
                : [tally.done > 0 ? t.actionBar.allDone : '', '']
  const ended = tally.done + tally.failed + tally.cancelled
  const all = ended + tally.rendering + tally.queued
  const running = rows.find(({ kind }) => kind === 'rendering')?.job?.progress ?? 0
  const percent = all > 0 ? (100 * ended + running) / all : 0
  return (
    <div className="batch-said">
      <p className="two-lines">
        <b>{strong}</b> <span className="dim">{weak}</span>
      </p>
      {isUnderWay && (
        <span
          className="pr"
          role="img"
          aria-label={t.actionBar.batchProgress(tally.done, rows.length)}
          style={{ '--p': percent } as CSSProperties}
        />
      )}
    </div>
  )
}
