/** A song of the list: cover, title and state, then its length and what was found, in two lines of one height in every state. */
import { Check, CircleX, Ellipsis, GripVertical, TriangleAlert, X } from 'lucide-react'
import { type CSSProperties, memo, type ReactNode, useCallback, useMemo } from 'react'
import type { Source } from '../../../src-contract/app.ts'
import type { Job } from '../../../src-contract/jobs.ts'
import { frequency } from '../../../src-contract/text/numbers.ts'
import { Button } from '../../components/button.tsx'
import { Cover } from '../../components/cover.tsx'
import { Menu } from '../../components/dialogs.tsx'
import { GRID_CELL, GRID_HEADER, gridRow } from '../../components/grid-roles.ts'
import { useApp, usePlayback } from '../../state/app-state.ts'
import { type SongRow, titleOf } from '../../state/song-rows.ts'
import { cutoffOf } from '../../state/stage-facts.ts'
import { useWords } from '../../text/context.tsx'
import type { Text } from '../../text/en.ts'
import { codecName } from '../../text/format.ts'
import { PlaySong } from './play-song.tsx'
import { Percent, RowStatus, type RowStatusProps } from './row-status.tsx'
import { loadedSong } from './song-item.ts'
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

/** Facts about a row that depend on the whole list. */
export interface RowFacts {
  /** Settings of its own in any part. */
  readonly isOwn: boolean
  /** Mastered, with other settings since. */
  readonly isChanged: boolean
}

export interface SongRowProps extends RowStatusProps, RowFacts {
  actions: RowActions
  isSelected: boolean
  isActive: boolean
}

export const SongRowView = memo(function SongRowView(props: SongRowProps) {
  const { row, actions, isSelected, isActive, isChanged, isOwn, ...status } = props
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
  const tags = useTags(row, isOwn)
  const canMove = kind === 'waiting' || kind === 'ready' || kind === 'warning' || kind === 'repeated'
  return (
    <div
      {...gridRow(isSelected)}
      className={`song inset ${kind} ${isBad ? 'bad' : ''} ${isSelected ? 'is-open' : ''} ${canMove ? 'can-move' : ''} ${isHeard ? 'is-heard' : ''}`}
      data-row={row.rowId}
      tabIndex={isActive ? 0 : -1}
      style={
        {
          '--p': kind === 'rendering' ? (job?.progress ?? 0) : kind === 'analysing' ? (row.progress?.percent ?? 0) : 0,
        } as CSSProperties
      }
    >
      <span className="cover-box" {...GRID_CELL}>
        <DragOut jobId={isMade ? job?.job_id : undefined}>
          <Cover
            read={ownCover || source?.has_cover ? readCover : undefined}
            slices={slices}
            isRefused={isBad && !slices}
          />
          <PlaySong look="play-row" row={row} title={title} />
        </DragOut>
      </span>
      <div className="in" {...GRID_HEADER}>
        <div className="l1">
          <span className="ti clip" title={upload?.filename ?? source?.filename}>
            <bdi>{title}</bdi>
          </span>
          <State row={row} isChanged={isChanged} isPaused={status.isPaused} place={status.place} />
        </div>
        <div className="me clip" title={tags.join(' · ')}>
          {tags.map((tag, at) => (
            <span key={tag} className={at > 0 ? 'tg' : undefined}>
              {tag}
            </span>
          ))}
        </div>
        <div className="vh">
          <RowStatus row={row} {...status} />
        </div>
      </div>
      <div className="act" {...GRID_CELL}>
        {canMove && (
          <span className="grip" title={t.list.drag} draggable>
            <GripVertical className="i s" aria-hidden="true" />
          </span>
        )}
        <Menu
          label={`${t.more}: ${title}`}
          items={actions.menu(row)}
          trigger={
            <Button
              look="quiet"
              small
              tabIndex={-1}
              label={`${t.more}: ${title}`}
              icon={<Ellipsis className="i s" aria-hidden="true" />}
            />
          }
        />
        {!['waiting', 'queued', 'rendering'].includes(kind) && (
          <Button
            look="quiet"
            small
            tabIndex={-1}
            label={`${t.remove}: ${title}`}
            icon={<X className="i s" aria-hidden="true" />}
            onClick={() => actions.remove([row])}
          />
        )}
      </div>
    </div>
  )
})

/** The state of a row in a word or a sign; the whole sentence is read out below it. */
function State({
  row,
  isChanged,
  isPaused,
  place,
}: { isChanged: boolean } & Pick<RowStatusProps, 'row' | 'isPaused' | 'place'>) {
  const { t } = useWords()
  const { kind, upload, progress, job } = row
  const word = t.row.state
  const small = { className: 'i s', 'aria-hidden': true } as const
  const shown = (): readonly [ReactNode, string] => {
    switch (kind) {
      case 'sending':
        return [
          upload?.state === 'queued' ? (
            word.waiting
          ) : (
            <Percent key="sent" value={Math.floor((upload?.sent ?? 0) * 100)} />
          ),
          '',
        ]
      case 'analysing':
        return [progress ? <Percent key="measured" value={progress.percent} /> : word.waiting, '']
      case 'rendering':
        return [<Percent key="percent" value={job?.progress ?? 0} />, 'run']
      case 'warning':
        return [
          <>
            <TriangleAlert {...small} />
            {word.check}
          </>,
          'c-warn',
        ]
      case 'waiting':
      case 'queued':
        return [isPaused && kind === 'waiting' ? word.paused : place === 1 ? word.next : (place ?? word.waiting), '']
      case 'done':
      case 'below':
        return isChanged
          ? [word.changed, 'run']
          : [kind === 'done' ? <Check key="done" {...small} /> : <TriangleAlert key="below" {...small} />, '']
      case 'failed':
      case 'refused':
        return [
          <>
            <CircleX {...small} />
            {word[kind]}
          </>,
          'c-bad',
        ]
      case 'repeated':
      case 'interrupted':
      case 'cancelled':
        return [word[kind], kind === 'interrupted' ? 'c-warn' : '']
      default:
        return [null, '']
    }
  }
  const [content, tone] = shown()
  return (
    <span className={`stt ${tone}`} aria-hidden="true">
      {content}
    </span>
  )
}

/** Most facts in the second line of a row. */
const MOST_TAGS = 4

/** Returns facts about a song in a few words each: its length first, its format last. */
export function useTags({ song, upload, job, kind }: SongRow, isOwn: boolean): string[] {
  const { t, format } = useWords()
  const own = isOwn ? [t.row.hasOwnSettings] : []
  if (!song) return [...(upload ? [format.bytes(upload.sizeBytes)] : []), ...own]
  const { source, analysis, mastered_before, job_ids } = song
  const found = analysis?.warnings.flatMap(({ code }) => t.row.tags[code] ?? []) ?? []
  const cutoffHz = cutoffOf(analysis?.warnings)
  const peak = analysis?.true_peak_dbtp ?? 0
  return [
    format.duration(source.duration_seconds),
    ...(peak > 0.05 ? [`${format.signed(peak)} dBTP`] : []),
    ...found,
    ...(cutoffHz ? [t.row.cutoff(frequency(cutoffHz))] : []),
    ...(mastered_before && job_ids.length === 0 ? [t.row.masteredBefore] : []),
    ...(kind === 'done' || kind === 'below' ? mastersOf(job, t) : []),
    formatOf(source, t),
    // Last, because it appears and disappears during use.
  ]
    .slice(0, MOST_TAGS - own.length)
    .concat(own)
}

const mastersOf = (job: Job | undefined, t: Text): string[] => (job?.expired ? [t.history.expired] : [])

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
