/** The pane of songs: adding, the row of all songs, and the list. */
import { Plus } from 'lucide-react'
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Cover } from '../../components/cover.tsx'
import { grid } from '../../components/grid-roles.ts'
import { useDragOrder } from '../../components/use-drag-order.ts'
import { useGrowing } from '../../components/use-growing.ts'
import { useOneTabStop } from '../../components/use-one-tab-stop.ts'
import { useRowAnimation } from '../../components/use-row-animation.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { isOwn } from '../../state/scope.ts'
import { NO_SELECTION } from '../../state/selection.ts'
import { isChangedSince, queuePlaces, type SongRow, tallyOf } from '../../state/song-rows.ts'
import type { Forecast } from '../../state/time-left.ts'
import { useWords } from '../../text/context.tsx'
import { StemsQuestion } from '../stage/stems/stems-question.tsx'
import { BatchMenu, OrderMenu } from './list-menus.tsx'
import { SongRowView } from './song-row.tsx'
import { useShownIds } from './use-batch.ts'
import type { DropState } from './use-drop.ts'
import { useListKeys } from './use-list-keys.ts'
import { useRowActions } from './use-row-actions.ts'

interface SongPaneProps {
  rows: readonly SongRow[]
  forecast: Forecast
  drop: DropState
  /** Message in place of the advice next to the button; null without one. */
  note: string | null
  onChoose: () => void
}

export const SongPane = memo(function SongPane({ rows, forecast, drop, note, onChoose }: SongPaneProps) {
  const { t } = useWords()
  return (
    <section className="songpane" aria-label={t.list.pane}>
      <ListHead rows={rows} />
      <fieldset className={`drop ${drop.over ? 'is-over' : ''}`} aria-label={t.drop.label}>
        <Button look="quiet" small icon={<Plus className="i s" aria-hidden="true" />} onClick={onChoose}>
          {t.drop.add}
        </Button>
        <span className="clip" title={t.drop.limits}>
          {note ?? (rows.length === 0 && t.drop.anywhere)}
        </span>
      </fieldset>
      <StemsQuestion />
      {rows.length > 1 && <AllSongsRow rows={rows} />}
      <SongList rows={rows} forecast={forecast} />
    </section>
  )
})

/** Number of songs, and actions on several at once. */
function ListHead({ rows }: { rows: readonly SongRow[] }) {
  const { t } = useWords()
  const tally = tallyOf(rows)
  const tools = useOneTabStop('button', 'row')
  return (
    <div className="listhead" tabIndex={-1}>
      <p className="sec clip">
        {t.songs(rows.length - tally.refused)}
        {tally.done > 0 && <span className="faint"> · {t.list.tally.done(tally.done)}</span>}
        {tally.refused > 0 && <span className="faint"> · {t.list.tally.refused(tally.refused)}</span>}
      </p>
      <span className="grow" />
      <div className="row tight" role="toolbar" aria-label={t.list.pane} {...tools}>
        <OrderMenu rows={rows} />
        <BatchMenu rows={rows} />
      </div>
    </div>
  )
}

/** The row that shows all songs as a table. */
function AllSongsRow({ rows }: { rows: readonly SongRow[] }) {
  const { batch } = useApp()
  const { t, format } = useWords()
  const isShown = useSelect(batch.store, (state) => state.selection.ids.length === 0)
  const seconds = rows.reduce((sum, { song }) => sum + (song?.source.duration_seconds ?? 0), 0)
  return (
    <button
      type="button"
      className="all-songs inset"
      title={t.list.all}
      aria-pressed={isShown}
      onClick={() => {
        batch.select(NO_SELECTION)
        if (location.hash.startsWith('#/listen')) location.hash = '#/'
      }}
    >
      <span className="quad" aria-hidden="true">
        {rows.slice(0, 4).map(({ rowId, song }) => (
          <Cover key={rowId} slices={song?.analysis?.waveform_percent.map((percent) => percent / 100) ?? null} />
        ))}
      </span>
      <b className="grow clip">{t.list.all}</b>
      <span className="faint">{format.duration(seconds)}</span>
    </button>
  )
}

function SongList({ rows, forecast }: Pick<SongPaneProps, 'rows' | 'forecast'>) {
  const { batch } = useApp()
  const { t } = useWords()
  const actions = useRowActions()
  const list = useRef<HTMLDivElement>(null)
  const [activeId, setActiveId] = useState<string | null>(null)
  const selectedIds = useShownIds()
  const isPaused = useSelect(batch.store, (state) => state.batch?.is_paused ?? false)
  const common = useSelect(batch.store, (state) => state.batch?.settings ?? null)
  const places = useMemo(() => queuePlaces(rows), [rows])
  useRowAnimation(list, rows.map((row) => row.rowId).join())
  useListKeys(list, rows, setActiveId)
  const drawn = useGrowing(rows.length)
  useBroughtBack(list, drawn)
  const ids = rows.map((row) => row.rowId)
  useDragOrder(list, ids, { onHold: batch.hold, onMove: batch.move })
  const active = rows.some((row) => row.rowId === activeId) ? activeId : (selectedIds.at(-1) ?? rows[0]?.rowId)
  const isApart = (row: SongRow) => {
    const own = (row.song ?? row.upload)?.settings
    return common !== null && (isOwn(own, common, 'sound') || isOwn(own, common, 'delivery'))
  }
  return (
    <div className="songs" ref={list} {...grid(t.list.label)}>
      {rows.slice(0, drawn).map((row) => (
        <SongRowView
          key={row.rowId}
          row={row}
          actions={actions}
          place={places[row.rowId]}
          startsInSeconds={forecast.starts[row.rowId] ?? null}
          leftSeconds={forecast.left[row.rowId] ?? null}
          isPaused={isPaused}
          isSelected={selectedIds.includes(row.rowId)}
          isActive={row.rowId === active}
          isOwn={isApart(row)}
          isChanged={isChangedSince(row, common)}
        />
      ))}
    </div>
  )
}

/** A song added from another screen is scrolled into view once it is drawn. */
function useBroughtBack(list: React.RefObject<HTMLElement | null>, drawn: number) {
  const { batch } = useApp()
  const rowId = useSelect(batch.store, (state) => state.broughtBackId)
  // biome-ignore lint/correctness/useExhaustiveDependencies: with more rows drawn the song may be among them
  useEffect(() => {
    const row = rowId && list.current?.querySelector(`[data-row="${CSS.escape(rowId)}"]`)
    if (!row) return
    row.scrollIntoView({ block: 'nearest' })
    batch.seen()
  }, [list, rowId, batch, drawn])
}
