import path from 'node:path'

/**
 * The command line that tests start: its sources, or with LOUDSMITH_TEST_BUILT what `npm run build` made of them, which is what is
 * shipped and starts in half the processor time.
 */
export const CLI = path.join(
  import.meta.dirname,
  '../..',
  process.env.LOUDSMITH_TEST_BUILT ? 'dist/main/cli.js' : 'src-cli/cli.ts',
)
