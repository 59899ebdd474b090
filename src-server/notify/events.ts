/**
 * Log of events: rows written inside the transaction of their change, and followers that pull them afterwards.
 * Progress is not stored; only the latest of each job or song is kept for a follower.
 */

import type { JobCompleted, JobFailed, LiveEvent, LiveEventName, StoredEventName } from '../../src-contract/events.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'

/** A new event. */
export interface NewEvent {
  readonly event: StoredEventName
  readonly jobId?: string
  /** The callback's body, for the two events that have one; its bytes are fixed here. */
  readonly body?: JobCompleted | JobFailed
}

/** One written event. */
export interface StoredEvent {
  /** Order of events, and the id in the live stream. */
  readonly seq: number
  /** The `webhook-id` of every delivery of this event. */
  readonly eventId: string
  readonly event: LiveEventName
  readonly jobId?: string
}

/** Progress of a running job, 0 to 100. */
export interface JobProgress {
  readonly jobId: string
  readonly progress: number
  readonly stage: string
}

/** Progress of the analysis of a stored song, 0 to 100. */
export interface SourceProgress {
  readonly sourceId: string
  readonly progress: number
  readonly stage: string
}

/** Notice that the state of an audition has changed. */
export interface AuditionNews {
  readonly auditionId: string
}

/** Notice that a release, its mastering or one of its tracks has changed. */
export interface ReleaseNews {
  readonly releaseId: string
}

/** Progress of the export of a release, in sound files. */
export interface ExportProgress {
  readonly exportOf: string
  readonly filesDone: number
  readonly files: number
  /** The one in progress; absent after the last. */
  readonly file?: string
}

/** Transient message to current followers. */
export type PassingNews = JobProgress | SourceProgress | AuditionNews | ReleaseNews | ExportProgress

/** One reader of the live events: it takes them at its own pace, and the rest stays in the database. */
export interface Follower {
  /** Returns up to `limit` further stored events, oldest first. */
  takeStored(limit: number): StoredEvent[]
  /** Returns the latest news of each job, song and audition that has moved since the last call. */
  takeProgress(): LiveEvent[]
  close(): void
}

export interface FollowDeps {
  /** Last stored event already seen; when absent, the follower starts with new events. */
  readonly afterSeq?: number
  /** Called when there may be something to take. */
  readonly onNews: () => void
  /** Called when the log closes: the stream must end. */
  readonly onEnd: () => void
}

/** Progress reaches followers at most this often. */
const PROGRESS_STEP_MS = 100

interface EventRow {
  seq: number
  event_id: string
  name: LiveEventName
  job_id: string | null
}

export interface EventLogDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
}

/** Statements about events. */
function prepareStatements(db: Db) {
  return {
    insert: db.prepare<[string, string, string | null, string | null, number]>(
      'INSERT INTO events (event_id, name, job_id, body, created_at_ms) VALUES (?, ?, ?, ?, ?)',
    ),
    selectAfter: db.prepare<[number, number], EventRow>(
      'SELECT seq, event_id, name, job_id FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
    ),
    // The sequence outlives pruned rows; sqlite_sequence contains the highest number ever used.
    selectLast: db.prepare<[], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'events'"),
    deleteBefore: db.prepare<[number]>('DELETE FROM events WHERE created_at_ms < ?'),
  }
}

/**
 * The log of events over an open database. All methods are synchronous: `append` belongs inside the caller's transaction, `publish` after
 * its commit.
 */
export class EventLog {
  readonly #deps: EventLogDeps
  readonly #statements: ReturnType<typeof prepareStatements>
  readonly #followers = new Set<LogFollower>()
  #publishedSeq: number
  #stopFlush: (() => void) | undefined

  constructor(deps: EventLogDeps) {
    this.#deps = deps
    this.#statements = prepareStatements(deps.db)
    this.#publishedSeq = this.#lastSeq()
  }

  append({ event, jobId, body }: NewEvent): StoredEvent {
    const { clock, random } = this.#deps
    const eventId = `msg_${random.newUuid()}`
    const text = body === undefined ? null : JSON.stringify(body)
    const { lastInsertRowid } = this.#statements.insert.run(eventId, event, jobId ?? null, text, clock.now())
    return { seq: Number(lastInsertRowid), eventId, event, ...(jobId === undefined ? {} : { jobId }) }
  }

