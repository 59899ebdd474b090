/**
 * Measurements, decisions and results: the schema of report.json and of `results[]` and `warnings[]` of a job. Levels are LUFS, dBTP or dB
 * according to their name; null stands for the level of silence.
 */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, orNull, Timestamp, Uuid } from './common.ts'
import { FORMAT_NAMES } from './formats.ts'
import { PLATFORMS } from './platforms/index.ts'
import { CONFIDENCES } from './platforms/platform.ts'
import { PlaybackForecast } from './playback-forecast.ts'
import { WrittenRecipe } from './recipe-schemas.ts'
import { REPAIR_KINDS } from './repair-kinds.ts'
import { HasRecipe, REPORTED_SETTINGS, ShownTargets } from './setting-schemas.ts'
import { codesToldUnder, STAGE_KINDS, type StageDecisionCode } from './stages/index.ts'
import { StemMix, StemRest, StemSettings } from './stem-mix-schemas.ts'
import { STEM_ROLES } from './stem-roles.ts'
import { ReportedSuggestion } from './suggestion.ts'
import type { Language } from './text/language.ts'

export const WARNING_CODES = [
  'INPUT_CLIPPED',
  'INPUT_LIMITED',
  'INPUT_LOSSY',
  'INPUT_OTHER_TRACKS',
  'INPUT_RESAMPLED',
  'INPUT_CUT_SHORT',
  'INPUT_HOLDS_MORE',
  'INPUT_DAMAGED',
  'INPUT_SAMPLES_DAMAGED',
  'INPUT_MONO',
  'INPUT_DEAD_CHANNEL',
  'INPUT_OUT_OF_PHASE',
  'INPUT_NEAR_SILENT_EDGES',
  'INPUT_BREAKS_OFF',
  'INPUT_BAND_LIMITED',
  'INPUT_MUFFLED',
  'INPUT_HIGHS_LOST_IN_MONO',
  'INPUT_PROVENANCE_DROPPED',
  'INPUT_COVER_DROPPED',
  'INPUT_PICTURES_DROPPED',
  'INPUT_TAGS_CUT',
  'COVER_UNUSUAL',
  'COVER_NOT_RGB',
  'REFERENCE_LOSSY',
  'REFERENCE_IS_TARGET',
  'REFERENCE_NOT_COMPARABLE',
  'RECIPE_OF_OTHER_SONG',
  'RECIPE_ROUNDED',
  'TARGET_NOT_REACHED',
  'CODEC_OVERSHOOT',
  'IGNORED_FIELD',
] as const

/** Warnings that only written masters can have: neither an analysis nor a dry run returns them. */
export const RENDER_WARNING_CODES: readonly WarningCode[] = ['TARGET_NOT_REACHED', 'CODEC_OVERSHOOT']
export type WarningCode = (typeof WARNING_CODES)[number]

/** A finding that the musician should know; its text in both languages is in contract/text. */
export const Warning = exactly({
  code: oneOf(WARNING_CODES),
  message: Type.String(),
  platform: Type.Optional(oneOf(PLATFORMS)),
  file: Type.Optional(
    Type.String({
      description: 'Extension: name of the file that it is about, where that is not the WAV of a platform.',
    }),
  ),
  values: Type.Optional(Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]))),
})
export type Warning = Static<typeof Warning>

const VERDICTS = ['on_target', 'below_target'] as const

const PLAYBACK_ACTIONS = ['turn_down', 'turn_up', 'leave', 'unknown'] as const

/** Gain that the service applies on playback, or that it is not known. */
export const Playback = exactly({
  action: oneOf(PLAYBACK_ACTIONS),
  gain_db: Type.Number(),
})

/** One decode of an encoded copy of a master (tier premium). */
export const CodecCheck = exactly({
  codec: Type.String({
    description: 'Codec, bit rate, encoder and its settings, e.g. "AAC 256 kbit/s (ffmpeg aac, fast coder)".',
  }),
  true_peak_dbtp: Type.Number(),
  ceiling_lowered_db: Type.Number(),
})

export const COST_CODES = [
  'LOUD_PARTS_REDUCED',
  'PEAKS_REDUCED',
  'DYNAMICS_NARROWED',
  'FOLD_DOWN_LOST',
  'CODEC_OVERSHOOT',
] as const
export type CostCode = (typeof COST_CODES)[number]

/** A loss of sound quality; its text in both languages is in contract/text. */
export const MasterCost = exactly({
  code: oneOf(COST_CODES),
  values: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()])),
})
export type MasterCost = Static<typeof MasterCost>

