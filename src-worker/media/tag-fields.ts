/**
 * The fields of a song's tags: one table of their names in ID3v2, Vorbis comments, APEv2, RIFF INFO and ffmpeg, and the rules that turn the
 * entries of a file into {@link SongTags}. Sources: id3.org, native frames 2.4.0; the mapping of MusicBrainz Picard.
 */

import { isrcOf } from '../../src-contract/isrc.ts'
import type { SongTags } from './audio-facts.ts'

/** The fields with a member in {@link SongTags}. */
export type NamedField = keyof Omit<SongTags, 'other'>

/** One field: its name in {@link SongTags} or among its `other` tags, its ID3v2.4 frame, and its further names. */
export interface TagField {
  readonly name: string
  readonly frame?: string
  readonly isNamed: boolean
}

const NAMED: readonly (readonly [NamedField, frame: string, ...names: string[]])[] = [
  ['title', 'TIT2'],
  ['artist', 'TPE1'],
  ['album', 'TALB'],
  ['albumArtist', 'TPE2', 'ensemble'],
  ['composer', 'TCOM', 'imus'],
  ['genre', 'TCON'],
  ['date', 'TDRC', 'year'],
  ['track', 'TRCK', 'tracknumber'],
  ['copyright', 'TCOP'],
  ['comment', 'COMM'],
  ['isrc', 'TSRC'],
]

/** The frames of the members of {@link SongTags}. */
export const NAMED_FRAMES: readonly (readonly [NamedField, frame: string])[] = NAMED.map(([name, frame]) => [
  name,
  frame,
])

/** A field without a frame is written under its name in a TXXX frame, as Picard does. */
const OTHER: readonly (readonly [name: string, frame: string, ...names: string[]])[] = [
  ['disc', 'TPOS', 'discnumber'],
  ['publisher', 'TPUB', 'label', 'recordlabel', 'organization'],
  // ffmpeg calls the conductor of an ID3v2 tag a performer.
  ['performer', 'TPE3', 'conductor'],
  ['remixer', 'TPE4', 'mixartist'],
  ['lyricist', 'TEXT', 'iwri'],
  ['bpm', 'TBPM', 'tempo', 'ibpm'],
  ['initialkey', 'TKEY'],
  ['language', 'TLAN'],
  ['mood', 'TMOO'],
  ['media', 'TMED', 'imed'],
  ['compilation', 'TCMP', 'itunescompilation'],
  ['grouping', 'TIT1', 'contentgroup'],
  ['subtitle', 'TIT3', 'version'],
  ['discsubtitle', 'TSST', 'setsubtitle'],
  ['originaldate', 'TDOR', 'originalyear', 'originalreleasedate', 'tory'],
  ['releasedate', 'TDRL', 'releasetime'],
  ['originalalbum', 'TOAL'],
  ['originalartist', 'TOPE'],
  ['originallyricist', 'TOLY'],
  ['originalfilename', 'TOFN'],
  ['encoded_by', 'TENC'],
  ['album-sort', 'TSOA'],
  ['artist-sort', 'TSOP'],
  ['title-sort', 'TSOT'],
  ['albumartist-sort', 'TSO2', 'album_artist-sort'],
  ['composer-sort', 'TSOC'],
  ['movementname', 'MVNM', 'movement'],
  ['website', 'WOAR', 'www'],
  ['license', 'WCOP'],
  ['lyrics', 'USLT', 'unsyncedlyrics', 'unsynchronizedlyrics', 'unsynchronisedlyrics'],
  ['musicbrainz_trackid', 'UFID'],
  ['MusicBrainz Album Status', '', 'releasestatus'],
  ['MusicBrainz Album Type', '', 'releasetype'],
  ['MusicBrainz Album Release Country', '', 'releasecountry'],
  ...[
    'MusicBrainz Album Id',
    'MusicBrainz Artist Id',
    'MusicBrainz Album Artist Id',
    'MusicBrainz Release Group Id',
    'MusicBrainz Release Track Id',
    'MusicBrainz Work Id',
    'MusicBrainz Disc Id',
    'Acoustid Id',
  ].map((name) => [name, ''] as const),
]

const BY_NAME: ReadonlyMap<string, TagField> = new Map(
  [...NAMED.map((row) => ({ row, isNamed: true })), ...OTHER.map((row) => ({ row, isNamed: false }))].flatMap(
    ({ row: [name, frame, ...names], isNamed }) => {
      const field: TagField = { name, isNamed, ...(frame === '' ? {} : { frame }) }
      return [name, frame, ...names].filter((alias) => alias !== '').map((alias) => [plainName(alias), field] as const)
    },
  ),
)

