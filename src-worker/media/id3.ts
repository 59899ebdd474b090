/**
 * ID3v2 tags: complete writing for masters, and reading where ffmpeg, which reads the rest, loses information. ffmpeg can be killed; a tag
 * library in this process blocked it for six seconds on a genre list of 200 kB (music-metadata 12.1), and split `AC/DC` into two artists.
 */
import { inflateSync } from 'node:zlib'
import type { SongTags } from './audio-facts.ts'
import type { Cover, Picture } from './cover.ts'
import { DESCRIBED_COMMENT, fieldOf, NAMED_FRAMES, PAIR_BREAK, type TagEntry, VALUE_BREAK } from './tag-fields.ts'
import { cleanText, decodeText } from './tag-text.ts'

/** Frames that list pairs of a role and a person (native frames, section 4.2.2). */
const PAIR_FRAME_IDS: readonly string[] = ['TIPL', 'TMCL']

const HEADER_BYTES = 10
/** Encodings of a text (structure, section 4). */
const LATIN1 = 0
const UTF16 = 1
const UTF8 = 3
/** Type of a picture (native frames, section 4.14). */
const FRONT_COVER = 3
/** Owner of the identifiers of recordings in UFID frames, as Picard writes them. */
const MUSICBRAINZ = 'http://musicbrainz.org'
/** Prefix of the description of a user-defined link. */
const OWN_LINK = 'WXXX:'
/** Largest number of frames that are read, and of bytes of their texts. */
const MAX_FRAMES = 4096
const MAX_TEXT_BYTES = 200_000
/** Longest content that is unpacked, bytes. */
const MAX_UNPACKED_BYTES = 32_000_000

/** Returns the length of the ID3v2 tag that begins with these bytes, header included (structure, section 3.1); 0 without a tag. */
export function id3TagBytes(start: Buffer): number {
  if (start.length < HEADER_BYTES || start.toString('latin1', 0, 3) !== 'ID3') return 0
  // Text that happens to start like a tag has larger bytes there.
  if (start[3] === 0xff || start[4] === 0xff || start.subarray(6, HEADER_BYTES).some((byte) => byte >= 0x80)) return 0
  const hasFooter = (start[5]! & 0x10) > 0
  return HEADER_BYTES + readSyncSafe(start, 6) + (hasFooter ? HEADER_BYTES : 0)
}

/** Encoding of texts and frames in one version of the tag. */
interface Dialect {
  readonly major: 3 | 4
  /** Encoding, then the texts one after another. */
  readonly texts: (...texts: string[]) => Buffer
  readonly size: (bytes: number) => Buffer
}

/**
 * Version 4 is UTF-8. Version 3 has Latin-1 and UTF-16 with a mark of the byte order before each text (ID3v2.3.0, section 3.3), and
 * plain sizes of frames.
 */
const DIALECTS: Readonly<Record<3 | 4, Dialect>> = {
  4: {
    major: 4,
    texts: (...texts) => Buffer.concat([Buffer.from([UTF8]), Buffer.from(texts.join('\0'), 'utf8')]),
    size: syncSafe,
  },
  3: {
    major: 3,
    texts: (...texts) =>
      texts.every((text) => /^[\n\x20-\x7e\xa0-\xff]*$/.test(text))
        ? Buffer.concat([Buffer.from([LATIN1]), ascii(texts.join('\0'))])
        : Buffer.concat([
            Buffer.from([UTF16]),
            ...texts.flatMap((text, i) => [Buffer.from(`${i > 0 ? '\0' : ''}\ufeff${text}`, 'utf16le')]),
          ]),
    size: plainSize,
  },
}

/**
 * Returns an ID3v2 tag with the tags and the cover of a song; empty if there are neither. Several values of a field are one text, since
 * most players read only the first text of a frame. Version 3 is for files that old players and shops read: fields without a frame in it
 * become user-defined texts.
 */
export function writeId3Tag(tags: SongTags, cover: Cover | undefined, version: 3 | 4 = 4): Buffer {
  const dialect = DIALECTS[version]
  const frames = Buffer.concat([...textFramesOf(tags, dialect), ...(cover ? [coverFrame(cover, dialect)] : [])])
  if (frames.length === 0) return frames
  return Buffer.concat([ascii('ID3'), Buffer.from([version, 0, 0]), syncSafe(frames.length), frames])
}

