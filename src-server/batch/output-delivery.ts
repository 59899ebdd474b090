/** Delivers the masters of finished jobs to the output folder, one job at a time, and resumes interrupted deliveries. */
import path from 'node:path'
import { realPath } from '../../src-system/disk.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock } from '../../src-system/system.ts'
import type { JobFiles } from '../artifacts/job-files.ts'
import type { Db } from '../db/open.ts'
import { retryWrite } from '../db/retry-write.ts'
import type { FinishedJobs } from '../jobs/finished-jobs.ts'
import { copyMasters } from './output-folder.ts'

export interface OutputDeliveryDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Folder for the masters of a job; null for none. */
  readonly outputFolder: (jobId: string) => string | null
  readonly jobs: { files(jobId: string): JobFiles | undefined }
  readonly finishedJobs: Pick<FinishedJobs, 'listUndelivered' | 'setOutputFolder'>
  readonly notify: { record(event: { event: 'job.delivered'; jobId: string }): unknown; committed(): void }
}

/** A delivery that could not be made, or was interrupted, is tried again within this time: a removed disk may come back. */
const CATCH_UP_MS = 86_400_000
/** Pause before a failed delivery is tried again, ms. */
const TRY_AGAIN_MS = 600_000
/**
 * Time for copies in progress when the server stops, ms: the masters of a song that has just ended still arrive, and a network drive
 * that hangs does not hold up the end.
 */
const ARRIVAL_GRACE_MS = 5_000

/** The delivery. A folder that cannot be written costs the job nothing: the masters stay here. */
export class OutputDelivery {
  readonly #deps: OutputDeliveryDeps
  readonly #closing = new AbortController()
  readonly #queued = new Set<string>()
  #queue = Promise.resolve()
  #stopTimer: (() => void) | undefined

  constructor(deps: OutputDeliveryDeps) {
    this.#deps = deps
  }

  /** Delivers a finished job after those before it. Never throws. */
  add(jobId: string): void {
    this.#queued.add(jobId)
    this.#queue = this.#queue
      .then(() => this.#deliver(jobId))
      .catch((cause: unknown) => {
        if (this.#closing.signal.aborted) return
        this.#deps.log.warn('masters could not be put into the output folder', { jobId, cause })
        this.#tryAgainLater()
      })
      .finally(() => this.#queued.delete(jobId))
  }

  /** Delivers what finished within the last day and was not delivered; what fails is tried again every ten minutes of that day. */
  catchUp(): void {
    const { clock, finishedJobs } = this.#deps
    for (const jobId of finishedJobs.listUndelivered(clock.now() - CATCH_UP_MS))
      if (!this.#queued.has(jobId)) this.add(jobId)
  }

  /** Resolves when everything added so far has been delivered or given up. */
  idle(): Promise<void> {
    return this.#queue
  }

  /** Waits up to 5 s for deliveries in progress, aborts the rest, removes partial files and resolves. */
  async close(): Promise<void> {
    await Promise.race([this.#queue, this.#deps.clock.sleep(ARRIVAL_GRACE_MS)])
    this.#closing.abort(new Error('Loudsmith is stopping'))
    await this.#queue
    this.#stopTimer?.()
  }

  async #deliver(jobId: string): Promise<void> {
    const { clock, log, outputFolder, jobs, notify } = this.#deps
    const { signal } = this.#closing
    const parent = outputFolder(jobId)
    const result = jobs.files(jobId)?.result
    if (parent === null || !result || signal.aborted) return
    const files = [
      ...new Set(result.masters.flatMap(({ file, files: further = [] }) => [file, ...further.map((one) => one.file)])),
    ]
    const made = await copyMasters(await realPath(parent), { ...result, files }, clock, signal)
    const folder = path.join(parent, path.basename(made))
    await retryWrite(() => this.#noteDelivered(jobId, folder), {
      clock,
      signal,
      onFailure: (cause) => log.error('a delivery to the output folder could not be noted', { jobId, cause }),
    })
    notify.committed()
  }

  #noteDelivered(jobId: string, folder: string): void {
    const { db, finishedJobs, notify } = this.#deps
    db.transaction(() => {
      if (finishedJobs.setOutputFolder(jobId, folder)) notify.record({ event: 'job.delivered', jobId })
    })()
  }

  #tryAgainLater(): void {
    this.#stopTimer ??= this.#deps.clock.after(TRY_AGAIN_MS, () => {
      this.#stopTimer = undefined
      try {
        this.catchUp()
      } catch (cause) {
        this.#deps.log.error('the masters to deliver could not be looked up', { cause })
        this.#tryAgainLater()
      }
    })
  }
}
