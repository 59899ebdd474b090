/** Columns of a release as a table: one row for each track, the facts of the release in every row. */
import type { TObject } from 'typebox'
import { cleanName } from '../../src-contract/clean-name.ts'
import {
  AI_USES,
  type AiUse,
  DISCLOSURE_CATEGORIES,
  type DisclosureStatement,
  type ReleaseDisclosureChange,
} from '../../src-contract/disclosure.ts'
import { trackDisclosure } from '../../src-contract/disclosure-answers.ts'
import { FADE_SHAPES } from '../../src-contract/edges.ts'
import { isrcOf } from '../../src-contract/isrc.ts'
import { MAX_LINE_LENGTH } from '../../src-contract/limits.ts'
import { RELEASE_KINDS, ReleaseChange, TrackChange } from '../../src-contract/releases.ts'
import type { Detail } from '../../src-contract/text/details.ts'
import { invalidRequest } from '../http/app-error.ts'
import { schemaFault } from '../http/schema-fault.ts'
import { dateOf, languageOf, upcOf } from './codes.ts'
import { type Cell, CellFaults } from './csv-faults.ts'
import { type Table, writeTable } from './csv-table.ts'
import type { ReleaseRecord, TrackRecord } from './release.ts'

/** A parsed row of a table. Members without a column are absent and stay unchanged. */
export interface TrackRow {
  readonly row: number
  /** Its cells by the names of their columns. */
  readonly cells: ReadonlyMap<string, Cell>
  readonly release: ReleaseChange
  readonly track: TrackChange
  readonly trackId?: string
  readonly trackNumber?: number
}

/** A table, read, with the faults of its cells. */
export interface TrackTable {
  readonly rows: readonly TrackRow[]
  /** Headings of columns that are not known. */
  readonly ignored: readonly string[]
  readonly faults: CellFaults
}

interface Column {
  /** Heading in written tables. */
  readonly name: string
  /** Name of the member on the wire. */
  readonly member: string
  /** Further headings in common spreadsheets, the most specific first. */
  readonly others: readonly string[]
  /** Returns the value of a one-line cell: undefined leaves the member as it is, null marks an unusable cell. */
  readonly read: (text: string) => unknown
  /** Rule broken by an unusable cell; without it, the schema of the member applies. */
  readonly rule?: (text: string) => Detail
}

/** Sign between several persons in one cell. */
const BETWEEN = '; '
const TRUE_WORDS = ['true', 'yes', 'y', '1', 'explicit', 'o', '예', '네', '참']
const FALSE_WORDS = ['false', 'no', 'n', '0', 'clean', 'not explicit', 'x', '아니요', '아니오', '거짓']
const KIND_WORDS: ReadonlyMap<string, string> = new Map([
  ...(['싱글', 'single'] as const).map((word) => [word, 'single'] as const),
  ...(['앨범', '정규', '정규 앨범', 'album', 'lp'] as const).map((word) => [word, 'album'] as const),
  ...(['미니', '미니 앨범', 'ep'] as const).map((word) => [word, 'ep'] as const),
])
/** Head of the columns with statements about AI. */
const AI = 'ai_'
const USE_WORDS: ReadonlyMap<string, AiUse> = new Map([
  ...['none', 'no', '없음'].map((word) => [word, 'none'] as const),
  ...['assisted', 'partly', 'partial', '일부'].map((word) => [word, 'assisted'] as const),
  ...['generated', 'wholly', 'fully', '전부'].map((word) => [word, 'generated'] as const),
])
/** Digits of a UPC whose leading zero a spreadsheet has dropped. */
const UPC_WITHOUT_ZERO = /^\d{11}$/
/** A number that a spreadsheet rounded to its first digits. */
const ROUNDED = /^\d([.,]\d+)?e\+?\d+$/i

const isEmpty = (text: string) => text === ''
const text = (cell: string) => cleanName(cell)
const needed = (cell: string) => cleanName(cell) || undefined
const list = (cell: string) =>
  cell
    .split(/[;\n]/)
    .map(cleanName)
    .filter((name) => name !== '')