/** A file that a tag contains (native frames, section 4.15); its names are ASCII. */
export interface EmbeddedObject {
  readonly mimeType: string
  readonly fileName: string
  readonly description: string
  readonly bytes: Buffer
}

/**
 * Returns an MP3 of ours with one more object in its tag, and the place of the object's bytes in it. A tag without padding is expected, of
 * version 3, as `writeId3Tag` writes it; without a tag one is added. The sound stays as it is.
 */
export function withId3Object(
  mp3: Buffer,
  { mimeType, fileName, description, bytes }: EmbeddedObject,
): { readonly mp3: Buffer; readonly start: number } {
  const end = Math.max(HEADER_BYTES, id3TagBytes(mp3))
  const frames = mp3.subarray(HEADER_BYTES, id3TagBytes(mp3))
  const head = ascii(`\0${[mimeType, fileName, description].join('\0')}\0`)
  const object = frame('GEOB', Buffer.concat([head, bytes]), DIALECTS[3])
  const tag = Buffer.concat([ascii('ID3\x03\0\0'), syncSafe(frames.length + object.length), frames, object])
  return { mp3: Buffer.concat([tag, mp3.subarray(id3TagBytes(mp3))]), start: end + object.length - bytes.length }
}

function textFramesOf(tags: SongTags, dialect: Dialect): Buffer[] {
  const named = NAMED_FRAMES.flatMap(([name, id]) => {
    const text = tags[name]
    return text && id !== 'COMM' ? textFrames(id, name, text, dialect) : []
  })
  const others = Object.entries(tags.other ?? {})
  const comment = tags.comment ? [frame('COMM', languageText('', tags.comment, dialect), dialect)] : []
  const people = dialect.major === 3 ? others.filter(([key]) => PAIR_FRAME_IDS.includes(key)) : []
  const pairs = people.flatMap(([, value]) => value.split(PAIR_BREAK))
  return [
    ...named,
    ...comment,
    ...others.filter((one) => !people.includes(one)).flatMap(([key, value]) => otherFrames(key, value, dialect)),
    ...(pairs.length > 0 ? [frame('IPLS', dialect.texts(...pairs), dialect)] : []),
  ]
}

function coverFrame(cover: Cover, dialect: Dialect): Buffer {
  // Without a description each encoding has the same form.
  const encoding = dialect.major === 4 ? UTF8 : LATIN1
  const type = Buffer.concat([Buffer.from([encoding]), ascii(`${cover.mimeType}\0`), Buffer.from([FRONT_COVER, 0])])
  return frame('APIC', Buffer.concat([type, cover.bytes]), dialect)
}

/** Date frames of version 3, each for the year only. */
const YEAR_FRAMES: Readonly<Record<string, string>> = { TDRC: 'TYER', TDOR: 'TORY' }
/** Frames without a counterpart in version 3. */
const NEW_IN_VERSION_4: readonly string[] = ['TMOO', 'TSST', 'TDRL']

/** The frames of a text: one, but for a date in version 3, which is a year and a day. */
function textFrames(id: string, name: string, text: string, dialect: Dialect): Buffer[] {
  const yearFrame = dialect.major === 3 ? YEAR_FRAMES[id] : undefined
  const date = /^(\d{4})(?:-(\d\d)-(\d\d))?/.exec(text)
  if (yearFrame && date) {
    const [, year, month, day] = date
    const isTold = id === 'TDRC' && month !== undefined
    return [
      frame(yearFrame, dialect.texts(year!), dialect),
      ...(isTold ? [frame('TDAT', dialect.texts(`${day}${month}`), dialect)] : []),
    ]
  }
  if (yearFrame || (dialect.major === 3 && NEW_IN_VERSION_4.includes(id))) return [ownText(name, text, dialect)]
  return [frame(id, dialect.texts(text), dialect)]
}

function ownText(name: string, text: string, dialect: Dialect): Buffer {
  return frame('TXXX', dialect.texts(name, text), dialect)
}

