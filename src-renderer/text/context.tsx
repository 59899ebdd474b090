/** The dictionary and formats of the current language, for every component. */
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { Language } from '../../src-contract/text/language.ts'
import { unbroken } from '../../src-contract/text/numbers.ts'
import { type Refusal, refusalText } from '../state/refusal.ts'
import { en, type Text } from './en.ts'
import { createFormat, type Format } from './format.ts'
import { ko } from './ko.ts'

export const TEXTS: Record<Language, Text> = { en, ko }

interface Words {
  readonly language: Language
  readonly t: Text
  readonly format: Format
  /** Returns the sentence of a failure and its remedy. */
  readonly say: (refusal: Refusal) => string
}

const wordsOf = (language: Language): Words => ({
  language,
  t: TEXTS[language],
  format: createFormat(language),
  say: (refusal) => unbroken(refusalText(refusal, language)),
})

const WordsContext = createContext<Words>(wordsOf('en'))

/** Provides the words of `language` to the components below it. */
export function WordsProvider({ language, children }: { language: Language; children: ReactNode }) {
  const words = useMemo(() => wordsOf(language), [language])
  return <WordsContext value={words}>{children}</WordsContext>
}

/** The words of the current language. */
export function useWords(): Words {
  return useContext(WordsContext)
}
