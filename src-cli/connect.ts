import { setTimeout as sleep } from 'node:timers/promises'
import { findDataDirectory, ownerOf } from '../src-server/db/data-directory.ts'
import { DirectoryOwnedError } from '../src-server/db/owner.ts'
import type { RunningServer } from '../src-server/server.ts'
import type { Messages } from './messages.ts'
import { createServiceClient, type Place, type ServiceClient } from './service-client.ts'

/** Time limit for a service to start, or to end in order, ms. */
const START_LIMIT_MS = 45_000
/** Pause between two checks, ms. */
const LOOK_AGAIN_MS = 200

/** Which data directory a command means, and what a service may do that is started for the command alone. */
export interface DataDirOptions {
  readonly dataDir: string
  readonly adoptDir?: boolean
  /** True where that service removes expired and left-over files; a command that only reads or sets something leaves them. */
  readonly sweeps?: boolean
  /** True where a service that is started for the command alone would be of no use: there must be one that runs. */
  readonly needsRunning?: boolean
}

/**
 * Runs `work` against the service that owns the data directory and returns its outcome. Where no process owns it, the service is
 * started on a free port for this one command and stopped in order afterwards; so it is when the owner ends meanwhile, as the service
 * of another command does, and what has begun goes on. Throws what `work` throws, and the reason when the service cannot be started.
 */
export function withService<Outcome>(
  options: DataDirOptions,
  messages: Messages,
  work: (client: ServiceClient) => Promise<Outcome>,
): Promise<Outcome> {
  return withPlace(options, messages, (place, find) => work(createServiceClient(place, messages, find)))
}

/** As {@link withService}, for work that calls the service by itself: it gets its place, and what finds the one that took a lost one's. */
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
          // Another process was faster: it is coming up, or has not quite ended.
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
  // The command's own outcome is what the user came for; the log of its service stays silent below errors.
  const log = createLog('error', systemClock, (line) => process.stderr.write(line))
  return startServer({ dataDir, sweeps, port: 0, host: 'browser', log })
}
