/**
 * Scheduler of the jobs: takes waiting ones in turn, offers an attempt at each to the queue, and records each end exactly once across
 * crashes.
 */
import type { Stage } from '../../src-contract/jobs.ts'
import type { WorkProgress } from '../../src-worker/mastering/work-order.ts'
import { retryWrite } from '../db/retry-write.ts'
import type { Notify } from '../notify/notify.ts'
import { type AttemptDeps, runAttempt } from './attempt.ts'
import { removeLeftOvers } from './attempt-files.ts'
import { endingOfError, isExhaustion } from './ending.ts'
import { fitsMemory, jobMemoryBytes, type MemoryUse } from './memory.ts'
import type { Ending, Settle } from './settle.ts'
import type { JobRecord, JobStore } from './store.ts'

export interface SchedulerDeps extends AttemptDeps {
  readonly store: JobStore
  readonly settle: Settle
  readonly notify: Pick<Notify, 'progress'>
  /** Called when a job with this memory demand is about to start: caches and idle processes may give memory back. */
  readonly makeRoom?: (memoryBytes: number) => void
}

/** Pause before the next job after the machine lacked memory or processes for the last one, ms. */
const EXHAUSTED_PAUSE_MS = 5000

/** Pause before the next attempt to take a job after a fault of the database, ms. */
const CLAIM_RETRY_MS = 1000

/** A job that runs, with how far it is. */
interface RunningJob extends MemoryUse {
  readonly stop: AbortController
  readonly ended: Promise<void>
  stage: Stage
  fraction: number
}

/** The scheduler, at rest until `start`. */
export class Scheduler {
  readonly #deps: SchedulerDeps
  readonly #running = new Map<string, RunningJob>()
  readonly #stopping = new AbortController()
  #isStarted = false
  /** True if the last job came from a manifest; initially true, which lets a single song go first. */
  #lastWasBulk = true

  constructor(deps: SchedulerDeps) {
    this.#deps = deps
  }

  /** Resumes the attempts that continued without the server, or reruns those a crash interrupted; then runs the waiting jobs. */
  start(): void {
    const { store, queue } = this.#deps
    const orphans = store.running().map((job) => {
      if (queue.outlivesOwner) return this.#begin(job)
      this.#clearAttempts(job.jobId)
      return this.#settleWithRetry(job.jobId, { kind: 'interrupt' })
    })
    this.#isStarted = true
    this.wake()
    Promise.all(orphans).then(
      () => this.wake(),
      () => {},
    )
  }

  /** Takes waiting jobs while there are free slots and memory; call it when a job was added, or the number of slots changed. */
  wake(): void {
    const { clock, log, queue } = this.#deps
    while (this.#isStarted && !this.#stopping.signal.aborted && this.#running.size < queue.slots()) {
      let job: JobRecord | undefined
      try {
        job = this.#claim()
      } catch (cause) {
        log.error('no job could be taken', { cause })
        clock.after(CLAIM_RETRY_MS, () => this.wake())
        return
      }
      if (!job) return
      this.#begin(job)
    }
  }

  /** Stops the work on a job that has been settled already. */
  abandon(jobId: string): void {
    this.#running.get(jobId)?.stop.abort(new Error('cancelled'))
  }

  /** Returns the progress of a running job; undefined for any other. */
  progressOf(jobId: string): { stage: Stage; progress: number } | undefined {
    const live = this.#running.get(jobId)
    return live && { stage: live.stage, progress: percentOf(live.fraction) }
  }

