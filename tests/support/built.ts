/**
 * Programs that tests start, bundled as they are shipped: a program starts from its bundle in half the processor time. The run of the tests bundles
 * them first, where a source is newer.
 */
import { globSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.join(import.meta.dirname, '../..')
const FOLDER = path.join(ROOT, 'dist/tests')

export const CLI = path.join(FOLDER, 'cli.js')
/** The body of the command line: runs each time it is imported under a new address. */
export const CLI_MODULE = path.join(FOLDER, 'cli-main.js')
export const ENGINE = path.join(FOLDER, 'worker.js')
/** A server in a process of its own (serve-process.ts). */
export const SERVER = path.join(FOLDER, 'serve-process.js')
const SERVER_SOURCE = 'tests/support/serve-process.ts'

/** Bundles the programs unless that has been done since a source was changed. Throws what the bundler found wrong. */
export async function setup(): Promise<void> {
  const stamp = path.join(FOLDER, 'bundled')
  const sources = globSync(['src-*/**/*', SERVER_SOURCE, 'vite.main.config.ts', 'package-lock.json'], { cwd: ROOT })
  const changedAtMs = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (sources.every((source) => changedAtMs(path.join(ROOT, source)) < changedAtMs(stamp))) return
  const startedAt = new Date()
  // Loaded here: tests that only ask where a program stands have no use for the bundler.
  const { build } = await import('vite')
  await build({
    configFile: path.join(ROOT, 'vite.main.config.ts'),
    logLevel: 'error',
    build: { outDir: FOLDER, rolldownOptions: { input: { 'serve-process': SERVER_SOURCE } } },
  })
  writeFileSync(stamp, '')
  utimesSync(stamp, startedAt, startedAt)
}
