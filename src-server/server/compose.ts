/** The composition root: all parts of the service, built by plain calls and closed in reverse order. */
import type { RequestListener } from 'node:http'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { PLAN_LIMITS } from '../../src-contract/plans.ts'
import { engineVersion } from '../../src-engine/version.ts'
import { hasSimd } from '../../src-system/simd.ts'
import { createAdmission } from '../access/caller.ts'
import { createRateLimiter } from '../access/rate-limit.ts'
import { ticketRoutes } from '../access/tickets.ts'
import { buildApp } from '../app.ts'
import { linkRoutes } from '../artifacts/link-routes.ts'
import { artifactRoutes } from '../artifacts/routes.ts'
import { auditionRoutes } from '../auditions/routes.ts'
import { presetRoutes } from '../batch/preset-routes.ts'
import { appRoutes } from '../batch/routes.ts'
import { manifestRoutes } from '../bulk/routes.ts'
import { accountRoutes } from '../credits/routes.ts'
import { DATABASE_FILE, identifyDatabase } from '../db/data-directory.ts'
import { listDataFiles } from '../db/data-files.ts'
import { readMigrations } from '../db/migrate.ts'
import { openDatabase, withPlace } from '../db/open.ts'
import { removeRedirect } from '../db/redirect-file.ts'
import { verifyRows } from '../db/row-checksums.ts'
import { docsRoutes } from '../docs/routes.ts'
import type { Farm } from '../farm/farm.ts'
import { farmPlaces } from '../farm/places.ts'
import { machineRoutes } from '../farm/routes.ts'
import { AppError } from '../http/app-error.ts'
import { pageRoutes } from '../http/page.ts'
import { type Caller, route } from '../http/route.ts'
import { jobRoutes } from '../jobs/routes.ts'
import { listeningRoutes } from '../listening/routes.ts'
import { type ToolFilesDeps, toolFiles } from '../mcp/files.ts'
import { mcpRoutes } from '../mcp/routes.ts'
import { notifyRoutes } from '../notify/routes.ts'
import { releaseExportRoutes, releaseRoutes } from '../releases/routes.ts'
import { createSystemStateReader } from '../settings/system-state.ts'
import { createOpenAsWav } from '../sources/playable-song.ts'
import { copyOpened, UnreadableError } from '../sources/song-files.ts'
import { stemRoutes } from '../sources/stem-routes.ts'
import { watchFolderRoutes } from '../watch/watch-folder-routes.ts'
import { type Core, createCore, type ServiceDeps } from './core.ts'
import { MIGRATIONS_FOLDER, PAGE_FOLDER, VERSION } from './paths.ts'
import { createWork, type Work } from './work.ts'

/** The built service. */
export interface Service {
  readonly answer: RequestListener
  /** Resumes the work of an earlier run, and starts working. */
  start(): void
  /** Accepts no more work and hands back running work; requests under way may still end. */
  stop(): Promise<void>
  /** Closes the resources of requests, the database last. */
  close(): Promise<void>
}

/** Builds the service on an owned data directory. Throws a DatabaseError, or the system's error, and then leaves nothing open. */
export async function compose(deps: ServiceDeps): Promise<Service> {
  const file = path.join(deps.dataDir, DATABASE_FILE)
  const db = openDatabase(file, readMigrations(MIGRATIONS_FOLDER))
  let farm: Farm | undefined
  try {
    verifyRows(db)
    if (!identifyDatabase(db, deps.directory)) deps.log.warn('the database is of another data folder')
    const stopping = new AbortController()
    const core = createCore(deps, db)
    farm = await openFarm(deps, core, () => feedAll(work))
    const work = createWork(deps, core, farm, stopping.signal)
    const { app, closeSessions } = appOf(deps, core, work, farm, stopping.signal)
    await app.ready()
    return serviceOf(deps, core, work, { app, closeSessions, stopping, farm })
  } catch (error) {
    await farm?.close()
    db.close()
    throw withPlace(error, file)
  }
}

