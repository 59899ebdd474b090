/** The composition root: everything the service consists of, built here by plain calls and closed in reverse order. */
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { availableParallelism, homedir } from 'node:os'
import path from 'node:path'
import { createAdmission } from './access/caller.ts'
import { createKeys } from './access/keys.ts'
import { createRateLimiter } from './access/rate-limit.ts'
import { buildApp } from './app.ts'
import { createAppSession } from './app-session/app-session.ts'
import { appRoutes } from './app-session/routes.ts'
import { createSettings } from './app-session/settings.ts'
import { createSystemStateReader } from './app-session/system-state.ts'
import { watchFolderRoutes } from './app-session/watch-folder-routes.ts'
import { createWatchFolders } from './app-session/watch-folders.ts'
import { createRetention } from './artifacts/retention.ts'
import { artifactRoutes } from './artifacts/routes.ts'
import { readConfig } from './config.ts'
import { ENDPOINTS } from './contract/endpoints.ts'
import { PLAN_LIMITS } from './contract/plans.ts'
import { createAccountStore } from './credits/account.ts'
import { createLedger } from './credits/ledger.ts'
import { accountRoutes } from './credits/routes.ts'
import { readMigrations } from './db/migrate.ts'
import { openDatabase } from './db/open.ts'
import { ownDirectory } from './db/owner.ts'
import { docsRoutes } from './docs/routes.ts'
import { engineVersion } from './engine/version.ts'
import { listen } from './http/listen.ts'
import { pageRoutes } from './http/page.ts'
import { route } from './http/route.ts'
import { createAnalyse } from './jobs/analyse.ts'
import { createFolders } from './jobs/folders.ts'
import { createIdempotency } from './jobs/idempotency.ts'
import { createJobs } from './jobs/jobs.ts'
import { jobRoutes } from './jobs/routes.ts'
import { createScheduler } from './jobs/scheduler.ts'
import { createSettle } from './jobs/settle.ts'
import { createJobStore } from './jobs/store.ts'
import { createSubmit } from './jobs/submit.ts'
import { createWorkerPool, type ForkEngine, forkWithNode } from './jobs/worker-pool.ts'
import { createLog, type Log } from './log.ts'
import type { Ffmpeg } from './media/ffmpeg.ts'
import { locateFfmpeg } from './media/locate.ts'
import { createNotify } from './notify/notify.ts'
import { notifyRoutes } from './notify/routes.ts'
import { type Chance, type Clock, systemChance, systemClock } from './system.ts'
import { createInspect } from './uploads/inspect.ts'
import { probeAudio } from './uploads/probe.ts'
import { createStorage } from './uploads/storage.ts'

export interface ServerOptions {
  /** Made when it is missing. */
  readonly dataDir: string
  /** 0 picks a free one. */
  readonly port: number
  /** What hosts the server: the desktop application's main process, or a terminal with a browser as its window. */
  readonly host?: 'desktop' | 'browser'
  /** Folder of the packaged application's resources. */
  readonly resourcesDir?: string
  readonly log?: Log
  /** Starts engine processes; Node's own child processes when absent. */
  readonly forkEngine?: ForkEngine
  readonly clock?: Clock
  readonly chance?: Chance
}

/** A running server. */
export interface RunningServer {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly port: number
  /** Bearer credential of the app itself, made at this start. */
  readonly sessionCredential: string
  /** Stops in order; every call returns the same end. */
  close(): Promise<void>
}

const STOP_GRACE_MS = 3_000
const CREDENTIAL_BYTES = 32

/** From the sources everything lies where it was written; the bundle has it beside itself. */
const isBundled = !import.meta.filename.endsWith('.ts')
const beside = (source: string, bundled: string) => path.join(import.meta.dirname, isBundled ? bundled : source)
const MIGRATIONS = beside('db/migrations', 'migrations')
const ENGINE_FILE = beside('jobs/worker.ts', 'worker.js')
const PAGE_FOLDER = beside('../dist/renderer', '../renderer')

