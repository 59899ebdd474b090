/** A farm as its owner sees it: the queue between machines, their file store, and their state. Loaded only for a configured farm. */
import type { FarmTrouble } from '../../src-contract/machines.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock } from '../../src-system/system.ts'
import { createDigests } from '../../src-worker/media/confirmed-binary.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import type { Queue } from '../jobs/queue.ts'
import { Audit, type AuditCounts } from './audit.ts'
import { BullQueue } from './bull-queue.ts'
import { FarmError } from './farm-error.ts'
import { type Announcement, isClockOff, Machines, soundFacts, type Wish } from './machines.ts'
import { PROTOCOL } from './messages.ts'
import { openBlobs } from './open-blobs.ts'
import type { FarmPlaces } from './places.ts'
import { openRedis, queuePlace } from './redis.ts'
import { FARM_TIMING, type FarmTiming, MISSED_BEATS } from './timing.ts'
import { noted, openConnections } from './troubles.ts'

export interface FarmOptions extends FarmPlaces {
  /** True if machines may produce different bytes than the owner. */
  readonly allowsMixed: boolean
  /** One song in this many is mastered by two machines and compared; 0 for none. */
  readonly auditEvery: number
  readonly timing?: FarmTiming
}

export interface FarmDeps {
  readonly databaseId: string
  /** Folder for files that are not kept. */
  readonly tmp: string
  readonly ffmpeg: () => Promise<Ffmpeg>
  /** Returns true while nothing may leave this machine. */
  readonly isOffline: () => boolean
  /** Called when the machines have more capacity. */
  readonly onMoreSlots: () => void
  readonly clock: Clock
  readonly log: Log
}

export interface Farm {
  readonly queue: Queue
  /** Songs that the machines can master at once, at this moment. */
  liveSlots(): number
  /** Returns the machines at the last look, and those that have gone since the start. */
  seen(): readonly SeenMachine[]
  /** Returns the attempts that wait in the queue and that are worked on, at the last look. */
  depth(): QueueDepth
  /** Returns what is wrong at this moment. */
  troubles(): readonly FarmTrouble[]
  audits(): AuditCounts
  /** Asks a machine to take no more songs, to leave, or to continue. */
  wish(name: string, wish: Wish | undefined): Promise<void>
  close(): Promise<void>
}

export interface QueueDepth {
  readonly waiting: number
  readonly active: number
}

export interface SeenMachine extends Announcement {
  readonly isThere: boolean
  /** Milliseconds since 1970. */
  readonly seenAtMs: number
}

/** Opens a farm. Rejects with a {@link FarmError} and leaves nothing open. */
export async function openFarm(options: FarmOptions, deps: FarmDeps): Promise<Farm> {
  const { log, clock } = deps
  const timing = options.timing ?? FARM_TIMING
  const place = queuePlace(options.queue, options.queuePassword)
  const blobs = await openBlobs(options.blobs, deps.tmp)
  const redis = await openRedis(place)
  redis.on('error', (cause) => log.debug('the queue does not answer', { cause: cause.message }))
  if (!place.isEncrypted && !place.isLoopback) log.warn('the queue is not encrypted', { queue: place.shown })
  const machines = new Machines(redis, timing)
  const other = await machines.owner()
  if (other && other.databaseId !== deps.databaseId) {
    redis.disconnect()
    throw new FarmError('queue_taken', place.shown)
  }
  const troubles = openConnections(place, blobs)
  const liveSlots = () => (deps.isOffline() && !place.isLoopback ? 0 : board.liveSlots())
  const queue = new BullQueue({
    ...{ place, redis, machines, timing, liveSlots, clock, log },
    onMade: (made) => audit.made(made),
    blobs: noted(blobs, troubles),
  })
  const audit = new Audit({
    // Machines that may differ are not compared.
    every: options.allowsMixed ? 0 : options.auditEvery,
    makeElsewhere: (attempt, notOn, signal) => queue.makeElsewhere(attempt, notOn, signal),
    workingMachines: () => board.workingMachines(),
    ...{ troubles, timing, clock, log },
  })
  const depth = () => queue.depth()
  const board = new Board(machines, { ...deps, depth, allowsMixed: options.allowsMixed, beatMs: timing.beatMs })
  return {
    queue,
    liveSlots,
    seen: () => board.seen(),
    depth: () => board.depth(),
    troubles: () => [...board.troubles(), ...troubles.list()],
    wish: (name, wish) => machines.wish(name, wish),
    audits: () => audit.counts(),
    async close() {
      audit.close()
      await board.close()
      await queue.close()
      blobs.close()
      redis.disconnect()
    },
  }
}