/** A master in a further format, decoded from the written file and measured. */
export const FormatFile = exactly({
  format: oneOf(FORMAT_NAMES),
  file: Type.String({ description: 'File name inside the result; platforms whose files are the same share one.' }),
  size_bytes: Type.Integer(),
  sha256: Type.String(),
  encoder: Type.Optional(Type.String({ description: 'Encoder of ffmpeg that made it; absent for WAV.' })),
  sample_rate_hz: Type.Integer(),
  bit_depth: Type.Optional(Type.Integer({ description: 'Bits per sample of a lossless file; 32 for float.' })),
  frames: Type.Integer({ description: 'Length at `sample_rate_hz`, without what a codec adds before and behind it.' }),
  integrated_lufs: Type.Number(),
  true_peak_dbtp: Type.Number(),
  sample_peak_dbfs: Type.Number(),
  gain_db: Type.Number({
    description: 'Gain against the master: 0, or less where a conversion or a codec raised the peaks too far.',
  }),
})
export type FormatFile = Static<typeof FormatFile>

/** One delivered master, measured on the written file. */
export const MasterResult = exactly({
  platform: oneOf(PLATFORMS),
  file: Type.String({ description: 'File name inside the result.' }),
  size_bytes: Type.Integer(),
  sha256: Type.String(),
  same_bytes_as: Type.Optional(
    Type.Array(oneOf(PLATFORMS), {
      description: 'Platforms whose masters are the same file under another name; absent if there are none.',
    }),
  ),
  sample_rate_hz: Type.Integer(),
  bit_depth: Type.Integer(),
  target_lufs: Type.Number(),
  target_confidence: oneOf(CONFIDENCES),
  ceiling_dbtp: Type.Number(),
  ceiling_confidence: oneOf(CONFIDENCES),
  integrated_lufs: Type.Number(),
  short_term_max_lufs: orNull(Type.Number()),
  momentary_max_lufs: orNull(Type.Number()),
  loudness_range_lu: Type.Number(),
  true_peak_dbtp: Type.Number(),
  plr_db: Type.Number(),
  gain_db: Type.Number({ description: 'Gain from the source to the master before limiting.' }),
  max_gain_reduction_db: Type.Number(),
  mean_gain_reduction_db: Type.Number({
    description: 'Mean loudness lost by the 400 ms blocks that are at least as loud as the song.',
  }),
  clip_budget_db: Type.Number(),
  offset_removed_dbfs: Type.Optional(
    Type.Number({
      description:
        'Extension: largest mean of a channel that the master would have had and that was taken out of it, dBFS; absent where there was none.',
    }),
  ),
  verdict: oneOf(VERDICTS),
  verdict_reason: Type.Optional(Type.String()),
  costs: Type.Optional(
    Type.Array(MasterCost, {
      description:
        'Extension: what was given up: loud parts reduced by more than 3 dB on average, peaks by more than 10 dB, less than 6 dB left from loudness to peak, more than 1.5 dB lost in mono beyond the source, a lossy copy above 0 dBTP. Absent in results of earlier versions.',
    }),
  ),
  playback: Playback,
  codec_checks: Type.Optional(Type.Array(CodecCheck)),
  files: Type.Optional(
    Type.Array(FormatFile, { description: 'Extension: the files of `formats`; absent where none was asked for.' }),
  ),
})
export type MasterResult = Static<typeof MasterResult>

const { platform: _platform, playback: _playback, ...figures } = MasterResult.properties

const PlatformPlayback = exactly({
  platform: oneOf(PLATFORMS),
  action: oneOf(PLAYBACK_ACTIONS, 'Change that the service makes on playback.'),
  gain_db: Type.Number({ description: 'Gain on playback, dB.' }),
})

/** The one master for all services (`release_master`), measured on the written file. */
export const ReleaseResult = exactly({
  ...figures,
  playback: Type.Array(PlatformPlayback, {
    description: 'What each of the chosen platforms does to it on playback.',
  }),
})
export type ReleaseResult = Static<typeof ReleaseResult>

/** Numbers of one signal. */
export const Measurement = exactly({
  integrated_lufs: orNull(Type.Number()),
  short_term_max_lufs: orNull(Type.Number()),
  momentary_max_lufs: orNull(Type.Number()),
  loudness_range_lu: Type.Number(),
  true_peak_dbtp: orNull(Type.Number()),
  sample_peak_dbfs: orNull(Type.Number()),
  plr_db: orNull(Type.Number({ description: 'True peak minus integrated loudness.' })),
  crest_factor_db: orNull(Type.Number()),
  correlation: Type.Number({ description: 'Left against right, −1 to 1; 1 for mono and for silence.' }),
  side_to_mid_db: orNull(Type.Number()),
})
export type Measurement = Static<typeof Measurement>

