/** Why the program cannot start, as one sentence for a person. */
import type { Words } from './text.ts'

/** Returns the sentence: the server's own, or ours for what the system or the database says in codes. Pure. */
export function startFailureText(error: unknown, words: Words): string {
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)/.test(code)) return words.diskFull
  if (/^(EROFS|EACCES|EPERM|SQLITE_(READONLY|CANTOPEN|PERM))/.test(code)) return words.readOnly
  if (/^SQLITE_IOERR/.test(code)) return words.diskFault
  return error instanceof Error ? error.message : String(error)
}
