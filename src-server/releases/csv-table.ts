/** Tables written and read by spreadsheets: bytes of any encoding and separator to cells, and back. */
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { decodeCp949 } from '../../src-worker/media/cp949.ts'
import { invalidRequest } from '../http/app-error.ts'

/** Largest table that is read, bytes: 500 rows with every field at its longest are less. */
export const MAX_CSV_BYTES = 4_194_304
/** Most rows below the header. */
const MAX_CSV_ROWS = 500

/** A table: the header, and the rows below it, each with at least as many cells as the header. */
export interface Table {
  readonly header: readonly string[]
  /** `row` is the number that a spreadsheet shows: 1 is the header. */
  readonly rows: readonly { readonly row: number; readonly cells: readonly string[] }[]
}

/** First characters that make a spreadsheet take a text for a formula, with their full-width forms (OWASP, "CSV Injection"). */
const FORMULA = '[=+\\-@\\t\\r＝＋－＠]'
/** A formula-like text disarmed by an apostrophe, which is not part of the content. */
const ESCAPED = new RegExp(`^'+${FORMULA}`)

const SEPARATORS = [',', ';', '\t']
/** First line that tells Excel the separator; spreadsheets do not show it as a row. */
const SEPARATOR_LINE = /^"?sep=(.)"?(?:\r\n|\r|\n)/i
/** Special spaces that web pages and spreadsheets insert instead of a plain one. */
const OTHER_BLANKS = /[\u00a0\u2007\u202f]/g
const INVISIBLE = /[\u200b\u2060\ufeff]/g

/**
 * Reads a table in UTF-8, in UTF-16 with a byte order mark or starting with an ASCII character, or in code page 949, with commas,
 * semicolons, tabs or the separator named by a first line `sep=`. Formulas are read as plain text. Throws INVALID_REQUEST for other
 * content, no rows, or more than 500.
 */
export function readTable(bytes: Uint8Array): Table {
  const records = recordsOf(textOf(bytes))
  const [header, ...rows] = records
  if (!header || rows.length === 0) throw invalidRequest('csv_no_rows', { param: 'file' })
  if (rows.length > MAX_CSV_ROWS) throw invalidRequest('csv_too_many_rows', { param: 'file' })
  return {
    header: header.cells.map((cell) => cell.trim()),
    rows: rows.map(({ row, cells }) => ({
      row,
      cells: Array.from({ length: Math.max(cells.length, header.cells.length) }, (_, column) =>
        unescaped(cells[column] ?? ''),
      ),
    })),
  }
}

/** Writes a table for spreadsheets in any language: UTF-8 with a byte order mark, commas, CRLF; no text can act as a formula. */
export function writeTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = rows.map((cells) => cells.map((cell) => (ESCAPED.test(cell) ? `'${cell}` : cell)))
  return stringify([[...header], ...escaped], { bom: true, escape_formulas: true, record_delimiter: '\r\n' })
}

/** Returns the non-empty records with their row numbers. */
function recordsOf(whole: string): { row: number; cells: string[] }[] {
  const [line = '', separator] = SEPARATOR_LINE.exec(whole) ?? []
  const text = whole.slice(line.length)
  try {
    const records: string[][] = parse(text, {
      delimiter: separator ?? separatorOf(text),
      relax_column_count: true,
      trim: true,
      // As in `12" Mix`.
      relax_quotes: true,
    })
    return records
      .map((cells, index) => ({ row: index + 1, cells }))
      .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  } catch (cause) {
    const { lines: line = 0 } = cause as { readonly lines?: number }
    throw invalidRequest('csv_unreadable', { param: 'file', details: [{ rule: 'open_quote', line }], cause })
  }
}

/** Returns the most frequent separator between the headings. */
function separatorOf(text: string): string {
  const [firstLine = ''] = text.replace(/"[^"]*"/g, '').split(/[\r\n]/, 1)
  const count = (separator: string) => firstLine.split(separator).length
  return SEPARATORS.reduce((best, one) => (count(one) > count(best) ? one : best))
}

function textOf(bytes: Uint8Array): string {
  return decoded(bytes).replace(OTHER_BLANKS, ' ').replace(INVISIBLE, '')
}

function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes
  // Without a byte order mark, the zero byte of an ASCII character reveals UTF-16.
  if ((first === 0xff && second === 0xfe) || second === 0) return new TextDecoder('utf-16le').decode(bytes)
  if ((first === 0xfe && second === 0xff) || first === 0) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const text = decodeCp949(bytes)
    if (text === undefined) throw invalidRequest('csv_unreadable', { param: 'file', cause })
    return text
  }
}

function unescaped(cell: string): string {
  return ESCAPED.test(cell) ? cell.slice(1) : cell
}
