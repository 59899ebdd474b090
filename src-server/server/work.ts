import { availableParallelism } from 'node:os'
import { createBatchService } from '../batch/batch-service.ts'
import { createCoverOf } from '../batch/song-cover.ts'
import { WatchFolders } from '../batch/watch-folders.ts'
import { createAnalyse } from '../jobs/analyse.ts'
import { createIdempotency } from '../jobs/idempotency.ts'
import { Jobs } from '../jobs/jobs.ts'
import { Scheduler } from '../jobs/scheduler.ts'
import { createSettle } from '../jobs/settle.ts'
import { resultBytes, Submissions } from '../jobs/submit.ts'
import { createWorkerPool, forkWithNode } from '../jobs/worker-pool.ts'
import { createInspect } from '../uploads/inspect.ts'
import { probeAudio } from '../uploads/probe.ts'
import { createStorage } from '../uploads/storage.ts'
import type { Core, ServiceDeps } from './core.ts'
import { ENGINE_FILE } from './paths.ts'

/** Builds what works: uploads, jobs with their engine processes, and the app's batch. Nothing runs yet. */
export function createWork(deps: ServiceDeps, core: Core, stopping: AbortSignal) {
  const { dataDir, config, clock, random, log, baseUrl } = deps
  const { db, settings, plan, ledger, notify, folders, store, time, removals, retention, spareRoom, ffmpeg } = core
  const usedBytes = () => store.storedBytes() + batchService.sources.storedBytes()
  const storage = createStorage({
    dataDir,
    usedBytes,
    reservedBytes: () =>
      store.unfinished().reduce((sum, { song, request }) => sum + resultBytes(song, request.settings), 0),
    quotaBytes: () => settings.read().disk_quota_bytes,
  })
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
  const settle = createSettle({
    db,
    clock,
    store,
    ledger,
    notify,
    baseUrl,
    expiryOf: (completedAtMs) => retention.expiryOf(completedAtMs),
    onEnded: (job) => batchService.jobEnded(job),
  })
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
    finishedJobs: core.finishedJobs,
    sourceJobs: core.sourceJobs,
    workers,
    notify,
    spareRoom,
  })
  const inspect = createInspect({ ffmpeg, probe: probeAudio })
  const coverOf = createCoverOf(ffmpeg)
  const watchFolders = new WatchFolders({
    db,
    clock,
    random,
    log,
    tmp: folders.tmp,
    dataDir,
    sources: batchService.sources,
    batch: batchService.batch,
    inspect,
    coverOf,
    storage,
  })
  const analyse = createAnalyse({ pool, log, ffmpeg, stopping })
  return {
    usedBytes,
    storage,
    pool,
    idempotency,
    submissions,
    scheduler,
    jobs,
    batchService,
    inspect,
    coverOf,
    watchFolders,
    analyse,
  }
}

export type Work = ReturnType<typeof createWork>
