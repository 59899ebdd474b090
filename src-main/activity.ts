/** Songs in progress, from the server's list and its live events: the source of badge, progress, power and notifications. */
import type { Batch, BatchSong } from '../src-contract/app.ts'
import type { LiveEvent } from '../src-contract/events.ts'
import type { Job } from '../src-contract/jobs.ts'
import { MAX_PAGE_SIZE } from '../src-contract/limits.ts'
import type { Service } from './service.ts'

export interface Activity {
  /** Jobs that have not ended. */
  readonly unfinished: number
  /** Songs in the batch that will become jobs by themselves. */
  readonly waiting: number
  readonly isPaused: boolean
  /** Deliveries to other machines wait. */
  readonly isOffline: boolean
  /** Part of the work in sight that is done, 0 to 1; null when there is none. */
  readonly fraction: number | null
}

const IDLE: Activity = { unfinished: 0, waiting: 0, isPaused: false, isOffline: false, fraction: null }

/** A batch that has ended: which songs were mastered and which failed, by title. */
export interface EndedBatch {
  readonly batchId: string
  readonly done: readonly string[]
  readonly failed: readonly string[]
  /** The one job of a batch of one. */
  readonly onlyJobId?: string
}

/**
 * Returns how far the work in sight is: the mean over unfinished jobs, jobs that ended since there was none unfinished, and
 * waiting songs. Pure.
 */
export function overallFraction(percents: readonly number[], endedCount: number, waitingCount: number): number | null {
  const total = percents.length + endedCount + waitingCount
  if (percents.length + waitingCount === 0) return null
  return (percents.reduce((sum, percent) => sum + percent / 100, 0) + endedCount) / total
}

/**
 * Returns what a batch came to, songs that were refused before they became jobs among the failed; undefined while a song of it is
 * unfinished, or when all were cancelled by the user. Pure.
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

/** After these the whole state is read again. */
const CHANGES: ReadonlySet<LiveEvent['event']> = new Set([
  'job.created',
  'job.deleted',
  'desk.changed',
  'settings.changed',
])

/** Follows the server until the signal fires. Each change is told once it is known; a batch is told once. */
export function followActivity(
  service: Pick<Service, 'call' | 'follow'>,
  tell: { readonly onChange: (activity: Activity) => void; readonly onBatchEnd: (batch: EndedBatch) => void },
  signal: AbortSignal,
): { current(): Activity; refresh(): void } {
  const percents = new Map<string, number>()
  const toldBatches = new Set<string>()
  let endedCount = 0
  let isOffline = false
  let batch: Pick<Batch, 'is_paused' | 'songs'> = { is_paused: false, songs: [] }
  let current = IDLE
  let reading: Promise<void> | undefined
  let mustReadAgain = false

  function publish(): void {
    const waiting = batch.is_paused ? 0 : batch.songs.filter((song) => song.state === 'waiting').length
    if (percents.size + waiting === 0) endedCount = 0
    current = {
      unfinished: percents.size,
      waiting,
      isPaused: batch.is_paused,
      isOffline,
      fraction: overallFraction([...percents.values()], endedCount, waiting),
    }
    tell.onChange(current)
  }

  async function readAll(): Promise<void> {
    const [page, readBatch, settings] = await Promise.all([
      service.call('listJobs', { query: { status: 'queued', limit: MAX_PAGE_SIZE } }),
      service.call('readDesk'),
      service.call('readSettings'),
    ])
    batch = readBatch
    isOffline = settings.is_offline
    percents.clear()
    for (const job of page.jobs) percents.set(job.job_id, job.progress)
    publish()
  }

  /** Reads everything again; calls while reading lead to one more reading, however many they are. */
  function refresh(): void {
    if (reading) {
      mustReadAgain = true
      return
    }
    reading = readAll()
      .catch(() => {})
      .finally(() => {
        reading = undefined
        if (mustReadAgain && !signal.aborted) {
          mustReadAgain = false
          refresh()
        }
      })
  }

  /** A dropped album library is more than one page. */
  async function jobsOf(batchId: string): Promise<Job[]> {
    const jobs: Job[] = []
    let cursor: string | undefined
    do {
      const query = { batch_id: batchId, limit: MAX_PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) }
      const page = await service.call('listJobs', { query })
      jobs.push(...page.jobs)
      cursor = page.next_cursor
      // The newest come first: one that has not ended says enough.
    } while (cursor !== undefined && !jobs.some((job) => job.status === 'queued'))
    return jobs
  }

  async function settleBatch(jobId: string): Promise<void> {
    const { batch_id: batchId } = await service.call('readJob', { params: { job_id: jobId } })
    if (!batchId || toldBatches.has(batchId)) return
    const [jobs, readBatch] = await Promise.all([jobsOf(batchId), service.call('readDesk')])
    const ended = endedBatch(batchId, jobs, readBatch.songs)
    if (!ended || toldBatches.has(batchId)) return
    toldBatches.add(batchId)
    tell.onBatchEnd(ended)
  }

  function take(event: LiveEvent): void {
    if (event.event === 'job.progress') {
      if (!event.job_id || !percents.has(event.job_id)) return
      percents.set(event.job_id, event.progress ?? 0)
      publish()
      return
    }
    const hasEnded = event.event === 'job.completed' || event.event === 'job.failed'
    if (hasEnded && event.job_id) {
      endedCount++
      settleBatch(event.job_id).catch(() => {})
    }
    if (hasEnded || CHANGES.has(event.event)) refresh()
  }

  void service.follow(take, refresh, signal)
  return { current: () => current, refresh }
}
