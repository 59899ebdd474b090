/** Vorbis comments and the picture in a FLAC (RFC 9639, sections 8.6 and 8.8; xiph.org, "Ogg Vorbis I: comment field"). */
import type { SongTags } from './audio-facts.ts'
import type { Cover } from './cover.ts'
import { fieldOf, type NamedField, PAIR_BREAK } from './tag-fields.ts'

const COMMENTS = 4
const PICTURE = 6
const FRONT_COVER = 3
/** Set in the head of the last block. */
const LAST = 0x80
/** Largest content of a block, bytes: its size has 24 bits. */
const MAX_BLOCK_BYTES = 0xff_ff_ff

/** Name of the program in the comments. */
const VENDOR = 'Loudsmith'

/** Names of Vorbis comments other than the field's own name in capitals, as in MusicBrainz Picard. */
const NAMES: Readonly<Record<string, string>> = {
  track: 'TRACKNUMBER',
  disc: 'DISCNUMBER',
  publisher: 'LABEL',
  performer: 'CONDUCTOR',
  'album-sort': 'ALBUMSORT',
  'artist-sort': 'ARTISTSORT',
  'title-sort': 'TITLESORT',
  'albumartist-sort': 'ALBUMARTISTSORT',
  'composer-sort': 'COMPOSERSORT',
  encoded_by: 'ENCODEDBY',
}

/** Comments that hold the total of a number such as `3/12`. */
const TOTALS: Readonly<Record<string, string>> = { TRACKNUMBER: 'TRACKTOTAL', DISCNUMBER: 'DISCTOTAL' }

/** Comments for people by their role in a list of pairs; every other role is a performer's. */
const ROLE_NAMES: Readonly<Record<string, string>> = {
  arranger: 'ARRANGER',
  engineer: 'ENGINEER',
  producer: 'PRODUCER',
  mix: 'MIXER',
  'DJ-mix': 'DJMIXER',
}

/**
 * Returns the metadata blocks behind the stream information of a FLAC, the last one marked as such. A cover too large for a block is left
 * out. Never throws.
 */
export function flacTagBlocks(tags: SongTags, cover?: Cover): Buffer {
  const picture = cover ? pictureBlock(cover) : undefined
  const blocks = [
    { type: COMMENTS, content: commentBlock(tags) },
    ...(picture && picture.length <= MAX_BLOCK_BYTES ? [{ type: PICTURE, content: picture }] : []),
  ]
  return Buffer.concat(
    blocks.flatMap(({ type, content }, i) => {
      const head = Buffer.alloc(4)
      head.writeUInt32BE(content.length)
      head[0] = i === blocks.length - 1 ? type | LAST : type
      return [head, content]
    }),
  )
}

function commentBlock(tags: SongTags): Buffer {
  const comments = vorbisComments(tags).map(([name, text]) => counted(`${name}=${text}`))
  return Buffer.concat([counted(VENDOR), uint32LE(comments.length), ...comments])
}

/** Returns the tags of a song as Vorbis comments, name and text. Pure. */
function vorbisComments({ other = {}, ...named }: SongTags): [string, string][] {
  const entries = Object.entries(named) as [NamedField, string | undefined][]
  return [
    ...entries.flatMap(([field, text]) => (text ? plainComments(field, text) : [])),
    ...Object.entries(other).flatMap(([key, text]) =>
      key === 'TIPL' || key === 'TMCL' ? peopleComments(text) : plainComments(key, text),
    ),
  ]
}

function plainComments(key: string, text: string): [string, string][] {
  const name = commentName(key)
  const total = TOTALS[name]
  const parts = total === undefined ? null : /^([^/]+)\/(.+)$/.exec(text)
  return parts
    ? [
        [name, parts[1]!],
        [total!, parts[2]!],
      ]
    : [[name, text]]
}

function commentName(key: string): string {
  // Vorbis comments have no languages, and may repeat a name.
  const known = /^lyrics(-|$)/i.test(key) ? 'LYRICS' : NAMES[key]
  if (known) return known
  const musicBrainz = /^MusicBrainz (.+)$/.exec(key)
  if (musicBrainz) return `MUSICBRAINZ_${musicBrainz[1]!.replaceAll(' ', '').toUpperCase()}`
  // A name is printable ASCII without `=`.
  const plain = key.replace(/[^\x20-\x7d]|=/g, '_')
  return fieldOf(key) ? plain.replaceAll(' ', '_').toUpperCase() : plain
}

function peopleComments(text: string): [string, string][] {
  const parts = text.split(PAIR_BREAK)
  return parts.flatMap((role, i): [string, string][] => {
    const person = parts[i + 1]
    if (i % 2 === 1 || !person) return []
    const name = ROLE_NAMES[role]
    return [name ? [name, person] : ['PERFORMER', role === 'performer' ? person : `${person} (${role})`]]
  })
}

/** Returns a picture block: type, media type, description, four numbers about the picture that may be 0, and its bytes. */
function pictureBlock({ mimeType, bytes }: Cover): Buffer {
  const type = Buffer.from(mimeType, 'latin1')
  return Buffer.concat([
    uint32BE(FRONT_COVER),
    uint32BE(type.length),
    type,
    ...[0, 0, 0, 0, 0].map(uint32BE),
    uint32BE(bytes.length),
    bytes,
  ])
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  return Buffer.concat([uint32LE(bytes.length), bytes])
}

function uint32LE(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function uint32BE(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