interface BoardDeps extends FarmDeps {
  readonly allowsMixed: boolean
  readonly beatMs: number
  readonly depth: () => Promise<QueueDepth>
}

/** Announces the owner and reads the machines' announcements repeatedly. */
class Board {
  readonly #machines: Machines
  readonly #deps: BoardDeps
  readonly #closing = new AbortController()
  readonly #digestOf = createDigests()
  readonly #beats: Promise<void>
  readonly #seen = new Map<string, SeenMachine>()
  #unreadable: ReadonlyMap<string, string> = new Map()
  #answeredAtMs: number
  #depth: QueueDepth = { waiting: 0, active: 0 }

  constructor(machines: Machines, deps: BoardDeps) {
    this.#machines = machines
    this.#deps = deps
    this.#answeredAtMs = deps.clock.monotonicMs()
    this.#beats = this.#beat()
  }

  liveSlots(): number {
    return this.seen().reduce((sum, { isThere, state, slots }) => sum + (isThere && state === 'working' ? slots : 0), 0)
  }

  /** Returns the depth of the queue at the last look. */
  depth(): QueueDepth {
    return this.#depth
  }

  /** Returns what is wrong with the board at the last look. */
  troubles(): FarmTrouble[] {
    return [
      ...(this.isAnswered() ? [] : (['queue_away'] as const)),
      ...(this.#unreadable.size > 0 ? (['machine_unreadable'] as const) : []),
    ]
  }

  workingMachines(): number {
    return this.seen().filter(({ isThere, state }) => isThere && state === 'working').length
  }

  seen(): readonly SeenMachine[] {
    return [...this.#seen.values()]
  }

  /** Returns whether the queue has answered lately; commands wait while it is away. */
  isAnswered(): boolean {
    const { clock, beatMs } = this.#deps
    return clock.monotonicMs() - this.#answeredAtMs <= beatMs * MISSED_BEATS
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the server stops'))
    await Promise.race([this.#beats, this.#deps.clock.sleep(this.#deps.beatMs)])
  }

  async #beat(): Promise<void> {
    const { clock, log, beatMs } = this.#deps
    while (!this.#closing.signal.aborted) {
      await this.#lookAndTell().catch((cause: unknown) => log.warn('the machines cannot be seen', { cause }))
      await clock.sleep(beatMs, this.#closing.signal).catch(() => {})
    }
  }

  async #lookAndTell(): Promise<void> {
    const { databaseId, allowsMixed, ffmpeg, clock, log, onMoreSlots } = this.#deps
    const facts = await soundFacts(ffmpeg, this.#digestOf)
    await this.#machines.announceOwner({ protocol: PROTOCOL, ...facts, databaseId, allowsMixed, nowMs: clock.now() })
    const slotsBefore = this.liveSlots()
    const { machines: there, unreadable } = await this.#machines.list()
    for (const [key, reason] of unreadable)
      if (!this.#unreadable.has(key)) log.warn('an announcement of a machine is left out', { key, reason })
    this.#unreadable = unreadable
    const seenAtMs = clock.now()
    for (const machine of this.seen()) this.#seen.set(machine.name, { ...machine, isThere: false })
    for (const machine of there) {
      const clockTrouble = isClockOff(machine, seenAtMs) ? (['clock'] as const) : []
      const troubles = [...machine.troubles, ...clockTrouble]
      this.#seen.set(machine.name, { ...machine, troubles, isThere: true, seenAtMs })
    }
    if (this.liveSlots() > slotsBefore) onMoreSlots()
    this.#depth = await this.#deps.depth()
    this.#answeredAtMs = clock.monotonicMs()
  }
}
