/**
 * `npm run campaign`: the full fuzz run, kills and soak (`npm test` runs a small seeded part), the speed under load and with a long
 * history, the faults of a farm and, if N8N_PATH names an n8n, the workflows of examples/n8n in it. Numbers set in the environment take
 * precedence.
 */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

const FULL_NUMBERS = {
  FUZZ_ROUNDS: '10000',
  AUDIO_ROUNDS: '5000',
  MCP_ROUNDS: '50000',
  KILL_ROUNDS: '300',
  JOBS_ROUNDS: '500',
  FARM_SHAPES: '1000',
  BATCH_SONGS: '1000',
  LOAD_ROUNDS: '2000',
  HISTORY_WALKS: '4',
  VERIFY_ROUNDS: '1000',
  RECIPE_ROUNDS: '100000',
  RECIPE_RENDERS: '2000',
  STEM_ROUNDS: '200',
  ZIP_ROUNDS: '1000',
  LOUDSMITH_CAMPAIGN: '1',
  // Practically no limit.
  LOUDSMITH_TEST_SLACK: '1000',
}
const root = path.join(import.meta.dirname, '..')
/** A file takes part by reading one of the numbers, or by importing tests/support/campaign.ts. */
const isPart = new RegExp(`process\\.env\\.(${Object.keys(FULL_NUMBERS).join('|')})\\b|support/campaign\\.ts`)
const FILES = globSync('tests/**/*.test.ts', { cwd: root }).filter((file) =>
  isPart.test(readFileSync(path.join(root, file), 'utf8')),
)

const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
const playwright = path.join(root, 'node_modules', 'playwright', 'cli.js')

function run(program: string, ...options: string[]): number {
  const env = { ...FULL_NUMBERS, ...process.env }
  return spawnSync(process.execPath, [program, ...options], { cwd: root, stdio: 'inherit', env }).status ?? 1
}

// One file at a time: they measure a single server at work.
const service = run(vitest, 'run', '--no-file-parallelism', ...FILES)
const history = run(playwright, 'test', '--project=web', 'e2e/history.web.spec.ts', '-g', 'without a stutter')
const farm = run(path.join(import.meta.dirname, 'farm-faults.ts'))
if (!process.env.N8N_PATH)
  console.warn('SKIPPED: N8N_PATH names no n8n; node scripts/n8n-flows.ts installs one (2.9 GB)')
const n8n = process.env.N8N_PATH ? run(path.join(import.meta.dirname, 'n8n-flows.ts')) : 0
process.exitCode = service || history || farm || n8n
