/** Country, registrant, year and number (ISO 3901). */
const ISRC = /^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/

/** Returns a text in the form of an ISRC as its twelve characters, or undefined. Never throws. */
export function isrcOf(text: string): string | undefined {
  const bare = text
    .toUpperCase()
    .replace(/^\s*ISRC[\s:]*/, '')
    .replace(/[\s\u2010-\u2015-]/g, '')
  return ISRC.test(bare) ? bare : undefined
}
