/** Takes waiting jobs in their order, has them worked on, and settles each exactly once, whatever dies on the way. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Stage } from '../../src-contract/jobs.ts'
import { deliveryTarget } from '../../src-contract/platforms.ts'
import { isDiskFull, syncFile, syncFolder, whenReleased } from '../../src-system/disk.ts'
import type { Log } from '../../src-system/log.ts'
import { isExhausted } from '../../src-system/process-group.ts'
import { type Clock, isoTime } from '../../src-system/system.ts'
import type { WorkOrder, WorkResult } from '../../src-worker/mastering/work-order.ts'
import { type Ffmpeg, FfmpegError } from '../../src-worker/media/ffmpeg.ts'
import { FfmpegMissingError } from '../../src-worker/media/locate.ts'
import { surely } from '../db/surely.ts'
import type { Notify } from '../notify/notify.ts'
import type { Folders } from './folders.ts'
import type { Ending, Settle } from './settle.ts'
import type { JobRecord, JobStore } from './store.ts'
import type { WorkerPool } from './worker-pool.ts'

export interface SchedulerParts {
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

/** How long a place for an engine process stays empty when the machine could not carry the last one. */
const EXHAUSTED_PAUSE_MS = 5000

interface RunningJob {
  readonly stop: AbortController
  readonly ended: Promise<void>
  stage: Stage
  fraction: number
}

