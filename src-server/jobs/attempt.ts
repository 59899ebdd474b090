/** One attempt at a job: an engine process in a separate folder, and moving the result into place. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import type { Log } from '../../src-system/log.ts'
import { type Clock, isoTime } from '../../src-system/system.ts'
import type { WorkOrder } from '../../src-worker/mastering/work-order.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import type { Joined } from '../../src-worker/media/joined.ts'
import type { MasterRequest } from '../uploads/form.ts'
import { storeResult } from './attempt-files.ts'
import { outcomeOf } from './ending.ts'
import type { Folders } from './folders.ts'
import { attemptNumber } from './job.ts'
import { jobMemoryBytes } from './memory.ts'
import type { AttemptWatch, Queue } from './queue.ts'
import type { Ending } from './settle.ts'
import type { JobRecord } from './store.ts'

export interface AttemptDeps {
  readonly folders: Folders
  readonly queue: Queue
  readonly clock: Clock
  readonly log: Log
  /** Render threads of one engine process. */
  readonly threads: () => number
  /** Returns the place of the file that may keep the analysis of a song. */
  readonly analysisPath: (sha256: string) => string
  /** Throws a FfmpegMissingError. */
  readonly ffmpeg: () => Promise<Ffmpeg>
  readonly jobTimeoutMs: number
}

/**
 * Runs one attempt and stores its result. Resolves with its ending, undefined if it continues elsewhere; rejects if it could not be made.
 */
export async function runAttempt(
  { folders, queue, clock, log, threads, analysisPath, ffmpeg, jobTimeoutMs }: AttemptDeps,
  job: JobRecord,
  watch: AttemptWatch,
): Promise<Ending | undefined> {
  const lost = lostFile(job, folders)
  if (lost) return { kind: 'fail', failureCode: lost }
  const program = await ffmpeg()
  const number = attemptNumber(job)
  const attemptFolder = folders.attempt(job.jobId, number)
  rmSync(attemptFolder, { recursive: true, force: true })
  mkdirSync(attemptFolder, { recursive: true, mode: 0o700 })
  const order: WorkOrder = {
    ...orderOf(job, folders, attemptFolder, program, threads()),
    analysisPath: analysisPath(job.song.sha256),
  }
  const attempt = {
    id: `${job.jobId}-${number}`,
    order,
    timeLimitMs: jobTimeoutMs,
    memoryBytes: jobMemoryBytes(job),
  }
  const end = await queue.offer(attempt, watch)
  if (end.kind === 'left') return undefined
  const { ending, problem } = outcomeOf(end)
  if (problem)
    log[problem.level ?? 'error'](problem.message, { jobId: job.jobId, starts: job.starts, ...problem.fields })
  if (ending.kind === 'succeed') await storeResult(job.jobId, attemptFolder, ending.result, { folders, clock })
  return ending
}

function orderOf(job: JobRecord, folders: Folders, attemptFolder: string, ffmpeg: Ffmpeg, threads: number): WorkOrder {
  const { request } = job
  return {
    jobId: job.jobId,
    createdAt: isoTime(job.createdAtMs),
    source: { path: folders.source(job.jobId), ...job.song },
    ...(job.reference ? { reference: { path: folders.reference(job.jobId), ...job.reference } } : {}),
    ...(request.joined ? { joined: joinedOf(job.jobId, request.joined, folders) } : {}),
    attemptFolder,
    ffmpeg,
    settings: request.settings,
    ...(request.title === undefined ? {} : { title: request.title }),
    ...(request.artist === undefined ? {} : { artist: request.artist }),
    ...(request.metadata ? { metadata: request.metadata } : {}),
    ...(job.cover ? { cover: { path: folders.cover(job.jobId), ...job.cover } } : {}),
    ...(request.stems ? { stems: request.stems } : {}),
    ...(request.masterTargets ? { masterTargets: request.masterTargets } : {}),
    // The same input and settings give the same bytes in every job.
    seed: 0,
    threads,
  }
}

function joinedOf(jobId: string, joined: NonNullable<MasterRequest['joined']>, folders: Folders): Joined {
  const { before, after, edges } = joined
  return {
    before: before.map((song, index) => ({ path: folders.joined(jobId, index), ...song })),
    after: after.map((song, index) => ({ path: folders.joined(jobId, before.length + index), ...song })),
    edges,
  }
}

/** Returns the failure for a missing file of the job; undefined if all exist. */
function lostFile(job: JobRecord, folders: Folders): 'SOURCE_LOST' | 'REFERENCE_LOST' | undefined {
  if (!existsSync(folders.source(job.jobId))) return 'SOURCE_LOST'
  if (job.cover && !existsSync(folders.cover(job.jobId))) return 'SOURCE_LOST'
  const { before = [], after = [] } = job.request.joined ?? {}
  if ([...before, ...after].some((_, index) => !existsSync(folders.joined(job.jobId, index)))) return 'SOURCE_LOST'
  return job.reference && !existsSync(folders.reference(job.jobId)) ? 'REFERENCE_LOST' : undefined
}
