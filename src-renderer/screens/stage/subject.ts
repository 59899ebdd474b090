/** The song that the stage shows: its masters, or its audition. Pure. */
import type { MasterSettings } from '../../../src-contract/settings.ts'
import { isChangedSince, type SongRow } from '../../state/song-rows.ts'

export type Subject =
  /** A song that is not mastered yet, or whose settings have changed since. */
  | { readonly kind: 'song'; readonly row: SongRow }
  /** The masters of a job. */
  | {
      readonly kind: 'job'
      readonly jobId: string
      /** Another job of the song, heard in the same switch. */
      readonly otherId: string | undefined
      /** Opens with the choice of another version to compare. */
      readonly isChoosing: boolean
      /** The song's row of the list; null for a song outside it. */
      readonly row: SongRow | null
    }

export interface SubjectSources {
  readonly rows: readonly SongRow[]
  /** Rest of an address of a job: the job, optionally a slash and another job, or `compare`. Empty without one. */
  readonly detail: string
  /** The song on the stage without such an address. */
  readonly shownId: string | undefined
  readonly common: MasterSettings | null
  /** The song whose audition plays, until it is paused, or for which a proposal is heard: it stays on the stage. */
  readonly soundingId: string | undefined
}

/** Returns the row of a job's song. */
export const rowOfJob = (rows: readonly SongRow[], jobId: string): SongRow | undefined =>
  rows.find(({ song }) => song?.job_ids.includes(jobId))

/** Returns what the stage shows; null for the list of all songs. */
export function subjectOf({ rows, detail, shownId, common, soundingId }: SubjectSources): Subject | null {
  const [jobId = '', compared] = detail.split('/')
  if (jobId) {
    const isChoosing = compared === 'compare'
    return {
      kind: 'job',
      jobId,
      otherId: isChoosing ? undefined : compared,
      isChoosing,
      row: rowOfJob(rows, jobId) ?? null,
    }
  }
  const row = rows.find(({ rowId }) => rowId === shownId)
  if (!row) return null
  const isMade = (row.kind === 'done' || row.kind === 'below') && row.job && !row.job.expired
  if (!isMade || !row.job || isChangedSince(row, common) || soundingId === row.rowId) return { kind: 'song', row }
  return { kind: 'job', jobId: row.job.job_id, otherId: undefined, isChoosing: false, row }
}
