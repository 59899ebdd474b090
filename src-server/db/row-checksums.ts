/** Checksums of the rows of credits and keys: a bit error on disk is detected at the start instead of being trusted. */
import { crc32 } from 'node:zlib'
import { DatabaseError } from './fault.ts'
import type { Db } from './open.ts'

/** Columns in the checksum: all except the ones that reads change. */
const COLUMNS = {
  ledger: { id: 'entry_id', rest: 'kind, amount, once, job_id, note, created_at_ms' },
  api_keys: {
    id: 'serial',
    rest: 'key_id, name, key_hash, last_four, created_at_ms, revoked_at_ms, scope, expires_at_ms',
  },
} as const

type Source = keyof typeof COLUMNS

const crcOf = (values: readonly unknown[]) => crc32(JSON.stringify(values))

/** Records the checksum of a new or changed row, inside the same transaction. */
export function createSeal(db: Db, source: Source): (rowId: number | bigint) => void {
  const { id, rest } = COLUMNS[source]
  const select = db.prepare<[number | bigint], unknown[]>(`SELECT ${id}, ${rest} FROM ${source} WHERE ${id} = ?`).raw()
  const insert = db.prepare('INSERT OR REPLACE INTO row_checksums (source, row_id, crc) VALUES (?, ?, ?)')
  return (rowId) => {
    const values = select.get(rowId)
    if (values) insert.run(source, rowId, crcOf(values))
  }
}

/**
 * Compares every row with its checksum, and adds missing ones: for rows of earlier versions, or of another program. Throws a DatabaseError
 * for a damaged or missing row.
 */
export function verifyRows(db: Db): void {
  for (const source of Object.keys(COLUMNS) as Source[]) {
    const { id, rest } = COLUMNS[source]
    const rows = selectRows(
      db,
      `SELECT crc, ${id}, ${rest} FROM ${source} LEFT JOIN row_checksums ON source = ? AND row_id = ${id}`,
    )
    const unsealed: number[] = []
    let sealed = 0
    for (const [crc, ...values] of rows.iterate(source)) {
      if (crc === null) unsealed.push(values[0] as number)
      else if (crc === crcOf(values)) sealed++
      else throw new DatabaseError('corrupt', new Error(`row ${String(values[0])} of ${source} is damaged`))
    }
    const noted = db.prepare('SELECT count(*) FROM row_checksums WHERE source = ?').pluck().get(source)
    if (noted !== sealed) throw new DatabaseError('corrupt', new Error(`rows of ${source} are gone`))
    const seal = createSeal(db, source)
    db.transaction(() => unsealed.forEach(seal))()
  }
}

/** Prepares the reading of all rows. Throws a DatabaseError for a column whose name in the schema is damaged. */
function selectRows(db: Db, sql: string) {
  try {
    return db.prepare<[string], unknown[]>(sql).raw()
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'SQLITE_ERROR') throw new DatabaseError('corrupt', cause as Error)
    throw cause
  }
}
