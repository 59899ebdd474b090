/** Windows code page 949 (Unified Hangul Code); Node's `euc-kr` decoder knows only its KS X 1001 part. */

const FIRST_SYLLABLE = 0xac00
const SYLLABLES = 11_172
/** Bytes that end a character of the extension. */
const TRAIL_RANGES = [
  [0x41, 0x5a],
  [0x61, 0x7a],
  [0x81, 0xfe],
] as const
/** From this first byte on, second bytes above 0xa0 belong to KS X 1001. */
const FIRST_SHARED_LEAD = 0xa1

let extension: ReadonlyMap<number, string> | undefined

/** Returns the 8822 syllables missing from KS X 1001, which the code page has in Unicode order. */
function readExtension(): ReadonlyMap<number, string> {
  const standard = new Set<string>()
  const decoder = new TextDecoder('euc-kr')
  for (let lead = 0xb0; lead <= 0xc8; lead++) {
    for (let trail = 0xa1; trail <= 0xfe; trail++) standard.add(decoder.decode(Uint8Array.of(lead, trail)))
  }
  const missing = Array.from({ length: SYLLABLES }, (_, i) => String.fromCharCode(FIRST_SYLLABLE + i)).filter(
    (syllable) => !standard.has(syllable),
  )
  const codes = new Map<number, string>()
  for (let lead = 0x81; codes.size < missing.length; lead++) {
    for (const [first, last] of TRAIL_RANGES) {
      const end = lead >= FIRST_SHARED_LEAD ? Math.min(last, 0xa0) : last
      for (let trail = first; trail <= end && codes.size < missing.length; trail++) {
        codes.set((lead << 8) | trail, missing[codes.size]!)
      }
    }
  }
  return codes
}

/** Decodes bytes in code page 949; undefined if they are not valid. Never throws. */
export function decodeCp949(bytes: Uint8Array): string | undefined {
  const decoder = new TextDecoder('euc-kr')
  let text = ''
  for (let i = 0; i < bytes.length; i++) {
    const lead = bytes[i]!
    if (lead < 0x80) {
      text += String.fromCharCode(lead)
      continue
    }
    const trail = bytes[++i] ?? 0
    extension ??= readExtension()
    const isShared = lead >= FIRST_SHARED_LEAD && trail > 0xa0
    const character = isShared ? decoder.decode(Uint8Array.of(lead, trail)) : extension.get((lead << 8) | trail)
    // The rows of user-defined characters decode to the private use area.
    if (character?.length !== 1 || /[\ufffd\p{Co}]/u.test(character)) return undefined
    text += character
  }
  return text
}
