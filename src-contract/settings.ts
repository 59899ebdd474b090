/**
 * Mastering settings as one value, with their names on the wire: request, batch, job, work order, report and command line contain them
 * whole. A new setting is a row of `SETTINGS`; values stored before it get its default.
 */
import type { Edges } from './edges.ts'
import { FORMAT_NAMES } from './formats.ts'
import { MAX_DURATION_SECONDS, MAX_GAP_SECONDS } from './limits.ts'
import { PLATFORMS, type Platform } from './platforms/index.ts'
import type { WrittenRecipe } from './recipe-schemas.ts'
import { REPAIR_KINDS } from './repair-kinds.ts'
import type { SavedTarget } from './saved-targets.ts'
import {
  amount,
  choice,
  decimal,
  extension,
  fadeShape,
  flag,
  optionalDecimal,
  seconds,
  text,
  words,
} from './setting-kinds.ts'
import type { StemMix } from './stem-settings.ts'

export const GENRES = ['kpop', 'edm', 'ballad', 'hiphop', 'pop', 'other'] as const
export type Genre = (typeof GENRES)[number]

/** Services that a file can name as its maker. */
export const MADE_WITH = ['suno', 'udio', 'elevenlabs'] as const
export type MadeWith = (typeof MADE_WITH)[number]

export const AI_SERVICES = [...MADE_WITH, 'other'] as const
export type AiService = (typeof AI_SERVICES)[number]

export const TIERS = ['standard', 'premium'] as const
export type Tier = (typeof TIERS)[number]

export const LOUDNESS_MODES = ['platform', 'competitive'] as const
export type LoudnessMode = (typeof LOUDNESS_MODES)[number]

/** Named starting points of the sound; their values are `STYLES`. */
export const STYLE_NAMES = ['clean', 'warm', 'punchy', 'bright', 'open'] as const
export type Style = (typeof STYLE_NAMES)[number]

const PERCENT = { minimum: 0, maximum: 100 }

const FORMATS_DESCRIPTION =
  'Files of every master beside its WAV of 24 bit at the rate of the song (44.1 to 96 kHz), which `wav24` names. Each is made of that master; asking for one never changes another. `wav16_44` is the WAV of 16 bit at 44.1 kHz that some distributors ask for.'

const RELEASE_DESCRIPTION =
  'One more master for all services, `release`: 24 bit at the rate of the song, at `target_lufs` or else −14 LUFS (the genre level with `loudness=competitive`; see `release_level`), under the lowest ceiling of the chosen platforms at that loudness.'

const RELEASE_LEVEL_DESCRIPTION =
  'Loudness of the master for all services without `target_lufs` and genre level: `fixed` is −14 LUFS; `song` lets a louder song stay as loud as it is after its chain, as far as gain alone keeps it below the ceiling. Services turn it down on playback. The master of an album has the level of the record.'

const REFERENCE_LOUDNESS_DESCRIPTION =
  'Loudness of the reference as the target of every master, in tenths of a LU and within −24 to −6 LUFS, as if it were `target_lufs`, which stands over it. Nothing with a silent reference; a job, a preview, a retry or a line of a batch that asks for it without any reference is refused.'

/** Placeholders in a file name for a fact of the song or the file. */
export const NAMING_TOKENS = ['track', 'title', 'artist', 'album', 'year', 'isrc', 'platform', 'format'] as const
export type NamingToken = (typeof NAMING_TOKENS)[number]

/** Longest pattern of names, characters: together with a title of maximum length the name still fits every file system. */
export const NAMING_FORM = {
  pattern: `^([^{}]|\\{(${NAMING_TOKENS.join('|')})\\})*$`,
  maxLength: 100,
  examples: ['{artist} - {title}'],
}

