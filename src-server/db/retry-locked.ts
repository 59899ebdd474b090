import { type Clock, type RetryPolicy, tryAgain } from '../../src-system/system.ts'
import { databaseFault } from './fault.ts'

const locked: RetryPolicy = { tries: 5, pauseMs: 300, mayPass: (error) => databaseFault(error) === 'busy' }

/**
 * Runs a transaction again after a pause when another program's lock holds it up, and returns its result; other requests are answered
 * meanwhile. For requests that are costly to repeat, such as an upload. Throws as `run` does, and for a lock after about two seconds.
 */
export function retryWhileLocked<Result>(clock: Pick<Clock, 'sleep'>, run: () => Result): Promise<Result> {
  return tryAgain(clock, locked, run)
}
