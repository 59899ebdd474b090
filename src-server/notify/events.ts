/**
 * Log of events: rows written inside the transaction of their change, and followers that pull them afterwards.
 * Progress is not stored; only the latest of each job or song is kept for a follower.
 */

import type { JobCompleted, JobFailed, LiveEvent, LiveEventName, StoredEventName } from '../../src-contract/events.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'

/** Event to be recorded. */
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

/** One reader of the live events: it takes when it can, and what it does not take stays in the database. */
export interface Follower {
  /** Returns up to `limit` stored events after those taken before, oldest first. */
  takeStored(limit: number): StoredEvent[]
  /** Returns the latest progress of each job and song that has moved since the last call. */
  takeProgress(): LiveEvent[]
  close(): void
}

export interface FollowDeps {
  /** Everything stored after this comes first; absent, only what happens from now on. */
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

/**
 * Makes the log of events over an open database. Nothing here is asynchronous: `append` belongs inside the caller's
 * transaction, `publish` after its commit.
 */
export function createEventLog({ db, clock, random }: { db: Db; clock: Clock; random: Random }) {
  const insert = db.prepare<[string, string, string | null, string | null, number]>(
    'INSERT INTO events (event_id, name, job_id, body, created_at_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const selectAfter = db.prepare<[number, number], EventRow>(
    'SELECT seq, event_id, name, job_id FROM events WHERE seq > ? ORDER BY seq LIMIT ?',
  )
  // The sequence outlives pruned rows; sqlite_sequence holds the highest ever given.
  const selectLast = db.prepare<[], { seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'events'")
  const deleteBefore = db.prepare<[number]>('DELETE FROM events WHERE created_at_ms < ?')

  const lastSeq = () => selectLast.get()?.seq ?? 0
  const followers = new Set<{
    progress: Map<string, JobProgress | SourceProgress>
    onNews: () => void
    onEnd: () => void
  }>()
  let publishedSeq = lastSeq()
  let stopFlush: (() => void) | undefined

  function append(newEvent: NewEvent): StoredEvent {
    const eventId = `msg_${random.newUuid()}`
    const body = newEvent.body === undefined ? null : JSON.stringify(newEvent.body)
    const { lastInsertRowid } = insert.run(eventId, newEvent.event, newEvent.jobId ?? null, body, clock.now())
    const jobId = newEvent.jobId === undefined ? {} : { jobId: newEvent.jobId }
    return { seq: Number(lastInsertRowid), eventId, event: newEvent.event, ...jobId }
  }

  function publish(): void {
    const news = selectAfter.all(publishedSeq, -1)
    publishedSeq = news.at(-1)?.seq ?? publishedSeq
    for (const follower of followers) {
      // Progress from before this event is dropped, so that a follower never receives it after the event.
      for (const { job_id } of news) if (job_id !== null) follower.progress.delete(job_id)
      follower.onNews()
    }
  }

  function progress(latest: JobProgress | SourceProgress): void {
    const id = 'jobId' in latest ? latest.jobId : latest.sourceId
    for (const follower of followers) follower.progress.set(id, latest)
    if (stopFlush || followers.size === 0) return
    stopFlush = clock.after(PROGRESS_STEP_MS, flush)
  }

  function flush(): void {
    stopFlush = undefined
    for (const follower of followers) follower.onNews()
  }

  function follow({ afterSeq, onNews, onEnd }: FollowDeps): Follower {
    const newest = lastSeq()
    // An id from another database or a later backup means nothing here.
    let seq = afterSeq === undefined || afterSeq > newest ? newest : afterSeq
    const follower = { progress: new Map<string, JobProgress | SourceProgress>(), onNews, onEnd }
    followers.add(follower)
    return {
      takeStored(limit) {
        const rows = selectAfter.all(seq, limit)
        seq = rows.at(-1)?.seq ?? seq
        return rows.map(({ seq, event_id, name, job_id }) => ({
          seq,
          eventId: event_id,
          event: name,
          ...(job_id === null ? {} : { jobId: job_id }),
        }))
      },
      takeProgress() {
        const latest = [...follower.progress.values()]
        follower.progress.clear()
        return latest.map((news) => progressEvent(news, seq))
      },
      close() {
        followers.delete(follower)
      },
    }
  }

  return {
    append,
    publish,
    progress,
    follow,
    /** Forgets events older than a moment (epoch ms) and returns how many. */
    prune: (beforeMs: number): number => deleteBefore.run(beforeMs).changes,
    /** Ends every follower's stream; nothing follows any more. */
    close(): void {
      stopFlush?.()
      for (const follower of [...followers]) follower.onEnd()
      followers.clear()
    },
  }
}

export type EventLog = ReturnType<typeof createEventLog>

function progressEvent(latest: JobProgress | SourceProgress, seq: number): LiveEvent {
  if ('sourceId' in latest) {
    const { sourceId, progress, stage } = latest
    return { event: 'source.progress', seq, source_id: sourceId, progress, stage }
  }
  const { jobId, progress, stage } = latest
  return { event: 'job.progress', seq, job_id: jobId, progress, stage }
}
