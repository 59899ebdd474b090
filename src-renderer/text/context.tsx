/** The dictionary and the formats of the shown language, for every component. */
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import type { Language } from '../../src-server/contract/text/text.ts'
import { en, type Text } from './en.ts'
import { createFormat, type Format } from './format.ts'
import { ko } from './ko.ts'

export const TEXTS: Record<Language, Text> = { en, ko }

interface Words {
  readonly language: Language
  readonly t: Text
  readonly format: Format
}

const WordsContext = createContext<Words>({ language: 'en', t: en, format: createFormat('en') })

/** Gives the components below it the words of `language`. */
export function WordsProvider({ language, children }: { language: Language; children: ReactNode }) {
  const words = useMemo(() => ({ language, t: TEXTS[language], format: createFormat(language) }), [language])
  return <WordsContext value={words}>{children}</WordsContext>
}

/** The words of the shown language. */
export function useWords(): Words {
  return useContext(WordsContext)
}
