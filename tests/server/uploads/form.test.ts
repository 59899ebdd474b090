import { expect, test } from 'vitest'
import { type JobSettings, jobSettings, SETTINGS, shownSettings } from '../../../src-contract/settings.ts'
import { STYLES } from '../../../src-contract/styles.ts'
import { AppError } from '../../../src-server/http/app-error.ts'
import { fingerprintOf, requestParts } from '../../../src-server/jobs/idempotency.ts'
import { changedRequest, readMasterForm } from '../../../src-server/uploads/form.ts'

const context = {
  caller: { via: 'session' } as const,
  files: new Set(['file']),
  isStemSet: () => false,
  presetOf: () => undefined,
  checkWebhookUrl: () => undefined,
}

function read(fields: Readonly<Record<string, string | readonly string[]>>): JobSettings {
  const values = Object.entries({ platforms: 'melon', ...fields }).map(
    ([name, value]) => [name, typeof value === 'string' ? [value] : value] as const,
  )
  return readMasterForm(new Map(values), context).request.settings
}

function refusal(fields: Readonly<Record<string, string | readonly string[]>>): unknown {
  try {
    return read(fields)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { code: error.code, param: error.param, details: error.details }
  }
}

test('decimals are read as they are written: with a sign, without one, with a point', () => {
  expect(
    read({ tilt_db: '-1.5', bass_db: '+2', presence_db: '0.25', air_db: ' -6.0 ', target_lufs: '-9.7' }),
  ).toMatchObject({ tilt_db: -1.5, bass_db: 2, presence_db: 0.25, air_db: -6, target_lufs: -9.7 })
})

test('amounts below zero are read, and the bounds themselves are allowed', () => {
  expect(read({ punch: '-100', width_percent: '200', warmth: '100' })).toMatchObject({
    punch: -100,
    width_percent: 200,
    warmth: 100,
  })
})

test.each(['1,5', '1e1', '-3.1', '3.01', 'Infinity', 'loud', '0x1', '.', '--1', '1.', '−1'])(
  'the text %j for a level is refused with its bounds',
  (tilt_db) => {
    expect(refusal({ tilt_db })).toEqual({
      code: 'INVALID_REQUEST',
      param: 'tilt_db',
      details: [{ rule: 'number_between', least: -3, most: 3 }],
    })
  },
)

test.each(['0.5', '101', '-101', '+5'])('the text %j for an amount is refused with its bounds', (punch) => {
  expect(refusal({ punch })).toEqual({
    code: 'INVALID_REQUEST',
    param: 'punch',
    details: [{ rule: 'between', least: -100, most: 100 }],
  })
})

test('repairs are a list: separated by commas or repeated, each once, in their order', () => {
  expect(read({ skip_repairs: ' mud, clicks' }).skip_repairs).toEqual(['clicks', 'mud'])
  expect(read({ skip_repairs: ['mud', 'rumble,mud'] }).skip_repairs).toEqual(['rumble', 'mud'])
  expect(read({ skip_repairs: '' }).skip_repairs).toEqual([])
})

test('an unknown repair is refused, and the answer names those that there are', () => {
  expect(refusal({ skip_repairs: 'mud,noise' })).toEqual({
    code: 'INVALID_REQUEST',
    param: 'skip_repairs',
    details: [{ rule: 'some_of', words: SETTINGS.skip_repairs.values }],
  })
})

test('a style gives what is not named itself; without any of these fields nothing is set', () => {
  expect(read({ style: 'punchy', punch: '10' })).toEqual(
    jobSettings({ platforms: ['melon'], ...STYLES.punchy, style: 'punchy', punch: 10 }),
  )
  expect(read({})).toEqual(jobSettings({ platforms: ['melon'] }))
})

test('a job that is made again keeps its sound, takes a style as a whole, and can give its target up', () => {
  const first = { settings: jobSettings({ platforms: ['melon'], tilt_db: 2, target_lufs: -9 }) }
  const again = (changes: Parameters<typeof changedRequest>[1]) =>
    changedRequest(first, changes, context.checkWebhookUrl).settings
  expect(again({ genre: 'pop' })).toMatchObject({ tilt_db: 2, target_lufs: -9 })
  expect(again({ style: 'warm', punch: 5 })).toMatchObject({ ...STYLES.warm, style: 'warm', punch: 5, target_lufs: -9 })
  expect(again({ target_lufs: null })).toMatchObject({ tilt_db: 2, target_lufs: null })
})

test('a request without steering is known again under its key from before there was any', () => {
  const parts = (fields: Readonly<Record<string, string>>) => requestParts({ settings: read(fields) })
  const before = {
    ...{ platforms: ['melon'], genre: 'other', aiService: 'other', tier: 'standard', intensity: 50 },
    ...{ loudness: 'platform', referenceAmount: 70 },
  }
  expect(JSON.stringify(parts({}))).toBe(JSON.stringify(before))
  const neutral = { style: 'clean', tilt_db: '-0', width_percent: '100', skip_repairs: ',', target_lufs: '' }
  expect(fingerprintOf(parts(neutral))).toBe(fingerprintOf(before))
  for (const other of [{ tilt_db: '0.1' }, { skip_repairs: 'mud' }, { target_lufs: '-14' }, { style: 'open' }])
    expect(fingerprintOf(parts(other as Record<string, string>))).not.toBe(fingerprintOf(before))
})

test('formats are a list in the order of the table, a flag is true or false, and without them a request is as before', () => {
  expect(read({ formats: 'mp3_320, flac24', release_master: 'true' })).toMatchObject({
    formats: ['flac24', 'mp3_320'],
    release_master: true,
  })
  expect(read({ release_master: 'false' })).toEqual(read({}))
  expect(refusal({ release_master: 'yes' })).toMatchObject({ param: 'release_master', details: [{ rule: 'flag' }] })
  expect(refusal({ formats: 'ogg' })).toMatchObject({ param: 'formats', details: [{ rule: 'some_of' }] })
  expect(shownSettings(read({}))).not.toHaveProperty('formats')
  expect(shownSettings(read({}))).not.toHaveProperty('release_master')
  expect(shownSettings(read({ formats: 'wav24' }))).toMatchObject({ formats: ['wav24'] })
})
