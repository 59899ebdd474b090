/** Songs in progress, from the server's list and its live events: the source of badge, progress, power and notifications. */
import type { Batch, BatchSong } from '../src-contract/app.ts'
import { BATCH_CHANGED, type LiveEvent } from '../src-contract/events.ts'
import type { Job } from '../src-contract/jobs.ts'
import { MAX_PAGE_SIZE } from '../src-contract/limits.ts'
import type { Service } from './service.ts'

export interface Activity {
  /** Jobs that have not ended. */
  readonly unfinished: number
  /** Songs in the batch that will become jobs automatically. */
  readonly waiting: number
  readonly isPaused: boolean
  /** True while deliveries to other machines are pending. */
  readonly isOffline: boolean
  /** Completed fraction of the current work, 0 to 1; null without work. */
  readonly fraction: number | null
}

const IDLE: Activity = { unfinished: 0, waiting: 0, isPaused: false, isOffline: false, fraction: null }

/** An ended batch: mastered and failed songs, by title. */
export interface EndedBatch {
  readonly batchId: string
  readonly done: readonly string[]
  readonly failed: readonly string[]
  /** The one job of a batch of one. */
  readonly onlyJobId?: string
}

/** Returns the overall progress: the mean over unfinished jobs, jobs ended since the last idle moment, and waiting songs. Pure. */
export function overallFraction(percents: readonly number[], endedCount: number, waitingCount: number): number | null {
  const total = percents.length + endedCount + waitingCount
  if (percents.length + waitingCount === 0) return null
  return (percents.reduce((sum, percent) => sum + percent / 100, 0) + endedCount) / total
}

/**
 * Returns the outcome of a batch, with songs refused before they became jobs among the failed; undefined while a song is unfinished, or if
 * the user cancelled all. Pure.
 */
export function endedBatch(
  batchId: string,
  jobs: readonly Pick<Job, 'job_id' | 'status' | 'title' | 'failure_code'>[],
  batchSongs: readonly (Pick<BatchSong, 'batch_id' | 'state'> & {
    readonly source: Pick<BatchSong['source'], 'title'>
  })[],
): EndedBatch | undefined {
  const ofBatch = batchSongs.filter((song) => song.batch_id === batchId)
  const isOpen = jobs.some((job) => job.status === 'queued') || ofBatch.some((song) => song.state === 'waiting')
  if (isOpen) return undefined
  const refused = ofBatch.filter((song) => song.state === 'refused').map((song) => song.source.title)
  const done = jobs.filter((job) => job.status === 'done').map((job) => job.title)
  const failed = jobs
    .filter((job) => job.status === 'failed' && job.failure_code !== 'CANCELLED')
    .map((job) => job.title)
    .concat(refused)
  if (done.length + failed.length === 0) return undefined
  const [only] = jobs
  return { batchId, done, failed, ...(jobs.length + refused.length === 1 && only ? { onlyJobId: only.job_id } : {}) }
}

/** Events that trigger a full reload of the state. */
const CHANGES: ReadonlySet<LiveEvent['event']> = new Set([
  'job.created',
  'job.deleted',
  BATCH_CHANGED,
  'settings.changed',
])

/** Requests of the follower. */
type Reading = Pick<Service, 'call' | 'follow'>

export interface ActivityListeners {
  /** Called with each change once it is known. */
  readonly onChange: (activity: Activity) => void
  /** Called once for each batch. */
  readonly onBatchEnd: (batch: EndedBatch) => void
}

/** Follower of the server, from `start` until the signal fires. */
export class ActivityFollower {
  readonly #service: Reading
  readonly #listeners: ActivityListeners
  readonly #signal: AbortSignal
  readonly #percents = new Map<string, number>()
  readonly #toldBatches = new Set<string>()
  #endedCount = 0
  #isOffline = false
  #batch: Pick<Batch, 'is_paused' | 'songs'> = { is_paused: false, songs: [] }
  #current = IDLE
  #reading: Promise<void> | undefined
  #mustReadAgain = false

  constructor(service: Reading, listeners: ActivityListeners, signal: AbortSignal) {
    this.#service = service
    this.#listeners = listeners
    this.#signal = signal
  }

  start(): void {
    void this.#service.follow(
      (event) => this.#take(event),
      () => this.refresh(),
      this.#signal,
    )
  }

  current(): Activity {
    return this.#current
  }

  /** Reloads everything; any number of calls during a reload cause one more. */
  refresh(): void {
    if (this.#reading) {
      this.#mustReadAgain = true
      return
    }
    this.#reading = this.#readAll()
      .catch(() => {})
      .finally(() => {
        this.#reading = undefined
        if (!this.#mustReadAgain || this.#signal.aborted) return
        this.#mustReadAgain = false
        this.refresh()
      })
  }

  async #readAll(): Promise<void> {
    const [page, batch, settings] = await Promise.all([
      this.#service.call('listJobs', { query: { status: 'queued', limit: MAX_PAGE_SIZE } }),
      this.#service.call('readDesk'),
      this.#service.call('readSettings'),
    ])
    this.#batch = batch
    this.#isOffline = settings.is_offline
    this.#percents.clear()
    for (const job of page.jobs) this.#percents.set(job.job_id, job.progress)
    this.#publish()
  }

  #publish(): void {
    const unfinished = this.#percents.size
    const isPaused = this.#batch.is_paused
    const waiting = isPaused ? 0 : this.#batch.songs.filter((song) => song.state === 'waiting').length
    if (unfinished + waiting === 0) this.#endedCount = 0
    const fraction = overallFraction([...this.#percents.values()], this.#endedCount, waiting)
    this.#current = { unfinished, waiting, isPaused, isOffline: this.#isOffline, fraction }
    this.#listeners.onChange(this.#current)
  }

  #take(event: LiveEvent): void {
    if (event.event === 'job.progress') {
      if (!event.job_id || !this.#percents.has(event.job_id)) return
      this.#percents.set(event.job_id, event.progress ?? 0)
      this.#publish()
      return
    }
    const hasEnded = event.event === 'job.completed' || event.event === 'job.failed'
    if (hasEnded && event.job_id) {
      this.#endedCount++
      this.#settleBatch(event.job_id).catch(() => {})
    }
    if (hasEnded || CHANGES.has(event.event)) this.refresh()
  }

  async #settleBatch(jobId: string): Promise<void> {
    const { batch_id: batchId } = await this.#service.call('readJob', { params: { job_id: jobId } })
    if (!batchId || this.#toldBatches.has(batchId)) return
    const [jobs, batch] = await Promise.all([jobsOf(this.#service, batchId), this.#service.call('readDesk')])
    const ended = endedBatch(batchId, jobs, batch.songs)
    if (!ended || this.#toldBatches.has(batchId)) return
    this.#toldBatches.add(batchId)
    this.#listeners.onBatchEnd(ended)
  }
}

/** Reads the jobs of a batch, page by page: a dropped album library has more than one. */
async function jobsOf(service: Reading, batchId: string): Promise<Job[]> {
  const jobs: Job[] = []
  let cursor: string | undefined
  do {
    const query = { batch_id: batchId, limit: MAX_PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) }
    const page = await service.call('listJobs', { query })
    jobs.push(...page.jobs)
    cursor = page.next_cursor
    // The newest come first; one unfinished job is enough to know.
  } while (cursor !== undefined && !jobs.some((job) => job.status === 'queued'))
  return jobs
}
