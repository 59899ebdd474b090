/** Numbers of the music trade: checked, and brought into the form in which they are stored. */

/** Digits of a UPC (GTIN-12) and of an EAN (GTIN-13). */
const LENGTHS = [12, 13]

/**
 * Returns a UPC or an EAN as its digits, without blanks and hyphens; undefined where the last digit does not check the others (GS1 General
 * Specifications, section 7.9: weights 3 and 1 from the right). Never throws.
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
