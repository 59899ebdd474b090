/** Reason why the database cannot be used. */
export type DatabaseFault = 'busy' | 'full' | 'read_only' | 'corrupt' | 'newer' | 'changed_migration' | 'failed'

/** Error for an unusable database; `startFailureText` explains the cause and the remedy. */
export class DatabaseError extends Error {
  readonly fault: DatabaseFault
  /** The file and its newest backup from an upgrade; only for a damaged one. */
  readonly damaged: { readonly file: string; readonly backup?: string } | undefined

  constructor(fault: DatabaseFault, cause?: unknown, damaged?: DatabaseError['damaged']) {
    super(`the database cannot be used: ${fault}`, cause === undefined ? undefined : { cause })
    this.name = 'DatabaseError'
    this.fault = fault
    this.damaged = damaged
  }
}

/** Error for a chosen data directory that contains other files. */
export class DataDirectoryError extends Error {
  /** True if the folder is `Loudsmith` inside the named one. */
  readonly isInside: boolean

  constructor(folder: string, isInside: boolean) {
    super(`${folder} holds files that are not Loudsmith's`)
    this.name = 'DataDirectoryError'
    this.isInside = isInside
  }
}

/** Returns which fault an error of SQLite is: its extended result codes, mostly without their extensions. Never throws. */
export function databaseFault(thrown: unknown): DatabaseFault {
  const code = String((thrown as { code?: unknown } | null)?.code ?? '')
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'busy'
  // The file beside the database that could not be made larger.
  if (/^SQLITE_FULL|^SQLITE_IOERR_SHMSIZE|^ENOSPC|^EDQUOT/.test(code)) return 'full'
  if (/^SQLITE_(READONLY|PERM|CANTOPEN)|^EROFS|^EACCES|^EPERM/.test(code)) return 'read_only'
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return 'corrupt'
  return 'failed'
}

/**
 * Returns the error of a failed start: errors of the system and SQLite as a {@link DatabaseError}, which has a sentence for the user; every
 * other error as it is.
 */
export function startFailure(error: unknown): unknown {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown }
  if (syscall === undefined && !/^SQLITE_/.test(String(code))) return error
  // The system reports ENOENT if a folder cannot be created, and EEXIST if a file has its name.
  const cannotBeMade = ['ENOENT', 'EEXIST', 'ENOTDIR', 'EISDIR'].includes(String(code))
  return new DatabaseError(cannotBeMade ? 'read_only' : databaseFault(error), error)
}
