import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { makePrivate } from '../../src-system/disk.ts'
import { DatabaseError, databaseFault } from './fault.ts'
import { copiesOf, type Migration, migrate } from './migrate.ts'

/** The one connection of the process. Statements are short and synchronous; the API thread is the only writer. */
export type Db = Database.Database

/** Longest wait of a statement for another program's lock, ms: the process answers no request meanwhile. */
const BUSY_TIMEOUT_MS = 200
/** The same at the start, when no request is waiting yet and there is no second attempt, ms. */
const OPENING_TIMEOUT_MS = 2000

/**
 * Opens the database `file`, creating it with mode 0600 if necessary, and brings it to the last of `migrations`. Commits survive a loss of
 * power (WAL with synchronous FULL). Throws a {@link DatabaseError} and then leaves nothing open.
 */
export function openDatabase(file: string, migrations: readonly Migration[]): Db {
  let db: Db | undefined
  try {
    const isNew = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0
    // A lost database that was upgraded before is not recreated empty.
    if (isNew && copiesOf(file).length > 0) throw new DatabaseError('corrupt')
    if (!isNew) requireWhole(file)
    db = new Database(file, { timeout: OPENING_TIMEOUT_MS })
    if (isNew) makePrivate(file)
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    // On macOS an ordinary fsync returns while the drive still holds the bytes in its cache.
    db.pragma('fullfsync = ON')
    db.pragma('foreign_keys = ON')
    migrate(db, file, migrations)
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return db
  } catch (error) {
    db?.close()
    throw withPlace(error instanceof DatabaseError ? error : new DatabaseError(databaseFault(error), error), file)
  }
}

/** Adds the file and its newest backup to the error of a damaged database; returns any other as it is. */
export function withPlace(error: unknown, file: string): unknown {
  if (!(error instanceof DatabaseError) || error.fault !== 'corrupt' || error.damaged) return error
  const backup = copiesOf(file).at(-1)
  return new DatabaseError('corrupt', error.cause, { file, ...(backup === undefined ? {} : { backup }) })
}

/** Throws if the structure of a database is damaged. A read-only connection leaves a damaged file as it is. */
function requireWhole(file: string): void {
  const db = new Database(file, { readonly: true, timeout: OPENING_TIMEOUT_MS })
  try {
    const [check] = db.pragma('quick_check(1)') as { quick_check: string }[]
    if (check?.quick_check !== 'ok') throw new DatabaseError('corrupt')
  } finally {
    db.close()
  }
}