  publish(): void {
    const news = this.#statements.selectAfter.all(this.#publishedSeq, -1)
    this.#publishedSeq = news.at(-1)?.seq ?? this.#publishedSeq
    for (const follower of this.#followers) {
      // Earlier progress is dropped, since a follower must not receive it after this event.
      for (const { job_id } of news) if (job_id !== null) follower.progress.delete(job_id)
      follower.onNews()
    }
  }

  progress(latest: PassingNews): void {
    const id = subjectOf(latest)
    for (const follower of this.#followers) follower.progress.set(id, latest)
    if (this.#stopFlush || this.#followers.size === 0) return
    this.#stopFlush = this.#deps.clock.after(PROGRESS_STEP_MS, () => {
      this.#stopFlush = undefined
      for (const follower of this.#followers) follower.onNews()
    })
  }

  follow({ afterSeq, onNews, onEnd }: FollowDeps): Follower {
    const newest = this.#lastSeq()
    // An id from another database or a later backup means nothing here.
    const seq = afterSeq === undefined || afterSeq > newest ? newest : afterSeq
    const { selectAfter } = this.#statements
    const follower = new LogFollower({
      seq,
      readAfter: (seq, limit) => selectAfter.all(seq, limit),
      onNews,
      onEnd,
      onClose: () => this.#followers.delete(follower),
    })
    this.#followers.add(follower)
    return follower
  }

  /** Forgets events older than a moment (epoch ms) and returns how many. */
  prune(beforeMs: number): number {
    return this.#statements.deleteBefore.run(beforeMs).changes
  }

  /** Ends every follower's stream and accepts no more followers. */
  close(): void {
    this.#stopFlush?.()
    for (const follower of [...this.#followers]) follower.onEnd()
    this.#followers.clear()
  }

  #lastSeq(): number {
    return this.#statements.selectLast.get()?.seq ?? 0
  }
}

interface LogFollowerDeps extends Pick<FollowDeps, 'onNews' | 'onEnd'> {
  /** Last stored event already seen. */
  readonly seq: number
  readonly readAfter: (seq: number, limit: number) => EventRow[]
  readonly onClose: () => void
}

/** A follower with its position in the log and its pending progress. */
class LogFollower implements Follower {
  readonly progress = new Map<string, PassingNews>()
  readonly #deps: LogFollowerDeps
  #seq: number

  constructor(deps: LogFollowerDeps) {
    this.#deps = deps
    this.#seq = deps.seq
  }

  onNews(): void {
    this.#deps.onNews()
  }

  onEnd(): void {
    this.#deps.onEnd()
  }

  takeStored(limit: number): StoredEvent[] {
    const rows = this.#deps.readAfter(this.#seq, limit)
    this.#seq = rows.at(-1)?.seq ?? this.#seq
    return rows.map(({ seq, event_id, name, job_id }) => ({
      seq,
      eventId: event_id,
      event: name,
      ...(job_id === null ? {} : { jobId: job_id }),
    }))
  }

  takeProgress(): LiveEvent[] {
    const latest = [...this.progress.values()]
    this.progress.clear()
    return latest.map((news) => progressEvent(news, this.#seq))
  }

  close(): void {
    this.#deps.onClose()
  }
}

function subjectOf(news: PassingNews): string {
  if ('jobId' in news) return news.jobId
  if ('sourceId' in news) return news.sourceId
  if ('exportOf' in news) return `export ${news.exportOf}`
  return 'releaseId' in news ? news.releaseId : news.auditionId
}

function progressEvent(latest: PassingNews, seq: number): LiveEvent {
  if ('auditionId' in latest) return { event: 'audition.changed', seq, audition_id: latest.auditionId }
  if ('releaseId' in latest) return { event: 'release.changed', seq, release_id: latest.releaseId }
  if ('exportOf' in latest) {
    const { exportOf, filesDone, files, file } = latest
    const named = file === undefined ? {} : { file }
    return { event: 'export.progress', seq, release_id: exportOf, files_done: filesDone, files, ...named }
  }
  if ('sourceId' in latest) {
    const { sourceId, progress, stage } = latest
    return { event: 'source.progress', seq, source_id: sourceId, progress, stage }
  }
  const { jobId, progress, stage } = latest
  return { event: 'job.progress', seq, job_id: jobId, progress, stage }
}