/** Returns the frames of a tag that has no member in {@link SongTags}. */
function otherFrames(key: string, value: string, dialect: Dialect): Buffer[] {
  const id = otherFrameId(key)
  const lyrics = /^lyrics(?:-(.*))?$/is.exec(key)
  if (lyrics || id === 'USLT') return [frame('USLT', lyricsText(lyrics?.[1] ?? '', value, dialect), dialect)]
  if (isDescribedComment(key)) {
    return [frame('COMM', languageText(key.slice(DESCRIBED_COMMENT.length), value, dialect), dialect)]
  }
  if (id === 'UFID') return [frame('UFID', ascii(`${MUSICBRAINZ}\0${value}`), dialect)]
  // A link is Latin-1 and has no room for several.
  if (id?.startsWith('W') && /^[!-~]+$/.test(value)) return [frame(id, ascii(value), dialect)]
  if (id && PAIR_FRAME_IDS.includes(id)) return [frame(id, dialect.texts(...value.split(PAIR_BREAK)), dialect)]
  if (id?.startsWith('T') || id === 'MVNM') return textFrames(id, key, value, dialect)
  if (key.startsWith(OWN_LINK)) {
    const description = dialect.texts(key.slice(OWN_LINK.length))
    const end = Buffer.alloc(isWide(description[0]) ? 2 : 1)
    return [frame('WXXX', Buffer.concat([description, end, ascii(value)]), dialect)]
  }
  return [ownText(key, value, dialect)]
}

/** Returns the frame of a tag among the `other` ones; frames of named fields are reserved. */
function otherFrameId(key: string): string | undefined {
  const field = fieldOf(key)
  if (field) return field.isNamed ? undefined : field.frame
  return /^(T|W)[A-Z0-9]{3}$/.test(key) && !/^(T|W)XXX$/.test(key) ? key : undefined
}

/** ffmpeg names lyrics by their description and language: `lyrics-eng`, `lyrics-verse two-kor`. */
function lyricsText(suffix: string, text: string, dialect: Dialect): Buffer {
  const [, description = '', language] = /^(?:(.*)-)?([a-z]{3})$/is.exec(suffix) ?? ['', suffix]
  return languageText(description, text, dialect, language?.toLowerCase())
}

function isDescribedComment(key: string): boolean {
  return key.toLowerCase().startsWith(DESCRIBED_COMMENT)
}

/** COMM and USLT: encoding, language (`XXX` is an unknown one), description, text. */
function languageText(description: string, text: string, dialect: Dialect, language = 'XXX'): Buffer {
  const code = language === 'xxx' ? 'XXX' : language
  const texts = dialect.texts(description, text)
  return Buffer.concat([texts.subarray(0, 1), ascii(code), texts.subarray(1)])
}

function frame(id: string, content: Buffer, { size }: Dialect): Buffer {
  return Buffer.concat([ascii(id), size(content.length), Buffer.alloc(2), content])
}

function plainSize(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
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

/** Values of the text frames and comments of a tag, by frame id; a described one has its description after a colon. */
export type Id3Texts = ReadonlyMap<string, readonly string[]>

/**
 * Returns the non-empty texts of an ID3v2 tag, cleaned by {@link cleanText}. Encrypted or broken frames are left out, and so is anything
 * beyond 4096 frames or 200 kB of text. Never throws.
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

/** Text frames, including version 2's. */
const TEXT_FRAME = /^(T..|T...|COMM?|USLT|ULT)$/

/**
 * Returns the texts of an ID3v2 tag that wrongly declares Latin-1, by their Latin-1 reading, which is how ffmpeg returns them. Both are
 * cleaned by {@link cleanText}. Never throws.
 */
export function readMislabelled(tag: Buffer): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  let textBytes = 0
  for (const { id, content } of framesIn(tag)) {
    if (content[0] !== LATIN1 || !TEXT_FRAME.test(id)) continue
    textBytes += content.length
    if (textBytes > MAX_TEXT_BYTES) break
    const languageBytes = id.startsWith('T') ? 0 : 3
    for (const part of content.toString('latin1', 1 + languageBytes).split('\0')) {
      const [asLatin1, read] = [cleanText(part), cleanText(decodeText(part))]
      if (read !== asLatin1) texts.set(asLatin1, read)
    }
  }
  return texts
}