/** One repair that was made, because its fault was detected. */
export const Repair = exactly({
  kind: oneOf(REPAIR_KINDS),
  amount_db: Type.Optional(
    Type.Number({
      description:
        'Largest change at that place, dB. For clipping the rise of the highest rebuilt peak; for an offset and for clicks the level, in dBFS, of what was removed.',
    }),
  ),
  frequency_hz: Type.Optional(Type.Number()),
  count: Type.Optional(Type.Integer({ description: 'Number of repaired places.' })),
  channel: Type.Optional(oneOf(['mid', 'side', 'left', 'right', 'both'])),
  delay_ms: Type.Optional(Type.Number({ description: 'Time by which that channel came late and was moved, ms.' })),
})
export type Repair = Static<typeof Repair>

/** The stages of the chain that make decisions. */
export const STAGES_OF_CHAIN = ['repair', 'tone', 'dynamics', 'image', 'clip', 'limit', 'land'] as const

/** Decisions to do nothing, by the stage of the chain. */
export const LEFT_ALONE = {
  repair: 'NOTHING_TO_REPAIR',
  tone: 'TONE_LEFT_ALONE',
  dynamics: 'DYNAMICS_LEFT_ALONE',
  image: 'IMAGE_LEFT_ALONE',
} as const

/** Decisions about clipping, limiting and the loudness target, and about the recipe as a whole. */
const FINISHING_CODES = [
  'CLIP_BUDGET_CHOSEN',
  'CLIP_NOT_USED',
  'GAIN_ONLY',
  'LIMITED',
  'RESULT_OFFSET_REMOVED',
  'STOPPED_BELOW_TARGET',
  'CEILING_LOWERED_FOR_CODEC',
  'CANDIDATE_CHOSEN',
  'RECIPE_FOLLOWED',
] as const

/** The decision that a repair was left out because its owner asked for that. */
const REPAIR_SKIPPED = 'REPAIR_SKIPPED'

export type DecisionCode =
  | StageDecisionCode
  | typeof REPAIR_SKIPPED
  | (typeof LEFT_ALONE)[keyof typeof LEFT_ALONE]
  | (typeof FINISHING_CODES)[number]

const plannedCodes = (stage: keyof typeof LEFT_ALONE): DecisionCode[] => [LEFT_ALONE[stage], ...codesToldUnder(stage)]

/** Codes of all decisions; each belongs to one stage of {@link STAGES_OF_CHAIN}. */
export const DECISION_CODES: readonly DecisionCode[] = [
  ...plannedCodes('repair'),
  REPAIR_SKIPPED,
  ...plannedCodes('tone'),
  ...plannedCodes('dynamics'),
  ...plannedCodes('image'),
  ...FINISHING_CODES,
]

/** One decision and its reason: the code's sentence is in contract/text, the values are its numbers. */
export const Decision = exactly({
  stage: oneOf(STAGES_OF_CHAIN),
  code: oneOf(DECISION_CODES),
  values: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()])),
})
export type Decision = Static<typeof Decision>

const Series = Type.Array(orNull(Type.Number()))

/** Curves of one signal, for the plots, in equal time steps; loudness is over the 3 s that end with each step. */
export const TimeCurves = exactly({
  step_seconds: Type.Number(),
  short_term_lufs: Series,
  peak_dbfs: Series,
  correlation: Type.Optional(Series),
  gain_reduction_db: Type.Optional(Series),
})

/** Long-term average spectrum in third octaves: band centres in Hz and band levels in dB. */
export const Spectrum = exactly({
  band_hz: Type.Array(Type.Number()),
  mid_db: Series,
  side_db: Series,
})
export type Spectrum = Static<typeof Spectrum>

/** Figures of one signal that a page draws. */
export const Pictured = exactly({ measurement: Measurement, spectrum: Spectrum, curves: TimeCurves })
export type Pictured = Static<typeof Pictured>

export const ReportSettings = exactly({
  platforms: Type.Array(oneOf(PLATFORMS)),
  ...REPORTED_SETTINGS,
  saved_targets: ShownTargets,
  has_recipe: HasRecipe,
})
export type ReportSettings = Static<typeof ReportSettings>

const { engine_version, source, intensity, masters: goals } = WrittenRecipe.properties

/**
 * Recipe of a result: as the field `recipe` of a request it makes the same masters of the same song again. Version 1 has rounded stages
 * alone.
 */
export const ReportRecipe = exactly({
  version: Type.Integer(),
  engine_version,
  source,
  intensity,
  masters: goals,
  stages: Type.Array(
    Type.Object(
      { kind: oneOf(STAGE_KINDS) },
      {
        additionalProperties: true,
        description:
          'Settings of a stage in the order of processing. A name ends in its unit: `_hz`, `_db`, `_ms`, `_frames`, or `_full_scale` for amplitudes whose largest is 1.',
      },
    ),
  ),
})
export type ReportRecipe = Static<typeof ReportRecipe>

