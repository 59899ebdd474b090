import { type Clock, type RetryPolicy, tryAgain } from '../../src-system/system.ts'
import { databaseFault } from './fault.ts'

const locked: RetryPolicy = { tries: 5, pauseMs: 300, mayPass: (error) => databaseFault(error) === 'busy' }

/**
 * Runs a transaction that another program's lock may hold up, again after a pause in which others are answered, and returns what it
 * returns. Meant for requests that are costly to repeat, such as an upload. Throws what `run` throws, a lock after about two seconds.
 */
export function retryWhileLocked<Result>(clock: Pick<Clock, 'sleep'>, run: () => Result): Promise<Result> {
  return tryAgain(clock, locked, run)
}
