/** A song of the batch. Its place and height stay the same in every state. */
import { Download, Ellipsis, GripVertical, Headphones, Pause, Play, RotateCcw, X } from 'lucide-react'
import { type CSSProperties, memo, type ReactNode, useCallback, useMemo } from 'react'
import type { Source } from '../../../src-contract/app.ts'
import { Button } from '../../components/button.tsx'
import { Cover } from '../../components/cover.tsx'
import { Menu } from '../../components/dialogs.tsx'
import { GRID_CELL, GRID_HEADER, gridRow } from '../../components/grid-roles.ts'
import { addressOf } from '../../router.ts'
import { useApp, usePlayback } from '../../state/app-state.ts'
import { type SongRow, titleOf } from '../../state/song-rows.ts'
import { useWords } from '../../text/context.tsx'
import type { Text } from '../../text/en.ts'
import { codecName } from '../../text/format.ts'
import { RowStatus, type RowStatusProps } from './row-status.tsx'
import { SongWaveform } from './song-waveform.tsx'
import { itemOf, loadedSong } from './transport-song.ts'
import type { RowActions } from './use-row-actions.ts'

/** Format of a song in musicians' terms, as far as known: FLAC 24/48, MP3 128 kbit/s, WAV 44.1 kHz. */
export function formatOf(
  source: Pick<Source, 'codec' | 'sample_rate_hz' | 'channels' | 'bit_depth' | 'bit_rate_bps'>,
  t: Text,
): string {
  const name = codecName(source.codec, t.codecs)
  const rate = String(source.sample_rate_hz / 1000)
  const detail = source.bit_depth
    ? `${source.bit_depth}/${rate}`
    : source.bit_rate_bps
      ? t.row.kbits(Math.round(source.bit_rate_bps / 1000))
      : `${rate} kHz`
  return `${name} ${detail}${source.channels === 1 ? `, ${t.row.mono}` : ''}`
}

export interface SongRowProps extends RowStatusProps {
  actions: RowActions
  isSelected: boolean
  isActive: boolean
  /** Name of the service that made the song; null if unknown. */
  madeWith: string | null
}

export const SongRowView = memo(function SongRowView(props: SongRowProps) {
  const { row, actions, isSelected, isActive, madeWith } = props
  const { t } = useWords()
  const { client } = useApp()
  const { song, upload, job, kind } = row
  const source = song?.source
  const title = titleOf(row)
  const sourceId = source?.source_id
  const ownCover = song?.cover?.sha256
  const readCover = useCallback(async () => {
    const name = ownCover ? 'readDeskCover' : 'readSourceCover'
    const response = await client.open(name, { params: { source_id: sourceId ?? '' } })
    return response.blob()
  }, [client, sourceId, ownCover])
  const isHeard = usePlayback((state) => loadedSong(state) === row.rowId)
  const isMade = kind === 'done' || kind === 'below'
  const isBad = kind === 'refused' || kind === 'failed'
  const peaks = song?.analysis?.waveform_percent
  const slices = useMemo(() => peaks?.map((percent) => percent / 100) ?? null, [peaks])
  const parts = useParts(row, madeWith)
  const canMove = kind === 'waiting' || kind === 'ready' || kind === 'warning' || kind === 'repeated'
  const known = kind === 'sending' ? (upload?.sent ?? 0) * 100 : (row.progress?.percent ?? 0)
  const mastered = isMade ? 100 : kind === 'rendering' ? (job?.progress ?? 0) : 0
  return (
    <div
      {...gridRow(isSelected)}
      className={`song ${kind} ${isBad ? 'bad' : ''} ${isSelected ? 'is-open' : ''} ${canMove ? 'can-move' : ''} ${isHeard ? 'is-heard' : ''}`}
      data-row={row.rowId}
      tabIndex={isActive ? 0 : -1}
      style={{ '--p': job?.progress ?? 0 } as CSSProperties}
    >
      <span className="grip" title={canMove ? t.list.drag : undefined} draggable={canMove}>
        <GripVertical className="i s" aria-hidden="true" />
      </span>
      <span className="cover-box" {...GRID_CELL}>
        <DragOut jobId={isMade ? job?.job_id : undefined}>
          <Cover
            read={ownCover || source?.has_cover ? readCover : undefined}
            slices={slices}
            isRefused={isBad && !slices}
          />
          <PlayRow row={row} title={title} />
        </DragOut>
      </span>
      <div className="grow" {...GRID_HEADER}>
        <div className="ti clip" title={upload?.filename ?? source?.filename}>
          <bdi>{title}</bdi>
        </div>
        <div className="me clip">{parts.join(' · ')}</div>
      </div>
      {isBad && !slices ? (
        <span className="wave" />
      ) : (
        <SongWaveform
          key={kind === 'sending' ? 'sent' : 'drawn'}
          rowId={row.rowId}
          slices={slices}
          mastered={mastered}
          known={known}
        />
      )}
      <RowStatus {...props} />
      <div className="act" {...GRID_CELL}>
        <RowButtons row={row} actions={actions} title={title} />
      </div>
    </div>
  )
})

/** Plays or pauses the song of a row. The keyboard's equivalent is Shift with Space on the row. */
function PlayRow({ row, title }: { row: SongRow; title: string }) {
  const { playback } = useApp()
  const { t } = useWords()
  const isPlaying = usePlayback((state) => state.isPlaying && loadedSong(state) === row.rowId)
  const song = itemOf(row)
  if (!song) return null
  const Icon = isPlaying ? Pause : Play
  return (
    <button
      type="button"
      className="play-row"
      tabIndex={-1}
      aria-label={`${isPlaying ? t.transport.pause : t.transport.play}: ${title}`}
      onClick={() => playback.toggle(song)}
    >
      <Icon className="i s" aria-hidden="true" />
    </button>
  )
}

