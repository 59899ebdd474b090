/** The focused cell of a sheet, the range around it, and the effect of keys. Pure. */

/** A cell by its row's id and its column's number. */
export interface Place {
  readonly rowId: string
  readonly column: number
}

export interface SheetCells {
  /** The focused cell. */
  readonly at: Place
  /** The other end of the range; the same cell for a range of one. */
  readonly from: Place
  /** Text of the cell being edited; null otherwise. */
  readonly editing: string | null
}

/** Rows moved by Page Up and Page Down. */
const PAGE_ROWS = 10

export const alone = (at: Place): SheetCells => ({ at, from: at, editing: null })

/** Returns the cells after the focus moved to a place; `isRange` keeps the other end of the range. */
export const movedTo = (cells: SheetCells | null, at: Place, isRange: boolean): SheetCells =>
  cells && isRange ? { at, from: cells.from, editing: null } : alone(at)

export interface NavigationKey {
  readonly key: string
  readonly shiftKey: boolean
  /** Control, or command. */
  readonly isFar: boolean
}

/** Returns the place a key moves to; null for any other key. */
export function placeOf(at: Place, pressed: NavigationKey, rowIds: readonly string[], columns: number): Place | null {
  const row = rowIds.indexOf(at.rowId)
  const step = stepOf(pressed, columns, rowIds.length)
  if (row < 0 || !step) return null
  const clamp = (value: number, count: number) => Math.max(0, Math.min(count - 1, value))
  return { rowId: rowIds[clamp(row + step.rows, rowIds.length)]!, column: clamp(at.column + step.columns, columns) }
}

function stepOf({ key, isFar }: NavigationKey, columns: number, rows: number) {
  switch (key) {
    case 'ArrowUp':
      return { rows: isFar ? -rows : -1, columns: 0 }
    case 'ArrowDown':
      return { rows: isFar ? rows : 1, columns: 0 }
    case 'ArrowLeft':
      return { rows: 0, columns: isFar ? -columns : -1 }
    case 'ArrowRight':
      return { rows: 0, columns: isFar ? columns : 1 }
    case 'Home':
      return { rows: isFar ? -rows : 0, columns: -columns }
    case 'End':
      return { rows: isFar ? rows : 0, columns }
    case 'PageUp':
      return { rows: -PAGE_ROWS, columns: 0 }
    case 'PageDown':
      return { rows: PAGE_ROWS, columns: 0 }
    default:
      return null
  }
}

export interface Range {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/** Returns the range of the cells in row numbers; null if its rows are gone. */
export function rangeOf({ at, from }: SheetCells, rowIds: readonly string[]): Range | null {
  const rows = [rowIds.indexOf(at.rowId), rowIds.indexOf(from.rowId)]
  if (rows.includes(-1)) return null
  const columns = [at.column, from.column]
  return {
    firstRow: Math.min(...rows),
    lastRow: Math.max(...rows),
    firstColumn: Math.min(...columns),
    lastColumn: Math.max(...columns),
  }
}

/** A text for a cell. */
export interface CellText {
  readonly rowId: string
  readonly columnId: string
  readonly text: string
}

/** Content of a pasted text: cells for existing rows, and further rows, each by column id. */
export interface PastedCells {
  readonly cells: readonly CellText[]
  readonly further: readonly Readonly<Record<string, string>>[]
}

/**
 * Returns the places of pasted rows, starting at the first cell of the range. A single cell fills the whole range; a
 * first row with the headings of `columns` assigns the columns and is left out.
 */
export function pasted(
  given: readonly (readonly string[])[],
  range: Range,
  rowIds: readonly string[],
  columns: readonly {
    readonly id: string
    readonly headings: readonly string[]
    readonly isFixed?: boolean | undefined
  }[],
): PastedCells {
  const isWritable = (id: string | undefined) =>
    id !== undefined && columns.some((one) => one.id === id && !one.isFixed)
  if (given.length === 1 && given[0]?.length === 1) {
    const ids = columns.slice(range.firstColumn, range.lastColumn + 1).map(({ id }) => id)
    const rows = rowIds.slice(range.firstRow, range.lastRow + 1)
    const text = given[0][0] ?? ''
    return {
      cells: rows.flatMap((rowId) => ids.filter(isWritable).map((columnId) => ({ rowId, columnId, text }))),
      further: [],
    }
  }
  const byHeading = given[0]?.map(
    (head) => columns.find(({ headings }) => headings.includes(head.trim().toLowerCase()))?.id,
  )
  const hasHeadings = (byHeading?.filter((id) => id !== undefined).length ?? 0) > 1
  const rows = hasHeadings ? given.slice(1) : given
  const columnIds = hasHeadings ? (byHeading ?? []) : columns.slice(range.firstColumn).map(({ id }) => id)
  const placed = rows.map((cells) =>
    Object.fromEntries(cells.flatMap((text, at) => (isWritable(columnIds[at]) ? [[columnIds[at]!, text]] : []))),
  )
  const free = rowIds.length - range.firstRow
  const cells = placed
    .slice(0, free)
    .flatMap((texts, at) =>
      Object.entries(texts).map(([columnId, text]) => ({ rowId: rowIds[range.firstRow + at]!, columnId, text })),
    )
  return { cells, further: placed.slice(free).filter((texts) => Object.values(texts).some((text) => text !== '')) }
}
