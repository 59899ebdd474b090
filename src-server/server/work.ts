import path from 'node:path'
import { DEFAULT_SETTINGS, jobSettings } from '../../src-contract/settings.ts'
import { discardFolder, realPath } from '../../src-system/disk.ts'
import { CodedCopies } from '../artifacts/coded-copies.ts'
import { StoredFiles } from '../artifacts/job-files.ts'
import { AuditionProcess } from '../auditions/audition-process.ts'
import { Auditions } from '../auditions/auditions.ts'
import { MasterFiles } from '../auditions/master-files.ts'
import { StemMixes } from '../auditions/stem-mixes.ts'
import { type BatchService, createBatchService } from '../batch/batch-service.ts'
import { BulkBatches } from '../bulk/bulk-batches.ts'
import type { Farm } from '../farm/farm.ts'
import { AppError } from '../http/app-error.ts'
import { type Analyse, createAnalyse } from '../jobs/analyse.ts'
import { createIdempotency } from '../jobs/idempotency.ts'
import { Jobs } from '../jobs/jobs.ts'
import { createMakeExport } from '../jobs/make-export.ts'
import { createMakeMix, createRunMix, type MakeMix } from '../jobs/make-mix.ts'
import { createMakePreview } from '../jobs/preview.ts'
import { createLocalQueue } from '../jobs/queue.ts'
import { createRenderAlone } from '../jobs/render-alone.ts'
import { Scheduler } from '../jobs/scheduler.ts'
import { createSettle } from '../jobs/settle.ts'
import type { JobRecord } from '../jobs/store.ts'
import { jobBytes, Submissions, type SubmissionsDeps } from '../jobs/submit.ts'
import { createWorkerPool, forkWithNode } from '../jobs/worker-pool.ts'
import { ListeningTests } from '../listening/listening-tests.ts'
import { ListeningStore } from '../listening/store.ts'
import { ContentCredentials } from '../releases/content-credentials.ts'
import { ReleaseExports } from '../releases/export.ts'
import { ReleaseMastering } from '../releases/mastering.ts'
import { Releases } from '../releases/releases.ts'
import { seenJob } from '../releases/seen-job.ts'
import { Signer } from '../releases/signing.ts'
import { songMasters } from '../releases/song-masters.ts'
import { requireOutputFolder } from '../settings/chosen-folder.ts'
import { createCoverOf } from '../sources/song-cover.ts'
import { createInspectCover, createReadyCover } from '../uploads/cover.ts'
import { createInspect } from '../uploads/inspect.ts'
import { probeAudio } from '../uploads/probe.ts'
import { createStorage } from '../uploads/storage.ts'
import { WatchFolders } from '../watch/watch-folders.ts'
import type { Core, ServiceDeps } from './core.ts'
import { ENGINE_FILE, VERSION } from './paths.ts'

/** Builds the working parts: uploads, jobs with their engine processes, and the app's batch. Nothing runs yet. */
export function createWork(deps: ServiceDeps, core: Core, farm: Farm | undefined, stopping: AbortSignal) {
  const usedBytes = () => core.store.storedBytes() + batchWork.batchService.sources.storedBytes()
  const uploads = createUploads(deps, core, usedBytes)
  let auditions: Auditions | undefined
  const jobWork = createJobWork(deps, core, uploads, farm, {
    onEnded(job) {
      mastering.feed()
      batchWork.batchService.jobEnded(job)
      manifests.jobEnded(job)
    },
    makeRoom(memoryBytes) {
      if (process.availableMemory() < memoryBytes) auditions?.release()
    },
    analysisPath: (sha256) => batchWork.batchService.sources.analysisPath(sha256),
    stemPartsOf: (sourceId) => batchWork.batchService.sources.stems.partsOf(sourceId),
    stopping,
  })
  const batchWork = createBatchWork(deps, core, uploads, jobWork)
  const analyse = createAnalyse({ pool: jobWork.pool, log: deps.log, ffmpeg: core.ffmpeg, stopping })
  const { requireDisk } = uploads.storage
  const makeMix = createMakeMix({ runMix: jobWork.runMix, log: deps.log })
  const codedCopies = new CodedCopies({ ffmpeg: core.ffmpeg, requireDisk, stopping })
  const hearing = createHearing(deps, core, { uploads, jobWork, batchWork, makeMix }, stopping)
  auditions = hearing.auditions
  const manifests = createBulkBatches(deps, core, { uploads, jobWork, batchWork })
  const mastering = createReleaseMastering(deps, core, { jobWork, batchWork, analyse })
  const releases = createReleases(
    deps,
    core,
    { ...uploads, ...jobWork, sources: batchWork.batchService.sources },
    mastering,
  )
  const releaseExports = createReleaseExports(deps, core, {
    ...{ jobWork, mastering, stopping },
    ...{ storage: uploads.storage, readyCover: uploads.readyCover },
    sources: batchWork.batchService.sources,
  })
  return {
    usedBytes,
    analyse,
    makeMix,
    codedCopies,
    manifests,
    mastering,
    releases,
    releaseExports,
    listening: createListeningTests(deps, core, jobWork.jobs, uploads.storage),
    ...uploads,
    ...jobWork,
    ...batchWork,
    ...hearing,
  }
}

