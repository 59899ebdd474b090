/** List selection: one row, a range from an anchor, or individual rows. Pure. */

export interface Selection {
  /** Rows in the order they were chosen; the last one leads. */
  readonly ids: readonly string[]
  /** Fixed end of a range. */
  readonly anchorId: string | null
}

export const NO_SELECTION: Selection = { ids: [], anchorId: null }

export type SelectionMode = 'only' | 'toggle' | 'range'

/** Returns the selection after a row was chosen among the rows of `order`. A range without an anchor is that row alone. */
export function selected(
  { ids, anchorId }: Selection,
  rowId: string,
  mode: SelectionMode,
  order: readonly string[],
): Selection {
  if (mode === 'toggle') {
    const others = ids.filter((id) => id !== rowId)
    return { ids: others.length < ids.length ? others : [...ids, rowId], anchorId: rowId }
  }
  const from = mode === 'range' && anchorId !== null ? order.indexOf(anchorId) : -1
  const to = order.indexOf(rowId)
  if (from < 0 || to < 0) return { ids: [rowId], anchorId: rowId }
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1)
  return { ids: from <= to ? range : range.reverse(), anchorId }
}

/** Returns the selection without the rows that are gone. */
export function withoutSelected({ ids, anchorId }: Selection, gone: ReadonlySet<string>): Selection {
  if (!ids.some((id) => gone.has(id)) && !(anchorId && gone.has(anchorId))) return { ids, anchorId }
  return { ids: ids.filter((id) => !gone.has(id)), anchorId: anchorId && gone.has(anchorId) ? null : anchorId }
}

/** Returns the selection with a row under its new id: a stored upload has become a song. */
export function renamedSelected({ ids, anchorId }: Selection, from: string, to: string): Selection {
  return { ids: ids.map((id) => (id === from ? to : id)), anchorId: anchorId === from ? to : anchorId }
}
