/** Unusable cells of a table, collected for one error: each with its row, its column and its content. */
import type { Detail } from '../../src-contract/text/details.ts'
import { AppError } from '../http/app-error.ts'

/** A cell as the table has it. */
export interface Cell {
  readonly heading: string
  readonly text: string
}

/** A row with its cells by column name. */
interface Row {
  readonly row: number
  readonly cells: ReadonlyMap<string, Cell>
}

/** Most faults reported at once. */
const MAX_FAULTS = 20
/** Longest part of a cell in a fault, characters. */
const MAX_SHOWN = 60

export class CellFaults {
  readonly #faults = new Map<string, Extract<Detail, { rule: 'in_row' }>>()

  /** Adds a fault; only the first of each cell counts, and with `isToldOnce` only the first of equal cells in a column. */
  add(row: number, { heading, text }: Cell, broken: Detail, isToldOnce = false): void {
    const place = JSON.stringify(isToldOnce ? [heading, text] : [row, heading])
    const value = [...text.trim()].slice(0, MAX_SHOWN).join('')
    if (!this.#faults.has(place)) this.#faults.set(place, { rule: 'in_row', row, column: heading, value, broken })
  }

  /** Adds a fault of a column of a row; a missing column counts as an empty cell. */
  addAt({ row, cells }: Row, name: string, broken: Detail): void {
    this.add(row, cells.get(name) ?? { heading: name, text: '' }, broken)
  }

  /** Returns the result of `read`; undefined if it refuses a cell of the row, which becomes a fault. */
  within<Result>(row: Row, read: () => Result): Result | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'INVALID_REQUEST' || error.param === undefined) throw error
      const isEmpty = (row.cells.get(error.param)?.text.trim() ?? '') === ''
      for (const broken of error.details ?? [])
        this.addAt(row, error.param, isEmpty && broken.rule === 'characters_at_least' ? { rule: 'needed' } : broken)
      return undefined
    }
  }

  /** Throws INVALID_REQUEST with the first twenty faults in the order of the rows, if there are any. */
  requireNone(): void {
    const details = [...this.#faults.values()].sort((one, other) => one.row - other.row).slice(0, MAX_FAULTS)
    if (details.length > 0) throw new AppError('INVALID_REQUEST', {}, { param: 'file', details })
  }
}
