/** Queue of the jobs: takes waiting ones in order, runs each in an engine process, and records each end exactly once across crashes. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import type { Stage } from '../../src-contract/jobs.ts'
import type { Log } from '../../src-system/log.ts'
import { type Clock, isoTime } from '../../src-system/system.ts'
import type { WorkOrder } from '../../src-worker/mastering/work-order.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { retryWrite } from '../db/retry-write.ts'
import type { Notify } from '../notify/notify.ts'
import { removeLeftOvers, storeResult } from './attempt-files.ts'
import { endingOfError, isExhaustion, outcomeOf } from './ending.ts'
import type { Folders } from './folders.ts'
import type { Ending, Settle } from './settle.ts'
import type { JobRecord, JobStore } from './store.ts'
import type { WorkerPool } from './worker-pool.ts'

export interface SchedulerDeps {
  readonly store: JobStore
  readonly folders: Folders
  readonly pool: WorkerPool
  readonly settle: Settle
  readonly notify: Pick<Notify, 'progress'>
  readonly clock: Clock
  readonly log: Log
  /** Engine processes that may run at once, at this moment. */
  readonly workers: () => number
  /** Render threads of one engine process. */
  readonly threads: () => number
  /** Throws a FfmpegMissingError. */
  readonly ffmpeg: () => Promise<Ffmpeg>
  readonly jobTimeoutMs: number
}

/** Pause before the next job where the machine lacked memory or processes for the last one, ms. */
const EXHAUSTED_PAUSE_MS = 5000

/** Pause before the next attempt to take a job after a fault of the database, ms. */
const CLAIM_RETRY_MS = 1000

interface RunningJob {
  readonly stop: AbortController
  readonly ended: Promise<void>
  stage: Stage
  fraction: number
}