/** Reads a word or a code: a cell is empty, can be read, or is unusable. */
const code = (read: (plain: string) => unknown, empty?: '') => (cell: string) => {
  const plain = cleanName(cell).normalize('NFKC')
  return isEmpty(plain) ? empty : (read(plain) ?? null)
}
const number = code((plain) => (/^[-+]?\d+([.,]\d+)?$/.test(plain) ? Number(plain.replace(',', '.')) : null))
/** A track number, optionally with the total behind it, or with the zero that a spreadsheet adds to decimals. */
const trackNumber = code((plain) => Number(/^#?(\d{1,3})(?:\.0*)?(?:\s?\/\s?\d+)?$/.exec(plain)?.[1]) || null)
const lower = code((plain) => plain.toLowerCase())
const flag = code((plain) => {
  const word = plain.toLowerCase()
  return TRUE_WORDS.includes(word) ? true : FALSE_WORDS.includes(word) ? false : null
})
const upc = code((plain) => {
  const digits = plain.replace(/\.0+$/, '')
  return upcOf(UPC_WITHOUT_ZERO.test(digits) ? `0${digits}` : digits)
}, '')

/** Reads a statement about AI, `generated; Suno; v5; note`; an empty cell takes it back. */
const statement = (cell: string) => {
  const [word = '', ...texts] = cell.split(BETWEEN.trim()).map(cleanName)
  if (cleanName(cell) === '') return TAKEN_BACK
  const use = USE_WORDS.get(word.toLowerCase())
  if (!use || texts.length > STATEMENT_TEXTS.length || texts.some((one) => one.length > MAX_LINE_LENGTH)) return null
  return { use, ...Object.fromEntries(texts.flatMap((one, at) => (one === '' ? [] : [[STATEMENT_TEXTS[at], one]]))) }
}
const STATEMENT_TEXTS = ['tools', 'model', 'note'] as const
/** A statement that a cell removes; null marks an unusable cell. */
const TAKEN_BACK = Symbol('taken back')

function statementCell(of: DisclosureStatement | undefined): string {
  if (!of) return ''
  const texts = STATEMENT_TEXTS.map((name) => (of[name] ?? '').replaceAll(';', ','))
  return [of.use, ...texts].join(BETWEEN).replace(/[; ]+$/, '')
}

const oneOf =
  (...words: readonly string[]) =>
  (): Detail => ({ rule: 'one_of', words })
const breaks = (rule: 'isrc' | 'date' | 'track' | 'language') => (): Detail => ({ rule })

const RELEASE_COLUMNS: readonly Column[] = [
  {
    ...{ name: 'release_title', member: 'title', read: needed },
    others: ['album title', 'album', 'release', 'release name', '앨범명', '앨범 제목', '앨범', '릴리스'],
  },
  {
    ...{ name: 'release_artist', member: 'artist', read: needed },
    others: ['album artist', '앨범 아티스트', '릴리스 아티스트'],
  },
  {
    ...{ name: 'kind', member: 'kind', others: ['type', '종류'], rule: oneOf(...RELEASE_KINDS) },
    read: code((plain) => KIND_WORDS.get(plain.toLowerCase())),
  },
  {
    ...{ name: 'release_date', member: 'release_date', others: ['date', '발매일', '발매 날짜'], rule: breaks('date') },
    read: code(dateOf, ''),
  },
  { name: 'label', member: 'label', others: ['레이블'], read: text },
  {
    ...{ name: 'upc', member: 'upc', others: ['ean', 'barcode', '바코드'], read: upc },
    rule: (cell) => ({ rule: ROUNDED.test(cell) ? 'rounded' : 'upc' }),
  },
  { name: 'genre', member: 'genre', others: ['장르'], read: text },
  {
    ...{ name: 'language', member: 'language', others: ['언어'], rule: breaks('language') },
    read: code(languageOf, ''),
  },
  { name: 'p_line', member: 'p_line', others: ['℗'], read: text },
  { name: 'c_line', member: 'c_line', others: ['©'], read: text },
  { name: `${AI}artwork`, member: `${AI}artwork`, others: [], read: statement, rule: oneOf(...AI_USES) },
]

const trackColumn = (member: string, read: Column['read'], others: readonly string[] = []): Column => ({
  ...{ name: member, member, others, read },
})

const TRACK_COLUMNS: readonly Column[] = [
  trackColumn('title', needed, ['track title', '곡명', '곡 제목', '트랙 제목', '제목', 'track']),
  trackColumn('version', text, ['버전']),
  trackColumn('artists', list, ['track artist', 'artist', '아티스트', '가수']),
  trackColumn('featured_artists', list, ['featured artist', 'featuring', 'feat', '피처링', '피처링 아티스트']),
  trackColumn('composers', list, ['composer', '작곡가', '작곡']),
  trackColumn('lyricists', list, ['lyricist', '작사가', '작사']),
  { ...trackColumn('isrc', code(isrcOf, '')), rule: breaks('isrc') },
  { ...trackColumn('explicit', flag, ['19금', '청소년 유해']), rule: oneOf('yes', 'no') },
  trackColumn('gap_before_seconds', number),
  { ...trackColumn('gap_in_file', flag), rule: oneOf('yes', 'no') },
  { ...trackColumn('continuous_with_next', flag), rule: oneOf('yes', 'no') },
  trackColumn('trim_start_seconds', number),
  trackColumn('trim_end_seconds', number),
  trackColumn('fade_in_seconds', number),
  { ...trackColumn('fade_in_shape', lower), rule: oneOf(...FADE_SHAPES) },
  trackColumn('fade_out_seconds', number),
  { ...trackColumn('fade_out_shape', lower), rule: oneOf(...FADE_SHAPES) },
  ...DISCLOSURE_CATEGORIES.map((name) => ({ ...trackColumn(AI + name, statement), rule: oneOf(...AI_USES) })),
  trackColumn('job_id', lower),
  trackColumn('source_id', lower),
]

const NUMBER: Column = {
  ...trackColumn('track_number', trackNumber, ['track no', 'track no.', '트랙 번호', '트랙번호']),
  others: ['track no', 'track no.', '트랙 번호', '트랙번호', 'no', 'no.', 'number', '#', '번호', '트랙', 'track'],
  rule: breaks('track'),
}
const IDENTIFIER = trackColumn('track_id', lower)

/** Names of the files of a set, one for each track. */
export interface FileColumn {
  readonly heading: string
  readonly names: readonly string[]
}

/** Returns a release as a table with every column, and the columns of its files if it has been exported. */
export function releaseCsv({ facts, tracks }: ReleaseRecord, files: readonly FileColumn[] = []): string {
  const all: Readonly<Record<string, unknown>> = {
    ...facts,
    [`${AI}artwork`]: statementCell(facts.disclosure?.artwork),
  }
  const ofRelease = RELEASE_COLUMNS.map(({ member }) => cellOf(all[member]))
  const known = [NUMBER, ...TRACK_COLUMNS, ...RELEASE_COLUMNS, IDENTIFIER].map(({ name }) => name)
  const header = [...known, ...files.map(({ heading }) => heading)]
  const rows = tracks.map((track, index) => [
    ...[String(index + 1), ...trackCells(track, facts), ...ofRelease, track.trackId],
    ...files.map(({ names }) => names[index] ?? ''),
  ])
  return writeTable(header, rows)
}

function trackCells({ facts, sourceId, jobId }: TrackRecord, { disclosure }: ReleaseRecord['facts']): string[] {
  const stated = trackDisclosure(disclosure, facts.disclosure)
  const ofAi = DISCLOSURE_CATEGORIES.map((category) => [AI + category, statementCell(stated[category])])
  const all = { ...facts, source_id: sourceId, job_id: jobId, ...Object.fromEntries(ofAi) }
  return TRACK_COLUMNS.map(({ member }) => cellOf(all[member]))
}

function cellOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(BETWEEN)
  return value === undefined ? '' : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}

/**
 * Reads the rows of a table. Columns are recognised by their headings, in any order and case; unknown ones are returned, and so are
 * unusable cells. Throws INVALID_REQUEST without any known column of a track.
 */
export function readRows({ header, rows }: Table): TrackTable {
  const faults = new CellFaults()
  const places = placesOf(header, faults)
  if (!TRACK_COLUMNS.some(({ name }) => places.has(name))) throw invalidRequest('csv_no_columns', { param: 'file' })
  const read = rows.map(({ row, cells }): TrackRow => {
    const named = new Map([...places].map(([name, place]) => [name, { heading: header[place]!, text: cells[place]! }]))
    for (const [beyond, cell] of cells.slice(header.length).entries())
      if (cell.trim() !== '') faults.add(row, columnOf(header.length + beyond, cell), { rule: 'no_heading' })
    const valuesOf = <Change>(columns: readonly Column[], schema?: TObject) =>
      valuesIn({ row, cells: named }, { columns, faults, schema }) as Change
    const { track_id, track_number } = valuesOf<{ track_id?: string; track_number?: number }>([IDENTIFIER, NUMBER])
    return {
      ...{ row, cells: named },
      release: valuesOf<ReleaseChange>(RELEASE_COLUMNS, ReleaseChange),
      track: valuesOf<TrackChange>(TRACK_COLUMNS, TrackChange),
      ...(track_id === undefined ? {} : { trackId: track_id }),
      ...(track_number === undefined ? {} : { trackNumber: track_number }),
    }
  })
  const known = new Set(places.values())
  const ignored = header.flatMap((heading, place) => {
    if (known.has(place)) return []
    return heading !== '' ? [heading] : rows.some(({ cells }) => cells[place]!.trim() !== '') ? [`#${place + 1}`] : []
  })
  return { rows: read, ignored, faults }
}

/** Returns the name of a column without a heading: its number. */
const columnOf = (place: number, cell: string): Cell => ({ heading: `#${place + 1}`, text: cell })

/** Normalises a heading for comparison: lower case, plain blanks, no marks of a required field. */
const plainHeading = (heading: string) =>
  cleanName(heading)
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .replace(/\s*[*:]+$/, '')

/**
 * Returns the positions of the columns in a header, by their names: first every column under its own name, then each remaining one under
 * the first of its other headings that is not taken. A duplicate name is a fault.
 */
function placesOf(header: readonly string[], faults: CellFaults): ReadonlyMap<string, number> {
  const headings = header.map(plainHeading)
  const places = new Map<string, number>()
  const columns = [...RELEASE_COLUMNS, ...TRACK_COLUMNS, NUMBER, IDENTIFIER]
  for (const { name } of columns) {
    const [place, again] = [...headings.keys()].filter((at) => headings[at] === plainHeading(name))
    if (place !== undefined) places.set(name, place)
    if (again !== undefined) faults.add(1, { heading: header[again]!, text: '' }, { rule: 'column_twice' })
  }
  for (const { name, others } of columns) {
    if (places.has(name)) continue
    const taken = new Set(places.values())
    const free = others.map((other) => headings.findIndex((heading, at) => heading === other && !taken.has(at)))
    const place = free.find((at) => at >= 0)
    if (place !== undefined) places.set(name, place)
  }
  return places
}

/** Reads the cells of some columns in a row; unusable ones become faults. */
function valuesIn(
  { row, cells }: Pick<TrackRow, 'row' | 'cells'>,
  { columns, faults, schema }: { columns: readonly Column[]; faults: CellFaults; schema: TObject | undefined },
): object {
  const entries = columns.flatMap(({ name, member, read, rule }) => {
    const cell = cells.get(name)
    const value = cell && read(cell.text)
    if (cell === undefined || value === undefined) return []
    const property = schema?.properties[member]
    const fault = property && schemaFault(property, value)
    if (value !== null && !fault) return [[member, value] as const]
    const broken = rule ? rule(cell.text.trim()) : (fault?.detail ?? { rule: 'form' })
    // The same text for the release in every row is one mistake.
    faults.add(row, cell, broken, schema === ReleaseChange)
    return []
  })
  return withDisclosure(entries)
}

/** Returns the members of a row, with the statements about AI as one. */
function withDisclosure(entries: readonly (readonly [string, unknown])[]): object {
  const isStatement = ([member]: readonly [string, unknown]) => member.startsWith(AI)
  const disclosure: ReleaseDisclosureChange = Object.fromEntries(
    entries
      .filter(isStatement)
      .map(([member, value]) => [member.slice(AI.length), value === TAKEN_BACK ? null : value]),
  )
  const others = Object.fromEntries(entries.filter((entry) => !isStatement(entry)))
  return Object.keys(disclosure).length > 0 ? { ...others, disclosure } : others
}