/**
 * Starts the service on a data directory. Throws a DirectoryOwnedError when another process uses it, a PortTakenError when the
 * port is in use, a DatabaseError when the database cannot be used; nothing is then left open.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  // Whatever this process or its engine processes write is for this user alone.
  process.umask(0o077)
  const config = readConfig()
  const clock = options.clock ?? systemClock
  const log = options.log ?? createLog(config.logLevel, clock, (line) => process.stderr.write(line))
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
  chmodSync(options.dataDir, 0o700)
  const ownership = ownDirectory(options.dataDir)
  const closers: (() => void | Promise<void>)[] = [() => ownership.release()]
  const closeAll = async () => {
    for (const close of closers.reverse()) await close()
  }
  try {
    const service = compose({ ...options, config, clock, log, closers })
    await service.app.ready()
    const listening = await listen(service.app.routing, options.port, service.chance)
    closers.push(() => listening.close(STOP_GRACE_MS, clock.sleep))
    service.listensOn(listening.port)
    ownership.announce({ pid: process.pid, port: listening.port, controlToken: service.sessionCredential })
    service.start()
    closers.push(service.stop)
    let closing: Promise<void> | undefined
    return {
      baseUrl: service.baseUrl(),
      port: listening.port,
      sessionCredential: service.sessionCredential,
      close: () => {
        closing ??= closeAll()
        return closing
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

interface Ground extends ServerOptions {
  readonly config: ReturnType<typeof readConfig>
  readonly clock: Clock
  readonly log: Log
  /** What must be closed, in the order of its opening. */
  readonly closers: (() => void | Promise<void>)[]
}

