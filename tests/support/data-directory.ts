import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { MARKER_FILE } from '../../src-server/db/data-directory.ts'

/** Makes a folder a data directory of ours, as an earlier start leaves it, so that a test can put something into it first. */
export function markDirectory(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const marker = { database_id: '00000000-0000-4000-8000-000000000000' }
  writeFileSync(path.join(folder, MARKER_FILE), JSON.stringify(marker), { mode: 0o600 })
}
