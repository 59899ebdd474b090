/** Remarks on names and codes that receivers reject, each with the change that fixes it. Pure; shared by page and service. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf } from './common.ts'
import type { Distributor } from './distributors/index.ts'
import { distributorProfile } from './distributors/index.ts'
import type { Release, Track } from './releases.ts'
import { ReleaseChange, TrackChange } from './releases.ts'
import type { Language } from './text/language.ts'
import { REMARK_WORDS } from './text/release-remarks.ts'

export const REMARKS = [
  'hidden_characters',
  'emoji',
  'url',
  'official_video',
  'all_capitals',
  'featured_in_title',
  'featured_missing_in_title',
  'artist_in_title',
  'generic_title',
  'same_title',
  'artist_twice',
  'same_isrc',
] as const
export type RemarkCode = (typeof REMARKS)[number]

/** A remark, and the change that fixes it at one press; nothing is ever changed automatically. */
export const ReleaseRemark = exactly({
  code: oneOf(REMARKS, 'Kind of the remark.'),
  field: Type.String({ description: 'Member of the release, or of the track, that it is about.' }),
  track: Type.Optional(Type.Integer({ description: 'Number of the track; absent for the release.' })),
  track_id: Type.Optional(Type.String()),
  message: Type.String({ description: 'Remark, for people.' }),
  mend: Type.Optional(
    exactly(
      {
        release: Type.Optional(ReleaseChange),
        track: Type.Optional(TrackChange),
        shows: Type.String({ description: 'What the field would be afterwards; empty where it would be blank.' }),
      },
      'Body of the PATCH of the release or of the track that mends it; absent where only its owner knows what is right.',
    ),
  ),
})
export type ReleaseRemark = Static<typeof ReleaseRemark>

type NamedTrack = Pick<Track, 'track_id' | 'title' | 'version' | 'artists' | 'featured_artists' | 'isrc'>
/** Names of a release and of its tracks. */
export type NamedRelease = Pick<Release, 'title' | 'artist' | 'label' | 'receivers'> & {
  readonly tracks: readonly NamedTrack[]
}

/** Invisible characters: zero-width, directional and byte order marks. */
const HIDDEN = /[\u200b\u200c\u200e\u200f\u202a-\u202e\u2060\ufeff]/gu
const EMOJI =
  /(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|\p{Regional_Indicator})(?:\ufe0f|\u200d|\p{Emoji_Modifier}|\p{Extended_Pictographic})*/gu
const URL_TEXT = /(?:https?:\/\/|www\.)\S+|\b[\w-]+\.(?:com|net|org|io|co\.kr|kr|tv|fm|me)\b\S*/giu
const OFFICIAL =
  /[([]?\s*\b(?:official\s+(?:music\s+|lyrics?\s+)?(?:video|audio|visuali[sz]er|mv|m\/v)|lyrics?\s+video|music\s+video|m\/v)\b\s*[)\]]?|[([]?\s*(?:공식\s*)?뮤직\s*비디오\s*[)\]]?/giu
const FEATURED = /\s*[([]?\s*\b(?:feat|ft|featuring)\b\.?\s+([^)\]]+)[)\]]?/iu
const GENERIC = /^(?:track|audio|song|untitled|트랙|제목\s*없음|무제)\s*#?\d*$/iu
/** Shorter words in capitals are names or abbreviations, such as DNA. */
const LEAST_CAPITALS = 5
const BETWEEN_NAMES = /\s*(?:,|&|\band\b|\bx\b)\s*/iu

const tidy = (text: string) =>
  text
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/[([]\s*[)\]]/gu, '')
    .replace(/[\s\-–|:]+$/u, '')
    .trim()
const same = (one: string, other: string) =>
  one.normalize('NFKC').toLowerCase() === other.normalize('NFKC').toLowerCase()

/** Faults of a text that are removed, in the order of the remarks. */
const REMOVED: readonly (readonly [code: RemarkCode, pattern: RegExp])[] = [
  ['hidden_characters', HIDDEN],
  ['emoji', EMOJI],
  ['url', URL_TEXT],
  ['official_video', OFFICIAL],
]

function isCapitals(text: string): boolean {
  const letters = text.match(/\p{Lu}|\p{Ll}/gu) ?? []
  return letters.length >= LEAST_CAPITALS && letters.every((letter) => /\p{Lu}/u.test(letter))
}

