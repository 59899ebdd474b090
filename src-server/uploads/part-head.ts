/**
 * Heads of multipart parts and the texts in them, from any client. Heads and fields are bytes that seldom declare their encoding; here they
 * are strings of one character per byte. Pure; never throws.
 */
import { decodeCp949 } from '../../src-worker/media/cp949.ts'
import { decodeText } from '../../src-worker/media/tag-text.ts'

/** A header value with its parameters, names in lower case. */
export interface HeaderValue {
  /** In lower case. */
  readonly value: string
  readonly params: ReadonlyMap<string, string>
}

const PARAMETER = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/gs

/**
 * Returns a header's value and parameters (RFC 2045 section 5.1). A backslash escapes only a quotation mark and itself: some clients send
 * Windows paths.
 */
export function parseHeader(text: string): HeaderValue {
  const params = new Map<string, string>()
  for (const [, name = '', quoted, token = ''] of text.matchAll(PARAMETER)) {
    const key = name.toLowerCase()
    if (!params.has(key)) params.set(key, quoted?.replace(/\\(["\\])/g, '$1') ?? token.trim())
  }
  return { value: (text.split(';', 1)[0] ?? '').trim().toLowerCase(), params }
}

/**
 * Returns the file name of a Content-Disposition, undefined without one: from `filename*` (RFC 6266 section 4.3, RFC 8187; in pieces too,
 * RFC 2231), else from `filename` in encoded words (RFC 2047), percent-encoded, in UTF-8, in `charset`, or in the encoding guessed from its
 * bytes.
 */
export function filenameOf({ params }: HeaderValue, charset?: string): string | undefined {
  const plain = params.get('filename')
  return (
    decodeExtended(params.get('filename*') ?? joinPieces(params)) ??
    (plain === undefined ? undefined : (decodeWords(plain) ?? decodePercent(plain) ?? decodeBytes(plain, charset)))
  )
}

/** Decodes a text of unknown encoding: in `charset` if its bytes are valid in it, else in the encoding guessed from them. */
export function decodeBytes(raw: string, charset?: string): string {
  return repaired((charset === undefined ? undefined : decodeIn(charset, raw)) ?? guessed(raw))
}

/** `charset'language'percent-encoded`. */
function decodeExtended(value: string | undefined): string | undefined {
  const [, charset = '', encoded = ''] = /^([^']*)'[^']*'(.*)$/s.exec(value ?? '') ?? []
  return charset === '' || encoded === '' ? undefined : decodeIn(charset, unescaped(encoded))
}

/** Joins `filename*0*`, `filename*1`, … to one value, in the form of `filename*`. */
function joinPieces(params: ReadonlyMap<string, string>): string | undefined {
  let joined = ''
  for (let piece = 0; ; piece++) {
    const encoded = params.get(`filename*${piece}*`)
    const plain = params.get(`filename*${piece}`)
    if (encoded === undefined && plain === undefined) return joined === '' ? undefined : joined
    if (piece === 0 && encoded === undefined) joined = "utf-8''"
    joined += encoded ?? plain?.replaceAll('%', '%25')
  }
}

const ENCODED_WORD = /=\?([^?*\s]+)(?:\*[^?]*)?\?([BQ])\?([^?]*)\?=/gi

/** Decodes encoded words; undefined without any. A character may be split between two of them. */
function decodeWords(raw: string): string | undefined {
  const pieces: { charset?: string; bytes: string }[] = []
  const add = (bytes: string, charset?: string) => {
    const last = pieces.at(-1)
    if (last && last.charset === charset) last.bytes += bytes
    else if (bytes !== '') pieces.push({ bytes, ...(charset === undefined ? {} : { charset }) })
  }
  let end = 0
  for (const match of raw.matchAll(ENCODED_WORD)) {
    const [word, charset = '', encoding = '', text = ''] = match
    const between = raw.slice(end, match.index)
    // White space between two words is not part of the text.
    if (end === 0 || between.trim() !== '') add(between)
    add(
      encoding.toUpperCase() === 'B' ? fromBase64(text) : fromQuotedPrintable(text.replaceAll('_', ' ')),
      charset.toLowerCase(),
    )
    end = match.index + word.length
  }
  if (end === 0) return undefined
  add(raw.slice(end))
  return pieces.map(({ bytes, charset }) => decodeBytes(bytes, charset)).join('')
}

/** Decodes Base64 to a string of one character per byte. */
export function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1')
}

/** Decodes quoted-printable text (RFC 2045 section 6.7) to a string of one character per byte. */
export function fromQuotedPrintable(text: string): string {
  return unescaped(text.replace(/=[ \t]*\r?\n/g, ''), /=([0-9a-f]{2})/gi)
}

/** Decodes a name whose letters beyond ASCII are percent-encoded UTF-8; undefined without any. */
function decodePercent(raw: string): string | undefined {
  if (/[^\0-\x7f]/.test(raw) || !/%[89a-f][0-9a-f]/i.test(raw)) return undefined
  return decodeIn('utf-8', unescaped(raw))
}

function unescaped(text: string, pattern = /%([0-9a-f]{2})/gi): string {
  return text.replace(pattern, (_, hexadecimal: string) => String.fromCharCode(Number.parseInt(hexadecimal, 16)))
}

/** Code pages that are not labels of the Encoding Standard by their number. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  '932': 'shift_jis',
  '936': 'gbk',
  '949': 'euc-kr',
  '950': 'big5',
  '65001': 'utf-8',
}

/** Undefined if the charset is unknown or the bytes are not valid in it. */
function decodeIn(charset: string, raw: string): string | undefined {
  const [, codePage] = /^(?:cp|ms|windows-|x-windows-)-?(\d+)$/i.exec(charset.trim()) ?? []
  const label = codePage === undefined ? charset.trim() : (CODE_PAGES[codePage] ?? `windows-${codePage}`)
  const bytes = Buffer.from(raw, 'latin1')
  try {
    const decoder = new TextDecoder(label.toLowerCase() === 'uhc' ? 'euc-kr' : label, { fatal: true })
    return decoder.encoding === 'euc-kr' ? decodeCp949(bytes) : decoder.decode(bytes)
  } catch {
    return undefined
  }
}

function guessed(raw: string): string {
  const text = decodeText(raw)
  const isWestern = text === decodeIn('windows-1252', raw)
  return (isWestern ? readRareHangul(raw) : undefined) ?? text
}

/**
 * Returns a text in code page 949 with syllables that KS X 1001 lacks: it must consist of Hangul and ASCII, without a Latin letter after a
 * syllable.
 */
function readRareHangul(raw: string): string | undefined {
  if (!/[\xb0-\xc8][\xa1-\xfe]/.test(raw)) return undefined
  const text = decodeCp949(Buffer.from(raw, 'latin1'))
  return text !== undefined && !/[^\0-\x7f가-힣]|[가-힣][A-Za-z]/.test(text) ? text : undefined
}

let western: ReadonlyMap<string, number> | undefined

/** Repairs UTF-8 that a client took for Latin-1 or Windows-1252 and encoded again (`ë°¤`); returns any other text as it is. */
function repaired(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text
  western ??= new Map(
    Array.from({ length: 256 }, (_, byte) => byte).flatMap((byte) => [
      [String.fromCharCode(byte), byte] as const,
      [new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), byte] as const,
    ]),
  )
  const bytes = [...text].map((character) => western?.get(character))
  if (bytes.includes(undefined)) return text
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes as number[]))
  } catch {
    return text
  }
}
