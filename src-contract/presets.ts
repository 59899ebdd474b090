/** Presets for programs: named settings, among them a recipe or saved targets. The page shows the same ones. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf } from './common.ts'
import { endpoints } from './endpoint.ts'
import { MasterSettings } from './master-settings-schema.ts'
import { PLATFORMS } from './platforms/index.ts'
import { CHANGED_SETTINGS, SettingRecipe, SettingTargets } from './setting-schemas.ts'

const { reference_source_id: _reference, stem_mix: _mix, ...settings } = MasterSettings.properties

/** A preset as it is answered, which can be saved elsewhere as it is. */
export const NamedSettings = exactly({
  name: Type.String(),
  settings: exactly({ ...settings, targets: SettingTargets, recipe: SettingRecipe }),
})
export type NamedSettings = Static<typeof NamedSettings>

/** Settings of a preset; all others have their defaults. */
export const PresetChange = exactly({
  settings: exactly({
    platforms: Type.Optional(Type.Array(oneOf(PLATFORMS), { minItems: 1, uniqueItems: true })),
    ...CHANGED_SETTINGS,
    targets: SettingTargets,
    recipe: SettingRecipe,
  }),
})
export type PresetChange = Static<typeof PresetChange>

const tag = 'Jobs'
const params = exactly({
  name: Type.String({
    minLength: 1,
    maxLength: 60,
    description:
      'Name of the preset; blanks around it do not count. Clients drop the names `.` and `..` from an address: write `.%20` and `..%20`.',
  }),
})

export const presetEndpoints = endpoints({
  readPresets: {
    method: 'GET',
    path: '/api/v1/presets',
    access: 'caller',
    scope: 'read',
    tag,
    summary: 'List the presets (extension)',
    description:
      'Named settings with all their values, as the page saves them too; with the field `preset` a job starts from one. `settings` of an answer can be saved again, here or elsewhere.',
    answers: {
      200: { description: 'All presets.', schema: exactly({ presets: Type.Array(NamedSettings) }) },
    },
    errors: [],
  },
  savePreset: {
    method: 'PUT',
    path: '/api/v1/presets/{name}',
    access: 'caller',
    scope: 'all',
    tag,
    summary: 'Save a preset (extension)',
    description:
      'Makes a preset, or replaces that of the same name. A preset may hold a recipe instead of settings of the sound, and saved targets.',
    params,
    body: PresetChange,
    answers: { 200: { description: 'The preset.', schema: NamedSettings } },
    errors: [],
  },
  deletePreset: {
    method: 'DELETE',
    path: '/api/v1/presets/{name}',
    access: 'caller',
    scope: 'all',
    tag,
    summary: 'Delete a preset (extension)',
    description: 'Jobs that started from it keep their settings.',
    params,
    answers: { 204: { description: 'It is gone.' } },
    errors: ['NOT_FOUND'],
  },
})
