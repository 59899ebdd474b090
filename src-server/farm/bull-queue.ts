/**
 * Queue of attempts between machines, on BullMQ: the owner's side. The owner's database is the truth; what BullMQ keeps is compared with
 * it, and an attempt that BullMQ has forgotten is offered again.
 */
import { Queue as BullMq, type Job, QueueEvents } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Log } from '../../src-system/log.ts'
import type { Clock } from '../../src-system/system.ts'
import type { Attempt, AttemptEnd, AttemptWatch, Loss, Queue } from '../jobs/queue.ts'
import { bringResult } from './arrived-result.ts'
import type { MadeAttempt } from './audit.ts'
import { ATTEMPT_ID, BlobFault, type Blobs } from './blobs.ts'
import { KEY_PREFIX, type Machines } from './machines.ts'
import { type PackedAttempt, PROTOCOL, progressOf, readEnd } from './messages.ts'
import { packOrder } from './packed-work.ts'
import type { QueuePlace } from './redis.ts'
import type { FarmTiming } from './timing.ts'

/** Name of the queue under {@link KEY_PREFIX}. */
export const QUEUE_NAME = 'attempts'

/** Events that Redis keeps: they are hints, and a missed one costs a comparison. */
const KEPT_EVENTS = 1000

/** Comparisons between two searches for abandoned attempts. */
const SWEEP_EVERY = 60

/** Time in which the connections may close in order, ms. */
const CLOSE_LIMIT_MS = 2000

/** States of an attempt that no machine has taken. */
const WAITING: ReadonlySet<string> = new Set(['waiting', 'prioritized', 'paused'])

/** Time limits of an attempt for which a machine may hold it: files are transferred, and another song may have to end first. */
const MOST_TIMES = 3

export interface BullQueueDeps {
  readonly place: QueuePlace
  readonly redis: Pick<Redis, 'exists'>
  readonly machines: Pick<Machines, 'giveUp'>
  readonly blobs: Blobs
  readonly timing: FarmTiming
  /** Songs that the machines can master at once, at this moment. */
  readonly liveSlots: () => number
  /** Called with each result, once its files are here. */
  readonly onMade: (made: MadeAttempt) => void
  readonly clock: Clock
  readonly log: Log
}

/** An attempt in progress. */
interface Offered {
  readonly attempt: Attempt
  readonly watch: AttemptWatch
  readonly resolve: (end: AttemptEnd) => void
  /** Machine that must not run it; no file of the result is then fetched. */
  readonly notOn?: string
  /** True once a machine was seen to work on it. */
  isTaken: boolean
  /** True if no machine held its lock at the last look. */
  isUnlocked: boolean
  /** First look at which a machine held it. */
  takenAtMs?: number
  /** One look at a time. */
  looking: Promise<void>
}

type BullJob = Job<PackedAttempt, unknown, string>

export class BullQueue implements Queue {
  readonly outlivesOwner = true
  readonly #deps: BullQueueDeps
  readonly #queue: BullMq<PackedAttempt, unknown, string>
  readonly #events: QueueEvents
  readonly #offered = new Map<string, Offered>()
  readonly #closing = new AbortController()
  #lastAdd: Promise<void> = Promise.resolve()
  #closed: Promise<void> | undefined

  constructor(deps: BullQueueDeps) {
    this.#deps = deps
    const options = { connection: deps.place.options, prefix: KEY_PREFIX, skipVersionCheck: true }
    this.#queue = new BullMq(QUEUE_NAME, { ...options, streams: { events: { maxLen: KEPT_EVENTS } } })
    this.#events = new QueueEvents(QUEUE_NAME, { ...options, autorun: false })
    // The connection recovers by itself; a comparison finds the messages missed meanwhile.
    const note = (cause: Error) => deps.log.debug('the queue does not answer', { cause: cause.message })
    this.#queue.on('error', note)
    this.#events.on('error', note)
    this.#events.on('active', ({ jobId }) => void this.#wake(jobId))
    this.#events.on('completed', ({ jobId }) => void this.#wake(jobId))
    this.#events.on('failed', ({ jobId }) => void this.#wake(jobId))
    this.#events.on('progress', ({ jobId, data }) => this.#noteProgress(jobId, data))
    void this.#follow()
    void this.#reconcile()
  }

  /** Twice the machines' capacity: a free machine finds the next attempt at once, and the order stays the owner's. */
  slots(): number {
    return 2 * this.#deps.liveSlots()
  }

  /** Each machine extends its own locks. */
  freeMemoryBytes(): number {
    return Number.POSITIVE_INFINITY
  }

  offer(attempt: Attempt, watch: AttemptWatch): Promise<AttemptEnd> {
    return this.#offer(attempt, watch)
  }

  /** Runs an attempt on any machine but one and fetches only its end; it counts as lost if that machine takes it. Never rejects. */
  makeElsewhere(attempt: Attempt, notOn: string, signal: AbortSignal): Promise<AttemptEnd> {
    return this.#offer(attempt, { signal }, notOn)
  }

