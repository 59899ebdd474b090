/** Why the database cannot be used. */
export type DatabaseFault = 'busy' | 'full' | 'read_only' | 'corrupt' | 'newer' | 'changed_migration' | 'failed'

/** The database cannot be used; `startFailureText` says why and what to do. */
export class DatabaseError extends Error {
  readonly fault: DatabaseFault

  constructor(fault: DatabaseFault, cause?: unknown) {
    super(`the database cannot be used: ${fault}`, cause === undefined ? undefined : { cause })
    this.name = 'DatabaseError'
    this.fault = fault
  }
}

/** Returns which fault an error of SQLite is: its extended result codes, mostly without their extensions. Never throws. */
export function databaseFault(thrown: unknown): DatabaseFault {
  const code = String((thrown as { code?: unknown } | null)?.code ?? '')
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy'
  // The file beside the database that could not be made larger.
  if (/^SQLITE_FULL|^SQLITE_IOERR_SHMSIZE|^ENOSPC|^EDQUOT/.test(code)) return 'full'
  if (/^SQLITE_(READONLY|PERM|CANTOPEN)|^EROFS|^EACCES/.test(code)) return 'read_only'
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'corrupt'
  return 'failed'
}
