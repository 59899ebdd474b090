/** The action bar of the Master screen: the progress of the batch, its price, and the next step. */
import { Download, Pause, Play, SlidersHorizontal } from 'lucide-react'
import { type CSSProperties, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Modal } from '../../components/dialogs.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { type RowKind, type SongRow, tallyOf } from '../../state/song-rows.ts'
import type { Forecast } from '../../state/time-left.ts'
import { useWords } from '../../text/context.tsx'
import type { Text } from '../../text/en.ts'
import { SoundFields } from './sound/sound-column.tsx'
import { MasterTransport } from './transport.tsx'
import type { TransportSong } from './transport-song.ts'
import { useRowActions } from './use-row-actions.ts'
import type { StartControl } from './use-start.ts'

const CELL: Partial<Record<RowKind, string>> = {
  done: 'd',
  below: 'd',
  rendering: 'a',
  failed: 'x',
  refused: 'x',
  cancelled: 'w',
  ready: 'w',
  warning: 'w',
  repeated: 'w',
  analysing: 'w',
  sending: 'w',
  interrupted: 'w',
}

/** Number of songs above which single cells are too thin to tell apart. */
const MOST_CELLS = 24

export interface ActionBarProps {
  rows: readonly SongRow[]
  /** The song of the transport; null without one. */
  song: TransportSong | null
  start: StartControl
  forecast: Forecast
}

export function ActionBar({ rows, song, start, forecast }: ActionBarProps) {
  const { batch, service, notices } = useApp()
  const { saveZips, saveReleases } = useRowActions()
  const { t } = useWords()
  const [isSheetOpen, showSheet] = useState(false)
  const isPaused = useSelect(batch.store, (state) => state.batch?.is_paused ?? false)
  const settings = useSelect(batch.store, (state) => state.batch?.settings)
  const credits = useSelect(service.store, (state) => state.account?.credits)
  const [isSaving, setSaving] = useState(false)
  const tally = tallyOf(rows)
  const toStart = [...start.rowIds, ...start.unmeasured]
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
  const made = rows.filter((row) => (row.kind === 'done' || row.kind === 'below') && row.job && !row.job.expired)
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
    children: isForUpload ? t.actionBar.saveReleases(made.length) : t.actionBar.saveZips(made.length),
  }
  return (
    <footer className={`action-bar ${song ? 'has-transport' : ''}`}>
      {song ? <MasterTransport song={song} /> : <Cells rows={rows} />}
      <Message rows={rows} start={start} batchSeconds={forecast.batch || null} isPaused={isPaused} />
      {count > 0 && (
        <p className="dim price">
          <span className="lg">{t.actionBar.price(count, masters)} · </span>
          <b>{t.actionBar.credits(count)}</b>
          {isTooFew && <span className="c-warn"> {t.actionBar.tooFew(credits)}</span>}
        </p>
      )}
      <Button
        className="sheet-door"
        look="quiet"
        icon={<SlidersHorizontal {...glyph} />}
        onClick={() => showSheet(true)}
      >
        {t.settings.open}
      </Button>
      {(isRunning || isPaused) && (
        <Button
          look="quiet"
          icon={isPaused ? <Play {...glyph} /> : <Pause {...glyph} />}
          whyNot={!isPaused && held.waiting === 0 && t.actionBar.nothingWaits}
          title={isPaused || held.waiting === 0 ? undefined : t.actionBar.wouldHold(held.finishing, held.waiting)}
          onClick={togglePause}
        >
          {isPaused ? t.actionBar.resume : t.actionBar.pause}
        </Button>
      )}
      {isArmed && (
        <Button look="quiet" onClick={start.disarm}>
          {t.actionBar.disarm}
        </Button>
      )}
      {canSave && !isNothingToStart && <Button {...saving} />}
      {isNothingToStart ? (
        <Button look="primary" className="big" {...saving} />
      ) : (
        <Button
          look="primary"
          className="big"
          whyNot={whyNot}
          // A double click counts as one press: the second would start songs with unread warnings.
          onClick={(event) => event.detail < 2 && start.press()}
        >
          {startText(start, t.actionBar)} <kbd>Enter</kbd>
        </Button>
      )}
      <Modal title={t.settings.sheet} shape="sheet" isOpen={isSheetOpen} onClose={() => showSheet(false)}>
        <div className="side sound in-sheet">
          <SoundFields rows={rows} />
        </div>
      </Modal>
    </footer>
  )
}

/** Label of the start button. */
function startText(
  { rowIds, unmeasured, hasWarnings, isAsked, armedCount }: StartControl,
  t: Text['actionBar'],
): string {
  const count = rowIds.length + unmeasured.length
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
  const [strong, weak] = isPaused
    ? [t.actionBar.paused(held.finishing, held.waiting), held.waiting > 0 ? t.actionBar.pausedWhy : '']
    : tally.rendering + tally.queued > 0
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
          : tally.check > 0
            ? listed(said('check', 'done', 'failed', 'cancelled', 'refused'))
            : tally.failed + tally.cancelled + tally.refused > 0
              ? listed(said('done', 'failed', 'cancelled', 'refused'))
              : [tally.done > 0 ? t.actionBar.allDone : '', '']
  return (
    <p className="grow clip">
      <b>{strong}</b> <span className="dim">{weak}</span>
    </p>
  )
}

function Cells({ rows }: { rows: readonly SongRow[] }) {
  const { t } = useWords()
  const tally = tallyOf(rows)
  const label = t.actionBar.batchProgress(tally.done, rows.length)
  if (rows.length > MOST_CELLS) {
    const share = (count: number) => ({ flexGrow: count, flexBasis: 0 }) satisfies CSSProperties
    const bad = tally.failed + tally.refused
    const rest = rows.length - tally.done - tally.rendering - bad
    return (
      <div className="cells many" role="img" aria-label={label}>
        {tally.done > 0 && <i className="d" style={share(tally.done)} />}
        {tally.rendering > 0 && <i className="a" style={{ ...share(tally.rendering), '--p': 50 } as CSSProperties} />}
        {rest > 0 && <i className="w" style={share(rest)} />}
        {bad > 0 && <i className="x" style={share(bad)} />}
      </div>
    )
  }
  return (
    <div className="cells" role="img" aria-label={label}>
      {rows.map((row) => (
        <i
          key={row.rowId}
          className={CELL[row.kind]}
          style={row.kind === 'rendering' ? ({ '--p': row.job?.progress ?? 0 } as CSSProperties) : undefined}
        />
      ))}
    </div>
  )
}
