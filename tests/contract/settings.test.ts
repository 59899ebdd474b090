import { expect, test } from 'vitest'
import { MasterSettings } from '../../src-contract/master-settings-schema.ts'
import { DEFAULT_SETTINGS, jobSettings, masterSettings, SETTING_NAMES } from '../../src-contract/settings.ts'

test('a setting that stored settings do not know has its default, and what they hold beyond the settings goes', () => {
  const stored = { platforms: ['melon' as const], genre: 'edm' as const, job_id: 'x' }
  expect(masterSettings(stored)).toEqual({ ...DEFAULT_SETTINGS, platforms: ['melon'], genre: 'edm' })
  const { reference_source_id: _reference, stem_mix: _mix, ...ofJob } = DEFAULT_SETTINGS
  expect(jobSettings(stored)).toEqual({ ...ofJob, platforms: ['melon'], genre: 'edm' })
})

test('settings are written in one order, whatever the order in which they came', () => {
  const turned = Object.fromEntries(Object.entries(DEFAULT_SETTINGS).reverse()) as MasterSettings
  expect(Object.keys(masterSettings(turned))).toEqual(Object.keys(MasterSettings.properties))
  expect(Object.keys(jobSettings(turned))).toEqual(['platforms', ...SETTING_NAMES, 'targets', 'recipe'])
})
