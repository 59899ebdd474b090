/** Building blocks of the sentences about decisions. */
import type { LocalizedText } from './language.ts'
import { count, decibels, frequency } from './numbers.ts'

/** Values of a decision, by their names in the program. */
export type SentenceValues = Readonly<Record<string, number | string>>

/** Words a decision from its values. Numbers that are missing leave a shorter sentence; never throws. */
export type Sentence = (values: SentenceValues) => LocalizedText

export const both = (en: string, ko: string): LocalizedText => ({ en, ko })

/** A frequency with its unit; empty for a value that is no number. */
export const hz = (value: number | string | undefined): string => (typeof value === 'number' ? frequency(value) : '')

/** The size of a level change with its unit, without its sign; empty for a value that is no number. */
export const db = (value: number | string | undefined): string =>
  typeof value === 'number' ? `${decibels(Math.abs(value), 1)} dB` : ''

export const percent = (value: number | string): string => `${Math.round(Number(value))} %`

/** The number of places in brackets; empty if they were not counted. */
export const places = (values: SentenceValues): string =>
  values.count === undefined ? '' : ` (${count(Number(values.count))})`
