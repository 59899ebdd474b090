import type { Clock } from '../system.ts'
import { databaseFault } from './fault.ts'

const TRIES = 5
const PAUSE_MS = 300

/**
 * Runs a transaction that another program's lock may hold up, again after a pause in which others are answered, and returns what it
 * returns. For what would be dear to ask for again, such as an upload. Throws what `run` throws, a lock after about two seconds.
 */
export async function whenUnlocked<Result>(clock: Pick<Clock, 'sleep'>, run: () => Result): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return run()
    } catch (error) {
      if (databaseFault(error) !== 'busy' || tries === TRIES) throw error
      await clock.sleep(PAUSE_MS)
    }
  }
}
