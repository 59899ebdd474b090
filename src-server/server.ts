/** Start of the server: takes the data directory, listens, builds the service and closes it in order. */

import { availableParallelism } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { linkOf } from '../src-contract/session.ts'
import { keepPrivate, whenReleased } from '../src-system/disk.ts'
import { createLog, type Log } from '../src-system/log.ts'
import { type Clock, type Random, systemClock, systemRandom } from '../src-system/system.ts'
import { createTickets } from './access/tickets.ts'
import { readConfig, SETTING_NAMES } from './config.ts'
import { type DataDirectory, takeDataDirectory } from './db/data-directory.ts'
import { startFailure } from './db/fault.ts'
import { removeRedirect } from './db/redirect-file.ts'
import type { FarmWish } from './farm/places.ts'
import type { FarmTiming } from './farm/timing.ts'
import { listen } from './http/listen.ts'
import type { ForkEngine } from './jobs/worker-pool.ts'
import { VERSION } from './server/paths.ts'
import { createStartupListener } from './server/startup-listener.ts'

export { engineEnvironment, engineFlags, LISTENED_TO } from './jobs/worker-pool.ts'

export interface ServerOptions {
  /** Created if it is missing; refused if it contains other files. */
  readonly dataDir: string
  /** True to create a data directory `Loudsmith` inside such a folder. */
  readonly adoptsDir?: boolean
  /** True to remove expired and left-over files; commands that only read must not. True when absent. */
  readonly sweeps?: boolean
  /** 0 picks a free one. */
  readonly port: number
  /** Host of the server: the main process of the desktop application, or a terminal with a browser as its window. */
  readonly host?: 'desktop' | 'browser'
  /** Folder for plain masters until the owner chooses one; no folder when absent. */
  readonly outputFolder?: string
  /** Folder of the packaged application's resources. */
  readonly resourcesDir?: string
  readonly log?: Log
  /** Starts engine processes; Node's own child processes when absent. */
  readonly forkEngine?: ForkEngine
  /**
   * Further machines that master songs: their shared queue and file store. The environment supplies missing values; no farm without this
   * member.
   */
  readonly farm?: FarmWish & {
    /** True if they may produce different bytes than this machine. */
    readonly allowsMixed?: boolean
    /** Interval of songs that two machines make for comparison; 100 when absent, 0 for no comparison. */
    readonly auditEvery?: number
    readonly timing?: FarmTiming
  }
  /** Cores of the machine; the system's number when absent. */
  readonly cores?: number
  readonly clock?: Clock
  readonly random?: Random
}

/** A running server. */
export interface RunningServer {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly port: number
  /** Bearer credential of the page, made at this start. */
  readonly sessionCredential: string
  /**
   * Bearer credential of the owner, made at this start: it permits everything that the page may do, and the confirmations that the page may
   * not.
   */
  readonly controlCredential: string
  /** Returns a link that opens the page in one browser, once, within five minutes. */
  newLink(): string
  /** Stops in order, within half a minute even if a part hangs; every call returns the same promise. */
  close(): Promise<void>
}

/** Grace period for open requests when the server stops, ms. */
const STOP_GRACE_MS = 3_000
/** Limit for closing one part, ms: only an unresponsive drive takes as long, and the other parts must not wait for it. */
const CLOSE_LIMIT_MS = 15_000
/** Random bytes of a credential: 256 bits cannot be guessed. */
const CREDENTIAL_BYTES = 32

/**
 * Starts the service on a data directory. Throws a DataDirectoryError for a folder with other files, a DirectoryOwnedError when another
 * process uses it, a PortTakenError when the port is in use, a DatabaseError when the database cannot be used, and then leaves nothing
 * open.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  keepPrivate()
  const environment = environmentOf(options)
  const directory = await takeDataDirectory(options.dataDir, {
    adopts: options.adoptsDir === true,
    newUuid: environment.random.newUuid,
  })
  if (!directory.isPrivate)
    environment.log.warn('the disk of the data folder keeps no access rights', { dataDir: directory.path })
  // A link of an earlier run is dead; this run's links end with it.
  removeRedirect(directory.path)
  const closers: Closer[] = [() => directory.ownership.release(), () => removeRedirect(directory.path)]
  try {
    return await serve(options, environment, directory, closers)
  } catch (error) {
    await closeAll(closers, environment)
    throw startFailure(error)
  }
}

/** Parts that the server runs on, and the credentials and tickets of this start. */
type Environment = ReturnType<typeof environmentOf>

