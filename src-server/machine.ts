/** Start of a further machine of a farm: it masters songs from the queue, and has neither a database nor a port. */
import { availableParallelism, hostname } from 'node:os'
import { keepPrivate } from '../src-system/disk.ts'
import { createLog, type Log } from '../src-system/log.ts'
import { systemClock } from '../src-system/system.ts'
import { createDigests } from '../src-worker/media/confirmed-binary.ts'
import { locateFfmpeg } from '../src-worker/media/locate.ts'
import { type Config, readConfig } from './config.ts'
import { FarmError } from './farm/farm-error.ts'
import { Machine } from './farm/machine.ts'
import { type Announcement, soundFacts } from './farm/machines.ts'
import { openBlobs } from './farm/open-blobs.ts'
import { type OwnFolder, openOwnFolder } from './farm/own-folder.ts'
import { type FarmWish, farmPlaces } from './farm/places.ts'
import { openRedis, queuePlace } from './farm/redis.ts'
import { FARM_TIMING, type FarmTiming } from './farm/timing.ts'
import { noted, openConnections } from './farm/troubles.ts'
import { createWorkerPool, type ForkEngine, forkWithNode } from './jobs/worker-pool.ts'
import { ENGINE_FILE } from './server/paths.ts'

export interface MachineOptions extends FarmWish {
  /** Name of the machine in the owner's list; the host's when absent. */
  readonly name?: string
  /** Concurrent songs; half the number of its cores when absent. */
  readonly workers?: number
  readonly log?: Log
  readonly timing?: FarmTiming
  readonly forkEngine?: ForkEngine
  /** Called when it starts working, waits for its owner, or is refused by it, and when its problems change. */
  readonly onState?: (announcement: Announcement) => void
}

/** A running machine. */
export interface RunningMachine {
  readonly name: string
  /** Resolves when the owner has removed it. */
  readonly removed: Promise<void>
  /** Hands back its current work and leaves. */
  close(): Promise<void>
}

/** Starts a machine. Rejects with a {@link FarmError} and then leaves nothing open. */
export async function startMachine(options: MachineOptions): Promise<RunningMachine> {
  keepPrivate()
  const config = readConfig()
  const log = options.log ?? createLog(config.logLevel, systemClock, (line) => process.stderr.write(line))
  const { reconcileMs } = options.timing ?? FARM_TIMING
  const own = await openOwnFolder({ clock: systemClock, log, sweepMs: reconcileMs })
  try {
    return await startIn(own, options, config, log)
  } catch (cause) {
    await own.close()
    throw cause
  }
}

async function startIn(own: OwnFolder, options: MachineOptions, config: Config, log: Log): Promise<RunningMachine> {
  const clock = systemClock
  const places = farmPlaces(options, config)
  if (!places) throw new FarmError('only_one')
  const place = queuePlace(places.queue, places.queuePassword)
  const ffmpeg = await locateFfmpeg({ explicit: config.ffmpegPath }).catch((cause: unknown) => {
    throw new FarmError('no_ffmpeg', '', cause)
  })
  const store = await openBlobs(places.blobs, own.path)
  const troubles = openConnections(place, store)
  const blobs = noted(store, troubles)
  const redis = await openRedis(place)
  redis.on('error', (cause) => log.debug('the queue does not answer', { cause: cause.message }))
  const fork = options.forkEngine ?? forkWithNode(ENGINE_FILE, log)
  const pool = createWorkerPool({ fork, clock, log, graceMs: config.engineGraceMs })
  const digestOf = createDigests()
  const name = options.name ?? hostname()
  const machine = new Machine({
    ...{ place, redis, blobs, pool, clock, log, name, troubles, folder: own.path },
    ffmpeg: async () => ffmpeg,
    facts: () => soundFacts(async () => ffmpeg, digestOf),
    timing: options.timing ?? FARM_TIMING,
    slots: options.workers ?? Math.max(1, Math.floor(availableParallelism() / 2)),
    onState: options.onState ?? (() => {}),
  })
  const stop = async () => {
    await machine.close()
    pool.close()
    blobs.close()
    redis.disconnect()
  }
  try {
    await machine.start()
  } catch (cause) {
    await stop()
    throw cause
  }
  return { name, removed: machine.removed, close: () => stop().finally(() => own.close()) }
}
