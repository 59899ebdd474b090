import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { DEFAULT_PAGE_SIZE } from '../../src-contract/common.ts'
import { RELEASE } from '../../src-contract/delivery-target.ts'
import type { Job, JobPage, JobQuery, JobStatus } from '../../src-contract/jobs.ts'
import { PLAN_LIMITS, type Plan } from '../../src-contract/plans.ts'
import type { FilePart } from '../../src-system/copy-part.ts'
import type { Clock } from '../../src-system/system.ts'
import type { StoredSong, WorkResult } from '../../src-worker/mastering/work-order.ts'
import { keptFiles } from '../../src-worker/result/result-zip.ts'
import { type JobFiles, placeIn, resultOf, type StoredFiles } from '../artifacts/job-files.ts'
import type { Db } from '../db/open.ts'
import type { Removals } from '../db/removals.ts'
import { AppError, unusable } from '../http/app-error.ts'
import type { Notify } from '../notify/notify.ts'
import type { MasterRequest } from '../uploads/form.ts'
import type { SpareRoom } from '../uploads/spare-room.ts'
import { stemPathsOf } from './attempt.ts'
import type { Folders } from './folders.ts'
import { hasEnded, hasExpired, statusOf } from './job.ts'
import { jobPayload, type LiveState, type PayloadView } from './payload.ts'
import type { Scheduler } from './scheduler.ts'
import type { Settle } from './settle.ts'
import type { JobFilter, JobRecord, JobStore } from './store.ts'
import type { Submission, Submissions, Submitted } from './submit.ts'

export interface JobsDeps {
  readonly db: Db
  /** Clock for the expiry of jobs. */
  readonly clock: Pick<Clock, 'now'>
  readonly store: JobStore
  readonly scheduler: Pick<Scheduler, 'wake' | 'abandon' | 'progressOf'>
  readonly settle: Settle
  readonly submissions: Pick<Submissions, 'submit'>
  readonly folders: Folders
  readonly removals: Pick<Removals, 'record' | 'removeNow'>
  readonly notify: Pick<Notify, 'record' | 'committed'>
  readonly plan: () => Plan
  readonly spareRoom: Pick<SpareRoom, 'use'>
  readonly stored: Pick<StoredFiles, 'withSong' | 'withFile'>
  /** Starts a new retention period for files that are kept again; `bytes` is their size. */
  readonly keepAgain: (jobId: string, bytes: number) => void
}

/** A retry of a job. */
export interface Retry extends Pick<Submission, 'caller' | 'idempotency'> {
  /** Returns the settings of the new job, from the request of the first and whether that had a reference. */
  readonly requestOf: (first: MasterRequest, hasReference: boolean) => MasterRequest
}

/** The service of jobs: submit, read, retry, cancel and delete. */
export class Jobs {
  readonly #deps: JobsDeps

  constructor(deps: JobsDeps) {
    this.#deps = deps
  }

  /** Returns a job in answer form. Throws JOB_NOT_FOUND. */
  show(jobId: string, view: PayloadView): Job {
    return this.#payload(this.#require(jobId), view)
  }

