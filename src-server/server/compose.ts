/** The composition root: everything the service consists of, built by plain calls and closed in reverse order. */
import type { RequestListener } from 'node:http'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { PLAN_LIMITS } from '../../src-contract/plans.ts'
import { engineVersion } from '../../src-engine/version.ts'
import { createAdmission } from '../access/caller.ts'
import { createRateLimiter } from '../access/rate-limit.ts'
import { ticketRoutes } from '../access/tickets.ts'
import { buildApp } from '../app.ts'
import { artifactRoutes } from '../artifacts/routes.ts'
import { appRoutes } from '../batch/routes.ts'
import { createSystemStateReader } from '../batch/system-state.ts'
import { watchFolderRoutes } from '../batch/watch-folder-routes.ts'
import { accountRoutes } from '../credits/routes.ts'
import { DATABASE_FILE, identifyDatabase } from '../db/data-directory.ts'
import { readMigrations } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { listOwn } from '../db/own-files.ts'
import { docsRoutes } from '../docs/routes.ts'
import { pageRoutes } from '../http/page.ts'
import { type Caller, route } from '../http/route.ts'
import { jobRoutes } from '../jobs/routes.ts'
import { notifyRoutes } from '../notify/routes.ts'
import { type Core, createCore, type Ground } from './core.ts'
import { MIGRATIONS_FOLDER, PAGE_FOLDER, VERSION } from './places.ts'
import { createWork, type Work } from './work.ts'

/** The built service. */
export interface Service {
  readonly answer: RequestListener
  /** Goes on with what an earlier run left, and begins to work. */
  start(): void
  /** Takes no more work and gives back what runs; requests under way may still end. */
  stop(): Promise<void>
  /** Closes what requests use, the database last. */
  close(): Promise<void>
}