const NAMING_DESCRIPTION = `Pattern of the file names, of text and the tokens ${NAMING_TOKENS.map((token) => `\`{${token}}\``).join(', ')}. A platform or format that a name needs and the pattern lacks is put behind it; platforms whose files are equal then share one.`

/** Settings besides the platforms; `standard` is the default (specification section 2). */
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
    description:
      'Both write 24 bit at the rate of the song (44.1 to 96 kHz). `premium` also compares recipes and proofs lossy copies.',
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
  reference_clamp_db: decimal({ minimum: 1, maximum: 12 }, 6, {
    description:
      'Largest change of a band toward the reference, dB: in the mid, and two thirds of it in the sides. Differences beyond count only that far.',
    fieldDescription:
      'Extension: largest change of a band toward the reference, dB: in the mid, and two thirds of it in the sides.',
    help: {
      en: 'largest change of a band toward the reference, 1 to 12 dB',
      ko: '레퍼런스 쪽으로 한 대역을 바꾸는 한도, 1부터 12 dB까지',
    },
    placeholder: 'db',
  }),
  reference_loudness: flag({
    ...extension(REFERENCE_LOUDNESS_DESCRIPTION),
    help: { en: 'aim at the loudness of the reference', ko: '레퍼런스의 음량을 목표로 삼기' },
    placeholder: '',
  }),
  style: choice(STYLE_NAMES, 'clean', {
    ...extension(
      'Starting point of the settings of the sound from tilt_db to image_amount; one that is named itself counts instead.',
    ),
    help: {
      en: 'starting point of the sound; the options below count instead of its values',
      ko: '소리의 출발점: 아래 옵션을 직접 적으면 그 값이 우선',
    },
    placeholder: 'style',
  }),
  tilt_db: decimal({ minimum: -3, maximum: 3 }, 0, {
    description: 'Darker (below 0) or brighter (above 0): gain at 16 kHz and, turned over, at 40 Hz, dB.',
    fieldDescription: 'Extension: darker (below 0) or brighter (above 0), dB.',
    help: { en: 'darker or brighter, -3 to 3 dB', ko: '어둡게 또는 밝게, -3부터 3 dB까지' },
    placeholder: 'db',
  }),
  bass_db: decimal({ minimum: -6, maximum: 6 }, 0, {
    ...extension('Low shelf at 100 Hz, dB.'),
    help: { en: 'bass below 100 Hz, -6 to 6 dB', ko: '100 Hz 아래 저음, -6부터 6 dB까지' },
    placeholder: 'db',
  }),
  presence_db: decimal({ minimum: -4, maximum: 4 }, 0, {
    description: 'Voice and attack: broad peak at 2.8 kHz, dB.',
    fieldDescription: 'Extension: voice and attack, a broad peak at 2.8 kHz, dB.',
    help: { en: 'voice and attack around 2.8 kHz, -4 to 4 dB', ko: '2.8 kHz 부근의 목소리와 어택, -4부터 4 dB까지' },
    placeholder: 'db',
  }),
  air_db: decimal({ minimum: -6, maximum: 6 }, 0, {
    ...extension('High shelf at 9 kHz, dB; it never lifts what lies above a cutoff of the source.'),
    help: { en: 'air above 9 kHz, -6 to 6 dB', ko: '9 kHz 위의 에어, -6부터 6 dB까지' },
    placeholder: 'db',
  }),
  width_percent: amount({ minimum: 0, maximum: 200 }, 100, {
    description: 'Stereo width, percent of what it is without: 0 is mono. Nothing below 120 Hz is widened.',
    fieldDescription: 'Extension: stereo width, percent; 100 leaves it, 0 is mono.',
    help: { en: 'stereo width, 0 (mono) to 200', ko: '스테레오 폭, 0(모노)부터 200까지' },
    placeholder: 'percent',
  }),
  highs_side_db: decimal({ minimum: -12, maximum: 0 }, 0, {
    ...extension('Gain of the side above 6 kHz, dB: for highs whose channels have nothing in common.'),
    help: { en: 'gain of the sides above 6 kHz, -12 to 0 dB', ko: '6 kHz 위 사이드의 세기, -12부터 0 dB까지' },
    placeholder: 'db',
  }),
  punch: amount({ minimum: -100, maximum: 100 }, 0, {
    ...extension('Attacks stand out (above 0) or are glued together (below 0).'),
    help: { en: 'attacks stand out or are glued, -100 to 100', ko: '어택을 살리거나 붙이기, -100부터 100까지' },
    placeholder: 'amount',
  }),
  warmth: amount(PERCENT, 0, {
    ...extension('Soft saturation, percent.'),
    help: { en: 'soft saturation, 0 to 100', ko: '부드러운 새추레이션, 0부터 100까지' },
    placeholder: 'percent',
  }),
  density: amount(PERCENT, 0, {
    description: 'Slow compression of the highest peaks, percent: 100 takes up to 6 dB off them.',
    fieldDescription: 'Extension: slow compression of the highest peaks, percent; 0 leaves them.',
    help: {
      en: 'slow compression of the highest peaks, 0 to 100',
      ko: '가장 높은 피크를 천천히 눌러 밀도 높이기, 0부터 100까지',
    },
    placeholder: 'amount',
  }),
  tone_amount: amount(PERCENT, 100, {
    ...extension('Part of the planned correction of tone that is applied, percent.'),
    help: { en: 'part of the planned tone, 0 to 100', ko: '계획한 음색 보정의 반영 정도, 0부터 100까지' },
    placeholder: 'percent',
  }),
  dynamics_amount: amount(PERCENT, 100, {
    ...extension('Part of the planned compression that is applied, percent.'),
    help: { en: 'part of the planned compression, 0 to 100', ko: '계획한 컴프레션의 반영 정도, 0부터 100까지' },
    placeholder: 'percent',
  }),
  image_amount: amount(PERCENT, 100, {
    ...extension('Part of the planned change of the stereo image that is applied, percent.'),
    help: { en: 'part of the planned width, 0 to 100', ko: '계획한 스테레오 폭 보정의 반영 정도, 0부터 100까지' },
    placeholder: 'percent',
  }),
  skip_repairs: words(REPAIR_KINDS, {
    ...extension('Repairs that are not made, whatever is found.'),
    help: { en: `repairs to leave out: ${REPAIR_KINDS.join(',')}`, ko: `하지 않을 복원: ${REPAIR_KINDS.join(',')}` },
    placeholder: 'list',
  }),
  target_lufs: optionalDecimal(
    { minimum: -24, maximum: -6 },
    {
      description: 'Loudness target of every platform instead of its own and of the genre level, LUFS; null without.',
      fieldDescription: 'Extension: loudness target of every platform instead of its own and of the genre level, LUFS.',
      help: {
        en: 'own loudness target for every platform, -24 to -6 LUFS',
        ko: '모든 플랫폼의 음량 목표, -24부터 -6 LUFS까지',
      },
      placeholder: 'lufs',
    },
  ),
  trim_start_seconds: seconds(
    MAX_DURATION_SECONDS,
    'Cut off the start of the song before anything is measured, s; at least 1 s of the song must stay.',
    { en: 'seconds cut off the start of the song', ko: '곡의 처음에서 잘라 낼 길이(초)' },
  ),
  trim_end_seconds: seconds(
    MAX_DURATION_SECONDS,
    'Cut off the end of the song before anything is measured, s; at least 1 s of the song must stay.',
    { en: 'seconds cut off the end of the song', ko: '곡의 끝에서 잘라 낼 길이(초)' },
  ),
  fade_in_seconds: seconds(
    MAX_GAP_SECONDS,
    'Length of the fade at the start of what stays, s; both fades together are no longer than that.',
    { en: 'length of the fade at the start, seconds', ko: '페이드 인 길이(초)' },
  ),
  fade_in_shape: fadeShape(
    'Curve of the fade at the start: straight in amplitude, straight in power, or a raised cosine.',
    { en: 'curve of the fade at the start', ko: '페이드 인 곡선' },
  ),
  fade_out_seconds: seconds(
    MAX_GAP_SECONDS,
    'Length of the fade at the end of what stays, s; both fades together are no longer than that.',
    { en: 'length of the fade at the end, seconds', ko: '페이드 아웃 길이(초)' },
  ),
  fade_out_shape: fadeShape(
    'Curve of the fade at the end: straight in amplitude, straight in power, or a raised cosine.',
    { en: 'curve of the fade at the end', ko: '페이드 아웃 곡선' },
  ),
  pad_start_seconds: seconds(MAX_GAP_SECONDS, 'Digital silence before the song, s; it counts in its length.', {
    en: 'seconds of silence before the song',
    ko: '곡 앞에 넣을 무음 길이(초)',
  }),
  pad_end_seconds: seconds(MAX_GAP_SECONDS, 'Digital silence after the song, s; it counts in its length.', {
    en: 'seconds of silence after the song',
    ko: '곡 뒤에 넣을 무음 길이(초)',
  }),
  formats: words(FORMAT_NAMES, {
    ...extension(FORMATS_DESCRIPTION),
    help: {
      en: `further files of every master: ${FORMAT_NAMES.join(',')}`,
      ko: `마스터마다 더 만들 파일: ${FORMAT_NAMES.join(',')}`,
    },
    placeholder: 'list',
  }),
  release_master: flag({
    ...extension(RELEASE_DESCRIPTION),
    help: {
      en: 'also one master for all services, to be uploaded to a distributor',
      ko: '유통사에 올릴, 모든 서비스 공용 마스터도 만들기',
    },
    placeholder: '',
  }),
  release_level: choice(['fixed', 'song'], 'fixed', {
    ...extension(RELEASE_LEVEL_DESCRIPTION),
    help: {
      en: 'level of the master for all services: -14 LUFS (fixed), or no quieter than the song need be (song)',
      ko: '모든 서비스 공용 마스터의 음량: -14 LUFS(fixed) 또는 곡의 음량을 지킬 수 있는 만큼(song)',
    },
    placeholder: 'level',
  }),
  naming: text(NAMING_FORM, {
    ...extension(NAMING_DESCRIPTION),
    help: {
      en: `pattern of the file names, of text and {${NAMING_TOKENS.join('} {')}}`,
      ko: `파일 이름 형식: 글자와 {${NAMING_TOKENS.join('} {')}}`,
    },
    placeholder: 'pattern',
  }),
  ascii_names: flag({
    ...extension('File names of ASCII letters, digits, `-` and `_` alone; Hangul is romanised.'),
    help: {
      en: 'file names of plain letters and digits; Hangul is romanised',
      ko: '파일 이름을 영문자와 숫자로만 쓰기(한글은 로마자로)',
    },
    placeholder: '',
  }),
  file_tags: choice(['song', 'none'], 'song', {
    ...extension('`none` writes every file without tags and picture, as some distributors ask for.'),
    help: { en: 'tags in the files, or none', ko: '파일에 태그 넣기(song) 또는 넣지 않기(none)' },
    placeholder: 'which',
  }),
}

export type SettingName = keyof typeof SETTINGS
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

const FIRST_NAMES = ['genre', 'ai_service', 'tier', 'intensity', 'loudness', 'reference_amount'] as const

/** A setting that earlier versions did not have. */
export type FurtherName = Exclude<SettingName, (typeof FIRST_NAMES)[number]>
export const FURTHER_NAMES = SETTING_NAMES.filter(
  (name): name is FurtherName => !FIRST_NAMES.some((first) => first === name),
)

/** Settings of the files and their names: the sound of a master does not depend on them. */
export const DELIVERY_NAMES = [
  'formats',
  'release_master',
  'release_level',
  'naming',
  'ascii_names',
  'file_tags',
] as const
export type DeliveryName = (typeof DELIVERY_NAMES)[number]

/** Settings of the edges of a song. */
export const EDGE_NAMES = [
  'trim_start_seconds',
  'trim_end_seconds',
  'fade_in_seconds',
  'fade_in_shape',
  'fade_out_seconds',
  'fade_out_shape',
  'pad_start_seconds',
  'pad_end_seconds',
] as const satisfies readonly (keyof Edges)[]
export type EdgeName = (typeof EDGE_NAMES)[number]

/** Further settings of a reference. */
export const REFERENCE_NAMES = ['reference_clamp_db', 'reference_loudness'] as const

/** Settings that answers include only if they differ from their defaults: this keeps answers to a plain request unchanged. */
export const SHOWN_IF_SET = [...REFERENCE_NAMES, ...EDGE_NAMES, ...DELIVERY_NAMES] as const
export type ShownIfSet = (typeof SHOWN_IF_SET)[number]

/** Settings that the analysis of a song can suggest. */
export const SUGGESTED_NAMES = [
  'genre',
  'tilt_db',
  'bass_db',
  'presence_db',
  'air_db',
  'width_percent',
  'punch',
  'target_lufs',
  'release_master',
  'release_level',
  'trim_end_seconds',
  'fade_out_seconds',
] as const satisfies readonly SettingName[]
export type SuggestedName = (typeof SUGGESTED_NAMES)[number]

/** A setting of the sound. */
export type SteeringName = Exclude<FurtherName, ShownIfSet>
export const STEERING_NAMES = FURTHER_NAMES.filter(
  (name): name is SteeringName => !SHOWN_IF_SET.some((other) => other === name),
)

/** Returns one member of every setting, by the setting's name. */
function ofEach<Member extends 'standard' | 'description'>(member: Member) {
  return Object.fromEntries(SETTING_NAMES.map((name) => [name, SETTINGS[name][member]])) as {
    [Name in SettingName]: (typeof SETTINGS)[Name][Member]
  }
}

export const SETTING_DESCRIPTIONS: Readonly<Record<SettingName, string>> = ofEach('description')

type ValueOf<Row> = Row extends { readonly kind: 'choice'; readonly values: readonly (infer Word)[] }
  ? Word
  : Row extends { readonly standard: infer Value }
    ? Value
    : never

/**
 * Mastering settings of a job, apart from its songs. The stages and targets of a recipe replace the plan; sound settings are then neutral.
 * Targets are references without audio, known by their measurements.
 */
export type JobSettings = { platforms: Platform[]; targets: SavedTarget[] | null; recipe: WrittenRecipe | null } & {
  [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]>
}

/**
 * Mastering settings of a song: those of a job, the stored song that is its reference, and the mix of its stems, null for their sum. A song
 * without stems has no mix, whatever these settings say.
 */
export type MasterSettings = JobSettings & { reference_source_id: string | null; stem_mix: StemMix | null }

const JOB_MEMBERS: readonly (keyof JobSettings)[] = ['platforms', ...SETTING_NAMES, 'targets', 'recipe']

/** Members of `MasterSettings` in writing order. */
export const MASTER_MEMBERS: readonly (keyof MasterSettings)[] = [
  ...JOB_MEMBERS.filter((name) => name !== 'reference_amount'),
  'reference_source_id',
  'reference_amount',
  'stem_mix',
]

const SOUND_NAMES = STEERING_NAMES.filter((name) => name !== 'style' && name !== 'target_lufs')

/** Settings of the sound inside the chain. */
export type SoundSettings = Pick<JobSettings, (typeof SOUND_NAMES)[number]>

/** Neutral settings of the sound: they leave a master bit-identical. */
export const NEUTRAL_SOUND = Object.fromEntries(
  SOUND_NAMES.map((name) => [name, SETTINGS[name].standard]),
) as unknown as SoundSettings

/** File settings with no effect. */
export const PLAIN_DELIVERY = Object.fromEntries(
  DELIVERY_NAMES.map((name) => [name, SETTINGS[name].standard]),
) as unknown as Pick<JobSettings, DeliveryName>

/** Settings of the edges without any effect. */
export const WHOLE_SONG: Edges = Object.fromEntries(
  EDGE_NAMES.map((name) => [name, SETTINGS[name].standard]),
) as unknown as Edges

/** The default of every setting. */
export const DEFAULT_SETTINGS: MasterSettings = {
  platforms: [...PLATFORMS],
  ...(ofEach('standard') as Omit<JobSettings, 'platforms' | 'targets' | 'recipe'>),
  targets: null,
  recipe: null,
  reference_source_id: null,
  stem_mix: null,
}

/** Initial settings of the application: its user uploads a single file, which a plain API request does not include. */
export const FIRST_SETTINGS: MasterSettings = { ...DEFAULT_SETTINGS, release_master: true }

/** Returns the settings of a job among the members of `from`, in the order of the schema; missing ones have their defaults. */
export function jobSettings(from: Pick<JobSettings, 'platforms'> & Partial<JobSettings>): JobSettings {
  return picked(JOB_MEMBERS, from)
}

/** A target in answers, which leave its curves out. */
type NamedTarget = Pick<SavedTarget, 'name' | 'weight'>

const named = ({ name, weight }: SavedTarget): NamedTarget => ({
  ...(name === undefined ? {} : { name }),
  ...(weight === undefined ? {} : { weight }),
})

/**
 * Returns settings as in answers: without absent ones and without default edge and file settings; targets by name and weight, and only a
 * flag for a recipe, which the report has.
 */
export function shownSettings({ target_lufs, targets, recipe, ...settings }: JobSettings) {
  const plain = SHOWN_IF_SET.filter((name) => JSON.stringify(settings[name]) === JSON.stringify(DEFAULT_SETTINGS[name]))
  const shown: Omit<typeof settings, ShownIfSet> &
    Partial<Pick<JobSettings, ShownIfSet>> & { saved_targets?: NamedTarget[]; has_recipe?: true } = {
    ...settings,
    ...(targets && targets.length > 0 ? { saved_targets: targets.map(named) } : {}),
    ...(recipe ? { has_recipe: true } : {}),
  }
  for (const name of plain) delete shown[name]
  return target_lufs === null ? shown : { ...shown, target_lufs }
}

const recipeIds = new WeakMap<WrittenRecipe, string>()

/**
 * Returns an identifier of a recipe, the same for the same JSON in whatever order of members: 64 bits in hexadecimal, two FNV-1a hashes of 32
 * bits with different primes.
 */
export function recipeId(recipe: WrittenRecipe): string {
  const known = recipeIds.get(recipe)
  if (known !== undefined) return known
  const text = JSON.stringify(recipe, (_, value) =>
    value?.constructor === Object
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
  let [first, second] = [0x811c9dc5, 0x811c9dc5]
  for (let at = 0; at < text.length; at += 1) {
    first = Math.imul(first ^ text.charCodeAt(at), 0x01000193)
    second = Math.imul(second ^ text.charCodeAt(at), 0x85ebca6b)
  }
  const id = [first, second].map((hash) => (hash >>> 0).toString(16).padStart(8, '0')).join('')
  recipeIds.set(recipe, id)
  return id
}

/** Returns stored settings of a song; settings newer than the stored version have their defaults. */
export function masterSettings(stored: Pick<MasterSettings, 'platforms'> & Partial<MasterSettings>): MasterSettings {
  return picked(MASTER_MEMBERS, stored)
}

function picked<Name extends keyof MasterSettings>(names: readonly Name[], from: Partial<MasterSettings>) {
  const all: MasterSettings = { ...DEFAULT_SETTINGS, ...from }
  return Object.fromEntries(names.map((name) => [name, all[name]])) as Pick<MasterSettings, Name>
}
