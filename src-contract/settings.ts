/**
 * Mastering settings as one value, with its names on the wire: request, batch, job, work order, report and command line carry it
 * whole. A new setting is a row of `SETTINGS`; values that were stored before it get its default.
 */
import Type, { type Static, type TObject, type TOptional, type TProperties, type TSchema } from 'typebox'
import { exactly, oneOf, orNull, Uuid } from './common.ts'
import { PLATFORMS } from './platforms/index.ts'

export const GENRES = ['kpop', 'edm', 'ballad', 'hiphop', 'pop', 'other'] as const
export type Genre = (typeof GENRES)[number]

export const AI_SERVICES = ['suno', 'udio', 'elevenlabs', 'other'] as const
export type AiService = (typeof AI_SERVICES)[number]

export const TIERS = ['standard', 'premium'] as const
export type Tier = (typeof TIERS)[number]

export const LOUDNESS_MODES = ['platform', 'competitive'] as const
export type LoudnessMode = (typeof LOUDNESS_MODES)[number]

interface SettingTexts {
  /** Description in the API's documentation. */
  readonly description: string
  /** Description of the form field where it is another one. */
  readonly fieldDescription?: string
  /** Help of the command-line option, and what stands for its value there. */
  readonly help: { readonly en: string; readonly ko: string }
  readonly placeholder: string
}

/** Returns a setting that is one word of a list. */
function choice<const Words extends readonly string[]>(values: Words, standard: Words[number], texts: SettingTexts) {
  return {
    ...texts,
    kind: 'choice' as const,
    values,
    standard,
    accepted: oneOf(values),
    shown: oneOf(values),
    field: oneOf(values, texts.fieldDescription, standard),
  }
}

/** Returns a setting that is a whole number within bounds. */
function amount(bounds: { readonly minimum: number; readonly maximum: number }, standard: number, texts: SettingTexts) {
  return {
    ...texts,
    ...bounds,
    kind: 'amount' as const,
    standard,
    accepted: Type.Integer(bounds),
    shown: Type.Integer(),
    field: Type.Integer({ ...bounds, default: standard, description: texts.fieldDescription ?? texts.description }),
  }
}

const PERCENT = { minimum: 0, maximum: 100 }

/** Settings beside the platforms; `standard` is what counts unless told otherwise (specification section 2). */
export const SETTINGS = {
  genre: choice(GENRES, 'other', {
    description: 'Genre; it affects tone and loudness.',
    help: { en: 'genre', ko: '장르' },
    placeholder: 'genre',
  }),
  ai_service: choice(AI_SERVICES, 'other', {
    description: 'AI service that generated the song.',
    help: { en: 'service that made the song', ko: '곡을 만든 서비스' },
    placeholder: 'service',
  }),
  tier: choice(TIERS, 'standard', {
    description: '`premium` also proofs lossy copies and keeps the sample rate.',
    help: { en: 'tier', ko: '등급' },
    placeholder: 'tier',
  }),
  intensity: amount(PERCENT, 50, {
    description: 'Strength of the processing, percent.',
    fieldDescription: 'Extension: strength of the processing.',
    help: { en: 'strength of the processing, 0 to 100', ko: '처리 강도, 0부터 100까지' },
    placeholder: 'percent',
  }),
  loudness: choice(LOUDNESS_MODES, 'platform', {
    description: 'Targets of the platforms, or the level of the genre everywhere.',
    fieldDescription: 'Extension: the platform targets, or the genre level everywhere.',
    help: {
      en: 'the level of each platform (platform), or of the genre everywhere (competitive)',
      ko: '음량: 플랫폼별 기준(platform) 또는 모든 플랫폼에 장르 기준(competitive)',
    },
    placeholder: 'mode',
  }),
  reference_amount: amount(PERCENT, 70, {
    description: 'Amount by which the tone moves toward the reference, percent.',
    fieldDescription: 'Extension: amount by which the tone moves toward the reference.',
    help: { en: 'strength of the match, 0 to 100', ko: '레퍼런스에 맞추는 정도, 0부터 100까지' },
    placeholder: 'percent',
  }),
}

export type SettingName = keyof typeof SETTINGS
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

/** Returns one member of every setting, by the setting's name. */
function ofEach<Member extends 'accepted' | 'shown' | 'field' | 'standard' | 'description'>(member: Member) {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, SETTINGS[name][member]])) as {
    [Name in SettingName]: (typeof SETTINGS)[Name][Member]
  }
}

function optional<Properties extends TProperties>(properties: Properties) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema as TSchema)]),
  ) as { [Name in keyof Properties]: TOptional<Properties[Name]> }
}

/** Schemas of the settings where they are answered: without bounds, as those of an earlier version may have been others. */
export const SHOWN_SETTINGS = ofEach('shown')
/** Schemas of the settings as optional text fields of a form. */
export const SETTING_FIELDS = optional(ofEach('field'))
/** Schemas of the settings where only some may be named, without defaults. */
export const CHANGED_SETTINGS = optional(ofEach('accepted'))
export const SETTING_DESCRIPTIONS: Readonly<Record<SettingName, string>> = ofEach('description')

const accepted = {
  platforms: Type.Array(oneOf(PLATFORMS), { minItems: 1, uniqueItems: true }),
  ...ofEach('accepted'),
}

/** Mastering settings of a job, apart from its songs. */
const JobSettings = exactly(accepted)
export type JobSettings = Static<typeof JobSettings>

const { reference_amount, ...beforeReference } = accepted

/** Mastering settings of a song: those of a job, and the stored song that is its reference. */
export const MasterSettings = exactly({
  ...beforeReference,
  reference_source_id: orNull(Uuid),
  reference_amount,
})
export type MasterSettings = Static<typeof MasterSettings>

/** Every setting that nobody has changed. */
export const DEFAULT_SETTINGS: MasterSettings = {
  platforms: [...PLATFORMS],
  ...(ofEach('standard') as Omit<JobSettings, 'platforms'>),
  reference_source_id: null,
}

/** Returns the settings of a job among the members of `from`, in the order of the schema; those that it lacks have their defaults. */
export function jobSettings(from: Pick<JobSettings, 'platforms'> & Partial<JobSettings>): JobSettings {
  return picked(JobSettings, from)
}

/** Returns settings of a song as they were stored; those that their version did not know have their defaults. */
export function masterSettings(stored: Pick<MasterSettings, 'platforms'> & Partial<MasterSettings>): MasterSettings {
  return picked(MasterSettings, stored)
}

function picked<Schema extends TObject>({ properties }: Schema, from: Partial<MasterSettings>): Static<Schema> {
  const all: Readonly<Record<string, unknown>> = { ...DEFAULT_SETTINGS, ...from }
  return Object.fromEntries(Object.keys(properties).map((name) => [name, all[name]])) as Static<Schema>
}