/** Gain, clipper and limiter of one master, applied after the recipe. */
export const Finishing = exactly({
  gain_db: Type.Number({ description: 'Gain of the treated song before clipper and limiter.' }),
  clip_limit_dbfs: orNull(
    Type.Number({
      description: 'Level of the treated song, before the gain, that the soft clipper holds; null without one.',
    }),
  ),
  limiter: orNull(
    exactly({
      ceiling_dbtp: Type.Number({ description: 'True peak that the limiter holds: the ceiling less a margin.' }),
      look_ahead_ms: Type.Number({ description: 'Time in which the gain reaches a peak, and comes back after it.' }),
      fast_release_ms: Type.Number({ description: '0 for a limiter whose gain returns within the look-ahead.' }),
      slow_rise_ms: Type.Number({ description: 'Attack of the slow reduction; 0 for none.' }),
      slow_fall_ms: Type.Number({ description: 'Decay of the slow reduction; 0 for none.' }),
    }),
  ),
})

/** Stems whose sum a song is. */
export const StemsUsed = exactly(
  {
    count: Type.Integer({ minimum: 0, description: 'Number of the stems.' }),
    voice_forward_db: StemMix.properties.voice_forward_db,
    restore_missing: StemMix.properties.restore_missing,
    rest: Type.Optional(
      exactly(
        StemRest.properties,
        'What is left of the stereo mix of the song beside the sum of the stems. Absent if no mix came with them.',
      ),
    ),
    changed: Type.Optional(
      Type.Array(
        exactly({
          ...StemSettings.properties,
          role: oneOf(STEM_ROLES, 'Role of the stem.'),
          filename: Type.String(),
          made: Type.Array(Repair, { description: 'Repairs that were made in the stem.' }),
        }),
        { description: 'Stems with settings of their own. Absent if the song is the plain sum.' },
      ),
    ),
  },
  'Extension: stems that the song was mixed from.',
)
export type StemsUsed = Static<typeof StemsUsed>

/** report.json. */
export const Report = exactly({
  report_version: Type.Unsafe<1 | 2>({
    type: 'integer',
    enum: [1, 2],
    description: 'In version 1 the names in `values` are in camelCase; older reports are not rewritten.',
  }),
  job_id: Uuid,
  title: Type.String(),
  artist: Type.Optional(Type.String()),
  filename: Type.String(),
  reference_filename: Type.Optional(Type.String()),
  stems: Type.Optional(StemsUsed),
  created_at: Timestamp,
  engine_version: Type.String(),
  ffmpeg_version: Type.String(),
  source_sha256: Type.String(),
  settings: ReportSettings,
  source: exactly({
    codec: Type.String(),
    bit_depth: Type.Optional(Type.Integer({ description: 'Bits per sample of a lossless file.' })),
    bit_rate_bps: Type.Optional(Type.Integer({ description: 'Mean bit rate of a lossy file.' })),
    sample_rate_hz: Type.Integer(),
    channels: Type.Integer(),
    duration_seconds: Type.Number(),
    bandwidth_hz: orNull(
      Type.Number({ description: 'Highest frequency with music in it; null where there is no cutoff.' }),
    ),
    ...Pictured.properties,
  }),
  reference: Type.Optional(
    exactly({ measurement: Measurement, spectrum: Spectrum, curves: Type.Optional(TimeCurves) }),
  ),
  target_spectrum: Type.Optional(Spectrum),
  summary: Type.Optional(
    exactly(
      {
        en: Type.String({ description: 'In English.' }),
        ko: Type.String({ description: 'In Korean.' }),
      } satisfies Record<Language, unknown>,
      'What was changed, in a sentence or two. Absent in reports of older versions.',
    ),
  ),
  suggestion: Type.Optional(ReportedSuggestion),
  forecast: Type.Optional(
    Type.Array(PlaybackForecast, {
      description:
        'Extension: what twelve services do when it is played, mode by mode; each gets the master that goes there. Absent in reports of older versions.',
    }),
  ),
  recipe: Type.Optional(ReportRecipe),
  repairs: Type.Array(Repair),
  decisions: Type.Array(Decision),
  warnings: Type.Array(Warning),
  masters: Type.Array(
    exactly({
      result: MasterResult,
      finishing: Type.Optional(Finishing),
      ...Pictured.properties,
    }),
  ),
  release: Type.Optional(
    exactly(
      {
        result: ReleaseResult,
        finishing: Finishing,
        ...Pictured.properties,
      },
      'Extension: the master for all services, where `release_master` asked for it.',
    ),
  ),
})
export type Report = Static<typeof Report>
