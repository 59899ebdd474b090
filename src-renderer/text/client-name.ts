/** Short program names from the User-Agent header (RFC 9110, section 10.1.5). Pure. */

/** Browsers also name their ancestors: the most specific name comes first. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Electron', 'Electron'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const
const MOST_CHARACTERS = 24

/**
 * Returns the program's name without versions and comments, at most 24 characters; unchanged if it does not have this
 * form.
 */
export function clientName(userAgent: string): string {
  const products = userAgent
    .replace(/\([^)]*\)/g, ' ')
    .split(/\s+/)
    .filter(Boolean)
  const names = products.map((product) => product.split('/')[0] ?? '')
  const browser = names[0] === 'Mozilla' ? BROWSERS.find(([token]) => names.includes(token))?.[1] : undefined
  const name = browser ?? (products[0]?.includes('/') ? (names[0] ?? '') : userAgent.trim())
  return name.length > MOST_CHARACTERS ? `${name.slice(0, MOST_CHARACTERS - 1)}…` : name
}
