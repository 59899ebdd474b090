/** APEv2 tags: items of a name and its values, before or behind the sound (APEv2 specification, wiki.hydrogenaud.io). */

/** Length of the header and of the footer, which state the size of the tag, bytes. */
export const APE_MARK_BYTES = 32

const PREAMBLE = 'APETAGEX'
const IS_HEADER = 0x2000_0000
const HAS_HEADER = 0x8000_0000

/** Types of an item's value; all others are UTF-8 text. */
const BINARY = 1

/** Most items that are read: a tag with more is not a song's. */
const MAX_ITEMS = 4096

/** One item of a tag; a text item may hold several values. */
export interface ApeItem {
  readonly name: string
  readonly bytes: Buffer
  readonly isBinary: boolean
}

/** Returns the length of the APEv2 tag that begins with these bytes, header included; 0 without a header. */
export function apeHeaderBytes(start: Buffer): number {
  const mark = readMark(start)
  return mark && (mark.flags & IS_HEADER) !== 0 ? APE_MARK_BYTES + mark.sizeBytes : 0
}

/** Returns the length of the APEv2 tag that ends with these 32 bytes, including a header; 0 without a footer. */
export function apeFooterBytes(end: Buffer): number {
  const mark = readMark(end)
  if (!mark || (mark.flags & IS_HEADER) !== 0) return 0
  return mark.sizeBytes + ((mark.flags & HAS_HEADER) === 0 ? 0 : APE_MARK_BYTES)
}

function readMark(bytes: Buffer): { readonly sizeBytes: number; readonly flags: number } | undefined {
  if (bytes.length < APE_MARK_BYTES || bytes.toString('latin1', 0, 8) !== PREAMBLE) return undefined
  const sizeBytes = bytes.readUInt32LE(12)
  return sizeBytes < APE_MARK_BYTES ? undefined : { sizeBytes, flags: bytes.readUInt32LE(20) }
}

/**
 * Returns the items of an APEv2 tag, with or without a header, the first 4096 at most; from a damaged one, the items before the first
 * broken one. Never throws.
 */
export function readApeItems(tag: Buffer): ApeItem[] {
  const items: ApeItem[] = []
  let at = apeHeaderBytes(tag) > 0 ? APE_MARK_BYTES : 0
  while (items.length < MAX_ITEMS && at + 8 < tag.length && tag.toString('latin1', at, at + 8) !== PREAMBLE) {
    const size = tag.readUInt32LE(at)
    const flags = tag.readUInt32LE(at + 4)
    const nameEnd = tag.indexOf(0, at + 8)
    const name = tag.toString('latin1', at + 8, nameEnd)
    if (nameEnd < 0 || nameEnd + 1 + size > tag.length || !/^[\x20-\x7e]{1,255}$/.test(name)) break
    items.push({ name, bytes: tag.subarray(nameEnd + 1, nameEnd + 1 + size), isBinary: ((flags >> 1) & 3) === BINARY })
    at = nameEnd + 1 + size
  }
  return items
}
