/** Waits for the end of a job, however long it takes. */
import { ApiError, type Client } from './client.ts'
import { isPassing, pause } from './follow-events.ts'
import type { Job } from './jobs.ts'
import { MAX_WAIT_SECONDS } from './limits.ts'

/** Longest pause between two attempts to reach a service that is away, s. */
const MAX_PAUSE_SECONDS = 15

/**
 * Resolves with a job once it is done or failed, at once if it has ended before. The service does the waiting, so no end is missed; a limit
 * of the plan and a restart of the service only delay the answer. Rejects with ApiError, or the reason of the signal.
 */
export async function waitForJob(client: Pick<Client, 'call'>, job_id: string, signal?: AbortSignal): Promise<Job> {
  const args = { params: { job_id }, query: { wait: MAX_WAIT_SECONDS }, ...(signal ? { signal } : {}) }
  for (let failures = 0; ; ) {
    try {
      const job = await client.call('readJob', args)
      if (job.status !== 'queued') return job
      failures = 0
    } catch (error) {
      if (!(error instanceof ApiError) || !(isPassing(error) || error.code === 'UNREACHABLE')) throw error
      failures += 1
      const seconds = error.retryAfterSeconds ?? Math.min(MAX_PAUSE_SECONDS, 2 ** (failures - 1) / 2)
      await pause(seconds * 1000, signal)
    }
  }
}
