/** Why the database cannot be used. */
export type DatabaseFault = 'busy' | 'full' | 'read_only' | 'corrupt' | 'newer' | 'changed_migration' | 'failed'

const SENTENCES: Record<DatabaseFault, string> = {
  busy: 'The database is locked by another program: close it and start again.',
  full: 'The disk is full: free some space and start again.',
  read_only: 'The data folder cannot be written: make it writable or choose another with --data-dir.',
  corrupt: 'The database is damaged: restore it from a backup in the data folder, or start with another --data-dir.',
  newer: 'The data folder was written by a newer Loudsmith: update Loudsmith, or choose another with --data-dir.',
  changed_migration: 'The database does not match this Loudsmith: a migration that it has run reads differently now.',
  failed: 'The database could not be opened.',
}

/** The database cannot be used; the message says why and what to do. */
export class DatabaseError extends Error {
  readonly fault: DatabaseFault

  constructor(fault: DatabaseFault, cause?: unknown) {
    super(SENTENCES[fault], cause === undefined ? undefined : { cause })
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