const titleCase = (text: string) =>
  text
    .toLowerCase()
    .replace(/(^|[\s([/-])(\p{Ll})/gu, (_, before: string, letter: string) => before + letter.toUpperCase())

interface Finding {
  readonly code: RemarkCode
  readonly field: string
  /** New value; absent if only the owner knows it. */
  readonly value?: string | readonly string[]
  /** Further members that change with it. */
  readonly more?: Readonly<Record<string, unknown>>
  /** Subject of the sentence. */
  readonly found?: string
}

/** Returns the remarks on a text: the parts to remove, and its capitals. */
function textFindings(field: string, text: string, isName = false): Finding[] {
  const removed = REMOVED.flatMap(([code, pattern]): Finding[] => {
    const found = text.match(pattern)
    if (!found || (isName && code === 'official_video')) return []
    const value = tidy(text.replace(pattern, code === 'hidden_characters' ? '' : ' '))
    const shown = code === 'hidden_characters' ? '' : found[0].trim()
    return [{ code, field, found: shown, ...(value === '' ? {} : { value }) }]
  })
  const isWide = text !== text.trim() || /\s{2,}/u.test(text)
  const blanks: Finding[] =
    isWide && !removed.some(({ code }) => code === 'hidden_characters')
      ? [{ code: 'hidden_characters', field, value: tidy(text) }]
      : []
  return [
    ...blanks,
    ...removed,
    ...(isCapitals(text) && !isName ? [{ code: 'all_capitals' as const, field, value: titleCase(text) }] : []),
  ]
}

/** Returns the remarks on the guests of a track: in their own field, and in the title if the first receiver requires that. */
function guestFindings({ title, featured_artists: guests = [] }: NamedTrack, isInTitle: boolean): Finding[] {
  const [whole, names] = FEATURED.exec(title) ?? []
  if (whole === undefined || names === undefined) {
    if (!isInTitle || guests.length === 0) return []
    return [{ code: 'featured_missing_in_title', field: 'title', value: `${title} (feat. ${guests.join(' & ')})` }]
  }
  const found = names.split(BETWEEN_NAMES).filter((name) => name !== '')
  const added = found.filter((name) => !guests.some((guest) => same(guest, name)))
  const bare = tidy(title.replace(whole, ' '))
  const wanted = isInTitle ? `${bare} (feat. ${names.trim()})` : bare
  if (wanted === title && added.length === 0) return []
  const all = [...guests, ...added]
  return [
    { code: 'featured_in_title', field: 'title', found: names.trim(), value: wanted, more: { featured_artists: all } },
  ]
}

function trackFindings(track: NamedTrack, release: NamedRelease, isInTitle: boolean): Finding[] {
  const { title, version, artists } = track
  const distinct = artists.filter((name, at) => artists.findIndex((one) => same(one, name)) === at)
  const artist = artists[0] ?? release.artist
  const [first, rest] = title.split(/\s+[-–]\s+(.+)/u)
  const isNamed = rest !== undefined && same(first!, artist)
  return [
    ...textFindings('title', title),
    ...(version === undefined ? [] : textFindings('version', version)),
    ...artists.flatMap((name) =>
      textFindings('artists', name, true).map((finding) => ({
        ...finding,
        ...(finding.value === undefined
          ? {}
          : { value: artists.map((one) => (one === name ? String(finding.value) : one)) }),
      })),
    ),
    ...guestFindings(track, isInTitle),
    ...(isNamed ? [{ code: 'artist_in_title' as const, field: 'title', found: artist, value: rest }] : []),
    ...(GENERIC.test(title.trim()) ? [{ code: 'generic_title' as const, field: 'title', found: title }] : []),
    ...(distinct.length < artists.length ? [{ code: 'artist_twice' as const, field: 'artists', value: distinct }] : []),
  ]
}

/**
 * Returns the remarks on a release in the order of its tracks, with sentences in `language`. `isInTitle` of the first receiver decides how
 * guests are written. Never throws.
 */
export function remarksOn(release: NamedRelease, language: Language): ReleaseRemark[] {
  const { tracks, receivers = [] } = release
  const isInTitle = receivers[0] !== undefined && wantsGuestsInTitle(receivers[0])
  const told = (finding: Finding, index?: number): ReleaseRemark => {
    const { code, field, value, more, found = '' } = finding
    const shows = Array.isArray(value) ? value.join(', ') : String(value ?? '')
    const changes = value === undefined ? undefined : { [field]: value, ...more }
    return {
      code,
      field,
      ...(index === undefined ? {} : { track: index + 1, track_id: tracks[index]!.track_id }),
      message: REMARK_WORDS[code][language](found),
      ...(changes ? { mend: { [index === undefined ? 'release' : 'track']: changes, shows } } : {}),
    } as ReleaseRemark
  }
  const ofRelease = [
    ...textFindings('title', release.title),
    ...textFindings('artist', release.artist, true),
    ...(release.label === undefined ? [] : textFindings('label', release.label, true)),
  ]
  const ofTracks = tracks.flatMap((track, index) => {
    const before = tracks.slice(0, index)
    const sameCode = before.findIndex(({ isrc }) => isrc !== undefined && isrc === track.isrc)
    const sameTitle = before.findIndex(
      ({ title, version = '' }) => same(title, track.title) && same(version, track.version ?? ''),
    )
    return [
      ...trackFindings(track, release, isInTitle),
      ...(sameTitle < 0 ? [] : [{ code: 'same_title' as const, field: 'title', found: String(sameTitle + 1) }]),
      ...(sameCode < 0 ? [] : [{ code: 'same_isrc' as const, field: 'isrc', found: String(sameCode + 1), value: '' }]),
    ].map((finding) => told(finding, index))
  })
  return [...ofRelease.map((finding) => told(finding)), ...ofTracks]
}

function wantsGuestsInTitle(receiver: Distributor): boolean {
  return distributorProfile(receiver).guests === 'in_title'
}
