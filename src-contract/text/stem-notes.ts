/** Remarks about a set of stems. */
import type { Language } from './language.ts'
import { sampleRate } from './numbers.ts'

/** Facts about a set that deserve a remark. */
export interface StemFacts {
  /** Names of silent stems. */
  readonly silent: readonly string[]
  readonly sampleRateHz: number
  /** True if stems had other rates. */
  readonly hasOtherRates: boolean
  /** True if stems are shorter than the longest. */
  readonly hasOtherLengths: boolean
  /** Name of the song's stereo mix, which is not part of the sum. */
  readonly original: string | undefined
}

const SENTENCES: {
  readonly [L in Language]: { readonly [Name in keyof Omit<StemFacts, 'sampleRateHz'>]: (facts: StemFacts) => string }
} = {
  en: {
    silent: ({ silent }) => `Silent: ${silent.join(', ')}.`,
    hasOtherRates: ({ sampleRateHz }) => `Stems of other rates are converted to ${sampleRate(sampleRateHz)}.`,
    hasOtherLengths: () => 'The stems differ in length: shorter ones are padded with silence at their end.',
    original: ({ original }) => `“${original}” is the whole mix: it is compared with the sum of the stems, not added.`,
  },
  ko: {
    silent: ({ silent }) => `무음: ${silent.join(', ')}.`,
    hasOtherRates: ({ sampleRateHz }) => `샘플레이트가 다른 스템은 ${sampleRate(sampleRateHz)}로 변환해요.`,
    hasOtherLengths: () => '스템의 길이가 서로 달라서 짧은 스템 끝에 무음을 붙여요.',
    original: ({ original }) => `“${original}”은(는) 전체 믹스라서 더하지 않고 스템의 합과 비교만 해요.`,
  },
}

/** Returns the remarks about a set, each a sentence; empty without any. */
export function stemNotes(facts: StemFacts, language: Language): string[] {
  const sentences = SENTENCES[language]
  return [
    ...(facts.silent.length > 0 ? [sentences.silent(facts)] : []),
    ...(facts.hasOtherRates ? [sentences.hasOtherRates(facts)] : []),
    ...(facts.hasOtherLengths ? [sentences.hasOtherLengths(facts)] : []),
    ...(facts.original === undefined ? [] : [sentences.original(facts)]),
  ]
}

/** Returns the words that say that a song is the sum of stems. */
export const fromStems = (count: number) => ({ en: `from ${count} stems`, ko: `스템 ${count}개로 만든 곡` })
