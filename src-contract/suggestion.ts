/** Settings that the analysis of a song suggests, each with its reason. Nothing applies them by itself. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, orNull } from './common.ts'
import { SUGGESTED_SETTINGS } from './setting-schemas.ts'
import { TargetPrice } from './target-price.ts'
import type { NamedValues } from './wire-values.ts'

/** Figures of a song that are compared with released music. */
export const RANGE_FIGURES = ['bass', 'low_mids', 'presence', 'treble', 'width', 'attacks'] as const
export type RangeFigure = (typeof RANGE_FIGURES)[number]

export const SUGGESTION_CODES = [
  'BELOW_RANGE',
  'ABOVE_RANGE',
  'WITHIN_RANGE',
  'GENRE_FOUND',
  'LOUDER_THAN_PLAYED',
  'LOUDEST_TARGET',
  'TARGET_TOO_LOUD',
  'LEVEL_DRIFTS',
  'TREBLE_BUILDS_UP',
  'SECTION_JUMPS',
  'COLLAPSES_LATE',
  'ENDS_ABRUPTLY',
] as const
export type SuggestionCode = (typeof SUGGESTION_CODES)[number]

const reason = {
  code: oneOf(SUGGESTION_CODES),
  values: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]), {
    description:
      'Figures of the sentence. `setting` and `value` name the setting that the reason leads to; places are in seconds.',
  }),
}

const suggestedSettings = exactly(SUGGESTED_SETTINGS, 'Settings to be changed; the others stay as they are.')

/** A suggestion in report.json: its sentences are in contract/text. */
export const ReportedSuggestion = exactly(
  {
    settings: suggestedSettings,
    reasons: Type.Array(exactly(reason), {
      description: 'Reasons in the order of their settings; some have no setting.',
    }),
  },
  'What the analysis of the song suggests, whatever was set. Absent in reports of older versions.',
)
/** Reasons and settings without their texts, which depend on the reader's language. */
export type SuggestionFacts = Static<typeof ReportedSuggestion>
/** A reason without its text. */
export interface SuggestionReason {
  readonly code: SuggestionCode
  readonly values: NamedValues
}

/** Cost of loudness for a song: at rising targets, and the loudest target that costs little. */
export const LoudnessPrice = exactly(
  {
    targets: Type.Array(TargetPrice, { description: 'Rising.' }),
    loudest_lufs: orNull(Type.Number()),
  },
  'What loudness costs the song, where it was asked for: targets up to the first that costs more than little.',
)
export type LoudnessPrice = Static<typeof LoudnessPrice>

/** Suggestions from the analysis of a song. */
export const Suggestion = exactly(
  {
    settings: suggestedSettings,
    reasons: Type.Array(exactly({ ...reason, message: Type.String() }), {
      description: 'Reasons in the order of their settings; some have no setting.',
    }),
    price: Type.Optional(LoudnessPrice),
  },
  'Suggested settings with their reasons. Nothing applies them by itself. `price` is there where it was asked for.',
)
export type Suggestion = Static<typeof Suggestion>
/** A suggestion without the texts of its reasons. */
export type SuggestionProposal = SuggestionFacts & { readonly price?: LoudnessPrice }
