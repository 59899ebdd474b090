/** Endpoints of sets of stems. */
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { cleanName } from '../../src-contract/clean-name.ts'
import { MAX_TITLE_LENGTH } from '../../src-contract/limits.ts'
import { MAX_STEM_SET_BYTES, MAX_STEMS } from '../../src-contract/stem-limits.ts'
import { rolesOfNames, titleOfStems } from '../../src-contract/stem-roles.ts'
import { stemEndpoints } from '../../src-contract/stems.ts'
import { warningText } from '../../src-contract/text/text.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { StemMixDone, StemMixOrder } from '../../src-worker/mastering/work-order.ts'
import type { SongTags } from '../../src-worker/media/audio-facts.ts'
import type { StemParts } from '../../src-worker/media/stored-stem.ts'
import { retryWhileLocked } from '../db/retry-locked.ts'
import { AppError, unusable } from '../http/app-error.ts'
import { type Caller, route } from '../http/route.ts'
import { ignoredFields, readAccept, requireNoText } from '../uploads/form.ts'
import type { Inspect, InspectedSong } from '../uploads/inspect.ts'
import { type ReceivedFile, type ReceivedForm, receiveForm } from '../uploads/receive.ts'
import type { Storage } from '../uploads/storage.ts'
import type { CoverOf } from './song-cover.ts'
import type { Sources, StoredSource } from './sources.ts'
import type { NewStemSet } from './stem-sets.ts'
import { requireCount, requireSetSize, unusableStems, unzipStems } from './stem-zip.ts'

export interface StemRoutesDeps {
  readonly sources: Sources
  /** Stores a set of the application among the songs of its batch. */
  readonly addToBatch: (store: () => string) => string
  /** Removes stored songs and their files. */
  readonly removeSources: (sourceIds: readonly string[]) => void
  /** Mixes stems into a file, which the caller moves or discards. */
  readonly makeMix: (
    order: StemParts & Pick<StemMixOrder, 'tags' | 'cover'>,
    signal: AbortSignal,
  ) => Promise<Pick<StemMixDone, 'mix'> & { discard(): Promise<void> }>
  readonly coverOf: CoverOf
  readonly inspect: Inspect
  readonly storage: Storage
  readonly isStillAllowed: (caller: Caller) => boolean
  readonly clock: Clock
  readonly random: Pick<Random, 'newUuid'>
  /** Folder for uploads in progress, on the disk of the stored songs. */
  readonly tmp: string
}

/** Longest field name in a note; longer ones are cut. */
const MAX_SHOWN_NAME = 100