  /** Returns one page of jobs. Throws INVALID_REQUEST for another list's cursor. */
  list(query: JobQuery, view: PayloadView): JobPage {
    const { sort = 'newest', limit = DEFAULT_PAGE_SIZE } = query
    // One more than requested shows whether there is another page.
    const { jobs, total } = this.#deps.store.list({ ...filterOf(query, sort), limit: limit + 1 })
    const page = jobs.slice(0, limit)
    const last = page.at(-1)
    return {
      // A forecast is as large as the rest of a job: only a single job includes it.
      jobs: page.map((job) => this.#payload(job, view)).map(({ forecast: _, ...job }) => job),
      total,
      ...(jobs.length > limit && last ? { next_cursor: writeCursor(last, sort) } : {}),
    }
  }

  /** Makes a job and charges it; see {@link Submissions.submit} for the order of the checks. */
  submit(submission: Submission): Submitted {
    const submitted = this.#deps.submissions.submit(submission)
    this.#deps.scheduler.wake()
    return submitted
  }

  /**
   * Makes a new job from the songs of an ended one. Rejects with JOB_NOT_FOUND, JOB_NOT_READY, RESULT_EXPIRED, FILE_GONE, or as `requestOf`
   * does.
   */
  async retry(jobId: string, { requestOf, ...by }: Retry): Promise<Submitted> {
    const { clock, folders, stored } = this.#deps
    const job = this.#require(jobId)
    if (!hasEnded(job.state)) throw new AppError('JOB_NOT_READY')
    if (hasExpired(job, clock.now())) throw new AppError('RESULT_EXPIRED')
    try {
      return await stored.withSong(filesOf(job, folders, false), (file) => {
        const songs = songsOf(job, folders)
        return this.submit({
          ...by,
          ...songs,
          song: { ...songs.song, path: file },
          request: requestOf(job.request, job.reference !== undefined),
          ...(job.batchId === undefined ? {} : { batchId: job.batchId }),
          ...(job.sourceId === undefined ? {} : { sourceId: job.sourceId }),
          ...(job.sourcePath === undefined ? {} : { sourcePath: job.sourcePath }),
          retryOf: jobId,
        })
      })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new AppError('RESULT_EXPIRED', {}, { cause: error })
      throw error
    }
  }

  /** Returns the identifier of the key that made a job; undefined for the application. Throws JOB_NOT_FOUND. */
  makerOf(jobId: string): string | undefined {
    return this.#require(jobId).keyId
  }

  /** Ends an unfinished job as cancelled and refunds it; an ended one stays as it is. Throws JOB_NOT_FOUND. */
  cancel(jobId: string): void {
    const { settle, scheduler, spareRoom } = this.#deps
    this.#require(jobId)
    if (spareRoom.use(() => settle(jobId, { kind: 'cancel' }))) scheduler.abandon(jobId)
  }

  /**
   * Removes an ended job with its files, on a full disk the files first: should the row then outlive them, its downloads answer
   * RESULT_EXPIRED. Throws JOB_NOT_FOUND.
   */
  remove(jobId: string): void {
    const { db, store, folders, removals, notify, spareRoom } = this.#deps
    this.#require(jobId)
    const removeRow = db.transaction(() => {
      store.remove(jobId)
      removals.record(`jobs/${jobId}`)
      notify.record({ event: 'job.deleted', jobId })
    })
    spareRoom.use(removeRow.immediate, () => folders.takeBack(jobId))
    removals.removeNow([`jobs/${jobId}`])
    notify.committed()
  }

  /** Returns the stored files of a job; undefined for an unknown one. */
  files(jobId: string): JobFiles | undefined {
    const { clock, store, folders } = this.#deps
    const job = store.find(jobId)
    return job && filesOf(job, folders, hasExpired(job, clock.now()))
  }

  /**
   * Copies a song that a batch had released back into the folder of its job, and returns its path. Rejects with RESULT_EXPIRED, FILE_GONE,
   * INSUFFICIENT_STORAGE.
   */
  async bringBackSong(jobId: string): Promise<string> {
    const { folders, stored } = this.#deps
    const target = folders.source(jobId)
    await stored.withSong(this.#requireFiles(jobId), (file) => this.#keepAgain(jobId, file, target))
    return target
  }

  /** Does the same with a master or another file of the result, and returns the position of its bytes. */
  async bringBackFile(jobId: string, file: { readonly file: string; readonly sha256: string }): Promise<FilePart> {
    const { folders, stored } = this.#deps
    const files = this.#requireFiles(jobId)
    const target = path.join(folders.result(jobId), file.file)
    const { sizeBytes } = placeIn(resultOf(files), file.file)
    const kept = { path: target, offset: 0, sizeBytes }
    if (files.delivered && existsSync(target)) return kept
    return stored.withFile(files, file, (place) => {
      if (!files.delivered) return place
      this.#keepAgain(jobId, place.path, target)
      return kept
    })
  }

  #requireFiles(jobId: string): JobFiles {
    const files = this.files(jobId)
    if (!files) throw new AppError('JOB_NOT_FOUND')
    return files
  }

  #keepAgain(jobId: string, file: string, target: string): void {
    if (file === target || existsSync(target)) return
    this.#deps.folders.keep(file, target)
    this.#deps.keepAgain(jobId, statSync(target).size)
  }

  /** Returns the song of an unexpired job; undefined without one. Its file may be elsewhere: see `bringBackSong`. */
  song(jobId: string): (StoredSong & { readonly sourcePath?: string }) | undefined {
    const { clock, store, folders } = this.#deps
    const job = store.find(jobId)
    if (!job || hasExpired(job, clock.now())) return undefined
    const { song, sourcePath } = job
    return { path: folders.source(jobId), ...song, ...(sourcePath === undefined ? {} : { sourcePath }) }
  }

  /** Returns the same if its file is in the folder of the job. */
  keptSong(jobId: string): StoredSong | undefined {
    const song = this.song(jobId)
    return song && existsSync(song.path) ? song : undefined
  }

  /** Returns a done job whose masters are kept or delivered; undefined for any other. */
  finished(
    jobId: string,
  ): { readonly job: JobRecord; readonly result: WorkResult; readonly files: JobFiles } | undefined {
    const { store } = this.#deps
    const [job, files] = [store.find(jobId), this.files(jobId)]
    if (!job?.result || !files?.result || files.isExpired) return undefined
    const { folder, zip } = files.result
    const isThere = files.delivered || keptFiles(zip).every(({ file }) => existsSync(path.join(folder, file)))
    return isThere ? { job, result: job.result, files } : undefined
  }

