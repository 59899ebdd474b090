/** Sentences of the contract's codes in the reader's language. */
import type { ErrorCode, ErrorParams, FailureCode } from '../errors.ts'
import type { WarningCode } from '../report.ts'
import { fromWireValues } from '../wire-values.ts'
import * as en from './en.ts'
import * as ko from './ko.ts'

export const LANGUAGES = ['en', 'ko'] as const
export type Language = (typeof LANGUAGES)[number]

const texts = { en, ko } satisfies Record<Language, typeof en>

type Sentence = (typeof en.errors)[ErrorCode]

/** Formats a sentence. Values may have their names in the code or on the wire. */
function say(sentence: Sentence, values: ErrorParams): string {
  return typeof sentence === 'string' ? sentence : sentence(fromWireValues(values))
}

/** Returns the sentence of an error. Missing values leave a shorter sentence; never throws. */
export function errorText(code: ErrorCode, values: ErrorParams = {}, language: Language = 'en'): string {
  return say(texts[language].errors[code], values)
}

/** Returns the sentence of the failure of an accepted job. Never throws. */
export function failureText(code: FailureCode, values: ErrorParams = {}, language: Language = 'en'): string {
  return say(texts[language].failures[code], values)
}

/** Returns the sentence of a warning. Never throws. */
export function warningText(code: WarningCode, values: ErrorParams = {}, language: Language = 'en'): string {
  return say(texts[language].warnings[code], values)
}

/**
 * Returns the language that an `Accept-Language` header asks for (RFC 9110, section 12.5.4): the listed language of ours with
 * the highest weight, the first one among equals; English when none is ours or the header is absent or malformed.
 */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  let best: Language = 'en'
  let bestWeight = 0
  for (const range of (acceptLanguage ?? '').split(',')) {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';')
    const language = LANGUAGES.find((known) => known === tag.split('-')[0])
    const quality = parameters.map((part) => part.trim()).find((part) => part.startsWith('q='))
    const weight = quality === undefined ? 1 : Number(quality.slice(2))
    if (language && weight > bestWeight) {
      best = language
      bestWeight = weight
    }
  }
  return best
}