/** Interval of songs that two machines make for comparison: 1 % of their work. */
const AUDIT_EVERY = 100

/** Opens the configured farm and loads its modules only then. Rejects with a FarmError. */
async function openFarm(deps: ServiceDeps, core: Core, onMoreSlots: () => void): Promise<Farm | undefined> {
  const { config, clock, log } = deps
  const places = deps.farm && farmPlaces(deps.farm, config, core.settings.read().farm)
  if (!places) return undefined
  const { openFarm: open } = await import('../farm/farm.ts')
  return open(
    { allowsMixed: false, auditEvery: AUDIT_EVERY, ...deps.farm, ...places },
    {
      databaseId: deps.directory.markerId,
      tmp: core.folders.tmp,
      ffmpeg: core.ffmpeg,
      isOffline: () => core.settings.read().is_offline,
      ...{ onMoreSlots, clock, log },
    },
  )
}

/** Hands over waiting songs of batches and releases, and takes waiting jobs. */
function feedAll({ scheduler, mastering, batchService, manifests }: Work): void {
  scheduler.wake()
  mastering.feed()
  batchService.feed()
  manifests.feed()
}

function toolFilesDeps({ random }: ServiceDeps, { allowedFolders, folders }: Core, { storage }: Work): ToolFilesDeps {
  return {
    folders: allowedFolders,
    tmp: folders.tmp,
    newUuid: random.newUuid,
    async copy(file, to, signal) {
      const copy = await copyOpened(file, to, { requireDisk: storage.requireDisk, signal }).catch((cause: unknown) => {
        throw cause instanceof UnreadableError ? new AppError('PATH_NOT_ALLOWED', {}, { cause }) : cause
      })
      if (!copy) throw new AppError('PATH_NOT_ALLOWED')
    },
  }
}

/** The application, and a function that ends the sessions of its MCP clients. */
interface ServedApp {
  readonly app: FastifyInstance
  readonly closeSessions: () => Promise<void>
}

function appOf(deps: ServiceDeps, core: Core, work: Work, farm: Farm | undefined, stopping: AbortSignal): ServedApp {
  const { log, clock, random, baseUrl } = deps
  const admission = admissionOf(deps, core)
  let closeSessions = async () => {}
  const app = buildApp({
    log,
    clock,
    random,
    admission,
    port: deps.port,
    isStopping: () => stopping.aborted,
    routes(app) {
      serviceRoutes(app, deps, core, work)
      sessionRoutes(app, deps, core, work)
      machineRoutes(app, farm)
      docsRoutes(app, { baseUrl, version: VERSION })
      closeSessions = mcpRoutes(app, {
        ...{ clock, baseUrl, version: VERSION, keyOf: admission.keyOf, newUuid: random.newUuid },
        ...toolFiles(toolFilesDeps(deps, core, work)),
        onFault: (cause) => log.warn('a fault of an MCP session', { cause }),
        onRefused: (cause) => log.debug('a message of an MCP client was refused', { cause }),
      })
      pageRoutes(app, PAGE_FOLDER)
    },
  })
  return { app, closeSessions }
}

/** Returns the built service. The parts are started and stopped here, and nowhere else. */
function serviceOf(
  deps: ServiceDeps,
  core: Core,
  work: Work,
  {
    app,
    closeSessions,
    stopping,
    farm,
  }: ServedApp & {
    readonly stopping: AbortController
    readonly farm: Farm | undefined
  },
): Service {
  const { db, notify, retention, removals, spareRoom } = core
  const { scheduler, batchService, watchFolders, codedCopies, pool } = work
  let startSweeps: Promise<unknown>[] = []
  return {
    answer: app.routing,
    start() {
      notify.start()
      if (deps.sweeps) startSweeps = sweepLeftOvers(deps, core, work, stopping.signal)
      scheduler.start()
      work.mastering.feed()
      batchService.start()
      work.manifests.start()
      watchFolders.start()
      spareRoom.start()
    },
    async stop() {
      stopping.abort(new Error('the server stops'))
      await Promise.all([
        ...startSweeps,
        closeSessions(),
        retention.close(),
        watchFolders.close(),
        scheduler.stop(),
        notify.close(),
        batchService.close(),
        work.manifests.close(),
        codedCopies.close(),
        work.auditions.close(),
        work.mastering.close(),
        spareRoom.close(),
      ])
    },
    async close() {
      await app.close()
      await removals.close()
      await farm?.close()
      pool.close()
      db.close()
    },
  }
}

