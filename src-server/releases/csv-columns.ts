/** Columns of a release as a table: one row for each track, the facts of the release in every row. */
import type { TSchema } from 'typebox'
import { FADE_SHAPES } from '../../src-contract/edges.ts'
import { RELEASE_KINDS, ReleaseChange, TrackChange } from '../../src-contract/releases.ts'
import type { Detail } from '../../src-contract/text/details.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import { schemaFault } from '../http/schema-fault.ts'
import { type Table, writeTable } from './csv-table.ts'
import type { ReleaseRecord, TrackRecord } from './release.ts'

/** A row of a table, read. Columns that the table lacks are absent: what they would say stays as it is. */
export interface TrackRow {
  readonly row: number
  readonly release: ReleaseChange
  readonly track: TrackChange
  readonly trackId?: string
  readonly trackNumber?: number
}

/** Content of a cell: its value for the member, undefined to leave that as it is. */
type Read = (cell: string) => unknown

interface Column {
  /** Name of the member on the wire; that of the column where `heading` does not say otherwise. */
  readonly member: string
  readonly heading?: string
  /** Further headings under which spreadsheets have it. */
  readonly others: readonly string[]
  readonly read: Read
}

/** Sign between several persons in one cell. */
const BETWEEN = '; '
const TRUE_WORDS = ['true', 'yes', 'y', '1', 'explicit', 'o', '예', '네']
const FALSE_WORDS = ['false', 'no', 'n', '0', 'clean', 'not explicit', 'x', '아니요', '아니오']
const KIND_WORDS: Readonly<Record<string, string>> = { 싱글: 'single', 앨범: 'album', 정규: 'album', 미니: 'ep' }
/** Digits of a UPC whose leading zero a spreadsheet has dropped. */
const UPC_WITHOUT_ZERO = /^\d{11}$/
/** Most faults that are told at once. */
const MAX_FAULTS = 20

