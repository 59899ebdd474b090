/** Validation of the text fields of a multipart request. Pure. */
import type { Static, TSchema } from 'typebox'
import { cleanName } from '../../src-contract/clean-name.ts'
import { exactly, UUID_PATTERN } from '../../src-contract/common.ts'
import type { MasterTargets } from '../../src-contract/delivery-target.ts'
import type { Form } from '../../src-contract/endpoint.ts'
import { MasterFields, REFERENCE_FILES, type RetryChanges } from '../../src-contract/jobs.ts'
import {
  DEFAULT_PREVIEW_SECONDS,
  MAX_CLIENT_METADATA_BYTES,
  MAX_CLIENT_REFERENCE_LENGTH,
  MAX_DURATION_SECONDS,
  MAX_PREVIEW_SECONDS,
  MAX_REFERENCES,
  MAX_TITLE_LENGTH,
  MIN_PREVIEW_SECONDS,
} from '../../src-contract/limits.ts'
import type { SongMetadata } from '../../src-contract/metadata.ts'
import { PLATFORMS, type Platform } from '../../src-contract/platforms/index.ts'
import { WrittenRecipe } from '../../src-contract/recipe-schemas.ts'
import { SavedTarget, SavedTargets } from '../../src-contract/saved-targets.ts'
import { besideRecipe, recipeFault, recipeIn, SOUND_OF_RECIPE, withRecipe } from '../../src-contract/sent-recipe.ts'
import {
  type AiService,
  EDGE_NAMES,
  type JobSettings,
  jobSettings,
  SETTINGS,
  type SettingName,
} from '../../src-contract/settings.ts'
import { ACCEPT_ANY, type Accept } from '../../src-contract/song-files.ts'
import type { KnownLikeness } from '../../src-contract/stem-likeness.ts'
import { chosenMix } from '../../src-contract/stem-mix.ts'
import { type StemMix, StemMix as StemMixSchema, type StemRest } from '../../src-contract/stem-mix-schemas.ts'
import { withStyle } from '../../src-contract/styles.ts'
import type { Detail } from '../../src-contract/text/details.ts'
import type { Joined, JoinedSong } from '../../src-worker/media/joined.ts'
import type { StoredStem } from '../../src-worker/media/stored-stem.ts'
import { AppError, invalidRequest, unusable } from '../http/app-error.ts'
import { type Caller, checked } from '../http/route.ts'
import { changedMetadata, readMetadata } from './metadata.ts'

/** Request of one job: its settings, and the names of its masters. */
export interface MasterRequest {
  readonly settings: JobSettings
  readonly title?: string
  readonly artist?: string
  /** Metadata of the request; absent without any. */
  readonly metadata?: SongMetadata
  readonly webhookUrl?: string
  /** Reference and data that the client keeps with its job. */
  readonly clientReference?: string
  readonly clientMetadata?: Readonly<Record<string, unknown>>
  /** Targets of single masters that override the settings, as in a record. */
  readonly masterTargets?: MasterTargets
  /** Absent unless the song is sent as stems. */
  readonly stems?: RequestedStems
  /** Songs joined with it in mastering, without their paths. */
  readonly joined?: Joined<Omit<JoinedSong, 'path'>>
}

/** Stems of a song: with a mix, their files without their paths, in the order of their numbers. */
export interface RequestedStems {
  /** Rest of the song's stereo mix after their sum is subtracted. */
  readonly rest?: StemRest
  readonly count: number
  readonly mix?: {
    readonly settings: StemMix
    readonly files: readonly Omit<StoredStem, 'path'>[]
    /** Stereo mix of the song, from which the mix restores what the stems lack; its file comes after theirs. */
    readonly original?: { readonly file: Omit<StoredStem, 'path'>; readonly likeness: KnownLikeness }
  }
}