/** Serves the sets of stems. */
export function stemRoutes(app: FastifyInstance, deps: StemRoutesDeps): void {
  const { sources, storage, clock, random, tmp } = deps
  const { stems: sets } = sources
  const found = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new AppError('NOT_FOUND')
    return value
  }
  route(app, stemEndpoints.createStemSet, async ({ request, caller, signal, language }) => {
    // Checked before the body is read.
    if (caller.via === 'key') sets.requireRoom(Number(request.headers['content-length'] ?? 0))
    const form = await receiveForm(request.raw, {
      folder: path.join(tmp, random.newUuid()),
      files: ['file', 'original'],
      repeated: { name: 'stems', most: MAX_STEMS },
      maxFileBytes: MAX_STEM_SET_BYTES,
      maxTotalBytes: MAX_STEM_SET_BYTES,
      requireDisk: storage.requireDisk,
      clock,
      signal,
    })
    try {
      const isInBatch = readFlag(form, 'add_to_batch')
      if (isInBatch && caller.via === 'key') throw unusable('add_to_batch', { rule: 'session_only' })
      if (!isInBatch) sets.requireRoom(0)
      const made = await makeSet(deps, form, songOf(deps, form, caller), signal)
      try {
        if (!deps.isStillAllowed(caller)) throw new AppError('INVALID_API_KEY')
        const { sum, stems, original } = made.set
        const files = [sum, ...stems, ...(original ? [original.song] : [])]
        const store = () => {
          const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
          if (!isInBatch) sets.requireRoom(bytes)
          storage.require(bytes, 0)
          return sets.add({ ...made.set, isInBatch })
        }
        const sourceId = await retryWhileLocked(clock, () => {
          sources.announce(files)
          return isInBatch ? deps.addToBatch(store) : store()
        })
        const set = found(sets.show(sourceId, language))
        const ignored = ignoredFields(form.fields, stemEndpoints.createStemSet.form).map((field) =>
          warningText('IGNORED_FIELD', { field: field.slice(0, MAX_SHOWN_NAME) }, language),
        )
        const body = { ...set, notes: [...ignored, ...set.notes] }
        return { status: 201, body, headers: { location: `/api/v1/sources/${sourceId}` } } as const
      } finally {
        await made.discard()
      }
    } finally {
      await form.discard()
    }
  })
  route(app, stemEndpoints.listStemSets, ({ language }) => ({ status: 200, body: { sources: sets.list(language) } }))
  route(app, stemEndpoints.readStemSet, ({ params, language }) => ({
    status: 200,
    body: found(sets.show(params.source_id, language)),
  }))
  route(app, stemEndpoints.deleteStemSet, ({ params }) => {
    if (!sets.isRemovable(params.source_id)) throw new AppError('NOT_FOUND')
    deps.removeSources([params.source_id])
    return { status: 200, body: { deleted: true } } as const
  })
}

/** Makes the sum of received stems; `discard` removes what was not stored. */
async function makeSet(
  deps: StemRoutesDeps,
  form: ReceivedForm,
  song: (StoredSource & { readonly title: string }) | undefined,
  signal: AbortSignal,
): Promise<{ readonly set: Omit<NewStemSet, 'isInBatch'>; discard(): Promise<void> }> {
  const title = readFields(form)
  const accept = readAccept(form.fields)
  const zip = form.files.get('file')
  const files = zip
    ? await unzipStems(zip.path, zip.sizeBytes, {
        ...{ folder: path.dirname(zip.path), requireDisk: deps.storage.requireDisk, signal },
        ...(accept ? { accept } : {}),
      })
    : form.repeated
  const sent = form.files.get('original')
  requireSetSize([...files, ...(sent ? [sent] : [])].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0))
  const inspected: InspectedSong[] = []
  for (const file of files) inspected.push(await inspectStem(deps, file, signal, accept))
  const { stems, mix } = rolesOf(inspected, sent && (await inspectStem(deps, sent, signal, accept)))
  requireCount(stems.length)
  const original = mix ?? song
  const songTitle =
    title ?? song?.title ?? (titleOfStems((zip ? [zip] : stems).map(({ filename }) => filename)) || undefined)
  const tags = {
    ...commonTags(stems),
    ...(song ?? original)?.facts.tags,
    ...(songTitle === undefined ? {} : { title: songTitle }),
  }
  const labelled = { tags, ...(original ? { cover: song ?? original } : {}) }
  const compared = original ? { original: { file: { ...original, role: 'other' as const } } } : {}
  const made = await deps.makeMix({ stems, ...compared, ...labelled }, signal)
  try {
    const { path: file, sizeBytes, sha256, silent, waveforms, likeness } = made.mix
    const summed = { path: file, filename: `${songTitle ?? 'Stems'}.wav`, sizeBytes, sha256 }
    const sum = await deps.inspect(summed, 'file', signal)
    const cover = await deps.coverOf(sum, signal)
    const set = {
      sum: { ...sum, ...(cover ? { cover } : {}) },
      stems: stems.map((stem, index) => ({ ...stem, isSilent: silent.includes(index), waveform: waveforms[index]! })),
      ...(original ? { original: { song: original, likeness } } : {}),
    }
    return { set, discard: made.discard }
  } catch (error) {
    await made.discard()
    throw error
  }
}

