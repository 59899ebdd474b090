/** Parser of JSON from outside, limited to the size and shape of our own files so that parsing stays fast. */

/** Longest accepted text. */
export const MAX_FOREIGN_JSON_BYTES = 4_000_000
/** Deepest nesting: our own files have under ten levels. */
const MAX_DEPTH = 32
/** Most values: a certificate of a hundred tracks in twenty sets of files has fewer. */
const MAX_VALUES = 50_000
/** Most members of one object: many more would be a table, which our files keep as an array. */
const MAX_MEMBERS = 200

const [QUOTE, BACKSLASH, COMMA, ARRAY, ARRAY_END, OBJECT, OBJECT_END] = [...'"\\,[]{}'].map((one) => one.charCodeAt(0))

/**
 * Returns the value of a JSON text in UTF-8. Throws a SyntaxError for invalid, too deep or too large JSON. Takes under 50 ms for a text of
 * {@link MAX_FOREIGN_JSON_BYTES}.
 */
export function parseForeignJson(bytes: Uint8Array): unknown {
  requireSimple(bytes)
  return JSON.parse(new TextDecoder().decode(bytes))
}

function requireSimple(bytes: Uint8Array): void {
  /** Commas of the open objects and arrays; arrays have no limit of their own. */
  const commas: number[] = []
  let values = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === ARRAY_END || byte === OBJECT_END) commas.pop()
    else if (byte === ARRAY || byte === OBJECT) {
      values++
      if (commas.push(byte === OBJECT ? 0 : Number.NEGATIVE_INFINITY) > MAX_DEPTH) throw tooMuch('levels', MAX_DEPTH)
    } else if (byte === COMMA) {
      values++
      commas.push((commas.pop() ?? 0) + 1)
      if (commas.at(-1)! >= MAX_MEMBERS) throw tooMuch('members', MAX_MEMBERS)
    }
    if (values > MAX_VALUES) throw tooMuch('values', MAX_VALUES)
  }
}

const tooMuch = (what: string, limit: number) => new SyntaxError(`JSON of more than ${limit} ${what}`)

/** Returns the index of a string's closing quote; the end of the text if it is missing. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++
    else if (bytes[at] === QUOTE) return at
  }
  return bytes.length
}