/** Starts removing leftovers of earlier runs and expired results. Returns the promises to await before the service has stopped. */
function sweepLeftOvers(deps: ServiceDeps, core: Core, work: Work, stopping: AbortSignal): Promise<unknown>[] {
  return [
    core.removals.sweepTmp(stopping),
    setUnknownAside(deps, core, work, stopping),
    // Songs of a watched folder go with their masters.
    core.retention.start().then(() => stopping.aborted || work.batchService.startSweep()),
  ]
}

/**
 * Sets aside the files of jobs and stored songs unknown to the database. It lists the files before the first request: later ones are known.
 */
function setUnknownAside(
  { dataDir }: ServiceDeps,
  { store, removals, quarantine }: Core,
  { batchService }: Work,
  signal: AbortSignal,
): Promise<void> {
  const places = [
    ...listDataFiles(dataDir, 'jobs').map((jobId) => `jobs/${jobId}`),
    ...listDataFiles(dataDir, 'sources').map((name) => `sources/${name}`),
  ]
  const isKnown = (place: string) => {
    const name = path.posix.basename(place)
    const isKept = place.startsWith('jobs/')
      ? store.keepsFiles(name) !== undefined
      : batchService.sources.isKnownFile(name)
    return isKept || removals.isRecorded(place)
  }
  return quarantine.setAside(places, isKnown, signal)
}

function admissionOf({ clock, sessionCredential, controlCredential }: ServiceDeps, { keys, plan }: Core) {
  const limiter = createRateLimiter(() => PLAN_LIMITS[plan()].requestsPerMinute, clock.monotonicMs)
  return createAdmission({ keys, limiter, plan, sessionCredential, controlCredential })
}

