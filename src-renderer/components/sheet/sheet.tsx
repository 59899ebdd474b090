/** A table edited as a spreadsheet: by mouse and keys, with ranges, copy and paste. */
import {
  type ClipboardEvent,
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { grid, selectableCell } from '../grid-roles.ts'
import { useDragOrder } from '../use-drag-order.ts'
import { useRowAnimation } from '../use-row-animation.ts'
import {
  alone,
  type CellText,
  movedTo,
  type PastedCells,
  type Place,
  pasted,
  placeOf,
  type Range,
  rangeOf,
  type SheetCells,
} from './sheet-cells.ts'
import { readTsv, writeTsv } from './tsv.ts'
import { drawnParts, ROW_PX, useRowsInView } from './use-rows-in-view.ts'
import './sheet.css'

export interface SheetColumn<Row> {
  readonly id: string
  readonly name: ReactNode
  /** Name for screen readers, if `name` is short or an icon. */
  readonly label: string
  /** Spreadsheet headings that mean this column, in lower case. */
  readonly headings: readonly string[]
  readonly className?: string
  /** Text of a cell for editing and copying. */
  readonly text: (row: Row) => string
  /** Display of a cell that is not being edited; its text if absent. */
  readonly look?: (row: Row) => ReactNode
  /** The cell is read-only. */
  readonly isFixed?: boolean
  /** Makes the cell a switch, with its texts for on and off. */
  readonly flag?: { readonly on: string; readonly off: string; readonly isOn: (row: Row) => boolean }
  readonly maxLength?: number
  /** The column is not drawn; pasted cells still reach it in its place. */
  readonly isHidden?: boolean
  /** The text may have several lines: Shift with Enter starts the next. */
  readonly hasLines?: boolean
}

export interface SheetProps<Row> {
  label: string
  columns: readonly SheetColumn<Row>[]
  rows: readonly Row[]
  idOf: (row: Row) => string
  /** Error of a cell's text; undefined for a valid one. */
  faultOf: (row: Row, columnId: string) => string | undefined
  onWrite: (cells: readonly CellText[]) => void
  /** Rows pasted below the last one; absent if the sheet cannot grow. */
  onFurther?: (rows: PastedCells['further']) => void
  onMove?: (rowId: string, by: number) => void
  onHold?: (isHeld: boolean) => void
  /** Removes rows; absent if rows cannot be removed. */
  onRemove?: (rowIds: readonly string[]) => void
  onActive: (rowId: string) => void
  activeId: string | null
}

/** A key that starts editing, including the first key of a Korean input method. */
const isWriting = (event: KeyboardEvent) =>
  !event.ctrlKey && !event.metaKey && !event.altKey && (event.keyCode === 229 || [...event.key].length === 1)

export function Sheet<Row>(given: SheetProps<Row>) {
  const columns = useMemo(() => given.columns.filter(({ isHidden }) => !isHidden), [given.columns])
  const props = { ...given, columns, allColumns: given.columns }
  const { label, rows, idOf, faultOf, onHold, onMove, onActive, activeId } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const [cells, setCells] = useState<SheetCells | null>(null)
  const rowIds = rows.map(idOf)
  const known = cells && rowIds.includes(cells.at.rowId) ? cells : null
  const entryId = activeId !== null && rowIds.includes(activeId) ? activeId : rowIds[0]
  const at = known?.at ?? (entryId === undefined ? null : { rowId: entryId, column: 1 })
  // The cell reached by Tab is the range until another is chosen.
  const current = known ?? (at && alone(at))
  const range = current && rangeOf(current, rowIds)
  const [firstInView, endInView] = useRowsInView(body)
  const parts = drawnParts(rows.length, firstInView, endInView, at ? rowIds.indexOf(at.rowId) : -1)
  useRowAnimation(body, rowIds.join())
  useDragOrder(body, rowIds, {
    onHold: (rowId) => onHold?.(rowId !== null),
    onMove: (rowId, by) => onMove?.(rowId, by),
  })

  const pressIn = (place: Place) => cellAt(body.current, place)?.querySelector('button')?.click()
  const focus = (place: Place) => {
    const cell = cellAt(body.current, place)
    if (cell) cell.focus()
    // A row out of view is drawn once it has the focus.
    else requestAnimationFrame(() => cellAt(body.current, place)?.focus())
  }
  const go = (next: SheetCells) => {
    setCells(next)
    if (next.at.rowId !== activeId) onActive(next.at.rowId)
  }
  const end = (place: Place, text: string | null) => {
    const column = columns[place.column]
    const row = rows.find((one) => idOf(one) === place.rowId)
    if (text !== null && column && row && text !== column.text(row))
      props.onWrite([{ rowId: place.rowId, columnId: column.id, text }])
  }
  const keys = useSheetKeys({ ...props, rowIds, cells: current, range, setCells: go, focus, end, pressIn })
  const latest = useRef(keys)
  latest.current = keys
  const actions = useRef<CellActions>({
    press: (place, isRange) => latest.current.press(place, isRange),
    extend: (place) => latest.current.extend(place),
    begin: (place, text) => latest.current.begin(place, text),
    end: (place, text, step) => latest.current.finish(place, text, step),
  }).current
  return (
    <table
      className="sheet"
      {...grid(label)}
      aria-rowcount={rows.length + 1}
      onKeyDown={keys.onKeyDown}
      onCopy={keys.onCopy}
      onCut={keys.onCut}
      onPaste={keys.onPaste}
    >
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.id} scope="col" className={column.className}>
              {typeof column.name === 'string' && column.name === column.label ? (
                column.name
              ) : (
                <>
                  <span aria-hidden="true">{column.name}</span>
                  <span className="vh">{column.label}</span>
                </>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        {parts.map((part) => {
          if (!('index' in part))
            return (
              <tr key={`skipped ${part.skippedFrom === 0 ? 'first' : part.skippedFrom}`}>
                <td className="skipped" colSpan={columns.length} style={{ height: part.count * ROW_PX }} />
              </tr>
            )
          const { index } = part
          const row = rows[index]!
          const rowId = rowIds[index]!
          return (
            <SheetRow
              key={rowId}
              row={row}
              rowId={rowId}
              index={index}
              columns={columns as readonly SheetColumn<unknown>[]}
              faults={columns.map(({ id }) => faultOf(row, id) ?? '').join('\n')}
              isActive={rowId === activeId}
              tabColumn={at?.rowId === rowId ? at.column : null}
              chosen={
                known && range && index >= range.firstRow && index <= range.lastRow
                  ? `${range.firstColumn}-${range.lastColumn}`
                  : ''
              }
              editing={known?.at.rowId === rowId ? known.editing : null}
              actions={actions}
            />
          )
        })}
      </tbody>
    </table>
  )
}

const cellAt = (body: HTMLElement | null, { rowId, column }: Place) =>
  body?.querySelector<HTMLElement>(`[data-row="${CSS.escape(rowId)}"] > [data-column="${column}"]`)

interface CellActions {
  press: (place: Place, isRange: boolean) => void
  extend: (place: Place) => void
  begin: (place: Place, text: string) => void
  /** Ends editing with a text, or with null to cancel; `step` is where the focus goes. */
  end: (place: Place, text: string | null, step: 'down' | 'right' | 'left' | 'stay' | 'leave') => void
}

interface KeysDeps<Row> extends SheetProps<Row> {
  /** All columns, including hidden ones. */
  readonly allColumns: readonly SheetColumn<Row>[]
  readonly rowIds: readonly string[]
  readonly cells: SheetCells | null
  readonly range: Range | null
  readonly setCells: (cells: SheetCells) => void
  readonly focus: (place: Place) => void
  readonly end: (place: Place, text: string | null) => void
  /** Presses the button in a cell. */
  readonly pressIn: (place: Place) => void
}

function useSheetKeys<Row>(deps: KeysDeps<Row>) {
  const { columns, rows, rowIds, idOf, cells, range, setCells, focus, end } = deps
  const goTo = (place: Place, isRange = false) => {
    setCells(movedTo(cells, place, isRange))
    focus(place)
  }
  const inRange = () =>
    range
      ? rows
          .slice(range.firstRow, range.lastRow + 1)
          .map((row) => ({ row, own: columns.slice(range.firstColumn, range.lastColumn + 1) }))
      : []
  const write = (written: readonly CellText[]) => written.length > 0 && deps.onWrite(written)
  const clear = () =>
    write(
      inRange().flatMap(({ row, own }) =>
        own
          .filter((column) => !column.isFixed && (column.flag ? column.flag.isOn(row) : column.text(row) !== ''))
          .map((column) => ({ rowId: idOf(row), columnId: column.id, text: column.flag?.off ?? '' })),
      ),
    )
  const begin = (place: Place, text: string) => {
    const column = columns[place.column]
    const row = rows.find((one) => idOf(one) === place.rowId)
    if (!column || !row || column.isFixed) return
    if (column.flag) {
      const { on, off, isOn } = column.flag
      return void write([{ rowId: place.rowId, columnId: column.id, text: isOn(row) ? off : on }])
    }
    // Synchronously, so that the key itself is typed into the field.
    flushSync(() => setCells({ ...alone(place), editing: text }))
  }
  const textAt = ({ rowId, column }: Place) => {
    const row = rows.find((one) => idOf(one) === rowId)
    return (row && columns[column]?.text(row)) ?? ''
  }
  return {
    begin: (place: Place, text: string) => begin(place, text),
    press: (place: Place, isRange: boolean) => setCells(movedTo(cells, place, isRange)),
    extend: (place: Place) => cells && setCells(movedTo(cells, place, true)),
    finish(place: Place, text: string | null, step: 'down' | 'right' | 'left' | 'stay' | 'leave') {
      end(place, text)
      const key = { down: 'ArrowDown', right: 'ArrowRight', left: 'ArrowLeft', stay: '', leave: '' }[step]
      const next = placeOf(place, { key, shiftKey: false, isFar: false }, rowIds, columns.length) ?? place
      flushSync(() => setCells(alone(step === 'stay' || step === 'leave' ? place : next)))
      if (step !== 'leave') focus(next)
    },
    onKeyDown(event: KeyboardEvent) {
      if (!cells || cells.editing !== null || event.defaultPrevented) return
      const { at } = cells
      const column = columns[at.column]
      const isFar = event.ctrlKey || event.metaKey
      const isLetter = event.keyCode !== 229 && isFar && event.key.toLowerCase() === 'a'
      if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
        deps.onMove?.(at.rowId, event.key === 'ArrowUp' ? -1 : 1)
        requestAnimationFrame(() => focus(at))
      } else if (isLetter) {
        const [first, last] = [rowIds[0]!, rowIds.at(-1)!]
        setCells({ at: { rowId: last, column: columns.length - 1 }, from: { rowId: first, column: 0 }, editing: null })
        focus({ rowId: last, column: columns.length - 1 })
      } else if (event.key === 'Enter' && column?.isFixed) deps.pressIn(at)
      else if (event.key === 'Enter' || event.key === 'F2') begin(at, textAt(at))
      else if (event.key === ' ' && column?.flag) begin(at, '')
      else if (event.key === 'Escape' && range && cells.from !== at) setCells(alone(at))
      else if (event.key === 'Delete' || event.key === 'Backspace') {
        if (deps.onRemove && (at.column === 0 || (event.metaKey && event.key === 'Backspace')))
          deps.onRemove(rowIds.slice(range?.firstRow ?? 0, (range?.lastRow ?? -1) + 1))
        else clear()
      } else if (event.key !== ' ' && isWriting(event) && column && !column.isFixed && !column.flag)
        return begin(at, '')
      else {
        const next = event.altKey
          ? null
          : placeOf(at, { key: event.key, shiftKey: event.shiftKey, isFar }, rowIds, columns.length)
        if (!next) return
        goTo(next, event.shiftKey)
      }
      event.preventDefault()
    },
    onCopy(event: ClipboardEvent) {
      if (!range || cells?.editing !== null) return
      event.clipboardData.setData(
        'text/plain',
        writeTsv(inRange().map(({ row, own }) => own.map((one) => one.text(row)))),
      )
      event.preventDefault()
    },
    onCut(event: ClipboardEvent) {
      if (!range || cells?.editing !== null) return
      this.onCopy(event)
      clear()
    },
    onPaste(event: ClipboardEvent) {
      const text = event.clipboardData.getData('text/plain')
      if (!range || cells?.editing !== null || text === '' || event.clipboardData.files.length > 0) return
      event.preventDefault()
      const given = readTsv(text)
      const isOne = given.length === 1 && given[0]?.length === 1
      const firstColumn = deps.allColumns.indexOf(columns[range.firstColumn]!)
      const { cells: written, further } = isOne
        ? pasted(given, range, rowIds, columns)
        : pasted(given, { ...range, firstColumn }, rowIds, deps.allColumns)
      write(written)
      if (further.length > 0) deps.onFurther?.(further)
    },
  }
}

interface SheetRowProps {
  row: unknown
  rowId: string
  index: number
  columns: readonly SheetColumn<unknown>[]
  /** Errors of the cells, one per line. */
  faults: string
  isActive: boolean
  /** Column of the cell reached by Tab; null if it is in another row. */
  tabColumn: number | null
  /** First and last column of the range in this row. */
  chosen: string
  editing: string | null
  actions: CellActions
}

const SheetRow = memo(function SheetRow(props: SheetRowProps) {
  const { row, rowId, index, columns, faults, isActive, tabColumn, chosen, editing, actions } = props
  const [first, last] = chosen === '' ? [-1, -2] : chosen.split('-').map(Number)
  const told = faults.split('\n')
  return (
    <tr data-row={rowId} className={isActive ? 'is-active' : undefined} aria-rowindex={index + 2}>
      {columns.map((column, at) => {
        const place = { rowId, column: at }
        const isEdited = editing !== null && tabColumn === at
        const fault = told[at]
        const faultId = `${rowId}-${column.id}`
        return (
          <td
            key={column.id}
            {...selectableCell(at === 0, at >= (first ?? 0) && at <= (last ?? -1), column.isFixed)}
            data-column={at}
            tabIndex={tabColumn === at && !isEdited ? 0 : -1}
            className={column.className}
            {...(fault ? { 'aria-invalid': true, 'aria-describedby': faultId } : {})}
            onFocus={(event) => event.target === event.currentTarget && tabColumn !== at && actions.press(place, false)}
            onMouseDown={(event) => {
              if (event.button !== 0 || isEdited || isControl(event.target)) return
              if (tabColumn === at && document.activeElement === event.currentTarget && !event.shiftKey) return
              if (event.shiftKey) event.preventDefault()
              actions.press(place, event.shiftKey)
            }}
            onMouseEnter={(event) => event.buttons === 1 && !isEdited && at > 0 && actions.extend(place)}
            onDoubleClick={(event) => !isEdited && !isControl(event.target) && actions.begin(place, column.text(row))}
          >
            {isEdited ? (
              <CellField column={column} first={editing} onEnd={(text, step) => actions.end(place, text, step)} />
            ) : (
              (column.look?.(row) ?? <span className="clip">{column.text(row)}</span>)
            )}
            {fault && (
              <span id={faultId} className="cell-fault">
                {fault}
              </span>
            )}
          </td>
        )
      })}
    </tr>
  )
})

const isControl = (target: EventTarget) => target instanceof Element && target.closest('button, input, a') !== null

interface CellFieldProps {
  column: SheetColumn<unknown>
  first: string
  onEnd: (text: string | null, step: 'down' | 'right' | 'left' | 'stay' | 'leave') => void
}

/** The field of the cell being edited. */
function CellField({ column, first, onEnd }: CellFieldProps) {
  const isOver = useRef(false)
  const finish = (text: string | null, step: Parameters<CellFieldProps['onEnd']>[1]) => {
    if (isOver.current) return
    isOver.current = true
    onEnd(text, step)
  }
  // Runs only once: a function created with every render would take the focus again.
  const take = useCallback((element: HTMLInputElement | HTMLTextAreaElement | null) => {
    element?.focus()
    element?.setSelectionRange(element.value.length, element.value.length)
  }, [])
  const Field = column.hasLines ? 'textarea' : 'input'
  return (
    <Field
      ref={take}
      className={`cell-field ${column.hasLines ? 'has-lines' : ''}`}
      aria-label={column.label}
      defaultValue={first}
      maxLength={column.maxLength}
      spellCheck={false}
      onBlur={(event) => finish(event.currentTarget.value, 'leave')}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return
        const text = event.currentTarget.value
        if (event.key === 'Enter' && event.shiftKey && column.hasLines) return event.stopPropagation()
        if (event.key === 'Enter') finish(text, 'down')
        else if (event.key === 'Tab') finish(text, event.shiftKey ? 'left' : 'right')
        else if (event.key === 'Escape') finish(null, 'stay')
        else return event.stopPropagation()
        event.preventDefault()
        event.stopPropagation()
      }}
    />
  )
}