/** Returns the facts below a song's title. */
function useParts({ song, upload }: SongRow, madeWith: string | null): string[] {
  const { t, format } = useWords()
  const source = song?.source
  const own = (settings: unknown) => (settings ? t.row.hasOwnSettings : null)
  const parts = source
    ? [format.duration(source.duration_seconds), own(song.settings), formatOf(source, t), madeWith]
    : [upload ? format.bytes(upload.sizeBytes) : null, own(upload?.settings)]
  return parts.flatMap((part) => part || [])
}

/** On the desktop the finished masters can be dragged out of the window by the cover. */
function DragOut({ jobId, children }: { jobId: string | undefined; children: ReactNode }) {
  const { t } = useWords()
  const bridge = window.loudsmith
  if (!bridge || !jobId) return children
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keyboard's equivalent of dragging out is "Show in folder" in the menu
    <span
      className="drag-out"
      draggable
      title={t.prefs.desktop.dragOut}
      onDragStart={(event) => {
        event.preventDefault()
        event.stopPropagation()
        bridge.dragMasters(jobId)
      }}
    >
      {children}
    </span>
  )
}

const glyph = { className: 'i s', 'aria-hidden': true } as const

interface RowButtonsProps {
  readonly row: SongRow
  readonly actions: RowActions
  readonly title: string
}

/**
 * Buttons of a row by its kind. Each has a React key: a button that replaces another must not inherit its focus and
 * thus the next press.
 */
function RowButtons(props: RowButtonsProps) {
  const { row, actions } = props
  const remove = <RemoveButton key="remove" {...props} />
  const more = <MoreButton key="more" {...props} />
  switch (row.kind) {
    case 'warning':
      return (
        <>
          <ReplaceButton key="replace" {...props} />
          <UseButton key="use" {...props} />
          {remove}
        </>
      )
    case 'repeated':
      return (
        <>
          {more}
          <UseButton key="use" {...props} />
          {remove}
        </>
      )
    case 'interrupted':
      return (
        <>
          <ChooseButton key="choose" {...props} />
          {remove}
        </>
      )
    case 'ready':
      return (
        <>
          {more}
          {remove}
        </>
      )
    case 'waiting':
    case 'queued':
    case 'rendering':
      return (
        <>
          {row.kind !== 'rendering' && more}
          <CancelButton key="cancel" {...props} />
        </>
      )
    case 'done':
    case 'below':
      return (
        <>
          <ListenLink key="listen" {...props} />
          <ZipButton key="zip" {...props} />
          {more}
        </>
      )
    case 'failed':
    case 'cancelled':
      return (
        <>
          {actions.canRetry(row) ? (
            <PaidRetryButton key="retry" {...props} />
          ) : (
            <ReplaceButton key="replace" {...props} />
          )}
          {remove}
        </>
      )
    case 'refused':
      return (
        <>
          {actions.canRetry(row) && <RetryButton key="retry" {...props} />}
          {row.song && !actions.canRetry(row) && <ReplaceButton key="replace" {...props} />}
          {remove}
        </>
      )
    default:
      return remove
  }
}

function RemoveButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button
      look="quiet"
      small
      label={`${t.remove}: ${title}`}
      icon={<X {...glyph} />}
      onClick={() => actions.remove([row])}
    />
  )
}

function MoreButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  const label = `${t.more}: ${title}`
  return (
    <Menu
      label={label}
      items={actions.menu(row)}
      trigger={<Button look="quiet" small label={label} icon={<Ellipsis {...glyph} />} />}
    />
  )
}

function CancelButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button
      look="quiet"
      small
      label={`${t.cancel}: ${title}`}
      icon={<X {...glyph} />}
      onClick={() => actions.cancel(row)}
    />
  )
}

function ReplaceButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button small onClick={() => actions.replace(row)} aria-label={`${t.row.replace}: ${title}`}>
      {t.row.replace}
    </Button>
  )
}

function UseButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button small onClick={() => actions.accept(row)} aria-label={`${t.row.useIt}: ${title}`}>
      {t.row.useIt}
    </Button>
  )
}

function ChooseButton({ actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button small onClick={actions.giveAgain} aria-label={`${t.drop.choose}: ${title}`}>
      {t.drop.choose}
    </Button>
  )
}

function RetryButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button small onClick={() => actions.retry([row])} aria-label={`${t.retry}: ${title}`}>
      {t.retry}
    </Button>
  )
}

function PaidRetryButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button
      small
      icon={<RotateCcw {...glyph} />}
      onClick={() => actions.retry([row])}
      aria-label={`${t.retry} ${t.actionBar.credits(1)}: ${title}`}
    >
      {t.retry} <span className="faint">{t.actionBar.credits(1)}</span>
    </Button>
  )
}

function ListenLink({ row, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <a
      className="btn sm"
      href={addressOf('listen', row.job?.job_id)}
      aria-label={`${t.row.listen}: ${title}`}
      draggable={false}
    >
      <Headphones {...glyph} />
      {t.row.listen}
    </a>
  )
}

function ZipButton({ row, actions, title }: RowButtonsProps) {
  const { t } = useWords()
  return (
    <Button
      look="quiet"
      small
      label={`${t.row.saveZip}: ${title}`}
      icon={<Download {...glyph} />}
      onClick={() => actions.saveZip(row)}
    />
  )
}
