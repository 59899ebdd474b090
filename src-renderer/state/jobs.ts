/**
 * Jobs as the server reported them, by id. A state older than the known one is ignored, which makes a replay harmless.
 */
import { createStore } from 'zustand/vanilla'
import type { BatchSong } from '../../src-contract/app.ts'
import type { Client } from '../../src-contract/client.ts'
import { FAILURES } from '../../src-contract/errors.ts'
import type { LiveEvent } from '../../src-contract/events.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { MAX_PAGE_SIZE } from '../../src-contract/limits.ts'
import { jobSettings, type MasterSettings } from '../../src-contract/settings.ts'

/** Number of past jobs read to determine the speed of this machine. */
const PAST_JOBS = 20

export interface Jobs {
  readonly byId: Readonly<Record<string, Job>>
  /** Newest event sequence per job. */
  readonly seqById: Readonly<Record<string, number>>
}

/**
 * Returns `job` updated by a progress event, or `job` itself if nothing changes: an ended job stays ended, and the
 * percentage never falls.
 */
export function withProgress(job: Job, event: LiveEvent): Job {
  if (job.status !== 'queued' || event.event !== 'job.progress') return job
  // A job being worked on has left the queue.
  const { queue_position: _gone, ...rest } = job
  const stage = (event.stage as Job['stage']) ?? job.stage
  return { ...rest, ...(stage ? { stage } : {}), progress: Math.max(job.progress, event.progress ?? 0) }
}

/** Returns the newer of two readings of one job: an ended one over an unfinished one, then the higher percent. */
export function newerJob(known: Job | undefined, read: Job): Job {
  if (!known || read.status !== 'queued') return read
  if (known.status !== 'queued') return known
  return read.progress < known.progress ? { ...read, progress: known.progress } : read
}

/** Returns whether mastering the song of an ended job again can succeed: not where the song itself is the cause of the failure. */
export const isWorthAgain = ({ failure_code }: Pick<Job, 'failure_code'>): boolean =>
  failure_code === undefined || FAILURES[failure_code].retryable

/** A song of the batch with its newest known job, if any. */
export interface SongInBatch {
  readonly state: BatchSong['state']
  readonly newest: Pick<Job, 'status'> | undefined
}

/**
 * Returns whether a job's song can be mastered again: not while it waits or runs, nor if the song caused the failure;
 * and only from the batch, or from the files stored with the job unless its reference is the cause. `inBatch` is null
 * for a song that is not in the batch.
 */
export function isRepeatable(
  job: Pick<Job, 'status' | 'failure_code' | 'expired'>,
  inBatch: SongInBatch | null,
): boolean {
  const isKept = !job.expired && job.failure_code !== 'REFERENCE_LOST' && job.failure_code !== 'REFERENCE_UNREADABLE'
  const isUnderWay = job.status === 'queued' || inBatch?.state === 'waiting' || inBatch?.newest?.status === 'queued'
  return !isUnderWay && isWorthAgain(job) && (inBatch !== null || isKept)
}

/** Returns the settings of a job without its reference; the job has only the reference's name. */
export function settingsOf(job: Job): MasterSettings {
  return { ...jobSettings(job), reference_source_id: null, stem_mix: job.stem_mix ?? null }
}

/** The store of jobs with its actions. */
export class JobsStore {
  readonly store = createStore<Jobs>(() => ({ byId: {}, seqById: {} }))
  readonly #client: Client
  /** Readings that are under way, by job. */
  readonly #reading = new Map<string, Promise<void>>()
  /** Readings that begin when the one under way is over, by job. */
  readonly #following = new Map<string, Promise<void>>()

  constructor(client: Client) {
    this.#client = client
  }

  /** Stores jobs as read, unless newer readings are known. */
  keep(jobs: readonly Job[]): void {
    if (jobs.length === 0) return
    this.store.setState(({ byId }) => {
      const next = { ...byId }
      for (const job of jobs) next[job.job_id] = newerJob(byId[job.job_id], job)
      return { byId: next }
    })
  }

