/** Folders of tests, under the folder of the system for temporary files. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'

/** Makes a folder and returns its real path. It is removed at the end of the test file or, with `onTestFinished` as `atEnd`, of the test. */
export function temporaryFolder(atEnd: (remove: () => void) => void = afterAll): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'loudsmith-scratch-')))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
