/** Range and conditional requests (RFC 9110, sections 13 and 14), without sockets or files. */

/** Bytes `start` to `end`, both inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Headers of a request that decide about it; absent ones undefined. */
export interface Conditions {
  readonly range?: string | undefined
  readonly ifRange?: string | undefined
  readonly ifMatch?: string | undefined
  readonly ifNoneMatch?: string | undefined
}

/** Kind of answer: the whole file, one range, "unchanged", another file, or a range outside of it. */
export type Selection =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly range: ByteRange }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'another' }
  | { readonly kind: 'outside' }

/**
 * Returns which bytes to send of a file of `sizeBytes` with the strong entity tag `etag` (with its quotes). Single byte ranges are
 * honoured; several ranges, other units and malformed ranges are ignored, as RFC 9110 section 14.2 allows, and the whole file is sent.
 * `If-Range` counts only when it is exactly the strong tag (section 13.1.5), and `If-Match` comes before all (section 13.2.2). Never
 * throws.
 */
export function selectBytes(sizeBytes: number, etag: string, conditions: Conditions): Selection {
  const { ifMatch, ifNoneMatch, ifRange, range } = conditions
  if (ifMatch !== undefined && !listsTag(ifMatch, etag)) return { kind: 'another' }
  if (ifNoneMatch !== undefined && listsTag(withoutWeakness(ifNoneMatch), etag)) return { kind: 'unchanged' }
  if (range === undefined || (ifRange !== undefined && ifRange.trim() !== etag)) return { kind: 'whole' }
  const parsed = parseRange(range, sizeBytes)
  if (parsed === 'ignored') return { kind: 'whole' }
  return parsed === 'outside' ? { kind: 'outside' } : { kind: 'part', range: parsed }
}

function parseRange(header: string, sizeBytes: number): ByteRange | 'ignored' | 'outside' {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header.trim())
  if (!match) return 'ignored'
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return 'ignored'
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'outside' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'ignored'
  if (start >= sizeBytes) return 'outside'
  return { start, end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) }
}

/** If-None-Match compares weakly (section 13.1.2): a tag marked W/ by an intermediary still identifies the same bytes. */
const withoutWeakness = (header: string) => header.replace(/(^|,)[ \t]*W\//g, '$1')

function listsTag(header: string, etag: string): boolean {
  return header.trim() === '*' || header.split(',').some((tag) => tag.trim() === etag)
}
