/** Statements about finished jobs: retention of their files, and delivery of their masters. SQL only, no rules. */
import type { Db } from '../db/open.ts'

function prepareStatements(db: Db) {
  return {
    selectExpirable: db
      .prepare<[number, number], string>(
        `SELECT job_id FROM jobs WHERE is_expired = 0 AND is_kept = 0 AND expires_at_ms IS NOT NULL AND expires_at_ms <= ?
         ORDER BY expires_at_ms LIMIT ?`,
      )
      .pluck(),
    selectNextExpiry: db
      .prepare<[], number | null>(
        'SELECT min(expires_at_ms) FROM jobs WHERE is_expired = 0 AND is_kept = 0 AND expires_at_ms IS NOT NULL',
      )
      .pluck(),
    selectExpiring: db.prepare<[number], { results: number; sizeBytes: number | null; firstAtMs: number | null }>(
      `SELECT count(*) AS results, sum(stored_bytes) AS sizeBytes, min(expires_at_ms) AS firstAtMs FROM jobs
       WHERE is_expired = 0 AND is_kept = 0 AND expires_at_ms IS NOT NULL AND expires_at_ms <= ?`,
    ),
    selectLastOfSlice: db
      .prepare<[number, number], number | null>(
        'SELECT max(serial) FROM (SELECT serial FROM jobs WHERE serial > ? ORDER BY serial LIMIT ?)',
      )
      .pluck(),
    replan: db.prepare<{ period: number | null; after: number; last: number }>(
      `UPDATE jobs SET expires_at_ms = coalesce(kept_from_ms, completed_at_ms) + :period
       WHERE serial > :after AND serial <= :last AND is_expired = 0 AND has_doubtful_time = 0 AND completed_at_ms IS NOT NULL
         AND expires_at_ms IS NOT coalesce(kept_from_ms, completed_at_ms) + :period`,
    ),
    keepFrom: db.prepare<{ now: number; period: number | null; limit: number }>(
      `UPDATE jobs SET has_doubtful_time = 0, kept_from_ms = :now, expires_at_ms = :now + :period
       WHERE serial IN (SELECT serial FROM jobs WHERE has_doubtful_time = 1 ORDER BY serial LIMIT :limit)`,
    ),
    keep: db.prepare<[string]>(
      'UPDATE jobs SET is_kept = 1 WHERE is_kept = 0 AND job_id IN (SELECT value FROM json_each(?))',
    ),
    // The retention of an ended job restarts: nothing is removed on the day it leaves its release.
    giveUp: db.prepare<{ jobs: string; now: number; period: number | null }>(
      `UPDATE jobs SET is_kept = 0, kept_from_ms = iif(completed_at_ms IS NULL, NULL, :now),
         expires_at_ms = iif(completed_at_ms IS NULL, NULL, :now + :period)
       WHERE is_kept = 1 AND job_id NOT IN (SELECT value FROM json_each(:jobs))`,
    ),
    beginAnew: db.prepare<{ before: number; now: number; period: number | null }>(
      `UPDATE jobs SET kept_from_ms = :now, expires_at_ms = :now + :period
       WHERE is_expired = 0 AND is_kept = 0 AND expires_at_ms IS NOT NULL AND expires_at_ms <= :before`,
    ),
    expire: db.prepare<[string]>('UPDATE jobs SET is_expired = 1, stored_bytes = 0 WHERE job_id = ?'),
    selectUndelivered: db
      .prepare<[number], string>(
        `SELECT job_id FROM jobs WHERE state = 'done' AND is_expired = 0 AND output_folder IS NULL AND completed_at_ms > ?
         ORDER BY serial`,
      )
      .pluck(),
    deliver: db.prepare<[string, string]>('UPDATE jobs SET output_folder = ? WHERE job_id = ?'),
    // The song stays here if it is not a copy of the user's file.
    moveOut: db
      .prepare<{ jobId: string; folder: string; sums: string }, 0 | 1>(
        `UPDATE jobs SET output_folder = :folder, delivered_sums = :sums, is_expired = source_path IS NOT NULL,
           stored_bytes = iif(source_path IS NULL, stored_bytes - coalesce(result ->> '$.zip.keptBytes', result ->> '$.zip.sizeBytes'), 0)
         WHERE job_id = :jobId RETURNING is_expired`,
      )
      .pluck(),
    keepAgain: db.prepare<{ jobId: string; bytes: number; now: number; period: number | null }>(
      `UPDATE jobs SET is_expired = 0, stored_bytes = stored_bytes + :bytes, kept_from_ms = :now, expires_at_ms = :now + :period
       WHERE job_id = :jobId`,
    ),
  }
}

