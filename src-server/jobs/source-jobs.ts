/** Queries of jobs by their stored song. SQL only, no rules. */
import type { Db } from '../db/open.ts'
import { UNFINISHED } from './unfinished.ts'

/** A stored song by its bytes. */
interface StoredContent {
  readonly sourceId: string
  readonly sha256: string
}

interface EarlierJob {
  readonly jobId: string
  readonly endedAtMs: number
}

function prepareStatements(db: Db) {
  return {
    countUnfinished: db
      .prepare<[], number>(`SELECT count(*) FROM jobs WHERE source_id IS NOT NULL AND ${UNFINISHED}`)
      .pluck(),
    selectAll: db.prepare<[string], string>('SELECT job_id FROM jobs WHERE source_id = ? ORDER BY serial DESC').pluck(),
    selectUnfinished: db
      .prepare<[string], string>(`SELECT job_id FROM jobs WHERE source_id = ? AND ${UNFINISHED} ORDER BY serial`)
      .pluck(),
    selectSwept: db
      .prepare<[], string>(
        'SELECT source_id FROM jobs WHERE source_id IS NOT NULL GROUP BY source_id HAVING min(is_expired) = 1',
      )
      .pluck(),
    selectBefore: db.prepare<{ songs: string; now: number }, { sourceId: string; jobId: string; endedAtMs: number }>(
      `SELECT song.value ->> '$.sourceId' AS sourceId, job_id AS jobId, max(completed_at_ms) AS endedAtMs
       FROM json_each(:songs) AS song CROSS JOIN jobs ON source_sha256 = song.value ->> '$.sha256'
       WHERE state = 'done' AND source_id IS NOT song.value ->> '$.sourceId'
         AND (delivered_sums IS NOT NULL
           OR (is_expired = 0 AND (is_kept = 1 OR expires_at_ms IS NULL OR expires_at_ms > :now)))
       GROUP BY song.key`,
    ),
    selectInBatch: db
      .prepare<[string, string], number>('SELECT 1 FROM jobs WHERE source_id = ? AND batch_id = ?')
      .pluck(),
  }
}

/** The jobs of stored songs in an open database. */
export class SourceJobs {
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(db: Db) {
    this.#statements = prepareStatements(db)
  }

  /** Returns the number of unfinished jobs of stored songs. */
  countUnfinished(): number {
    return this.#statements.countUnfinished.get() ?? 0
  }

  /** Returns the identifiers of the jobs of a stored song, newest first. */
  listOf(sourceId: string): string[] {
    return this.#statements.selectAll.all(sourceId)
  }

  /** Returns whether a stored song has a job, ended or not. */
  hasJobs(sourceId: string): boolean {
    return this.listOf(sourceId).length > 0
  }

  /** Returns the identifiers of its unfinished jobs, oldest first. */
  listUnfinishedOf(sourceId: string): string[] {
    return this.#statements.selectUnfinished.all(sourceId)
  }

  /** Returns the stored songs whose jobs have all expired. */
  listSweptSources(): string[] {
    return this.#statements.selectSwept.all()
  }

  /**
   * Returns, by stored song, the newest finished job of the same bytes that is not its own and whose files are there at `nowMs`, milliseconds
   * since 1970.
   */
  newestBefore(songs: readonly StoredContent[], nowMs: number): ReadonlyMap<string, EarlierJob> {
    const found = this.#statements.selectBefore.all({ songs: JSON.stringify(songs), now: nowMs })
    return new Map(found.map(({ sourceId, ...job }) => [sourceId, job]))
  }

  /** Returns whether a stored song has a job of this batch, ended or not. */
  isInBatch(sourceId: string, batchId: string): boolean {
    return this.#statements.selectInBatch.get(sourceId, batchId) !== undefined
  }
}
