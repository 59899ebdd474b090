import { setTimeout as sleep } from 'node:timers/promises'
import { findDataDirectory, ownerOf } from '../src-server/db/data-directory.ts'
import { DirectoryOwnedError } from '../src-server/db/owner.ts'
import type { RunningServer } from '../src-server/server.ts'
import type { Messages } from './messages.ts'
import { createServiceClient, type Place, type ServiceClient } from './service-client.ts'

/** Time limit for a service to start or to stop gracefully, ms. */
const START_LIMIT_MS = 45_000
/** Pause between two checks, ms. */
const LOOK_AGAIN_MS = 200

/** Data directory of a command, and the behaviour of a service started for the command alone. */
export interface DataDirOptions {
  readonly dataDir: string
  readonly adoptDir?: boolean
  /** True if that service removes expired and left-over files; commands that only read or set something leave them. */
  readonly sweeps?: boolean
  /** True if the service must already be running, since one started for the command alone would be useless. */
  readonly needsRunning?: boolean
}

/**
 * Runs `work` against the service that owns the data directory and returns its outcome. If no process owns it, or if the owner ends
 * meanwhile, like another command's service, the service is started on a free port for this one command and stopped gracefully afterwards;
 * begun work continues. Passes on errors of `work`, and throws the reason if the service cannot be started.
 */
export function withService<Outcome>(
  options: DataDirOptions,
  messages: Messages,
  work: (client: ServiceClient) => Promise<Outcome>,
): Promise<Outcome> {
  return withPlace(options, messages, (place, find) => work(createServiceClient(place, messages, find)))
}

/**
 * Like {@link withService}, for work with its own client: it gets the service's address and a function that finds the successor of a lost
 * service.
 */
export async function withPlace<Outcome>(
  options: DataDirOptions,
  messages: Messages,
  work: (place: Place, findAnother: (lost: Place) => Promise<Place>) => Promise<Outcome>,
): Promise<Outcome> {
  const dataDir = findDataDirectory(options.dataDir, { adopts: options.adoptDir === true })
  let own: RunningServer | undefined
  const find = async (lost?: Place): Promise<Place> => {
    for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
      const isPatient = waitedMs < START_LIMIT_MS
      const owner = ownerOf(dataDir)
      if (owner && owner.controlToken !== lost?.credential) {
        return { baseUrl: `http://127.0.0.1:${owner.port}`, credential: owner.controlToken }
      }
      if (owner && !isPatient) throw new Error(messages.stoppedAnswering(`http://127.0.0.1:${owner.port}`))
      if (!owner) {
        if (options.needsRunning) throw new Error(messages.open.notRunning)
        try {
          own = await startOwn(dataDir, options.sweeps === true)
          return { baseUrl: own.baseUrl, credential: own.controlCredential }
        } catch (error) {
          // Another process owns the directory: it is starting, or has not quite ended.
          if (!(error instanceof DirectoryOwnedError) || !isPatient) throw error
        }
      }
      await sleep(LOOK_AGAIN_MS)
    }
  }
  try {
    return await work(await find(), find)
  } finally {
    await own?.close()
  }
}

async function startOwn(dataDir: string, sweeps: boolean): Promise<RunningServer> {
  const [{ startServer }, { createLog }, { systemClock }] = await Promise.all([
    import('../src-server/server.ts'),
    import('../src-system/log.ts'),
    import('../src-system/system.ts'),
  ])
  // The user wants the command's own outcome, so its service logs only errors.
  const log = createLog('error', systemClock, (line) => process.stderr.write(line))
  return startServer({ dataDir, sweeps, port: 0, host: 'browser', log })
}
