/** From a multipart request to a submission: its upload, recipe, songs and stems. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyRequest } from 'fastify'
import type { ReferenceFile } from '../../src-contract/jobs.ts'
import { MAX_RECIPE_BYTES, MAX_UPLOAD_BYTES } from '../../src-contract/limits.ts'
import type { Accept } from '../../src-contract/song-files.ts'
import { isOfSong, restOf } from '../../src-contract/stem-likeness.ts'
import type { StemMix } from '../../src-contract/stem-mix-schemas.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import type { StemParts } from '../../src-worker/media/stored-stem.ts'
import { unusable } from '../http/app-error.ts'
import type { Caller } from '../http/route.ts'
import type { InspectCover } from '../uploads/cover.ts'
import { type FormContext, type MasterForm, noFile } from '../uploads/form.ts'
import type { Inspect } from '../uploads/inspect.ts'
import { type ReceivedForm, receiveForm, tooManyBytes } from '../uploads/receive.ts'
import type { Storage } from '../uploads/storage.ts'
import type { Analyse } from './analyse.ts'
import type { MakeMix } from './make-mix.ts'
import { withReferenceTargets } from './reference-targets.ts'
import type { Submission, SubmissionsDeps } from './submit.ts'

export interface SubmissionFormDeps extends Pick<FormContext, 'isStemSet' | 'presetOf' | 'checkWebhookUrl'> {
  readonly inspect: Inspect
  readonly inspectCover: InspectCover
  readonly analyse: Analyse
  /** Returns a stored song, undefined for an unknown one; throws INVALID_REQUEST, naming the field, if its file is gone. */
  readonly takeSource: (sourceId: string, param: SourceField) => StoredSong | undefined
  readonly stemPartsOf: SubmissionsDeps['stemPartsOf']
  readonly makeMix: MakeMix
  readonly clock: Clock
  readonly random: Random
  /** Folder for uploads in progress. */
  readonly tmpFolder: string
  readonly storage: Pick<Storage, 'requireDisk'>
}

/** Fields that name a stored song. */
type SourceField = 'source_id' | 'reference_source_id'

/** Field that may come as a file. */
export const RECIPE_PART = 'recipe'

/** Returns a form whose recipe, if it came as a file, is a text field. Throws INVALID_REQUEST if it is too large or was sent twice. */
async function withRecipeText(upload: ReceivedForm): Promise<ReceivedForm> {
  const { [RECIPE_PART]: part, ...files } = Object.fromEntries(upload.files)
  if (!part) return upload
  if (part.sizeBytes > MAX_RECIPE_BYTES) throw tooManyBytes(RECIPE_PART, MAX_RECIPE_BYTES)
  const texts = [...(upload.fields.get(RECIPE_PART) ?? []), await readFile(part.path, 'utf8')]
  return {
    ...upload,
    fields: new Map([...upload.fields, [RECIPE_PART, texts]]),
    files: new Map(Object.entries(files)),
  }
}

/** Receives the multipart request, hands it to `use` and removes its remaining files. */
export async function withUpload<Outcome>(
  { random, clock, tmpFolder, storage }: Pick<SubmissionFormDeps, 'random' | 'clock' | 'tmpFolder' | 'storage'>,
  { request, signal }: { request: FastifyRequest; signal: AbortSignal },
  files: readonly string[],
  use: (upload: ReceivedForm) => Promise<Outcome>,
): Promise<Outcome> {
  const folder = path.join(tmpFolder, random.newUuid())
  const upload = await receiveForm(request.raw, {
    folder,
    files,
    longText: { name: RECIPE_PART, maxBytes: MAX_RECIPE_BYTES },
    maxFileBytes: MAX_UPLOAD_BYTES,
    requireDisk: storage.requireDisk,
    clock,
    signal,
  })
  try {
    return await use(await withRecipeText(upload))
  } finally {
    await upload.discard()
  }
}

/** Returns the context of a received form for its parser. */
export function formContext(
  { checkWebhookUrl, isStemSet, presetOf }: SubmissionFormDeps,
  caller: Caller,
  upload: ReceivedForm,
): FormContext {
  return { caller, files: new Set(upload.files.keys()), checkWebhookUrl, isStemSet, presetOf }
}