/** Text fields of a `POST /api/v1/master`. */
export interface MasterForm {
  readonly request: MasterRequest
  readonly isDryRun: boolean
  readonly accept?: Accept
  readonly batchId?: string
  readonly sourceId?: string
  readonly referenceSourceId?: string
  /** Weights of the reference files, in their order; all alike when absent. */
  readonly referenceWeights?: readonly number[]
  /** Mix of the stems; absent for their sum. */
  readonly stemMix?: StemMix
}

/** Every value that each field was sent with, in order. */
export type FieldValues = ReadonlyMap<string, readonly string[]>

/** Context of a form besides its text fields. */
export interface FormContext {
  readonly caller: Caller
  /** Names of the file parts that came. */
  readonly files: ReadonlySet<string>
  /** Returns whether a stored song is a set of stems: programs may use only those. */
  readonly isStemSet: (sourceId: string) => boolean
  /** Returns the settings of a preset; undefined for an unknown one. */
  readonly presetOf: (name: string) => JobSettings | undefined
  /** Throws INVALID_WEBHOOK_URL. */
  readonly checkWebhookUrl: (url: string) => void
}

const UUID = new RegExp(UUID_PATTERN)

const FORM_SETTINGS = Object.keys(MasterFields.properties).filter((name): name is SettingName => name in SETTINGS)

/**
 * Parses the form. Order of the checks: single fields, platforms, webhook_url. Unknown fields are ignored and an empty optional one is
 * absent. Throws INVALID_REQUEST with the field, INVALID_PLATFORM or INVALID_WEBHOOK_URL.
 */
export function readMasterForm(fields: FieldValues, context: FormContext): MasterForm {
  const songs = readSongs(fields, context)
  requireNoText(fields, [...REFERENCE_FILES, 'cover_file'])
  // Alone or inside its report.
  const recipe = readJson(fields, 'recipe', WrittenRecipe, { read: recipeIn })
  const references = REFERENCE_FILES.filter((part) => context.files.has(part))
  const weights = readWeights(fields, references.length)
  const targets = readJson(fields, 'targets', SavedTargets, { form: 'list' })
  const preset = readPreset(fields, context)
  const named = { ...readSettings(fields, FORM_SETTINGS), ...given({ targets }) }
  const settings = fromPreset(preset, { ...named, ...given({ recipe }) })
  const [reference = songs.referenceSourceId === undefined ? undefined : 'reference_source_id'] = references
  if (settings.recipe && reference) throw unusable(reference, { rule: 'beside_recipe' })
  const count = references.length + (songs.referenceSourceId === undefined ? 0 : 1)
  requireReferences(named, settings, count)
  const title = name(fields, 'title')
  const artist = name(fields, 'artist')
  const metadata = readMetadata((field) => single(fields, field))
  const batchId = uuid(fields, 'batch_id')
  const clientReference = textOf(fields, 'client_reference', MAX_CLIENT_REFERENCE_LENGTH)
  const clientMetadata = jsonObject(fields, 'metadata')
  const isDryRun = flag(fields, 'dry_run')
  const accept = readAccept(fields)
  const webhookUrl = single(fields, 'webhook_url')
  const platforms = readPlatforms(fields.get('platforms') ?? [], bracketed(fields, 'platforms'))
  if (webhookUrl !== undefined) context.checkWebhookUrl(webhookUrl)
  const own = { title, artist, metadata: unlessEmpty(metadata), webhookUrl, clientReference, clientMetadata }
  return {
    request: { settings: jobSettings({ platforms, ...settings }), ...given(own) },
    isDryRun,
    ...songs,
    ...given({ accept, batchId, referenceWeights: weights, stemMix: readStemMix(fields) }),
  }
}

/** Returns the mix of the field `stems`; undefined for the plain sum. Throws INVALID_REQUEST with the place of the value at fault. */
function readStemMix(fields: FieldValues): StemMix | undefined {
  const mix = chosenMix(readJson(fields, 'stems', StemMixSchema) ?? {})
  const numbers = mix?.stems?.map(({ stem }) => stem) ?? []
  if (new Set(numbers).size < numbers.length) throw unusable('stems.stems', { rule: 'each_once' })
  return mix
}

