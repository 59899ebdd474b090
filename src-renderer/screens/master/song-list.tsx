/** The list of songs: manual order, and actions on all of them. */
import { ArrowUpDown, Ellipsis } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { MAX_RELEASE_TRACKS } from '../../../src-contract/limits.ts'
import { Button } from '../../components/button.tsx'
import { Menu, type MenuItem } from '../../components/dialogs.tsx'
import { grid } from '../../components/grid-roles.ts'
import { useDragOrder } from '../../components/use-drag-order.ts'
import { useGrowing } from '../../components/use-growing.ts'
import { useRowAnimation } from '../../components/use-row-animation.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { SORTS } from '../../state/batch-state.ts'
import { madeWith, queuePlaces, type SongRow, TALLY, tallyOf, titleOf } from '../../state/song-rows.ts'
import type { Forecast } from '../../state/time-left.ts'
import { useWords } from '../../text/context.tsx'
import { useReleaseOfSongs } from '../use-release-of.ts'
import { SongRowView } from './song-row.tsx'
import { useListKeys } from './use-list-keys.ts'
import { isStarted, useRowActions } from './use-row-actions.ts'

export function SongList({ rows, forecast }: { rows: readonly SongRow[]; forecast: Forecast }) {
  const { batch } = useApp()
  const { t } = useWords()
  const actions = useRowActions()
  const list = useRef<HTMLDivElement>(null)
  const [activeId, setActiveId] = useState<string | null>(null)
  const selectedIds = useSelect(batch.store, (state) => state.selection.ids)
  const isPaused = useSelect(batch.store, (state) => state.batch?.is_paused ?? false)
  const common = useSelect(batch.store, (state) => state.batch?.settings ?? null)
  const places = queuePlaces(rows)
  useRowAnimation(list, rows.map((row) => row.rowId).join())
  useListKeys(list, rows, setActiveId)
  const drawn = useGrowing(rows.length)
  useBroughtBack(list, drawn)
  const ids = rows.map((row) => row.rowId)
  useDragOrder(list, ids, { onHold: batch.hold, onMove: batch.move })
  const active = rows.some((row) => row.rowId === activeId) ? activeId : rows[0]?.rowId
  return (
    <>
      <ListHead rows={rows} />
      <div className="songs" ref={list} {...grid(t.list.label)}>
        {rows.slice(0, drawn).map((row) => {
          const service = madeWith(row, common)?.ai_service
          return (
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
              madeWith={service && service !== 'other' ? t.services[service] : null}
            />
          )
        })}
      </div>
    </>
  )
}

/** Number of songs by state, and actions on several at once. */
function ListHead({ rows }: { rows: readonly SongRow[] }) {
  const { batch } = useApp()
  const { t } = useWords()
  const tally = tallyOf(rows)
  const warned = rows.filter((row) => row.kind === 'warning')
  const repeated = rows.filter((row) => row.kind === 'repeated').map((row) => row.rowId)
  return (
    <div className="listhead" tabIndex={-1}>
      <h2 className="sec">{t.songs(rows.length)}</h2>
      <span className="label clip">
        {TALLY.filter((word) => tally[word] > 0)
          .map((word) => t.list.tally[word](tally[word]))
          .join(', ')}
      </span>
      <span className="grow" />
      {repeated.length > 1 && (
        <Button look="quiet" small onClick={() => batch.remove(repeated, t.list.removedMany(repeated.length))}>
          {t.list.removeRepeated(repeated.length)}
        </Button>
      )}
      {warned.length > 1 && tally.ready > 0 && (
        <Button look="quiet" small onClick={() => batch.marks.accept(warned.map((row) => row.rowId))}>
          {t.list.acceptAll(warned.length)}
        </Button>
      )}
      <OrderMenu rows={rows} />
      <BatchMenu rows={rows} />
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

function OrderMenu({ rows }: { rows: readonly SongRow[] }) {
  const { batch } = useApp()
  const { t, language } = useWords()
  const chosen = useSelect(batch.store, (state) => state.sort)
  const added = (row: SongRow) => row.song?.source.created_at ?? '9'
  const length = (row: SongRow) => row.song?.source.duration_seconds ?? 0
  const orders = {
    added: (a: SongRow, b: SongRow) => added(a).localeCompare(added(b)),
    title: (a: SongRow, b: SongRow) => titleOf(a).localeCompare(titleOf(b), language, { numeric: true }),
    length: (a: SongRow, b: SongRow) => length(a) - length(b),
  }
  const texts = { added: t.list.order, title: t.list.orderTitle, length: t.list.orderLength }
  const items = SORTS.map((sort) => ({
    text: texts[sort],
    isChosen: sort === chosen,
    onChoose: () =>
      batch.arrange(
        [...rows].sort(orders[sort]).map((row) => row.rowId),
        sort,
      ),
  }))
  return (
    <Menu
      label={t.list.orderMenu}
      items={items}
      trigger={
        <Button
          look="quiet"
          small
          icon={<ArrowUpDown className="i s" aria-hidden="true" />}
          aria-label={[t.list.orderMenu, chosen && texts[chosen]].filter(Boolean).join(': ')}
        >
          <span className="lg">{chosen ? texts[chosen] : t.list.orderMenu}</span>
        </Button>
      }
    />
  )
}

function BatchMenu({ rows }: { rows: readonly SongRow[] }) {
  const { batch } = useApp()
  const { saveZips, canRetry, retry } = useRowActions()
  const { t } = useWords()
  const of = (...kinds: SongRow['kind'][]) => rows.filter((row) => kinds.includes(row.kind))
  const ids = (list: readonly SongRow[]) => list.map((row) => row.rowId)
  const ended = of('done', 'below', 'failed', 'cancelled', 'refused')
  const repeatable = of('failed', 'cancelled', 'refused').filter(canRetry)
  const made = of('done', 'below').filter((row) => !row.job?.expired)
  const makeRelease = useReleaseOfSongs()
  const selectedIds = useSelect(batch.store, (state) => state.selection.ids)
  const meant = selectedIds.length > 1 ? rows.filter((row) => selectedIds.includes(row.rowId)) : rows
  const songs = meant.flatMap((row) => row.song ?? []).slice(0, MAX_RELEASE_TRACKS)
  const some: MenuItem[] = [
    ...(songs.length > 0
      ? [{ text: t.release.makeOfCount(songs.length), onChoose: () => void makeRelease(songs) }]
      : []),
    ...(repeatable.length > 0
      ? [
          {
            text: t.list.retry(repeatable.length, repeatable.filter(isStarted).length),
            onChoose: () => retry(repeatable),
          },
        ]
      : []),
    ...(made.length > 0
      ? [
          {
            text: t.list.saveAll,
            onChoose: () => void saveZips(made),
          },
        ]
      : []),
    ...(ended.length > 0
      ? [{ text: t.list.clearEnded, onChoose: () => batch.remove(ids(ended), t.list.removedMany(ended.length)) }]
      : []),
  ]
  const items: (MenuItem | null)[] = [
    ...some,
    ...(some.length > 0 ? [null] : []),
    {
      text: t.list.removeAll,
      isDanger: true,
      onChoose: () => batch.remove(ids(rows), t.list.removedMany(rows.length)),
    },
  ]
  return (
    <Menu
      label={t.list.batchActions}
      items={items}
      trigger={
        <Button look="quiet" small label={t.list.batchActions} icon={<Ellipsis className="i s" aria-hidden="true" />} />
      }
    />
  )
}
