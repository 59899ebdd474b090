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
    /** Jobs of stored songs that have not ended. */
    countUnfinishedOfSources: (): number => unfinishedOfSources.get() ?? 0,
    /** Identifiers of the jobs of a stored song, the newest first. */
    listOfSource: (sourceId: string): string[] => ofSource.all(sourceId),
    /** Those of them that have not ended, the oldest first. */
    listUnfinishedOfSource: (sourceId: string): string[] => unfinishedOfSource.all(sourceId),
    /** Stored songs of whose jobs every one has been swept. */
    listSweptSources: (): string[] => sweptSources.all(),
    /** Whether a stored song has a job of this batch, ended or not. */
    isInBatch: (sourceId: string, batchId: string): boolean => ofSourceInBatch.get(sourceId, batchId) !== undefined,
  }
}
