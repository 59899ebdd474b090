/** Releases that the rows of a table make. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { MAX_TITLE_LENGTH } from '../../src-contract/limits.ts'
import type { ReleaseChange, ReleaseKind } from '../../src-contract/releases.ts'
import type { TrackRow, TrackTable } from './csv-columns.ts'
import type { CellFaults } from './csv-faults.ts'

/** Names of the release for a table without them. */
export type ReleaseNames = Pick<ReleaseChange, 'title' | 'artist'>

/** A new release, with the rows of its tracks in order. */
export interface TableRelease {
  readonly facts: ReleaseChange
  readonly rows: readonly TrackRow[]
}

/** Columns of the members that have a different name in tables. */
const COLUMNS: Readonly<Record<string, string>> = {
  ...{ title: 'release_title', artist: 'release_artist', disclosure: 'ai_artwork' },
}

/**
 * Returns the releases of a table in the order of their first rows. Rows with the same title, artist and UPC form one; without a release
 * artist it gets the artists common to all of its tracks. If all tracks have a number, they are sorted by it. Missing, contradictory and
 * duplicate values are added to the faults of the table.
 */
export function releasesOf({ rows, faults }: TrackTable, names: ReleaseNames): TableRelease[] {
  const named = rows.map((row): TrackRow => ({ ...row, release: { ...names, ...row.release } }))
  const [first] = named
  // A missing column is reported once.
  for (const row of named)
    if (row.release.title === undefined && (row === first || row.cells.has('release_title')))
      faults.addAt(row, 'release_title', { rule: 'needed_release' })
  const byKey = Map.groupBy(named, ({ release: { title, artist, upc } }) => JSON.stringify([title, artist, upc]))
  return [...byKey.values()].map((group) => {
    requireDistinct(group, faults)
    const facts = factsOf(group, faults)
    const artist = facts.artist ?? sharedArtist(group, faults)
    return {
      facts: { ...facts, ...(artist === undefined ? {} : { artist }), kind: facts.kind ?? defaultKind(group.length) },
      rows: inNumberOrder(group),
    }
  })
}

/** Adds the cells of number and ISRC that duplicate another row's. */
export function requireDistinct(rows: readonly TrackRow[], faults: CellFaults): void {
  const values = { track_number: (row: TrackRow) => row.trackNumber, isrc: (row: TrackRow) => row.track.isrc }
  for (const [name, read] of Object.entries(values)) {
    const known = new Map<string | number, number>()
    for (const row of rows) {
      const value = read(row)
      if (value === undefined || value === '') continue
      const other = known.get(value)
      if (other === undefined) known.set(value, row.row)
      else faults.addAt(row, name, { rule: 'same_as_row', row: other })
    }
  }
}

/** Tells whether a cell says nothing: it is empty, or the statements of its row are. */
function isBlank(value: unknown): boolean {
  return (
    value === '' || (typeof value === 'object' && value !== null && Object.values(value).every((one) => one === null))
  )
}

/** Returns the facts of a release, each from the first row with a value. Adds contradictory cells of other rows. */
function factsOf(rows: readonly TrackRow[], faults: CellFaults): ReleaseChange {
  const facts: Record<string, unknown> = {}
  const said = new Map<string, number>()
  for (const row of rows)
    for (const [member, value] of Object.entries(row.release)) {
      if (isBlank(value)) continue
      const other = said.get(member)
      if (other === undefined) said.set(member, row.row)
      else if (!isDeepStrictEqual(facts[member], value))
        faults.addAt(row, COLUMNS[member] ?? member, { rule: 'unlike_row', row: other })
      facts[member] ??= value
    }
  return facts as ReleaseChange
}

/** Returns the artists common to all rows; undefined without any, which is a fault. */
function sharedArtist(rows: readonly TrackRow[], faults: CellFaults): string | undefined {
  const [
    {
      track: { artists = [] },
    },
    ...others
  ] = rows as readonly [TrackRow, ...TrackRow[]]
  const shared = artists.filter((name) => others.every(({ track }) => track.artists?.includes(name)))
  const together = shared.join(', ')
  if (shared.length > 0) return together.length > MAX_TITLE_LENGTH ? shared[0] : together
  const unlike = others.find(({ track }) => track.artists?.every((name) => !artists.includes(name))) ?? rows[0]!
  const isEmpty = rows.every(({ track }) => (track.artists ?? []).length === 0)
  faults.addAt(unlike, 'release_artist', { rule: isEmpty ? 'needed_release' : 'release_artist' })
  return undefined
}

function inNumberOrder(rows: readonly TrackRow[]): readonly TrackRow[] {
  const isNumbered = rows.every(({ trackNumber }) => trackNumber !== undefined)
  return isNumbered ? rows.toSorted((one, other) => (one.trackNumber ?? 0) - (other.trackNumber ?? 0)) : rows
}

/** Default kind of a release by its number of tracks: common practice, up to 3 a single and up to 6 an EP. */
function defaultKind(tracks: number): ReleaseKind {
  if (tracks <= 3) return 'single'
  return tracks <= 6 ? 'ep' : 'album'
}
