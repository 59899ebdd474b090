/** Why the program cannot start, as one sentence for a person. */
import type { Words } from './text.ts'

/** What the server's errors carry beside their English sentence. */
interface StartError {
  readonly name?: unknown
  readonly code?: unknown
  /** Of a DatabaseError. */
  readonly fault?: unknown
  /** Of a DirectoryOwnedError: who has the data folder, once it listens. */
  readonly owner?: { readonly port: number }
}

/** Returns the sentence: ours for what the server, the system or the database can say, else the error's own. Pure. */
export function startFailureText(error: unknown, words: Words): string {
  const { name, code, fault, owner } = (error ?? {}) as StartError
  if (name === 'DirectoryOwnedError') return words.folderOwned(owner?.port)
  const ofDatabase = words.databaseFaults[String(fault) as keyof Words['databaseFaults']]
  if (ofDatabase !== undefined) return ofDatabase
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(String(code))) return words.databaseFaults.full
  if (/^(EROFS|EACCES|EPERM|SQLITE_(READONLY|CANTOPEN|PERM))/.test(String(code))) return words.databaseFaults.read_only
  if (/^SQLITE_IOERR/.test(String(code))) return words.diskFault
  return error instanceof Error ? error.message : String(error)
}
