/** Selecting and moving songs in the list, by pointer and keyboard, as in any list with an inspector. */
import { type RefObject, useEffect, useRef } from 'react'
import { isDelete, isTyping, keyOf } from '../../components/is-typing.ts'
import { useApp } from '../../state/app-state.ts'
import { NO_SELECTION, type SelectionMode, selected } from '../../state/selection.ts'
import { type SongRow, titleOf } from '../../state/song-rows.ts'
import { useWords } from '../../text/context.tsx'
import { itemOf } from './song-item.ts'
import { useRowActions } from './use-row-actions.ts'

/** A song can have its own settings as soon as it is added. */
const canHaveSettings = (row: SongRow) => row.song !== undefined || row.upload?.state !== 'refused'

const hasModifier = ({ ctrlKey, metaKey }: Pick<MouseEvent, 'ctrlKey' | 'metaKey'>) => ctrlKey || metaKey
const modeOf = (event: Pick<MouseEvent, 'ctrlKey' | 'metaKey' | 'shiftKey'>): SelectionMode =>
  event.shiftKey ? 'range' : hasModifier(event) ? 'toggle' : 'only'

/** Returns the target row of a key; undefined for other keys. Pure. */
export function placeAfter(key: string, index: number, count: number): number | undefined {
  const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: count - 1 }[key]
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to))
}

/**
 * Arrow keys, Home and End move and select: with Shift a range, with Ctrl or ⌘ the focus alone. Alt with an arrow reorders, Ctrl or ⌘ with
 * A selects all, with Space one more; Delete removes. A double click plays.
 */
export function useListKeys(
  list: RefObject<HTMLElement | null>,
  rows: readonly SongRow[],
  onActive: (rowId: string) => void,
): void {
  const { batch, notices, playback } = useApp()
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
    const choose = (row: SongRow | undefined, mode: SelectionMode) => {
      const eligible = now.current.rows.filter(canHaveSettings).map(({ rowId }) => rowId)
      const { selection } = batch.store.getState()
      if (row && eligible.includes(row.rowId)) batch.select(selected(selection, row.rowId, mode, eligible))
      else if (mode === 'only') batch.select(NO_SELECTION)
    }
    const move = (event: KeyboardEvent, index: number, to: number) => {
      const { rows, t } = now.current
      const row = rows[index]
      if (row && event.altKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
        batch.move(row.rowId, event.key === 'ArrowDown' ? 1 : -1)
        notices.announce(t.list.moved(titleOf(row), to + 1))
        return
      }
      focusRow(to)
      if (!hasModifier(event)) choose(rows[to], modeOf(event))
    }
    const remove = (row: SongRow, index: number) => {
      const { rows, actions } = now.current
      const { ids } = batch.store.getState().selection
      const chosen = ids.includes(row.rowId) ? rows.filter(({ rowId }) => ids.includes(rowId)) : [row]
      actions.remove(chosen)
      requestAnimationFrame(() => focusRow(Math.min(index, now.current.rows.length - 1)))
    }
    const onKey = (event: KeyboardEvent) => {
      const at = rowAt(event.target)
      if (!at || isTyping(event) || event.defaultPrevented) return
      const { rows } = now.current
      const index = rows.findIndex((row) => row.rowId === at.dataset.row)
      const row = rows[index]
      if (!row) return
      const to = placeAfter(event.key, index, rows.length)
      if (to !== undefined) move(event, index, to)
      else if (isDelete(event)) remove(row, index)
      else if (event.key === ' ' && hasModifier(event)) choose(row, 'toggle')
      else if (keyOf(event) === 'a' && hasModifier(event)) {
        const ids = rows.filter(canHaveSettings).map(({ rowId }) => rowId)
        batch.select({ ids, anchorId: ids[0] ?? null })
      } else return
      event.preventDefault()
    }
    const onFocus = (event: FocusEvent) => {
      const id = rowAt(event.target)?.dataset.row
      if (id) onActive(id)
    }
    const onClick = (event: MouseEvent) => {
      if (event.target instanceof Element && event.target.closest('button, a, [data-seek]')) return
      const at = rowAt(event.target)
      if (!at) return batch.select(NO_SELECTION)
      choose(
        now.current.rows.find((one) => one.rowId === at.dataset.row),
        modeOf(event),
      )
    }
    const onDoubleClick = (event: MouseEvent) => {
      if (event.target instanceof Element && event.target.closest('button, a, [data-seek]')) return
      const row = now.current.rows.find((one) => one.rowId === rowAt(event.target)?.dataset.row)
      const song = row && itemOf(row)
      if (song) playback.play(song)
    }
    element.addEventListener('keydown', onKey)
    element.addEventListener('dblclick', onDoubleClick)
    element.addEventListener('focusin', onFocus)
    element.addEventListener('click', onClick)
    return () => {
      element.removeEventListener('keydown', onKey)
      element.removeEventListener('focusin', onFocus)
      element.removeEventListener('click', onClick)
      element.removeEventListener('dblclick', onDoubleClick)
    }
  }, [list, batch, notices, playback, onActive])
}