/** Returns the text fields of a `POST /api/v1/analyze`. Throws INVALID_REQUEST. */
export function readAnalysisForm(
  fields: FieldValues,
  context: SongContext,
): {
  readonly aiService: AiService
  readonly wantsPrice: boolean
  readonly wantsTarget: boolean
  readonly accept?: Accept
  readonly sourceId?: string
} {
  const { sourceId } = readSongs(fields, context)
  const { ai_service: aiService = SETTINGS.ai_service.standard } = readSettings(fields, ['ai_service'])
  return {
    aiService,
    wantsPrice: flag(fields, 'price'),
    wantsTarget: flag(fields, 'target'),
    ...given({ accept: readAccept(fields), sourceId }),
  }
}

/**
 * Parses the form of a `POST /api/v1/preview`: the passage of its one platform's master, in addition to the result of {@link
 * readMasterForm}. Throws INVALID_REQUEST with the field.
 */
export function readPreviewForm(
  fields: FieldValues,
  context: FormContext,
): MasterForm & { readonly cut: { readonly startSeconds?: number; readonly seconds: number } } {
  const form = readMasterForm(fields, context)
  if (form.request.settings.platforms.length > 1) throw unusable('platforms', { rule: 'one_platform' })
  const startSeconds = numberBetween(fields, 'start_seconds', 0, MAX_DURATION_SECONDS)
  const seconds = numberBetween(fields, 'seconds', MIN_PREVIEW_SECONDS, MAX_PREVIEW_SECONDS)
  return {
    ...form,
    cut: { ...given({ startSeconds }), seconds: seconds ?? DEFAULT_PREVIEW_SECONDS },
  }
}

/** Returns the names of fields unknown to `form`, in their order. */
export function ignoredFields(fields: FieldValues, form: Form): string[] {
  return [...fields.keys()].filter((name) => !(name in form.fields.properties) && !(name in form.files))
}

/**
 * Returns the request of a job that is made again with `changes`; the callback of the first job is not called again. Throws
 * INVALID_PLATFORM, INVALID_WEBHOOK_URL or, for metadata, INVALID_REQUEST.
 */
export function changedRequest(
  first: MasterRequest,
  changes: RetryChanges,
  checkWebhookUrl: FormContext['checkWebhookUrl'],
): MasterRequest {
  const {
    webhook_url: webhookUrl,
    title: newTitle,
    artist: newArtist,
    platforms: names,
    accept: _,
    ...others
  } = changes
  const {
    client_reference: clientReference = first.clientReference,
    metadata: clientMetadata = first.clientMetadata,
    ...settings
  } = others
  if (clientMetadata) requireSmall(clientMetadata)
  const platforms = names === undefined ? first.settings.platforms : readPlatforms(names)
  if (webhookUrl !== undefined) checkWebhookUrl(webhookUrl)
  const title = newTitle === undefined ? first.title : cleanName(newTitle)
  const artist = newArtist === undefined ? first.artist : cleanName(newArtist)
  return {
    settings: jobSettings({ ...first.settings, ...changedSettings(settings), platforms }),
    ...given({
      // With other trims or fades, it no longer runs into its neighbours.
      joined: EDGE_NAMES.some((name) => settings[name] !== undefined) ? undefined : first.joined,
      stems: first.stems,
      masterTargets: settings.target_lufs === undefined && !settings.recipe ? first.masterTargets : undefined,
      title: title || undefined,
      artist: artist || undefined,
      metadata: unlessEmpty(changedMetadata(first.metadata ?? {}, changes)),
      webhookUrl,
      clientReference: clientReference || undefined,
      clientMetadata,
    }),
  }
}

const unlessEmpty = (metadata: SongMetadata) => (Object.keys(metadata).length === 0 ? undefined : metadata)

/** Returns the members that have a value. */
function given<Members extends object>(members: Members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: Exclude<Members[Name], undefined>
  }
}

