/** The way in: `startServer` takes the data directory, listens, builds the service and closes it in order. */

import { linkOf } from '../src-contract/session.ts'
import { keepPrivate, whenReleased } from '../src-system/disk.ts'
import { createLog, type Log } from '../src-system/log.ts'
import { type Chance, type Clock, systemChance, systemClock } from '../src-system/system.ts'
import { createTickets } from './access/tickets.ts'
import { readConfig, SETTING_NAMES } from './config.ts'
import { takeDataDirectory } from './db/data-directory.ts'
import { startFailure } from './db/fault.ts'
import { listen } from './http/listen.ts'
import type { ForkEngine } from './jobs/worker-pool.ts'
import { createFront } from './server/front.ts'
import { VERSION } from './server/places.ts'

export { engineEnvironment, engineFlags } from './jobs/worker-pool.ts'

export interface ServerOptions {
  /** Made when it is missing; refused when it holds files of others. */
  readonly dataDir: string
  /** Whether such a folder gets a data directory `Loudsmith` inside. */
  readonly adoptsDir?: boolean
  /** Whether what is over or left over is removed; not by a command that only looks. True when absent. */
  readonly sweeps?: boolean
  /** 0 picks a free one. */
  readonly port: number
  /** What hosts the server: the desktop application's main process, or a terminal with a browser as its window. */
  readonly host?: 'desktop' | 'browser'
  /** Where plain masters go until the owner chooses; nowhere when absent. */
  readonly outputFolder?: string
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
  /** Bearer credential of the page, made at this start. */
  readonly sessionCredential: string
  /** Bearer credential of the owner, made at this start: what may do all that the page may, and confirm what it may not. */
  readonly controlCredential: string
  /** Returns a link that opens the page in one browser, once, within five minutes. */
  newLink(): string
  /** Stops in order, within half a minute whatever hangs; every call returns the same end. */
  close(): Promise<void>
}

const STOP_GRACE_MS = 3_000
/** No part takes as long to close, but where a drive does not answer: the others are not to wait for it. */
const CLOSE_LIMIT_MS = 15_000
const CREDENTIAL_BYTES = 32

/**
 * Starts the service on a data directory. Throws a DataDirectoryError for a folder that holds files of others, a DirectoryOwnedError
 * when another process uses it, a PortTakenError when the port is in use, a DatabaseError when the database cannot be used; nothing
 * is then left open.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  keepPrivate()
  const config = readConfig()
  const clock = options.clock ?? systemClock
  const chance = options.chance ?? systemChance
  const log = options.log ?? createLog(config.logLevel, clock, (line) => process.stderr.write(line))
  for (const name of config.unknownNames) log.warn('not a setting of Loudsmith', { name, settings: SETTING_NAMES })
  const newCredential = () => chance.randomBytes(CREDENTIAL_BYTES).toString('base64url')
  const [sessionCredential, controlCredential] = [newCredential(), newCredential()]
  const tickets = createTickets({ clock, chance })
  const directory = await takeDataDirectory(options.dataDir, {
    adopts: options.adoptsDir === true,
    newUuid: chance.newUuid,
  })
  const { ownership, path: dataDir } = directory
  if (!directory.isPrivate) log.warn('the disk of the data folder keeps no access rights', { dataDir })
  const closers: (() => void | Promise<void>)[] = [() => ownership.release()]
  const closeAll = async () => {
    for (const close of closers.reverse()) {
      const isLate = await Promise.race([close(), clock.sleep(CLOSE_LIMIT_MS).then(() => true)])
      if (isLate) log.warn('a part of the service does not end and is left behind')
    }
  }
  try {
    let port = options.port
    const front = createFront({ version: VERSION, port: () => port, newUuid: chance.newUuid })
    const listening = await listen(front.answer, options.port)
    port = listening.port
    const baseUrl = `http://127.0.0.1:${port}`
    const closeSockets = () => listening.close(STOP_GRACE_MS, clock.sleep)
    closers.push(closeSockets)
    const owner = { pid: process.pid, port, controlToken: controlCredential }
    await whenReleased(clock, () => ownership.announce(owner))

    // Most of a start is the loading of modules: between its parts a health check is answered.
    const { refuseConnection } = await import('./http/envelope.ts')
    await systemClock.sleep(0)
    await import('./server/core.ts')
    await systemClock.sleep(0)
    const { compose } = await import('./server/compose.ts')
    listening.onUnreadable((socket, cause) => refuseConnection(socket, chance.newUuid(), cause))
    const service = await compose({
      ...options,
      dataDir,
      directory,
      sweeps: options.sweeps !== false,
      config,
      clock,
      chance,
      log,
      port,
      baseUrl,
      sessionCredential,
      controlCredential,
      tickets,
    })
    // Requests end before what they use is closed, and no work is taken while they do.
    closers.splice(1, 1, service.close, closeSockets, service.stop)
    front.open(service.answer)
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
        closing ??= closeAll()
        return closing
      },
    }
  } catch (error) {
    await closeAll()
    throw startFailure(error)
  }
}