/** The finished jobs of an open database. */
export class FinishedJobs {
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(db: Db) {
    this.#statements = prepareStatements(db)
  }

  /** Returns at most `limit` ended jobs that have expired at `nowMs`, the longest expired first. */
  listExpirable(nowMs: number, limit: number): string[] {
    return this.#statements.selectExpirable.all(nowMs, limit)
  }

  /**
   * Returns the number of ended jobs whose files expire before a moment, with their current size and the first expiry; undefined without
   * any.
   */
  expiringBefore(atMs: number): { results: number; sizeBytes: number; firstAtMs: number } | undefined {
    const { results, sizeBytes, firstAtMs } = this.#statements.selectExpiring.get(atMs)!
    return firstAtMs === null ? undefined : { results, sizeBytes: sizeBytes ?? 0, firstAtMs }
  }

  /** Returns the time of the next expiry, milliseconds since 1970; undefined without one. */
  nextExpiryMs(): number | undefined {
    return this.#statements.selectNextExpiry.get() ?? undefined
  }

  /**
   * Visits up to `limit` jobs after a position in the order of creation and gives the ended, unswept ones a new retention period; null for
   * unlimited. Returns the position of the last job, undefined when none were left.
   */
  setRetention(periodMs: number | null, afterSerial: number, limit: number): number | undefined {
    const last = this.#statements.selectLastOfSlice.get(afterSerial, limit) ?? undefined
    if (last !== undefined) this.#statements.replan.run({ period: periodMs, after: afterSerial, last })
    return last
  }

  /** Lets the retention of up to `limit` jobs of a doubtful time count from a moment on; returns how many they were. */
  keepFrom(nowMs: number, periodMs: number | null, limit: number): number {
    return this.#statements.keepFrom.run({ now: nowMs, period: periodMs, limit }).changes
  }

  /** Keeps only the files of these jobs; for jobs no longer kept, the retention period starts at this moment. */
  keepOnly(jobIds: readonly string[], nowMs: number, periodMs: number | null): void {
    const jobs = JSON.stringify(jobIds)
    this.#statements.keep.run(jobs)
    this.#statements.giveUp.run({ jobs, now: nowMs, period: periodMs })
  }

  /** Restarts the retention of all jobs that expire before a moment; returns their number. */
  beginAnew(beforeMs: number, nowMs: number, periodMs: number | null): number {
    return this.#statements.beginAnew.run({ before: beforeMs, now: nowMs, period: periodMs }).changes
  }

  /** Records that result and source are removed; the row stays. */
  markExpired(jobId: string): void {
    this.#statements.expire.run(jobId)
  }

  /** Returns unswept done jobs that ended after a moment and whose masters were not delivered, the oldest first. */
  listUndelivered(endedAfterMs: number): string[] {
    return this.#statements.selectUndelivered.all(endedAfterMs)
  }

  /**
   * Records that the result was moved into a folder, with the SHA-256 of its files other than masters. Returns whether all files of the job
   * are given up, including its song; undefined if the job no longer exists.
   */
  moveOut(jobId: string, folder: string, sums: Readonly<Record<string, string>>): boolean | undefined {
    const isSwept = this.#statements.moveOut.get({ jobId, folder, sums: JSON.stringify(sums) })
    return isSwept === undefined ? undefined : isSwept === 1
  }

  /** Starts a new retention period for files that are kept again, milliseconds since 1970. */
  keepAgain(jobId: string, bytes: number, nowMs: number, periodMs: number | null): void {
    this.#statements.keepAgain.run({ jobId, bytes, now: nowMs, period: periodMs })
  }

  /** Records the output folder of the delivered masters; false if the job no longer exists. */
  setOutputFolder(jobId: string, folder: string): boolean {
    return this.#statements.deliver.run(folder, jobId).changes === 1
  }
}
