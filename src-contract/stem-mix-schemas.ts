/** Schemas of the mix of a song that is sent as stems. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf, orNull } from './common.ts'
import { REPAIR_KINDS } from './repair-kinds.ts'
import { CHANGED_SETTINGS } from './setting-schemas.ts'
import { MAX_STEMS } from './stem-limits.ts'
import { STEM_ROLES } from './stem-roles.ts'
import type { StemMix as MixValue, StemSettings as StemValue } from './stem-settings.ts'

const { tilt_db, bass_db, presence_db, air_db, width_percent, punch, warmth } = CHANGED_SETTINGS

/** Settings of one stem; each is neutral when absent. */
export const StemSettings = exactly({
  stem: Type.Integer({ minimum: 1, maximum: MAX_STEMS, description: 'Number of the stem in its set.' }),
  role: Type.Optional(oneOf(STEM_ROLES, 'Role of the stem instead of the one that its name tells.')),
  mute: Type.Optional(Type.Boolean({ description: 'True to leave the stem out.' })),
  solo: Type.Optional(Type.Boolean({ description: 'True to leave out all stems that are not solo.' })),
  gain_db: Type.Optional(Type.Number({ minimum: -12, maximum: 12, description: 'Gain, dB.' })),
  pan_percent: Type.Optional(
    Type.Integer({
      minimum: -100,
      maximum: 100,
      description: 'Place between left (−100) and right (100), at constant power; 0 leaves it.',
    }),
  ),
  low_cut_hz: Type.Optional(
    Type.Integer({ minimum: 20, maximum: 400, description: 'High-pass of 12 dB per octave at this frequency, Hz.' }),
  ),
  ...{ tilt_db, bass_db, presence_db, air_db, width_percent, punch, warmth },
  repairs: Type.Optional(
    Type.Array(oneOf(REPAIR_KINDS), {
      uniqueItems: true,
      description: 'Repairs that are made where this stem needs them; the sum is not searched for their faults then.',
    }),
  ),
})
export type StemSettings = StemValue

/** Rest of a song's stereo mix after the sum of its stems is subtracted. */
export const StemRest = exactly({
  residual_db: Type.Number({ description: 'Energy of the mix less the fitted sum, dB of the mix; −150 at least.' }),
  bands: Type.Array(
    exactly({
      low_hz: Type.Number(),
      high_hz: Type.Number(),
      residual_db: orNull(Type.Number()),
    }),
  ),
})
export type StemRest = Static<typeof StemRest>

/** Settings of a mix. */
export const StemMix = exactly({
  voice_forward_db: Type.Optional(
    Type.Number({
      minimum: -6,
      maximum: 6,
      description: 'Change of voice and backing against the rest at equal loudness of the whole, dB.',
    }),
  ),
  restore_missing: Type.Optional(
    Type.Boolean({
      description:
        'True to add what the stems lack: the stereo mix of the song, in their place and at their level, less their sum.',
    }),
  ),
  stems: Type.Optional(
    Type.Array(StemSettings, { maxItems: MAX_STEMS, description: 'Stems with settings of their own.' }),
  ),
})
export type StemMix = MixValue
