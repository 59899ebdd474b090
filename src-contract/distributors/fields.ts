/** Names, codes and statements of a release that receivers ask for. */
import type { Foundation } from './foundation.ts'

/** Fields in display order: those of the release, then those of its tracks. */
export const RELEASE_FIELDS = [
  'title',
  'artist',
  'label',
  'release_date',
  'upc',
  'genre',
  'language',
  'p_line',
  'c_line',
  'composers',
  'lyricists',
  'isrc',
  'explicit',
  'disclosure',
] as const
export type ReleaseField = (typeof RELEASE_FIELDS)[number]

/** Need for a field at a receiver: required, optional, or assigned by the receiver where it is blank. */
export const FIELD_NEEDS = ['required', 'asked', 'assigned'] as const
export type FieldNeed = (typeof FIELD_NEEDS)[number]

/** Fields that a receiver asks for, each with its foundation. */
export interface Ask extends Foundation {
  readonly need: FieldNeed
}

/** Fields that are known to be asked for; nothing is known of the others. */
export type Asks = Readonly<Partial<Record<ReleaseField, Ask>>>
