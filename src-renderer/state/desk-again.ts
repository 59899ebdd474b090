/** Mastering songs once more: how those of ended jobs come back to the desk. */
import type { DeskSong, MasterSettings } from '../../src-server/contract/app.ts'
import type { Job } from '../../src-server/contract/jobs.ts'
import { ApiError, type Client } from '../api/client.ts'
import { settingsOf } from './jobs.ts'

/** What is done to the desk for it. */
export interface AgainDesk {
  readonly songOf: (sourceId: string) => DeskSong | undefined
  /** Puts a song back that was taken off. Throws ApiError: NOT_FOUND where the desk has forgotten it. */
  readonly restore: (sourceId: string) => Promise<void>
  /** Sends a file to the desk with its settings and answers the id of its row. */
  readonly add: (file: File, settings: MasterSettings) => string
  /** Takes a row off for good. */
  readonly takeOff: (rowId: string) => void
  readonly changeSettings: (sourceId: string, settings: MasterSettings | null) => void
  /** Notes, or no longer, that the song of an ended job is to be mastered once more. */
  readonly mark: (jobId: string, isAgain: boolean) => void
  /** Sends the reference of a song and answers its source_id; null where it was not taken. */
  readonly takeReference: (file: File) => Promise<string | null>
}

/** A song that came back. */
export interface BroughtBack {
  readonly rowId: string
  readonly title: string
  /** The reference that it was mastered with is kept no more. */
  readonly isReferenceGone: boolean
  readonly undo: () => void
}

/** Returns the newest job of each song, in the given order: the desk holds a song with one way to master it. Pure. */
function newestOfEachSong(jobs: readonly Job[]): readonly Job[] {
  const newest = new Map<string, Job>()
  for (const job of jobs.toSorted((a, b) => b.created_at.localeCompare(a.created_at))) {
    const song = job.source_id ?? job.job_id
    if (!newest.has(song)) newest.set(song, job)
  }
  return jobs.filter((job) => newest.get(job.source_id ?? job.job_id) === job)
}

const isOneOf = (error: unknown, codes: readonly string[]) => error instanceof ApiError && codes.includes(error.code)

/**
 * Puts the songs of ended jobs among those that can be started, each once and as its newest job made it: from the desk, or sent anew from
 * what the job has kept. Returns those that came back; `error` is the ApiError for which the others did not, RESULT_EXPIRED where a song
 * is kept nowhere. Never throws.
 */
export async function bringBack(
  jobs: readonly Job[],
  client: Pick<Client, 'open'>,
  desk: AgainDesk,
): Promise<{ readonly back: readonly BroughtBack[]; readonly error?: unknown }> {
  const back: BroughtBack[] = []
  try {
    for (const job of newestOfEachSong(jobs)) back.push(await bringBackOne(job, client, desk))
    return { back }
  } catch (error) {
    return { back, error }
  }
}

async function bringBackOne(job: Job, client: Pick<Client, 'open'>, desk: AgainDesk): Promise<BroughtBack> {
  const wasThere = desk.songOf(job.source_id ?? '') !== undefined
  const { title } = job
  const { settings, isReferenceGone } = await settingsAgain(job, client, desk)
  const song = await songAgain(job.source_id, desk)
  if (!song) {
    const rowId = desk.add(await readKept(client, job, 'source', job.filename), settings)
    return { rowId, title, isReferenceGone, undo: () => desk.takeOff(rowId) }
  }
  const rowId = song.source.source_id
  const newestId = song.job_ids[0] ?? ''
  desk.changeSettings(rowId, settings)
  desk.mark(newestId, true)
  const undo = () => {
    desk.mark(newestId, false)
    desk.changeSettings(rowId, song.settings)
    if (!wasThere) desk.takeOff(rowId)
  }
  return { rowId, title, isReferenceGone, undo }
}

async function readKept(
  client: Pick<Client, 'open'>,
  { job_id }: Job,
  file: 'source' | 'reference',
  filename: string,
): Promise<File> {
  const answer = await client.open('readJobFile', { params: { job_id, file } })
  return new File([await answer.blob()], filename)
}

async function settingsAgain(job: Job, client: Pick<Client, 'open'>, desk: AgainDesk) {
  const settings = settingsOf(job)
  if (!job.reference_filename) return { settings, isReferenceGone: false }
  try {
    const reference = await readKept(client, job, 'reference', job.reference_filename)
    const reference_source_id = await desk.takeReference(reference)
    return { settings: { ...settings, reference_source_id }, isReferenceGone: reference_source_id === null }
  } catch (error) {
    if (!isOneOf(error, ['NOT_FOUND', 'RESULT_EXPIRED'])) throw error
    return { settings, isReferenceGone: true }
  }
}

/** The song on the desk, put back there where it was taken off; undefined where the desk has forgotten it. */
async function songAgain(sourceId: string | undefined, desk: AgainDesk): Promise<DeskSong | undefined> {
  if (!sourceId) return undefined
  if (!desk.songOf(sourceId)) {
    try {
      await desk.restore(sourceId)
    } catch (error) {
      // A song that was taken off is forgotten after a day; its job has kept it.
      if (!isOneOf(error, ['NOT_FOUND'])) throw error
    }
  }
  return desk.songOf(sourceId)
}
