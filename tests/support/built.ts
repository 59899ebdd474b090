/**
 * Programs that tests start: their sources, or with LOUDSMITH_TEST_BUILT what `npm run build` made of them, which is what is shipped
 * and starts in half the processor time.
 */
import path from 'node:path'

const file = (source: string, built: string) =>
  path.join(import.meta.dirname, '../..', process.env.LOUDSMITH_TEST_BUILT ? built : source)

export const CLI = file('src-cli/cli.ts', 'dist/main/cli.js')
/** What the command line does when it is loaded, each time under another address. */
export const CLI_MODULE = file('src-cli/cli.ts', 'dist/main/cli-main.js')
export const ENGINE = file('src-worker/mastering/worker.ts', 'dist/main/worker.js')
