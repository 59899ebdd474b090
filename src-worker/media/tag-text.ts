/** Decoding of tag texts, whose encoding files often do not state. */

/** A character of two bytes in EUC-KR (KS X 1001; its rows 0xc9 and 0xfe are empty). */
const EUC_KR_PAIR = /[\xa1-\xc8\xca-\xfd][\xa1-\xfe]/g

/** Length at which ID3v1 cuts a text, even within a character, bytes. */
const ID3V1_BYTES = 30

/**
 * Returns the text that bytes spell; they come a character a byte. Never throws. RIFF INFO and ID3v1 do not say how their text is
 * encoded: what is not UTF-8 is Korean where all its high bytes pair up and make a Hangul syllable that no Latin letter follows,
 * and Western otherwise. Western words have high bytes side by side seldom, and then mostly outside the rows of Hangul (`créée`) or
 * before a letter (`¿Él`).
 */
export function decodeText(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1')
  const utf8 = decodeStrictly('utf-8', bytes)
  if (utf8 !== undefined && (utf8.length === bytes.length || /[^\0-\x7f]/.test(utf8))) return utf8
  const unpaired = raw.replace(EUC_KR_PAIR, ' ').slice(0, raw.length === ID3V1_BYTES ? -1 : undefined)
  const korean = /[^\0-\x7f]/.test(unpaired) ? undefined : decodeStrictly('euc-kr', bytes)
  if (korean && /[가-힣](?![A-Za-z])/.test(korean)) return korean
  return new TextDecoder('windows-1252').decode(bytes)
}

/** The text, less an unfinished last character; undefined when it is not in that encoding. */
function decodeStrictly(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return undefined
  }
}

/** Returns a text in NFC, trimmed. Line ends and tabs stay; other control characters and what was replaced by U+FFFD go. Never throws. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[^\P{Cc}\n\t]|\ufffd/gu, '')
    .trim()
}