const text: Read = (cell) => cell
const needed: Read = (cell) => (cell === '' ? undefined : cell)
const lower: Read = (cell) => (cell === '' ? undefined : cell.toLowerCase())
const list: Read = (cell) =>
  cell
    .split(/[;\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
const number: Read = (cell) => (cell === '' ? undefined : Number(cell.replace(',', '.')))
const flag: Read = (cell) => {
  const word = cell.toLowerCase()
  if (TRUE_WORDS.includes(word)) return true
  return FALSE_WORDS.includes(word) ? false : needed(cell)
}

const RELEASE_COLUMNS: readonly Column[] = [
  { member: 'title', heading: 'release_title', others: ['album', 'album title', '앨범', '앨범명'], read: needed },
  { member: 'artist', heading: 'release_artist', others: ['album artist', '앨범 아티스트'], read: needed },
  { member: 'kind', others: ['type', '종류'], read: (cell) => KIND_WORDS[cell] ?? lower(cell) },
  { member: 'release_date', others: ['date', '발매일'], read: text },
  { member: 'label', others: ['레이블'], read: text },
  {
    member: 'upc',
    others: ['ean', 'barcode', '바코드'],
    read: (cell) => (UPC_WITHOUT_ZERO.test(cell) ? `0${cell}` : cell),
  },
  { member: 'genre', others: ['장르'], read: text },
  { member: 'language', others: ['언어'], read: text },
  { member: 'p_line', others: ['℗', 'p line'], read: text },
  { member: 'c_line', others: ['©', 'c line'], read: text },
]

const TRACK_COLUMNS: readonly Column[] = [
  { member: 'title', others: ['track title', 'track', '제목', '곡명'], read: needed },
  { member: 'version', others: ['버전'], read: text },
  { member: 'artists', others: ['artist', 'track artist', '아티스트', '가수'], read: list },
  { member: 'composers', others: ['composer', '작곡', '작곡가'], read: list },
  { member: 'lyricists', others: ['lyricist', '작사', '작사가'], read: list },
  { member: 'isrc', others: [], read: text },
  { member: 'explicit', others: ['19금', '청소년 유해'], read: flag },
  { member: 'gap_before_seconds', others: [], read: number },
  { member: 'gap_in_file', others: [], read: flag },
  { member: 'continuous_with_next', others: [], read: flag },
  { member: 'trim_start_seconds', others: [], read: number },
  { member: 'trim_end_seconds', others: [], read: number },
  { member: 'fade_in_seconds', others: [], read: number },
  { member: 'fade_in_shape', others: [], read: lower },
  { member: 'fade_out_seconds', others: [], read: number },
  { member: 'fade_out_shape', others: [], read: lower },
  { member: 'job_id', others: [], read: lower },
  { member: 'source_id', others: [], read: lower },
]

const NUMBER: Column = { member: 'track_number', others: ['no', 'no.', '#', '번호', '트랙'], read: number }
const IDENTIFIER: Column = { member: 'track_id', others: [], read: lower }

const headingOf = ({ heading, member }: Column) => heading ?? member

/** Names of the files of a set, one for each track. */
export interface FileColumn {
  readonly heading: string
  readonly names: readonly string[]
}

/** Returns a release as a table with every column, and those of its files where it has been exported. */
export function releaseCsv({ facts, tracks }: ReleaseRecord, files: readonly FileColumn[] = []): string {
  const ofRelease = RELEASE_COLUMNS.map(({ member }) => cellOf((facts as Readonly<Record<string, unknown>>)[member]))
  const known = [NUMBER, ...TRACK_COLUMNS, ...RELEASE_COLUMNS, IDENTIFIER].map(headingOf)
  const header = [...known, ...files.map(({ heading }) => heading)]
  const rows = tracks.map((track, index) => [
    ...[String(index + 1), ...trackCells(track), ...ofRelease, track.trackId],
    ...files.map(({ names }) => names[index] ?? ''),
  ])
  return writeTable(header, rows)
}

function trackCells({ facts, sourceId, jobId }: TrackRecord): string[] {
  const all: Readonly<Record<string, unknown>> = { ...facts, source_id: sourceId, job_id: jobId }
  return TRACK_COLUMNS.map(({ member }) => cellOf(all[member]))
}

function cellOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(BETWEEN)
  return value === undefined ? '' : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}

/**
 * Reads the rows of a table. Columns are known by their headings, in any order and case; the others are returned. Throws INVALID_REQUEST
 * without any known column of a track, and for cells that cannot be used, up to 20 of them, each with its row and column.
 */
export function readRows({ header, rows }: Table): { rows: TrackRow[]; ignored: string[] } {
  const [releasePlaces, trackPlaces] = [RELEASE_COLUMNS, TRACK_COLUMNS].map((columns) => placesOf(columns, header))
  const [numberPlace, identifierPlace] = [NUMBER, IDENTIFIER].map((column) => placesOf([column], header)[0]?.place)
  if (!trackPlaces?.length) throw invalidRequest('csv_no_columns', { param: 'file' })
  const known = new Set([...(releasePlaces ?? []), ...trackPlaces].map(({ place }) => place))
  known.add(numberPlace ?? -1).add(identifierPlace ?? -1)
  const cellAt = (cells: readonly string[], place: number | undefined) =>
    place === undefined ? '' : cells[place]!.trim()
  const read = eachRow(rows, ({ row, cells }): TrackRow => {
    const trackId = lower(cellAt(cells, identifierPlace)) as string | undefined
    const trackNumber = number(cellAt(cells, numberPlace)) as number | undefined
    return {
      row,
      release: checked(ReleaseChange, releasePlaces ?? [], cells),
      track: checked(TrackChange, trackPlaces, cells),
      ...(trackId === undefined ? {} : { trackId }),
      ...(trackNumber === undefined ? {} : { trackNumber }),
    }
  })
  return { rows: read, ignored: header.filter((name, place) => name !== '' && !known.has(place)) }
}

interface Place {
  readonly column: Column
  readonly heading: string
  readonly place: number
}

/** Returns where the columns stand in a header; of two with one meaning the first counts. */
function placesOf(columns: readonly Column[], header: readonly string[]): Place[] {
  return columns.flatMap((column) => {
    const names = [headingOf(column), headingOf(column).replaceAll('_', ' '), ...column.others]
    const place = header.findIndex((heading) => names.includes(heading.toLowerCase()))
    return place < 0 ? [] : [{ column, heading: header[place]!, place }]
  })
}

function checked<Change extends object>(schema: TSchema, places: readonly Place[], cells: readonly string[]): Change {
  const entries = places.flatMap(({ column, place }) => {
    const value = column.read(cells[place]!.trim())
    return value === undefined ? [] : [[column.member, value] as const]
  })
  const change = Object.fromEntries(entries)
  const fault = schemaFault(schema, change)
  if (!fault) return change as Change
  const [member = ''] = fault.place.split(/[.[]/)
  const heading = places.find(({ column }) => column.member === member)?.heading ?? member
  const words = wordsOf(member)
  const detail: Detail = words ? { rule: 'one_of', words } : fault.detail
  throw new AppError('INVALID_REQUEST', {}, { param: heading, details: [detail] })
}

function wordsOf(member: string): readonly string[] | undefined {
  if (member === 'kind') return RELEASE_KINDS
  if (member === 'explicit') return ['yes', 'no']
  return member.endsWith('_shape') ? FADE_SHAPES : undefined
}

/** Runs `read` for every row; throws INVALID_REQUEST with what it refuses, up to 20 faults, each with its row and column. */
export function eachRow<Row extends { readonly row: number }, Result>(
  rows: readonly Row[],
  read: (row: Row, index: number) => Result,
): Result[] {
  const faults: Detail[] = []
  const results: Result[] = []
  for (const [index, row] of rows.entries()) {
    try {
      results.push(read(row, index))
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'INVALID_REQUEST' || error.param === undefined) throw error
      const { param: column, details = [] } = error
      faults.push(...details.map((broken): Detail => ({ rule: 'in_row', row: row.row, column, broken })))
    }
  }
  if (faults.length > 0)
    throw new AppError('INVALID_REQUEST', {}, { param: 'file', details: faults.slice(0, MAX_FAULTS) })
  return results
}