/** Returns whether an ID3v2 tag has more than the 4096 frames that are read. Never throws. */
export function isCrowded(tag: Buffer): boolean {
  let frames = 0
  for (const _ of framesIn(tag)) frames++
  return frames === MAX_FRAMES
}

/** The frames of a tag, the first 4096 at most; frames that cannot be unpacked are empty. */
function* framesIn(tag: Buffer): Generator<{ readonly id: string; readonly content: Buffer }> {
  const version = tag[3]
  if (id3TagBytes(tag) === 0 || (version !== 2 && version !== 3 && version !== 4)) return
  const [isUnsynchronised, isExtended] = [(tag[5]! & 0x80) > 0, version > 2 && (tag[5]! & 0x40) > 0]
  const bytes = tag.subarray(HEADER_BYTES, id3TagBytes(tag))
  const body = isUnsynchronised && version < 4 ? synchronise(bytes) : bytes
  const headBytes = version === 2 ? 6 : HEADER_BYTES
  // The size of an extended header includes itself in version 4 only.
  let at = isExtended && body.length >= 4 ? frameBytesAt(body, 0, version) + (version === 3 ? 4 : 0) : 0
  for (let frames = 0; frames < MAX_FRAMES && at + headBytes <= body.length; frames++) {
    if (!isFrameAt(body, at, version)) return
    const end = at + headBytes + frameBytesAt(body, at + (version === 2 ? 3 : 4), version)
    const content = version === 2 ? body.subarray(at + headBytes, end) : frameContent(body.subarray(at, end), version)
    yield { id: body.toString('latin1', at, at + (version === 2 ? 3 : 4)), content }
    at = end
  }
}

type TagVersion = 2 | 3 | 4

function isFrameAt(body: Buffer, at: number, version: TagVersion): boolean {
  return (version === 2 ? /^[A-Z0-9]{3}$/ : /^[A-Z0-9]{4}$/).test(
    body.toString('latin1', at, at + (version === 2 ? 3 : 4)),
  )
}

/** The size of a frame; old versions of iTunes wrote plain numbers into tags of version 4 as well. */
function frameBytesAt(body: Buffer, at: number, version: TagVersion): number {
  if (version === 2) return body.readUIntBE(at, 3)
  const plain = body.readUInt32BE(at)
  if (version === 3) return plain
  const safe = readSyncSafe(body, at)
  if (plain === safe || at < 4) return safe
  const isNextAt = (size: number) => {
    const next = at + 6 + size
    return next === body.length || (next < body.length && (body[next] === 0 || isFrameAt(body, next, version)))
  }
  return !isNextAt(safe) && isNextAt(plain) ? plain : safe
}

/** The content of a frame; empty when it is encrypted, or does not unpack (structure, section 4.1). */
function frameContent(bytes: Buffer, version: 3 | 4): Buffer {
  const format = bytes[9]!
  const [compressed, encrypted, grouped] = version === 3 ? [0x80, 0x40, 0x20] : [0x08, 0x04, 0x40]
  if ((format & encrypted!) > 0) return Buffer.alloc(0)
  const isCompressed = (format & compressed!) > 0
  const hasLength = version === 3 ? isCompressed : (format & 0x01) > 0
  const isUnsynchronised = version === 4 && (format & 0x02) > 0
  const content = bytes.subarray(HEADER_BYTES + (hasLength ? 4 : 0) + ((format & grouped!) > 0 ? 1 : 0))
  const plain = isUnsynchronised ? synchronise(content) : content
  return isCompressed ? unpack(plain) : plain
}

function unpack(bytes: Buffer): Buffer {
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES })
  } catch {
    return Buffer.alloc(0)
  }
}

/** Removes the zeros that unsynchronisation inserted after 0xff to avoid MP3 frame patterns (structure, section 6.1). */
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

