/** Answers to the forms about AI. */
import { expect, test } from 'vitest'
import type { AiUse, Disclosure } from '../../src-contract/disclosure.ts'
import {
  disclosureAnswers,
  isAnswered,
  isArtworkTagged,
  trackDisclosure,
} from '../../src-contract/disclosure-answers.ts'
import { formSheets } from '../../src-contract/text/disclosure.ts'
import { disclosureSheet, sheetHtml } from '../../src-server/releases/disclosure.ts'

const stated = (uses: Readonly<Record<string, AiUse>>): Disclosure =>
  Object.fromEntries(Object.entries(uses).map(([category, use]) => [category, { use }]))
const NONE = { vocals: 'none', instrumentation: 'none', composition: 'none', lyrics: 'none' } as const

test.each([
  [{}, [null, null, null, null], [null, null]],
  [NONE, [false, false, false, 'none'], [false, false]],
  [{ ...NONE, vocals: 'generated' }, [true, false, false, 'part'], [true, false]],
  [
    { ...NONE, vocals: 'generated', instrumentation: 'generated', lyrics: 'assisted' },
    [true, true, false, 'all'],
    [true, true],
  ],
  // A partial statement only proves that some AI was used.
  [{ vocals: 'generated' }, [true, null, null, null], [true, null]],
] as const)('%j', (uses, [includes_ai, lyrics, music, audio], [track, composition]) => {
  expect(disclosureAnswers(stated(uses))).toEqual({
    distrokid: { includes_ai, lyrics, music, audio, asks_for_persona: audio === 'all' },
    apple: { track, composition },
    ddex: { vocals: null, instrumentation: null, composition: null, post_production: null, lyrics: null, ...uses },
  })
})

test('post-production decides no answer, “none” is one, and blank is none', () => {
  expect(isAnswered(stated(NONE))).toBe(true)
  expect(isAnswered(stated({ ...NONE, post_production: 'generated' }))).toBe(true)
  const { lyrics: _, ...three } = NONE
  expect(isAnswered(stated(three))).toBe(false)
  const { ddex: _ddex, ...exempt } = disclosureAnswers(stated({ ...NONE, post_production: 'generated' }))
  expect(disclosureAnswers(stated(NONE))).toMatchObject(exempt)
})

test('what is stated of a track counts before what is stated of its release', () => {
  const both = trackDisclosure(stated(NONE), stated({ vocals: 'generated' }))
  expect([both.vocals?.use, both.lyrics?.use]).toEqual(['generated', 'none'])
  expect(trackDisclosure()).toEqual({})
  // The cover is of the release alone.
  expect(trackDisclosure({ artwork: { use: 'generated' } })).toEqual({})
  expect([undefined, { use: 'none' as const }, { use: 'assisted' as const }].map(isArtworkTagged)).toEqual([
    ...[null, false, true],
  ])
})

const GENERATED = { use: 'generated' } as const
/** An EP of one song by a generator and one by people, with a generated cover. */
const MIXED = disclosureSheet(
  { ...stated(NONE), artwork: { use: 'generated', tools: 'Midjourney', model: 'v7' } },
  [],
  'Loudsmith 1',
  [
    { title: 'Made', disclosure: { vocals: GENERATED, instrumentation: GENERATED, composition: GENERATED } },
    { title: 'Played <live>' },
  ],
)

test('each form has its answers for each track, in both languages', () => {
  const [distrokid, apple, spotify] = formSheets(MIXED, 'en')
  const told = (answers: readonly { question: string; answer: string }[] = []) =>
    answers.map(({ question, answer }) => `${question}: ${answer}`)
  expect(distrokid?.tracks.map(({ answers }) => told(answers))).toEqual([
    [
      'Does this song include AI-generated music, vocals, or lyrics?: Yes',
      ...['Lyrics: No', 'Music: Yes', 'Audio: All of the audio', 'Human or AI persona: Only you can say'],
    ],
    ['Does this song include AI-generated music, vocals, or lyrics?: No'],
  ])
  expect(told(apple?.release)).toEqual(['Artwork: Set the tag', 'Music Video: A release has none'])
  expect(apple?.tracks.map(({ answers }) => told(answers))).toEqual([
    ['Track: Set the tag', 'Composition: Set the tag'],
    ['Track: No tag', 'Composition: No tag'],
  ])
  expect(told(spotify?.tracks[0]?.answers)).toEqual([
    ...['Vocals: Wholly by AI', 'Instrumentation: Wholly by AI', 'Composition: Wholly by AI'],
    ...['Post-production: Not stated yet', 'Lyrics: No AI'],
  ])
  const korean = formSheets(MIXED, 'ko')
  expect(korean.map(({ about }) => about).join()).toMatch(/마스터링/)
  expect(korean[0]?.tracks[1]?.answers.map(({ answer }) => answer)).toEqual(['아니요'])
})

test('the page has the statements by track, the cover and the answers, and never calls mastering generated', () => {
  const html = sheetHtml(MIXED, 'en')
  expect(html).toContain('Midjourney v7')
  expect(html).toContain('2. Played &lt;live&gt;')
  expect(html).toContain('Audio: <span class="stated">All of the audio</span>')
  const mastered = formSheets(disclosureSheet({}, [], 'Loudsmith 1', [{ title: 'A' }]), 'en')
  const answers = mastered.flatMap(({ release, tracks }) => [...release, ...tracks.flatMap((one) => one.answers)])
  expect(answers.filter(({ isStated }) => isStated).map(({ question }) => question)).toEqual(['Music Video'])
})

test('a source that names its generator proposes what it may have made, never the words, mixing or what is stated', () => {
  const trace = { track: 1, title: 'A', generator: 'Suno', model: 'v5', has_c2pa_manifest: false }
  const sheet = disclosureSheet({}, [trace], 'Loudsmith 1', [
    { title: 'A', disclosure: { vocals: { use: 'none' } } },
    { title: 'B' },
  ])
  const proposed = { use: 'generated', tools: 'Suno', model: 'v5' }
  expect(sheet.tracks?.map(({ proposals }) => proposals)).toEqual([
    ...[{ instrumentation: proposed, composition: proposed }, undefined],
  ])
  expect(sheet.tracks?.[0]?.statements).toEqual({ vocals: { use: 'none' } })
})
