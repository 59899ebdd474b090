/** Longest name in characters: more than any program calls itself. */
const MAX_LENGTH = 40

/** Browsers by the product token that distinguishes each from those whose tokens it also sends, the most specific first. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bWindowsPowerShell\/|\bPowerShell\//, 'PowerShell'],
  [/\bElectron\//, 'Electron'],
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bWhale\//, 'Whale'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

/**
 * Returns a short name for what a User-Agent header says (RFC 9110 section 10.1.5): a browser by its name alone, any other program by
 * its first product with major and minor version, such as `curl 8.5`. At most 40 printable characters; a short name stays as it is.
 * Undefined for nothing that can be shown. Never throws.
 */
export function clientName(userAgent: string | undefined): string | undefined {
  const text = (userAgent ?? '').replace(/[^\x20-\x7e]+/g, ' ').trim()
  if (text === '') return undefined
  if (/^(Mozilla|Opera)\//.test(text)) {
    return BROWSERS.find(([token]) => token.test(text))?.[1] ?? 'Browser'
  }
  const [, product = '', version = ''] = /^([^\s/]+)\/(\S+)/.exec(text) ?? []
  if (product === '') return text.slice(0, MAX_LENGTH).trim()
  const [majorMinor = ''] = /^v?\d+(\.\d+)?/.exec(version) ?? []
  return `${product.slice(0, MAX_LENGTH - 12)} ${majorMinor.slice(0, 11)}`.trim()
}
