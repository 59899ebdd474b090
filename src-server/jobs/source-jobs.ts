/** Queries of jobs by the stored song they were made of. SQL only, no rules. */
import type { Db } from '../db/open.ts'
import { UNFINISHED } from './unfinished.ts'

/** Creates the queries over an open database. */
export function createSourceJobs(db: Db) {
  const unfinishedOfSources = db
    .prepare<[], number>(`SELECT count(*) FROM jobs WHERE source_id IS NOT NULL AND ${UNFINISHED}`)
    .pluck()
  const ofSource = db
    .prepare<[string], string>('SELECT job_id FROM jobs WHERE source_id = ? ORDER BY serial DESC')
    .pluck()
  const unfinishedOfSource = db
    .prepare<[string], string>(`SELECT job_id FROM jobs WHERE source_id = ? AND ${UNFINISHED} ORDER BY serial`)
    .pluck()
  const sweptSources = db
    .prepare<[], string>(
      'SELECT source_id FROM jobs WHERE source_id IS NOT NULL GROUP BY source_id HAVING min(is_expired) = 1',
    )
    .pluck()
  const ofSourceInBatch = db
    .prepare<[string, string], number>('SELECT 1 FROM jobs WHERE source_id = ? AND batch_id = ?')
    .pluck()

  return {
    /** Returns the number of unfinished jobs of stored songs. */
    countUnfinishedOfSources: (): number => unfinishedOfSources.get() ?? 0,
    /** Returns the identifiers of the jobs of a stored song, newest first. */
    listOfSource: (sourceId: string): string[] => ofSource.all(sourceId),
    /** Returns the identifiers of its unfinished jobs, oldest first. */
    listUnfinishedOfSource: (sourceId: string): string[] => unfinishedOfSource.all(sourceId),
    /** Returns the stored songs whose jobs have all expired. */
    listSweptSources: (): string[] => sweptSources.all(),
    /** Returns whether a stored song has a job of this batch, ended or not. */
    isInBatch: (sourceId: string, batchId: string): boolean => ofSourceInBatch.get(sourceId, batchId) !== undefined,
  }
}