/**
 * Returns named settings completed by their style or their recipe. Throws INVALID_REQUEST for a sound setting with a recipe, and for a
 * recipe that cannot be followed.
 */
export function settled(named: Partial<JobSettings>): Partial<JobSettings> {
  const beside = besideRecipe(named)
  if (beside) throw unusable(beside, { rule: 'beside_recipe' })
  const fault = named.recipe ? recipeFault(named.recipe) : undefined
  if (fault) throw unusable(fault.place, fault.detail)
  return withRecipe(withStyle(named))
}

/** Returns the settings that `changes` replace: a changed sound replaces a recipe, and a recipe the sound. Throws as {@link settled}. */
function changedSettings(changes: Partial<JobSettings>): Partial<JobSettings> {
  const isSound = SOUND_OF_RECIPE.some((name) => changes[name] !== undefined)
  return { ...(isSound ? { recipe: null } : {}), ...settled(changes) }
}

/**
 * Throws INVALID_REQUEST if a job would have more references than it may, or none for the loudness that `named` asks for. `songs` are its
 * references besides the targets of its settings, which are named or those of a preset.
 */
export function requireReferences(
  named: Pick<Partial<JobSettings>, 'reference_loudness' | 'targets'>,
  { targets }: Partial<JobSettings>,
  songs = 0,
): void {
  const count = songs + (targets?.length ?? 0)
  if (count > MAX_REFERENCES)
    throw unusable(named.targets ? 'targets' : 'preset', { rule: 'references', limit: MAX_REFERENCES })
  if (named.reference_loudness && count === 0) throw unusable('reference_loudness', { rule: 'needs_reference' })
}

/** Returns the settings of the preset that a form names. Throws INVALID_REQUEST for an unknown one. */
function readPreset(fields: FieldValues, { presetOf }: FormContext): JobSettings | undefined {
  const named = name(fields, 'preset')
  if (named === undefined) return undefined
  const preset = presetOf(named)
  if (!preset) throw unusable('preset', { rule: 'unknown_preset' })
  return preset
}

/** Returns named settings over those of a preset. Sound settings with the recipe of a preset are refused as with any other recipe. */
function fromPreset(preset: JobSettings | undefined, named: Partial<JobSettings>): Partial<JobSettings> {
  if (!preset) return settled(named)
  const { platforms: _, ...others } = preset
  const own = settled({ ...named, ...(preset.recipe && !named.recipe ? { recipe: preset.recipe } : {}) })
  return { ...others, ...own }
}

/** Returns the weights of the reference files; undefined if all weigh the same. Throws INVALID_REQUEST for any other number of weights. */
function readWeights(fields: FieldValues, count: number): readonly number[] | undefined {
  const text = single(fields, 'reference_weights')
  if (text === undefined) return undefined
  const { minimum: least = 0, maximum: most = 0 } = SavedTarget.properties.weight as {
    minimum?: number
    maximum?: number
  }
  const texts = splitList([text])
  if (!texts.every(isNumber(DECIMAL, least, most)))
    throw unusable('reference_weights', { rule: 'number_between', least, most })
  if (texts.length !== count) throw unusable('reference_weights', { rule: 'weight_of_each', count })
  return texts.map(Number)
}

