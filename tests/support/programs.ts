import { spawnSync } from 'node:child_process'
import { test } from 'vitest'

/** Returns whether a program is on the PATH. */
export function hasProgram(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined
}

/** The Python that `python3` leads to, in one step where a version manager's script stands before it; `python3` where there is none. */
export const python3: string =
  spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).stdout?.trim() || 'python3'

/** Returns the entries whose program is installed; each other one becomes a skipped test that says what is missing. */
export function whereInstalled<Entry>(entries: readonly Entry[], programOf: (entry: Entry) => string): Entry[] {
  return entries.filter((entry) => {
    const program = programOf(entry)
    const isThere = hasProgram(program)
    if (!isThere) test.skipIf(true)(`what is tested with ${program} (skipped: it is not installed)`, () => {})
    return isThere
  })
}
