import type { FastifyInstance } from 'fastify'
import type { NamedSettings } from '../../src-contract/presets.ts'
import { presetEndpoints } from '../../src-contract/presets.ts'
import { DEFAULT_SETTINGS, masterSettings } from '../../src-contract/settings.ts'
import { checkedAt } from '../http/app-error.ts'
import { requireName } from '../http/display-name.ts'
import { route } from '../http/route.ts'
import { settled } from '../uploads/form.ts'
import type { BatchQueue } from './batch.ts'

/** Serves the presets of the page to programs. */
export function presetRoutes(app: FastifyInstance, batch: Pick<BatchQueue, 'presets' | 'savePreset' | 'removePreset'>) {
  route(app, presetEndpoints.readPresets, () => ({ status: 200, body: { presets: batch.presets().map(withoutSongs) } }))
  route(app, presetEndpoints.savePreset, ({ params, body }) => {
    const name = requireName(params.name, 'name')
    const settings = checkedAt('settings', () => settled(body.settings))
    const { platforms = DEFAULT_SETTINGS.platforms } = body.settings
    const preset = { name, settings: masterSettings({ ...settings, platforms }) }
    batch.savePreset(preset)
    return { status: 200, body: withoutSongs(preset) }
  })
  route(app, presetEndpoints.deletePreset, ({ params }) => {
    batch.removePreset(params.name)
    return { status: 204 }
  })
}

/** Stored songs are not known elsewhere: reference and mix are left out. */
function withoutSongs({ name, settings }: ReturnType<BatchQueue['presets']>[number]): NamedSettings {
  const { reference_source_id: _reference, stem_mix: _mix, ...others } = settings
  return { name, settings: others }
}
