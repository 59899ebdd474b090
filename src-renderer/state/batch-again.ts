/** Mastering songs again: songs of ended jobs come back to the batch. */
import type { StoreApi } from 'zustand/vanilla'
import type { BatchSong } from '../../src-contract/app.ts'
import { ApiError, type Client } from '../../src-contract/client.ts'
import { ERRORS, type ErrorCode } from '../../src-contract/errors.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { OWN_METADATA_NAMES, type OwnMetadata } from '../../src-contract/metadata.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import type { BatchState } from './batch-state.ts'
import { settingsOf } from './jobs.ts'
import type { NoticesActions } from './notices.ts'
import { isNotReached } from './refusal.ts'

/** Operations on the batch that mastering again uses. */
export interface AgainBatch {
  readonly songOf: (sourceId: string) => BatchSong | undefined
  /** Restores a removed song. Throws ApiError: NOT_FOUND if the batch has forgotten it. */
  readonly restore: (sourceId: string) => Promise<void>
  /** Sends a file to the batch with its settings and metadata, and returns the id of its row. */
  readonly add: (file: File, settings: MasterSettings, metadata: OwnMetadata) => string
  /** Removes a row for good. */
  readonly takeOff: (rowId: string) => void
  readonly changeSettings: (sourceId: string, settings: MasterSettings | null) => void
  /** Marks, or unmarks, the song of an ended job for mastering again. */
  readonly mark: (jobId: string, isAgain: boolean) => void
  /**
   * Shows a reference as on its way to the settings of a row, and sends it once it is read. Throws the error of `read`
   * or of the upload.
   */
  readonly fetchReference: (filename: string, rowId: string, read: () => Promise<File>) => Promise<void>
  /** Called with each row once it is back, before its reference is. */
  readonly onBack: (rowId: string) => void
}

export interface MasterAgainDeps {
  readonly client: Pick<Client, 'open'>
  readonly store: StoreApi<BatchState>
  readonly notices: NoticesActions
  readonly clearFailure: () => void
}

/**
 * Creates the action that returns the songs of ended jobs to the batch, ready to start with their former settings. A single song is
 * selected, and later changes apply to it alone. It resolves once their references are back too. Only starting spends credits; the toast
 * undoes the action. A song no longer in the batch is sent again from the files of its job. `text` receives the title of the first song,
 * the number of others, and whether the reference of any is gone. Throws ApiError: RESULT_EXPIRED for a song that is stored nowhere,
 * STEMS_GONE for a mix whose stems are gone.
 */
export function createMasterAgain(deps: MasterAgainDeps, batch: Omit<AgainBatch, 'onBack'>) {
  const { client, store, notices, clearFailure } = deps
  return async (
    jobs: readonly Job[],
    text: (title: string, others: number, isReferenceGone: boolean) => string,
  ): Promise<void> => {
    clearFailure()
    let isFirst = true
    const onBack = (rowId: string) => {
      if (isFirst) store.setState({ broughtBackId: rowId })
      isFirst = false
      if (jobs.length === 1)
        store.setState({
          selection: { ids: [rowId], anchorId: rowId },
          // It keeps the delivery of its job: later changes apply to this song alone.
          scope: { sound: 'selected', delivery: 'selected' },
        })
    }
    const { back, error } = await bringBack(jobs, client, { ...batch, onBack })
    const [first] = back
    if (first) {
      const isReferenceGone = back.some((song) => song.isReferenceGone)
      notices.show({
        text: text(first.title, back.length - 1, isReferenceGone),
        undo: () => {
          for (const song of back) song.undo()
        },
      })
    }
    if (error) throw error
  }
}

/** A song brought back. */
export interface BroughtBack {
  readonly rowId: string
  readonly title: string
  /** The reference it was mastered with is no longer stored. */
  readonly isReferenceGone: boolean
  readonly undo: () => void
}

/** Returns the newest job of each song, in the given order: the batch has one set of settings per song. Pure. */
function newestOfEachSong(jobs: readonly Job[]): readonly Job[] {
  const newest = new Map<string, Job>()
  for (const job of jobs.toSorted((a, b) => b.created_at.localeCompare(a.created_at))) {
    const song = job.source_id ?? job.job_id
    if (!newest.has(song)) newest.set(song, job)
  }
  return jobs.filter((job) => newest.get(job.source_id ?? job.job_id) === job)
}

const isOneOf = (error: unknown, codes: readonly string[]) => error instanceof ApiError && codes.includes(error.code)

