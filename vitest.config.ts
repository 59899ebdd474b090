import './src-system/direct-loopback.ts'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { POLL_LIMIT_MS, TEST_LIMIT_MS } from './tests/support/limits.ts'
import { quickFfmpeg } from './tests/support/quick-ffmpeg.ts'

const FILES = globSync('tests/**/*.test.ts', { cwd: import.meta.dirname }).map((file) => file.replaceAll('\\', '/'))
/** What a file replaces or sets for its whole process, and with it for every file that would share it. */
const changesItsProcess = /\bvi\.mock\(|process\.umask\(|process\.env\.\w+ = |delete process\.env/
const own = FILES.filter((file) => changesItsProcess.test(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')))

/** Folders whose files start whole programs and wait for them: begun last, one of them would keep a single core busy at the end. */
const WAITING = ['/tests/server/process/', '/tests/cli/', '/tests/server/auditions/', '/tests/examples/']

/** Order in which the files that take longest are begun first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => WAITING.some((folder) => moduleId.includes(folder))
    const others = await super.sort(files)
    return [...others.filter(isLong), ...others.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    environment: 'node',
    // Programs are started by the hundred: what Node has compiled for one serves the next.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'dist/compiled'), ...quickFfmpeg() },
    pool: 'forks',
    globalSetup: ['tests/support/built.ts'],
    setupFiles: ['tests/support/give-back.ts'],
    // As src-system/compilers.ts does for the programs.
    execArgv: ['--no-maglev'],
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    testTimeout: TEST_LIMIT_MS,
    hookTimeout: TEST_LIMIT_MS,
    expect: { poll: { timeout: POLL_LIMIT_MS } },
    reporters: ['default', './tests/support/closing-lines.ts'],
    projects: [
      // Loading what is tested takes longer than most files: a process that serves many loads it once.
      { extends: true, test: { name: 'shared', include: ['tests/**/*.test.ts'], exclude: own, isolate: false } },
      { extends: true, test: { name: 'own', include: own } },
    ],
  },
})
