/** A table described by its columns. */
import type { ReactNode, TableHTMLAttributes } from 'react'

export interface Column<Row> {
  readonly name: string
  /** The name of a column of buttons is for screen readers alone. */
  readonly isNameHidden?: boolean
  readonly headClass?: string
  readonly cellClass?: string
  readonly cell: (row: Row) => ReactNode
  /** Text that appears while the pointer rests on the cell. */
  readonly hint?: (row: Row) => string | undefined
}

interface TableProps<Row>
  extends Pick<TableHTMLAttributes<HTMLTableElement>, 'className' | 'aria-label' | 'aria-labelledby'> {
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** Returns the identity of a row. */
  idOf: (row: Row) => string | number
}

export function Table<Row>({ columns, rows, idOf, ...table }: TableProps<Row>) {
  return (
    <table {...table}>
      <thead>
        <tr>
          {columns.map(({ name, isNameHidden, headClass }) => (
            <th key={name} scope="col" className={headClass}>
              {isNameHidden ? <span className="vh">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)}>
            {columns.map(({ name, cellClass, cell, hint }) => (
              <td key={name} className={cellClass} title={hint?.(row)}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
