/**
 * ID3v2 tags: written whole for masters, and read where ffmpeg, which reads the rest, hands over less than they say. ffmpeg can be
 * ended; a library that reads tags in this process held it up for six seconds over a genre list of 200 kB (music-metadata 12.1),
 * and made two artists of `AC/DC`.
 */
import type { SongTags } from './audio-facts.ts'
import { cleanText } from './tag-text.ts'
import type { Cover } from './tags.ts'

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

/** Frames of a list of pairs: what was done, and by whom (native frames, section 4.2.2). */
const PAIR_FRAME_IDS: readonly string[] = ['TIPL', 'TMCL']

/** What parts several values of one text in {@link SongTags}, and what parts the texts of pairs, whose own may hold anything else. */
const VALUE_BREAK = '; '
const PAIR_BREAK = '\n'

/** How {@link SongTags} name a comment that has a description, before it: as MusicBrainz Picard does. */
const DESCRIBED_COMMENT = 'comment:'

const HEADER_BYTES = 10
const UTF8 = 3
const FRONT_COVER = 3

/** Returns the length of the ID3v2 tag that begins with these bytes, its header included (structure, section 3.1); 0 where none does. */
export function id3TagBytes(start: Buffer): number {
  if (start.length < HEADER_BYTES || start.toString('latin1', 0, 3) !== 'ID3') return 0
  const hasFooter = (start[5]! & 0x10) > 0
  return HEADER_BYTES + readSyncSafe(start, 6) + (hasFooter ? HEADER_BYTES : 0)
}

/**
 * Returns an ID3v2.4 tag in UTF-8 with the tags and the cover of a song; empty when there is nothing to say. A field of several
 * values is one text, since most players read no further than the first of a frame's texts.
 */
export function writeId3Tag(tags: SongTags, cover: Cover | undefined): Buffer {
  const frames = Buffer.concat(framesOf(tags, cover))
  if (frames.length === 0) return frames
  return Buffer.concat([ascii('ID3'), Buffer.from([4, 0, 0]), syncSafe(frames.length), frames])
}

function framesOf(tags: SongTags, cover: Cover | undefined): Buffer[] {
  const frames = Object.entries(FRAME_IDS).flatMap(([field, id]) => {
    const text = tags[field as keyof typeof FRAME_IDS]
    return text ? [frame(id, text8(text))] : []
  })
  if (tags.comment) frames.push(frame('COMM', languageText('', tags.comment)))
  for (const [key, value] of Object.entries(tags.other ?? {})) {
    const id = otherFrameId(key)
    if (id) frames.push(frame(id, text8(...(PAIR_FRAME_IDS.includes(id) ? value.split(PAIR_BREAK) : [value]))))
    else if (/^lyrics\b/i.test(key)) frames.push(frame('USLT', languageText('', value)))
    else if (isDescribedComment(key))
      frames.push(frame('COMM', languageText(key.slice(DESCRIBED_COMMENT.length), value)))
    else frames.push(frame('TXXX', text8(key, value)))
  }
  if (cover) {
    const type = Buffer.concat([Buffer.from([UTF8]), ascii(`${cover.mimeType}\0`), Buffer.from([FRONT_COVER, 0])])
    frames.push(frame('APIC', Buffer.concat([type, cover.bytes])))
  }
  return frames
}

function otherFrameId(key: string): string | undefined {
  return OTHER_FRAME_IDS.get(key.toLowerCase()) ?? (/^T[A-Z0-9]{3}$/.test(key) && key !== 'TXXX' ? key : undefined)
}

function isDescribedComment(key: string): boolean {
  return key.toLowerCase().startsWith(DESCRIBED_COMMENT)
}

function text8(...texts: string[]): Buffer {
  return Buffer.concat([Buffer.from([UTF8]), Buffer.from(texts.join('\0'), 'utf8')])
}

/** COMM and USLT: encoding, language unknown (`XXX`), description, text. */
function languageText(description: string, text: string): Buffer {
  return Buffer.concat([Buffer.from([UTF8]), ascii('XXX'), Buffer.from(`${description}\0${text}`, 'utf8')])
}

function frame(id: string, content: Buffer): Buffer {
  return Buffer.concat([ascii(id), syncSafe(content.length), Buffer.alloc(2), content])
}

/** Four bytes of seven bits, most significant first (ID3v2.4.0 structure, section 6.2). */
function syncSafe(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (value >>> shift) & 0x7f))
}

function readSyncSafe(bytes: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((value, i) => (value << 7) | (bytes[at + i]! & 0x7f), 0)
}

