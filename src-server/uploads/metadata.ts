/** Validation of the metadata of a song. Pure. */
import {
  METADATA,
  METADATA_NAMES,
  type MetadataForm,
  type MetadataName,
  type SongMetadata,
} from '../../src-contract/metadata.ts'
import type { ChangedMetadata } from '../../src-contract/metadata-schemas.ts'
import type { Detail } from '../../src-contract/text/details.ts'
import { isrcOf } from '../../src-worker/media/isrc.ts'
import { AppError } from '../http/app-error.ts'
import { cleanName } from '../http/display-name.ts'

const MOST_TRACKS = 999

/** Rule of each form, and the text as it is kept; undefined for one that breaks it. */
const FORMS: Readonly<
  Record<MetadataForm, { readonly read: (text: string) => string | undefined; readonly rule: Detail }>
> = {
  line: { read: cleanName, rule: { rule: 'text' } },
  lines: { read: cleanLines, rule: { rule: 'text' } },
  track: { read: trackOf, rule: { rule: 'track' } },
  year: { read: (text) => (/^[1-9]\d{3}$/.test(text) ? text : undefined), rule: { rule: 'year' } },
  isrc: { read: isrcOf, rule: { rule: 'isrc' } },
  bpm: {
    read: (text) => (/^[1-9]\d{0,2}$/.test(text) ? text : undefined),
    rule: { rule: 'between', least: 1, most: 999 },
  },
}

/** Returns a text as it is kept, empty for nothing. Throws INVALID_REQUEST, naming the field, for one that cannot be used. */
function readText(name: MetadataName, given: string): string {
  const text = given.trim()
  if (text === '') return ''
  const { form, maxLength } = METADATA[name]
  const unusable = (detail: Detail) => new AppError('INVALID_REQUEST', {}, { param: name, details: [detail] })
  if ([...text].length > maxLength) throw unusable({ rule: 'characters_at_most', limit: maxLength })
  const { read, rule } = FORMS[form]
  const kept = read(text)
  if (kept === undefined) throw unusable(rule)
  return kept
}

/** Returns the metadata that texts make; `textOf` returns that of a field, undefined without. Throws INVALID_REQUEST with the field. */
export function readMetadata(textOf: (name: MetadataName) => string | undefined): SongMetadata {
  return withoutEmpty(METADATA_NAMES.map((name) => [name, readText(name, textOf(name) ?? '')] as const))
}

/** Returns metadata with changes; an empty text takes one away. Throws INVALID_REQUEST with the member. */
export function changedMetadata(first: SongMetadata, changes: ChangedMetadata): SongMetadata {
  return withoutEmpty(
    METADATA_NAMES.map((name) => {
      const change = changes[name]
      return [name, change === undefined ? (first[name] ?? '') : readText(name, change)] as const
    }),
  )
}

function withoutEmpty(texts: readonly (readonly [MetadataName, string])[]): SongMetadata {
  return Object.fromEntries(texts.filter(([, text]) => text !== ''))
}

/** `3` or `3/12`, without leading zeros; undefined for a number beyond the others. */
function trackOf(text: string): string | undefined {
  const [, number, total] = /^(\d{1,3})(?:\/(\d{1,3}))?$/.exec(text) ?? []
  if (number === undefined || Number(number) < 1) return undefined
  if (Number(number) > Number(total ?? MOST_TRACKS)) return undefined
  return total === undefined ? String(Number(number)) : `${Number(number)}/${Number(total)}`
}

/** Returns a text of several lines: composed, without other control characters. */
function cleanLines(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => cleanName(line))
    .join('\n')
    .trim()
}
