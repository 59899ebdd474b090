import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import {
  DEFAULT_SETTINGS,
  jobSettings,
  NEUTRAL_SOUND,
  SETTINGS,
  STEERING_NAMES,
  STYLE_NAMES,
} from '../../src-contract/settings.ts'
import { STYLES, tellingNames, withStyle } from '../../src-contract/styles.ts'

const platforms = ['melon' as const]

test('a style stands for its published values, and a setting that is named itself counts instead', () => {
  const warm = jobSettings({ platforms, ...withStyle({ style: 'warm', warmth: 0 }) })
  expect(warm).toMatchObject({ ...STYLES.warm, style: 'warm', warmth: 0 })
  expect(STYLES.warm.warmth).toBeGreaterThan(0)
  expect(withStyle({ genre: 'pop' })).toEqual({ genre: 'pop' })
})

test.each(STYLE_NAMES)(
  'the style %s gives every setting of the sound but the repairs, each within its bounds',
  (style) => {
    const { skip_repairs: _, ...neutral } = NEUTRAL_SOUND
    expect(Object.keys(STYLES[style])).toEqual(Object.keys(neutral))
    for (const name of Object.keys(STYLES.clean) as (keyof typeof STYLES.clean)[]) {
      expect(STYLES[style][name]).toBeGreaterThanOrEqual(SETTINGS[name].minimum)
      expect(STYLES[style][name]).toBeLessThanOrEqual(SETTINGS[name].maximum)
    }
  },
)

test('the clean style is the neutral sound, and no other is', () => {
  expect(NEUTRAL_SOUND).toEqual({ ...STYLES.clean, skip_repairs: [] })
  for (const style of STYLE_NAMES.slice(1)) expect(STYLES[style]).not.toEqual(STYLES.clean)
})

test('settings are told by those that are not neutral and not given by their style', () => {
  const told = (settings: Parameters<typeof jobSettings>[0]) =>
    tellingNames(jobSettings(settings)).filter((name) => STEERING_NAMES.some((steering) => steering === name))
  expect(told({ platforms })).toEqual([])
  expect(told({ platforms, ...withStyle({ style: 'warm' }) })).toEqual(['style'])
  expect(told({ platforms, ...withStyle({ style: 'warm', warmth: 0, skip_repairs: ['mud'] }) })).toEqual([
    'style',
    'warmth',
    'skip_repairs',
  ])
  expect(told({ platforms, target_lufs: -12, tilt_db: -0.5 })).toEqual(['tilt_db', 'target_lufs'])
})

test('naming the telling settings alone asks for the same settings', () => {
  const settings = jobSettings({ platforms, ...withStyle({ style: 'open', air_db: 0, punch: -20, target_lufs: -9.5 }) })
  const named = Object.fromEntries(tellingNames(settings).map((name) => [name, settings[name]]))
  expect(jobSettings({ platforms, ...withStyle(named) })).toEqual(settings)
  expect(DEFAULT_SETTINGS.style).toBe('clean')
})

test('the documentation gives the values of every style', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../docs/engine/steering.md'), 'utf8')
  for (const style of STYLE_NAMES.slice(1)) {
    const row = page.match(new RegExp(`^\\| \`${style}\` \\| (.*) \\|$`, 'm'))?.[1]
    const changed = Object.entries(STYLES[style]).filter(([name, value]) => value !== NEUTRAL_SOUND[name as 'punch'])
    expect(row).toBe(changed.map(([name, value]) => `\`${name}\` ${String(value).replace('-', '−')}`).join(', '))
  }
})
