/** What only the app has: stored songs, the batch, and the masters in the user's own folder. */
import path from 'node:path'
import type { Analysis } from '../../src-contract/jobs.ts'
import type { Log } from '../../src-system/log.ts'
import type { Chance, Clock } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import type { Removals } from '../db/removals.ts'
import { createBatch } from './batch.ts'
import type { BatchDeps, BatchJobs } from './batch-core.ts'
import { createOutputDelivery, type OutputDeliveryArguments } from './output-delivery.ts'
import { createSources } from './sources.ts'

export interface AppSessionArguments {
  readonly db: Db
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  readonly trustedNow?: () => number
  readonly dataDir: string
  readonly removals: Removals
  readonly outputFolder: (jobId: string) => string | null
  readonly jobs: BatchJobs & OutputDeliveryArguments['jobs']
  readonly jobStore: BatchDeps['jobStore'] & OutputDeliveryArguments['jobStore']
  /** Engine processes that may run at once, at this moment. */
  readonly workers: () => number
  readonly spareRoom: BatchDeps['spareRoom']
  readonly notify: {
    record(event: { event: 'desk.changed' } | { event: 'job.delivered'; jobId: string }): unknown
    committed(): void
  }
}

const SWEEP_EVERY_MS = 3_600_000

/** Makes the app's side of the service. It works out of the batch and delivers from `start` to `close`. */
export function createAppSession(arguments_: AppSessionArguments) {
  const { clock, log, dataDir } = arguments_
  const sources = createSources({ ...arguments_, folder: path.join(dataDir, 'sources') })
  const batch = createBatch({ ...arguments_, sources })
  const delivery = createOutputDelivery(arguments_)
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

    /** Call after a job has ended: its masters are delivered and the next song gets its turn. Never throws. */
    jobEnded(job: { readonly jobId: string; readonly state: string }): void {
      if (job.state === 'done') delivery.add(job.jobId)
      batch.feed()
    },

    /** Call when plan, credits or the number of engine processes have changed. Never throws. */
    feed: batch.feed,

    /** Keeps an analysis with its song and tells the app. */
    saveAnalysis(sourceId: string, analysis: Analysis): void {
      batch.note(() => sources.saveAnalysis(sourceId, analysis))
    },

    /** Clears left-overs, now and every hour. */
    startSweep: sweep,

    /** Goes on with the batch and with deliveries. */
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

export type AppSession = ReturnType<typeof createAppSession>
