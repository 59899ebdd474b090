/** Sentences of the contract's codes in the reader's language. */
import type { ErrorCode, ErrorParams, FailureCode } from '../errors.ts'
import type { WarningCode } from '../report.ts'
import { fromWireValues } from '../wire-values.ts'
import * as en from './en.ts'
import * as ko from './ko.ts'
import type { Language } from './language.ts'

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
