/** The file that redirects a browser to the page: the only place on disk with a link, which works once and for five minutes. */
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'

/** Returns its path in a data directory. */
export const redirectFile = (dataDir: string) => path.join(dataDir, 'open.html')

/** Removes the file; with `ticket`, only while it contains that ticket. Never throws: a spent link opens nothing. */
export function removeRedirect(dataDir: string, ticket?: string): void {
  const file = redirectFile(dataDir)
  try {
    if (ticket === undefined || readFileSync(file, 'utf8').includes(ticket)) rmSync(file, { force: true })
  } catch {
    // It is missing, or the system locks it: the next start removes it.
  }
}
