/** Rules of a song's metadata: the stored form of a text, or the rule that it breaks. Pure; shared by the page and the service. */
import { cleanName } from './clean-name.ts'
import { isrcOf } from './isrc.ts'
import { MAX_TITLE_LENGTH } from './limits.ts'
import { METADATA, type MetadataForm, type OwnMetadataName } from './metadata.ts'
import type { Detail } from './text/details.ts'

const MOST_TRACKS = 999

/** Rule of each form, and its function that returns the stored text; undefined if the text breaks the rule. */
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

/** The stored text, empty for no entry, or the rule that a text breaks. */
export type MetadataText = { readonly kept: string } | { readonly broken: Detail }

/** Returns the largest number of characters of a text. */
export const maxMetadataLength = (name: OwnMetadataName): number =>
  name === 'title' || name === 'artist' ? MAX_TITLE_LENGTH : METADATA[name].maxLength

/** Returns the stored form of a text given for `name`. Never throws. */
export function metadataText(name: OwnMetadataName, given: string): MetadataText {
  const text = given.trim()
  if (text === '') return { kept: '' }
  const limit = maxMetadataLength(name)
  if ([...text].length > limit) return { broken: { rule: 'characters_at_most', limit } }
  const { read, rule } = FORMS[name === 'title' || name === 'artist' ? 'line' : METADATA[name].form]
  const kept = read(text)
  return kept === undefined ? { broken: rule } : { kept }
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
