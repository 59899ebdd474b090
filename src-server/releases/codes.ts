/** Identifiers of the music trade: validation and conversion to their stored form. */

/** Digits of a UPC (GTIN-12) and of an EAN (GTIN-13). */
const LENGTHS = [12, 13]

/**
 * Returns the digits of a UPC or an EAN, without blanks and hyphens; undefined if the check digit is wrong (GS1 General Specifications,
 * section 7.9: weights 3 and 1 from the right). Never throws.
 */
export function upcOf(text: string): string | undefined {
  const digits = text.replace(/[\s-]/g, '')
  if (!/^\d+$/.test(digits) || !LENGTHS.includes(digits.length)) return undefined
  const sum = [...digits]
    .reverse()
    .reduce((total, digit, place) => total + Number(digit) * (place % 2 === 1 ? 3 : 1), 0)
  return sum % 10 === 0 ? digits : undefined
}

/** Returns whether a text is a day of the calendar, written as ISO 8601 does (`2026-05-01`). Never throws. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** Year, month and day, as in spreadsheets and Korean, with an optional midnight. */
const YEAR_FIRST = /^(\d{4})\s?[-./년]\s?(\d{1,2})\s?[-./월]\s?(\d{1,2})\s?[.일]?(?:[ T]0{1,2}:00(?::00(?:\.0+)?)?Z?)?$/

/** Returns a day that is written with its year first as ISO 8601 does; undefined for any other text. Never throws. */
export function dateOf(text: string): string | undefined {
  const [, year = '', month = '', day = ''] = YEAR_FIRST.exec(text.normalize('NFKC').trim()) ?? []
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDate(date) ? date : undefined
}

/** Letters of language codes. */
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz']

/** Two-letter codes (ISO 639-1) by the names of their languages in English, in Korean and in the language itself. */
let codesByName: ReadonlyMap<string, string> | undefined

function namedCodes(): ReadonlyMap<string, string> {
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
  const inLanguage = (language: string) => new Intl.DisplayNames([language], { type: 'language', fallback: 'none' })
  const [english, korean] = [inLanguage('en'), inLanguage('ko')]
  return new Map(
    codes.flatMap((code) => {
      const names = english.of(code) ? [english.of(code), korean.of(code), inLanguage(code).of(code)] : []
      return names.flatMap((name) => (name ? [[name.toLowerCase(), code] as const] : []))
    }),
  )
}

/**
 * Returns the code (BCP 47) of a language given by its code or its name in English, in Korean or in itself, such as `ko` for Korean and
 * 한국어; undefined for any other text. Never throws.
 */
export function languageOf(text: string): string | undefined {
  const given = text.trim().normalize().toLowerCase()
  codesByName ??= namedCodes()
  const [primary = '', ...subtags] = text.trim().split(/[-_]/)
  const isCode = /^[A-Za-z]{2,3}$/.test(primary) && subtags.every((tag) => /^[A-Za-z0-9]{2,8}$/.test(tag))
  return codesByName.get(given) ?? (isCode ? [primary.toLowerCase(), ...subtags].join('-') : undefined)
}
