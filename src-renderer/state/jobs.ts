/** Jobs as the server told them, by id. Whatever is older than what is known already is ignored, so a replay is harmless. */
import { createStore } from 'zustand/vanilla'
import type { BatchSong } from '../../src-contract/app.ts'
import type { Client } from '../../src-contract/client.ts'
import { FAILURES } from '../../src-contract/errors.ts'
import type { LiveEvent } from '../../src-contract/events.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { MAX_PAGE_SIZE } from '../../src-contract/limits.ts'
import { jobSettings, type MasterSettings } from '../../src-contract/settings.ts'

export interface Jobs {
  readonly byId: Readonly<Record<string, Job>>
  /** Newest event sequence seen per job. */
  readonly seqById: Readonly<Record<string, number>>
}

/**
 * Returns `job` moved on by a progress event, or `job` itself when the event says nothing new: a job that has ended stays
 * ended, and the percent never falls.
 */
export function withProgress(job: Job, event: LiveEvent): Job {
  if (job.status !== 'queued' || event.event !== 'job.progress') return job
  // A job that is worked on has left the queue.
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

/** Tells whether the song of an ended job can be mastered by being tried again: not where the song itself is what is wrong. */
export const isWorthAgain = ({ failure_code }: Pick<Job, 'failure_code'>): boolean =>
  failure_code === undefined || FAILURES[failure_code].retryable

/** A song of the batch with its newest job, where it has one that is known. */
export interface SongInBatch {
  readonly state: BatchSong['state']
  readonly newest: Pick<Job, 'status'> | undefined
}

/**
 * Tells whether a job's song can be mastered again: not while the song waits to be mastered or is, or where it is itself what is wrong,
 * and only from the batch, or from the files that the job has kept unless its reference is wrong. `inBatch` is null for a song that
 * is not there.
 */
export function isRepeatable(
  job: Pick<Job, 'status' | 'failure_code' | 'expired'>,
  inBatch: SongInBatch | null,
): boolean {
  const isKept = !job.expired && job.failure_code !== 'REFERENCE_LOST' && job.failure_code !== 'REFERENCE_UNREADABLE'
  const isUnderWay = job.status === 'queued' || inBatch?.state === 'waiting' || inBatch?.newest?.status === 'queued'
  return !isUnderWay && isWorthAgain(job) && (inBatch !== null || isKept)
}

/** Returns the settings with which a job was made but its reference, of which a job knows only the name. */
export function settingsOf(job: Job): MasterSettings {
  return { ...jobSettings(job), reference_source_id: null }
}

/** Makes the store of jobs with its actions. */
export function createJobs(client: Client) {
  const store = createStore<Jobs>(() => ({ byId: {}, seqById: {} }))
  const reading = new Map<string, Promise<void>>()
  /** Readings that begin when the one under way is over. */
  const following = new Map<string, Promise<void>>()

  const keep = (jobs: readonly Job[]) => {
    if (jobs.length === 0) return
    store.setState(({ byId }) => {
      const next = { ...byId }
      for (const job of jobs) next[job.job_id] = newerJob(byId[job.job_id], job)
      return { byId: next }
    })
  }

  const forget = (jobId: string) =>
    store.setState(({ byId }) => {
      const { [jobId]: _gone, ...rest } = byId
      return { byId: rest }
    })

  const readOne = (jobId: string): Promise<void> =>
    client
      .call('readJob', { params: { job_id: jobId } })
      .then((job) => keep([job]))
      .catch(() => undefined)

  /** Reads many jobs page by page as long as the pages hold some of them, and those that are left one by one. */
  const readMany = async (jobIds: readonly string[]): Promise<void> => {
    const missing = new Set(jobIds)
    let cursor: string | undefined
    try {
      do {
        const page = await client.call('listJobs', { query: { limit: MAX_PAGE_SIZE, ...(cursor ? { cursor } : {}) } })
        const found = page.jobs.filter((job) => missing.delete(job.job_id))
        keep(found)
        cursor = found.length > 0 ? page.next_cursor : undefined
      } while (cursor && missing.size > 0)
    } catch {
      // A job that the list left out is read on its own.
    }
    await Promise.all([...missing].map(readOne))
  }

  const begin = (jobIds: readonly string[]): Promise<void> => {
    const [first, ...others] = jobIds
    if (first === undefined) return Promise.resolve()
    const fresh = (others.length > 0 ? readMany(jobIds) : readOne(first)).finally(() => {
      for (const id of jobIds) reading.delete(id)
    })
    for (const id of jobIds) reading.set(id, fresh)
    return fresh
  }

  /** Reads a job as it is from now on: a reading that is under way may be older than the news that ask for this one. */
  const read = (jobId: string): Promise<void> => {
    const running = reading.get(jobId)
    if (!running) return begin([jobId])
    const known = following.get(jobId)
    if (known) return known
    const next = running.then(() => {
      following.delete(jobId)
      return begin([jobId])
    })
    following.set(jobId, next)
    return next
  }

  return {
    store,
    keep,
    forget,
    /** Reads those of the jobs that are not known, and those that were unfinished when last seen. Never throws. */
    async readMissing(jobIds: readonly string[], alsoUnfinished = false) {
      const { byId } = store.getState()
      const missing = [...new Set(jobIds)].filter(
        (id) => !byId[id] || (alsoUnfinished && byId[id]?.status === 'queued'),
      )
      const running = missing.filter((id) => reading.has(id))
      await Promise.all([
        ...running.map((id) => (alsoUnfinished ? read(id) : reading.get(id))),
        begin(missing.filter((id) => !running.includes(id))),
      ])
    },
    /** Reads the jobs of last, which tell how fast this machine is. Never throws. */
    readPast: () =>
      client.call('listJobs', { query: { limit: 20 } }).then(
        (page) => keep(page.jobs),
        () => undefined,
      ),
    /** Applies one live event. */
    apply(event: LiveEvent) {
      const jobId = event.job_id
      if (!jobId) return
      const { byId, seqById } = store.getState()
      if (event.seq < (seqById[jobId] ?? 0)) return
      store.setState({ seqById: { ...seqById, [jobId]: event.seq } })
      if (event.event === 'job.deleted') return forget(jobId)
      const job = byId[jobId]
      if (event.event === 'job.progress' && job) {
        const moved = withProgress(job, event)
        if (moved !== job) store.setState({ byId: { ...byId, [jobId]: moved } })
        return
      }
      void read(jobId)
    },
    /** Cancels an unfinished job; one that has ended meanwhile keeps its masters. Throws ApiError. */
    async cancel(jobId: string) {
      const job = await client.call('deleteJob', { params: { job_id: jobId }, query: { status: 'queued' } })
      if (job) keep([job])
    },
  }
}

export type JobsActions = ReturnType<typeof createJobs>