  /** Takes no more jobs, closes the queue and resolves when the processes of this machine are gone; their jobs wait again. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'))
    await this.#deps.queue.close()
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  /**
   * Claims the next job; undefined without a waiting one, or if it does not fit into memory: it then waits until a running one has ended.
   */
  #claim(): JobRecord | undefined {
    const { settle, queue } = this.#deps
    const next = this.#next()
    if (!next || !fitsMemory(jobMemoryBytes(next), queue.freeMemoryBytes(), [...this.#running.values()]))
      return undefined
    this.#lastWasBulk = next.isBulk
    return settle(next.jobId, { kind: 'claim' })
  }

  /** Returns the next job: single songs go before those of manifests, which get every other turn if both are waiting. */
  #next(): JobRecord | undefined {
    const { store } = this.#deps
    const [single, bulk] = [store.oldestWaiting({ isBulk: false }), store.oldestWaiting({ isBulk: true })]
    return single && bulk ? (this.#lastWasBulk ? single : bulk) : (single ?? bulk)
  }

  #begin(job: JobRecord): void {
    const { log, notify, queue } = this.#deps
    const memoryBytes = jobMemoryBytes(job)
    this.#deps.makeRoom?.(memoryBytes)
    const stop = new AbortController()
    const ended = this.#run(job, stop.signal)
      .catch((cause: unknown) => log.error('a job was left behind', { jobId: job.jobId, cause }))
      .finally(() => {
        this.#running.delete(job.jobId)
        this.wake()
      })
    const stage = queue.outlivesOwner ? 'waiting' : 'decoding'
    this.#running.set(job.jobId, { stop, ended, stage, fraction: 0, memoryBytes })
    // Published at once, without waiting for the process to start.
    notify.progress({ jobId: job.jobId, progress: 0, stage })
  }

  async #run(job: JobRecord, signal: AbortSignal): Promise<void> {
    const { store, folders, clock } = this.#deps
    const ending = await this.#attempt(job, signal)
    if (!ending) return
    // Done first, to free a disk that the attempt itself has filled, so its end can be recorded.
    if (ending.kind !== 'succeed') this.#clearAttempts(job.jobId)
    await this.#settleWithRetry(job.jobId, ending)
    removeLeftOvers(folders, job.jobId, store.find(job.jobId)?.state === 'done')
    if (signal.aborted || !isExhaustion(ending)) return
    await clock.sleep(EXHAUSTED_PAUSE_MS, this.#stopping.signal).catch(() => {})
  }

  /** Makes one attempt; an error counts as an ending. Undefined if it continues elsewhere. */
  async #attempt(job: JobRecord, signal: AbortSignal): Promise<Ending | undefined> {
    try {
      return await runAttempt(this.#deps, job, {
        signal,
        onProgress: (progress) => {
          if (!signal.aborted && !this.#stopping.signal.aborted) this.#noteProgress(job.jobId, progress)
        },
      })
    } catch (cause) {
      // The files of a cancelled job may have been deleted by now.
      if (!signal.aborted) this.#deps.log.error('a job could not be worked on', { jobId: job.jobId, cause })
      return endingOfError(cause)
    }
  }

  #noteProgress(jobId: string, { stage, fraction }: Pick<WorkProgress, 'stage' | 'fraction'>): void {
    const live = this.#running.get(jobId)
    if (!live) return
    const hasDecoded = live.stage === 'decoding' && stage !== 'decoding'
    live.stage = stage
    live.fraction = fraction
    this.#deps.notify.progress({ jobId, progress: percentOf(fraction), stage })
    // Its reserved memory is in use by now, so the next job may fit.
    if (hasDecoded) this.wake()
  }

  #clearAttempts(jobId: string): void {
    try {
      removeLeftOvers(this.#deps.folders, jobId, false)
    } catch (cause) {
      this.#deps.log.warn('what is left of a job could not be removed', { jobId, cause })
    }
  }

  /** Tries until it is written or the server stops: a full disk must not lose how a job ended. */
  #settleWithRetry(jobId: string, ending: Ending): Promise<unknown> {
    const { settle, clock, log } = this.#deps
    return retryWrite(() => settle(jobId, ending), {
      clock,
      signal: this.#stopping.signal,
      onFailure: (cause) => log.error('a job could not be settled', { jobId, cause }),
    })
  }
}

/** A job that has not ended is never shown as complete. */
function percentOf(fraction: number): number {
  return Math.max(0, Math.min(99, Math.floor(fraction * 100)))
}