/** Normalises a name: lower case, without spaces, hyphens and underscores, which systems use differently. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, '')
}

/** Returns the field with this name in any system, or undefined. Never throws. */
export function fieldOf(name: string): TagField | undefined {
  return BY_NAME.get(plainName(name))
}

/** People in Vorbis comments, APEv2 and RIFF INFO, by role: the frame of pairs, and their role in it. */
const ROLES: ReadonlyMap<string, readonly [frame: 'TIPL' | 'TMCL', role: string]> = new Map([
  ['performer', ['TMCL', 'performer']],
  ['arranger', ['TIPL', 'arranger']],
  ['engineer', ['TIPL', 'engineer']],
  ['ieng', ['TIPL', 'engineer']],
  ['producer', ['TIPL', 'producer']],
  ['ipro', ['TIPL', 'producer']],
  ['mixer', ['TIPL', 'mix']],
  ['djmixer', ['TIPL', 'DJ-mix']],
])

/** Fields that describe the old file or its samples, which a master does not have. */
const NOT_OF_THE_SONG = new RegExp(
  `^(${[
    'encoder|encodersettings|encoderoptions|encoding|encodingtime|encodingsettings|tsse|tden|software|codinghistory',
    'tlen|length|duration|tflt|tsiz|filetype|majorbrand|minorversion|compatiblebrands',
    'itun(norm|smpb|pgap|es?cddb.*|esgapless)',
    'replaygain.*|r128.*|mp3gain.*|accuraterip.*|ctdb.*|cuetools.*|peaklevel',
    'metadatablockpicture|coverart|coverartmime|coverartdescription|waveformatextensiblechannelmask|lame.*',
  ].join('|')})$`,
)

/** Separators in {@link SongTags}: between several values of one text, and between the texts of pairs, which may contain the first. */
export const VALUE_BREAK = '; '
export const PAIR_BREAK = '\n'

/** Prefix of the name of a comment with a description in {@link SongTags}, as MusicBrainz Picard writes it. */
export const DESCRIBED_COMMENT = 'comment:'

/** Name of the tag with `1` for explicit lyrics in systems without a dedicated field (MusicBrainz Picard, Mp3tag). */
export const EXPLICIT = 'ITUNESADVISORY'

/** Longest tag text, characters: longer than the lyrics of any song. */
const MAX_TEXT_LENGTH = 200_000

/** One text of a file's tags, clean and not empty, under its name in that tag system. */
export interface TagEntry {
  readonly name: string
  readonly text: string
}

/** Origin of entries: ffmpeg's output for a RIFF file or another, or free-form names (Vorbis, APEv2). */
export type TagSystem = 'ffmpeg' | 'riff' | 'free'

/** Tags, and the names of tags that were cut for their length. */
export interface CollectedTags {
  readonly tags: SongTags
  readonly cut: readonly string[]
}

/**
 * Returns the tags from the entries of one tag, in their order. Several values of a field are joined; the first text in the form of an ISRC
 * is the ISRC, and every other one stays a plain tag. Descriptions of the old samples are left out. Pure; never throws.
 */
export function collectTags(entries: Iterable<TagEntry>, system: TagSystem): CollectedTags {
  const values = new Map<string, string[]>()
  const people = new Map<string, string[]>()
  for (const { name, text } of entries) {
    if (isOfTheSamples(name)) continue
    const role = ROLES.get(plainName(name))
    const isRole = role && (system === 'free' || (system === 'riff' && /^i(eng|pro)$/i.test(name)))
    if (isRole) append(people, role[0], ...personOf(role, text))
    else append(values, keyOf(name, system), text)
  }
  setComment(values)
  setIsrc(values, system)
  setTotal(values, 'track', ['tracktotal', 'totaltracks'])
  setTotal(values, 'disc', ['disctotal', 'totaldiscs'])
  return keepTexts(values, people)
}

function isOfTheSamples(name: string): boolean {
  const bare = name.startsWith(DESCRIBED_COMMENT) ? name.slice(DESCRIBED_COMMENT.length) : name
  return NOT_OF_THE_SONG.test(plainName(bare))
}