/** Registers the routes for every caller. */
function serviceRoutes(app: FastifyInstance, deps: ServiceDeps, core: Core, work: Work): void {
  const { db, account, ledger, keys, notify, store, folders, retention } = core
  const { jobs, idempotency, submissions, inspect, inspectCover, analyse, makePreview, batchService, storage } = work
  const isStillAllowed = (caller: Caller) => caller.via === 'session' || keys.isActive(caller.keyId)
  route(app, ENDPOINTS.readHealth, () => ({ status: 200, body: { status: 'ok', version: VERSION } }))
  jobRoutes(app, {
    jobs,
    idempotency,
    submissions,
    inspect,
    inspectCover,
    analyse,
    makePreview,
    takeSource: (sourceId, param) => batchService.sources.take(sourceId, param),
    isStemSet: (sourceId) => batchService.sources.stems.has(sourceId),
    isStem: (sourceId) => batchService.sources.stems.isStem(sourceId),
    stemPartsOf: (sourceId) => batchService.sources.stems.partsOf(sourceId),
    presetOf: (name) => batchService.batch.presets().find((preset) => preset.name === name)?.settings,
    makeMix: work.makeMix,
    onAnalysing: (sourceId, { stage, fraction }) =>
      notify.progress({ sourceId, stage, progress: Math.floor(fraction * 100) }),
    onAnalysed: batchService.saveAnalysis,
    checkWebhookUrl: (url) => notify.checkWebhookUrl(url),
    isStillAllowed,
    events: notify.events,
    baseUrl: deps.baseUrl,
    clock: deps.clock,
    trustedNow: () => core.time.now(),
    random: deps.random,
    tmpFolder: folders.tmp,
    storage,
  })
  const { baseUrl, clock, random } = deps
  stemRoutes(app, {
    ...{ sources: batchService.sources, makeMix: work.makeMix, inspect, storage, isStillAllowed, clock, random },
    coverOf: work.coverOf,
    addToBatch: (store) => batchService.batch.add(store),
    removeSources: batchService.removeSources,
    tmp: folders.tmp,
  })
  const { releases, mastering, manifests, readyCover } = work
  const checkWebhookUrl = (url: string) => notify.checkWebhookUrl(url)
  manifestRoutes(app, {
    isStemSet: (sourceId) => batchService.sources.stems.has(sourceId),
    ...{ manifests, checkWebhookUrl, isStillAllowed, baseUrl, clock, random, storage, streams: notify.streams },
    tmpFolder: folders.tmp,
  })
  releaseRoutes(app, {
    ...{ releases, mastering, idempotency, baseUrl, clock, random, tmp: folders.tmp, storage },
    readyCover,
  })
  accountRoutes(app, {
    account,
    ledger,
    keys,
    facts: () => ({
      usage: {
        keys: keys.count(),
        webhooks: notify.webhooks.count(),
        unfinished_jobs: store.countUnfinished(),
      },
      expiring: retention.expiringSoon(),
    }),
    change(run) {
      const result = db
        .transaction(() => {
          const made = run()
          notify.record({ event: 'account.changed' })
          return made
        })
        .immediate()
      notify.committed()
      feedAll(work)
      return result
    },
  })
  const filesOf = (jobId: string) => jobs.files(jobId)
  const { codedCopies, stored } = work
  artifactRoutes(app, { filesOf, codedCopies, stored })
  linkRoutes(app, { filesOf, links: core.links, stored })
  notifyRoutes(app, {
    notify,
    clock: deps.clock,
    isStillAllowed,
  })
}

/** Registers the routes only for the application. */
function sessionRoutes(app: FastifyInstance, deps: ServiceDeps, core: Core, work: Work): void {
  const { settings, retention, notify, folders, quarantine, spareRoom, ffmpeg } = core
  const { batchService, inspect, inspectCover, storage, usedBytes, watchFolders, coverOf } = work
  appRoutes(app, {
    batchService,
    inspectCover,
    settings,
    onSettingsChanged(patch) {
      if (patch.retention_days !== undefined) spareRoom.use(() => retention.replan())
      feedAll(work)
      notify.record({ event: 'settings.changed' })
      notify.committed()
    },
    keepResults: () => retention.keepSoon(),
    readSystemState: createSystemStateReader({
      appVersion: VERSION,
      engineVersion,
      baseUrl: deps.baseUrl,
      dataDir: deps.dataDir,
      tmp: folders.tmp,
      host: deps.host ?? 'browser',
      hasSimd: hasSimd(),
      cores: deps.cores,
      ffmpeg,
      freeBytes: storage.freeBytes,
      usedBytes,
      quarantined: quarantine.read,
      isPrivate: deps.directory.isPrivate,
    }),
    clock: deps.clock,
    random: deps.random,
    tmp: folders.tmp,
    inspect,
    storage,
    coverOf,
    openAsWav: createOpenAsWav({ ffmpeg, tmp: folders.tmp, random: deps.random, storage }),
  })
  watchFolderRoutes(app, watchFolders)
  auditionRoutes(app, work.auditions)
  releaseExportRoutes(app, {
    releaseExports: work.releaseExports,
    allowedFolder: (folder) => core.allowedFolders.folder(folder),
    requireAllowed: (real) => core.allowedFolders.requireInside(real),
  })
  presetRoutes(app, work.batchService.batch)
  listeningRoutes(app, { ...work.listening, allowedFolder: (folder) => core.allowedFolders.folder(folder) })
  ticketRoutes(app, { ...deps, onRedeemed: (ticket) => removeRedirect(deps.dataDir, ticket) })
}
