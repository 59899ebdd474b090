/** Short names of programs, from the User-Agent that they send (RFC 9110, section 10.1.5). Pure. */

/** Browsers name their ancestors too: what is most special comes first. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Electron', 'Electron'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const
const MOST_CHARACTERS = 24

/** Returns the name of the program without versions and comments, at most 24 characters; as it is where it has no such form. */
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
