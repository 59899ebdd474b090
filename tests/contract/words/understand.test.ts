import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { CHANGED_SETTINGS } from '../../../src-contract/setting-schemas.ts'
import { DEFAULT_SETTINGS, SETTINGS } from '../../../src-contract/settings.ts'
import { TERMS } from '../../../src-contract/words/lexicon.ts'
import { understand } from '../../../src-contract/words/understand.ts'

/** Phrases with what they ask for: `knob+`, `knob-`, `name=value`, `?unknown`, `-` for nothing; `a/b` are equally right. */
const SETS = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((set) =>
  readFileSync(path.join(import.meta.dirname, `phrases-${set}.tsv`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t') as [string, string]),
)
const LAST = { presence_db: 0.5 }

/** Returns what is wrong with the understanding of a phrase; empty if nothing is. */
function faults(phrase: string, wanted: string): string[] {
  const { settings, understood, unknown } = understand(phrase, { last: LAST })
  const base: Record<string, unknown> = /last (one|time)|before but|저번|지난번/.test(phrase)
    ? { ...DEFAULT_SETTINGS, ...LAST }
    : { ...DEFAULT_SETTINGS }
  const found = Object.entries(settings).filter(([name, value]) => JSON.stringify(base[name]) !== JSON.stringify(value))
  const asked = wanted === '-' ? [] : wanted.split(' ')
  const words = asked.filter((one) => one.startsWith('?')).map((one) => one.slice(1))
  const wishes = asked.filter((one) => !one.startsWith('?')).map((one) => one.split('/'))
  const touched = new Set(understood.flatMap((one) => Object.keys(one.settings)))
  const isMet = (wish: string) => {
    const [, name = '', change = ''] = /^(\w+)(.*)$/.exec(wish) ?? []
    if (!touched.has(name)) return false
    const value = (settings as Record<string, unknown>)[name] ?? base[name]
    if (change.startsWith('=')) return String([value].flat().sort()) === String(change.slice(1).split(',').sort())
    // Nothing is warmer than the warmest: a setting may stand at its end already.
    if (value === (SETTINGS as Record<string, { minimum?: number }>)[name]?.minimum) return change === '-'
    const before = name === 'target_lufs' ? (change === '+' ? -11 : -16) : Number(base[name])
    return Math.sign(Number(value) - before) === (change === '+' ? 1 : -1)
  }
  const named = wishes.flat().map((wish) => /^\w+/.exec(wish)?.[0])
  return [
    ...wishes.filter((any) => !any.some(isMet)).map((any) => `not ${any.join('/')}`),
    ...found.filter(([name]) => !named.includes(name)).map(([name, value]) => `${name}=${value}`),
    ...words.filter((word) => !unknown.includes(word)).map((word) => `knows ${word}`),
    ...unknown.filter((word) => !words.includes(word)).map((word) => `?${word}`),
  ]
}

describe.each(SETS.map((phrases, index) => [index + 1, phrases] as const))('set %i', (_, phrases) => {
  test('at least nine of ten phrases move the right setting the right way', () => {
    const wrong = phrases.flatMap(([phrase, wanted]) => {
      const found = faults(phrase, wanted)
      return found.length === 0 ? [] : [`${phrase}: ${found.join(', ')}`]
    })
    expect(wrong.length / phrases.length, wrong.join('\n')).toBeLessThanOrEqual(0.1)
  })
})

const wishes = SETS.flat().map(([phrase]) => phrase)
const accepts = Compile(Type.Object(CHANGED_SETTINGS, { additionalProperties: false }))

test('any words ask for settings that the service takes, from wherever they start', () => {
  const far = { tilt_db: 3, bass_db: -6, presence_db: 4, air_db: 6, width_percent: 200, punch: -100, warmth: 100 }
  const sentence = fc.array(fc.oneof(fc.constantFrom(...wishes), fc.string({ unit: 'grapheme' })), { maxLength: 4 })
  fc.assert(
    fc.property(sentence, fc.boolean(), (parts, isFar) => {
      const { settings, understood } = understand(parts.join(', '), { from: isFar ? far : {}, last: { warmth: 40 } })
      for (const { platforms: _, ...asked } of [settings, ...understood.map((one) => one.settings)])
        expect([accepts.Check(asked), JSON.stringify(asked)]).toEqual([true, JSON.stringify(asked)])
    }),
    { numRuns: 300 },
  )
})

test.each<[string, object]>([
  // One movement each, before its target or behind it.
  ['less bass more air', { bass_db: -1.5, air_db: 1.5 }],
  ['bass way up treble down', { bass_db: 3, air_db: -1.5 }],
  ['저음 +2 고음 -1', { bass_db: 2, air_db: -1 }],
  ['저음 줄여 따뜻하게', { bass_db: -1.5, warmth: 25 }],
  ['저음은 그대로 고음만 올려줘', { air_db: 1.5 }],
  ['the bass is too much make it wider', { bass_db: -1.5, width_percent: 120 }],
  ['warm not loud', { warmth: 25 }],
  // Verbs in all their forms, and doubled words.
  ['고음이 찔러요', { presence_db: -1 }],
  ['저음을 줄였으면', { bass_db: -1.5 }],
  ['차가웠어요', { warmth: 25 }],
  ['찰랑찰랑하게', { air_db: 1.5 }],
  // Slips of the pen.
  ['more trebel', { air_db: 1.5 }],
  ['presense up 1.5 db', { presence_db: 1.5 }],
  ['louuuud', { target_lufs: -9.5 }],
  // Frequencies, loudness, places.
  ['cut 2-4k by 1 db', { presence_db: -1 }],
  ['80 Hz up 2 dB', { bass_db: 2 }],
  ['-9 LUFS, punchy', { target_lufs: -9, punch: 25 }],
  ['normalize to -16', { target_lufs: -16 }],
  ['as loud as Spotify lets me', { platforms: ['spotify'] }],
  ['big 808s', { bass_db: 1.5 }],
  ['vocals lost on the sides', { presence_db: 1 }],
  // Wishes that something need not change, may change, or should stay.
  ['더 밝지 않아도 돼요 크게만', { target_lufs: -9.5 }],
  ['고음 쏴도 되니까 밝게', { tilt_db: 1 }],
  ['dont squash it', { dynamics_amount: 60 }],
  ['more compression', { density: 25 }],
  ['반주 줄여줘', { presence_db: 1 }],
  ['less bass, the kick too', { bass_db: -1.5, punch: -25 }],
])('%s', (phrase, settings) => {
  expect(understand(phrase).settings).toEqual(settings)
})

test.each<[string, object]>([
  // One of two things covers the other.
  ['the bass swallows the vocals', { bass_db: -1.5 }],
  ['the guitars are masking the vocal', { presence_db: 1 }],
  ['기타가 보컬을 가려요', { presence_db: 1 }],
  ['베이스가 보컬을 덮어요', { bass_db: -1.5 }],
  // Lack, excess, and qualities that should not be there.
  ['the kick has no weight', { bass_db: 1.5 }],
  ['it isnt quite bright enough', { tilt_db: 1 }],
  ['dont make it so loud', { target_lufs: -17.5 }],
  ['튀지 않게 보컬을', { presence_db: -1 }],
  ['어둡지 않게', { tilt_db: 1 }],
  // Results and manners, several wishes without a mark between them, and words without spaces.
  ['묵직하게 눌러주세요', { bass_db: 1.5 }],
  ['고음을 부드럽게 깎아줘', { air_db: -1.5 }],
  ['더 따뜻하게 조금 더 크게', { warmth: 25, target_lufs: -10.2 }],
  ['저음줄여줘', { bass_db: -1.5 }],
  ['킥세게', { punch: 25 }],
  ['벙벙하지않게', { bass_db: -1.5 }],
  // Statements: a level in the familiar form, and a description of the sound.
  ['보컬이 작아', { presence_db: 1 }],
  ['소리가 좁게 들려요', { width_percent: 120 }],
  // Formed words, pronouns, and unknown words that take a "more".
  ['cloudier', { tilt_db: -1 }],
  ['the vocals are quiet, make them louder', { presence_db: 1 }],
  ['make the vocals more sad', {}],
  ['bass and vocals up', { bass_db: 1.5, presence_db: 1 }],
])('%s', (phrase, settings) => {
  expect(understand(phrase).settings).toEqual(settings)
})

test.each<[string, object]>([
  ['warmer by 999 dB', [{ words: 'warmer 999 dB', setting: 'warmth', reason: 'range' }]],
  ['-3 LUFS', [{ words: '-3 LUFS', setting: 'target_lufs', reason: 'range' }]],
  ['warmth 100', []],
  ['brighter but darker', [{ words: 'brighter', setting: 'tilt_db', reason: 'contradiction' }]],
  ['저음 올리고 저음 내려', [{ words: '저음 올리고', setting: 'bass_db', reason: 'contradiction' }]],
  // Neither ruling a fault out nor a part behind the voice contradicts a wish.
  ['fat but not boomy', []],
  ['more vocal, less guitar', []],
])('what is not done in full is told: %s', (phrase, limited) => {
  expect(understand(phrase).limited).toEqual(limited)
})

test('a long word is not taken apart', () => {
  const word = '좀더'.repeat(250)
  expect(understand(word).unknown).toEqual([word])
})

test('every quality, part and level has its setting', () => {
  for (const { meaning } of TERMS)
    if (meaning.kind === 'quality' || meaning.kind === 'part') expect(SETTINGS).toHaveProperty(meaning.knob)
    else if (meaning.kind === 'level') expect(SETTINGS).toHaveProperty(meaning.alone)
})

test('a word that is no slip of a known one is named as unknown', () => {
  const words = ['brass', 'tower', 'timing', 'stranger', 'former', 'weather', 'tribal']
  expect(words.flatMap((word) => understand(`more ${word}`).unknown)).toEqual(words)
})

test('steps go from the settings of the moment, or from those of the job before', () => {
  expect(understand('warmer', { from: { warmth: 30 } }).settings).toEqual({ warmth: 55 })
  expect(understand('a bit warmer').settings).toEqual({ warmth: 13 })
  expect(understand('much warmer').settings).toEqual({ warmth: 50 })
  expect(understand('like the last one but wider', { last: { warmth: 40 } }).settings).toEqual({
    ...{ warmth: 40, width_percent: 120 },
  })
  expect(understand('like the last one').unknown).toEqual(['like the last one'])
  // No platform gets quieter by "louder": it goes from the loudest target.
  expect(understand('louder', { from: { platforms: ['apple_music'] } }).settings).toEqual({ target_lufs: -14.5 })
  expect(understand('louder', { from: { platforms: ['apple_music', 'melon'] } }).settings).toEqual({
    target_lufs: -9.5,
  })
})
