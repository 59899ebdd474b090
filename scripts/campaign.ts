/**
 * `npm run campaign`: the fuzz run, the kills and the soak of which `npm test` runs a seeded small part, at their full numbers, and
 * the speed under load. A number that the environment sets counts.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const FULL_NUMBERS = { FUZZ_ROUNDS: '10000', KILL_ROUNDS: '100', JOBS_ROUNDS: '500', LOAD_ROUNDS: '2000' }
const FILES = [
  'tests/socket/hostile.test.ts',
  'tests/socket/hostile-values.test.ts',
  'tests/process/load.test.ts',
  'tests/process/killed.test.ts',
  'tests/process/soak.test.ts',
]

const root = path.join(import.meta.dirname, '..')
const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
// One file after the other: what they measure is one server at work.
const { status } = spawnSync(process.execPath, [vitest, 'run', '--no-file-parallelism', ...FILES], {
  cwd: root,
  stdio: 'inherit',
  env: { ...FULL_NUMBERS, ...process.env },
})
process.exitCode = status ?? 1
