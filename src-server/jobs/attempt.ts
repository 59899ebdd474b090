/** One attempt at a job: an engine process in a separate folder, and moving the result into place. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import type { StemsUsed } from '../../src-contract/report.ts'
import type { Log } from '../../src-system/log.ts'
import { type Clock, isoTime } from '../../src-system/system.ts'
import type { StemRepairs, WorkOrder } from '../../src-worker/mastering/work-order.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import type { Joined } from '../../src-worker/media/joined.ts'
import type { StemParts } from '../../src-worker/media/stored-stem.ts'
import type { MasterRequest, RequestedStems } from '../uploads/form.ts'
import { storeResult } from './attempt-files.ts'
import { outcomeOf } from './ending.ts'
import type { Folders } from './folders.ts'
import { attemptNumber } from './job.ts'
import type { RunMix } from './make-mix.ts'
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
  /** Mixes the stems of a song, on this machine. */
  readonly runMix: RunMix
  readonly jobTimeoutMs: number
}

/** Song of an attempt, and its stems as in the report. */
type AttemptSong = Pick<WorkOrder, 'source' | 'stems'>

/**
 * Runs one attempt and stores its result; stems are mixed first, on this machine. Resolves with its ending, undefined if it continues
 * elsewhere; rejects if it could not be made.
 */
export async function runAttempt(deps: AttemptDeps, job: JobRecord, watch: AttemptWatch): Promise<Ending | undefined> {
  const { folders } = deps
  const lost = lostFile(job, folders)
  if (lost) return { kind: 'fail', failureCode: lost }
  const source = { path: folders.source(job.jobId), ...job.song }
  const { mix, ...used } = job.request.stems ?? {}
  if (!mix) return offerAttempt(deps, job, { source, ...('count' in used ? { stems: used } : {}) }, watch)
  const { tags } = source.facts
  const order = { ...partsOf(job.jobId, mix, folders), mix: mix.settings, tags, cover: source }
  const made = await deps.runMix(order, watch.signal)
  if (!('mix' in made)) return endOf(deps, job, made)
  try {
    const { path: file, sha256, sampleRateHz, frames, repairs } = made.mix
    const facts = { ...source.facts, sampleRateHz, frames, durationSeconds: frames / sampleRateHz }
    const song = { source: { ...source, path: file, sha256, facts }, stems: { ...stemsUsed(mix, repairs), ...used } }
    return await offerAttempt(deps, job, song, watch)
  } finally {
    await made.discard()
  }
}

async function offerAttempt(
  deps: AttemptDeps,
  job: JobRecord,
  song: AttemptSong,
  watch: AttemptWatch,
): Promise<Ending | undefined> {
  const { folders, queue, clock, threads, analysisPath, ffmpeg, jobTimeoutMs } = deps
  const program = await ffmpeg()
  const number = attemptNumber(job)
  const attemptFolder = folders.attempt(job.jobId, number)
  rmSync(attemptFolder, { recursive: true, force: true })
  mkdirSync(attemptFolder, { recursive: true, mode: 0o700 })
  const order: WorkOrder = {
    ...orderOf(job, folders, attemptFolder, program, threads()),
    ...song,
    analysisPath: analysisPath(song.source.sha256),
  }
  const attempt = {
    id: `${job.jobId}-${number}`,
    order,
    timeLimitMs: jobTimeoutMs,
    memoryBytes: jobMemoryBytes(job),
  }
  const end = await queue.offer(attempt, watch)
  if (end.kind === 'left') return undefined
  const ending = endOf(deps, job, end)
  if (ending.kind === 'succeed') await storeResult(job.jobId, attemptFolder, ending.result, { folders, clock })
  return ending
}

/** Returns the ending of an attempt, and logs what went wrong. */
function endOf({ log }: AttemptDeps, job: JobRecord, end: Parameters<typeof outcomeOf>[0]): Ending {
  const { ending, problem } = outcomeOf(end)
  if (problem)
    log[problem.level ?? 'error'](problem.message, { jobId: job.jobId, starts: job.starts, ...problem.fields })
  return ending
}

/** Returns the places of the stems that a job mixes, and of the stereo mix of its song if it restores what they lack. */
export function stemPathsOf({ jobId, request }: JobRecord, folders: Pick<Folders, 'stem'>): string[] {
  const { files = [], original } = request.stems?.mix ?? {}
  return [...files, ...(original ? [original] : [])].map((_, index) => folders.stem(jobId, index))
}

/** Returns the files of the stems of a job, and of the stereo mix of its song if it restores what they lack. */
function partsOf(
  jobId: string,
  { files, original }: NonNullable<RequestedStems['mix']>,
  folders: Pick<Folders, 'stem'>,
): StemParts {
  return {
    stems: files.map((stem, index) => ({ path: folders.stem(jobId, index), ...stem })),
    ...(original
      ? { original: { ...original, file: { path: folders.stem(jobId, files.length), ...original.file } } }
      : {}),
  }
}

/** Returns mixed stems as in the report. */
function stemsUsed(
  { settings, files }: NonNullable<RequestedStems['mix']>,
  repairs: readonly StemRepairs[],
): StemsUsed {
  const { voice_forward_db, restore_missing, stems = [] } = settings
  const changed = stems.map((own) => ({
    ...own,
    role: own.role ?? files[own.stem - 1]!.role,
    filename: files[own.stem - 1]!.filename,
    made: [...(repairs.find(({ stem }) => stem === own.stem)?.repairs ?? [])],
  }))
  return {
    count: files.length,
    ...(voice_forward_db === undefined ? {} : { voice_forward_db }),
    ...(restore_missing === undefined ? {} : { restore_missing }),
    changed,
  }
}

function orderOf(
  job: JobRecord,
  folders: Folders,
  attemptFolder: string,
  ffmpeg: Ffmpeg,
  threads: number,
): Omit<WorkOrder, 'source'> {
  const { request } = job
  return {
    jobId: job.jobId,
    createdAt: isoTime(job.createdAtMs),
    ...(job.reference ? { reference: { path: folders.reference(job.jobId), ...job.reference } } : {}),
    ...(request.joined ? { joined: joinedOf(job.jobId, request.joined, folders) } : {}),
    attemptFolder,
    ffmpeg,
    settings: request.settings,
    ...(request.title === undefined ? {} : { title: request.title }),
    ...(request.artist === undefined ? {} : { artist: request.artist }),
    ...(request.metadata ? { metadata: request.metadata } : {}),
    ...(job.cover ? { cover: { path: folders.cover(job.jobId), ...job.cover } } : {}),
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
  if (stemPathsOf(job, folders).some((file) => !existsSync(file))) return 'SOURCE_LOST'
  return job.reference && !existsSync(folders.reference(job.jobId)) ? 'REFERENCE_LOST' : undefined
}
