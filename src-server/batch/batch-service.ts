/** Service behind the application's own endpoints: stored songs, the batch, and delivery of masters to the user's folder. */
import path from 'node:path'
import type { BATCH_CHANGED } from '../../src-contract/events.ts'
import type { Analysis } from '../../src-contract/jobs.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import type { Removals } from '../db/removals.ts'
import { Sources } from '../sources/sources.ts'
import { type BatchDeps, type BatchJobs, BatchQueue } from './batch.ts'
import { OutputDelivery, type OutputDeliveryDeps } from './output-delivery.ts'

export interface BatchServiceDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly trustedNow?: () => number
  readonly dataDir: string
  readonly tmp: BatchDeps['tmp']
  readonly removals: Removals
  readonly outputFolder: (jobId: string) => string | null
  readonly jobs: BatchJobs & OutputDeliveryDeps['jobs']
  readonly finishedJobs: OutputDeliveryDeps['finishedJobs']
  readonly sourceJobs: BatchDeps['sourceJobs']
  readonly releasedSources: BatchDeps['releasedSources']
  /** Engine processes that may run at once, at this moment. */
  readonly workers: () => number
  readonly spareRoom: BatchDeps['spareRoom']
  readonly notify: {
    record(event: { event: typeof BATCH_CHANGED } | { event: 'job.delivered'; jobId: string }): unknown
    committed(): void
  }
}

/** Interval of the removal of forgotten songs, ms. */
const SWEEP_EVERY_MS = 3_600_000

/** Creates the service. It submits songs of the batch and delivers masters from `start` to `close`. */
export function createBatchService(deps: BatchServiceDeps) {
  const { clock, log, dataDir } = deps
  const sources = new Sources({ ...deps, folder: path.join(dataDir, 'sources') })
  const batch = new BatchQueue({ ...deps, sources })
  const delivery = new OutputDelivery(deps)
  const stopping = new AbortController()
  let swept: Promise<void> = Promise.resolve()
  let stopTimer: (() => void) | undefined

  function sweep(): void {
    try {
      batch.forgetUnused()
      swept = sources.sweepFiles(stopping.signal)
    } catch (cause) {
      log.error('the sweep of stored songs failed', { cause })
    }
    stopTimer = clock.after(SWEEP_EVERY_MS, sweep)
  }

  return {
    sources,
    batch,

    /** Deletes stored songs, and their files in the background. */
    removeSources(sourceIds: readonly string[]): void {
      deps.spareRoom.use(() => sources.remove(sourceIds))
      void sources.sweepFiles(stopping.signal)
    },

    /** Call after a job has ended: its masters are delivered and the next song gets its turn. Never throws. */
    jobEnded(job: { readonly jobId: string; readonly state: string }): void {
      if (job.state === 'done') delivery.add(job.jobId)
      batch.feed()
    },

    /** Call when plan, credits or the number of engine processes have changed. Never throws. */
    feed: () => batch.feed(),

    /** Stores an analysis with its song and publishes the change. */
    saveAnalysis(sourceId: string, analysis: Analysis, kept: Uint8Array): void {
      batch.note(() => sources.saveAnalysis(sourceId, analysis, kept))
    },

    /** Clears left-overs, now and every hour. */
    startSweep: sweep,

    /** Resumes the batch and the deliveries. */
    start(): void {
      delivery.catchUp()
      batch.feed()
    },

    async close(): Promise<void> {
      stopTimer?.()
      stopping.abort(new Error('the server stops'))
      await Promise.all([swept, delivery.close()])
    },
  }
}

export type BatchService = ReturnType<typeof createBatchService>
