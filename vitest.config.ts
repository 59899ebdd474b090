import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    environment: 'node',
    pool: 'forks',
    // As src-server/compilers.ts does for the programs.
    execArgv: ['--no-maglev'],
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A machine may be busy: what comes late has come.
    expect: { poll: { timeout: 20_000 } },
    reporters: ['default', './tests/support/closing-lines.ts'],
  },
})
