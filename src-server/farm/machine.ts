/**
 * A further machine of a farm: takes attempts from the queue, masters each in an engine process, and hands the masters back. It keeps
 * nothing; a song whose machine is lost is mastered by another.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import path from 'node:path'
import { type Job, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { FarmTrouble } from '../../src-contract/machines.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock } from '../../src-system/system.ts'
import type { WorkProgress } from '../../src-worker/mastering/work-order.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { fitsMemory, type MemoryUse } from '../jobs/memory.ts'
import type { Loss } from '../jobs/queue.ts'
import type { EngineEnd, WorkerPool } from '../jobs/worker-pool.ts'
import { BlobFault, type Blobs } from './blobs.ts'
import { QUEUE_NAME } from './bull-queue.ts'
import { FarmError } from './farm-error.ts'
import { type Announcement, differences, isClockOff, KEY_PREFIX, Machines, type SoundFacts } from './machines.ts'
import { type PackedEnd, PROTOCOL, readAttempt } from './messages.ts'
import { packResult, unpackOrder } from './packed-work.ts'
import type { QueuePlace } from './redis.ts'
import { type FarmTiming, MISSED_BEATS } from './timing.ts'
import type { Troubles } from './troubles.ts'

/** Tries to transfer files before the attempt is given back. */
const FILE_TRIES = 12

/** Between two messages about the progress of an attempt within one stage, ms. */
const PROGRESS_STEP_MS = 500

/** Time over which songs are counted, ms. */
const HOUR_MS = 3_600_000

/** Failures of a machine, which say nothing about the song. */
const MACHINE_FAILURES: Readonly<Record<string, Loss>> = {
  DISK_FULL: 'disk_full',
  FFMPEG_MISSING: 'ffmpeg',
  FFMPEG_BROKEN: 'ffmpeg',
  ENCODER_MISSING: 'ffmpeg',
  // They were fetched completely, and have vanished from its own folder.
  SOURCE_LOST: 'files',
  REFERENCE_LOST: 'files',
}

export interface MachineDeps {
  readonly place: QueuePlace
  readonly redis: Redis
  readonly blobs: Blobs
  readonly pool: Pick<WorkerPool, 'run'>
  readonly ffmpeg: () => Promise<Ffmpeg>
  readonly facts: () => Promise<SoundFacts>
  readonly timing: FarmTiming
  readonly clock: Clock
  readonly log: Log
  /** Name by which the owner knows it. */
  readonly name: string
  /** Songs that it masters at once. */
  readonly slots: number
  /** Folder of its own. */
  readonly folder: string
  /** Called when the state or the troubles have changed. */
  readonly onState: (announcement: Announcement) => void
  readonly troubles: Troubles
}

/** An attempt that is worked on. */
interface Running extends MemoryUse {
  readonly stop: AbortController
  stage: MemoryUse['stage']
}

type BullJob = Job<unknown, PackedEnd, string>
type ReadAttempt = ReturnType<typeof readAttempt>

export class Machine {
  readonly #deps: MachineDeps
  readonly #machines: Machines
  readonly #worker: Worker<unknown, PackedEnd, string>
  readonly #running = new Map<string, Running>()
  readonly #closing = new AbortController()
  readonly #instance = randomUUID()
  readonly #startedAtMs: number
  #doneAtMs: number[] = []
  #errors = 0
  #state: Announcement['state'] = 'waiting'
  #differs: Announcement['differs'] = []
  #isClockOff = false
  #told = ''
  #beats: Promise<void> | undefined
  #removed: (() => void) | undefined
  /** Resolves when the owner has removed this machine. */
  readonly removed = new Promise<void>((resolve) => {
    this.#removed = resolve
  })