/** A row ready to start, with the settings of its job except the reference. */
interface BackRow extends Pick<BroughtBack, 'rowId' | 'undo'> {
  /**
   * Resolves to whether the reference is no longer stored. Rejects if that is unknown now; the row has been removed
   * again by then.
   */
  readonly reference: Promise<boolean>
}

/**
 * Returns the songs of ended jobs to the batch, each once and with the settings of its newest job: from the batch
 * itself, or sent again from the files of the job. A song of the batch is ready before any request is made. Returns the
 * songs brought back, in the given order, and the first error. Never throws.
 */
async function bringBack(
  jobs: readonly Job[],
  client: Pick<Client, 'open'>,
  batch: AgainBatch,
): Promise<{ readonly back: readonly BroughtBack[]; readonly error?: unknown }> {
  const chosen = newestOfEachSong(jobs)
  const there = new Map(
    chosen.flatMap((job) => {
      const song = batch.songOf(job.source_id ?? '')
      return song ? [[job, takeUpAgain(job, song, () => undefined, client, batch)] as const] : []
    }),
  )
  const back: BroughtBack[] = []
  let error: unknown
  for (const job of chosen) {
    try {
      const { rowId, undo, reference } = there.get(job) ?? (await bringMissing(job, client, batch))
      back.push({ rowId, title: job.title, undo, isReferenceGone: await reference })
    } catch (cause) {
      error ??= cause
    }
  }
  return { back, ...(error ? { error } : {}) }
}

/** Makes a song of the batch ready again; `alsoUndo` runs in addition when this is undone. */
function takeUpAgain(
  job: Job,
  song: BatchSong,
  alsoUndo: () => void,
  client: Pick<Client, 'open'>,
  batch: AgainBatch,
): BackRow {
  const rowId = song.source.source_id
  const newestId = song.job_ids[0] ?? ''
  batch.changeSettings(rowId, settingsOf(job))
  batch.mark(newestId, true)
  batch.onBack(rowId)
  return withReference(job, rowId, client, batch, () => {
    batch.mark(newestId, false)
    batch.changeSettings(rowId, song.settings)
    alsoUndo()
  })
}

/** Brings back a song that is not in the batch. Throws ApiError: RESULT_EXPIRED if it is stored nowhere, STEMS_GONE for a mix of stems. */
async function bringMissing(job: Job, client: Pick<Client, 'open'>, batch: AgainBatch): Promise<BackRow> {
  const song = await restored(job.source_id, batch)
  if (song) return takeUpAgain(job, song, () => batch.takeOff(song.source.source_id), client, batch)
  // The song of the job is the plain sum: its mix would be lost silently.
  if (job.stem_mix) throw new ApiError({ code: 'STEMS_GONE' })
  const rowId = batch.add(await readKept(client, job, 'source', job.filename), settingsOf(job), metadataOf(job))
  batch.onBack(rowId)
  return withReference(job, rowId, client, batch, () => batch.takeOff(rowId))
}

/** Starts fetching the reference of a returned row; if it cannot be requested, the row is removed again. */
function withReference(
  job: Job,
  rowId: string,
  client: Pick<Client, 'open'>,
  batch: AgainBatch,
  undo: () => void,
): BackRow {
  const { reference_filename: filename } = job
  const fetched = filename
    ? batch.fetchReference(filename, rowId, () => readKept(client, job, 'reference', filename))
    : Promise.resolve()
  const reference = fetched.then(
    () => false,
    (error: unknown) => {
      if (isGone(error)) return true
      undo()
      throw error
    },
  )
  // Several are awaited one after another.
  reference.catch(() => undefined)
  return { rowId, undo, reference }
}

/** Returns the metadata of a job's song, as written by hand or found in its file. */
function metadataOf(job: Job): OwnMetadata {
  return Object.fromEntries(OWN_METADATA_NAMES.flatMap((name) => (job[name] ? [[name, job[name]]] : [])))
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

/** Returns whether a reference is unavailable for good: no longer stored with its job, or no longer accepted. */
const isGone = (error: unknown) =>
  error instanceof ApiError &&
  !isNotReached(error.code) &&
  error.code in ERRORS &&
  !ERRORS[error.code as ErrorCode].retryable

/** Restores a song removed from the batch; undefined if the batch has forgotten it. */
async function restored(sourceId: string | undefined, batch: AgainBatch): Promise<BatchSong | undefined> {
  if (!sourceId) return undefined
  try {
    await batch.restore(sourceId)
  } catch (error) {
    // A removed song is forgotten after a day; its job still has it.
    if (!isOneOf(error, ['NOT_FOUND'])) throw error
  }
  return batch.songOf(sourceId)
}
