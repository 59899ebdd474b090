import { availableParallelism } from 'node:os'
import { CodedCopies } from '../artifacts/coded-copies.ts'
import { createBatchService } from '../batch/batch-service.ts'
import { createCoverOf } from '../batch/song-cover.ts'
import { WatchFolders } from '../batch/watch-folders.ts'
import { createAnalyse } from '../jobs/analyse.ts'
import { createIdempotency } from '../jobs/idempotency.ts'
import { Jobs } from '../jobs/jobs.ts'
import { Scheduler } from '../jobs/scheduler.ts'
import { createSettle } from '../jobs/settle.ts'
import type { JobRecord } from '../jobs/store.ts'
import { resultBytes, Submissions } from '../jobs/submit.ts'
import { createWorkerPool, forkWithNode } from '../jobs/worker-pool.ts'
import { createInspect } from '../uploads/inspect.ts'
import { probeAudio } from '../uploads/probe.ts'
import { createStorage } from '../uploads/storage.ts'
import type { Core, ServiceDeps } from './core.ts'
import { ENGINE_FILE } from './paths.ts'

/** Builds what works: uploads, jobs with their engine processes, and the app's batch. Nothing runs yet. */
export function createWork(deps: ServiceDeps, core: Core, stopping: AbortSignal) {
  const usedBytes = () => core.store.storedBytes() + batchWork.batchService.sources.storedBytes()
  const uploads = createUploads(deps, core, usedBytes)
  const jobWork = createJobWork(deps, core, uploads, (job) => batchWork.batchService.jobEnded(job))
  const batchWork = createBatchWork(deps, core, uploads, jobWork)
  const analyse = createAnalyse({ pool: jobWork.pool, log: deps.log, ffmpeg: core.ffmpeg, stopping })
  const { requireDisk } = uploads.storage
  const codedCopies = new CodedCopies({ ffmpeg: core.ffmpeg, requireDisk, stopping })
  return { usedBytes, analyse, codedCopies, ...uploads, ...jobWork, ...batchWork }
}

export type Work = ReturnType<typeof createWork>

type Uploads = ReturnType<typeof createUploads>

/** Builds what looks at incoming songs and at the room for them. */
function createUploads({ dataDir }: ServiceDeps, { store, settings, ffmpeg }: Core, usedBytes: () => number) {
  const storage = createStorage({
    dataDir,
    usedBytes,
    reservedBytes: () =>
      store.unfinished().reduce((sum, { song, request }) => sum + resultBytes(song, request.settings), 0),
    quotaBytes: () => settings.read().disk_quota_bytes,
  })
  return { storage, inspect: createInspect({ ffmpeg, probe: probeAudio }), coverOf: createCoverOf(ffmpeg) }
}

type JobWork = ReturnType<typeof createJobWork>

/** Builds the jobs and what works them off. */
function createJobWork(
  deps: ServiceDeps,
  core: Core,
  { storage }: Uploads,
  onEnded: (job: Pick<JobRecord, 'jobId' | 'state'>) => void,
) {
  const { config, clock, random, log, baseUrl } = deps
  const { db, settings, plan, ledger, notify, folders, store, time, removals, retention, spareRoom, ffmpeg } = core
  const fork = deps.forkEngine ?? forkWithNode(ENGINE_FILE, log)
  const pool = createWorkerPool({ fork, clock, log, graceMs: config.engineGraceMs })
  const idempotency = createIdempotency({ db, clock: time })
  const submissions = new Submissions({
    db,
    clock,
    random,
    store,
    ledger,
    idempotency,
    storage,
    folders,
    notify,
    plan,
  })
  const expiryOf = (completedAtMs: number) => retention.expiryOf(completedAtMs)
  const settle = createSettle({ db, clock, store, ledger, notify, baseUrl, expiryOf, onEnded })
  const workers = () => settings.read().engine_workers
  const scheduler = new Scheduler({
    store,
    folders,
    pool,
    settle,
    notify,
    clock,
    log,
    workers,
    threads: () => Math.max(1, Math.floor(availableParallelism() / workers())),
    ffmpeg,
    jobTimeoutMs: config.jobTimeoutMs,
  })
  const jobs = new Jobs({
    db,
    clock: time,
    store,
    scheduler,
    settle,
    submissions,
    folders,
    removals,
    notify,
    plan,
    spareRoom,
  })
  return { pool, idempotency, submissions, scheduler, jobs, workers }
}

/** Builds the app's batch and the watched folders that fill it. */
function createBatchWork(deps: ServiceDeps, core: Core, uploads: Uploads, { jobs, workers }: JobWork) {
  const { dataDir, clock, random, log } = deps
  const { db, settings, notify, folders, store, finishedJobs, sourceJobs, time, removals, spareRoom } = core
  const batchService = createBatchService({
    db,
    clock,
    random,
    log,
    dataDir,
    trustedNow: () => time.now(),
    removals,
    outputFolder(jobId) {
      const sourceId = store.find(jobId)?.sourceId
      const own = sourceId === undefined ? undefined : watchFolders.outputFolderOf(sourceId)
      return own ?? settings.read().output_folder
    },
    jobs,
    finishedJobs,
    sourceJobs,
    workers,
    notify,
    spareRoom,
  })
  const { sources, batch } = batchService
  const watchFolders = new WatchFolders({
    ...uploads,
    db,
    clock,
    random,
    log,
    tmp: folders.tmp,
    dataDir,
    sources,
    batch,
  })
  return { batchService, watchFolders }
}
