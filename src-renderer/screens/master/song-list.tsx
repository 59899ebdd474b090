/** The list of songs: arrow keys, reordering by hand or keyboard, and what can be done with all of them. */
import { ArrowUpDown, Ellipsis } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Menu, type MenuItem } from '../../components/dialogs.tsx'
import { isDelete, isTyping } from '../../components/is-typing.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { SORTS } from '../../state/batch-state.ts'
import { madeWith, queuePlaces, type SongRow, TALLY, tallyOf, titleOf } from '../../state/song-rows.ts'
import type { Forecast } from '../../state/time-left.ts'
import { useWords } from '../../text/context.tsx'
import { SongRowView } from './song-row.tsx'
import { isStarted, useRowActions } from './use-row-actions.ts'
import { useRowAnimation } from './use-row-animation.ts'

export function SongList({ rows, forecast }: { rows: readonly SongRow[]; forecast: Forecast }) {
  const { batch } = useApp()
  const { t } = useWords()
  const actions = useRowActions()
  const list = useRef<HTMLUListElement>(null)
  const [activeId, setActiveId] = useState<string | null>(null)
  const selectedId = useSelect(batch.store, (state) => state.selectedId)
  const isPaused = useSelect(batch.store, (state) => state.batch?.is_paused ?? false)
  const common = useSelect(batch.store, (state) => state.batch?.settings ?? null)
  const places = queuePlaces(rows)
  const tally = tallyOf(rows)
  const warned = rows.filter((row) => row.kind === 'warning')
  const repeated = rows.filter((row) => row.kind === 'repeated').map((row) => row.rowId)
  useRowAnimation(list, rows.map((row) => row.rowId).join())
  useListKeys(list, rows, setActiveId)
  useBroughtBack(list)
  useDragOrder(list, rows)
  const active = rows.some((row) => row.rowId === activeId) ? activeId : rows[0]?.rowId
  return (
    <>
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
      <ul className="songs" ref={list} aria-label={t.list.label}>
        {rows.map((row) => {
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
              isSelected={row.rowId === selectedId}
              isActive={row.rowId === active}
              madeWith={service && service !== 'other' ? t.services[service] : null}
            />
          )
        })}
      </ul>
    </>
  )
}

/** A song can have settings of its own from the moment it is given. */
const canHaveSettings = (row: SongRow) => row.song !== undefined || row.upload?.state !== 'refused'

/** Arrow keys move, Alt with them reorders, Delete removes, Escape leaves the song; a press on a row selects it. */
function useListKeys(
  list: React.RefObject<HTMLUListElement | null>,
  rows: readonly SongRow[],
  onActive: (rowId: string) => void,
) {
  const { batch, notices } = useApp()
  const { t } = useWords()
  const actions = useRowActions()
  const now = useRef({ rows, actions, t })
  now.current = { rows, actions, t }
  useEffect(() => {
    const element = list.current
    if (!element) return
    const rowAt = (target: EventTarget | null) =>
      target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
    const focusRow = (index: number) => {
      const id = now.current.rows[index]?.rowId
      if (id) element.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus()
    }
    const onKey = (event: KeyboardEvent) => {
      const at = rowAt(event.target)
      if (!at || isTyping(event)) return
      const { rows, actions, t } = now.current
      const index = rows.findIndex((row) => row.rowId === at.dataset.row)
      const row = rows[index]
      if (!row) return
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      if (step !== 0 && event.altKey) {
        batch.move(row.rowId, step)
        notices.announce(t.list.moved(titleOf(row), Math.min(rows.length, Math.max(1, index + step + 1))))
      } else if (step !== 0) focusRow(index + step)
      else if (isDelete(event)) {
        actions.remove(row)
        requestAnimationFrame(() => focusRow(Math.min(index, now.current.rows.length - 1)))
      } else if (event.key === ' ' && event.target === at) batch.select(canHaveSettings(row) ? row.rowId : null)
      else if (event.key === 'Escape') batch.select(null)
      else return
      event.preventDefault()
    }
    const onFocus = (event: FocusEvent) => {
      const id = rowAt(event.target)?.dataset.row
      if (id) onActive(id)
    }
    const onClick = (event: MouseEvent) => {
      const at = rowAt(event.target)
      if (!at || (event.target instanceof Element && event.target.closest('button, a'))) return
      const row = now.current.rows.find((one) => one.rowId === at.dataset.row)
      const isSelected = batch.store.getState().selectedId === row?.rowId
      batch.select(row && canHaveSettings(row) && !isSelected ? row.rowId : null)
    }
    element.addEventListener('keydown', onKey)
    element.addEventListener('focusin', onFocus)
    element.addEventListener('click', onClick)
    return () => {
      element.removeEventListener('keydown', onKey)
      element.removeEventListener('focusin', onFocus)
      element.removeEventListener('click', onClick)
    }
  }, [list, batch, notices, onActive])
}

/** A song that was put on the list from another screen is scrolled to. */
function useBroughtBack(list: React.RefObject<HTMLUListElement | null>) {
  const { batch } = useApp()
  const rowId = useSelect(batch.store, (state) => state.broughtBackId)
  useEffect(() => {
    if (!rowId) return
    list.current?.querySelector(`[data-row="${CSS.escape(rowId)}"]`)?.scrollIntoView({ block: 'nearest' })
    batch.seen()
  }, [list, rowId, batch])
}

/** Rows are dragged by their grip; the row moves while it is held, by transform. */
function useDragOrder(list: React.RefObject<HTMLUListElement | null>, rows: readonly SongRow[]) {
  const { batch } = useApp()
  const ids = useRef<string[]>([])
  ids.current = rows.map((row) => row.rowId)
  useEffect(() => {
    const element = list.current
    if (!element) return
    let held: string | null = null
    const onStart = (event: DragEvent) => {
      const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null
      if (!row || !event.dataTransfer) return
      // The system carries masters out of the window, and the page hears of no end.
      if (event.target instanceof Element && event.target.closest('.drag-out')) return
      held = row.dataset.row ?? null
      batch.hold(held)
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData('text/plain', '')
      event.dataTransfer.setDragImage(row, 24, 36)
      row.classList.add('is-held')
    }
    const onOver = (event: DragEvent) => {
      if (!held) return
      event.preventDefault()
      const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-row]') : null
      const over = row?.dataset.row
      // A row that slides to its place only passes below the pointer.
      if (!over || over === held || row.getAnimations().length > 0) return
      const step = ids.current.indexOf(over) - ids.current.indexOf(held)
      batch.move(held, step)
    }
    const onEnd = () => {
      held = null
      batch.hold(null)
      for (const row of element.querySelectorAll('.is-held')) row.classList.remove('is-held')
    }
    element.addEventListener('dragstart', onStart)
    element.addEventListener('dragover', onOver)
    element.addEventListener('dragend', onEnd)
    return () => {
      if (held) batch.hold(null)
      element.removeEventListener('dragstart', onStart)
      element.removeEventListener('dragover', onOver)
      element.removeEventListener('dragend', onEnd)
    }
  }, [list, batch])
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
  const some: MenuItem[] = [
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