/** Returns the scheduler, at rest. */
export function createScheduler(parts: SchedulerParts) {
  const { store, folders, settle, clock, log } = parts
  const running = new Map<string, RunningJob>()
  const stopping = new AbortController()
  let isStarted = false

  /** Tries until it is written or the server stops: a full disk must not lose how a job ended. */
  const settleSurely = (jobId: string, ending: Ending) =>
    surely(() => settle(jobId, ending), {
      clock,
      signal: stopping.signal,
      onFailure: (cause) => log.error('a job could not be settled', { jobId, cause }),
    })

  const work = async (job: JobRecord, signal: AbortSignal): Promise<Ending> => {
    if (!existsSync(folders.source(job.jobId))) return { kind: 'fail', failureCode: 'SOURCE_LOST' }
    if (job.reference && !existsSync(folders.reference(job.jobId)))
      return { kind: 'fail', failureCode: 'REFERENCE_LOST' }
    const ffmpeg = await parts.ffmpeg()
    const attemptFolder = folders.attempt(job.jobId, job.starts)
    rmSync(attemptFolder, { recursive: true, force: true })
    mkdirSync(attemptFolder, { recursive: true, mode: 0o700 })
    const end = await parts.pool.run({
      command: { type: 'work', order: orderOf(job, folders, attemptFolder, ffmpeg, parts.threads()) },
      timeLimitMs: parts.jobTimeoutMs,
      signal,
      onProgress: ({ stage, fraction }) => {
        const live = running.get(job.jobId)
        if (!live || signal.aborted) return
        Object.assign(live, { stage, fraction })
        parts.notify.progress({ jobId: job.jobId, progress: percentOf(fraction), stage })
      },
    })
    switch (end.kind) {
      case 'stopped':
        return { kind: 'release' }
      case 'timed_out':
        return { kind: 'fail', failureCode: 'ENGINE_TIMEOUT' }
      case 'crashed':
        log.error('an engine process died', { jobId: job.jobId, starts: job.starts, detail: end.detail })
        // The system could start nothing: the job has not been tried.
        if (end.fault === 'not_started') return { kind: 'release' }
        return { kind: 'crash', isOutOfMemory: end.fault === 'out_of_memory' }
      case 'answered':
        break
    }
    const { message } = end
    if (message.type === 'done') {
      await storeResult(job.jobId, attemptFolder, message.result, parts)
      return { kind: 'succeed', result: message.result }
    }
    if (message.type !== 'failed') return { kind: 'fail', failureCode: 'ENGINE_FAILED' }
    // Whether the system kills the engine process or an ffmpeg of it is chance.
    if (message.failureCode === 'ENGINE_CRASHED' || message.failureCode === 'OUT_OF_MEMORY') {
      log.error('an engine process died', { jobId: job.jobId, starts: job.starts, detail: message.message })
      return { kind: 'crash', isOutOfMemory: message.failureCode === 'OUT_OF_MEMORY' }
    }
    log.error('a job failed', {
      jobId: job.jobId,
      code: message.failureCode,
      detail: message.message,
      stack: message.stack,
    })
    return { kind: 'fail', failureCode: message.failureCode, values: message.params }
  }

  const clearAttempts = (jobId: string) => {
    try {
      removeLeftOvers(folders, jobId, false)
    } catch (cause) {
      log.warn('what is left of a job could not be removed', { jobId, cause })
    }
  }

  const run = async (job: JobRecord, signal: AbortSignal) => {
    const ending = await work(job, signal).catch((cause: unknown): Ending => {
      // Who cancels a job may have deleted its files by now.
      const isCancelled = signal.aborted && !stopping.signal.aborted
      if (!isCancelled) log.error('a job could not be worked on', { jobId: job.jobId, cause })
      return failureOf(cause)
    })
    // First, so that the end can be written on a disk that the attempt itself has filled.
    if (ending.kind !== 'succeed') clearAttempts(job.jobId)
    await settleSurely(job.jobId, ending)
    removeLeftOvers(folders, job.jobId, store.find(job.jobId)?.state === 'done')
    // A machine without memory or processes has none a moment later either.
    const needsRest =
      !signal.aborted && (ending.kind === 'release' || (ending.kind === 'crash' && ending.isOutOfMemory))
    if (needsRest) await clock.sleep(EXHAUSTED_PAUSE_MS, stopping.signal).catch(() => {})
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
    // Who watches need not wait for the process to be up to know whose turn it is.
    parts.notify.progress({ jobId: job.jobId, progress: 0, stage: 'decoding' })
  }

  const wake = (): void => {
    while (isStarted && !stopping.signal.aborted && running.size < parts.workers()) {
      let job: JobRecord | undefined
      try {
        const next = store.oldestWaiting()
        job = next && settle(next.jobId, { kind: 'claim' })
      } catch (cause) {
        log.error('no job could be taken', { cause })
        clock.after(1000, wake)
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
        return settleSurely(jobId, { kind: 'crash' })
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
    /** Returns how far a running job is; undefined for one that nobody works on. */
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
    targets: request.platforms.map((platform) => deliveryTarget(platform, request.genre, request.loudness)),
    genre: request.genre,
    aiService: request.aiService,
    tier: request.tier,
    intensity: request.intensity,
    referenceAmount: request.referenceAmount,
    loudness: request.loudness,
    ...(request.title === undefined ? {} : { title: request.title }),
    ...(request.artist === undefined ? {} : { artist: request.artist }),
    // The same input and settings give the same bytes, whichever job they belong to.
    seed: 0,
    threads,
  }
}

/** Makes the attempt the job's result: whole and on the disk before its name says so. */
async function storeResult(
  jobId: string,
  attemptFolder: string,
  result: WorkResult,
  { folders, clock }: Pick<SchedulerParts, 'folders' | 'clock'>,
): Promise<void> {
  const { fileName, sizeBytes } = result.zip
  const { size } = await stat(path.join(attemptFolder, fileName))
  if (size !== sizeBytes) throw new Error(`the ZIP has ${size} of ${sizeBytes} bytes`)
  for (const name of [fileName, result.reportJsonFile, result.reportHtmlFile]) {
    await syncFile(path.join(attemptFolder, name))
  }
  syncFolder(attemptFolder)
  await whenReleased(clock, () => {
    // A crash between the renaming and the commit leaves one behind.
    rmSync(folders.result(jobId), { recursive: true, force: true })
    renameSync(attemptFolder, folders.result(jobId))
  })
  syncFolder(folders.job(jobId))
}

/**
 * Removes what attempts left of a job on which nobody works any more, and masters that are nobody's: those of a job that was cancelled,
 * or whose end a crash kept from being written, while they were put in place.
 */
function removeLeftOvers(folders: Folders, jobId: string, hasResult: boolean): void {
  if (!existsSync(folders.job(jobId))) return
  // Without its song a result cannot be made again: a database from a backup may not know that the job was done.
  if (!hasResult && existsSync(folders.source(jobId))) rmSync(folders.result(jobId), { recursive: true, force: true })
  for (const name of readdirSync(folders.job(jobId))) {
    if (/^attempt-\d+$/.test(name)) rmSync(path.join(folders.job(jobId), name), { recursive: true, force: true })
  }
}

function failureOf(cause: unknown): Ending {
  if (cause instanceof FfmpegMissingError) return { kind: 'fail', failureCode: 'FFMPEG_MISSING' }
  if (isExhausted(cause) || (cause instanceof FfmpegError && cause.fault === 'not_started')) return { kind: 'release' }
  return { kind: 'fail', failureCode: isDiskFull(cause) ? 'DISK_FULL' : 'ENGINE_FAILED' }
}

/** A job that has not ended is never shown as complete. */
function percentOf(fraction: number): number {
  return Math.max(0, Math.min(99, Math.floor(fraction * 100)))
}