/** Closes one part. */
type Closer = () => void | Promise<void>

function environmentOf(options: ServerOptions) {
  const config = readConfig()
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom
  const log = options.log ?? createLog(config.logLevel, clock, (line) => process.stderr.write(line))
  for (const name of config.unknownNames) log.warn('not a setting of Loudsmith', { name, settings: SETTING_NAMES })
  const newCredential = () => random.randomBytes(CREDENTIAL_BYTES).toString('base64url')
  return {
    config,
    clock,
    random,
    log,
    sessionCredential: newCredential(),
    controlCredential: newCredential(),
    tickets: createTickets({ clock, random }),
  }
}

/** Listens, builds the service and opens it. Each part that is open is noted in `closers`, in the order of opening. */
async function serve(
  options: ServerOptions,
  environment: Environment,
  directory: DataDirectory,
  closers: Closer[],
): Promise<RunningServer> {
  const { clock, random, log, sessionCredential, controlCredential, tickets } = environment
  const { ownership, path: dataDir } = directory
  let port = options.port
  const startupListener = createStartupListener({ version: VERSION, port: () => port, newUuid: random.newUuid })
  const listening = await listen(startupListener.answer, options.port)
  port = listening.port
  const baseUrl = `http://127.0.0.1:${port}`
  closers.push(() => listening.close(STOP_GRACE_MS, clock.sleep))
  const owner = { pid: process.pid, port, controlToken: controlCredential }
  await whenReleased(clock, () => ownership.announce(owner))

  const { refuseConnection, compose } = await loadService()
  listening.onUnreadable((socket, cause) => refuseConnection(socket, random.newUuid(), cause))
  const sweeps = options.sweeps !== false
  const cores = options.cores ?? availableParallelism()
  const service = await compose({ ...options, ...environment, cores, dataDir, directory, sweeps, port, baseUrl })
  // Requests end before their resources are closed, and no work is taken meanwhile.
  closers.splice(1, 0, () => service.close())
  closers.push(() => service.stop())
  startupListener.open(service.answer)
  service.start()
  log.info('listening', { baseUrl, dataDir })
  let closing: Promise<void> | undefined
  return {
    baseUrl,
    port,
    sessionCredential,
    controlCredential,
    newLink: () => linkOf(baseUrl, tickets.mint()),
    close: () => {
      closing ??= closeAll(closers, environment)
      return closing
    },
  }
}

/**
 * Loads the modules of the service. Most of the start-up time: health checks are answered between the parts. The young generation stays
 * small, since modules live on and V8 would double it repeatedly and keep it: 14 MB less at rest.
 */
async function loadService() {
  setFlagsFromString('--semi-space-growth-factor=1')
  const { refuseConnection } = await import('./http/envelope.ts')
  await systemClock.sleep(0)
  await import('./server/core.ts')
  await systemClock.sleep(0)
  const { compose } = await import('./server/compose.ts')
  setFlagsFromString('--semi-space-growth-factor=2')
  return { refuseConnection, compose }
}

/** Closes the parts, the last first. A hanging part is abandoned after a while. */
async function closeAll(closers: readonly Closer[], { clock, log }: Pick<Environment, 'clock' | 'log'>): Promise<void> {
  for (const close of closers.toReversed()) {
    const isLate = await Promise.race([close(), clock.sleep(CLOSE_LIMIT_MS).then(() => true)])
    if (isLate) log.warn('a part of the service does not end and is left behind')
  }
}