  forget(jobId: string): void {
    this.store.setState(({ byId }) => {
      const { [jobId]: _gone, ...rest } = byId
      return { byId: rest }
    })
  }

  /** Reads the unknown ones of the given jobs, and with `alsoUnfinished` those last seen unfinished. Never throws. */
  async readMissing(jobIds: readonly string[], alsoUnfinished = false): Promise<void> {
    const { byId } = this.store.getState()
    const missing = [...new Set(jobIds)].filter((id) => !byId[id] || (alsoUnfinished && byId[id]?.status === 'queued'))
    const running = missing.filter((id) => this.#reading.has(id))
    await Promise.all([
      ...running.map((id) => (alsoUnfinished ? this.#read(id) : this.#reading.get(id))),
      this.#begin(missing.filter((id) => !running.includes(id))),
    ])
  }

  /** Reads the last jobs, which determine the speed of this machine. Never throws. */
  readPast(): Promise<void> {
    return this.#client.call('listJobs', { query: { limit: PAST_JOBS } }).then(
      (page) => this.keep(page.jobs),
      () => undefined,
    )
  }

  /** Applies one live event. */
  apply(event: LiveEvent) {
    const jobId = event.job_id
    if (!jobId) return
    const { byId, seqById } = this.store.getState()
    if (event.seq < (seqById[jobId] ?? 0)) return
    this.store.setState({ seqById: { ...seqById, [jobId]: event.seq } })
    if (event.event === 'job.deleted') return this.forget(jobId)
    const job = byId[jobId]
    if (event.event === 'job.progress' && job) {
      const moved = withProgress(job, event)
      if (moved !== job) this.store.setState({ byId: { ...byId, [jobId]: moved } })
      return
    }
    void this.#read(jobId)
  }

  /** Cancels an unfinished job; a job that has ended meanwhile keeps its masters. Throws ApiError. */
  async cancel(jobId: string): Promise<void> {
    const job = await this.#client.call('deleteJob', { params: { job_id: jobId }, query: { status: 'queued' } })
    if (job) this.keep([job])
  }

  /** Reads a job as it is from now on: a reading under way may be older than the event that requests this one. */
  #read(jobId: string): Promise<void> {
    const running = this.#reading.get(jobId)
    if (!running) return this.#begin([jobId])
    const known = this.#following.get(jobId)
    if (known) return known
    const next = running.then(() => {
      this.#following.delete(jobId)
      return this.#begin([jobId])
    })
    this.#following.set(jobId, next)
    return next
  }

  #begin(jobIds: readonly string[]): Promise<void> {
    const [first, ...others] = jobIds
    if (first === undefined) return Promise.resolve()
    const fresh = (others.length > 0 ? this.#readMany(jobIds) : this.#readOne(first)).finally(() => {
      for (const id of jobIds) this.#reading.delete(id)
    })
    for (const id of jobIds) this.#reading.set(id, fresh)
    return fresh
  }

  #readOne(jobId: string): Promise<void> {
    return this.#client.call('readJob', { params: { job_id: jobId } }).then(
      (job) => this.keep([job]),
      () => undefined,
    )
  }

  /** Reads many jobs page by page while the pages contain some of them, then the rest one by one. */
  async #readMany(jobIds: readonly string[]): Promise<void> {
    const missing = new Set(jobIds)
    let cursor: string | undefined
    try {
      do {
        const query = { limit: MAX_PAGE_SIZE, ...(cursor ? { cursor } : {}) }
        const page = await this.#client.call('listJobs', { query })
        const found = page.jobs.filter((job) => missing.delete(job.job_id))
        this.keep(found)
        cursor = found.length > 0 ? page.next_cursor : undefined
      } while (cursor && missing.size > 0)
    } catch {
      // A job missing in the list is read individually.
    }
    await Promise.all([...missing].map((id) => this.#readOne(id)))
  }
}
