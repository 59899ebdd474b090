/** Rows reordered by dragging: they move during the drag. */
import { type RefObject, useEffect, useRef } from 'react'

export interface DragOrderActions {
  /** Called with the dragged row, and with null at the end of the drag. */
  readonly onHold: (rowId: string | null) => void
  readonly onMove: (rowId: string, by: number) => void
}

/** Makes the children of `list` with `data-row` draggable by their `draggable` part. `rowIds` is their order. */
export function useDragOrder(
  list: RefObject<HTMLElement | null>,
  rowIds: readonly string[],
  actions: DragOrderActions,
): void {
  const latest = useRef({ rowIds, actions })
  latest.current = { rowIds, actions }
  useEffect(() => {
    const element = list.current
    if (!element) return
    let held: string | null = null
    const rowOf = ({ target }: DragEvent) =>
      target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null
    const onStart = (event: DragEvent) => {
      const row = rowOf(event)
      if (!row || !event.dataTransfer) return
      // The system carries masters out of the window, and the page gets no event at the end.
      if (event.target instanceof Element && event.target.closest('.drag-out')) return
      held = row.dataset.row ?? null
      latest.current.actions.onHold(held)
      event.dataTransfer.effectAllowed = 'move'
      event.dataTransfer.setData('text/plain', '')
      event.dataTransfer.setDragImage(row, 24, 36)
      row.classList.add('is-held')
    }
    const onOver = (event: DragEvent) => {
      if (!held) return
      event.preventDefault()
      const row = rowOf(event)
      const over = row?.dataset.row
      // A row sliding to its place merely passes under the pointer.
      if (!over || over === held || row.getAnimations().length > 0) return
      const { rowIds: ids, actions: own } = latest.current
      own.onMove(held, ids.indexOf(over) - ids.indexOf(held))
    }
    const onEnd = () => {
      held = null
      latest.current.actions.onHold(null)
      for (const row of element.querySelectorAll('.is-held')) row.classList.remove('is-held')
    }
    element.addEventListener('dragstart', onStart)
    element.addEventListener('dragover', onOver)
    element.addEventListener('dragend', onEnd)
    return () => {
      if (held) latest.current.actions.onHold(null)
      element.removeEventListener('dragstart', onStart)
      element.removeEventListener('dragover', onOver)
      element.removeEventListener('dragend', onEnd)
    }
  }, [list])
}
