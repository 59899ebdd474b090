/** `master FILE`: one ordinary job, followed to its end, and its masters unpacked in the given folder. */
import { openAsBlob } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { ApiError, type CallArguments, errorOf, type FilePart } from '../src-contract/client.ts'
import { type CreatedJob, type Job, REFERENCE_FILES } from '../src-contract/jobs.ts'
import { MAX_UPLOAD_BYTES } from '../src-contract/limits.ts'
import { ACCEPT_ANY } from '../src-contract/song-files.ts'
import type { StemSet } from '../src-contract/stems.ts'
import { errorText } from '../src-contract/text/text.ts'
import type { Input } from './input-file.ts'
import type { Messages } from './messages.ts'
import type { ServiceClient } from './service-client.ts'
import { unpackResult, writableFolder } from './unpack.ts'
import { unusable } from './unusable-input.ts'

/** Time for which the service waits for the end of a job before it reports progress, s. */
const PROGRESS_SECONDS = 1

export interface MasterOptions {
  readonly platforms: string
  readonly out: string
  /** None when absent, as for targets. */
  readonly references?: readonly Input[]
  /** Absolute paths of saved targets. */
  readonly targetPaths?: readonly string[]
  /** True if the song is a ZIP of its stems. False when absent. */
  readonly isOfStems?: boolean
  /** Absolute path of a recipe, or of the report that has it. */
  readonly recipePath?: string
  /** Absolute path of the cover. */
  readonly coverPath?: string
  /** Further text fields of `POST /api/v1/master`, by their wire names. */
  readonly fields: Readonly<Record<string, string>>
}

/** Form of `POST /api/v1/master`, by wire names. */
interface JobForm {
  readonly fields: Record<string, string>
  readonly files: Record<string, FilePart>
}

export interface MasterOutcome {
  readonly job: Job
  /** Absolute paths of the files written below `out`; empty if the job failed. */
  readonly files: readonly string[]
  /** The stored stems; only of a song of stems. */
  readonly stem_set?: StemSet
}

/**
 * Masters `song` and returns the ended job with the files written below `options.out`. Calls `onProgress` whenever the job has advanced. If
 * `signal` aborts, the job is cancelled and refunded, and the cancelled job is the outcome. Throws ApiError if the service refuses the job
 * or nothing can be written to `out`, an Error with the location of the masters if they cannot be unpacked, and the file system's error if
 * a file cannot be read.
 */
export async function masterFile(
  client: ServiceClient,
  song: Input,
  options: MasterOptions,
  onProgress: (job: Job) => void,
  signal: AbortSignal,
  messages: Messages,
): Promise<MasterOutcome> {
  await writableFolder(options.out, messages)
  const form: JobForm = { fields: { platforms: options.platforms, ...options.fields }, files: {} }
  if (options.targetPaths?.length) form.fields.targets = await readTargets(options.targetPaths, messages)
  if (options.recipePath !== undefined)
    form.files.recipe = { content: await openAsBlob(options.recipePath), name: path.basename(options.recipePath) }
  if (options.coverPath !== undefined) {
    const content = await openAsBlob(options.coverPath)
    form.files.cover_file = { content, name: path.basename(options.coverPath) }
  }
  const set = options.isOfStems ? await storeStems(client, form, song) : undefined
  if (!set) await attach(client, form, song, 'file', 'source_id', messages)
  for (const [index, reference] of (options.references ?? []).entries())
    await attach(client, form, reference, REFERENCE_FILES[index]!, index === 0 ? 'reference_source_id' : null, messages)

  const created = await client.call('createJob', form as CallArguments<'createJob'>).catch(async (cause) => {
    // Without a job nothing needs the stems.
    if (set) await client.call('deleteStemSet', { params: { source_id: set.source_id } })
    throw cause
  })
  // The other answer belongs to a dry run, which is not requested.
  const job = await follow(client, (created as CreatedJob).job_id, onProgress, signal)
  const files = job.status === 'done' ? await unpackResult(client, job.job_id, options.out, messages) : []
  return { job, files, ...(set ? { stem_set: set } : {}) }
}

/** Returns saved targets as one list; the service checks them. Throws a sentence for a file that is no JSON. */
export async function readTargets(paths: readonly string[], { master: say }: Messages): Promise<string> {
  const targets: unknown[] = []
  for (const file of paths) {
    try {
      targets.push(JSON.parse(await readFile(file, 'utf8')))
    } catch (cause) {
      throw cause instanceof SyntaxError ? unusable(say.noTarget(file)) : cause
    }
  }
  return JSON.stringify(targets)
}

/** Stores the stems in a ZIP, puts their set into the form and returns it. */
async function storeStems(client: ServiceClient, form: JobForm, { path: file, name }: Input): Promise<StemSet> {
  const { title, accept } = form.fields
  const fields = {
    ...{ kind: 'stems' as const },
    ...(title === undefined ? {} : { title }),
    ...(accept === undefined ? {} : { accept: ACCEPT_ANY as typeof ACCEPT_ANY }),
  }
  const set = await client.call('createStemSet', {
    fields,
    files: { file: { content: await openAsBlob(file), name } },
  })
  form.fields.source_id = set.source_id
  return set
}

/** Puts a file into the form; a file over the upload limit is stored as a source first, as in the application, where there is a field for it. */
async function attach(
  client: ServiceClient,
  form: JobForm,
  { path: file, name }: Input,
  part: string,
  storedAs: string | null,
  messages: Messages,
): Promise<void> {
  const blob = await openAsBlob(file)
  if (blob.size <= MAX_UPLOAD_BYTES || storedAs === null) {
    form.files[part] = { content: blob, name }
    return
  }
  const accept = form.fields.accept === undefined ? {} : { accept: ACCEPT_ANY as typeof ACCEPT_ANY }
  const upload = { fields: { purpose: 'reference' as const, ...accept }, files: { file: { content: blob, name } } }
  const source = await client.call('createSource', upload).catch(refusedAs(part, messages))
  form.fields[storedAs] = source.source_id
}

/** Renames the parameter in a refusal of the service: here the stored file is the `part` of a job. */
function refusedAs(part: string, { language }: Messages): (cause: unknown) => never {
  return (cause) => {
    if (!(cause instanceof ApiError) || !cause.envelope?.error.param?.endsWith('file')) throw cause
    const { error } = cause.envelope
    const values = { ...error.values, param: part, field: part }
    const message = errorText(error.code, values, language)
    throw errorOf({ error: { ...error, message, param: part, values } })
  }
}

async function follow(
  client: ServiceClient,
  jobId: string,
  onProgress: (job: Job) => void,
  signal: AbortSignal,
): Promise<Job> {
  const params = { job_id: jobId }
  const args = { params, query: { wait: PROGRESS_SECONDS } }
  for (let isCancelled = false; ; ) {
    const reading = client.call('readJob', isCancelled ? args : { ...args, signal })
    const job = await reading.catch((cause) => {
      if (isCancelled || !signal.aborted) throw cause
    })
    if (job) onProgress(job)
    if (job && job.status !== 'queued') return job
    if (isCancelled || !signal.aborted) continue
    isCancelled = true
    await client.call('deleteJob', { params, query: { status: 'queued' } })
  }
}