/** Returns the settings among `names` in the form. Throws INVALID_REQUEST for the first invalid one. */
function readSettings(fields: FieldValues, names: readonly SettingName[]): Partial<JobSettings> {
  const found = names.map((name) => [name, readSetting(fields, name)] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

function readSetting(fields: FieldValues, name: SettingName): unknown {
  const setting = SETTINGS[name]
  switch (setting.kind) {
    case 'choice':
      return word(fields, name, setting.values)
    case 'amount':
      return wholeBetween(fields, name, setting.minimum, setting.maximum)
    case 'decimal':
    case 'optional_decimal':
      return numberBetween(fields, name, setting.minimum, setting.maximum)
    case 'words':
      return listOf(fields, name, setting.values)
    case 'text': {
      const { pattern, maxLength, examples } = setting
      textOf(fields, name, maxLength)
      return valid(fields, name, { rule: 'form', example: examples[0] ?? '' }, (text) =>
        new RegExp(pattern, 'u').test(text),
      )
    }
    case 'flag':
      return fields.has(name) ? flag(fields, name) : undefined
  }
}

/**
 * Returns the platforms of a comma-separated list, each once, in the order of their first mention; repeated fields are joined. Throws
 * INVALID_PLATFORM for a missing, blank or partly blank list and for a name that is not exactly one of ours.
 */
function readPlatforms(values: readonly string[], sentAs?: string): Platform[] {
  const allowed = PLATFORMS.join(', ')
  if (values.length === 0 && sentAs !== undefined)
    throw new AppError('INVALID_PLATFORM', { allowed, sentAs }, { param: 'platforms' })
  const names = splitList(values)
  for (const given of names) {
    if (PLATFORMS.includes(given as Platform)) continue
    throw new AppError('INVALID_PLATFORM', given === '' ? { allowed } : { allowed, platform: shortened(given) }, {
      param: 'platforms',
    })
  }
  return [...new Set(names as Platform[])]
}

/** Returns the name of a field that was sent as an entry of a list, as some clients write `platforms[]` or `platforms[0]`. */
function bracketed(fields: FieldValues, field: string): string | undefined {
  return [...fields.keys()].find((name) => name.startsWith(`${field}[`) && /^\[\d*\]$/.test(name.slice(field.length)))
}

type SongContext = Pick<FormContext, 'caller' | 'files' | 'isStemSet'>

function readSongs(fields: FieldValues, { caller, files, isStemSet }: SongContext) {
  const sourceId = single(fields, 'source_id')?.toLowerCase()
  if (sourceId !== undefined && caller.via !== 'session' && !isStemSet(sourceId))
    throw unusable('source_id', { rule: 'unknown_set' })
  const referenceSourceId = sessionOnly(fields, 'reference_source_id', caller)
  if (sourceId === undefined && !files.has('file')) throw noFile(fields)
  if (sourceId !== undefined && files.has('file')) throw unusable('source_id', { rule: 'one_place' })
  if (files.has('reference_file') && referenceSourceId !== undefined)
    throw unusable('reference_source_id', { rule: 'one_place' })
  return given({ sourceId, referenceSourceId })
}

/** Returns the kinds of files that a form accepts; undefined for the specification's. Throws INVALID_REQUEST for another value. */
export function readAccept(fields: FieldValues): Accept {
  return word(fields, 'accept', [ACCEPT_ANY]) === undefined ? undefined : ACCEPT_ANY
}

/** Throws INVALID_REQUEST for a file that came as text: ignored like an unknown field, it would be missed only in the result. */
export function requireNoText(fields: FieldValues, files: readonly string[]): void {
  const name = files.find((file) => fields.get(file)?.some((text) => text.trim() !== ''))
  if (name !== undefined) throw unusable(name, { rule: 'not_text', name })
}

/** Returns why a form has no song. */
export function noFile(fields: FieldValues): AppError {
  return invalidRequest(fields.has('file') ? 'file_is_text' : 'file_missing', { param: 'file' })
}

function sessionOnly(fields: FieldValues, field: string, caller: Caller): string | undefined {
  const value = single(fields, field)?.toLowerCase()
  if (value !== undefined && caller.via !== 'session') throw unusable(field, { rule: 'session_only' })
  return value
}

function single(fields: FieldValues, field: string): string | undefined {
  const values = fields.get(field) ?? []
  if (values.length > 1) throw unusable(field, { rule: 'once' })
  return values[0]?.trim() || undefined
}

/** Returns the text of a single field; undefined without one. Throws INVALID_REQUEST with the rule that it breaks. */
function valid(
  fields: FieldValues,
  field: string,
  rule: Detail,
  isValid: (text: string) => boolean,
): string | undefined {
  const text = single(fields, field)
  if (text !== undefined && !isValid(text)) throw unusable(field, rule)
  return text
}

const word = (fields: FieldValues, field: string, words: readonly string[]) =>
  valid(fields, field, { rule: 'one_of', words }, (text) => words.includes(text))

const textOf = (fields: FieldValues, field: string, limit: number) =>
  valid(fields, field, { rule: 'characters_at_most', limit }, (text) => [...text].length <= limit)

const flag = (fields: FieldValues, field: string) =>
  valid(fields, field, { rule: 'flag' }, (text) => text === 'true' || text === 'false') === 'true'

const uuid = (fields: FieldValues, field: string) =>
  valid(fields, field, { rule: 'uuid' }, (text) => UUID.test(text.toLowerCase()))?.toLowerCase()

/** A whole number, and one of decimal digits, with an optional sign: no exponent and no decimal comma. */
const WHOLE = /^-?\d+$/
const DECIMAL = /^[-+]?\d+(\.\d+)?$/

const isNumber = (form: RegExp, least: number, most: number) => (text: string) =>
  form.test(text) && Number(text) >= least && Number(text) <= most

function wholeBetween(fields: FieldValues, field: string, least: number, most: number): number | undefined {
  const text = valid(fields, field, { rule: 'between', least, most }, isNumber(WHOLE, least, most))
  return text === undefined ? undefined : Number(text)
}

function numberBetween(fields: FieldValues, field: string, least: number, most: number): number | undefined {
  const text = valid(fields, field, { rule: 'number_between', least, most }, isNumber(DECIMAL, least, most))
  return text === undefined ? undefined : Number(text)
}

/** Returns the JSON of a field as its schema has it; `read` finds it in the value sent. Throws INVALID_REQUEST with the place at fault. */
function readJson<Schema extends TSchema>(
  fields: FieldValues,
  field: string,
  schema: Schema,
  { form, read = (value) => value }: { form?: 'object' | 'list'; read?: (value: unknown) => unknown } = {},
): Static<Schema> | undefined {
  const value = jsonValue(fields, field, form)
  if (value === undefined) return undefined
  const sent = { [field]: read(value) }
  checked(exactly({ [field]: schema }), sent)
  return sent[field] as Static<Schema>
}

function jsonObject(fields: FieldValues, field: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonValue(fields, field)
  if (value === undefined) return undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unusable(field, { rule: 'object' })
  return requireSmall(value as Readonly<Record<string, unknown>>)
}

function jsonValue(fields: FieldValues, field: string, form: 'object' | 'list' = 'object'): unknown {
  const text = single(fields, field)
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    throw unusable(field, { rule: form })
  }
}

/** Returns a client's JSON object. Throws INVALID_REQUEST if it is too large. */
function requireSmall(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const limit = MAX_CLIENT_METADATA_BYTES
  if (Buffer.byteLength(JSON.stringify(metadata)) > limit) throw unusable('metadata', { rule: 'bytes_at_most', limit })
  return metadata
}

/** Returns the words of a comma-separated list, each once, in the order of `words`; repeated fields are joined and blanks ignored. */
function listOf(fields: FieldValues, field: string, words: readonly string[]): string[] | undefined {
  const values = fields.get(field)
  if (values === undefined) return undefined
  const named = splitList(values).filter((name) => name !== '')
  if (named.some((name) => !words.includes(name))) throw unusable(field, { rule: 'some_of', words })
  return words.filter((name) => named.includes(name))
}

function splitList(values: readonly string[]): string[] {
  return values
    .join(',')
    .split(',')
    .map((part) => part.trim())
}

function name(fields: FieldValues, field: string): string | undefined {
  const value = cleanName(single(fields, field) ?? '')
  if ([...value].length > MAX_TITLE_LENGTH) {
    throw unusable(field, { rule: 'characters_at_most', limit: MAX_TITLE_LENGTH })
  }
  return value || undefined
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}