/** Builds every feature over the data directory. Nothing runs and nothing listens yet. */
function compose(ground: Ground) {
  const { dataDir, config, clock, log, closers } = ground
  const chance = ground.chance ?? systemChance
  let port = ground.port
  const baseUrl = () => `http://127.0.0.1:${port}`
  const stopping = new AbortController()
  const sessionCredential = chance.randomBytes(CREDENTIAL_BYTES).toString('base64url')

  const db = openDatabase(path.join(dataDir, 'loudsmith.db'), readMigrations(MIGRATIONS))
  closers.push(() => void db.close())
  const settings = createSettings({
    db,
    defaultOutputFolder: ground.host === 'desktop' ? path.join(homedir(), 'Music', 'Loudsmith') : null,
    defaultEngineWorkers: Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2))),
  })
  const account = createAccountStore(db)
  const plan = account.plan
  const ledger = createLedger({ db, clock, plan })
  const keys = createKeys({ db, clock, chance, plan })
  const notify = createNotify({
    db,
    clock,
    chance,
    log,
    plan,
    ownPort: () => port,
    baseUrl,
    isOffline: () => settings.read().is_offline,
  })
  const folders = createFolders(dataDir)
  const store = createJobStore(db)
  const retention = createRetention({
    db,
    clock,
    log,
    retentionDays: () => settings.read().retention_days,
    jobs: store,
    folders,
    notify,
  })
  const usedBytes = () => store.storedBytes() + session.sources.storedBytes()
  const storage = createStorage({
    dataDir,
    usedBytes,
    quotaBytes: () => settings.read().disk_quota_bytes,
  })
  const ffmpeg = findOnce(() => config.ffmpegPath ?? settings.read().ffmpeg_path ?? undefined, ground.resourcesDir)
  const fork = ground.forkEngine ?? forkWithNode(ENGINE_FILE, log)
  const pool = createWorkerPool({ fork, clock, log, graceMs: config.engineGraceMs })
  closers.push(() => pool.close())
  const idempotency = createIdempotency({ db, clock })
  const { admit, submit } = createSubmit({
    db,
    clock,
    chance,
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
    expiryOf: retention.expiryOf,
    onEnded: (job) => session.jobEnded(job),
  })
  const workers = () => settings.read().engine_workers
  const scheduler = createScheduler({
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
  const jobs = createJobs({ db, store, scheduler, settle, submit, folders, notify, plan })
  const session = createAppSession({
    db,
    clock,
    chance,
    log,
    dataDir,
    outputFolder: (jobId) => watchFolders.outputFolderOf(jobId) ?? settings.read().output_folder,
    jobs,
    notify,
  })
  const admission = createAdmission({
    keys,
    limiter: createRateLimiter(() => PLAN_LIMITS[plan()].requestsPerMinute, clock.monotonicMs),
    plan,
    sessionCredential,
  })
  const inspect = createInspect({ ffmpeg, probe: probeAudio })
  const watchFolders = createWatchFolders({
    db,
    clock,
    chance,
    log,
    tmp: folders.tmp,
    dataDir,
    sources: session.sources,
    desk: session.desk,
    inspect,
    storage,
  })
  const analyse = createAnalyse({ pool, log, ffmpeg, stopping: stopping.signal })

  const app = buildApp({
    log,
    clock,
    chance,
    admission,
    port: () => port,
    isStopping: () => stopping.signal.aborted,
    routes(app) {
      route(app, ENDPOINTS.readHealth, () => ({ status: 200, body: { status: 'ok', version: VERSION } }))
      jobRoutes(app, {
        jobs,
        idempotency,
        admit,
        inspect,
        analyse,
        findSource: session.sources.find,
        onAnalysed: session.saveAnalysis,
        checkWebhookUrl: notify.checkWebhookUrl,
        baseUrl,
        chance,
        tmpFolder: folders.tmp,
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
        changed() {
          notify.record({ event: 'account.changed' })
          notify.committed()
          notify.wake()
          session.feed()
        },
      })
      artifactRoutes(app, { filesOf: jobs.files })
      notifyRoutes(app, {
        notify,
        clock,
        isStillAllowed: (caller) => caller.via === 'session' || keys.isActive(caller.keyId),
      })
      appRoutes(app, {
        session,
        settings,
        onSettingsChanged(patch) {
          if (patch.retention_days !== undefined) retention.replan()
          if (patch.engine_workers !== undefined) scheduler.wake()
          if (patch.is_offline !== undefined) notify.wake()
        },
        readSystemState: createSystemStateReader({
          appVersion: VERSION,
          engineVersion,
          baseUrl,
          dataDir,
          host: ground.host ?? 'browser',
          hasSimd: WebAssembly.validate(SIMD_MODULE),
          ffmpeg,
          freeBytes: storage.freeBytes,
          usedBytes,
        }),
        clock,
        chance,
        tmp: folders.tmp,
        inspect,
        storage,
        ffmpeg,
      })
      docsRoutes(app, { baseUrl, version: VERSION })
      watchFolderRoutes(app, watchFolders)
      pageRoutes(app, PAGE_FOLDER)
    },
  })
  closers.push(() => app.close())

  return {
    app,
    chance,
    sessionCredential,
    baseUrl,
    listensOn(chosen: number) {
      port = chosen
    },
    start() {
      notify.start()
      retention.start()
      scheduler.start()
      session.start()
      watchFolders.start()
      log.info('listening', { baseUrl: baseUrl(), dataDir })
    },
    /** Takes no more work and gives back what runs; requests under way may still end. */
    async stop() {
      stopping.abort(new Error('the server stops'))
      retention.close()
      await Promise.all([watchFolders.close(), scheduler.stop(), notify.close(), session.close()])
    },
  }
}

/** The smallest module that needs SIMD: one function that splats and counts bits. */
const SIMD_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
])

const VERSION = (
  JSON.parse(readFileSync(beside('../package.json', '../../package.json'), 'utf8')) as { version: string }
).version

/** Returns the ffmpeg that is set or found, looking again only when the setting has changed or none was found. */
function findOnce(explicit: () => string | undefined, resourcesDir: string | undefined): () => Promise<Ffmpeg> {
  let found: { readonly explicit: string | undefined; readonly ffmpeg: Promise<Ffmpeg> } | undefined
  return () => {
    const setting = explicit()
    if (!found || found.explicit !== setting) {
      const ffmpeg = locateFfmpeg({ explicit: setting, resourcesDir })
      found = { explicit: setting, ffmpeg }
      ffmpeg.catch(() => {
        if (found?.ffmpeg === ffmpeg) found = undefined
      })
    }
    return found.ffmpeg
  }
}
