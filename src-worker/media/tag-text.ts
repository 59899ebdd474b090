/** Decoding of tag texts; files often do not state their encoding. */

import { decodeCp949 } from './cp949.ts'

/** A character of two bytes in EUC-KR (KS X 1001; its rows 0xc9 and 0xfe are empty). */
const EUC_KR_PAIR = /[\xa1-\xc8\xca-\xfd][\xa1-\xfe]/g

/** Length at which ID3v1 cuts a text, even within a character, bytes. */
const ID3V1_BYTES = 30

/** Characters of Japanese, without the half-width ones, whose bytes are those of Western letters. */
const KANA = /[\u3041-\u30ff]/
const JAPANESE = /^[\0-\x7f\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e\u2010-\u266f]*$/
/**
 * Adjacent letters of two scripts: real words are not written like this, so a Western letter and its neighbour were misread as one
 * character.
 */
const TOUCHES_LATIN = /[A-Za-z][가-힣\u4e00-\u9fff]|[가-힣\u4e00-\u9fff][A-Za-z]/
/** Lead bytes of syllables missing from KS X 1001, and of Shift-JIS; not letters in Latin-1. */
const BEYOND_LATIN1 = /[\x81-\x9f]/

/**
 * Decodes bytes, given as one character each. Never throws. RIFF INFO and ID3v1 do not declare their encoding, and ID3v2 often declares
 * Latin-1 for any. Text that is not UTF-8 is Korean if all its high bytes pair up into Hangul syllables that no Latin letter follows;
 * Japanese if they make kana, or kanji not adjacent to Latin letters; and Western otherwise. Western words seldom have adjacent high bytes,
 * and then mostly outside the rows of Hangul (`créée`) or before a letter (`¿Él`).
 */
export function decodeText(raw: string): string {
  const bytes = Buffer.from(raw, 'latin1')
  const utf8 = decodeStrictly('utf-8', bytes)
  if (utf8 !== undefined && (utf8.length === bytes.length || /[^\0-\x7f]/.test(utf8))) return utf8
  return koreanOf(raw, bytes) ?? japaneseOf(raw, bytes) ?? extendedKoreanOf(raw, bytes) ?? westernOf(bytes)
}

const westernOf = (bytes: Buffer): string => new TextDecoder('windows-1252').decode(bytes)

function koreanOf(raw: string, bytes: Buffer): string | undefined {
  const unpaired = raw.replace(EUC_KR_PAIR, ' ').slice(0, raw.length === ID3V1_BYTES ? -1 : undefined)
  const korean = /[^\0-\x7f]/.test(unpaired) ? undefined : decodeStrictly('euc-kr', bytes)
  return korean && /[가-힣](?![A-Za-z])/.test(korean) ? korean : undefined
}

/** Returns text in Shift-JIS. All of its kana, and most of its kanji, start with a byte that is not a letter in Latin-1. */
function japaneseOf(raw: string, bytes: Buffer): string | undefined {
  if (!BEYOND_LATIN1.test(raw)) return undefined
  const japanese = decodeStrictly('shift_jis', bytes, raw.length === ID3V1_BYTES)
  if (japanese === undefined || !JAPANESE.test(japanese)) return undefined
  return KANA.test(japanese) || !TOUCHES_LATIN.test(japanese) ? japanese : undefined
}

/** Returns text in code page 949 with syllables that KS X 1001 lacks, such as 똠, if most syllables are regular ones. */
function extendedKoreanOf(raw: string, bytes: Buffer): string | undefined {
  const korean = decodeCp949(bytes) ?? (raw.length === ID3V1_BYTES ? decodeCp949(bytes.subarray(0, -1)) : undefined)
  const usual = raw.match(EUC_KR_PAIR)?.length ?? 0
  const syllables = korean?.match(/[가-힣]/g)?.length ?? 0
  return korean && syllables > 0 && 2 * usual > syllables && !TOUCHES_LATIN.test(korean) ? korean : undefined
}

/** Returns the text, without an unfinished last character if it may be cut; undefined if it is not in that encoding. */
function decodeStrictly(encoding: string, bytes: Buffer, isCut = true): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return undefined
  }
}

/** Returns a text in NFC, trimmed. Line ends and tabs stay; other control characters and U+FFFD are removed. Never throws. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[^\P{Cc}\n\t]|\ufffd/gu, '')
    .trim()
}