/** Returns the key that groups an entry: a known field's name, else its own. */
function keyOf(name: string, system: TagSystem): string {
  const plain = plainName(name)
  if (system !== 'ffmpeg' && (TOTALS.has(plain) || plain === 'description')) return plain
  const lyrics = /^(?:unsynced)?lyrics-(.+)$/i.exec(name)
  if (lyrics) return `lyrics-${lyrics[1]}`
  return fieldOf(name)?.name ?? name
}

const TOTALS = new Set(['tracktotal', 'totaltracks', 'disctotal', 'totaldiscs'])

function append(map: Map<string, string[]>, key: string, ...texts: string[]): void {
  const all = map.get(key) ?? []
  all.push(...texts)
  map.set(key, all)
}

/** Returns role and name; `Anna (violin)` names the instrument as the role. */
function personOf([frame, role]: readonly [string, string], text: string): [string, string] {
  const player = frame === 'TMCL' ? /^(.+?) \(([^()]+)\)$/.exec(text) : null
  return player ? [player[2]!, player[1]!] : [role, text]
}

/** Names of descriptions: the comment if there is no other, else a described comment. */
function setComment(values: Map<string, string[]>): void {
  const descriptions = values.get('description')
  if (!descriptions) return
  values.delete('description')
  const comments = values.get('comment')
  const others = descriptions.filter((text) => !comments?.includes(text))
  if (!comments) values.set('comment', descriptions)
  else if (others.length > 0) append(values, `${DESCRIBED_COMMENT}description`, ...others)
}

function setIsrc(values: Map<string, string[]>, system: TagSystem): void {
  const texts = values.get('isrc')
  if (!texts) return
  values.delete('isrc')
  const parts = texts.flatMap((text) => (isrcOf(text) ? [text] : text.split(/[;,/\n]/).map((part) => part.trim())))
  const first = parts.find((part) => isrcOf(part) !== undefined)
  if (first) values.set('isrc', [isrcOf(first)!])
  const others = first ? parts.filter((part) => part !== '' && isrcOf(part) !== isrcOf(first)) : texts
  // In RIFF INFO, ISRC means the supplier of the recording.
  if (others.length > 0) append(values, system === 'riff' ? 'Source' : 'ISRC', ...others)
}

/** Joins `3` and a total of `9` into `3/9`; a total without a number stays a separate tag. */
function setTotal(values: Map<string, string[]>, field: 'track' | 'disc', names: readonly string[]): void {
  const number = values.get(field)?.[0]
  const totals = names.flatMap((name) => values.get(name) ?? [])
  if (number === undefined || totals.length === 0) return
  for (const name of names) values.delete(name)
  if (!number.includes('/')) values.set(field, [`${number}/${totals[0]}`])
}

/** Fields with a single value, even under several names. */
const SINGLE = new Set(['date', 'track', 'disc', 'bpm', 'compilation', 'originaldate', 'releasedate'])

function keepTexts(values: ReadonlyMap<string, string[]>, people: ReadonlyMap<string, string[]>): CollectedTags {
  const named: Partial<Record<NamedField, string>> = {}
  const other: Record<string, string> = {}
  const cut: string[] = []
  const keep = (name: string, text: string) => {
    if (text.length > MAX_TEXT_LENGTH) cut.push(name)
    const kept = text.slice(0, MAX_TEXT_LENGTH).toWellFormed()
    if (fieldOf(name)?.name === name && fieldOf(name)?.isNamed) named[name as NamedField] = kept
    else other[name] = kept
  }
  for (const [name, texts] of values) {
    const [first = '', ...further] = new Set(texts)
    if (name === 'lyrics') {
      keep(name, first)
      for (const [i, text] of further.entries()) keep(`lyrics-${i + 2}`, text)
    } else {
      keep(name, SINGLE.has(name) ? first : [first, ...further].join(VALUE_BREAK))
    }
  }
  for (const [frame, pairs] of people) keep(frame, pairs.join(PAIR_BREAK))
  return { tags: { ...named, ...(Object.keys(other).length > 0 ? { other } : {}) }, cut }
}

/** Returns the tags of several places in one file: of each field the first that has it. Pure. */
export function mergeTags(places: readonly CollectedTags[]): CollectedTags {
  const lastFirst = places.toReversed().map(({ tags }) => tags)
  const other = Object.assign({}, ...lastFirst.map((tags) => tags.other ?? {}))
  const { other: _, ...named }: SongTags = Object.assign({}, ...lastFirst)
  const cut = [...new Set(places.flatMap((place) => place.cut))]
  return { tags: { ...named, ...(Object.keys(other).length > 0 ? { other } : {}) }, cut }
}