  constructor(deps: MachineDeps) {
    this.#deps = deps
    this.#startedAtMs = deps.clock.monotonicMs()
    this.#machines = new Machines(deps.redis, deps.timing)
    this.#worker = new Worker(QUEUE_NAME, (job) => this.#work(job), {
      ...{ connection: deps.place.options, prefix: KEY_PREFIX, skipVersionCheck: true },
      ...{ name: deps.name, autorun: false, concurrency: deps.slots },
      ...{ lockDuration: deps.timing.lockMs, stalledInterval: deps.timing.lockMs, maxStalledCount: 0 },
      runRetryDelay: deps.timing.retryMs,
    })
    this.#worker.on('error', (cause) => deps.log.debug('the queue does not answer', { cause: cause.message }))
  }

  /**
   * Announces this machine and takes attempts once the owner is known to produce the same bytes. Rejects with a {@link FarmError} if the
   * name is taken.
   */
  async start(): Promise<void> {
    const { log } = this.#deps
    await this.#takeName()
    await this.#machines.wish(this.#deps.name, undefined)
    await this.#worker.pause()
    this.#worker.run().catch((cause: unknown) => log.error('the queue cannot be read', { cause }))
    this.#beats = this.#beat()
  }

  /** Gives back its attempts and leaves. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the machine stops'))
    for (const { stop } of this.#running.values()) stop.abort(this.#closing.signal.reason)
    const inOrder = this.#beats
      ? this.#beats.then(() => this.#worker.close()).then(() => this.#machines.leave(this.#deps.name))
      : this.#worker.close()
    await Promise.race([inOrder, this.#deps.clock.sleep(this.#deps.timing.lockMs)])
  }

  /** Waits until a killed machine of the same name has expired. */
  async #takeName(): Promise<void> {
    const { name, clock, timing } = this.#deps
    for (let beats = 0; beats <= MISSED_BEATS; beats++) {
      const other = await this.#machines.find(name)
      if (!other || other.instance === this.#instance) return
      await clock.sleep(timing.beatMs)
    }
    throw new FarmError('name_taken', name)
  }

  async #beat(): Promise<void> {
    const { clock, timing, log } = this.#deps
    while (!this.#closing.signal.aborted) {
      await this.#lookAndTell().catch((cause: unknown) => log.warn('the owner cannot be told', { cause }))
      await clock.sleep(timing.beatMs, this.#closing.signal).catch(() => {})
    }
  }

  /** Follows the owner's wishes, stops abandoned attempts, and announces this machine. */
  async #lookAndTell(): Promise<void> {
    const { name, facts, clock, onState } = this.#deps
    const [own, owner, wish] = await Promise.all([facts(), this.#machines.owner(), this.#machines.wishFor(name)])
    if (owner) this.#differs = owner.allowsMixed ? [] : differences(own, owner)
    if (owner) this.#isClockOff = isClockOff(owner, clock.now())
    const mayWork =
      wish === undefined && this.#differs.length === 0 && (owner !== undefined || this.#state === 'working')
    if (mayWork && this.#worker.isPaused()) this.#worker.resume()
    // Running attempts continue.
    if (!mayWork && !this.#worker.isPaused()) await this.#worker.pause(true)
    this.#state = mayWork ? 'working' : wish ? 'draining' : this.#differs.length > 0 ? 'refused' : 'waiting'
    const announcement = this.#announcement(own)
    await this.#machines.announce(announcement)
    const news = [this.#state, ...this.#troubles()].join()
    if (this.#told !== news) onState({ ...announcement, troubles: this.#troubles() })
    this.#told = news
    for (const [attemptId, { stop }] of this.#running)
      if (await this.#machines.isGivenUp(attemptId)) stop.abort(new Error('given up'))
    if (wish === 'remove' && this.#running.size === 0) this.#removed?.()
  }

  #troubles(): FarmTrouble[] {
    return [...this.#deps.troubles.list(), ...(this.#isClockOff ? (['clock'] as const) : [])]
  }

  #announcement(facts: SoundFacts): Announcement {
    const { clock, name, slots } = this.#deps
    const now = clock.monotonicMs()
    this.#doneAtMs = this.#doneAtMs.filter((doneAtMs) => now - doneAtMs < HOUR_MS)
    const hours = Math.min(HOUR_MS, Math.max(1, now - this.#startedAtMs)) / HOUR_MS
    return {
      protocol: PROTOCOL,
      ...facts,
      ...{ name, slots, instance: this.#instance, cores: availableParallelism(), memoryBytes: totalmem() },
      ...{ state: this.#state, differs: this.#differs, errors: this.#errors },
      // The owner compares the clocks itself.
      ...{ troubles: this.#deps.troubles.list(), nowMs: clock.now() },
      attempts: [...this.#running.keys()],
      songsPerHour: Math.round(this.#doneAtMs.length / hours),
    }
  }

  /**
   * Runs one attempt. Resolves with its end, whatever it was: the owner decides about another one. Rejects, without side effects, for a
   * queue entry that is no attempt or is already running.
   */
  async #work(job: BullJob): Promise<PackedEnd> {
    const { log, clock, name } = this.#deps
    const attempt = readAttempt(job)
    if (this.#running.has(attempt.id)) throw new Error('it is worked on already')
    // The comparison would be with this machine itself.
    if (attempt.notOn === name) return this.#lost('gone', 'this machine made it before')
    const running: Running = { stop: new AbortController(), stage: 'decoding', memoryBytes: attempt.memoryBytes }
    const others = [...this.#running.values()]
    this.#running.set(attempt.id, running)
    try {
      await this.#memoryFor(running, others)
      const made = await this.#inOwnFolder((own) => this.#master(attempt, own, running, this.#teller(job, running)))
      if (made.end.kind === 'answered') this.#doneAtMs.push(clock.monotonicMs())
      else if (made.end.kind === 'lost') await this.#rest(running)
      return made
    } catch (cause) {
      log.warn('an attempt could not be made', { attemptId: attempt.id, cause })
      await this.#rest(running)
      return this.#lost(cause instanceof BlobFault ? 'files' : 'gone', String(cause))
    } finally {
      this.#running.delete(attempt.id)
    }
  }

  /** Runs `work` in a new folder, and removes that. */
  async #inOwnFolder<Result>(work: (own: string) => Promise<Result>): Promise<Result> {
    const own = await mkdtemp(path.join(this.#deps.folder, 'attempt-'))
    try {
      return await work(own)
    } finally {
      await rm(own, { recursive: true, force: true })
    }
  }

  async #master(
    attempt: ReadAttempt,
    own: string,
    { stop: { signal } }: Running,
    onProgress: (progress: WorkProgress) => void,
  ): Promise<PackedEnd> {
    const { blobs, pool, ffmpeg, slots } = this.#deps
    const packed = await this.#persist(signal, () => unpackOrder(blobs, attempt.id, attempt.order, own))
    const attemptFolder = path.join(own, 'attempt')
    await mkdir(attemptFolder, { mode: 0o700 })
    const threads = Math.max(1, Math.floor(availableParallelism() / slots))
    const order = { ...packed, attemptFolder, ffmpeg: await ffmpeg(), threads }
    const end = await pool.run({
      command: { type: 'work', order },
      timeLimitMs: attempt.timeLimitMs,
      signal,
      onProgress,
    })
    const fault = machineFault(end)
    if (fault?.reason === 'disk_full' || fault?.reason === 'ffmpeg') this.#deps.troubles.note(fault.reason)
    if (fault) return this.#lost(fault.reason, fault.detail)
    this.#deps.troubles.clear('disk_full', 'ffmpeg')
    if (end.kind === 'answered' && end.message.type === 'done' && attempt.notOn === undefined) {
      const { result } = end.message
      await this.#persist(signal, () => packResult(blobs, attempt.id, result, attemptFolder))
    }
    // No other is left.
    return this.#tell(end as PackedEnd['end'])
  }

  #tell(end: PackedEnd['end']): PackedEnd {
    return { protocol: PROTOCOL, end, machine: this.#deps.name }
  }

  #lost(reason: Loss, detail: string): PackedEnd {
    return this.#tell({ kind: 'lost', reason, detail })
  }

  /** Waits until there is room for an attempt besides the earlier ones. */
  async #memoryFor(running: Running, others: readonly Running[]): Promise<void> {
    const { clock, timing } = this.#deps
    const stillRun = () => others.filter((other) => [...this.#running.values()].includes(other))
    while (!fitsMemory(running.memoryBytes, process.availableMemory(), stillRun()))
      await clock.sleep(timing.beatMs, running.stop.signal)
  }

  /** Counts a fault of this machine, and pauses so that others take the next song. */
  async #rest({ stop }: Running): Promise<void> {
    if (stop.signal.aborted) return
    this.#errors++
    await this.#deps.clock.sleep(this.#deps.timing.retryMs, stop.signal).catch(() => {})
  }

  /** Returns the reporter of an attempt's progress to the owner. */
  #teller(job: BullJob, running: Running): (progress: WorkProgress) => void {
    const { clock } = this.#deps
    let toldAtMs = Number.NEGATIVE_INFINITY
    return (progress) => {
      const now = clock.monotonicMs()
      if (progress.stage === running.stage && now - toldAtMs < PROGRESS_STEP_MS) return
      toldAtMs = now
      running.stage = progress.stage
      // A lost report does no harm.
      job.updateProgress({ ...progress }).catch(() => {})
    }
  }

  /** Runs `work` with the file store, retrying for a while if that may help. */
  async #persist<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const { clock, timing } = this.#deps
    for (let left = FILE_TRIES - 1; ; left--) {
      try {
        return await work()
      } catch (cause) {
        if (left === 0 || !(cause instanceof BlobFault && cause.mayPass)) throw cause
      }
      await clock.sleep(timing.retryMs, signal)
    }
  }
}

/** Returns an end as a loss if this machine, not the song, is to blame. Pure. */
function machineFault(end: EngineEnd): { readonly reason: Loss; readonly detail: string } | undefined {
  if (end.kind === 'stopped') return { reason: 'stopped', detail: 'the machine was stopped' }
  if (end.kind === 'crashed' && end.fault === 'not_started') return { reason: 'gone', detail: end.detail }
  if (end.kind !== 'answered' || end.message.type !== 'failed') return undefined
  const { failureCode, message } = end.message
  const reason = MACHINE_FAILURES[failureCode]
  return reason && { reason, detail: message }
}
