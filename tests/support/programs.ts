import { spawnSync } from 'node:child_process'
import { test } from 'vitest'

/** Returns whether a program is on the PATH. */
export function hasProgram(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
}

/** Returns the entries whose program is installed; each other one becomes a skipped test that says what is missing. */
export function whereInstalled<Entry>(entries: readonly Entry[], programOf: (entry: Entry) => string): Entry[] {
  return entries.filter((entry) => {
    const program = programOf(entry)
    const isThere = hasProgram(program)
    if (!isThere) test.skipIf(true)(`what is tested with ${program} (skipped: it is not installed)`, () => {})
    return isThere
  })
}