/** Returns texts separated by zeros, in one of the four encodings (structure, section 4); empty for any other encoding. */
function decodeTexts(encoding: number | undefined, bytes: Buffer): string[] {
  const text = decode(encoding, bytes)
  return text.split('\0').map((part) => cleanText(part.replace(/^\ufeff/, '')))
}

function decode(encoding: number | undefined, bytes: Buffer): string {
  if (encoding === LATIN1) return bytes.toString('latin1').split('\0').map(decodeText).join('\0')
  if (encoding === UTF8) return bytes.toString('utf8')
  if (encoding !== 1 && encoding !== 2) return ''
  const isLittleEndian = encoding === 1 && bytes[0] === 0xff
  return new TextDecoder(isLittleEndian ? 'utf-16le' : 'utf-16be').decode(bytes)
}

/**
 * Returns name and text of a tag as in the file's ID3v2 texts, since ffmpeg returns less: the first value of a frame only, and a comment
 * under its description as if that were a name. A tag from elsewhere stays as it is. Never throws.
 */
export function completeTag({ name, text }: TagEntry, texts: Id3Texts): TagEntry {
  const isComment = name.toLowerCase() !== 'comment' && texts.get(`COMM:${name}`)?.[0] === text
  if (isComment) return { name: `${DESCRIBED_COMMENT}${name}`, text }
  const id = fieldOf(name)?.frame ?? otherFrameId(name) ?? ''
  const values = [...(texts.get(id) ?? []), ...(texts.get(`TXXX:${name}`) ?? [])]
  if (values[0] !== text) return { name, text }
  return { name, text: PAIR_FRAME_IDS.includes(id) ? values.join(PAIR_BREAK) : [...new Set(values)].join(VALUE_BREAK) }
}

/** Returns the tags of an ID3v2 tag that ffmpeg passes over: links and the identifier of the recording. Never throws. */
export function readId3Links(tag: Buffer): TagEntry[] {
  const entries: TagEntry[] = []
  for (const { id, content } of framesIn(tag)) {
    if (id === 'WXXX') {
      // The link is Latin-1, whatever the encoding of the description.
      const linkAt = endOfText(content, 1, isWide(content[0]) ? 2 : 1)
      const [description = ''] = decodeTexts(content[0], content.subarray(1, linkAt))
      entries.push({ name: `${OWN_LINK}${description}`, text: linkOf(content.subarray(linkAt)) })
    } else if (/^W[A-Z0-9]{3}$/.test(id)) {
      entries.push({ name: id, text: linkOf(content) })
    } else if (id === 'UFID') {
      const [owner, identifier = ''] = content.toString('latin1').split('\0')
      if (owner === MUSICBRAINZ) entries.push({ name: 'musicbrainz_trackid', text: cleanText(identifier) })
    }
  }
  return entries.filter(({ text }) => text !== '')
}

/** Returns the pictures of an ID3v2 tag in their order (native frames, section 4.14; PIC in version 2). Never throws. */
export function readId3Pictures(tag: Buffer): Picture[] {
  const pictures: Picture[] = []
  for (const { id, content } of framesIn(tag)) {
    if (id !== 'APIC' && id !== 'PIC') continue
    const typeAt = id === 'PIC' ? 4 : content.indexOf(0, 1) + 1
    if (typeAt === 0) continue
    const start = endOfText(content, typeAt + 1, isWide(content[0]) ? 2 : 1)
    if (start <= content.length)
      pictures.push({ isFront: content[typeAt] === FRONT_COVER, bytes: content.subarray(start) })
  }
  return pictures
}

function linkOf(bytes: Buffer): string {
  return cleanText(bytes.toString('latin1').split('\0', 1)[0]!)
}

/** Returns whether a text in this encoding has two bytes a character. */
function isWide(encoding: number | undefined): boolean {
  return encoding === 1 || encoding === 2
}

/** The place behind the zeros that end a text. */
function endOfText(bytes: Buffer, from: number, unitBytes: 1 | 2): number {
  for (let at = from; at + unitBytes <= bytes.length; at += unitBytes) {
    if (bytes[at] === 0 && (unitBytes === 1 || bytes[at + 1] === 0)) return at + unitBytes
  }
  return bytes.length + 1
}
