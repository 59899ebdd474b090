/** Schema of the mastering settings of a song as one value. */
import Type, { type Static, type TUnsafe } from 'typebox'
import { exactly, oneOf, orNull, Uuid } from './common.ts'
import { PLATFORMS } from './platforms/index.ts'
import { ACCEPTED_SETTINGS, SettingRecipe, SettingTargets } from './setting-schemas.ts'
import { type JobSettings, MASTER_MEMBERS, type MasterSettings as MasterSettingsValue } from './settings.ts'
import { StemMix } from './stem-mix-schemas.ts'

const members = {
  platforms: Type.Array(oneOf(PLATFORMS), { minItems: 1, uniqueItems: true }),
  ...ACCEPTED_SETTINGS,
  targets: SettingTargets as unknown as TUnsafe<JobSettings['targets']>,
  recipe: SettingRecipe as unknown as TUnsafe<JobSettings['recipe']>,
  reference_source_id: orNull(Uuid),
  stem_mix: Type.Optional(orNull(StemMix)) as unknown as TUnsafe<MasterSettingsValue['stem_mix']>,
}

/** Mastering settings of a song. */
export const MasterSettings = exactly(
  Object.fromEntries(MASTER_MEMBERS.map((name) => [name, members[name]])) as {
    [Name in keyof MasterSettingsValue]: (typeof members)[Name]
  },
)
export type MasterSettings = Static<typeof MasterSettings>