export type Work = ReturnType<typeof createWork>

type Uploads = ReturnType<typeof createUploads>

/** Builds the inspection of incoming songs and their storage. */
function createUploads(
  { dataDir, random }: ServiceDeps,
  { store, settings, ffmpeg, folders, allowedFolders }: Core,
  usedBytes: () => number,
) {
  const storage = createStorage({
    dataDir,
    usedBytes,
    reservedBytes: () => store.unfinished().reduce((sum, { song, request }) => sum + jobBytes(song, request), 0),
    quotaBytes: () => settings.read().disk_quota_bytes,
  })
  const stored = new StoredFiles({
    ...{ random, requireDisk: storage.requireDisk, tmp: folders.tmp },
    openAllowed: (name) => allowedFolders.open(name),
  })
  return {
    storage,
    stored,
    inspect: createInspect({ ffmpeg, probe: probeAudio }),
    inspectCover: createInspectCover(ffmpeg),
    readyCover: createReadyCover(ffmpeg),
    coverOf: createCoverOf(ffmpeg),
  }
}

type JobWork = ReturnType<typeof createJobWork>

/** Builds the jobs and their scheduler. */
function createJobWork(
  deps: ServiceDeps,
  core: Core,
  { storage, stored }: Uploads,
  farm: Farm | undefined,
  {
    onEnded,
    makeRoom,
    analysisPath,
    stemPartsOf,
    stopping,
  }: {
    onEnded: (job: Pick<JobRecord, 'jobId' | 'state'>) => void
    makeRoom: (memoryBytes: number) => void
    analysisPath: (sha256: string) => string
    stemPartsOf: SubmissionsDeps['stemPartsOf']
    stopping: AbortSignal
  },
) {
  const { config, clock, random, log, baseUrl, cores } = deps
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
    stemPartsOf,
    plan,
  })
  const expiryOf = (completedAtMs: number) => retention.expiryOf(completedAtMs)
  const settle = createSettle({ db, clock, store, ledger, notify, baseUrl, expiryOf, onEnded })
  const ownWorkers = () => settings.read().engine_workers
  const workers = () => farm?.liveSlots() ?? ownWorkers()
  const threads = () => Math.max(1, Math.floor(cores / ownWorkers()))
  const runMix = createRunMix({
    ...{ pool, random, ffmpeg, storage, tmp: folders.tmp, timeLimitMs: config.jobTimeoutMs, stopping },
  })
  const scheduler = new Scheduler({
    runMix,
    store,
    folders,
    queue: farm?.queue ?? createLocalQueue({ pool, workers }),
    settle,
    notify,
    clock,
    log,
    threads,
    analysisPath,
    ffmpeg,
    jobTimeoutMs: config.jobTimeoutMs,
    ...(farm ? {} : { makeRoom }),
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
    stored,
    keepAgain: (jobId, bytes) => retention.keepAgain(jobId, bytes),
  })
  return { fork, pool, runMix, idempotency, submissions, scheduler, jobs, workers, threads }
}