  /** Returns a job's facts for a list of tracks, or undefined for an unknown one. */
  facts(jobId: string) {
    const job = this.#deps.store.find(jobId)
    if (!job) return undefined
    const { shownTitle: title, shownArtist: artist, song, state } = job
    const isOver = hasEnded(state) && hasExpired(job, this.#deps.clock.now())
    const shown: JobStatus | 'expired' = isOver ? 'expired' : statusOf(state)
    return {
      title,
      ...(artist === undefined ? {} : { artist }),
      durationSeconds: song.facts.durationSeconds,
      state: shown,
    }
  }

  /** Returns the number of jobs that the plan allows to start now. */
  freeSlots(): number {
    const { plan, store } = this.#deps
    return Math.max(0, PLAN_LIMITS[plan()].concurrentJobs - store.countUnfinished())
  }

  #require(jobId: string): JobRecord {
    const job = this.#deps.store.find(jobId)
    if (!job) throw new AppError('JOB_NOT_FOUND')
    return job
  }

  #payload(job: JobRecord, view: PayloadView): Job {
    return jobPayload(job, this.#live(job), view)
  }

  /** Returns how far an unfinished job is; undefined for an ended one. */
  #live(job: JobRecord): LiveState | undefined {
    const { store, scheduler } = this.#deps
    if (hasEnded(job.state)) return undefined
    if (job.state === 'waiting') return { stage: 'waiting', progress: 0, queuePosition: store.queuePosition(job) }
    return scheduler.progressOf(job.jobId) ?? { stage: 'decoding', progress: 0 }
  }
}

/** Returns the stored songs of a job, and its cover. */
function songsOf(
  job: JobRecord,
  folders: Folders,
): Pick<Submission, 'song' | 'reference' | 'joinedPaths' | 'stemPaths' | 'cover'> {
  const { jobId, song, reference, cover, request } = job
  const { before = [], after = [] } = request.joined ?? {}
  return {
    song: { path: folders.source(jobId), ...song },
    joinedPaths: [...before, ...after].map((_, index) => folders.joined(jobId, index)),
    stemPaths: stemPathsOf(job, folders),
    ...(reference ? { reference: { path: folders.reference(jobId), ...reference } } : {}),
    ...(cover ? { cover: { path: folders.cover(jobId), ...cover } } : {}),
  }
}

/** Returns the downloadable files of a job. */
function filesOf(job: JobRecord, folders: Folders, isExpired: boolean): JobFiles {
  const toFile = ({ path: file, filename, sha256, facts }: StoredSong) => ({
    path: file,
    filename,
    sha256,
    format: facts.format,
  })
  const { song, reference } = songsOf(job, folders)
  const { result } = job
  return {
    status: statusOf(job.state),
    isExpired,
    source: { ...toFile(song), ...(job.sourcePath === undefined ? {} : { recordedPath: job.sourcePath }) },
    ...(reference ? { reference: toFile(reference) } : {}),
    ...(job.deliveredSums ? { delivered: { folder: job.outputFolder ?? '', sums: job.deliveredSums } } : {}),
    ...(result
      ? {
          result: {
            folder: folders.result(job.jobId),
            zip: result.zip,
            masters: [...result.masters, ...(result.release ? [{ ...result.release, platform: RELEASE }] : [])],
            reportJsonFile: result.reportJsonFile,
            reportHtmlFile: result.reportHtmlFile,
            // The sweep skips the folder of a job whose files are elsewhere; uploads in progress are removed at each start.
            copiesFolder: job.deliveredSums ? path.join(folders.tmp, job.jobId) : folders.copies(job.jobId),
          },
        }
      : {}),
  }
}

type Sort = NonNullable<JobQuery['sort']>

function filterOf({ q, status, platform, batch_id, cursor }: JobQuery, sort: Sort): Omit<JobFilter, 'limit'> {
  const after = cursor === undefined ? undefined : readCursor(cursor, sort)
  return {
    words: (q ?? '').split(/\s+/).filter((word) => word !== ''),
    ...(status ? { status } : {}),
    ...(platform ? { platform } : {}),
    ...(batch_id === undefined ? {} : { batchId: batch_id }),
    sort,
    ...(after ? { after } : {}),
  }
}

function writeCursor({ serial, shownTitle }: JobRecord, sort: Sort): string {
  return Buffer.from(JSON.stringify(sort === 'title' ? [sort, serial, shownTitle] : [sort, serial])).toString(
    'base64url',
  )
}

function readCursor(cursor: string, sort: Sort): { serial: number; shownTitle: string } {
  try {
    const [of, serial, shownTitle = ''] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    if (of === sort && Number.isSafeInteger(serial) && typeof shownTitle === 'string') {
      return { serial: serial as number, shownTitle }
    }
  } catch {
    // An unreadable text cannot be our cursor.
  }
  throw unusable('cursor', { rule: 'cursor' })
}