/** Inspects the songs of a parsed form. */
export async function submissionOf(
  deps: SubmissionFormDeps,
  { caller, signal }: { readonly caller: Caller; readonly signal: AbortSignal },
  upload: ReceivedForm,
  { request, accept, batchId, sourceId, referenceSourceId, referenceWeights, stemMix }: MasterForm,
): Promise<Submission> {
  if (stemMix) requireStems(stemMix, sourceId === undefined ? { stems: [] } : deps.stemPartsOf(sourceId))
  const song =
    sourceId === undefined
      ? await inspectPart(deps, upload, 'file', { signal, accept })
      : storedSong(deps, sourceId, 'source_id')
  const reference =
    referenceSourceId !== undefined
      ? storedSong(deps, referenceSourceId, 'reference_source_id')
      : upload.files.has('reference_file')
        ? await inspectPart(deps, upload, 'reference_file', { signal, accept })
        : undefined
  const followed = await withReferenceTargets(request, {
    ...{ analyse: deps.analyse, files: upload.files, weights: referenceWeights, signal },
    inspect: (part) => inspectPart(deps, upload, part, { signal, accept }),
  })
  const sentCover = upload.files.get('cover_file')
  const cover = sentCover && (await deps.inspectCover(sentCover, signal))
  return {
    caller,
    request: followed,
    song,
    ...(reference ? { reference } : {}),
    ...(cover ? { cover } : {}),
    ...(batchId === undefined ? {} : { batchId }),
    ...(sourceId === undefined ? {} : { sourceId }),
    ...(stemMix ? { stemMix } : {}),
  }
}

/** Throws INVALID_REQUEST unless a set has the stems that a mix names, a voice if it is to come forward, and a mix if it is to be restored. */
function requireStems(mix: StemMix, { stems: set, original }: StemParts): void {
  const { voice_forward_db: forwardDb, restore_missing: isRestored, stems = [] } = mix
  if (set.length === 0) throw unusable('stems', { rule: 'needs_set' })
  const unknown = stems.findIndex(({ stem }) => stem > set.length)
  if (unknown >= 0) throw unusable(`stems.stems[${unknown}].stem`, { rule: 'between', least: 1, most: set.length })
  const roles = set.map(({ role }, index) => stems.find(({ stem }) => stem === index + 1)?.role ?? role)
  if (forwardDb !== undefined && !roles.some((role) => role === 'voice' || role === 'backing'))
    throw unusable('stems.voice_forward_db', { rule: 'no_voice' })
  if (isRestored && !(original?.likeness && isOfSong(restOf(original.likeness))))
    throw unusable('stems.restore_missing', { rule: 'no_original' })
}

/** Runs `use` with the mix of the stems as the song, if a submission has one; it is then removed. */
export async function withMix<Outcome>(
  { stemPartsOf, makeMix }: SubmissionFormDeps,
  submission: Submission,
  signal: AbortSignal,
  use: (submission: Submission) => Promise<Outcome>,
): Promise<Outcome> {
  const { stemMix: mix, sourceId, song } = submission
  if (!mix || sourceId === undefined) return use(submission)
  const made = await makeMix({ ...stemPartsOf(sourceId), mix, tags: song.facts.tags }, signal)
  try {
    const { path: file, sha256, sampleRateHz, frames } = made.mix
    const facts = { ...song.facts, sampleRateHz, frames, durationSeconds: frames / sampleRateHz }
    return await use({ ...submission, song: { ...song, path: file, sha256, facts } })
  } finally {
    await made.discard()
  }
}

/** Inspects a song of the form. Throws INVALID_REQUEST without one, and as the inspection does. */
export function inspectPart(
  deps: SubmissionFormDeps,
  upload: ReceivedForm,
  field: 'file' | ReferenceFile,
  { signal, accept }: { readonly signal: AbortSignal; readonly accept: Accept },
) {
  const file = upload.files.get(field)
  if (!file) throw noFile(upload.fields)
  return deps.inspect(file, field, signal, accept)
}

function storedSong(deps: SubmissionFormDeps, sourceId: string, param: SourceField): StoredSong {
  const song = deps.takeSource(sourceId, param)
  if (!song) throw unusable(param, { rule: 'unknown_song' })
  return song
}
