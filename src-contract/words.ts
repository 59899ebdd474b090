/** Words about the sound as settings, by a grammar and without a model (extension). It proposes; nothing is charged. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf } from './common.ts'
import { endpoints } from './endpoint.ts'
import { MAX_WORDS_LENGTH } from './limits.ts'
import { PLATFORMS } from './platforms/index.ts'
import { CHANGED_SETTINGS } from './setting-schemas.ts'
import { SETTING_NAMES } from './settings.ts'
import { LANGUAGES } from './text/language.ts'

/** Settings that words ask for, with their values; always within their bounds. */
export const SaidSettings = exactly({
  platforms: Type.Optional(Type.Array(oneOf(PLATFORMS), { minItems: 1, uniqueItems: true })),
  ...CHANGED_SETTINGS,
})

export const WordsRequest = exactly({
  words: Type.String({
    minLength: 1,
    maxLength: MAX_WORDS_LENGTH,
    description: 'What the master should sound like, in English or Korean, or both.',
    examples: ['warmer and less harsh, a bit louder'],
  }),
  language: Type.Optional(oneOf(LANGUAGES, 'Language of `summary`; that of `Accept-Language` when absent.')),
  // Settings from which "warmer" and "less" go; the defaults when absent.
  settings: Type.Optional(SaidSettings),
})

export const WordsAnswer = exactly({
  // The settings that change.
  settings: SaidSettings,
  understood: Type.Array(
    exactly({
      words: Type.String({ description: 'Words of the sentence.' }),
      // Empty where something is to stay as it is.
      settings: SaidSettings,
    }),
    { description: 'What was understood, in order.' },
  ),
  unknown: Type.Array(Type.String(), { description: 'Words without a known meaning, in order.' }),
  limited: Type.Array(
    exactly({
      words: Type.String({ description: 'Words of the sentence.' }),
      setting: oneOf(SETTING_NAMES, 'The setting.'),
      reason: oneOf(
        ['range', 'contradiction'],
        '`range`: the setting stands at the end of its range; `contradiction`: later words ask for the opposite and count.',
      ),
    }),
    { description: 'Words that are not followed in full, in order.' },
  ),
  summary: Type.String({ description: 'All of it in a sentence or two.' }),
})
export type WordsAnswer = Static<typeof WordsAnswer>

export const wordsEndpoints = endpoints({
  readWords: {
    method: 'POST',
    path: '/api/v1/words',
    access: 'caller',
    scope: 'read',
    tag: 'Jobs',
    summary: 'Turn words about the sound into settings (extension)',
    description:
      'A deterministic grammar with the vocabulary of mastering, in English and Korean: comparatives, amounts, figures with units, negation, and "like the last one" for the settings of the newest job. Comparatives go from `settings`, or the defaults; the answer has those that change, and beside each group of words what it asks for: nothing where something is to stay as it is. Free; nothing is stored or started.',
    body: WordsRequest,
    answers: {
      200: { description: 'The settings that the words ask for, and what was not understood.', schema: WordsAnswer },
    },
    errors: [],
  },
})