/** Builds the service on an owned data directory. Throws a DatabaseError, or the system's error; nothing is then left open. */
export async function compose(ground: Ground): Promise<Service> {
  const db = openDatabase(path.join(ground.dataDir, DATABASE_FILE), readMigrations(MIGRATIONS_FOLDER))
  try {
    if (!identifyDatabase(db, ground.directory)) ground.log.warn('the database is of another data folder')
    const core = createCore(ground, db)
    const { notify, retention, removals, spareRoom } = core
    const stopping = new AbortController()
    const work = createWork(ground, core, stopping.signal)
    const { scheduler, session, watchFolders, pool } = work
    const app = buildApp({
      log: ground.log,
      clock: ground.clock,
      chance: ground.chance,
      admission: admissionOf(ground, core),
      port: ground.port,
      isStopping: () => stopping.signal.aborted,
      routes(app) {
        serviceRoutes(app, ground, core, work)
        sessionRoutes(app, ground, core, work)
        docsRoutes(app, { baseUrl: ground.baseUrl, version: VERSION })
        pageRoutes(app, PAGE_FOLDER)
      },
    })
    await app.ready()
    let startSweeps: Promise<unknown>[] = []
    return {
      answer: app.routing,
      start() {
        notify.start()
        if (ground.sweeps) {
          startSweeps = [
            removals.sweepTmp(stopping.signal),
            setUnknownAside(ground, core, work, stopping.signal),
            // Songs of a watched folder go with their masters.
            retention.start().then(() => stopping.signal.aborted || session.startSweep()),
          ]
        }
        scheduler.start()
        session.start()
        watchFolders.start()
        spareRoom.start()
      },
      async stop() {
        stopping.abort(new Error('the server stops'))
        await Promise.all([
          ...startSweeps,
          retention.close(),
          watchFolders.close(),
          scheduler.stop(),
          notify.close(),
          session.close(),
          spareRoom.close(),
        ])
      },
      async close() {
        await app.close()
        await removals.close()
        pool.close()
        db.close()
      },
    }
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Sets aside the files of jobs and stored songs that the database does not know. It looks at what is there before the first request:
 * whatever comes later is known.
 */
function setUnknownAside(
  { dataDir }: Ground,
  { store, removals, quarantine }: Core,
  { session }: Work,
  signal: AbortSignal,
): Promise<void> {
  const places = [
    ...listOwn(dataDir, 'jobs').map((jobId) => `jobs/${jobId}`),
    ...listOwn(dataDir, 'sources').map((name) => `sources/${name}`),
  ]
  const isKnown = (place: string) => {
    const name = path.posix.basename(place)
    const isKept = place.startsWith('jobs/') ? store.keepsFiles(name) !== undefined : session.sources.isKnownFile(name)
    return isKept || removals.isRecorded(place)
  }
  return quarantine.setAside(places, isKnown, signal)
}

function admissionOf({ clock, sessionCredential, controlCredential }: Ground, { keys, plan }: Core) {
  const limiter = createRateLimiter(() => PLAN_LIMITS[plan()].requestsPerMinute, clock.monotonicMs)
  return createAdmission({ keys, limiter, plan, sessionCredential, controlCredential })
}

/** What every caller may use. */
function serviceRoutes(app: FastifyInstance, ground: Ground, core: Core, work: Work): void {
  const { db, account, ledger, keys, notify, store, folders } = core
  const { jobs, idempotency, admit, inspect, analyse, session, storage } = work
  const isStillAllowed = (caller: Caller) => caller.via === 'session' || keys.isActive(caller.keyId)
  route(app, ENDPOINTS.readHealth, () => ({ status: 200, body: { status: 'ok', version: VERSION } }))
  jobRoutes(app, {
    jobs,
    idempotency,
    admit,
    inspect,
    analyse,
    takeSource: session.sources.take,
    onAnalysing: (sourceId, { stage, fraction }) =>
      notify.progress({ sourceId, stage, progress: Math.floor(fraction * 100) }),
    onAnalysed: session.saveAnalysis,
    checkWebhookUrl: notify.checkWebhookUrl,
    isStillAllowed,
    baseUrl: ground.baseUrl,
    clock: ground.clock,
    trustedNow: core.time.now,
    chance: ground.chance,
    tmpFolder: folders.tmp,
    storage,
  })
  accountRoutes(app, {
    account,
    ledger,
    keys,
    usage: () => ({
      keys: keys.count(),
      webhooks: notify.webhooks.count(),
      unfinished_jobs: store.countUnfinished(),
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
      session.feed()
      return result
    },
  })
  artifactRoutes(app, { filesOf: jobs.files })
  notifyRoutes(app, {
    notify,
    clock: ground.clock,
    isStillAllowed,
  })
}

/** What the app alone may use. */
function sessionRoutes(app: FastifyInstance, ground: Ground, core: Core, work: Work): void {
  const { settings, retention, notify, folders, quarantine, spareRoom, ffmpeg } = core
  const { session, scheduler, inspect, storage, usedBytes, watchFolders, coverOf } = work
  appRoutes(app, {
    session,
    settings,
    onSettingsChanged(patch) {
      if (patch.retention_days !== undefined) spareRoom.use(retention.replan)
      if (patch.engine_workers !== undefined) scheduler.wake()
      session.feed()
      notify.record({ event: 'settings.changed' })
      notify.committed()
    },
    readSystemState: createSystemStateReader({
      appVersion: VERSION,
      engineVersion,
      baseUrl: ground.baseUrl,
      dataDir: ground.dataDir,
      tmp: folders.tmp,
      host: ground.host ?? 'browser',
      hasSimd: WebAssembly.validate(SIMD_MODULE),
      ffmpeg,
      freeBytes: storage.freeBytes,
      usedBytes,
      quarantined: quarantine.look,
      isPrivate: ground.directory.isPrivate,
    }),
    clock: ground.clock,
    chance: ground.chance,
    tmp: folders.tmp,
    inspect,
    storage,
    coverOf,
  })
  watchFolderRoutes(app, watchFolders)
  ticketRoutes(app, ground)
}

/** The smallest module that needs SIMD: one function that splats and counts bits. */
const SIMD_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
])
