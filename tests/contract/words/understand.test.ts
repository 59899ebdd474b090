import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { CHANGED_SETTINGS } from '../../../src-contract/setting-schemas.ts'
import { DEFAULT_SETTINGS, SETTINGS } from '../../../src-contract/settings.ts'
import { understand } from '../../../src-contract/words/understand.ts'

/** Phrases with what they ask for: `knob+`, `knob-`, `name=value`, `?unknown`, `-` for nothing; `a/b` are equally right. */
const SETS = [1, 2, 3, 4, 5, 6].map((set) =>
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
