/** Answers to the forms about AI. */
import { expect, test } from 'vitest'
import type { AiUse, Disclosure } from '../../src-contract/disclosure.ts'
import { disclosureAnswers, isAnswered, trackDisclosure } from '../../src-contract/disclosure-answers.ts'

const stated = (uses: Readonly<Record<string, AiUse>>): Disclosure =>
  Object.fromEntries(Object.entries(uses).map(([category, use]) => [category, { use }]))
const NONE = { vocals: 'none', instrumentation: 'none', composition: 'none', lyrics: 'none' } as const

test.each([
  [{}, { lyrics: null, music: null, audio: null, asks_for_persona: false }, { track: null, composition: null }],
  [NONE, { lyrics: false, music: false, audio: 'none', asks_for_persona: false }, { track: false, composition: false }],
  [
    { ...NONE, vocals: 'generated' },
    { lyrics: false, music: false, audio: 'part', asks_for_persona: false },
    { track: true, composition: false },
  ],
  [
    { ...NONE, vocals: 'generated', instrumentation: 'generated', lyrics: 'assisted' },
    { lyrics: true, music: false, audio: 'all', asks_for_persona: true },
    { track: true, composition: true },
  ],
  [
    { vocals: 'generated' },
    { lyrics: null, music: null, audio: null, asks_for_persona: false },
    { track: null, composition: null },
  ],
] as const)('%j', (uses, distrokid, apple) => {
  expect(disclosureAnswers(stated(uses))).toEqual({ distrokid, apple })
})

test('post-production decides no answer, “none” is one, and blank is none', () => {
  expect(isAnswered(stated(NONE))).toBe(true)
  expect(isAnswered(stated({ ...NONE, post_production: 'generated' }))).toBe(true)
  const { lyrics: _, ...three } = NONE
  expect(isAnswered(stated(three))).toBe(false)
  expect(disclosureAnswers(stated({ ...NONE, post_production: 'generated' }))).toEqual(disclosureAnswers(stated(NONE)))
})

test('what is stated of a track counts before what is stated of its release', () => {
  const both = trackDisclosure(stated(NONE), stated({ vocals: 'generated' }))
  expect([both.vocals?.use, both.lyrics?.use]).toEqual(['generated', 'none'])
  expect(trackDisclosure()).toEqual({})
})