/** Returns the stems among the files of a set with their roles, and its full mix: the one sent or named as such. */
function rolesOf(files: readonly InspectedSong[], sent: InspectedSong | undefined) {
  const roles = rolesOfNames(files.map(({ filename }) => filename))
  const mixes = [...(sent ? [sent] : []), ...files.filter((_, index) => roles[index] === 'mix')]
  const [mix, second] = mixes
  if (mix && second) throw unusableStems('two_mixes', { name: mix.filename, other: second.filename })
  const stems = files.flatMap((song, index) => {
    const role = roles[index]
    return role === 'mix' ? [] : [{ ...song, role: role ?? ('other' as const) }]
  })
  return { stems, mix }
}

/** Returns the stored song whose stems a form of the application has; undefined if it names none. */
function songOf({ sources }: StemRoutesDeps, { fields }: ReceivedForm, caller: Caller) {
  const [sourceId, ...others] = fields.get('original_source_id') ?? []
  if (sourceId === undefined) return undefined
  if (caller.via === 'key') throw unusable('original_source_id', { rule: 'session_only' })
  if (others.length > 0) throw unusable('original_source_id', { rule: 'once' })
  const song = sources.take(sourceId, 'source_id')
  if (!song) throw unusable('original_source_id', { rule: 'unknown_song' })
  return { ...song, title: sources.show(sourceId)!.title }
}

function readFlag({ fields }: ReceivedForm, param: string): boolean {
  const [value = 'false', ...others] = fields.get(param) ?? []
  if (others.length > 0 || (value !== 'true' && value !== 'false')) throw unusable(param, { rule: 'flag' })
  return value === 'true'
}

/** Returns the title that a form gives; throws INVALID_REQUEST for other fields. */
function readFields({ fields, files, repeated }: ReceivedForm): string | undefined {
  const kinds = fields.get('kind') ?? []
  if (kinds.length !== 1 || kinds[0]?.trim() !== 'stems') throw unusable('kind', { rule: 'one_of', words: ['stems'] })
  requireNoText(fields, ['file', 'stems', 'original'])
  if (!files.has('file') && repeated.length === 0)
    throw unusable('stems', { rule: 'file_part', names: ['file', 'stems'] })
  if (files.has('file') && repeated.length > 0) throw unusable('stems', { rule: 'zip_or_stems' })
  const titles = fields.get('title') ?? []
  if (titles.length > 1) throw unusable('title', { rule: 'once' })
  const title = cleanName(titles[0] ?? '')
  if ([...title].length > MAX_TITLE_LENGTH)
    throw unusable('title', { rule: 'characters_at_most', limit: MAX_TITLE_LENGTH })
  return title || undefined
}

/** Inspects a stem as a song; its refusal names the stem. */
async function inspectStem(
  { inspect }: StemRoutesDeps,
  file: ReceivedFile,
  signal: AbortSignal,
  accept: Parameters<Inspect>[3],
): Promise<InspectedSong> {
  return inspect(file, 'file', signal, accept).catch((cause: unknown) => {
    if (!(cause instanceof AppError)) throw cause
    const { filename: name } = file
    if (cause.code === 'UNSUPPORTED_FORMAT')
      throw unusableStems('unusable_stem', { name, format: cause.values.reason ?? '' })
    if (cause.code === 'FILE_TOO_LONG')
      throw unusableStems('long_stem', { name, duration: cause.values.duration ?? '' })
    throw cause
  })
}

/** Returns the tags that all stems have with one value, without those of the stem itself. */
function commonTags(stems: readonly InspectedSong[]): SongTags {
  const [first, ...others] = stems.map(({ facts }) => facts.tags)
  const { title: _title, track: _track, other: _other, isrc: _isrc, comment: _comment, ...shared } = first ?? {}
  const isShared = ([name, value]: [string, unknown]) =>
    others.every((tags) => tags[name as keyof typeof tags] === value)
  return Object.fromEntries(Object.entries(shared).filter(isShared))
}
