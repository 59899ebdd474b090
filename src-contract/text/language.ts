/** Languages that Loudsmith speaks. */

export const LANGUAGES = ['en', 'ko'] as const
export type Language = (typeof LANGUAGES)[number]

/** The name of each language in itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', ko: '한국어' }

/** A text in every language. */
export type LocalizedText = Readonly<Record<Language, string>>

/** Returns the language of a locale such as `ko_KR.UTF-8` or `ko-KR`; English for unsupported ones. Never throws. */
export function languageOfLocale(locale: string): Language {
  const [tag] = locale.toLowerCase().split(/[^a-z]/)
  return LANGUAGES.find((known) => known === tag) ?? 'en'
}

/**
 * Returns the language for an `Accept-Language` header (RFC 9110, section 12.5.4): the supported language with the highest weight, the
 * first one among equals; English if none is supported or the header is absent or malformed.
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
