/** Types that the commands of the batch share. */
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import type { Db } from '../db/open.ts'
import type { Caller } from '../http/route.ts'
import type { JobStore } from '../jobs/store.ts'
import type { MasterRequest } from '../uploads/form.ts'
import type { SpareRoom } from '../uploads/spare-room.ts'
import type { BatchCommon, BatchRow, BatchStore } from './batch-store.ts'
import type { Sources } from './sources.ts'
import type { WatchFolderStore } from './watch-folder-store.ts'

/** Request for the job of one song. */
export interface BatchJob {
  readonly caller: Caller
  readonly request: MasterRequest
  readonly song: StoredSong
  readonly reference?: StoredSong
  readonly batchId: string
  readonly sourceId: string
}

/** The jobs as the batch uses them. */
export interface BatchJobs {
  /** Creates a job and charges it. Throws an AppError. */
  submit(job: BatchJob): unknown
  cancel(jobId: string): unknown
  /** Jobs that the plan allows to start now. */
  freeSlots(): number
}

export interface BatchDeps {
  readonly db: Db
  readonly clock: Clock
  /** Time by which songs are forgotten, milliseconds since 1970; the clock's own when absent. */
  readonly trustedNow?: () => number
  readonly random: Random
  readonly log: Log
  readonly sources: Sources
  readonly jobs: BatchJobs
  readonly jobStore: Pick<
    JobStore,
    'countUnfinishedOfSources' | 'isInBatch' | 'listOfSource' | 'listSweptSources' | 'listUnfinishedOfSource'
  >
  /** Engine processes that may run at once, at this moment. */
  readonly workers: () => number
  readonly spareRoom: Pick<SpareRoom, 'use'>
  /** Records the event that the batch has changed, and publishes it after the commit. */
  readonly notify: { record(event: { event: 'desk.changed' }): unknown; committed(): void }
}

/** Parts of the batch that its commands share. */
export interface BatchCore extends Pick<BatchDeps, 'clock' | 'random' | 'sources' | 'jobs' | 'jobStore'> {
  readonly trustedNow: () => number
  readonly store: BatchStore
  readonly watchFolders: WatchFolderStore
  /** Returns the settings, presets and pause that all songs share. */
  readonly common: () => BatchCommon
  readonly change: (run: () => void) => void
  readonly changeFreeing: (run: () => void) => void
  readonly feed: () => void
  /** Throws NOT_FOUND. */
  readonly requireSong: (sourceId: string) => BatchRow & { isRemoved: boolean }
}
