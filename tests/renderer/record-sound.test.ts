import { expect, test } from 'vitest'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import { DEFAULT_SETTINGS } from '../../src-contract/settings.ts'
import { STYLES } from '../../src-contract/styles.ts'
import { changedSettings, countingSettings } from '../../src-renderer/screens/release/record-sound.tsx'

test('a track has its own sound over that of the record over the usual one', () => {
  expect(countingSettings()).toMatchObject({ platforms: PLATFORMS, genre: DEFAULT_SETTINGS.genre })
  const record = { platforms: ['melon' as const], genre: 'kpop' as const, warmth: 20 }
  expect(countingSettings(record, { warmth: 35 })).toMatchObject({ platforms: ['melon'], genre: 'kpop', warmth: 35 })
  // As the service reads it: a style gives the faders that are not named.
  expect(countingSettings({ style: 'warm' }).warmth).toBe(STYLES.warm.warmth)
})

test('a change keeps what was named before, and names nothing else', () => {
  expect(changedSettings({ genre: 'edm' }, { warmth: 10 })).toEqual({ genre: 'edm', warmth: 10 })
  expect(changedSettings(undefined, { warmth: 10 })).toEqual({ warmth: 10 })
})
