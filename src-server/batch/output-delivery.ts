/** Delivers the masters of every finished job to the output folder, one job after the other, also those that a stop interrupted. */

import type { Log } from '../../src-system/log.ts'
import type { Clock } from '../../src-system/system.ts'
import type { JobFiles } from '../artifacts/routes.ts'
import type { Db } from '../db/open.ts'
import { retryWrite } from '../db/retry-write.ts'
import type { JobStore } from '../jobs/store.ts'
import { copyMasters } from './output-folder.ts'

export interface OutputDeliveryDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Folder for the masters of a job; null for none. */
  readonly outputFolder: (jobId: string) => string | null
  readonly jobs: { files(jobId: string): JobFiles | undefined }
  readonly jobStore: Pick<JobStore, 'listUndelivered' | 'setOutputFolder'>
  readonly notify: { record(event: { event: 'job.delivered'; jobId: string }): unknown; committed(): void }
}

/** A delivery that could not be made, or was interrupted, is tried again within this time: a disk that was pulled out comes back. */
const CATCH_UP_MS = 86_400_000
/** Pause before a failed delivery is tried again, ms. */
const TRY_AGAIN_MS = 600_000
/**
 * Time for copies in progress when the server stops, ms: the masters of a song that has just ended still arrive, and a network drive
 * that hangs does not hold up the end.
 */
const ARRIVAL_GRACE_MS = 5_000

/** Makes the delivery. A folder that cannot be written costs the job nothing: the masters stay in its ZIP. */
export function createOutputDelivery({ db, clock, log, outputFolder, jobs, jobStore, notify }: OutputDeliveryDeps) {
  const noteDelivered = db.transaction((jobId: string, folder: string) => {
    if (jobStore.setOutputFolder(jobId, folder)) notify.record({ event: 'job.delivered', jobId })
  })
  const closing = new AbortController()
  const queued = new Set<string>()
  let queue = Promise.resolve()
  let stopTimer: (() => void) | undefined

  async function deliver(jobId: string): Promise<void> {
    const parent = outputFolder(jobId)
    const result = jobs.files(jobId)?.result
    if (parent === null || !result || closing.signal.aborted) return
    const files = [...new Set(result.masters.map(({ file }) => file))]
    const masters = { zipPath: result.zipPath, zip: result.zip, files }
    const folder = await copyMasters(parent, masters, clock, closing.signal)
    await retryWrite(() => noteDelivered(jobId, folder), {
      clock,
      signal: closing.signal,
      onFailure: (cause) => log.error('a delivery to the output folder could not be noted', { jobId, cause }),
    })
    notify.committed()
  }

  /** Delivers a finished job after those before it. Never throws. */
  function add(jobId: string): void {
    queued.add(jobId)
    queue = queue
      .then(() => deliver(jobId))
      .catch((cause: unknown) => {
        if (closing.signal.aborted) return
        log.warn('masters could not be put into the output folder', { jobId, cause })
        stopTimer ??= clock.after(TRY_AGAIN_MS, tryAgain)
      })
      .finally(() => queued.delete(jobId))
  }

  function catchUp(): void {
    for (const jobId of jobStore.listUndelivered(clock.now() - CATCH_UP_MS)) if (!queued.has(jobId)) add(jobId)
  }

  function tryAgain(): void {
    stopTimer = undefined
    try {
      catchUp()
    } catch (cause) {
      log.error('the masters to deliver could not be looked up', { cause })
      stopTimer = clock.after(TRY_AGAIN_MS, tryAgain)
    }
  }

  return {
    add,

    /** Delivers what finished within the last day and was not delivered; what fails is tried again every ten minutes of that day. */
    catchUp,

    /** Resolves when everything added so far has been delivered or given up. */
    idle: (): Promise<void> => queue,

    /** Lets what is on its way arrive for at most 5 s, breaks off the rest, removes what is half done and resolves. */
    async close(): Promise<void> {
      await Promise.race([queue, clock.sleep(ARRIVAL_GRACE_MS)])
      closing.abort(new Error('Loudsmith is stopping'))
      await queue
      stopTimer?.()
    },
  }
}
