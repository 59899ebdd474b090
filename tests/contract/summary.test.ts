/** The short text about what mastering changes: what a musician reads before and after a job. */
import { expect, test } from 'vitest'
import { DECISION_CODES, type Decision, type DecisionCode } from '../../src-contract/report.ts'
import { changeSummary, type LevelChange } from '../../src-contract/text/summary.ts'

const told = (code: DecisionCode, values: Decision['values'] = {}) => ({ code, values })
const level = (platform: LevelChange['platform'], gain_db: number, max_gain_reduction_db = 0) => ({
  ...{ platform, gain_db, max_gain_reduction_db },
})
const words = (...args: Parameters<typeof changeSummary>) => {
  const { en, ko } = changeSummary(...args)
  return [en, ko].map((text) => text.replaceAll('\u00a0', ' '))
}

test('a master that is only louder or quieter says so, and that nothing was wrong', () => {
  expect(words([told('NOTHING_TO_REPAIR'), told('TONE_LEFT_ALONE')], [level('spotify', -1.24)])).toEqual([
    'Only the level: Spotify −1.2 dB. No fault was found.',
    '음량만: Spotify −1.2 dB. 결함은 없었어요.',
  ])
})

test('what was done stands in the order of the chain, then the levels, with the strongest limiting', () => {
  const decisions = [
    told('BASS_MADE_MONO', { frequency_hz: 110 }),
    told('MUD_CUT', { frequency_hz: 240, gain_db: -1.62 }),
    told('TONE_DULLNESS_LIFTED', { frequency_hz: 6000, gain_db: 2 }),
    told('LIMITED', { max_gain_reduction_db: 2 }),
  ]
  const levels = [level('apple_music', 0.1), level('youtube', 2.12, 1.44), level('spotify', 2.08, 1.4)]
  expect(words(decisions, levels)).toEqual([
    'Low end centred below 110 Hz, mud at 240 Hz −1.6 dB, highs above 6 kHz +2.0 dB. Level: Spotify, YouTube +2.1 dB, Apple Music +0.1 dB, peaks up to −1.4 dB.',
    '110 Hz 아래 저역 모노, 240 Hz 뭉침 −1.6 dB, 6 kHz 위 고역 +2.0 dB. 음량: Spotify, YouTube +2.1 dB, Apple Music +0.1 dB, 피크 최대 −1.4 dB.',
  ])
})

test('a fault that was left alone as asked is not called none', () => {
  expect(words([told('REPAIR_SKIPPED', { repair: 'clicks' })], [level('melon', 1)])[0]).toBe(
    'Only the level: Melon +1.0 dB.',
  )
})

test.each(DECISION_CODES)('speaks of %s without its numbers', (code) => {
  for (const text of words([told(code)])) expect(text).not.toMatch(/undefined|NaN|null| {2}/)
})