function ascii(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

/** What the text frames and comments of a tag say, all values of each, by frame; a described one has its description behind a colon. */
export type Id3Texts = ReadonlyMap<string, readonly string[]>

/** Frames that are looked at, and bytes of their texts: a tag that has more is not a song's. */
const MAX_FRAMES = 4096
const MAX_TEXT_BYTES = 200_000

/**
 * Returns the texts of an ID3v2 tag of version 3 or 4, as clean as {@link cleanText} makes them and none of them empty. Other versions,
 * frames that are compressed, encrypted or broken, and what lies beyond 4096 frames or 200 kB of text are left out. Never throws.
 */
export function readId3Texts(tag: Buffer): Id3Texts {
  const texts = new Map<string, string[]>()
  let textBytes = 0
  for (const { id, content } of framesIn(tag)) {
    if (!id.startsWith('T') && id !== 'COMM') continue
    textBytes += content.length
    if (textBytes > MAX_TEXT_BYTES) break
    const { description, values } = readText(id, content)
    const name = description === undefined ? id : `${id}:${description}`
    const all = texts.get(name) ?? []
    for (const value of values) all.push(value)
    texts.set(name, all)
  }
  return texts
}

/** Whether an ID3v2 tag of version 3 or 4 has more frames than are looked at: 4096. Never throws. */
export function isCrowded(tag: Buffer): boolean {
  let frames = 0
  for (const _ of framesIn(tag)) frames++
  return frames === MAX_FRAMES
}

/** The frames of a tag, the first 4096 at most; the content of those is empty that would have to be unpacked. */
function* framesIn(tag: Buffer): Generator<{ readonly id: string; readonly content: Buffer }> {
  const version = tag[3]
  if (id3TagBytes(tag) === 0 || (version !== 3 && version !== 4)) return
  const [isUnsynchronised, isExtended] = [(tag[5]! & 0x80) > 0, (tag[5]! & 0x40) > 0]
  const bytes = tag.subarray(HEADER_BYTES, id3TagBytes(tag))
  const body = isUnsynchronised && version === 3 ? synchronise(bytes) : bytes
  const sizeAt = (at: number) => (version === 3 ? body.readUInt32BE(at) : readSyncSafe(body, at))
  // The size of an extended header counts itself in version 4 only.
  let at = isExtended && body.length >= 4 ? sizeAt(0) + (version === 3 ? 4 : 0) : 0
  for (let frames = 0; frames < MAX_FRAMES && at + HEADER_BYTES <= body.length; frames++) {
    const id = body.toString('latin1', at, at + 4)
    if (!/^[A-Z0-9]{4}$/.test(id)) return
    const end = at + HEADER_BYTES + sizeAt(at + 4)
    yield { id, content: frameContent(body.subarray(at, end), version) }
    at = end
  }
}

/** The content of a frame; empty when it would have to be unpacked first (structure, section 4.1). */
function frameContent(bytes: Buffer, version: 3 | 4): Buffer {
  const format = bytes[9]!
  const isPacked = version === 3 ? format > 0 : (format & ~0x03) > 0
  if (isPacked) return Buffer.alloc(0)
  const hasLength = (format & 0x01) > 0
  const isUnsynchronised = (format & 0x02) > 0
  const content = bytes.subarray(HEADER_BYTES + (hasLength ? 4 : 0))
  return isUnsynchronised ? synchronise(content) : content
}

/** Takes out the zeros that were put behind 0xff, so that nothing looks like an MP3 frame (structure, section 6.1). */
function synchronise(bytes: Buffer): Buffer {
  const kept = Buffer.alloc(bytes.length)
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== 0 || bytes[i - 1] !== 0xff) kept[length++] = bytes[i]!
  }
  return kept.subarray(0, length)
}

function readText(id: string, content: Buffer): { readonly description?: string; readonly values: readonly string[] } {
  const languageBytes = id === 'COMM' ? 3 : 0
  const texts = decodeTexts(content[0], content.subarray(1 + languageBytes))
  const isDescribed = id === 'COMM' || id === 'TXXX'
  const values = texts.slice(isDescribed ? 1 : 0).filter((text) => text !== '')
  return isDescribed ? { description: texts[0] ?? '', values } : { values }
}

/** Texts that are parted by zeros, in one of the four encodings (structure, section 4); none in another. */
function decodeTexts(encoding: number | undefined, bytes: Buffer): string[] {
  const text = decode(encoding, bytes)
  return text.split('\0').map((part) => cleanText(part.replace(/^\ufeff/, '')))
}

function decode(encoding: number | undefined, bytes: Buffer): string {
  if (encoding === 0) return bytes.toString('latin1')
  if (encoding === UTF8) return bytes.toString('utf8')
  if (encoding !== 1 && encoding !== 2) return ''
  const isLittleEndian = encoding === 1 && bytes[0] === 0xff
  return new TextDecoder(isLittleEndian ? 'utf-16le' : 'utf-16be').decode(bytes)
}

/**
 * Returns name and text of a tag as the ID3v2 texts of its file have them, of which ffmpeg hands over less: the first value of a
 * frame, and a comment under its description as if that were a name. A tag that is not from these texts stays as it is. `field` is
 * the one of {@link SongTags} that the name stands for. Never throws.
 */
export function completeTag(
  { name, field, text }: { readonly name: string; readonly field?: keyof SongTags | undefined; readonly text: string },
  texts: Id3Texts,
): { readonly name: string; readonly text: string } {
  const isComment = field === undefined && texts.get(`COMM:${name}`)?.[0] === text
  if (isComment) return { name: `${DESCRIBED_COMMENT}${name}`, text }
  const id = (FRAME_IDS as Partial<Record<keyof SongTags, string>>)[field ?? 'other'] ?? otherFrameId(name) ?? ''
  const values = [...(texts.get(id) ?? []), ...(texts.get(`TXXX:${name}`) ?? [])]
  if (values[0] !== text) return { name, text }
  return { name, text: PAIR_FRAME_IDS.includes(id) ? values.join(PAIR_BREAK) : [...new Set(values)].join(VALUE_BREAK) }
}
