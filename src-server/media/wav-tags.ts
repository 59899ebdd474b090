import type { SongTags } from './audio-facts.ts'
import type { Cover } from './tags.ts'

/** RIFF INFO identifiers (Microsoft, Multimedia Programming Interface 1.0, chapter 2; ITRK is ffmpeg's and common usage). */
const INFO_IDS = {
  title: 'INAM',
  artist: 'IART',
  album: 'IPRD',
  date: 'ICRD',
  genre: 'IGNR',
  comment: 'ICMT',
  copyright: 'ICOP',
  track: 'ITRK',
} as const satisfies Partial<Record<keyof SongTags, string>>

/** Text frames of ID3v2.4 (id3.org, native frames, section 4.2). */
const FRAME_IDS = {
  title: 'TIT2',
  artist: 'TPE1',
  album: 'TALB',
  albumArtist: 'TPE2',
  composer: 'TCOM',
  genre: 'TCON',
  date: 'TDRC',
  track: 'TRCK',
  copyright: 'TCOP',
  isrc: 'TSRC',
} as const satisfies Partial<Record<keyof SongTags, string>>

/** Text frames of what has no field of its own, by the names that ffmpeg gives them (libavformat, id3v2.c), in lower case. */
const OTHER_FRAME_IDS: ReadonlyMap<string, string> = new Map([
  ['disc', 'TPOS'],
  ['publisher', 'TPUB'],
  ['performer', 'TPE3'],
  ['language', 'TLAN'],
  ['compilation', 'TCMP'],
  ['grouping', 'TIT1'],
  ['album-sort', 'TSOA'],
  ['artist-sort', 'TSOP'],
  ['title-sort', 'TSOT'],
])

const UTF8 = 3
const FRONT_COVER = 3

/**
 * Returns the chunks that carry the tags of a WAV: a LIST INFO chunk for everything that reads WAV, and an `id3 ` chunk with
 * ID3v2.4 for everything that knows more, both in UTF-8, the second with the cover. Empty when there is nothing to say.
 */
export function tagChunks(tags: SongTags, cover?: Cover): Buffer[] {
  const info = infoItems(tags)
  const frames = id3Frames(tags, cover)
  return [
    ...(info.length > 0 ? [chunk('LIST', Buffer.concat([ascii('INFO'), ...info]))] : []),
    ...(frames.length > 0 ? [chunk('id3 ', id3Tag(Buffer.concat(frames)))] : []),
  ]
}

/** A RIFF chunk: name, size, content, padded to an even length. */
export function chunk(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32LE(content.length)
  return Buffer.concat([ascii(name), size, content, Buffer.alloc(content.length % 2)])
}

function infoItems(tags: SongTags): Buffer[] {
  return entries(INFO_IDS).flatMap(([field, id]) => {
    const text = tags[field]
    return text ? [chunk(id, Buffer.from(`${text}\0`, 'utf8'))] : []
  })
}

function id3Frames(tags: SongTags, cover: Cover | undefined): Buffer[] {
  const frames = entries(FRAME_IDS).flatMap(([field, id]) => {
    const text = tags[field]
    return text ? [frame(id, text8(text))] : []
  })
  if (tags.comment) frames.push(frame('COMM', languageText(tags.comment)))
  for (const [key, value] of Object.entries(tags.other ?? {})) {
    const id = OTHER_FRAME_IDS.get(key.toLowerCase())
    if (id) frames.push(frame(id, text8(value)))
    else if (/^T[A-Z0-9]{3}$/.test(key) && key !== 'TXXX') frames.push(frame(key, text8(value)))
    else if (/^lyrics\b/i.test(key)) frames.push(frame('USLT', languageText(value)))
    else frames.push(frame('TXXX', text8(key, value)))
  }
  if (cover) {
    const type = Buffer.concat([Buffer.from([UTF8]), ascii(`${cover.mimeType}\0`), Buffer.from([FRONT_COVER, 0])])
    frames.push(frame('APIC', Buffer.concat([type, cover.bytes])))
  }
  return frames
}

function text8(...texts: string[]): Buffer {
  return Buffer.concat([Buffer.from([UTF8]), Buffer.from(texts.join('\0'), 'utf8')])
}

/** COMM and USLT: encoding, language unknown (`XXX`), empty description, text. */
function languageText(text: string): Buffer {
  return Buffer.concat([Buffer.from([UTF8]), ascii('XXX\0'), Buffer.from(text, 'utf8')])
}

function frame(id: string, content: Buffer): Buffer {
  return Buffer.concat([ascii(id), syncSafe(content.length), Buffer.alloc(2), content])
}

function id3Tag(frames: Buffer): Buffer {
  return Buffer.concat([ascii('ID3'), Buffer.from([4, 0, 0]), syncSafe(frames.length), frames])
}

/** Four bytes of seven bits, most significant first (ID3v2.4.0 structure, section 6.2). */
function syncSafe(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (value >>> shift) & 0x7f))
}

function ascii(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

function entries<Key extends string, Value>(record: Readonly<Record<Key, Value>>): [Key, Value][] {
  return Object.entries(record) as [Key, Value][]
}