/** Builds the app's batch and the watched folders that fill it. */
function createBatchWork(deps: ServiceDeps, core: Core, uploads: Uploads, { jobs, workers }: JobWork) {
  const { dataDir, clock, random, log } = deps
  const { db, settings, notify, folders, store, finishedJobs, sourceJobs, time, removals, spareRoom } = core
  const { releaseStore, runStore, bulkStore } = core
  const batchService = createBatchService({
    db,
    clock,
    random,
    log,
    dataDir,
    tmp: folders.tmp,
    trustedNow: () => time.now(),
    removals,
    outputFolder(jobId) {
      // A release is exported as one folder, and an API batch may have its own folder.
      if (runStore.isJob(jobId) || bulkStore.isDelivered(jobId)) return null
      const sourceId = store.find(jobId)?.sourceId
      const own = sourceId === undefined ? undefined : watchFolders.outputFolderOf(sourceId)
      return own ?? settings.read().output_folder
    },
    jobs,
    finishedJobs,
    sourceJobs,
    releasedSources: () => releaseStore.sourceIds(),
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

/** Builds the batches of the API; their songs are files of this machine, or songs of jobs and of the application. */
function createBulkBatches(
  { clock, random, log }: ServiceDeps,
  core: Core,
  {
    uploads: { storage, inspect, stored },
    jobWork: { jobs, workers },
    batchWork,
  }: {
    readonly uploads: Uploads
    readonly jobWork: JobWork
    readonly batchWork: ReturnType<typeof createBatchWork>
  },
): BulkBatches {
  const { allowedFolders, bulkStore, store, folders, ledger, retention } = core
  return new BulkBatches({
    ...{ clock, random, log, storage, inspect, workers },
    store: bulkStore,
    tmp: folders.tmp,
    allowed: allowedFolders,
    allowedFolder: (name) => allowedFolders.folder(name),
    songOfJob: (jobId) => jobs.song(jobId),
    async withSongOfJob(jobId, use) {
      const files = jobs.files(jobId)
      if (!files) throw new AppError('JOB_NOT_FOUND')
      return stored.withSong(files, use)
    },
    storedSong: (sourceId) => batchWork.batchService.sources.take(sourceId, 'source_id'),
    isStemSet: (sourceId) => batchWork.batchService.sources.stems.has(sourceId),
    submit: (job) => jobs.submit(job),
    unfinished: () => store.countUnfinished({ isBulk: true }),
    balance: () => ledger.balance(),
    freeBytes: () => storage.freeBytes(),
    jobOf: (jobId) => store.find(jobId),
    cancelJob: (jobId) => jobs.cancel(jobId),
    filesOf: (jobId) => jobs.files(jobId),
    async moveOut(jobId, folder, sums, alongside) {
      retention.moveOut(jobId, folder, sums, alongside)
      await discardFolder(folders.result(jobId))
    },
  })
}

/** Builds the releases; their tracks are stored songs and jobs. */
function createReleases(
  { clock, random }: ServiceDeps,
  { db, retention, releaseStore, runStore, notify }: Core,
  { stored, jobs, sources }: Pick<Uploads, 'stored'> & Pick<JobWork, 'jobs'> & Pick<BatchService, 'sources'>,
  mastering: ReleaseMastering,
): Releases {
  return new Releases({
    db,
    clock,
    random,
    store: releaseStore,
    sourceFacts: (sourceId) => sources.facts(sourceId),
    jobFacts: (jobId) => jobs.facts(jobId),
    async hasSong(jobId) {
      const files = jobs.files(jobId)
      return files === undefined || stored.hasSong(files)
    },
    keepJobs: (jobIds) => retention.keepOnly(jobIds),
    mastering,
    masteringJobs: () => runStore.jobIds(),
    onChanged: (releaseId) => notify.progress({ releaseId }),
  })
}

/** Builds the mastering of releases. */
function createReleaseMastering(
  { clock, log }: ServiceDeps,
  core: Core,
  {
    jobWork: { jobs, scheduler, workers },
    batchWork: { batchService },
    analyse,
  }: {
    readonly jobWork: JobWork
    readonly batchWork: ReturnType<typeof createBatchWork>
    readonly analyse: Analyse
  },
): ReleaseMastering {
  const { store, time, ledger, notify, releaseStore, runStore, retention } = core
  return new ReleaseMastering({
    store: releaseStore,
    runs: runStore,
    clock,
    log,
    ledger,
    jobs,
    jobOf(jobId) {
      const job = store.find(jobId)
      return job && seenJob(job, { progress: scheduler.progressOf(jobId)?.progress ?? 0, nowMs: time.now() })
    },
    songOf: ({ jobId, sourceId }) =>
      jobId !== undefined ? jobs.keptSong(jobId) : batchService.sources.findKept(sourceId ?? ''),
    bringBackSong: (jobId) => jobs.bringBackSong(jobId),
    async measure(song, signal) {
      const { loudnessSteps, spectrum, measurement } = await analyse(song, jobSettings(DEFAULT_SETTINGS), { signal })
      const { side_to_mid_db: sideToMidDb, true_peak_dbtp: truePeakDbtp } = measurement
      return { loudnessSteps, spectrum, sideToMidDb, truePeakDbtp }
    },
    workers,
    keepJobs: () => retention.keepOnly([...releaseStore.jobIds(), ...runStore.jobIds()]),
    onChanged: (releaseId) => notify.progress({ releaseId }),
  })
}

/**
 * Builds the export of releases: the masters of a track are those of its record, else those of the newest finished job of its stored song.
 */
function createReleaseExports(
  { config, dataDir, clock, random, log }: ServiceDeps,
  core: Core,
  {
    jobWork: { jobs, pool },
    mastering,
    storage,
    readyCover,
    sources,
    stopping,
  }: {
    readonly jobWork: JobWork
    readonly mastering: ReleaseMastering
    readonly storage: Uploads['storage']
    readonly readyCover: Uploads['readyCover']
    readonly sources: BatchService['sources']
    readonly stopping: AbortSignal
  },
): ReleaseExports {
  const { sourceJobs, settings, releaseStore, folders, ffmpeg, notify } = core
  const { tmp } = folders
  return new ReleaseExports({
    ...createMakeExport({ pool, log, random, ffmpeg, storage, tmp, timeLimitMs: config.jobTimeoutMs, stopping }),
    clock,
    appVersion: VERSION,
    store: releaseStore,
    signer: new Signer(dataDir),
    credentials: new ContentCredentials(dataDir, clock, VERSION),
    onProgress: (progress) => notify.progress(progress),
    mastersOf(track, releaseId) {
      const { jobId, sourceId } = track
      const own = mastering.masterJobOf(releaseId, track)
      const others = jobId !== undefined ? [jobId] : sourceId !== undefined ? sourceJobs.listOf(sourceId) : []
      for (const id of [...(own === undefined ? [] : [own]), ...others]) {
        const masters = songMasters(jobs, id)
        if (masters) return masters
      }
      return undefined
    },
    bringBackSong: (jobId) => jobs.bringBackSong(jobId),
    sourceOf: (sourceId) => sources.find(sourceId),
    requireFolder: (folder, real) => requireOutputFolder(folder, dataDir, { param: 'folder', real }),
    outputFolder: () => settings.read().output_folder,
    readyCover,
    stopping,
  })
}

/** Builds the listening tests over the masters of jobs. */
function createListeningTests(
  { dataDir, clock, random }: ServiceDeps,
  core: Core,
  jobs: JobWork['jobs'],
  storage: Uploads['storage'],
) {
  const { db, folders, settings } = core
  return {
    listeningTests: new ListeningTests({
      ...{ jobs, store: new ListeningStore(db), clock, random, tmp: folders.tmp, requireDisk: storage.requireDisk },
    }),
    outputFolder: () => settings.read().output_folder,
    async ownFolder(folder: string) {
      const real = await realPath(folder)
      await requireOutputFolder(folder, dataDir, { param: 'folder', real })
      return real
    },
  }
}

/** Builds the auditions and previews, which play a song with settings before there is a job. */
function createHearing(
  { config, clock, random, log }: ServiceDeps,
  { folders, notify, ffmpeg }: Core,
  parts: {
    readonly uploads: Uploads
    readonly jobWork: JobWork
    readonly batchWork: ReturnType<typeof createBatchWork>
    readonly makeMix: MakeMix
  },
  stopping: AbortSignal,
) {
  const { fork, pool, threads } = parts.jobWork
  const { sources } = parts.batchWork.batchService
  const { requireDisk } = parts.uploads.storage
  const renderAlone = createRenderAlone({ pool, log, threads, timeLimitMs: config.jobTimeoutMs, stopping })
  const mixes = new StemMixes({
    makeMix: parts.makeMix,
    stemPartsOf: (sourceId) => sources.stems.partsOf(sourceId),
    folder: path.join(folders.tmp, random.newUuid()),
  })
  return {
    makePreview: createMakePreview({ renderAlone, ffmpeg, random, tmp: folders.tmp, requireDisk }),
    auditions: new Auditions({
      process: new AuditionProcess({
        ...{ fork, clock, log, idleMs: config.auditionIdleMs },
        onIdle: () => void mixes.clear().catch((cause: unknown) => log.warn('mixes could not be removed', { cause })),
      }),
      files: new MasterFiles(path.join(folders.tmp, random.newUuid())),
      mixes,
      takeSource: (sourceId, param) => sources.take(sourceId, param),
      analysisPath: (sha256) => sources.analysisPath(sha256),
      ffmpeg,
      renderAlone,
      requireDisk,
      onChanged: (auditionId) => notify.progress({ auditionId }),
      log,
    }),
  }
}