/** Returns the scheduler, at rest. */
export function createScheduler(deps: SchedulerDeps) {
  const { store, folders, settle, clock, log } = deps
  const running = new Map<string, RunningJob>()
  const stopping = new AbortController()
  let isStarted = false

  /** Tries until it is written or the server stops: a full disk must not lose how a job ended. */
  const settleWithRetry = (jobId: string, ending: Ending) =>
    retryWrite(() => settle(jobId, ending), {
      clock,
      signal: stopping.signal,
      onFailure: (cause) => log.error('a job could not be settled', { jobId, cause }),
    })

  /** Runs one attempt in an engine process and stores its result. */
  const attempt = async (job: JobRecord, signal: AbortSignal): Promise<Ending> => {
    const lost = lostFile(job, folders)
    if (lost) return { kind: 'fail', failureCode: lost }
    const ffmpeg = await deps.ffmpeg()
    const attemptFolder = folders.attempt(job.jobId, job.starts)
    rmSync(attemptFolder, { recursive: true, force: true })
    mkdirSync(attemptFolder, { recursive: true, mode: 0o700 })
    const end = await deps.pool.run({
      command: { type: 'work', order: orderOf(job, folders, attemptFolder, ffmpeg, deps.threads()) },
      timeLimitMs: deps.jobTimeoutMs,
      signal,
      onProgress: ({ stage, fraction }) => {
        const live = running.get(job.jobId)
        if (!live || signal.aborted) return
        Object.assign(live, { stage, fraction })
        deps.notify.progress({ jobId: job.jobId, progress: percentOf(fraction), stage })
      },
    })
    const { ending, problem } = outcomeOf(end)
    if (problem) log.error(problem.message, { jobId: job.jobId, starts: job.starts, ...problem.fields })
    if (ending.kind === 'succeed') await storeResult(job.jobId, attemptFolder, ending.result, { folders, clock })
    return ending
  }

  const clearAttempts = (jobId: string) => {
    try {
      removeLeftOvers(folders, jobId, false)
    } catch (cause) {
      log.warn('what is left of a job could not be removed', { jobId, cause })
    }
  }

  const run = async (job: JobRecord, signal: AbortSignal) => {
    const ending = await attempt(job, signal).catch((cause: unknown): Ending => {
      // The files of a cancelled job may have been deleted by now.
      const isCancelled = signal.aborted && !stopping.signal.aborted
      if (!isCancelled) log.error('a job could not be worked on', { jobId: job.jobId, cause })
      return endingOfError(cause)
    })
    // First, so that the end can be written on a disk that the attempt itself has filled.
    if (ending.kind !== 'succeed') clearAttempts(job.jobId)
    await settleWithRetry(job.jobId, ending)
    removeLeftOvers(folders, job.jobId, store.find(job.jobId)?.state === 'done')
    if (!signal.aborted && isExhaustion(ending)) await clock.sleep(EXHAUSTED_PAUSE_MS, stopping.signal).catch(() => {})
  }

  const begin = (job: JobRecord) => {
    const stop = new AbortController()
    const ended = run(job, stop.signal)
      .catch((cause: unknown) => log.error('a job was left behind', { jobId: job.jobId, cause }))
      .finally(() => {
        running.delete(job.jobId)
        wake()
      })
    running.set(job.jobId, { stop, ended, stage: 'decoding', fraction: 0 })
    // Published at once, so that a client need not wait until the process is up.
    deps.notify.progress({ jobId: job.jobId, progress: 0, stage: 'decoding' })
  }

  const wake = (): void => {
    while (isStarted && !stopping.signal.aborted && running.size < deps.workers()) {
      let job: JobRecord | undefined
      try {
        const next = store.oldestWaiting()
        job = next && settle(next.jobId, { kind: 'claim' })
      } catch (cause) {
        log.error('no job could be taken', { cause })
        clock.after(CLAIM_RETRY_MS, wake)
        return
      }
      if (!job) return
      begin(job)
    }
  }

  return {
    /** Runs what a crash of the server left half-way, then what waits. */
    start(): void {
      const orphans = store.running().map(({ jobId }) => {
        clearAttempts(jobId)
        return settleWithRetry(jobId, { kind: 'crash' })
      })
      isStarted = true
      wake()
      Promise.all(orphans).then(wake, () => {})
    },
    /** Call when a job was added, or the number of workers changed. */
    wake,
    /** Stops the work on a job that has been settled already. */
    abandon(jobId: string): void {
      running.get(jobId)?.stop.abort(new Error('cancelled'))
    },
    /** Returns the progress of a running job; undefined for one that is not running. */
    progressOf(jobId: string): { stage: Stage; progress: number } | undefined {
      const live = running.get(jobId)
      return live && { stage: live.stage, progress: percentOf(live.fraction) }
    },
    /** Takes nothing more, gives running jobs back to the queue and resolves when their processes are gone. */
    async stop(): Promise<void> {
      stopping.abort(new Error('the server stops'))
      for (const { stop } of running.values()) stop.abort(stopping.signal.reason)
      await Promise.all([...running.values()].map(({ ended }) => ended))
    },
  }
}

export type Scheduler = ReturnType<typeof createScheduler>

function orderOf(job: JobRecord, folders: Folders, attemptFolder: string, ffmpeg: Ffmpeg, threads: number): WorkOrder {
  const { request } = job
  return {
    jobId: job.jobId,
    createdAt: isoTime(job.createdAtMs),
    source: { path: folders.source(job.jobId), ...job.song },
    ...(job.reference ? { reference: { path: folders.reference(job.jobId), ...job.reference } } : {}),
    attemptFolder,
    ffmpeg,
    settings: request.settings,
    ...(request.title === undefined ? {} : { title: request.title }),
    ...(request.artist === undefined ? {} : { artist: request.artist }),
    // The same input and settings give the same bytes, whichever job they belong to.
    seed: 0,
    threads,
  }
}

/** Returns the failure for a file of the job that is gone from the data folder; undefined when all are there. */
function lostFile(job: JobRecord, folders: Folders): 'SOURCE_LOST' | 'REFERENCE_LOST' | undefined {
  if (!existsSync(folders.source(job.jobId))) return 'SOURCE_LOST'
  return job.reference && !existsSync(folders.reference(job.jobId)) ? 'REFERENCE_LOST' : undefined
}

/** A job that has not ended is never shown as complete. */
function percentOf(fraction: number): number {
  return Math.max(0, Math.min(99, Math.floor(fraction * 100)))
}