  #offer(attempt: Attempt, watch: AttemptWatch, notOn?: string): Promise<AttemptEnd> {
    if (this.#closing.signal.aborted) return Promise.resolve({ kind: 'left' })
    return new Promise((resolve) => {
      const offered: Offered = {
        ...{ attempt, watch, resolve, isTaken: false, isUnlocked: false },
        ...(notOn === undefined ? {} : { notOn }),
        looking: Promise.resolve(),
      }
      this.#offered.set(attempt.id, offered)
      const takeBack = () => this.#giveUp(offered, { kind: 'stopped' })
      if (watch.signal.aborted) takeBack()
      else watch.signal.addEventListener('abort', takeBack, { once: true })
      void this.#wake(attempt.id)
    })
  }

  /** Returns the numbers of attempts that wait in the queue and that are worked on. */
  async depth(): Promise<{ readonly waiting: number; readonly active: number }> {
    const { waiting = 0, active = 0 } = await this.#queue.getJobCounts('waiting', 'active')
    return { waiting, active }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    this.#closing.abort(new Error('the server stops'))
    const left = [...this.#offered.values()]
    this.#offered.clear()
    for (const { resolve } of left) resolve({ kind: 'left' })
    const inOrder = Promise.allSettled([this.#events.close(), this.#queue.close()])
    await Promise.race([inOrder, this.#deps.clock.sleep(CLOSE_LIMIT_MS)])
    // Cut, not awaited: while Redis is away, a connection never reports its end.
    void Promise.allSettled([this.#events.disconnect(), this.#queue.disconnect()])
  }

  /** Follows the events of the queue, and starts anew after an unreadable one. */
  async #follow(): Promise<void> {
    const { clock, timing, log } = this.#deps
    while (!this.#closing.signal.aborted) {
      await this.#events.run().catch((cause: unknown) => log.debug('an event of the queue cannot be read', { cause }))
      await clock.sleep(timing.retryMs, this.#closing.signal).catch(() => {})
    }
  }

  /** Compares all offers with the queue repeatedly. */
  async #reconcile(): Promise<void> {
    const { clock, timing, log } = this.#deps
    for (let round = 1; !this.#closing.signal.aborted; round++) {
      await clock.sleep(timing.reconcileMs, this.#closing.signal).catch(() => {})
      for (const id of this.#offered.keys()) void this.#wake(id)
      if (round % SWEEP_EVERY === 0)
        await this.#sweep().catch((cause: unknown) => log.warn('left-over attempts could not be removed', { cause }))
    }
  }

  /** Removes abandoned files and entries: a machine that was given up may still have stored some. */
  async #sweep(): Promise<void> {
    const { blobs } = this.#deps
    const isLeft = (id: string | undefined): id is string => id !== undefined && !this.#offered.has(id)
    const ended = await this.#queue.getJobs(['completed', 'failed'])
    const ids = [...ended.map(({ id }) => id), ...(await blobs.attempts())]
    for (const id of new Set(ids.filter(isLeft))) if (ATTEMPT_ID.test(id)) await this.#forget(id)
  }

  #noteProgress(attemptId: string, told: unknown): void {
    const offered = this.#offered.get(attemptId)
    const progress = progressOf(told)
    if (!offered || !progress) return
    offered.isTaken = true
    offered.watch.onProgress?.(progress)
  }

  /** Looks at an attempt, after the look that is under way. Never rejects. */
  #wake(attemptId: string): Promise<void> {
    const offered = this.#offered.get(attemptId)
    if (!offered) return Promise.resolve()
    offered.looking = offered.looking
      .then(() => this.#look(offered))
      .catch((cause: unknown) => {
        if (this.#isWaitedFor(offered)) this.#deps.log.warn('an attempt could not be looked at', { attemptId, cause })
      })
    return offered.looking
  }

  #isWaitedFor(offered: Offered): boolean {
    return this.#offered.get(offered.attempt.id) === offered
  }

  async #look(offered: Offered): Promise<void> {
    if (!this.#isWaitedFor(offered)) return
    const { id } = offered.attempt
    // First: the queue then has the end of every attempt that has ended.
    const state = await this.#queue.getJobState(id)
    const job = await this.#find(id)
    if (!this.#isWaitedFor(offered)) return
    if (job === 'unreadable') return this.#lose(offered, 'gone', 'the queue holds something else in its place')
    // The queue was wiped. Offering an untaken attempt again is harmless.
    if (!job)
      return offered.isTaken ? this.#lose(offered, 'gone', 'the queue has forgotten it') : this.#addInTurn(offered)
    if (state === 'completed') return this.#take(offered, job.returnvalue)
    if (state === 'failed') return this.#lose(offered, 'gone', String(job.failedReason))
    if (WAITING.has(state)) return
    offered.isTaken = true
    // An event that was missed.
    this.#noteProgress(id, job.progress)
    const isHeld = state === 'active' && (await this.#isHeld(offered))
    if (!isHeld && offered.isUnlocked) return this.#lose(offered, 'gone', 'its machine no longer answers')
    // A machine releases the lock just before it writes the end: a second look decides.
    if (!isHeld) this.#deps.clock.after(this.#deps.timing.beatMs, () => void this.#wake(id))
    offered.isUnlocked = !isHeld
  }

  /** Returns what the queue holds of an attempt, if anything. Rejects with the error of the connection. */
  async #find(id: string): Promise<BullJob | 'unreadable' | undefined> {
    try {
      return (await this.#queue.getJob(id)) as BullJob | undefined
    } catch (cause) {
      const isOther = cause instanceof SyntaxError || /^WRONGTYPE/.test((cause as Error).message)
      if (isOther) return 'unreadable'
      throw cause
    }
  }

  /** Returns whether a machine holds the lock of an attempt, and has not held it for longer than any attempt takes. */
  async #isHeld(offered: Offered): Promise<boolean> {
    const { redis, clock } = this.#deps
    const now = clock.monotonicMs()
    offered.takenAtMs ??= now
    if (now - offered.takenAtMs > MOST_TIMES * offered.attempt.timeLimitMs) return false
    return (await redis.exists(`${this.#queue.toKey(offered.attempt.id)}:lock`)) === 1
  }

  /** Adds attempts one after the other: the order of the offers is the owner's. */
  #addInTurn(offered: Offered): Promise<void> {
    const added = this.#lastAdd.then(() => this.#add(offered))
    this.#lastAdd = added.catch(() => {})
    return added
  }

  /** Stores the files of an attempt and offers it, again while the store is away. */
  async #add(offered: Offered): Promise<void> {
    const { attempt, watch, notOn } = offered
    const { id, order, timeLimitMs, memoryBytes } = attempt
    const pack = () => packOrder(this.#deps.blobs, id, order)
    const packed = await this.#persist(id, pack).catch((cause: unknown) => this.#lose(offered, 'files', String(cause)))
    if (!packed || watch.signal.aborted) return
    const avoided = notOn === undefined ? {} : { notOn }
    const message = { protocol: PROTOCOL, order: packed, timeLimitMs, memoryBytes, ...avoided } as const
    await this.#queue.add('master', message, { jobId: id, attempts: 1 })
  }

  /** Takes the end of an attempt from a machine; a result only with its files fetched and checked. */
  async #take(offered: Offered, told: unknown): Promise<void> {
    const { attempt } = offered
    try {
      const { end, machine } = readEnd(told)
      if (end.kind !== 'answered' || end.message.type !== 'done' || offered.notOn !== undefined)
        return this.#end(offered, end)
      const { message } = end
      const result = await this.#persist(attempt.id, () =>
        bringResult(this.#deps.blobs, attempt.id, message.result, attempt.order),
      )
      if (!result) return
      this.#deps.onMade({ attempt, sha256: result.zip.sha256, machine })
      this.#end(offered, { kind: 'answered', message: { type: 'done', result } })
    } catch (cause) {
      this.#lose(offered, 'files', String(cause))
    }
  }

  /** Retries `work` until the file store is available. Undefined for an abandoned attempt; rejects with any other failure. */
  async #persist<Result>(id: string, work: () => Promise<Result>): Promise<Result | undefined> {
    const { clock, timing, log } = this.#deps
    const offered = this.#offered.get(id)
    while (offered && this.#isWaitedFor(offered)) {
      try {
        return await work()
      } catch (cause) {
        if (!(cause instanceof BlobFault && cause.mayPass)) throw cause
        log.warn('the store of files between machines cannot be used', { attemptId: id, cause })
      }
      await clock.sleep(timing.retryMs, this.#closing.signal).catch(() => {})
    }
    return undefined
  }

  #lose(offered: Offered, reason: Loss, detail: string): void {
    this.#giveUp(offered, { kind: 'lost', reason, detail })
  }

  /** Ends an attempt that a machine may still work on. */
  #giveUp(offered: Offered, end: AttemptEnd): void {
    const { machines, log } = this.#deps
    const { id: attemptId } = offered.attempt
    machines.giveUp(attemptId).catch((cause: unknown) => log.warn('a machine could not be told', { attemptId, cause }))
    this.#end(offered, end)
  }

  #end(offered: Offered, end: AttemptEnd): void {
    const { id } = offered.attempt
    if (!this.#isWaitedFor(offered)) return
    this.#offered.delete(id)
    offered.resolve(end)
    this.#forget(id).catch((cause: unknown) => this.#deps.log.warn('an attempt could not be removed', { id, cause }))
  }

  /** Removes an attempt from the queue, unless a machine holds it, and its files. */
  async #forget(id: string): Promise<void> {
    await this.#queue.remove(id)
    await this.#deps.blobs.delete(id)
  }
}
