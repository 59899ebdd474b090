import { availableParallelism, loadavg } from 'node:os'

/**
 * Times by which every limit of a test is stretched: 1 on a quiet machine, so that a missing event fails within a minute. `.ci/run`
 * measures it (scripts/test-slack.ts), `npm run campaign` has no limits; without `LOUDSMITH_TEST_SLACK` the machine's load tells, 10 at most.
 */
const slack =
  Number(process.env.LOUDSMITH_TEST_SLACK) || Math.min(10, Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()))

export const TEST_LIMIT_MS = 60_000 * slack
export const POLL_LIMIT_MS = 30_000 * slack
