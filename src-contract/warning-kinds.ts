/** Kinds of warnings, which decide whether a person is asked before a song is started. */
import type { WarningCode } from './report.ts'

/**
 * `damage`: something is likely wrong with the file, so the user is asked before a credit is spent on it. `remark`: worth knowing, requires
 * no action.
 */
export type WarningKind = 'damage' | 'remark'

/** Every code has its kind: a new code without one does not compile. */
export const WARNING_KINDS: Readonly<Record<WarningCode, WarningKind>> = {
  INPUT_CLIPPED: 'damage',
  INPUT_CUT_SHORT: 'damage',
  INPUT_HOLDS_MORE: 'damage',
  INPUT_DAMAGED: 'damage',
  INPUT_DEAD_CHANNEL: 'damage',
  INPUT_OUT_OF_PHASE: 'damage',
  INPUT_BREAKS_OFF: 'damage',
  // Typical of files from many generators.
  INPUT_LIMITED: 'remark',
  INPUT_LOSSY: 'remark',
  INPUT_OTHER_TRACKS: 'remark',
  INPUT_RESAMPLED: 'remark',
  INPUT_SAMPLES_DAMAGED: 'remark',
  INPUT_MONO: 'remark',
  INPUT_NEAR_SILENT_EDGES: 'remark',
  INPUT_BAND_LIMITED: 'remark',
  INPUT_MUFFLED: 'remark',
  INPUT_HIGHS_LOST_IN_MONO: 'remark',
  INPUT_PROVENANCE_DROPPED: 'remark',
  INPUT_COVER_DROPPED: 'remark',
  INPUT_PICTURES_DROPPED: 'remark',
  INPUT_TAGS_CUT: 'remark',
  // Of the request, not of the song.
  COVER_UNUSUAL: 'remark',
  COVER_NOT_RGB: 'remark',
  IGNORED_FIELD: 'remark',
  RECIPE_OF_OTHER_SONG: 'remark',
  RECIPE_ROUNDED: 'remark',
  // Known only once the song is mastered.
  REFERENCE_LOSSY: 'remark',
  REFERENCE_IS_TARGET: 'remark',
  REFERENCE_NOT_COMPARABLE: 'remark',
  TARGET_NOT_REACHED: 'remark',
  CODEC_OVERSHOOT: 'remark',
}
